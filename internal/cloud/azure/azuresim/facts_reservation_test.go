package azuresim_test

import (
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func reservationProofs() map[string]proof {
	return map[string]proof{
		"azure-4-create": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				got := s.accepted(s.put("tags.a", "b"), http.StatusCreated)
				s.says(s.says(got, "Creating", "properties", "provisioningState"), nil, "properties", "provisioningTime")
				s.says(s.capacities(2, 0, "Creating"), "2027-03-01T12:00:01.0000000+00:00", "properties", "timeCreated")
				s.done(got)
				got = s.capacities(2, 2, "Succeeded")
				s.says(s.says(got, "2027-03-01T12:00:02.0000000+00:00", "properties", "provisioningTime"), 3, "properties", "platformFaultDomainCount")
				s.says(s.says(got, "eastus", "location"), "[1]", "zones")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.send(http.MethodPut, reservations+"/-r", reservationBody()), http.StatusBadRequest, "InvalidResourceName")
			},
		},
		"azure-4-update": {
			accepted: func(s *stage) {
				s.create("tags.a", "b", "sku.tier", "Standard")
				got := s.accepted(s.patch("sku.capacity", 6, "tags", fields{"c": "d"}), http.StatusOK)
				s.says(s.says(got, "Updating", "properties", "provisioningState"), 6, "sku", "capacity")
				s.says(s.says(got, "map[c:d]", "tags"), "2027-03-01T12:00:02.0000000+00:00", "properties", "provisioningTime")
				s.capacities(6, 2, "Updating")
				s.done(got)
				s.capacities(6, 6, "Succeeded")
				got = s.accepted(s.put("sku.capacity", 1), http.StatusOK)
				s.says(s.says(got, "Updating", "properties", "provisioningState"), "Standard", "sku", "tier")
				s.done(got)
				s.says(s.capacities(1, 1, "Succeeded"), nil, "tags")
				accepts := newStageWith(s.t, azuresim.Options{PatchAccepted: true})
				accepts.create()
				accepts.done(accepts.accepted(accepts.patch("sku.capacity", 0), http.StatusAccepted))
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.patch("sku.capacity", 1), http.StatusNotFound, "ResourceNotFound")
				s.done(s.put())
				s.refused(s.patch("zones", []string{"1"}), http.StatusBadRequest, "BadRequest")
			},
		},
		"azure-4-parent": {
			accepted: func(s *stage) {
				s.create()
				s.accepted(s.get(one), http.StatusOK)
			},
			rejected: func(s *stage) {
				got := s.refused(s.put(), http.StatusNotFound, "ParentResourceNotFound")
				s.says(got, "Can not perform requested operation on nested resource. Parent resource 'g1' not found.", "error", "message")
			},
		},
		"azure-4-location": {
			accepted: func(s *stage) {
				s.create("location", "East US")
				s.says(s.accepted(s.get(one), http.StatusOK), "eastus", "location")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.refused(s.put("location", "eastus2"), http.StatusBadRequest, "InvalidParameter")
				s.refused(s.put("location", nil), http.StatusBadRequest, "LocationRequired")
			},
		},
		"azure-4-sku": {
			accepted: func(s *stage) {
				s.create("sku.capacity", 0)
				s.says(s.capacities(0, 0, "Succeeded"), 0, "sku", "capacity")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				for _, pairs := range [][]any{{"sku", nil}, {"sku.name", nil}, {"sku.capacity", nil}, {"sku.capacity", -1}, {"sku.capacity", 3000000000}} {
					s.refused(s.put(pairs...), http.StatusBadRequest, "InvalidParameter")
				}
			},
		},
		"azure-4-zone": {
			accepted: func(s *stage) {
				s.done(s.send(http.MethodPut, own, `{"location":"eastus"}`))
				s.done(s.put("zones", nil))
				s.says(s.accepted(s.get(one), http.StatusOK), nil, "zones")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				for _, zones := range [][]string{{}, {"3"}, {"1", "2"}} {
					s.refused(s.put("zones", zones), http.StatusBadRequest, "InvalidParameter")
				}
				s.done(s.send(http.MethodPut, groups+"/g2", `{"location":"eastus"}`))
				s.refused(s.send(http.MethodPut, groups+"/g2/capacityReservations/r", reservationBody()), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-4-one-per-size": {
			accepted: func(s *stage) {
				s.create()
				s.done(s.send(http.MethodPut, reservations+"/r2", reservationBody("zones", []string{"2"})))
				s.done(s.send(http.MethodPut, reservations+"/r3", reservationBody("sku.name", "Standard_DS1_v2")))
				s.names(s.get(reservations), "r1", "r2", "r3")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.send(http.MethodPut, reservations+"/r2", reservationBody("sku.name", strings.ToLower(kindA100))), http.StatusConflict, "Conflict")
			},
		},
		"azure-4-not-supported": {
			accepted: func(s *stage) {
				s.create("sku.name", "Standard_DS1_v2")
				s.says(s.accepted(s.get(one), http.StatusOK), "Standard_DS1_v2", "sku", "name")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				got := s.refused(s.put("sku.name", "Standard_A0"), http.StatusConflict, "NotSupported")
				s.says(got, "Capacity Reservation is not supported for VM size Standard_A0.", "error", "message")
				s.refused(s.put("sku.name", "Standard_ND96isr_H100_v5"), http.StatusConflict, "NotSupported")
			},
		},
		"azure-4-fixed": {
			accepted: func(s *stage) {
				s.create()
				s.done(s.patch("sku.name", strings.ToUpper(kindA100), "sku.capacity", 1))
				s.says(s.accepted(s.get(one), http.StatusOK), kindA100, "sku", "name")
			},
			rejected: func(s *stage) {
				s.create()
				s.says(s.refused(s.put("zones", []string{"2"}), http.StatusConflict, "PropertyChangeNotAllowed"), "zones", "error", "target")
				s.refused(s.put("sku.name", "Standard_DS1_v2"), http.StatusConflict, "PropertyChangeNotAllowed")
				s.refused(s.patch("sku.name", "Standard_DS1_v2"), http.StatusConflict, "PropertyChangeNotAllowed")
			},
		},
	}
}

