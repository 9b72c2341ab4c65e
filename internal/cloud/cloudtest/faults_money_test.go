package cloudtest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// shown changes every reservation that is shown.
func shown(change func(*cloud.Reservation)) func(*broken) {
	return func(b *broken) {
		one := func(r cloud.Reservation, err error) (cloud.Reservation, error) {
			if err == nil {
				change(&r)
			}
			return r, err
		}
		b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
			return one(b.Cloud.Create(ctx, req))
		}
		b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) { return one(b.Cloud.Get(ctx, ref)) }
		b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
			return one(b.Cloud.Update(ctx, ref, c))
		}
		b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
			all, err := b.Cloud.List(ctx, scope)
			for i := range all {
				change(&all[i])
			}
			return all, err
		}
	}
}

// quoted changes every quote.
func quoted(change func(*cloud.Quote)) func(*broken) {
	return func(b *broken) {
		b.quote = func(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
			q, err := b.Cloud.Quote(ctx, ref)
			change(&q)
			return q, err
		}
	}
}

// requoted cancels at a quote that is made there and then.
func requoted(b *broken) {
	b.cancel = func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		if fresh, err := b.Cloud.Quote(ctx, ref); err == nil {
			quote = fresh
		}
		return b.Cloud.Cancel(ctx, ref, quote)
	}
}

// faultyCommitments break what is told of commitments and how they end.
func faultyCommitments() map[string]fault {
	return map[string]fault{
		"commitment not told": {"release/not-free", shown(func(r *cloud.Reservation) { r.CommittedUntil = time.Time{} })},
		"committed though free": {"commitment/none", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.OnDemand {
				r.CommittedUntil = r.CreatedAt.Add(time.Hour)
			}
		})},
		"commitment beyond the end": {"commitment/told", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Block {
				r.CommittedUntil = r.EndsAt.Add(time.Hour)
			}
		})},
		"commitment never over": {"commitment/over", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Scheduled {
				r.CommittedUntil = r.StartsAt.Add(14 * 24 * time.Hour)
			}
		})},
		"what is still free is kept": {"commitment/free-until", func(b *broken) {
			b.release = func(ctx context.Context, ref cloud.Ref) error {
				if r, err := b.Cloud.Get(ctx, ref); err == nil && !r.CommittedUntil.IsZero() {
					return &cloud.Error{Code: cloud.Unsupported, Op: "Release"}
				}
				return b.Cloud.Release(ctx, ref)
			}
		}},
		"promised without capacity": {"refused/later", shown(func(r *cloud.Reservation) {
			if r.State == cloud.Refused {
				r.State = cloud.Held
			}
		})},
		"any start taken":             {"refused/lead", anyStart},
		"quote of nothing":            {"cancel/quoted", quoted(func(q *cloud.Quote) { q.InstanceHours = 0 })},
		"quote that cancels":          {"cancel/quoted", func(b *broken) { b.quote = quotedAndGone(b) }},
		"charge for what is free":     {"cancel/free", quoted(func(q *cloud.Quote) { q.InstanceHours += 24 })},
		"billing end not as quoted":   {"cancel/at-quote", shown(func(r *cloud.Reservation) { r.BilledUntil = time.Time{} })},
		"stale quote taken":           {"cancel/stale-quote", requoted},
		"cancelled in use":            {"cancel/in-use", func(b *broken) { b.cancel = emptied(b) }},
		"cancel not idempotent":       {"cancel/at-quote", func(b *broken) { b.cancel = cancelledOnce(b) }},
		"cancel not repeatable":       {"cancel/lost", func(b *broken) { b.cancel = cancelledOnce(b) }},
		"cancel of the unknown fails": {"cancel/unknown", func(b *broken) { b.cancel = cancelledOnce(b) }},
		"block given up":              {"cancel/not-this-kind", func(b *broken) { b.cancel = cancelledAny(b) }},
		"quote for a block": {"cancel/not-this-kind", func(b *broken) {
			b.quote = func(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
				q, err := b.Cloud.Quote(ctx, ref)
				return q, reclass(err, func(e *cloud.Error) {
					if e.Code == cloud.Unsupported {
						e.Code = cloud.Conflict
					}
				})
			}
		}},
	}
}

// anyStart moves a start that is too near or too far.
func anyStart(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if cloud.CodeOf(err) == cloud.Invalid && req.Spec.Kind == cloud.Scheduled && ctx.Err() == nil {
			now, _ := b.Now(ctx, "", "")
			req.Spec.StartAt = now.Add(30 * 24 * time.Hour)
			return b.Cloud.Create(ctx, req)
		}
		return r, err
	}
}

