package cloudtest_test

import (
	"context"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

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