func capacityProofs() map[string]proof {
	return map[string]proof{
		"azure-4-stock": {
			accepted: func(s *stage) {
				s.stock(3)
				s.create()
				s.left(1)
				s.done(s.patch("sku.capacity", 3))
				s.left(0)
				s.done(s.patch("sku.capacity", 1))
				s.left(2)
				s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
				s.done(s.patch("sku.capacity", 0))
				s.left(2)
				s.says(s.capacities(0, 0, "Succeeded"), machine("r1-vm-1"), "properties", "virtualMachinesAssociated", 0, "id")
			},
			rejected: func(s *stage) {
				s.stock(1)
				s.done(s.putGroup())
				s.failed(s.put(), "ZonalAllocationFailed")
				s.capacities(2, 0, "Failed")
				s.left(1)
				s.done(s.remove())
				s.left(1)
				s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
			},
		},
		"azure-4-failed-growth": {
			accepted: func(s *stage) {
				s.stock(3)
				s.create()
				s.failed(s.patch("sku.capacity", 4), "ZonalAllocationFailed")
				got := s.capacities(4, 2, "Failed")
				s.says(got, "ProvisioningState/failed/ZonalAllocationFailed", "properties", "instanceView", "statuses", 0, "code")
				s.says(got, "2027-03-01T12:00:02.0000000+00:00", "properties", "provisioningTime")
				s.left(1)
				s.done(s.patch("sku.capacity", 2))
				s.says(s.capacities(2, 2, "Succeeded"), "ProvisioningState/succeeded", "properties", "instanceView", "statuses", 0, "code")
				s.left(1)
			},
			rejected: func(s *stage) {
				s.stock(2)
				s.create()
				s.failed(s.patch("sku.capacity", 4), "ZonalAllocationFailed")
				s.failed(s.patch("tags", fields{"a": "b"}), "ZonalAllocationFailed")
				s.says(s.capacities(4, 2, "Failed"), "b", "tags", "a")
				s.done(s.remove())
				s.left(2)
				s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
			},
		},
		"azure-4-failed-create": {
			accepted: func(s *stage) {
				s.stock(1)
				s.done(s.putGroup())
				s.failed(s.put(), "ZonalAllocationFailed")
				s.says(s.capacities(2, 0, "Failed"), nil, "properties", "provisioningTime")
				s.stock(2)
				s.done(s.put())
				s.capacities(2, 2, "Succeeded")
			},
			rejected: func(s *stage) {
				in := newStageWith(s.t, azuresim.Options{NoLeftover: true})
				in.stock(1)
				in.done(in.putGroup())
				in.failed(in.put(), "ZonalAllocationFailed")
				in.refused(in.get(one), http.StatusNotFound, "ResourceNotFound")
				s.done(s.putGroup())
				s.stock(1)
				s.failed(s.put(), "ZonalAllocationFailed")
				s.refused(s.send(http.MethodPut, reservations+"/r2", reservationBody()), http.StatusConflict, "Conflict")
			},
		},
		"azure-4-etag": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				for i, want := range []string{`"1"`, `"2"`, `"3"`} {
					got := s.done(s.put("sku.capacity", i))
					if got.header.Get("ETag") != want {
						s.t.Errorf("ETag %s, want %s", got.header.Get("ETag"), want)
					}
				}
				s.says(s.accepted(s.get(one), http.StatusOK), `"3"`, "etag")
			},
			rejected: func(s *stage) {
				s.create()
				s.done(s.remove())
				if got := s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound"); got.header.Get("ETag") != "" {
					s.t.Error(got.header)
				}
			},
		},
		"azure-4-busy": {
			accepted: func(s *stage) {
				s.create()
				s.accepted(s.patch("sku.capacity", 3), http.StatusOK)
				s.finish()
				s.done(s.patch("sku.capacity", 4))
				s.capacities(4, 4, "Succeeded")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.accepted(s.put(), http.StatusCreated)
				s.refused(s.put(), http.StatusConflict, "Conflict")
				s.refused(s.patch("sku.capacity", 4), http.StatusConflict, "Conflict")
				s.refused(s.remove(), http.StatusConflict, "Conflict")
			},
		},
	}
}

