package cloudtest

import (
	"cmp"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func marketChecks() []check {
	return []check{
		{name: "one-each", once: true, run: func(b *bench) {
			seen := map[[2]string]bool{}
			for _, s := range b.market(b.query()) {
				if at := [2]string{s.InstanceType, s.Zone}; s.Zone == "" || s.Region != b.query().Region || seen[at] {
					b.Errorf("signal of %s in %q, %q: of no zone, of another region, or a second one", s.InstanceType, s.Zone, s.Region)
				} else {
					seen[at] = true
				}
			}
		}},
		{name: "order", once: true, run: func(b *bench) {
			query := b.query()
			query.InstanceTypes = append(query.InstanceTypes, b.otherType())
			for range 2 {
				slices.Reverse(query.InstanceTypes)
				all := b.market(query)
				if !slices.IsSortedFunc(all, func(x, y cloud.Signal) int {
					return cmp.Or(cmp.Compare(slices.Index(query.InstanceTypes, x.InstanceType), slices.Index(query.InstanceTypes, y.InstanceType)),
						cmp.Compare(x.Zone, y.Zone))
				}) {
					b.Errorf("the signals of %v are not by type, then by zone: %+v", query.InstanceTypes, all)
				}
			}
		}},
		{name: "these-zones", once: true, run: func(b *bench) {
			query := b.query()
			want := b.market(query)[:1]
			query.Zones = []string{want[0].Zone}
			b.same("signals of one zone", b.market(query), want)
		}},
		{name: "unknown-type", once: true, run: func(b *bench) {
			query := b.query()
			query.Zones = []string{b.market(query)[0].Zone}
			want := b.market(query)
			query.InstanceTypes = append(query.InstanceTypes, "x9.nosuchtype")
			got := b.market(query)
			if len(got) != 2 || (got[1].Offered != nil && *got[1].Offered) {
				b.Fatalf("signals of a type and one that does not exist: %+v", got)
			}
			b.same("the signal of the type beside one that does not exist", got[:1], want)
		}},
		{name: "reasons", once: true, run: func(b *bench) {
			for _, s := range b.market(b.query()) {
				b.reasoned(s)
			}
		}},
	}
}

// query asks for the wished type wherever it is offered.
func (b *bench) query() cloud.MarketQuery {
	b.Helper()
	s := b.wish()
	return cloud.MarketQuery{Account: s.Account, Region: s.Region, InstanceTypes: []string{s.InstanceType}, Count: s.Count}
}

// market are the signals of a query for a type that can be reserved, never none.
func (b *bench) market(query cloud.MarketQuery) []cloud.Signal {
	b.Helper()
	all, err := optional[cloud.MarketReader](b, "MarketReader").Market(b.ctx, query)
	if err != nil || len(all) == 0 {
		b.Fatalf("Market(%+v) = %d signals, %v", query, len(all), err)
	}
	return all
}

// otherType is a type that the wish does not name.
func (b *bench) otherType() string {
	b.Helper()
	s := b.wish()
	all, err := optional[cloud.TypeDescriber](b, "TypeDescriber").InstanceTypes(b.ctx, s.Account, s.Region)
	if err != nil {
		b.Fatalf("InstanceTypes: %v", err)
	}
	for _, t := range all {
		if t.Name != s.InstanceType {
			return t.Name
		}
	}
	b.Skipf("not checked: there is only one type")
	return ""
}

// reasoned demands a reason for what is nil, and none for what is known.
func (b *bench) reasoned(s cloud.Signal) {
	b.Helper()
	for field, known := range map[cloud.SignalField]bool{
		cloud.SignalOffered: s.Offered != nil, cloud.SignalOnDemand: s.OnDemand != nil,
		cloud.SignalSpot: s.Spot != nil, cloud.SignalSpotScore: s.SpotScore != nil,
	} {
		if reason := s.Unknown[field]; known != (reason == "") {
			b.Errorf("%s of %s in %s: known is %v, the reason for not knowing is %q", field, s.InstanceType, s.Zone, known, reason)
		}
	}
	if (s.Spot != nil) == s.SpotAt.IsZero() {
		b.Errorf("spot price %v was set at %v", s.Spot, s.SpotAt)
	}
	if score := s.SpotScore; score != nil && (*score < 1 || *score > 10) {
		b.Errorf("spot score is %d", *score)
	}
}
