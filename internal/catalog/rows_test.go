package catalog_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// These tests walk every embedded row. Loading has checked form and references;
// here the figures are checked against each other.

// oldest is the first month a row may date from.
const oldest = "2026-01"

func checkProvenance(t *testing.T, what string, p catalog.Provenance) {
	t.Helper()
	if p.AsOf < oldest {
		t.Errorf("%s is as of %s, before %s: read it again", what, p.AsOf, oldest)
	}
	if p.Source == "" || p.Verification == "" {
		t.Errorf("%s has no source or verification", what)
	}
}

// family is what the sizes of a type have in common: g6f of g6f.large,
// g2-standard of g2-standard-4, and Standard_NCads_A100_v4 of
// Standard_NC24ads_A100_v4.
func family(instanceType string) string {
	if f, _, ok := strings.Cut(instanceType, "."); ok {
		return f
	}
	if size := regexp.MustCompile(`^(Standard_[A-Z]+)[0-9]+(.*)$`).FindStringSubmatch(instanceType); size != nil {
		return size[1] + size[2]
	}
	return instanceType[:strings.LastIndex(instanceType, "-")]
}

func isFractional(it catalog.InstanceType) bool {
	return it.GPUs.Cmp(count(1)) < 0
}

func count(n int64) gpu.Fraction {
	f, err := gpu.NewFraction(n, 1)
	if err != nil {
		return gpu.Fraction{}
	}
	return f
}

func TestEveryAWSInstanceType(t *testing.T) {
	t.Parallel()
	c := load(t)
	types := c.InstanceTypes("aws")
	if want := 73; len(types) != want {
		t.Errorf("%d types, want %d", len(types), want)
	}
	if !slices.IsSortedFunc(types, func(a, b catalog.InstanceType) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("types are not in order of their names")
	}
	for _, it := range types {
		checkProvenance(t, it.Name, it.Provenance)
		checkGPUs(t, it)
		checkShape(t, it)
		quotas := map[string]string{"P": "L-417A185B", "G": "L-DB2E81BA"}
		if class := strings.ToUpper(it.Name[:1]); it.QuotaClass != class || it.Quota != quotas[class] {
			t.Errorf("%s draws on %s %s", it.Name, it.QuotaClass, it.Quota)
		}
	}
}

// checkGPUs holds the number of GPUs to those that EC2 sells; families ending in
// f are the fractional ones, and their rows say how the number was found.
func checkGPUs(t *testing.T, it catalog.InstanceType) {
	t.Helper()
	if !slices.Contains([]string{"1/8", "1/4", "1/2", "1", "2", "4", "8"}, it.GPUs.String()) {
		t.Errorf("%s has %s GPUs", it.Name, it.GPUs)
	}
	fractional := strings.HasSuffix(family(it.Name), "f")
	if fractional != isFractional(it) || fractional != strings.Contains(it.Note, "partition size") {
		t.Errorf("%s has %s GPUs and the note %q", it.Name, it.GPUs, it.Note)
	}
}

// checkShape holds name, vCPUs and memory to what GPU types have.
func checkShape(t *testing.T, it catalog.InstanceType) {
	t.Helper()
	if !regexp.MustCompile(`^[gp][0-9a-z-]+\.(metal|large|[0-9]*xlarge)$`).MatchString(it.Name) {
		t.Errorf("%q is no name of a GPU type", it.Name)
	}
	if it.VCPUs < 2 || it.VCPUs > 192 || it.VCPUs%2 != 0 {
		t.Errorf("%s has %d vCPUs", it.Name, it.VCPUs)
	}
	if per := it.MemoryMiB / it.VCPUs; it.MemoryMiB%1024 != 0 || per < 2<<10 || per > 22<<10 {
		t.Errorf("%s has %d MiB for %d vCPUs", it.Name, it.MemoryMiB, it.VCPUs)
	}
}

// TestEveryDeviceMemory holds the memory a cloud reports between the product's
// size in powers of ten and in powers of two, the same in every cloud, and a
// slice to its share of it.
func TestEveryDeviceMemory(t *testing.T) {
	t.Parallel()
	c := load(t)
	whole := make(map[gpu.Model]int64)
	var parts []catalog.InstanceType
	for _, it := range slices.Concat(c.InstanceTypes("aws"), c.InstanceTypes("google"), c.InstanceTypes("azure")) {
		if isFractional(it) {
			parts = append(parts, it)
			continue
		}
		m, ok := c.GPUModel(it.GPUModel)
		if low, high := m.MemoryGB*1e9>>20, m.MemoryGB<<10; !ok || it.GPUMemoryMiB < low || it.GPUMemoryMiB > high {
			t.Errorf("%s: a %s with %d MiB, want %d to %d", it.Name, m.ID, it.GPUMemoryMiB, low, high)
		}
		if known, ok := whole[m.ID]; ok && known != it.GPUMemoryMiB {
			t.Errorf("%s: a %s with %d MiB, elsewhere %d", it.Name, m.ID, it.GPUMemoryMiB, known)
		}
		whole[m.ID] = it.GPUMemoryMiB
	}
	for _, it := range parts {
		if share, err := it.GPUs.Mul(whole[it.GPUModel]); err != nil || share != count(it.GPUMemoryMiB) {
			t.Errorf("%s: %d MiB, want %s MiB, %v", it.Name, it.GPUMemoryMiB, share, err)
		}
	}
}

func TestEveryAWSPrice(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, it := range c.InstanceTypes("aws") {
		for _, region := range c.Regions("aws") {
			p, ok := c.Price("aws", region, it.Name, catalog.OnDemand)
			// p5e is sold as capacity blocks; no On-Demand price was found.
			if want := region == "us-east-1" && it.Name != "p5e.48xlarge"; ok != want {
				t.Errorf("price of %s in %s known: %t, want %t", it.Name, region, ok, want)
			}
			if ok {
				checkPrice(t, it, p)
				checkCheaper(t, c, region, it, p)
			}
		}
	}
}

