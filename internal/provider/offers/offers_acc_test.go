package offers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// market is a bench whose simulated clock stands three weeks before the window
// of the tests.
func market(t *testing.T) *acctest.Bench {
	t.Helper()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: "it buys, and wants prices and refusals that are known"})
	b.Do(b.World.SetClock(time.Date(2031, 4, 19, 0, 0, 0, 0, time.UTC)))
	return b
}

// asking is a data source named "a" with more lines, and what it found as
// outputs.
func asking(lines ...string) string {
	return `
data "gpu_offers" "a" {
  cloud = "aws"
  ` + strings.Join(lines, "\n  ") + `
}
output "offers" { value = data.gpu_offers.a.offers }
output "signals" { value = data.gpu_offers.a.signals }
output "quotas" { value = data.gpu_offers.a.quotas }
output "unsearched" { value = data.gpu_offers.a.unsearched }
`
}

const (
	window = `window = { start_at = "2031-05-10T00:00:00Z", duration = "24h" }`
	p5     = `instance_types = ["p5.48xlarge"]`
)

// The offer that a configuration picks is the one that is bought, though another
// is cheaper.
func TestAccOffers_buy(t *testing.T) {
	t.Parallel()
	b := market(t)
	b.Config(b.Provider() + asking(p5, "instance_count = 2", `kinds = ["block"]`, window) + `
locals {
  blocks  = data.gpu_offers.a.offers
  dearest = local.blocks[length(local.blocks) - 1]
}
resource "gpu_reservation" "a" {
  name           = "picked"
  cloud          = "aws"
  region         = "us-east-1"
  instance_type  = local.dearest.instance_type
  instance_count = local.dearest.instance_count
  kind           = local.dearest.kind
  offer_id       = local.dearest.offer_id
  ` + window + `
}
output "cheapest" { value = local.blocks[0] }
output "dearest" { value = local.dearest }
`)
	b.Apply().Success(t)
	b.PlanEmpty()
	offer, held := object(t, b.Output()["dearest"]), b.Resource("gpu_reservation.a").AttributeValues
	for attribute, want := range map[string]string{"starts_at": "starts_at", "ends_at": "ends_at", "paid_upfront": "upfront", "currency": "currency"} {
		if got := fmt.Sprint(held[attribute]); got != fmt.Sprint(offer[want]) {
			t.Errorf("bought: %s = %s, offered: %v", attribute, got, offer[want])
		}
	}
	if cheapest := object(t, b.Output()["cheapest"]); fmt.Sprint(cheapest["upfront"]) >= fmt.Sprint(offer["upfront"]) {
		t.Errorf("the first offer costs %v, the last one %v", cheapest["upfront"], offer["upfront"])
	}
	if n := len(b.Calls(0, "PurchaseCapacityBlock")); n != 1 {
		t.Errorf("%d purchases, want 1", n)
	}
}

func object(t *testing.T, value any) map[string]any {
	t.Helper()
	o, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("%v is no object", value)
	}
	return o
}

func list(t *testing.T, b *acctest.Bench, output string) []map[string]any {
	t.Helper()
	values, ok := b.Output()[output].([]any)
	if !ok {
		t.Fatalf("%s = %v", output, b.Output()[output])
	}
	var all []map[string]any
	for _, value := range values {
		all = append(all, object(t, value))
	}
	return all
}

// A permission that is missing leaves a gap with AWS's own code, where what it
// is for would stand, and everything else as it is.
func TestAccOffers_denied(t *testing.T) {
	t.Parallel()
	for operation, at := range map[string]struct{ output, attribute string }{
		"DescribeInstanceTypeOfferings":  {"signals", "offered"},
		"DescribeSpotPriceHistory":       {"signals", "spot_usd_per_hour"},
		"GetSpotPlacementScores":         {"signals", "spot_placement_score"},
		"GetServiceQuota":                {"quotas", "limit"},
		"DescribeCapacityBlockOfferings": {"unsearched", ""},
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			b := market(t)
			b.Do(b.World.AddFaults(sim.Fault{
				Cloud: "aws", Operation: operation, Status: 403, Code: "UnauthorizedOperation", Message: "You may not.",
			}))
			b.Config(b.Provider() + asking(p5, `zones = ["us-east-1a"]`, window))
			b.Apply().Success(t)
			for _, output := range []string{"signals", "quotas", "unsearched"} {
				rows := list(t, b, output)
				if output != at.output {
					if text := fmt.Sprint(rows); strings.Contains(text, "UnauthorizedOperation") {
						t.Errorf("%s: %s", output, text)
					}
					continue
				}
				if len(rows) != 1 {
					t.Fatalf("%s = %v", output, rows)
				}
				why := rows[0]["reason"]
				if at.attribute != "" {
					why = object(t, rows[0]["unknown"])[at.attribute]
				}
				if !strings.Contains(fmt.Sprint(why), "UnauthorizedOperation") || at.attribute != "" && rows[0][at.attribute] != nil {
					t.Errorf("%s: %v", output, rows[0])
				}
			}
			if n := len(list(t, b, "offers")); n == 0 {
				t.Error("nothing is offered")
			}
		})
	}
}

