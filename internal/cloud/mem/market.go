package mem

import (
	"context"
	"fmt"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// unset is why a price is not known.
const unset = "the in-memory cloud was not told"

// Market implements cloud.MarketReader with what SetSignal has set.
func (c *Cloud) Market(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
	call := cloud.Call{Method: "Market", Account: query.Account, Region: query.Region, Repeatable: true}
	return do(ctx, c, call, func() ([]cloud.Signal, error) {
		if _, err := c.accountID(query.Account); err != nil {
			return nil, err
		}
		zones, err := marketZones(query)
		if err != nil {
			return nil, err
		}
		var signals []cloud.Signal
		for _, name := range query.InstanceTypes {
			_, missing := shapeOf("Market", name)
			if missing != nil && len(query.Zones) == 0 {
				continue
			}
			for _, zone := range zones {
				offered := missing == nil
				signals = append(signals, c.signal(cloud.Signal{
					Region: query.Region, Zone: zone, InstanceType: name, Offered: &offered,
				}))
			}
		}
		return signals, nil
	})
}

// marketZones are the zones to tell of, sorted.
func marketZones(query cloud.MarketQuery) ([]string, error) {
	known := zonesOf(query.Region)
	if len(known) == 0 {
		return nil, invalid("Market", []cloud.Problem{{
			Attribute: cloud.AttrRegion, Detail: fmt.Sprintf("%q is not a region", query.Region),
		}})
	}
	if len(query.Zones) == 0 {
		return known, nil
	}
	for _, zone := range query.Zones {
		if !slices.Contains(known, zone) {
			return nil, invalid("Market", []cloud.Problem{{
				Attribute: cloud.AttrZone, Detail: fmt.Sprintf("%q is not a zone of %s", zone, query.Region),
			}})
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(query.Zones))), nil
}

// signal adds to s what is set, and why the rest is unknown.
func (c *Cloud) signal(s cloud.Signal) cloud.Signal {
	for _, set := range c.signals {
		if set.Zone != s.Zone || set.InstanceType != s.InstanceType {
			continue
		}
		s.OnDemand, s.Spot, s.SpotAt, s.SpotScore = copied(set.OnDemand), copied(set.Spot), set.SpotAt, copied(set.SpotScore)
		if set.Offered != nil {
			s.Offered = copied(set.Offered)
		}
	}
	s.Unknown = map[cloud.SignalField]string{}
	for field, known := range map[cloud.SignalField]bool{
		cloud.SignalOnDemand: s.OnDemand != nil, cloud.SignalSpot: s.Spot != nil, cloud.SignalSpotScore: s.SpotScore != nil,
	} {
		if !known {
			s.Unknown[field] = unset
		}
	}
	return s
}