func quotedAndGone(b *broken) func(context.Context, cloud.Ref) (cloud.Quote, error) {
	return func(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
		q, err := b.Cloud.Quote(ctx, ref)
		if err == nil {
			b.SetState(ref.NativeID, cloud.Gone)
		}
		return q, err
	}
}

func emptied(b *broken) func(context.Context, cloud.Ref, cloud.Quote) error {
	return func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		b.SetUsers(ref.NativeID)
		return b.Cloud.Cancel(ctx, ref, quote)
	}
}

func cancelledOnce(b *broken) func(context.Context, cloud.Ref, cloud.Quote) error {
	return func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		r, err := b.Cloud.Get(ctx, ref)
		if err == nil && !r.State.Live() {
			err = &cloud.Error{Code: cloud.Conflict, Op: "Cancel", Message: "it is gone"}
		}
		if err != nil {
			return err
		}
		return b.Cloud.Cancel(ctx, ref, quote)
	}
}

func cancelledAny(b *broken) func(context.Context, cloud.Ref, cloud.Quote) error {
	return func(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
		err := b.Cloud.Cancel(ctx, ref, quote)
		if cloud.CodeOf(err) == cloud.Unsupported {
			b.SetState(ref.NativeID, cloud.Gone)
			return nil
		}
		return err
	}
}

// faultyPurchases break offers, extensions and terms.
func faultyPurchases() map[string]fault {
	faults := faultyExtensions()
	// asked changes what Offers is asked for.
	asked := func(change func(*cloud.Spec)) func(*broken) {
		return func(b *broken) {
			b.offers = func(ctx context.Context, s cloud.Spec) ([]cloud.Offer, error) {
				change(&s)
				return b.Cloud.Offers(ctx, s)
			}
		}
	}
	// bought changes what a term is bought with.
	bought := func(change func(*cloud.TermPurchase)) func(*broken) {
		return func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				if c.Term != nil {
					p := *c.Term
					change(&p)
					c.Term = &p
				}
				return b.Cloud.Update(ctx, ref, c)
			}
		}
	}
	for name, f := range map[string]fault{
		"length ignored":        {"offers/exact-length", asked(func(s *cloud.Spec) { s.Duration = 0 })},
		"window ignored":        {"offers/in-window", asked(func(s *cloud.Spec) { s.StartAt, s.EndAt = time.Time{}, time.Time{} })},
		"id ignored":            {"offers/one", asked(func(s *cloud.Spec) { s.OfferID = "" })},
		"sold out, still shown": {"offers/one-that-is-gone", asked(func(s *cloud.Spec) { s.OfferID = "" })},
		"shape of an id ignored": {"offers/one", asked(func(s *cloud.Spec) {
			if s.OfferID != "" {
				s.Count = 0
			}
		})},
		"unknown id is none":    {"offers/unknown", noneForUnknown},
		"chosen offer replaced": {"offers/as-chosen", cheapestInstead},
		"length lost":           {"offers/bought", shown(func(r *cloud.Reservation) { r.Length = 0 })},
		"term of another plan":  {"terms/offers", asked(func(s *cloud.Spec) { s.Term = nil })},
		"term not shown":        {"terms/shown", shown(func(r *cloud.Reservation) { r.Term = nil })},
		"kind never changes": {"terms/shown", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Term {
				r.Kind = cloud.DedicatedHost
			}
		})},
		"limit ignored":                  {"terms/limit", bought(func(p *cloud.TermPurchase) { p.Limit = nil })},
		"term's token ignored":           {"terms/bought-once", boughtAgain},
		"term's token ignored, if lost":  {"terms/lost", bought(func(p *cloud.TermPurchase) { p.Token = "" })},
		"term for what takes none":       {"terms/not-this-kind", dropped(func(c *cloud.Change) { c.Term = nil })},
		"second term dropped":            {"terms/second", secondDropped},
		"option never changed":           {"update/native", dropped(func(c *cloud.Change) { c.Native = nil })},
		"fixed option dropped silently":  {"update/native-not-in-place", dropped(func(c *cloud.Change) { c.Native = nil })},
		"list of a kind is empty":        {"list/of-kind", listedNoKind},
		"list of a kind without started": {"list/of-kind", listedStrictly},
	} {
		faults[name] = f
	}
	return faults
}

