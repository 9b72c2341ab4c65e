package awssim

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEmbeddedDataHoldsTogether(t *testing.T) {
	t.Parallel()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Regions) < 30 || len(c.Types) < 79 || c.Source == "" {
		t.Errorf("%d regions, %d types, source %q", len(c.Regions), len(c.Types), c.Source)
	}
	for name := range c.Types {
		if c.vcpus(name) < 1 || !slices.Equal(c.lookup(name, "instanceType"), []string{name}) {
			t.Errorf("%s: %d vCPUs, %v", name, c.vcpus(name), c.lookup(name, "instanceType"))
		}
		if _, known := quotaOf(name); !known {
			t.Errorf("%s draws on no quota", name)
		}
	}
}

func TestEmbeddedPlacesHoldTogether(t *testing.T) {
	t.Parallel()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for region, types := range c.Offerings {
		for name := range types {
			for _, zone := range c.zonesOf(region, name) {
				if _, _, found := c.zone(region, zone); !found || c.Types[name] == nil {
					t.Errorf("%s offered in %s", name, zone)
				}
			}
		}
	}
	for region, data := range c.Regions {
		for zone, id := range data.Zones {
			if !strings.HasPrefix(zone, region) || !strings.Contains(id, "-az") {
				t.Errorf("zone %s %s of %s", zone, id, region)
			}
		}
	}
}

func TestDocumentedOffers(t *testing.T) {
	t.Parallel()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for region, want := range map[string]map[string]string{
		"us-east-1":      {"p4d.24xlarge": "abcd", "p5.48xlarge": "abcdef", "g6f.large": "abcd", "p6-b200.48xlarge": "c"},
		"us-west-2":      {"p4d.24xlarge": "abcd", "g5.xlarge": "abc"},
		"eu-central-1":   {"p4d.24xlarge": "abc", "p5.48xlarge": ""},
		"us-east-2":      {"g5.xlarge": "abc"},
		"eu-west-1":      {"g4dn.xlarge": "abc"},
		"ap-northeast-1": {"g4dn.xlarge": "acd"},
	} {
		for name, zones := range want {
			if got := c.Offerings[region][name]; got != zones {
				t.Errorf("%s in %s: %q, want %q", name, region, got, zones)
			}
		}
	}
}

func TestQuotaBuckets(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"p5.48xlarge": "L-417A185B", "p4d.24xlarge": "L-417A185B", "g6f.large": "L-DB2E81BA", "gr6f.4xlarge": "L-DB2E81BA",
		"trn2.48xlarge": "L-2C3B7624", "inf2.xlarge": "L-1945791B", "dl1.24xlarge": "L-6E869C2A", "m5.large": "L-1216C47A",
		"t3.micro": "L-1216C47A", "x2idn.16xlarge": "L-7295265B",
	} {
		if q, _ := quotaOf(name); q.code != code {
			t.Errorf("%s draws on %s, want %s", name, q.code, code)
		}
	}
}

func TestWildcard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, value string
		want           bool
	}{
		{"", "", true},
		{"*", "", true},
		{"?", "", false},
		{"p4*", "p4d.24xlarge", true},
		{"p4", "p4d", false},
		{"*.24xlarge", "p4d.24xlarge", true},
		{"p?d*", "p4d.24xlarge", true},
		{"*a*b*", "xxaxxbxx", true},
		{"*a*b", "ab a", false},
		{"a**", "a", true},
		{"[a-z]", "b", false},
	} {
		if got := wildcard(tt.pattern, tt.value); got != tt.want {
			t.Errorf("wildcard(%q, %q) = %t", tt.pattern, tt.value, got)
		}
	}
}

func TestEveryTypeOfBlocksHasARate(t *testing.T) {
	t.Parallel()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for name := range c.Types {
		priced := c.BlockRates[name][""] > 0
		if kind := slices.Contains(c.lookup(name, "supportedUsageClasses"), blockKind); kind != priced {
			t.Errorf("%s: blocks %v, rate %v", name, kind, priced)
		}
		if priced {
			blocks++
		}
	}
	if blocks != len(c.BlockRates) {
		t.Errorf("%d types of %d rates are known", blocks, len(c.BlockRates))
	}
}

func TestFees(t *testing.T) {
	t.Parallel()
	c, err := loadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	// The first three were seen in the wild.
	for _, tt := range []struct {
		instanceType, region string
		count                int
		length               time.Duration
		surcharge            int64
		want                 string
	}{
		{"p4d.24xlarge", "us-east-2", 1, 24 * time.Hour, 0, "283"},
		{"p4d.24xlarge", "us-east-2", 1, 19*time.Hour + 17*time.Minute, 0, "228"},
		{"p4d.24xlarge", "us-east-2", 1, 43*time.Hour + 17*time.Minute, 0, "511"},
		{"p5.48xlarge", "us-west-1", 2, time.Hour, 25, "81"},
		{"p6-b300.48xlarge", "us-west-2", 64, 183 * 24 * time.Hour, 75, "28283075"},
	} {
		if got := c.BlockRates.fee(tt.instanceType, tt.region, tt.count, tt.length, tt.surcharge); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

func TestBrokenRates(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"a,b,c\nx,,dear\n", "a,b,c\nx\n", "a,b\nx,y\n"} {
		if _, err := readBlockRates([]byte(data)); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}
