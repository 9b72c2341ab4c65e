package azure_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
)

// TestRefreshCalls: a refresh takes one list of the groups, and then one request for
// each group with one reservation and two for each with several.
func TestRefreshCalls(t *testing.T) {
	t.Parallel()
	const groups = 20
	w := newWorld(t)
	w.serve(azuresim.Options{})
	c := w.driver(nil)
	scopes := map[string]int{}
	for i := range groups {
		name := fmt.Sprintf("own-%d", i)
		req := plain()
		req.Mark.Name = name
		req.Spec.Count = 1
		if _, err := c.Create(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		scopes[c.Group(req.Spec, name)] = 1
		given := fmt.Sprintf("/subscriptions/%s/resourcegroups/gpu/providers/microsoft.compute/capacityreservationgroups/given-%d", home, i)
		w.put(given, `{"location":"eastus","zones":["1","2","3"]}`)
		w.jump.Advance(time.Second)
		for zone := 1; zone <= 3; zone++ {
			w.put(fmt.Sprintf("%s/capacityreservations/of-%d", given, zone), fmt.Sprintf(
				`{"location":"eastus","zones":["%d"],"sku":{"name":%q,"capacity":1}}`, zone, size))
		}
		scopes[given] = 3
	}
	w.jump.Advance(time.Minute)
	before, err := w.sim.Calls(0)
	w.must(err)
	c = w.driver(nil)
	for group, want := range scopes {
		found, err := c.List(t.Context(), cloud.Scope{Group: group, MaxAge: time.Minute})
		if err != nil || len(found) != want {
			t.Fatalf("%s has %d reservations, %v, want %d", group, len(found), err, want)
		}
	}
	calls, err := w.sim.Calls(before[len(before)-1].Seq)
	w.must(err)
	if want := 1 + groups + 2*groups; len(calls) != want {
		t.Errorf("%d requests for %d reservations in %d groups, want %d", len(calls), 4*groups, 2*groups, want)
	}
}