func useProofs() map[string]proof {
	return map[string]proof{
		"azure-4-view": {
			accepted: func(s *stage) {
				s.create()
				s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"vm-1", machine("vm-2"), "vm-3#deallocated"}}})
				got := s.says(s.shown(), machine("vm-1"), "properties", "instanceView", "utilizationInfo", "virtualMachinesAllocated", 0, "id")
				s.says(got, nil, "properties", "instanceView", "utilizationInfo", "virtualMachinesAllocated", 2)
				s.says(got, machine("vm-3"), "properties", "virtualMachinesAssociated", 2, "id")
				s.says(got, "Provisioning succeeded", "properties", "instanceView", "statuses", 0, "displayStatus")
				s.says(s.accepted(s.get(one), http.StatusOK), nil, "properties", "instanceView")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.get(one+"?$expand=everything"), http.StatusBadRequest, "InvalidParameter")
			},
		},
		"azure-4-open": {
			accepted: func(s *stage) {
				s.done(s.putGroup("properties.reservationType", "Open"))
				s.done(s.put())
				s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"vm-1", strings.Replace(machine("vm-2"), subscription, other, 1)}}})
				got := s.shown()
				s.says(got, "map["+subscription+":1 "+other+":1]", "properties", "instanceView", "utilizationInfo", "usedReservedCountBySubscription")
				s.says(got, nil, "properties", "instanceView", "utilizationInfo", "virtualMachinesAllocated")
				s.says(got, nil, "properties", "virtualMachinesAssociated")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup("properties.reservationType", "Open"))
				s.done(s.put())
				s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
				in := newStageWith(s.t, azuresim.Options{OpenGoesInUse: true})
				in.stock(2)
				in.done(in.putGroup("properties.reservationType", "Open"))
				in.done(in.put())
				in.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
				in.done(in.remove())
				in.left(1)
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
			},
		},
	}
}