// checkCheaper holds smaller types of a family to lower prices.
func checkCheaper(t *testing.T, c *catalog.Catalog, region string, it catalog.InstanceType, p catalog.Price) {
	t.Helper()
	for _, other := range c.InstanceTypes(it.Cloud) {
		q, ok := c.Price(it.Cloud, region, other.Name, catalog.OnDemand)
		if ok && isWithin(other, it) && q.PerHour.Micros > p.PerHour.Micros {
			t.Errorf("%s costs %s, more than the larger %s with %s", other.Name, q.PerHour, it.Name, p.PerHour)
		}
	}
}

// checkPrice holds a price to dollars and to what one whole GPU costs anywhere:
// a slipped decimal leaves the range.
func checkPrice(t *testing.T, it catalog.InstanceType, p catalog.Price) {
	t.Helper()
	checkProvenance(t, "price of "+it.Name, p.Provenance)
	low, lowErr := it.GPUs.Mul(300_000)
	high, highErr := it.GPUs.Mul(30_000_000)
	if lowErr != nil || highErr != nil {
		t.Fatal(lowErr, highErr)
	}
	if micros := count(p.PerHour.Micros); p.PerHour.Currency != "USD" || micros.Cmp(low) < 0 || micros.Cmp(high) > 0 {
		t.Errorf("%s costs %s for %s GPUs", it.Name, p.PerHour, it.GPUs)
	}
	again, err := money.Parse(p.PerHour.Amount(), p.PerHour.Currency)
	if err != nil || again != p.PerHour {
		t.Errorf("%s: %s reads back as %s, %v", it.Name, p.PerHour, again, err)
	}
}

// isWithin reports whether a is b's family and no bigger in any way.
func isWithin(a, b catalog.InstanceType) bool {
	return family(a.Name) == family(b.Name) && a.GPUModel == b.GPUModel && a.GPUs.Cmp(b.GPUs) <= 0 &&
		a.VCPUs <= b.VCPUs && a.MemoryMiB <= b.MemoryMiB
}

func TestEveryAWSZone(t *testing.T) {
	t.Parallel()
	c := load(t)
	regions := c.Regions("aws")
	if want := 30; len(regions) != want {
		t.Errorf("%d regions, want %d", len(regions), want)
	}
	var perAccount []string
	for _, region := range regions {
		if !regexp.MustCompile(`^(af|ap|ca|eu|il|me|sa|us)-[a-z]+-[1-9]$`).MatchString(region) {
			t.Errorf("%q is no region", region)
		}
		zones := c.Zones("aws", region)
		if len(zones) < 2 || len(zones) > 6 {
			t.Fatalf("%s has %d zones", region, len(zones))
		}
		for _, z := range zones {
			checkProvenance(t, z.Name, z.Provenance)
			checkZone(t, region, z, zones[0])
		}
		if zones[0].PerAccount {
			perAccount = append(perAccount, region)
		}
	}
	// The regions that AWS's page on AZ IDs names, GovCloud aside.
	want := []string{
		"ap-northeast-1", "ap-southeast-1", "ap-southeast-2", "eu-west-1", "sa-east-1", "us-east-1", "us-west-1", "us-west-2",
	}
	if !slices.Equal(perAccount, want) {
		t.Errorf("regions that name zones per account: %v, want %v", perAccount, want)
	}
}

// checkZone holds a zone to its region's name and to a sibling's id and naming.
func checkZone(t *testing.T, region string, z, sibling catalog.Zone) {
	t.Helper()
	if z.Region != region || !regexp.MustCompile("^"+region+"[a-f]$").MatchString(z.Name) {
		t.Errorf("zone %q in region %s", z.Name, region)
	}
	prefix, _, _ := strings.Cut(sibling.ID, "-")
	if !regexp.MustCompile("^"+prefix+"-az[1-9]$").MatchString(z.ID) || z.PerAccount != sibling.PerAccount {
		t.Errorf("zone %+v beside %+v", z, sibling)
	}
}

// TestEveryTypeHasAZone lists the types whose zones are not known.
func TestEveryTypeHasAZone(t *testing.T) {
	t.Parallel()
	c := load(t)
	for cloud, want := range map[string][]string{
		"aws": {
			"g7.12xlarge", "g7.24xlarge", "g7.2xlarge", "g7.48xlarge", "g7.4xlarge", "g7.8xlarge",
			"p3.16xlarge", "p3.2xlarge", "p3.8xlarge",
		},
		"google": {
			"a4x-highgpu-4g", "a4x-maxgpu-4g-metal",
			"g4-standard-12", "g4-standard-192", "g4-standard-24", "g4-standard-384", "g4-standard-48", "g4-standard-6", "g4-standard-96",
		},
	} {
		if nowhere := nowhere(c, cloud); !slices.Equal(nowhere, want) {
			t.Errorf("types of %s without a known zone: %v, want %v", cloud, nowhere, want)
		}
	}
}

// nowhere are the types of a cloud that no zone offers.
func nowhere(c *catalog.Catalog, cloud string) []string {
	var names []string
	for _, it := range c.InstanceTypes(cloud) {
		if !slices.ContainsFunc(c.Regions(cloud), func(region string) bool {
			return slices.ContainsFunc(c.Zones(cloud, region), func(z catalog.Zone) bool {
				_, offered := c.Offered(cloud, z.ID, it.Name)
				return offered
			})
		}) {
			names = append(names, it.Name)
		}
	}
	return names
}