// dropped leaves a part of the change out.
func dropped(change func(*cloud.Change)) func(*broken) {
	return func(b *broken) {
		b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
			change(&c)
			return b.Cloud.Update(ctx, ref, c)
		}
	}
}

func noneForUnknown(b *broken) {
	b.offers = func(ctx context.Context, s cloud.Spec) ([]cloud.Offer, error) {
		all, err := b.Cloud.Offers(ctx, s)
		if s.OfferID != "" && cloud.CodeOf(err) == cloud.Invalid {
			return nil, nil
		}
		return all, err
	}
}

func cheapestInstead(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		s := req.Spec
		s.OfferID = ""
		if offers, err := b.Cloud.Offers(ctx, s); req.Offer != nil && err == nil && len(offers) > 0 {
			req.Spec.OfferID, req.Offer = offers[0].ID, &offers[0]
		}
		return b.Cloud.Create(ctx, req)
	}
}

// boughtAgain takes a known token as a further purchase: the term is a day
// longer.
func boughtAgain(b *broken) {
	longer := map[string]time.Duration{}
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		r, err := b.Cloud.Update(ctx, ref, c)
		b.mu.Lock()
		defer b.mu.Unlock()
		if err == nil && c.Term != nil {
			r.CommittedUntil = r.CommittedUntil.Add(longer[ref.NativeID])
			longer[ref.NativeID] += 24 * time.Hour
		}
		return r, err
	}
}

func secondDropped(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		if r, err := b.Cloud.Get(ctx, ref); err == nil && r.Term != nil {
			c.Term = nil
		}
		return b.Cloud.Update(ctx, ref, c)
	}
}

func listedNoKind(b *broken) {
	b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
		all, err := b.Cloud.List(ctx, scope)
		if scope.Kind != "" {
			all = nil
		}
		return all, err
	}
}

// listedStrictly leaves out what may yet become of the kind.
func listedStrictly(b *broken) {
	b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
		all, err := b.Cloud.List(ctx, scope)
		if scope.Kind != "" {
			all = slices.DeleteFunc(all, func(r cloud.Reservation) bool { return r.Kind != scope.Kind })
		}
		return all, err
	}
}

// faultyExtensions break what prolongs a block.
func faultyExtensions() map[string]fault {
	// told changes the history.
	told := func(change func([]cloud.Extension) []cloud.Extension) func(*broken) {
		return func(b *broken) {
			b.history = func(ctx context.Context, ref cloud.Ref) ([]cloud.Extension, error) {
				all, err := b.Cloud.Extensions(ctx, ref)
				return change(all), err
			}
		}
	}
	return map[string]fault{
		"extension offers not sorted": {"extensions/offers", func(b *broken) {
			b.longer = func(ctx context.Context, ref cloud.Ref, by time.Duration) ([]cloud.Offer, error) {
				all, err := b.Cloud.ExtensionOffers(ctx, ref, by)
				slices.Reverse(all)
				return all, err
			}
		}},
		"extension of another length": {"extensions/another-length", func(b *broken) {
			b.longer = func(ctx context.Context, ref cloud.Ref, _ time.Duration) ([]cloud.Offer, error) {
				return b.Cloud.ExtensionOffers(ctx, ref, 24*time.Hour)
			}
		}},
		"looking buys": {"extensions/offers", func(b *broken) {
			b.longer = func(ctx context.Context, ref cloud.Ref, by time.Duration) ([]cloud.Offer, error) {
				all, err := b.Cloud.ExtensionOffers(ctx, ref, by)
				if err == nil && len(all) > 0 {
					_, err = b.Cloud.Extend(ctx, ref, all[0])
				}
				return all, err
			}
		}},
		"extension not in the history": {"extensions/bought", told(func([]cloud.Extension) []cloud.Extension { return nil })},
		"history newest first": {"extensions/each-buys", told(func(all []cloud.Extension) []cloud.Extension {
			slices.Reverse(all)
			return all
		})},
		"failed payments hidden": {"extensions/failed", told(func(all []cloud.Extension) []cloud.Extension {
			return slices.DeleteFunc(all, func(e cloud.Extension) bool { return e.State == cloud.Refused })
		})},
		"unpaid told as paid": {"extensions/unpaid", told(func(all []cloud.Extension) []cloud.Extension {
			for i := range all {
				all[i].State = cloud.Held
			}
			return all
		})},
		"end moved before the payment": {"extensions/unpaid", movedUnpaid},
		"extended once for an offer":   {"extensions/each-buys", extendedOnce},
		"extension bought twice": {"extensions/lost-after-commit", func(b *broken) {
			b.extend = func(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
				e, err := b.Cloud.Extend(ctx, ref, offer)
				if cloud.CodeOf(err) == cloud.Internal {
					return b.Cloud.Extend(ctx, ref, offer)
				}
				return e, err
			}
		}},
		"lost extension sent again": {"extensions/lost-before-commit", func(b *broken) {
			b.extend = func(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
				e, err := b.Cloud.Extend(ctx, ref, offer)
				if cloud.MaybeAccepted(err) {
					return b.Cloud.Extend(ctx, ref, offer)
				}
				return e, err
			}
		}},
		"no such offer, another bought": {"extensions/no-such-offer", anotherBought},
		"history of the unknown": {"extensions/unknown", func(b *broken) {
			b.history = func(ctx context.Context, ref cloud.Ref) ([]cloud.Extension, error) {
				all, err := b.Cloud.Extensions(ctx, ref)
				if cloud.CodeOf(err) == cloud.NotFound {
					return nil, nil
				}
				return all, err
			}
		}},
		"ended told as full": {"extensions/after-its-end", func(b *broken) {
			b.extend = func(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
				e, err := b.Cloud.Extend(ctx, ref, offer)
				return e, reclass(err, func(e *cloud.Error) { e.Code = cloud.NoCapacity })
			}
		}},
		"length grows with extensions": {"extensions/bought", func(b *broken) {
			b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
				r, err := b.Cloud.Get(ctx, ref)
				if r.Kind == cloud.Block {
					r.Length = r.EndsAt.Sub(r.StartsAt)
				}
				return r, err
			}
		}},
	}
}

