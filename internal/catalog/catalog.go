package catalog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
)

// Catalog is a loaded set of rows. It does not change and may be shared by
// goroutines.
type Catalog struct {
	models map[gpu.Model]GPUModel
	clouds map[string]*offers
}

// offers is what one cloud sells.
type offers struct {
	types  map[string]InstanceType
	prices map[priceKey]Price
	zones  map[string][]zone // by region, in order of their names
	places map[string]place  // by zone name and by zone id
	zoned  map[string]bool   // the types that at least one zone lists
}

func newOffers() *offers {
	return &offers{
		types:  make(map[string]InstanceType),
		prices: make(map[priceKey]Price),
		zones:  make(map[string][]zone),
		places: make(map[string]place),
		zoned:  make(map[string]bool),
	}
}

type priceKey struct{ region, instanceType, kind string }

type zone struct {
	Zone
	types []string
}

func (z zone) offers(instanceType string) bool { return slices.Contains(z.types, instanceType) }

// place is what a zone's name or id leads to; zero for a name that stands in
// several regions.
type place struct {
	zone  zone
	exact bool // it means the same zone in every account
}

// GPUModel is the accelerator with this id.
func (c *Catalog) GPUModel(id gpu.Model) (GPUModel, bool) {
	m, ok := c.models[id]
	return m, ok
}

// InstanceType is the named type of a cloud.
func (c *Catalog) InstanceType(cloud, name string) (InstanceType, bool) {
	t, ok := c.of(cloud).types[name]
	return t, ok
}

// InstanceTypes is every type of a cloud, by name.
func (c *Catalog) InstanceTypes(cloud string) []InstanceType {
	return slices.SortedFunc(maps.Values(c.of(cloud).types), func(a, b InstanceType) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// Price is the list price of one instance of a type, reserved under a kind, in
// that very region. Not found means unknown: another region's price is no
// answer.
func (c *Catalog) Price(cloud, region, instanceType, kind string) (Price, bool) {
	p, ok := c.of(cloud).prices[priceKey{region, instanceType, kind}]
	return p, ok
}

// Regions is every region whose zones are known, by name.
func (c *Catalog) Regions(cloud string) []string {
	return slices.Sorted(maps.Keys(c.of(cloud).zones))
}

// Zones is the known zones of a region, by name. In a region that names zones
// per account the list is one account's; others may have fewer or more.
func (c *Catalog) Zones(cloud, region string) []Zone {
	rows := c.of(cloud).zones[region]
	zones := make([]Zone, len(rows))
	for i, z := range rows {
		zones[i] = z.Zone
	}
	return zones
}

// Offered tells whether a zone, given by name or id, offers a type. It is known
// only if the zone is listed under a name that is not that of a zone of another
// region too, and some zone of the cloud lists the type; where a
// name means another zone in another account, only if all zones of the region
// agree; and never where the region has a price for the type but no zone of it
// lists the type, because then the rows contradict each other. Offered is no
// promise of capacity.
func (c *Catalog) Offered(cloud, zone, instanceType string) (known, offered bool) {
	o := c.of(cloud)
	p, ok := o.places[zone]
	if !ok || p.zone.Name == "" || !o.zoned[instanceType] {
		return false, false
	}
	region := p.zone.Region
	in, all := 0, len(o.zones[region])
	for _, z := range o.zones[region] {
		if z.offers(instanceType) {
			in++
		}
	}
	_, priced := o.prices[priceKey{region, instanceType, OnDemand}]
	if in == 0 && priced || !p.exact && in != 0 && in != all {
		return false, false
	}
	return true, p.zone.offers(instanceType)
}

func (c *Catalog) of(cloud string) *offers {
	if o, ok := c.clouds[cloud]; ok {
		return o
	}
	return &offers{}
}
