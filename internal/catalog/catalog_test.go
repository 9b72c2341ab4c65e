package catalog_test

import (
	"slices"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
)

func load(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestInstanceType(t *testing.T) {
	t.Parallel()
	c := load(t)
	type shape struct {
		name  string
		model gpu.Model
		gpus  string
		mib   int64
		vcpus int64
		quota string
	}
	for _, want := range []shape{
		{"g6f.large", "L4", "1/8", 2861, 2, "L-DB2E81BA"},
		{"g6f.xlarge", "L4", "1/8", 2861, 4, "L-DB2E81BA"},
		{"g6f.2xlarge", "L4", "1/4", 5722, 8, "L-DB2E81BA"},
		{"g6f.4xlarge", "L4", "1/2", 11444, 16, "L-DB2E81BA"},
		{"gr6f.4xlarge", "L4", "1/2", 11444, 16, "L-DB2E81BA"},
		{"g6.xlarge", "L4", "1", 22888, 4, "L-DB2E81BA"},
		{"g5.48xlarge", "A10G", "8", 22888, 192, "L-DB2E81BA"},
		{"p4d.24xlarge", "A100-SXM4-40GB", "8", 40960, 96, "L-417A185B"},
		{"p5.48xlarge", "H100-SXM5-80GB", "8", 81920, 192, "L-417A185B"},
		{"p5.4xlarge", "H100-SXM5-80GB", "1", 81920, 16, "L-417A185B"},
		{"p6-b200.48xlarge", "B200-SXM-180GB", "8", 183359, 192, "L-417A185B"},
	} {
		it, ok := c.InstanceType("aws", want.name)
		got := shape{it.Name, it.GPUModel, it.GPUs.String(), it.GPUMemoryMiB, it.VCPUs, it.Quota}
		if !ok || it.Cloud != "aws" || got != want {
			t.Errorf("InstanceType(%s) = %+v, %t, want %+v", want.name, it, ok, want)
		}
	}
}

func TestInstanceTypeNotListed(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, at := range [][2]string{{"aws", "p5"}, {"aws", ""}, {"aws", "m5.large"}, {"nowhere", "p5.48xlarge"}, {"", "p5.48xlarge"}} {
		if it, ok := c.InstanceType(at[0], at[1]); ok {
			t.Errorf("InstanceType(%q, %q) = %+v, want none", at[0], at[1], it)
		}
	}
	if got := c.InstanceTypes("nowhere"); len(got) != 0 {
		t.Errorf("a cloud without rows has %d types", len(got))
	}
}

func TestGPUModel(t *testing.T) {
	t.Parallel()
	c := load(t)
	m, ok := c.GPUModel("H100-SXM5-80GB")
	if !ok || m.Vendor != "NVIDIA" || m.MemoryGB != 80 || !m.ID.In("H100") {
		t.Errorf("GPUModel(H100-SXM5-80GB) = %+v, %t", m, ok)
	}
	if m, ok := c.GPUModel("H100"); ok {
		t.Errorf("GPUModel(H100) = %+v, but a family is no model", m)
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	c := load(t)
	for name, want := range map[string]string{
		"p5.48xlarge":  "55.04 USD",
		"p4d.24xlarge": "21.957642 USD",
		"g6.xlarge":    "0.8048 USD",
		"g6f.large":    "0.202 USD",
	} {
		if p, ok := c.Price("aws", "us-east-1", name, catalog.OnDemand); !ok || p.PerHour.String() != want {
			t.Errorf("Price of %s = %s, %t, want %s", name, p.PerHour, ok, want)
		}
	}
	for what, at := range map[string][4]string{
		"another region":      {"aws", "us-east-2", "p5.48xlarge", catalog.OnDemand},
		"no region":           {"aws", "", "p5.48xlarge", catalog.OnDemand},
		"another kind":        {"aws", "us-east-1", "p5.48xlarge", "block"},
		"a type without one":  {"aws", "us-east-1", "p5e.48xlarge", catalog.OnDemand},
		"a type not listed":   {"aws", "us-east-1", "m5.large", catalog.OnDemand},
		"a cloud not listed":  {"nowhere", "us-east-1", "p5.48xlarge", catalog.OnDemand},
		"a zone for a region": {"aws", "us-east-1a", "p5.48xlarge", catalog.OnDemand},
	} {
		if p, ok := c.Price(at[0], at[1], at[2], at[3]); ok {
			t.Errorf("%s: Price = %s, want unknown", what, p.PerHour)
		}
	}
}

func TestRegions(t *testing.T) {
	t.Parallel()
	c := load(t)
	regions := c.Regions("aws")
	if !slices.IsSorted(regions) || !slices.Contains(regions, "us-east-1") || !slices.Contains(regions, "eu-north-1") {
		t.Errorf("Regions = %v", regions)
	}
	if got := c.Regions("nowhere"); len(got) != 0 {
		t.Errorf("regions of a cloud without rows = %v", got)
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, want := range []struct {
		region     string
		perAccount bool
		names, ids []string
	}{
		{
			"us-east-1", true,
			[]string{"us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1e", "us-east-1f"},
			[]string{"use1-az2", "use1-az4", "use1-az6", "use1-az1", "use1-az3", "use1-az5"},
		},
		{
			"eu-central-1", false,
			[]string{"eu-central-1a", "eu-central-1b", "eu-central-1c"},
			[]string{"euc1-az2", "euc1-az3", "euc1-az1"},
		},
		{"moon-1", false, nil, nil},
	} {
		var names, ids []string
		for _, z := range c.Zones("aws", want.region) {
			names, ids = append(names, z.Name), append(ids, z.ID)
			if z.PerAccount != want.perAccount {
				t.Errorf("%s names zones per account: %t", z.Name, z.PerAccount)
			}
		}
		if !slices.Equal(names, want.names) || !slices.Equal(ids, want.ids) {
			t.Errorf("zones of %s = %v with ids %v, want %v with %v", want.region, names, ids, want.names, want.ids)
		}
	}
}

func TestOffered(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, w := range []struct {
		what, zone, instanceType string
		known, offered           bool
	}{
		{"a zone id that offers it", "use1-az6", "p6-b200.48xlarge", true, true},
		{"a zone id that does not", "use1-az2", "p6-b200.48xlarge", true, false},
		{"a name per account where zones differ", "us-east-1c", "p6-b200.48xlarge", false, false},
		{"a name per account where zones differ, the other side", "us-east-1a", "p6-b200.48xlarge", false, false},
		{"a name per account where all offer it", "us-east-1a", "p5.48xlarge", true, true},
		{"a name per account where none does", "us-west-1a", "p4d.24xlarge", true, false},
		{"a uniform name that offers it", "eu-north-1b", "p5.48xlarge", true, true},
		{"a uniform name that does not", "eu-north-1b", "p5en.48xlarge", true, false},
		{"a uniform name in a region that does not", "af-south-1b", "p5.48xlarge", true, false},
		{"a zone without any listed type", "af-south-1a", "g4dn.xlarge", true, false},
		{"a price but no zone, by id", "use1-az6", "p6-b300.48xlarge", false, false},
		{"a price but no zone, by name", "us-east-1a", "p6-b300.48xlarge", false, false},
		{"a fraction", "us-east-2a", "g6f.large", true, true},
		{"a type no zone lists", "us-east-2a", "g7.2xlarge", false, false},
		{"a type not in the catalog", "us-east-2a", "m5.large", false, false},
		{"a zone not in the catalog", "us-east-1-atl-1a", "p5.48xlarge", false, false},
		{"a region for a zone", "us-east-1", "p5.48xlarge", false, false},
	} {
		if known, offered := c.Offered("aws", w.zone, w.instanceType); known != w.known || offered != w.offered {
			t.Errorf("%s: Offered(%s, %s) = %t, %t, want %t, %t", w.what, w.zone, w.instanceType, known, offered, w.known, w.offered)
		}
	}
	if known, _ := c.Offered("nowhere", "us-east-2a", "g6f.large"); known {
		t.Error("a cloud without rows knows a zone")
	}
}

func BenchmarkLookUp(b *testing.B) {
	c, err := catalog.Load()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, it := range c.InstanceTypes("aws") {
			c.Price("aws", "us-east-1", it.Name, catalog.OnDemand)
			c.Offered("aws", "us-west-2a", it.Name)
		}
	}
}
