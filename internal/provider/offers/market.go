package offers

import (
	"context"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// The values of price_source.
const (
	fromList    = "price_list"
	fromCatalog = "catalog"
)

// market is what is told of each zone. Where nothing can be read at all, each
// zone that is asked for, or that the catalog knows to have the type, has the
// reason.
func (s *search) market(ctx context.Context) []cloud.Signal {
	signals, err := s.p.Manager.Market(ctx, s.cloud, cloud.MarketQuery{
		Account: s.wished.Account, Region: s.wished.Region, Zones: s.zones, InstanceTypes: s.types, Count: s.wished.Count,
	})
	if err == nil {
		return signals
	}
	why := reason(err)
	for _, instanceType := range s.types {
		for _, zone := range s.places(instanceType) {
			signals = append(signals, cloud.Signal{
				Region: s.wished.Region, Zone: zone, InstanceType: instanceType,
				Unknown: map[cloud.SignalField]string{
					cloud.SignalOffered: why, cloud.SignalOnDemand: why, cloud.SignalSpot: why, cloud.SignalSpotScore: why,
				},
			})
		}
	}
	return signals
}

// places are the zones to tell of where the cloud names none, or no zone.
func (s *search) places(instanceType string) []string {
	if len(s.zones) > 0 {
		return s.zones
	}
	var zones []string
	for _, z := range s.catalog.Zones(s.cloud, s.wished.Region) {
		if known, offered := s.catalog.Offered(s.cloud, z.Name, instanceType); known && offered {
			zones = append(zones, z.Name)
		}
	}
	if len(zones) == 0 {
		return []string{""}
	}
	return zones
}

// price adds the on-demand price of one instance: the cloud's own, else the
// catalog's, which holds in the zones that the catalog knows.
func (s *search) price(told cloud.Signal) priced {
	p := priced{Signal: told, price: told.OnDemand, source: fromList}
	if p.price != nil {
		return p
	}
	p.source, p.why = "", told.Unknown[cloud.SignalOnDemand]
	if told.Offered != nil && !*told.Offered || !s.pricedIn(told.Zone) {
		return p
	}
	if listed, ok := s.catalog.Price(s.cloud, told.Region, told.InstanceType, catalog.OnDemand); ok {
		p.price, p.source, p.why = &listed.PerHour, fromCatalog, ""
	}
	return p
}

// pricedIn tells whether the catalog's prices of the region hold in a zone.
func (s *search) pricedIn(zone string) bool {
	return zone == "" || slices.ContainsFunc(s.catalog.Zones(s.cloud, s.wished.Region), func(z catalog.Zone) bool { return z.Name == zone })
}

// listed is what a zone has at the list price.
func (s *search) listed(p priced) found {
	f := found{why: p.why, Offer: cloud.Offer{
		Kind: cloud.OnDemand, Region: p.Region, Zone: p.Zone, InstanceType: p.InstanceType, Count: s.wished.Count,
	}}
	if p.price == nil {
		return f
	}
	total, err := p.price.Mul(int64(s.wished.Count))
	if err != nil {
		f.why = err.Error()
		return f
	}
	f.perHour = &total
	return f
}
