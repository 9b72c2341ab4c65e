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

// Offers implements cloud.Offerer. Start and end of the wish bound the search.
func (c *Cloud) Offers(ctx context.Context, s cloud.Spec) ([]cloud.Offer, error) {
	call := cloud.Call{
		Method: "Offers", Account: s.Account, Region: s.Region, InstanceType: s.InstanceType, Repeatable: true,
	}
	return do(ctx, c, call, func() ([]cloud.Offer, error) {
		if _, err := c.accountID(s.Account); err != nil {
			return nil, err
		}
		if s.OfferID != "" {
			o, err := c.offer("Offers", s)
			if err != nil {
				return nil, err
			}
			return []cloud.Offer{o.offer}, nil
		}
		return c.onSale(c.offers, func(o cloud.Offer) bool { return fits(s, o) }), nil
	})
}

// onSale are the offers of a shelf that fit, cheapest first, then the earliest.
func (c *Cloud) onSale(shelf []*stocked, fits func(cloud.Offer) bool) []cloud.Offer {
	var offers []cloud.Offer
	for _, o := range shelf {
		if c.buyable(o) && fits(o.offer) {
			offers = append(offers, o.offer)
		}
	}
	slices.SortFunc(offers, func(a, b cloud.Offer) int {
		return cmp.Or(cmp.Compare(a.Upfront.Micros, b.Upfront.Micros), a.StartAt.Compare(b.StartAt),
			cmp.Compare(a.ID, b.ID))
	})
	return offers
}

// buyable tells whether there is stock of an offer that is not past.
func (c *Cloud) buyable(o *stocked) bool {
	return o.stock > 0 && (o.offer.EndAt.IsZero() || o.offer.EndAt.After(c.clock.Now()))
}

// fits tells whether an offer meets every part of a wish that is given.
func fits(s cloud.Spec, o cloud.Offer) bool {
	return s.Kind == o.Kind && given(s.OfferID, o.ID) && ofShape(s, o) && within(s, o)
}

// ofShape: an offer of no zone is good in every zone of its region.
func ofShape(s cloud.Spec, o cloud.Offer) bool {
	return given(s.Region, o.Region) && (o.Zone == "" || given(s.Zone, o.Zone)) && given(s.InstanceType, o.InstanceType) && given(s.Count, o.Count)
}

// within tells whether an offer is of the wished length inside the window, or
// of the wished term.
func within(s cloud.Spec, o cloud.Offer) bool {
	return given(s.Duration, o.Length) && !o.StartAt.Before(s.StartAt) && (s.EndAt.IsZero() || !o.EndAt.After(s.EndAt)) &&
		(s.Term == nil || (o.Term != nil && *s.Term == *o.Term))
}

func given[T comparable](wish, offer T) bool {
	var none T
	return wish == none || wish == offer
}

// offer is the offer that a wish names, if it fits and can still be bought.
func (c *Cloud) offer(op string, s cloud.Spec) (*stocked, error) {
	o, err := named(op, c.offers, s.OfferID)
	switch {
	case err != nil:
		return nil, err
	case !fits(s, o.offer):
		return nil, invalid(op, []cloud.Problem{{
			Attribute: attrOffer, Detail: fmt.Sprintf("offer %s is of another kind, place, size or time", s.OfferID),
		}})
	case !c.buyable(o):
		return nil, soldOut(op, s.OfferID)
	}
	return o, nil
}

// named is the offer of an id on a shelf.
func named(op string, shelf []*stocked, id string) (*stocked, error) {
	i := slices.IndexFunc(shelf, func(o *stocked) bool { return o.offer.ID == id })
	if id == "" || i < 0 {
		return nil, invalid(op, []cloud.Problem{{Attribute: attrOffer, Detail: fmt.Sprintf("there is no offer %q", id)}})
	}
	return shelf[i], nil
}

func soldOut(op, id string) error {
	return &cloud.Error{
		Code: cloud.NoCapacity, Op: op, Native: "OfferGone", Message: fmt.Sprintf("offer %s can no longer be bought", id),
	}
}

// Now implements cloud.Timekeeper.
func (c *Cloud) Now(ctx context.Context, account, region string) (time.Time, error) {
	call := cloud.Call{Method: "Now", Account: account, Region: region, Repeatable: true}
	return do(ctx, c, call, func() (time.Time, error) { return c.clock.Now(), nil })
}
