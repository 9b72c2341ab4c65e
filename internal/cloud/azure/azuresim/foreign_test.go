package azuresim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// TestTerraformProviderAzurerm plays what the public provider sends for a group and
// a reservation (a snapshot of 2026-08-22 on the wire): an old api-version, tags
// always, a GET before each PUT, and the operation followed by the resource.
func TestTerraformProviderAzurerm(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.version = "2022-03-01"
	s.refused(s.get(own), http.StatusNotFound, "ResourceNotFound")
	s.accepted(s.send(http.MethodPut, own, `{"location":"eastus","tags":{},"zones":["1"]}`), http.StatusCreated)
	s.accepted(s.get(own), http.StatusOK)
	s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	s.accepted(s.send(http.MethodPut, one,
		`{"location":"eastus","sku":{"capacity":2,"name":"Standard_NC24ads_A100_v4"},"tags":{},"zones":["1"]}`), http.StatusCreated)
	s.says(s.get(one), "Creating", "properties", "provisioningState")
	s.finish()
	s.says(s.says(s.get(one), "Succeeded", "properties", "provisioningState"), nil, "etag")
	for _, count := range []string{"3", "1"} {
		s.accepted(s.send(http.MethodPatch, one, `{"sku":{"capacity":`+count+`,"name":"Standard_NC24ads_A100_v4"},"tags":{}}`), http.StatusOK)
		s.says(s.get(one), "Updating", "properties", "provisioningState")
		s.finish()
		s.says(s.says(s.get(one), "Succeeded", "properties", "provisioningState"), count, "sku", "capacity")
	}
	s.accepted(s.remove(), http.StatusAccepted)
	s.finish()
	s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	s.ok(s.world.Advance(azuresimLag))
	s.accepted(s.send(http.MethodDelete, own, ""), http.StatusAccepted)
	s.finish()
	s.refused(s.get(own), http.StatusNotFound, "ResourceNotFound")
}

// TestAzureCLI plays the recording test_capacity_reservation_operations of 2026-09.
func TestAzureCLI(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.accepted(s.get(strings.Replace(inGroup, "resourceGroups", "resourcegroups", 1)), http.StatusOK)
	got := s.accepted(s.send(http.MethodPut, own, `{"location": "southafricanorth", "tags": {"key": "val"}, "zones": ["1", "2"]}`), http.StatusCreated)
	s.says(s.says(s.tells(got, "Azure-AsyncOperation"), "Targeted", "properties", "reservationType"), "Creating", "properties", "provisioningState")
	got = s.accepted(s.send(http.MethodPut, one,
		`{"location": "southafricanorth", "sku": {"capacity": 5, "name": "Standard_DS1_v2"}, "tags": {"key": "val"}, "zones": ["1"]}`), http.StatusCreated)
	s.says(s.tells(got, "Azure-AsyncOperation"), `"1"`, "etag")
	s.finish()
	s.says(s.poll(got), "Succeeded", "status")
	s.version = "2024-11-01"
	got = s.accepted(s.send(http.MethodPatch, one, `{"sku": {"capacity": 6}, "tags": {"key2": "val2"}}`), http.StatusOK)
	s.says(s.says(s.tells(got, "Azure-AsyncOperation"), "map[key2:val2]", "tags"), nil, "etag")
	s.finish()
	if got := s.says(s.get(one), 6, "sku", "capacity"); got.header.Get("ETag") != `"2"` {
		t.Error(got.header)
	}
	s.version = "2026-04-01"
	s.says(s.get(reservations), `"2"`, "value", 0, "etag")
	s.tells(s.accepted(s.remove(), http.StatusAccepted), "Azure-AsyncOperation Location")
	s.ok(s.world.Advance(2 * azuresimLag))
	s.version = "2022-08-01"
	s.tells(s.accepted(s.send(http.MethodDelete, own, ""), http.StatusAccepted), "Azure-AsyncOperation Location")
}

// TestLateGroupDelete is what became of a group whose DELETE came 2 s after its
// last reservation's (azure-rest-api-specs#18767): refused twice, then taken.
func TestLateGroupDelete(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create()
	s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"a", "b"}}})
	s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
	s.change(sim.ObjectPatch{InUse: &sim.Use{}})
	s.done(s.remove())
	for range 2 {
		s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "CannotDeleteResource")
		s.ok(s.world.Advance(azuresimLag / 2))
	}
	s.done(s.send(http.MethodDelete, own, ""))
}
