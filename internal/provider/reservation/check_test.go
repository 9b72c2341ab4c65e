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