func movedUnpaid(b *broken) {
	b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
		r, err := b.Cloud.Get(ctx, ref)
		if err != nil || r.Kind != cloud.Block {
			return r, err
		}
		all, err := b.Cloud.Extensions(ctx, ref)
		if len(all) > 0 {
			r.EndsAt = all[len(all)-1].EndsAt
		}
		return r, err
	}
}

func extendedOnce(b *broken) {
	b.extend = func(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
		all, err := b.Cloud.Extensions(ctx, ref)
		if err != nil {
			return cloud.Extension{}, err
		}
		for _, e := range all {
			if e.OfferID == offer.ID {
				return e, nil
			}
		}
		return b.Cloud.Extend(ctx, ref, offer)
	}
}

func anotherBought(b *broken) {
	b.extend = func(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
		all, err := b.Cloud.ExtensionOffers(ctx, ref, 24*time.Hour)
		if err == nil && !slices.ContainsFunc(all, func(o cloud.Offer) bool { return o.ID == offer.ID }) && len(all) > 0 {
			offer = all[0]
		}
		return b.Cloud.Extend(ctx, ref, offer)
	}
}

// faultyMarkets break Market.
func faultyMarkets() map[string]fault {
	told := func(change func([]cloud.Signal) []cloud.Signal) func(*broken) {
		return func(b *broken) {
			b.market = func(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
				all, err := b.Cloud.Market(ctx, query)
				return change(all), err
			}
		}
	}
	return map[string]fault{
		"no signals":   {"market/one-each", told(func([]cloud.Signal) []cloud.Signal { return nil })},
		"signal twice": {"market/one-each", told(func(all []cloud.Signal) []cloud.Signal { return append(all, all...) })},
		"signals in another order": {"market/order", told(func(all []cloud.Signal) []cloud.Signal {
			slices.SortFunc(all, func(x, y cloud.Signal) int { return strings.Compare(x.Zone, y.Zone) })
			return all
		})},
		"zones ignored": {"market/these-zones", func(b *broken) {
			b.market = func(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
				query.Zones = nil
				return b.Cloud.Market(ctx, query)
			}
		}},
		"one unknown type fails all": {"market/unknown-type", func(b *broken) {
			b.market = func(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
				if slices.Contains(query.InstanceTypes, "x9.nosuchtype") {
					return nil, errors.New("no such type")
				}
				return b.Cloud.Market(ctx, query)
			}
		}},
		"nothing known, no reason": {"market/reasons", told(func(all []cloud.Signal) []cloud.Signal {
			for i := range all {
				all[i].Unknown = nil
			}
			return all
		})},
		"a score that is none": {"market/reasons", told(func(all []cloud.Signal) []cloud.Signal {
			for i := range all {
				if all[i].SpotScore != nil {
					*all[i].SpotScore = 11
				}
			}
			return all
		})},
	}
}
