package reservation_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
)

// serveResource serves the resource over a world in memory.
func serveResource(t *testing.T) *providertest.Server {
	t.Helper()
	world := providertest.NewMem(t)
	return providertest.Serve(t, providertest.Types{
		Resources: []func() resource.Resource{func() resource.Resource { return reservation.NewResource(world.Manager) }},
		Data:      world.Provider,
	})
}

// A charge is only paid below a ceiling.
func TestResource_cancelWithCharge(t *testing.T) {
	t.Parallel()
	server := serveResource(t)
	config := func(onDestroy, ceiling any) map[string]any {
		return map[string]any{
			"name": "a", "cloud": "mem", "zone": "mem-east-1a", "instance_type": "p1.whole",
			"on_destroy": onDestroy, "max_cancellation_usd": ceiling,
		}
	}
	for _, good := range []map[string]any{
		config("cancel_with_charge", 100), config("cancel_with_charge", providertest.Unknown), config("release", nil),
		config(providertest.Unknown, nil),
	} {
		if d := server.ValidateResource(typeName, good); len(d) > 0 {
			t.Errorf("%v: %v", good, d.Errors())
		}
	}
	said := server.ValidateResource(typeName, config("cancel_with_charge", nil)).Errors()
	if len(said) != 1 || !strings.Contains(said[0], "max_cancellation_usd\"): No ceiling for the charge") {
		t.Errorf("said %q", said)
	}
}

// What is bought by offer is searched for up to an end and has a length; of
// anything else the two would say the same thing twice.
func TestResource_endAndDuration(t *testing.T) {
	t.Parallel()
	server := serveResource(t)
	for kind, allowed := range map[any]bool{"on_demand": false, nil: false, "scheduled": false, "block": true, providertest.Unknown: true} {
		window := map[string]any{"end_at": "2031-05-10T09:00:00Z", "duration": "24h"}
		if kind == "scheduled" {
			window["start_at"] = "2031-05-09T09:00:00Z"
		}
		said := strings.Join(server.ValidateResource(typeName, map[string]any{
			"name": "a", "cloud": "mem", "zone": "mem-east-1a", "instance_type": "p1.whole", "kind": kind, "window": window,
		}).Errors(), "\n")
		if (said == "") != allowed || !allowed && !strings.Contains(said, `AttributeName("duration"): Two ends`) {
			t.Errorf("kind %v: %q", kind, said)
		}
	}
}
