package cloudtest

import (
	"cmp"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func offerChecks() []check {
	return []check{
		{name: "cheapest-first", of: traits{byOffer}, run: cheapestFirst},
		{name: "fitting", of: traits{byOffer}, run: fittingOffers},
		{name: "bought", of: traits{byOffer}, run: func(b *bench) {
			o := b.offers(b.Wishes[b.kind])[0]
			r := b.create("bought")
			b.same("zone, start and end", []any{r.Zone, r.StartsAt, r.EndsAt}, []any{o.Zone, o.StartAt, o.EndAt})
			b.same("paid upfront and length", []any{r.PaidUpfront, r.Length}, []any{&o.Upfront, o.Length})
			if r.UsableUntil.IsZero() || r.UsableUntil.After(r.EndsAt) {
				b.Errorf("usable until %v, ends %v", r.UsableUntil, r.EndsAt)
			}
		}},
		{name: "as-chosen", of: traits{byOffer}, run: func(b *bench) {
			offers := b.offers(b.Wishes[b.kind])
			last := offers[len(offers)-1]
			s := b.wish()
			s.OfferID = last.ID
			req := b.request("chosen", s)
			req.Offer = &last
			r, err := b.try(req)
			if err != nil {
				b.Fatalf("Create of the chosen offer: %v", err)
			}
			b.same("zone and paid upfront", []any{r.Zone, r.PaidUpfront}, []any{last.Zone, &last.Upfront})
		}},
		{name: "exact-length", of: traits{byOffer}, run: func(b *bench) {
			s := b.Wishes[b.kind]
			s.Duration = b.offers(s)[0].Length
			for _, o := range b.offers(s) {
				b.same("length of offer "+o.ID, o.Length, s.Duration)
			}
			s.Duration += 7 * time.Minute
			b.noOffers("of a length that is not sold", s)
		}},
		{name: "in-window", of: traits{byOffer}, run: offersInWindow},
		{name: "one", of: traits{byOffer}, run: oneOffer},
		{name: "one-that-is-gone", of: traits{byOffer}, run: func(b *bench) {
			b.needs(b.SetCapacity != nil, "SetCapacity")
			s := b.wish()
			b.SetCapacity(s, 0)
			_, err := b.offerer().Offers(b.ctx, s)
			b.wantCode("Offers of one that is sold out", err, cloud.NoCapacity, cloud.Invalid, cloud.NotFound)
		}},
		{name: "unknown", of: traits{byOffer}, run: func(b *bench) {
			req := b.request("unknown", b.wish())
			req.Spec.OfferID = "no-such-offer"
			_, err := b.try(req)
			if e := b.classed("Create", err, cloud.Invalid, cloud.NoCapacity); e.Accepted {
				b.Errorf("%v says that it may have been accepted", e)
			}
			_, err = b.offerer().Offers(b.ctx, req.Spec)
			b.wantCode("Offers", err, cloud.Invalid, cloud.NoCapacity, cloud.NotFound)
		}},
	}
}

// offersInWindow: start and end bound the search.
func offersInWindow(b *bench) {
	s := b.Wishes[b.kind]
	first, last := b.offers(s)[0], b.offers(s)[0]
	for _, o := range b.offers(s) {
		if o.EndAt.Before(first.EndAt) {
			first = o
		}
		if o.StartAt.After(last.StartAt) {
			last = o
		}
	}
	early, late := s, s
	early.EndAt = first.EndAt.Add(-time.Second)
	b.noOffers("that end before the earliest end", early)
	late.StartAt = last.StartAt.Add(time.Second)
	// A cloud may show a few at a time, and others for a later search.
	found, err := b.offerer().Offers(b.ctx, late)
	if err != nil {
		b.wantCode("Offers that start after the latest start", err, cloud.Invalid)
	}
	for _, o := range found {
		if o.StartAt.Before(late.StartAt) {
			b.Errorf("offer %s starts at %s, before %s", o.ID, o.StartAt, late.StartAt)
		}
	}
}

// cheaper orders offers: by price, then by start.
func cheaper(x, y cloud.Offer) int {
	return cmp.Or(cmp.Compare(x.Upfront.Micros, y.Upfront.Micros), x.StartAt.Compare(y.StartAt))
}

func cheapestFirst(b *bench) {
	offers := b.offers(b.Wishes[b.kind])
	if len(offers) < 2 {
		b.Fatalf("the harness's wish fits %d offers: their order cannot be told", len(offers))
	}
	if !slices.IsSortedFunc(offers, cheaper) {
		b.Errorf("the offers are not sorted by price: %+v", offers)
	}
}

func fittingOffers(b *bench) {
	s := b.Wishes[b.kind]
	for _, o := range b.offers(s) {
		switch {
		case o.Kind != s.Kind || o.InstanceType != s.InstanceType || o.Count < s.Count:
			b.Errorf("offer %+v does not fit the wish %+v", o, s)
		case o.ID == "" || !o.EndAt.After(o.StartAt) || o.Upfront.Currency == "":
			b.Errorf("offer %+v is not whole", o)
		}
	}
}

// oneOffer: with an id it is just that one, and none of another shape.
func oneOffer(b *bench) {
	all := b.offers(b.Wishes[b.kind])
	last := all[len(all)-1]
	s := b.wish()
	s.OfferID = last.ID
	b.same("the offer of an id", b.offers(s), []cloud.Offer{last})
	s.Count = last.Count + 1
	_, err := b.offerer().Offers(b.ctx, s)
	b.wantCode("the offer of an id for another count", err, cloud.Invalid)
}

func (b *bench) offerer() cloud.Offerer {
	b.Helper()
	return optional[cloud.Offerer](b, "Offerer")
}

// noOffers demands that nothing fits; a cloud may find the wish itself wrong.
func (b *bench) noOffers(which string, s cloud.Spec) {
	b.Helper()
	offers, err := b.offerer().Offers(b.ctx, s)
	if err != nil {
		b.wantCode("Offers "+which, err, cloud.Invalid)
	}
	b.same("offers "+which, offers, []cloud.Offer{})
}
