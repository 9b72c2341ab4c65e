package azuresim_test

import (
	"net/http"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// TestExamplesOfBlocks sends the specification's examples of block reservations
// (capacityReservationExamples of 2026-04-01) on a clock before their dates. West
// US, where they are, has no zones.
func TestExamplesOfBlocks(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.until("2025-07-20T09:00:00Z")
	// BlockCapacityReservationGroup_CreateOrUpdate.
	got := s.done(s.send(http.MethodPut, own,
		`{"location":"eastus","tags":{"department":"finance"},"zones":["1","2"],"properties":{"reservationType":"Block"}}`))
	s.says(got, "Block", "properties", "reservationType")
	s.shaped(got, groupShape()...)
	// BlockCapacityReservation_CreateOrUpdate.
	got = s.accepted(s.send(http.MethodPut, one, `{"location":"eastus","tags":{"department":"HR"},`+
		`"sku":{"name":"Standard_ND96isr_H100_v5","capacity":1},`+
		`"properties":{"scheduleProfile":{"start":"2025-08-01","end":"2025-08-02"}},"zones":["1"]}`), http.StatusCreated)
	s.says(got, "map[end:2025-08-02 start:2025-08-01]", "properties", "scheduleProfile")
	s.says(got, "Creating", "properties", "provisioningState")
	s.done(got)
	s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"myVM1", "myVM2", "myVM3#deallocated"}}})
	// BlockCapacityReservation_Get.
	got = s.shown()
	s.shaped(got, viewShape()...)
	s.says(got, "map[end:2025-08-02T11:30:00Z start:2025-08-01T12:00:00Z]", "properties", "scheduleProfile")
	s.says(got, "ProvisioningState/succeeded", "properties", "instanceView", "statuses", 0, "code")
	// BlockCapacityReservation_ListByReservationGroup.
	got = s.accepted(s.get(reservations+"?$expand=virtualMachines/$ref"), http.StatusOK)
	s.says(got, "map[end:2025-08-02T11:30:00Z start:2025-08-01T12:00:00Z]", "value", 0, "properties", "scheduleProfile")
	s.shaped(got, "value[].type", "value[].properties.virtualMachinesAssociated[].id")
}

// TestExamplesOfFutures does the same for future reservations.
func TestExamplesOfFutures(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.until("2026-04-01T09:00:00Z")
	s.done(s.putGroup())
	// FutureCapacityReservation_CreateOrUpdate.
	const profile = "map[minimumCommitmentDays:30 modifiableUntil:2026-06-06T12:00:00Z start:2026-08-01T12:00:00Z]"
	got := s.accepted(s.send(http.MethodPut, one, `{"location":"eastus","tags":{"department":"HR"},"sku":{"name":"Standard_DS1_v2","capacity":4},`+
		`"properties":{"scheduleProfile":{"start":"2026-08-01T12:00:00Z","minimumCommitmentDays":30}},"zones":["1"]}`), http.StatusCreated)
	s.says(s.says(got, profile, "properties", "scheduleProfile"), "Creating", "properties", "provisioningState")
	s.done(got)
	s.until("2026-08-01T12:00:00Z")
	s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"myVM1", "myVM2", "myVM3#deallocated"}}})
	// FutureCapacityReservation_Get.
	got = s.in("Live")
	s.shaped(got, viewShape()...)
	s.says(s.says(got, profile, "properties", "scheduleProfile"), 4, "properties", "instanceView", "utilizationInfo", "currentCapacity")
	// FutureCapacityReservation_ListByReservationGroup.
	got = s.accepted(s.get(reservations+"?$expand=virtualMachines/$ref"), http.StatusOK)
	s.says(s.says(got, profile, "value", 0, "properties", "scheduleProfile"), nil, "value", 0, "properties", "instanceView")
	// CapacityReservationGroup_Get with the instance view has the state too.
	s.says(s.get(own+"?$expand=instanceView"), "Live", "properties", "instanceView", "capacityReservations", 0, "reservationStateInfo", "reservationState")
}
