package cloudtest

import (
	"cmp"
	"slices"

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
			b.same("paid upfront", r.PaidUpfront, &o.Upfront)
			if r.UsableUntil.IsZero() || r.UsableUntil.After(r.EndsAt) {
				b.Errorf("usable until %v, ends %v", r.UsableUntil, r.EndsAt)
			}
		}},
		{name: "unknown", of: traits{byOffer}, run: func(b *bench) {
			req := b.request("unknown", b.wish())
			req.Spec.OfferID = "no-such-offer"
			_, err := b.try(req)
			if e := b.classed("Create", err, cloud.Invalid, cloud.NoCapacity); e.Accepted {
				b.Errorf("%v says that it may have been accepted", e)
			}
		}},
	}
}

func cheapestFirst(b *bench) {
	offers := b.offers(b.Wishes[b.kind])
	if len(offers) < 2 {
		b.Fatalf("the harness's wish fits %d offers: their order cannot be told", len(offers))
	}
	if !slices.IsSortedFunc(offers, func(x, y cloud.Offer) int {
		return cmp.Compare(x.Upfront.Micros, y.Upfront.Micros)
	}) {
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
