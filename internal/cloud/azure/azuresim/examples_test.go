package azuresim_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// shapeOf is a JSON value with its leaves left out: the paths of its members.
func shapeOf(value any, path string) []string {
	var all []string
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			all = append(all, shapeOf(member, path+"."+name)...)
		}
	case []any:
		for _, item := range v {
			all = append(all, shapeOf(item, path+"[]")...)
		}
	default:
		return []string{strings.TrimPrefix(path, ".")}
	}
	return all
}

// shaped demands that an answer has at least the members of a shape.
func (s *stage) shaped(got reply, want ...string) {
	s.t.Helper()
	have := shapeOf(got.at(), "")
	for _, member := range want {
		if !slices.Contains(have, member) {
			s.t.Errorf("no %s in %s", member, got.body)
		}
	}
}

// Members that the specification's examples of 2026-04-01 have.
func groupShape() []string {
	return []string{"id", "name", "location", "tags.department", "zones[]", "properties.reservationType"}
}

func reservationShape() []string {
	return []string{
		"id", "name", "location", "tags.department", "sku.name", "sku.capacity", "zones[]", "properties.platformFaultDomainCount",
		"properties.reservationId", "properties.provisioningState",
	}
}

func viewShape() []string {
	const view = "properties.instanceView."
	return append(reservationShape(), "properties.provisioningTime", "properties.timeCreated", "properties.virtualMachinesAssociated[].id",
		view+"utilizationInfo.currentCapacity", view+"utilizationInfo.virtualMachinesAllocated[].id", view+"statuses[].code",
		view+"statuses[].level", view+"statuses[].displayStatus")
}

// TestExamplesOfGroups sends the requests of the specification's examples for
// groups (capacityReservationExamples of 2026-04-01) with a zonal location, and
// holds the answers to the members of theirs.
func TestExamplesOfGroups(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "Targeted", "Open"} {
		t.Run("type "+kind, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			body := fields{"location": "eastus", "tags": fields{"department": "finance"}, "zones": []string{"1", "2"}}
			body.with("properties.sharingProfile", shared(other, "00000000-0000-0000-0000-000000000003"))
			if kind != "" {
				body.with("properties.reservationType", kind)
			}
			got := s.done(s.send(http.MethodPut, own, body.String()))
			s.shaped(got, append(groupShape(), "properties.sharingProfile.subscriptionIds[].id")...)
			s.done(s.put("tags.department", "HR"))
			s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
			view := []string{
				"properties.capacityReservations[].id", "properties.instanceView.capacityReservations[].name",
				"properties.instanceView.capacityReservations[].utilizationInfo.currentCapacity",
				"properties.instanceView.capacityReservations[].statuses[].code", "properties.instanceView.sharedSubscriptionIds[].id",
			}
			if kind != "Open" {
				view = append(view, "properties.virtualMachinesAssociated[].id",
					"properties.instanceView.capacityReservations[].utilizationInfo.virtualMachinesAllocated[].id")
			}
			s.shaped(s.get(own+"?$expand=instanceView"), append(groupShape(), view...)...)
		})
	}
}

func TestExamplesOfGroupChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create("tags.department", "HR")
	s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
	// CapacityReservationGroup_Update_MaximumSet_Gen and _MinimumSet_Gen.
	s.says(s.accepted(s.send(http.MethodPatch, own, `{"properties":{"instanceView":{}},"tags":{"key5355":"aaa"}}`), http.StatusOK), "aaa", "tags", "key5355")
	s.says(s.accepted(s.send(http.MethodPatch, own, `{}`), http.StatusOK), "aaa", "tags", "key5355")
	// CapacityReservationGroup_ListByResourceGroup and _ListBySubscription.
	listed := []string{
		"value[].id", "value[].name", "value[].type", "value[].location", "value[].properties.capacityReservations[].id",
		"value[].properties.virtualMachinesAssociated[].id", "value[].properties.reservationType",
	}
	for _, path := range []string{groups, everywhere} {
		s.shaped(s.get(path+"?$expand=virtualMachines/$ref"), listed...)
	}
	// CapacityReservationGroup_ListBySubscriptionWithResourceIdsQuery.
	s.shaped(s.get(everywhere+"?resourceIdsOnly=All"), "value[].id", "value[].type", "value[].location")
	// CapacityReservationGroup_Delete_MinimumSet_Gen.
	s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "OperationNotAllowed")
}

// TestExamplesOfReservations does the same for reservations.
func TestExamplesOfReservations(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.putGroup())
	body := fields{
		"location": "eastus", "tags": fields{"department": "HR"}, "sku": fields{"name": "Standard_DS1_v2", "capacity": 4}, "zones": []string{"1"},
	}
	// CapacityReservation_CreateOrUpdate and TargetedCapacityReservation_CreateOrUpdate.
	s.shaped(s.done(s.send(http.MethodPut, one, body.String())), reservationShape()...)
	s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"myVM1", "myVM2", "myVM3#deallocated"}}})
	// CapacityReservation_Get and TargetedCapacityReservation_Get.
	s.shaped(s.shown(), viewShape()...)
	// CapacityReservation_ListByReservationGroup.
	s.shaped(s.get(reservations), "value[].id", "value[].name", "value[].sku.name", "value[].sku.capacity", "value[].zones[]",
		"value[].properties.provisioningState", "value[].properties.reservationId", "value[].properties.provisioningTime")
	// CapacityReservation_Update_MaximumSet_Gen sends what is read-only too.
	got := s.done(s.patch("tags", fields{"key4974": "aaa"}, "sku", fields{"name": "Standard_DS1_v2", "tier": "aaa", "capacity": 7},
		"properties.instanceView", fields{"utilizationInfo": fields{}, "statuses": []fields{{"code": "aaa", "level": "Info"}}}))
	s.says(s.says(got, 7, "sku", "capacity"), "aaa", "sku", "tier")
	// CapacityReservation_Update_MinimumSet_Gen.
	s.says(s.done(s.patch()), 7, "sku", "capacity")
	// CapacityReservation_Delete_MaximumSet_Gen.
	s.change(sim.ObjectPatch{InUse: &sim.Use{}})
	s.done(s.accepted(s.remove(), http.StatusAccepted))
}

// TestExampleOfOpen is OpenCapacityReservation_Get.
func TestExampleOfOpen(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.putGroup("properties.reservationType", "Open"))
	s.done(s.put("sku.name", "Standard_DS1_v2", "sku.capacity", 10, "tags.department", "HR"))
	s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 3}})
	s.shaped(s.shown(), append(reservationShape(), "properties.instanceView.utilizationInfo.currentCapacity",
		"properties.instanceView.utilizationInfo.usedReservedCountBySubscription."+subscription)...)
}
