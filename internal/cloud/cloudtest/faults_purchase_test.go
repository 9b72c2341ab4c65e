package cloudtest_test

import (
	"context"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// faultyPurchases break offers, extensions and terms.
func faultyPurchases() map[string]fault {
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
	return map[string]fault{
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
		"price not as offered": {"terms/shown", shown(func(r *cloud.Reservation) {
			if r.PaidUpfront != nil {
				r.PaidUpfront.Micros++
			}
		})},
		"term not shown": {"terms/shown", shown(func(r *cloud.Reservation) { r.Term = nil })},
		"kind never changes": {"terms/shown", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Term {
				r.Kind = cloud.DedicatedHost
			}
		})},
		"limit ignored":                  {"terms/limit", bought(func(p *cloud.TermPurchase) { p.Limit = nil })},
		"term's token ignored":           {"terms/bought-once", boughtAgain},
		"term's token ignored, if lost":  {"terms/lost", bought(func(p *cloud.TermPurchase) { p.Token = "" })},
		"term for what takes none":       {"terms/not-this-kind", dropped(func(c *cloud.Change) { c.Term = nil })},
		"second term not classed":        {"terms/second", secondUnclassed},
		"option never changed":           {"update/native", dropped(func(c *cloud.Change) { c.Native = nil })},
		"fixed option dropped silently":  {"update/native-not-in-place", dropped(func(c *cloud.Change) { c.Native = nil })},
		"list of a kind is empty":        {"list/of-kind", listedNoKind},
		"list of a kind without started": {"list/of-kind", listedStrictly},
	}
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

// secondUnclassed refuses another term without saying what is wrong with it.
func secondUnclassed(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		if r, err := b.Cloud.Get(ctx, ref); err == nil && r.Term != nil && c.Term != nil {
			return cloud.Reservation{}, &cloud.Error{Code: cloud.Internal, Op: "Update"}
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
