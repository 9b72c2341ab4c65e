package provider_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// reserving applies an example three weeks before the dates that examples name,
// wants its one reservation to have a status, and returns its state too.
func reserving(t *testing.T, name, address, status string) (*acctest.Bench, map[string]any) {
	t.Helper()
	b := served(t)
	b.Do(b.World.SetClock(time.Date(2031, 4, 19, 0, 0, 0, 0, time.UTC)))
	b.Write("main.tf", example(t, name))
	state := applied(t, b, address)
	if state["status"] != status {
		t.Errorf("status = %v, want %s", state["status"], status)
	}
	return b, state
}

// usd is an amount of a state, whose numbers keep their text.
func usd(t *testing.T, amount any) float64 {
	t.Helper()
	var f float64
	if _, err := fmt.Sscan(fmt.Sprint(amount), &f); err != nil {
		t.Fatalf("%v is no amount: %v", amount, err)
	}
	return f
}

// Within eight weeks of its start it is given up against a charge, which the
// example allows; before it is decided that is free.
func TestAccExamples_scheduled(t *testing.T) {
	t.Parallel()
	b, _ := reserving(t, "resources/gpu_reservation/resource-scheduled.tf", "gpu_reservation.season", "pending")
	b.Do(b.World.Advance(10 * 24 * time.Hour))
	if got := applied(t, b, "gpu_reservation.season")["status"]; got != "held" {
		t.Errorf("ten days later the status is %v, want held", got)
	}
	b.Destroy().Success(t).Warned(t, "against a charge")
}

func TestAccExamples_block(t *testing.T) {
	t.Parallel()
	b, state := reserving(t, "resources/gpu_reservation/resource-block.tf", "gpu_reservation.finetune", "pending")
	if paid := usd(t, state["paid_upfront"]); paid < 1000 || paid > 2000 {
		t.Errorf("paid %v", paid)
	}
	b.Do(b.World.Advance(12 * time.Hour))
	if got := applied(t, b, "gpu_reservation.finetune")["status"]; got != "held" {
		t.Errorf("with its payment through the status is %v, want held", got)
	}
	b.Destroy().Failure(t, "Cannot be released free", "paid upfront", "destroy = false")
}

// What a data source found is what is bought, and stays bought when it is sold
// out.
func TestAccExamples_offers(t *testing.T) {
	t.Parallel()
	b, _ := reserving(t, "data-sources/gpu_offers/data-source.tf", "gpu_reservation.finetune", "pending")
	if got := len(b.Calls(0, "PurchaseCapacityBlock")); got != 1 {
		t.Errorf("%d purchases, want 1", got)
	}
	prices, ok := b.Output()["on_demand_usd_per_hour"].(map[string]any)
	if !ok || len(prices) == 0 {
		t.Fatalf("on_demand_usd_per_hour = %v", b.Output()["on_demand_usd_per_hour"])
	}
	for zone, price := range prices {
		if price != json.Number("55.04") && price != 55.04 {
			t.Errorf("in %s one p5.48xlarge costs %v", zone, price)
		}
	}
}

func TestAccExamples_dedicatedHost(t *testing.T) {
	t.Parallel()
	b, _ := reserving(t, "resources/gpu_reservation/resource-dedicated-host.tf", "gpu_reservation.host", "held")
	b.Destroy().Success(t)
	if left := b.Objects("available"); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

func TestAccExamples_term(t *testing.T) {
	t.Parallel()
	b, _ := reserving(t, "resources/gpu_reservation/resource-term.tf", "gpu_reservation.year", "held")
	if got := len(b.Calls(0, "PurchaseHostReservation")); got != 1 {
		t.Errorf("%d purchases, want 1", got)
	}
	b.Destroy().Success(t).Warned(t, "abandoned")
	if left := b.Objects("available"); len(left) != 1 {
		t.Errorf("hosts left: %+v, want one", left)
	}
}
