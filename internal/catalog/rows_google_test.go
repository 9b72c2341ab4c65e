package catalog_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
)

func TestEveryGoogleInstanceType(t *testing.T) {
	t.Parallel()
	c := load(t)
	types := c.InstanceTypes("google")
	if want := 34; len(types) != want {
		t.Errorf("%d types, want %d", len(types), want)
	}
	// The metrics of a region's quotas; later families have none there.
	quotas := map[gpu.Model]string{
		"A100-SXM4-40GB": "NVIDIA_A100_GPUS", "A100-SXM4-80GB": "NVIDIA_A100_80GB_GPUS", "L4": "NVIDIA_L4_GPUS",
	}
	for _, it := range types {
		checkProvenance(t, it.Name, it.Provenance)
		checkGoogleGPUs(t, it)
		checkGoogleShape(t, it)
		if it.Quota != quotas[it.GPUModel] {
			t.Errorf("%s draws on %q", it.Name, it.Quota)
		}
	}
}

// checkGoogleGPUs holds the number of GPUs to the name, which ends in it for the
// A series; of the others only the three smallest G4 have less than one.
func checkGoogleGPUs(t *testing.T, it catalog.InstanceType) {
	t.Helper()
	named := regexp.MustCompile(`gpu-([0-9]+)g(-metal)?$`).FindStringSubmatch(it.Name)
	if named != nil && it.GPUs.String() != named[1] {
		t.Errorf("%s has %s GPUs", it.Name, it.GPUs)
	}
	fractional := map[string]string{"g4-standard-6": "1/8", "g4-standard-12": "1/4", "g4-standard-24": "1/2"}
	if want, ok := fractional[it.Name]; ok != isFractional(it) || ok && it.GPUs.String() != want {
		t.Errorf("%s has %s GPUs", it.Name, it.GPUs)
	}
	// vCPUs and memory of a G4 grow with its GPUs: 48 and 180 GiB for a whole one.
	if share, err := it.GPUs.Mul(48); strings.HasPrefix(it.Name, "g4-") && (err != nil || share != count(it.VCPUs)) {
		t.Errorf("%s has %d vCPUs for %s GPUs", it.Name, it.VCPUs, it.GPUs)
	}
}

// checkGoogleShape holds name, vCPUs and memory to what GPU types have.
func checkGoogleShape(t *testing.T, it catalog.InstanceType) {
	t.Helper()
	if !regexp.MustCompile(`^(a[234]x?-[a-z]+gpu-[0-9]+g(-metal)?|g[24]-standard-[0-9]+)$`).MatchString(it.Name) {
		t.Errorf("%q is no name of a GPU type", it.Name)
	}
	if it.VCPUs < 4 || it.VCPUs > 384 || it.VCPUs%2 != 0 {
		t.Errorf("%s has %d vCPUs", it.Name, it.VCPUs)
	}
	if per := it.MemoryMiB / it.VCPUs; it.MemoryMiB%1024 != 0 || per < 3<<10 || per > 18<<10 {
		t.Errorf("%s has %d MiB for %d vCPUs", it.Name, it.MemoryMiB, it.VCPUs)
	}
}

func TestEveryGooglePrice(t *testing.T) {
	t.Parallel()
	c := load(t)
	known := map[string]int{}
	for _, it := range c.InstanceTypes("google") {
		for _, region := range c.Regions("google") {
			if p, ok := c.Price("google", region, it.Name, catalog.OnDemand); ok {
				known[region]++
				checkPrice(t, it, p)
				checkCheaper(t, c, region, it, p)
			}
		}
	}
	if want := (map[string]int{"us-central1": 14, "us-east4": 5, "us-east5": 2}); !maps.Equal(known, want) {
		t.Errorf("known prices by region: %v, want %v", known, want)
	}
}

func TestEveryGoogleZone(t *testing.T) {
	t.Parallel()
	c := load(t)
	regions := c.Regions("google")
	if want := 28; len(regions) != want {
		t.Errorf("%d regions, want %d: %v", len(regions), want, regions)
	}
	for _, region := range regions {
		if !regexp.MustCompile(`^(africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]+[0-9]+$`).MatchString(region) {
			t.Errorf("%q is no region", region)
		}
		for _, z := range c.Zones("google", region) {
			checkProvenance(t, z.Name, z.Provenance)
			if z.Region != region || z.ID != z.Name || z.PerAccount || !regexp.MustCompile("^"+region+"-[a-f]$").MatchString(z.Name) {
				t.Errorf("zone %+v in region %s", z, region)
			}
		}
	}
}

func TestGoogleOffered(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, w := range []struct {
		zone, instanceType string
		known, offered     bool
	}{
		{"us-central1-a", "a3-highgpu-8g", true, true},
		{"us-central1-f", "a2-highgpu-8g", true, true},
		{"us-central1-f", "a3-highgpu-8g", true, false},
		{"us-east5-a", "a2-ultragpu-8g", true, true},
		{"us-central1-a", "g4-standard-6", false, false},
		{"us-central1-a", "n1-standard-8", false, false},
		{"us-central1-z", "a3-highgpu-8g", false, false},
	} {
		if known, offered := c.Offered("google", w.zone, w.instanceType); known != w.known || offered != w.offered {
			t.Errorf("Offered(%s, %s) = %t, %t, want %t, %t", w.zone, w.instanceType, known, offered, w.known, w.offered)
		}
	}
	// The machine and its accelerator, which have prices of their own.
	if p, ok := c.Price("google", "us-central1", "g2-standard-4", catalog.OnDemand); !ok || p.PerHour.String() != "0.70683 USD" {
		t.Errorf("Price of g2-standard-4 = %s, %t", p.PerHour, ok)
	}
	if zones := c.Zones("google", "us-central1"); !slices.ContainsFunc(zones, func(z catalog.Zone) bool { return z.Name == "us-central1-f" }) {
		t.Errorf("zones of us-central1: %+v", zones)
	}
}
