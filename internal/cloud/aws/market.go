package aws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// corner is one type in one zone.
type corner struct{ zone, instanceType string }

// told is what one source tells of the market.
type told[V any] struct {
	at map[corner]V
	// failed holds, by type, why nothing is known of it; "" is every type.
	failed map[string]error
}

func newTold[V any]() told[V] { return told[V]{at: map[corner]V{}, failed: map[string]error{}} }

// why is the reason for which a source is silent about a type; silent stands for
// an answer that leaves it out.
func (t told[V]) why(instanceType, silent string) string {
	for _, of := range []string{instanceType, ""} {
		if err := t.failed[of]; err != nil {
			return reason(err)
		}
	}
	return silent
}

// reason says in short why a source told nothing.
func reason(err error) string {
	switch cloud.CodeOf(err) {
	case cloud.PermissionDenied:
		return "no permission: " + err.Error()
	case cloud.Throttled:
		return "throttled: " + err.Error()
	}
	return err.Error()
}

// market is what all sources tell of one query.
type market struct {
	place *place
	query cloud.MarketQuery
	// zones are the names of the region's zones by their id.
	zones   map[string]string
	offered told[bool]
	list    told[money.Money]
	spot    told[spotPrice]
	scores  told[int]
}

// Market implements cloud.MarketReader. Offerings and spot prices come in pages
// for all types at once; list prices and scores take one call for each type that
// the region offers.
func (c *Cloud) Market(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
	p, err := c.place(ctx, query.Account, query.Region)
	if err != nil {
		return nil, err
	}
	query.Count = max(1, query.Count)
	m := &market{place: p, query: query, offered: p.offerings(ctx, query.InstanceTypes)}
	types := m.asked()
	var zonesErr error
	if m.zones, zonesErr = p.zones(ctx); zonesErr != nil && len(query.Zones) == 0 && m.offered.failed[""] != nil {
		return nil, m.offered.failed[""]
	}
	m.list = p.listPrices(ctx, types)
	m.spot = p.spotPrices(ctx, c.clock.Now(), types)
	m.scores = p.spotScores(ctx, m.zones, zonesErr, types, query.Count)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("market of %s: %w", p.region, ctx.Err())
	}
	return m.signals()
}

// asked are the types worth asking about: a source may refuse a call for one
// that the region does not know.
func (m *market) asked() []string {
	if m.offered.failed[""] != nil {
		return slices.Concat(wellFormed(m.query.InstanceTypes)...)
	}
	known := map[string]bool{}
	for at := range m.offered.at {
		known[at.instanceType] = true
	}
	return slices.DeleteFunc(slices.Clone(m.query.InstanceTypes), func(t string) bool { return !known[t] })
}

// signals are in the order of the query's types, then of the zones. If no source
// told anything, the first one's failure is the error.
func (m *market) signals() ([]cloud.Signal, error) {
	all := []cloud.Signal{}
	known := 0
	for _, instanceType := range m.query.InstanceTypes {
		for _, zone := range m.zonesOf(instanceType) {
			s := m.signal(corner{zone, instanceType})
			known += 4 - len(s.Unknown)
			all = append(all, s)
		}
	}
	if err := m.offered.failed[""]; err != nil && known == 0 {
		return nil, err
	}
	return all, nil
}

// zonesOf are the zones to tell of: those of the query, else those that offer the
// type, else all.
func (m *market) zonesOf(instanceType string) []string {
	var zones []string
	switch {
	case len(m.query.Zones) > 0:
		zones = slices.Clone(m.query.Zones)
	case m.offered.failed[""] != nil:
		zones = slices.Collect(maps.Values(m.zones))
	default:
		for at := range m.offered.at {
			if at.instanceType == instanceType {
				zones = append(zones, at.zone)
			}
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

func (m *market) signal(at corner) cloud.Signal {
	s := cloud.Signal{
		Region: m.place.region, Zone: at.zone, InstanceType: at.instanceType, Unknown: map[cloud.SignalField]string{},
	}
	offered := m.offered.at[at]
	if err := m.offered.failed[""]; err != nil {
		s.Unknown[cloud.SignalOffered] = reason(err)
	} else {
		s.Offered = &offered
	}
	if s.Offered != nil && !offered {
		for _, field := range []cloud.SignalField{cloud.SignalOnDemand, cloud.SignalSpot, cloud.SignalSpotScore} {
			s.Unknown[field] = at.instanceType + " is not offered in " + at.zone
		}
		return s
	}
	m.listPrice(&s, at)
	if spot, ok := m.spot.at[at]; ok {
		s.Spot, s.SpotAt = &spot.price, spot.at
	} else {
		s.Unknown[cloud.SignalSpot] = m.spot.why(at.instanceType, "AWS shows no spot price here")
	}
	if score, ok := m.scores.at[at]; ok {
		s.SpotScore = &score
	} else {
		s.Unknown[cloud.SignalSpotScore] = m.scores.why(at.instanceType, "AWS gives this zone no score")
	}
	return s
}

// listPrice is the region's: zones outside of it (Local Zones, Wavelength Zones)
// have prices of their own.
func (m *market) listPrice(s *cloud.Signal, at corner) {
	price, ok := m.list.at[corner{instanceType: at.instanceType}]
	switch {
	case len(strings.TrimPrefix(at.zone, m.place.region)) != 1:
		s.Unknown[cloud.SignalOnDemand] = at.zone + " is no Availability Zone; the price list of the region does not hold there"
	case ok:
		s.OnDemand = &price
	default:
		s.Unknown[cloud.SignalOnDemand] = m.list.why(at.instanceType, "no price is listed")
	}
}