// Where the price list cannot be asked, the catalog's price stands in, and where
// that has none either, the reason.
func TestAccOffers_prices(t *testing.T) {
	t.Parallel()
	for zone, tc := range map[string]struct {
		denied        bool
		price, source string
	}{
		"us-east-1a": {false, "55.04", "price_list"},
		"us-east-1b": {true, "55.04", "catalog"},
		"us-west-2a": {true, "<nil>", "<nil>"},
	} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := market(t)
			if tc.denied {
				b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: "GetProducts", Status: 400, Code: "AccessDeniedException", Message: "You may not."}))
			}
			b.Config(b.Provider() + asking(p5, `kinds = ["on_demand"]`, fmt.Sprintf("zones = [%q]", zone)))
			b.Apply().Success(t)
			for _, s := range list(t, b, "signals") {
				why, unknown := object(t, s["unknown"])["on_demand_usd_per_hour"]
				if fmt.Sprint(s["on_demand_usd_per_hour"]) != tc.price || fmt.Sprint(s["price_source"]) != tc.source || unknown != (tc.price == "<nil>") {
					t.Errorf("%v, unknown because %v", s, why)
				}
			}
			if offers := list(t, b, "offers"); len(offers) != 1 || fmt.Sprint(offers[0]["usd_per_hour"]) != tc.price {
				t.Errorf("offers = %v", offers)
			}
		})
	}
}

// A type without blocks is a gap beside one that has some.
func TestAccOffers_mixed(t *testing.T) {
	t.Parallel()
	b := market(t)
	b.Config(b.Provider() + asking(`instance_types = ["p5.48xlarge", "g6f.large"]`, window))
	b.Apply().Success(t)
	gaps := list(t, b, "unsearched")
	if len(gaps) != 1 || gaps[0]["instance_type"] != "g6f.large" || gaps[0]["kind"] != "block" {
		t.Errorf("unsearched = %v", gaps)
	}
	kinds := map[string]bool{}
	for _, o := range list(t, b, "offers") {
		kinds[fmt.Sprint(o["kind"], " ", o["instance_type"], " ", o["gpu_count"])] = true
	}
	for _, want := range []string{"block p5.48xlarge 8", "on_demand p5.48xlarge 8", "on_demand g6f.large 1/8"} {
		if !kinds[want] {
			t.Errorf("%s is missing: %v", want, kinds)
		}
	}
}

func TestAccOffers_badInput(t *testing.T) {
	t.Parallel()
	b := market(t)
	for line, words := range map[string][]string{
		`window = { duration = "15d" }`:                {"15 days", "14 days or 21 days"},
		`window = { end_at = "2031-05-10T00:00:00Z" }`: {"needs its length"},
		`zones = ["us-east-1a", "eu-west-1a"]`:         {"us-east-1a", "not in eu-west-1"},
		`zones = ["use1-az1"]`:                         {"use1-az1", "id of a zone"},
		`account = "nobody"`:                           {"nobody"},
		`instance_count = 1001`:                        {"1000"},
		`region = "Virginia"`:                          {"Virginia"},
	} {
		b.Config(b.Provider() + asking(p5, line))
		if strings.HasPrefix(line, "window") { // the command line shows no code of what is nested
			b.Plan().Failure(t, append(words, "window.duration")...)
			continue
		}
		b.Plan().FailureAt(t, line, words...)
	}
}