func deleteProofs() map[string]proof {
	return map[string]proof{
		"azure-4-delete": {
			accepted: func(s *stage) {
				s.stock(2)
				s.create()
				got := s.remove()
				s.says(s.get(one), "Deleting", "properties", "provisioningState")
				s.done(got)
				s.left(2)
				s.accepted(s.remove(), http.StatusNoContent)
				s.accepted(s.send(http.MethodDelete, groups+"/none", ""), http.StatusNoContent)
				s.says(s.accepted(s.get(own), http.StatusOK), nil, "properties", "capacityReservations")
			},
			rejected: func(s *stage) {
				s.create()
				s.done(s.remove())
				s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
			},
		},
		"azure-4-delete-used": {
			accepted: func(s *stage) {
				s.create()
				s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"vm-1"}}})
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
				s.change(sim.ObjectPatch{InUse: &sim.Use{}})
				s.done(s.remove())
				s.accepted(s.get(own), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.create()
				s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"vm-1#deallocated"}}})
				got := s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
				if !strings.Contains(got.body, machine("vm-1")) {
					s.t.Error(got.body)
				}
				in := newStageWith(s.t, azuresim.Options{InUseCode: "InUse"})
				in.create()
				in.change(sim.ObjectPatch{InUse: &sim.Use{Number: 1}})
				in.refused(in.remove(), http.StatusConflict, "InUse")
				s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4-group-full": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				got := s.send(http.MethodDelete, own, "")
				s.says(s.get(own), "Deleting", "properties", "provisioningState")
				s.refused(s.put(), http.StatusConflict, "Conflict")
				s.refused(s.putGroup(), http.StatusConflict, "Conflict")
				s.done(got)
				s.accepted(s.get(groups), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.create()
				got := s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "CannotDeleteResource")
				s.says(got, "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '"+one+
					"'. Please delete all nested resources before deleting this resource.", "error", "message")
			},
		},
		"azure-4-group-lag": {
			accepted: func(s *stage) {
				s.create()
				s.done(s.remove())
				s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "CannotDeleteResource")
				s.ok(s.world.Advance(azuresimLag))
				s.done(s.send(http.MethodDelete, own, ""))
				in := newStageWith(s.t, azuresim.Options{GroupLag: -1})
				in.create()
				in.done(in.remove())
				in.done(in.send(http.MethodDelete, own, ""))
				s.accepted(s.get(groups), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.create()
				s.done(s.remove())
				s.says(s.get(own), nil, "properties", "capacityReservations")
				got := s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "CannotDeleteResource")
				if !strings.Contains(got.body, one) {
					s.t.Error(got.body)
				}
			},
		},
		"azure-4-group-sync": {
			options: azuresim.Options{GroupAtOnce: true},
			accepted: func(s *stage) {
				if got := s.accepted(s.putGroup(), http.StatusCreated); got.header.Get("Azure-AsyncOperation") != "" {
					s.t.Error(got.header)
				}
				s.accepted(s.send(http.MethodDelete, own, ""), http.StatusOK)
			},
			rejected: func(s *stage) {
				s.accepted(s.putGroup(), http.StatusCreated)
				s.accepted(s.send(http.MethodDelete, own, ""), http.StatusOK)
				s.refused(s.get(own), http.StatusNotFound, "ResourceNotFound")
			},
		},
	}
}
