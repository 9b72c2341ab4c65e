package azure

import (
	"context"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// noScore is why there is none: the placement scores of spot machines are another
// service's.
const noScore = "Azure's placement scores are not read"

var _ cloud.MarketReader = (*Cloud)(nil)

// Market implements cloud.MarketReader: which zones offer a size, and what it costs
// by the public price list. Prices are of the whole location.
func (c *Cloud) Market(ctx context.Context, query cloud.MarketQuery) ([]cloud.Signal, error) {
	if len(query.InstanceTypes) == 0 {
		return []cloud.Signal{}, nil
	}
	if !locationForm.MatchString(query.Region) {
		return nil, notLocation(opSizes, query.Region)
	}
	cl, err := c.inAccount(ctx, query.Account)
	if err != nil {
		return nil, err
	}
	sizes, sizesErr := cl.sizes(ctx, query.Region)
	rows, pricesErr := c.prices(ctx, cl, query.Region, query.InstanceTypes)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if sizesErr != nil && (pricesErr != nil || len(query.Zones) == 0) {
		return nil, sizesErr
	}
	m := market{region: query.Region, sizes: sizes, sizesErr: sizesErr, rows: rows, pricesErr: pricesErr, now: c.now()}
	all := []cloud.Signal{}
	for _, name := range query.InstanceTypes {
		for _, zone := range m.zonesOf(query.Zones, name) {
			all = append(all, m.signal(zone, name))
		}
	}
	return all, nil
}

// now is the cloud's time, or this machine's where the cloud told none lately.
func (c *Cloud) now() time.Time {
	if now, ok := c.dates.Now(); ok {
		return now
	}
	return c.clock.Now()
}

// market is what was found out.
type market struct {
	region              string
	sizes               map[string]size
	rows                []priceRow
	sizesErr, pricesErr error
	now                 time.Time
}

// zonesOf are the zones to tell of: those of the query, else those that offer the
// size; "" is a location without zones.
func (m market) zonesOf(given []string, name string) []string {
	zones := slices.Clone(given)
	if len(zones) == 0 {
		of, ok := sized(m.sizes, name)
		if !ok {
			return nil
		}
		zones = slices.DeleteFunc(of.zones(m.region), func(zone string) bool { return !m.offers(zone, name) })
		if len(of.zones(m.region)) == 0 && m.offers("", name) {
			zones = []string{""}
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// offers tells whether the subscription can have the size in a zone; "" is the
// region as a whole.
func (m market) offers(zone, name string) bool {
	of, ok := sized(m.sizes, name)
	if !ok {
		return false
	}
	if _, closed := of.restricted(m.region); closed {
		return false
	}
	if zone == "" {
		return true
	}
	_, closed := of.restrictedIn(m.region, zone)
	return !closed && slices.Contains(of.zones(m.region), zone)
}

func (m market) signal(zone, name string) cloud.Signal {
	s := cloud.Signal{
		Region: m.region, Zone: zone, InstanceType: name,
		Unknown: map[cloud.SignalField]string{cloud.SignalSpotScore: noScore},
	}
	if m.sizesErr != nil {
		s.Unknown[cloud.SignalOffered] = "the sizes of " + m.region + " could not be read: " + cloud.Clean(m.sizesErr.Error())
	} else {
		offered := m.offers(zone, name)
		s.Offered = &offered
	}
	if price, _, ok := priceOf(m.rows, m.region, name, false, m.now); ok {
		s.OnDemand = &price
	} else {
		s.Unknown[cloud.SignalOnDemand] = m.noPrice(name)
	}
	if price, since, ok := priceOf(m.rows, m.region, name, true, m.now); ok {
		s.Spot, s.SpotAt = &price, since
	} else {
		s.Unknown[cloud.SignalSpot] = m.noPrice(name)
	}
	return s
}

func (m market) noPrice(name string) string {
	if m.pricesErr != nil {
		return "the list of prices could not be read: " + cloud.Clean(m.pricesErr.Error())
	}
	return "Azure's list has no one price of " + name + " in " + m.region
}
