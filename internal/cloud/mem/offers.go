package mem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// stocked is an offer and how often it can still be bought.
type stocked struct {
	offer cloud.Offer
	stock int
}

// blockWindDown is how long before its end work in a block stops.
const blockWindDown = 30 * time.Minute

// Offers implements cloud.Offerer. Start and end of the wish bound the search.
func (c *Cloud) Offers(ctx context.Context, s cloud.Spec) ([]cloud.Offer, error) {
	call := cloud.Call{
		Method: "Offers", Account: s.Account, Region: s.Region, InstanceType: s.InstanceType, Repeatable: true,
	}
	return do(ctx, c, call, func() ([]cloud.Offer, error) {
		if _, err := c.accountID(s.Account); err != nil {
			return nil, err
		}
		var offers []cloud.Offer
		for _, o := range c.offers {
			if o.stock > 0 && o.offer.EndAt.After(c.clock.Now()) && fits(s, o.offer) {
				offers = append(offers, o.offer)
			}
		}
		slices.SortFunc(offers, func(a, b cloud.Offer) int {
			return cmp.Or(cmp.Compare(a.Upfront.Micros, b.Upfront.Micros), a.StartAt.Compare(b.StartAt),
				cmp.Compare(a.ID, b.ID))
		})
		return offers, nil
	})
}

// fits tells whether an offer meets every part of a wish that is given.
func fits(s cloud.Spec, o cloud.Offer) bool {
	return s.Kind == o.Kind &&
		given(s.OfferID, o.ID) && given(s.Region, o.Region) && given(s.Zone, o.Zone) &&
		given(s.InstanceType, o.InstanceType) && given(s.Count, o.Count) && given(s.Duration, o.EndAt.Sub(o.StartAt)) &&
		!o.StartAt.Before(s.StartAt) && (s.EndAt.IsZero() || !o.EndAt.After(s.EndAt))
}

func given[T comparable](wish, offer T) bool {
	var none T
	return wish == none || wish == offer
}

// buy makes a block out of an offer. There is no token: each call buys.
func (c *Cloud) buy(accountID string, req cloud.CreateRequest) (cloud.Reservation, error) {
	o, err := c.offer(req.Spec)
	if err != nil {
		return cloud.Reservation{}, err
	}
	o.stock--
	req.Spec.Region, req.Spec.Zone = o.offer.Region, o.offer.Zone
	block := c.add(accountID, req)
	paid := o.offer.Upfront
	block.r.StartsAt, block.r.EndsAt = o.offer.StartAt.UTC(), o.offer.EndAt.UTC()
	block.r.UsableUntil = block.r.EndsAt.Add(-blockWindDown)
	block.r.PaidUpfront = &paid
	return block.show(req.Spec.Account), nil
}

// offer is the offer that a wish names, if it fits and can still be bought.
func (c *Cloud) offer(s cloud.Spec) (*stocked, error) {
	i := slices.IndexFunc(c.offers, func(o *stocked) bool { return o.offer.ID == s.OfferID })
	if s.OfferID == "" || i < 0 {
		return nil, invalid("Create", []cloud.Problem{{
			Attribute: attrOffer, Detail: fmt.Sprintf("there is no offer %q", s.OfferID),
		}})
	}
	o := c.offers[i]
	if !fits(s, o.offer) {
		return nil, invalid("Create", []cloud.Problem{{
			Attribute: attrOffer, Detail: fmt.Sprintf("offer %s is of another kind, place, size or time", s.OfferID),
		}})
	}
	if o.stock < 1 || !o.offer.EndAt.After(c.clock.Now()) {
		return nil, &cloud.Error{
			Code: cloud.NoCapacity, Op: "Create", Native: "OfferGone",
			Message: fmt.Sprintf("offer %s can no longer be bought", s.OfferID),
		}
	}
	return o, nil
}

// Now implements cloud.Timekeeper.
func (c *Cloud) Now(ctx context.Context, account, region string) (time.Time, error) {
	call := cloud.Call{Method: "Now", Account: account, Region: region, Repeatable: true}
	return do(ctx, c, call, func() (time.Time, error) { return c.clock.Now(), nil })
}
