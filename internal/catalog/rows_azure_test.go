package catalog_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
)

func TestEveryAzureInstanceType(t *testing.T) {
	t.Parallel()
	c := load(t)
	types := c.InstanceTypes("azure")
	if want := 40; len(types) != want {
		t.Errorf("%d types, want %d", len(types), want)
	}
	fractions := map[string]string{}
	for _, it := range types {
		checkProvenance(t, it.Name, it.Provenance)
		checkAzureShape(t, it)
		if isFractional(it) {
			fractions[strings.TrimPrefix(it.Name, "Standard_")] = it.GPUs.String()
		}
		// The unit of every family's quota, whose name has the series' letters.
		if it.Quota != "" && (it.QuotaClass != "vCPUs" || !strings.HasSuffix(it.Quota, "Family") || !strings.Contains(it.Quota, it.Name[9:11])) {
			t.Errorf("%s draws on %s %q", it.Name, it.QuotaClass, it.Quota)
		}
	}
	// As the pages of the three series give them.
	want := map[string]string{
		"NV6ads_A10_v5": "1/6", "NV12ads_A10_v5": "1/3", "NV18ads_A10_v5": "1/2",
		"NV4ads_V710_v5": "1/6", "NV8ads_V710_v5": "1/3", "NV12ads_V710_v5": "1/2",
		"NG8ads_V620_v1": "1/4", "NG16ads_V620_v1": "1/2",
	}
	if !maps.Equal(fractions, want) {
		t.Errorf("fractions: %v, want %v", fractions, want)
	}
}

// checkAzureShape holds name, vCPUs and memory to what GPU sizes have; the first
// number of a name is that of its vCPUs.
func checkAzureShape(t *testing.T, it catalog.InstanceType) {
	t.Helper()
	name := regexp.MustCompile(`^Standard_N[CDGV]+([0-9]+)[A-Za-z0-9_]*_v[1-6]$`).FindStringSubmatch(it.Name)
	if name == nil || name[1] != strconv.FormatInt(it.VCPUs, 10) {
		t.Errorf("%q is no name of a GPU size with %d vCPUs", it.Name, it.VCPUs)
	}
	if per := it.MemoryMiB / it.VCPUs; it.MemoryMiB%1024 != 0 || per < 2<<10 || per > 25<<10 {
		t.Errorf("%s has %d MiB for %d vCPUs", it.Name, it.MemoryMiB, it.VCPUs)
	}
	for _, retired := range []string{"NC6s_v3", "NC12s_v3", "NC24s_v3", "NC24rs_v3", "NV12s_v3", "NV24s_v3", "NV48s_v3", "as_v4"} {
		if strings.HasSuffix(it.Name, retired) {
			t.Errorf("%s was retired", it.Name)
		}
	}
}

func TestEveryAzurePrice(t *testing.T) {
	t.Parallel()
	c := load(t)
	known := map[string]int{}
	for _, it := range c.InstanceTypes("azure") {
		for _, region := range c.Regions("azure") {
			if p, ok := c.Price("azure", region, it.Name, catalog.OnDemand); ok {
				known[region]++
				checkPrice(t, it, p)
				checkCheaper(t, c, region, it, p)
			}
		}
	}
	if want := (map[string]int{"australiaeast": 1, "centralus": 1, "eastus": 27}); !maps.Equal(known, want) {
		t.Errorf("known prices by region: %v, want %v", known, want)
	}
	if p, ok := c.Price("azure", "eastus", "Standard_NC4as_T4_v3", catalog.OnDemand); !ok || p.PerHour.String() != "0.526 USD" {
		t.Errorf("Price of Standard_NC4as_T4_v3 = %s, %t", p.PerHour, ok)
	}
}

// TestEveryAzureZone holds zones to the numbers that Azure gives them per
// subscription. Which sizes a zone has is not known: the SKU list tells it.
func TestEveryAzureZone(t *testing.T) {
	t.Parallel()
	c := load(t)
	regions := c.Regions("azure")
	if want := 38; len(regions) != want {
		t.Errorf("%d regions, want %d: %v", len(regions), want, regions)
	}
	for _, region := range regions {
		var names, ids []string
		for _, z := range c.Zones("azure", region) {
			checkProvenance(t, region+" "+z.Name, z.Provenance)
			names, ids = append(names, z.Name), append(ids, z.ID)
			if !z.PerAccount || z.Region != region {
				t.Errorf("zone %+v in region %s", z, region)
			}
		}
		slices.Sort(ids)
		if !slices.Equal(names, []string{"1", "2", "3"}) || !slices.Equal(ids, []string{region + "-az1", region + "-az2", region + "-az3"}) {
			t.Errorf("zones of %s: %v with ids %v", region, names, ids)
		}
	}
	for _, zone := range []string{"1", "eastus-az1"} {
		if known, _ := c.Offered("azure", zone, "Standard_NC4as_T4_v3"); known {
			t.Errorf("what zone %s has is known", zone)
		}
	}
}
