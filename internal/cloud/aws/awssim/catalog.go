package awssim

import (
	"bytes"
	_ "embed" // the data file
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed data/ec2.json
var ec2Data []byte

// catalog is what this AWS consists of. It is read-only.
type catalog struct {
	Regions map[string]regionData `json:"regions"`
	// Offerings: region, instance type, the last letters of its zones.
	Offerings map[string]map[string]string `json:"offerings"`
	// Types are instance types by element name, as DescribeInstanceTypes
	// shows them.
	Types  map[string]map[string]any `json:"types"`
	Source string                    `json:"source"`
	// BlockRates are the prices of capacity blocks.
	BlockRates blockRates `json:"-"`
}

type regionData struct {
	OptIn string            `json:"opt_in"`
	Zones map[string]string `json:"zones"` // name to id
}

// loadCatalog reads the embedded data, once per process.
var loadCatalog = sync.OnceValues(func() (*catalog, error) {
	decoder := json.NewDecoder(bytes.NewReader(ec2Data))
	decoder.UseNumber()
	c := &catalog{}
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("embedded data: %w", err)
	}
	var err error
	if c.BlockRates, err = readBlockRates(blockRateData); err != nil {
		return nil, fmt.Errorf("embedded data: %w", err)
	}
	return c, nil
})

// zone finds a zone of a region by its name or its id.
func (c *catalog) zone(region, name string) (zone, id string, found bool) {
	for zone, id := range c.Regions[region].Zones {
		if zone == name || id == name {
			return zone, id, true
		}
	}
	return "", "", false
}

// zones lists a region's zones in order.
func (c *catalog) zones(region string) []string {
	return slices.Sorted(maps.Keys(c.Regions[region].Zones))
}

// zonesOf lists the zones of a region that offer a type, in order.
func (c *catalog) zonesOf(region, instanceType string) []string {
	var zones []string
	for _, letter := range c.Offerings[region][instanceType] {
		zones = append(zones, region+string(letter))
	}
	return zones
}

func (c *catalog) offered(region, zone, instanceType string) bool {
	return slices.Contains(c.zonesOf(region, instanceType), zone)
}

// typesIn lists the types offered anywhere in a region, in order.
func (c *catalog) typesIn(region string) []string {
	return slices.Sorted(maps.Keys(c.Offerings[region]))
}

// lookup follows element names into a type; lists give each of their values.
func (c *catalog) lookup(instanceType string, path ...string) []string {
	return leaves(c.Types[instanceType], path)
}

func leaves(value any, path []string) []string {
	if list, ok := value.([]any); ok {
		var all []string
		for _, entry := range list {
			all = append(all, leaves(entry, path)...)
		}
		return all
	}
	if len(path) == 0 {
		return []string{fmt.Sprint(value)}
	}
	fields, ok := value.(map[string]any)
	if !ok || fields[path[0]] == nil {
		return nil
	}
	return leaves(fields[path[0]], path[1:])
}

// vcpus is the number that quotas count.
func (c *catalog) vcpus(instanceType string) int {
	return c.whole(instanceType, "vCpuInfo", "defaultVCpus")
}

// whole is the integer at a path, the last one of a list.
func (c *catalog) whole(instanceType string, path ...string) int {
	n := 0
	for _, v := range c.lookup(instanceType, path...) {
		// The data is checked by a test; a type without is counted as none.
		_, _ = fmt.Sscan(v, &n)
	}
	return n
}

// family is the letters that name a type's line: "p" of p5.48xlarge.
func family(instanceType string) string {
	end := strings.IndexFunc(instanceType, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		return instanceType
	}
	return instanceType[:end]
}
