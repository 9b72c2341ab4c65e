package reservation_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// onAzure is a bench of Azure that is never a real subscription.
func onAzure(t *testing.T) *acctest.Bench {
	t.Helper()
	return acctest.NewBench(t, "azure", acctest.BenchOptions{Simulated: inMemory})
}

// ablock is block "a" for Azure, of the whole region.
func ablock(lines ...string) string {
	return block("a", append([]string{
		`cloud = "azure"`, `zone =`, fmt.Sprintf("region = %q", acctest.AzureRegion()), fmt.Sprintf("instance_type = %q", acctest.AzureType()),
	}, lines...)...)
}

// The writes of Azure, and some of its reads.
const (
	aGroupPut = "CapacityReservationGroups_CreateOrUpdate"
	aGroupTag = "CapacityReservationGroups_Update"
	aGroupDel = "CapacityReservationGroups_Delete"
	aPut      = "CapacityReservations_CreateOrUpdate"
	aPatch    = "CapacityReservations_Update"
	aDelete   = "CapacityReservations_Delete"
	aGet      = "CapacityReservations_Get"
	aGroupGet = "CapacityReservationGroups_Get"
	aIndex    = "CapacityReservationGroups_ListByResourceGroup"
)

// awrote wants exactly these writes since a mark, in any order. A group's delete may
// be sent again: for some seconds Azure still sees what was in it.
func awrote(t *testing.T, b *acctest.Bench, since int64, want ...string) {
	t.Helper()
	if b.Live() {
		return
	}
	got := []string{}
	for _, c := range b.Calls(since, "") {
		if c.Operation == aGroupDel && slices.Contains(got, aGroupDel) {
			continue
		}
		if slices.Contains([]string{aGroupPut, aGroupTag, aGroupDel, aPut, aPatch, aDelete}, c.Operation) {
			got = append(got, c.Operation)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("writes: %q, want %q", got, want)
	}
}

// amembers are the reservations of simulated Azure, agroups its groups.
func amembers(b *acctest.Bench) []sim.ObjectRow { return ofType(b, "capacityReservations") }

func agroups(b *acctest.Bench) []sim.ObjectRow { return ofType(b, "capacityReservationGroups") }

func ofType(b *acctest.Bench, kind string) []sim.ObjectRow {
	return slices.DeleteFunc(b.Objects(), func(o sim.ObjectRow) bool { return o.Type != kind })
}

// amember is the one reservation of simulated Azure.
func amember(t *testing.T, b *acctest.Bench) sim.ObjectRow {
	t.Helper()
	members := amembers(b)
	if len(members) != 1 {
		t.Fatalf("%d reservations, want 1: %+v", len(members), members)
	}
	return members[0]
}

// clean wants nothing left in simulated Azure.
func clean(t *testing.T, b *acctest.Bench) {
	t.Helper()
	if left := append(amembers(b), agroups(b)...); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

// acreated are the paths that only a create can tell; the binding is not among
// them.
func acreated(more ...string) []string {
	return append(more, "id", "native_id", "claim_id", "status", "starts_at")
}

// agroup is the id of a group of the bench's resource group as consumers take it.
func agroup(name string) string {
	return agroupIn(acctest.AzureSubscription(), acctest.AzureResourceGroup(), name)
}

func agroupIn(subscription, resourceGroup, name string) string {
	return "/subscriptions/" + subscription + "/resourceGroups/" + resourceGroup +
		"/providers/Microsoft.Compute/capacityReservationGroups/" + name
}

// apath is the native id of block "a" in a group of its own, apathIn of one in
// another group.
func apath() string { return apathIn(agroup("res-a"), "res-a") }

func apathIn(group, name string) string {
	return strings.ToLower(group + "/capacityReservations/" + name)
}

// arm makes something at simulated Azure, past the provider.
func arm(t *testing.T, b *acctest.Bench, id, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, b.URL("azure")+id+"?api-version=2026-04-01", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was read
	if err != nil || resp.StatusCode >= http.StatusBadRequest {
		t.Fatalf("PUT %s: %d %s %v", id, resp.StatusCode, raw, err)
	}
	b.Do(b.World.Advance(minute))
}

// giveGroup has someone else make a group; zones are JSON strings.
func giveGroup(t *testing.T, b *acctest.Bench, id string, zones ...string) {
	t.Helper()
	arm(t, b, id, fmt.Sprintf(`{"location": %q, "zones": [%s]}`, acctest.AzureRegion(), strings.Join(zones, ", ")))
}

// giveMember has someone else make a reservation of two in zone 1 of a group.
func giveMember(t *testing.T, b *acctest.Bench, id string) {
	t.Helper()
	arm(t, b, id, fmt.Sprintf(`{"location": %q, "sku": {"name": %q, "capacity": 2}, "zones": ["1"], "tags": {"team": "ml"}}`,
		acctest.AzureRegion(), acctest.AzureType()))
}
