package azuresim_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// azuresimLag is longer than a group counts as full after its last reservation.
const azuresimLag = 5 * time.Second

// told tells which headers tell of an operation.
func told(got reply) string {
	var all []string
	for _, name := range []string{"Azure-AsyncOperation", "Location", "Retry-After"} {
		if got.header.Get(name) != "" {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

func (s *stage) tells(got reply, want string) reply {
	s.t.Helper()
	if have := told(got); have != want {
		s.t.Errorf("told by %q, want %q", have, want)
	}
	return got
}

func operationProofs() map[string]proof {
	return map[string]proof{
		"azure-5-headers": {
			accepted: func(s *stage) {
				s.done(s.tells(s.putGroup(), "Azure-AsyncOperation"))
				got := s.done(s.tells(s.put(), "Azure-AsyncOperation"))
				const where = "/subscriptions/" + subscription + "/providers/Microsoft.Compute/locations/EastUS/operations/"
				if !strings.HasPrefix(got.header.Get("Azure-AsyncOperation"), s.url+where) || got.header.Get("Azure-AsyncNotification") != "Enabled" {
					s.t.Error(got.header)
				}
				s.done(s.tells(s.patch("sku.capacity", 1), "Azure-AsyncOperation"))
				got = s.done(s.tells(s.remove(), "Azure-AsyncOperation Location"))
				s.accepted(s.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusNoContent)
				s.ok(s.world.Advance(azuresimLag))
				s.done(s.tells(s.send(http.MethodDelete, own, ""), "Azure-AsyncOperation Location"))
			},
			rejected: func(s *stage) {
				s.tells(s.refused(s.put(), http.StatusNotFound, "ParentResourceNotFound"), "")
			},
		},
		"azure-5-status": {
			accepted: func(s *stage) {
				s.done(s.putGroup())
				got := s.put()
				running := s.says(s.poll(got), "InProgress", "status")
				s.says(s.says(running, "2027-03-01T12:00:01.0000000+00:00", "startTime"), nil, "endTime")
				s.finish()
				s.says(s.says(s.poll(got), "Succeeded", "status"), "2027-03-01T12:00:02.0000000+00:00", "endTime")
			},
			rejected: func(s *stage) {
				got := s.putGroup()
				s.ok(s.world.Advance(25 * time.Hour))
				s.refused(s.raw(http.MethodGet, got.header.Get("Azure-AsyncOperation"), "", "Bearer x"), http.StatusNotFound, "NotFound")
			},
		},
		"azure-5-failure": {
			accepted: func(s *stage) {
				s.stock(1)
				s.done(s.putGroup())
				end := s.failed(s.put(), "ZonalAllocationFailed")
				if text, _ := end.at("error", "message").(string); !strings.HasPrefix(text, "Allocation failed.") {
					s.t.Error(end.body)
				}
			},
			rejected: func(s *stage) {
				in := newStageWith(s.t, azuresim.Options{Style: azuresim.StyleLocation})
				in.stock(1)
				in.done2(in.putGroup())
				got := in.put()
				in.finish()
				in.refused(in.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusConflict, "ZonalAllocationFailed")
				s.done(s.putGroup())
				s.fault(sim.Fault{Operation: "CapacityReservations_Delete", OperationError: &sim.OperationError{Code: "InternalExecutionError"}})
				s.done(s.put())
				s.failed(s.remove(), "InternalExecutionError")
				s.capacities(2, 2, "Failed")
				s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "CannotDeleteResource")
			},
		},
		"azure-5-location": {
			options: azuresim.Options{Style: azuresim.StyleLocation},
			accepted: func(s *stage) {
				s.done2(s.putGroup())
				got := s.tells(s.put(), "Location")
				s.tells(s.accepted(s.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusAccepted), "Location")
				s.finish()
				s.says(s.accepted(s.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusOK), "r1", "name")
			},
			rejected: func(s *stage) {
				s.done2(s.putGroup())
				s.fault(sim.Fault{Times: 1, OperationError: &sim.OperationError{Code: "Odd", HTTPStatus: http.StatusBadRequest}})
				got := s.put()
				s.finish()
				s.refused(s.raw(http.MethodGet, got.header.Get("Location"), "", "Bearer x"), http.StatusBadRequest, "Odd")
			},
		},
		"azure-5-body": {
			options: azuresim.Options{Style: azuresim.StyleBody},
			accepted: func(s *stage) {
				s.tells(s.putGroup(), "")
				s.finish()
				s.says(s.tells(s.put(), ""), "Creating", "properties", "provisioningState")
				s.finish()
				s.says(s.accepted(s.get(one), http.StatusOK), "Succeeded", "properties", "provisioningState")
			},
			rejected: func(s *stage) {
				s.putGroup()
				s.put()
				s.finish()
				s.done(s.tells(s.remove(), "Azure-AsyncOperation Location"))
				s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
			},
		},
	}
}

// done2 demands that an operation without a status URL was begun, and lets it end.
func (s *stage) done2(got reply) {
	s.t.Helper()
	if got.status < 200 || got.status > 202 {
		s.t.Fatalf("got %d: %s", got.status, got.body)
	}
	s.finish()
}

func (s *stage) quota(name string, limit, used float64) {
	s.t.Helper()
	s.ok(s.world.SetQuota(sim.Quota{Cloud: "azure", Region: "eastus", Quota: name, Limit: &limit, Used: used}))
}

func errorProofs() map[string]proof {
	return map[string]proof{
		"azure-6-error": {
			accepted: func(s *stage) { s.accepted(s.get("/subscriptions/"+subscription), http.StatusOK) },
			rejected: func(s *stage) {
				s.done(s.putGroup())
				got := s.refused(s.put("sku.name", "Standard_None"), http.StatusBadRequest, "InvalidParameter")
				s.says(got, "sku.name", "error", "target")
				s.fault(sim.Fault{Status: 403, Code: "AuthorizationFailed", Message: "No."})
				s.says(s.refused(s.get(own), http.StatusForbidden, "AuthorizationFailed"), "No.", "error", "message")
			},
		},
		"azure-6-not-found": {
			accepted: func(s *stage) {
				s.create()
				s.accepted(s.get(one), http.StatusOK)
			},
			rejected: func(s *stage) {
				const end = " under resource group 'rg' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix"
				got := s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
				s.says(got, "The Resource 'Microsoft.Compute/capacityReservationGroups/g1/capacityReservations/r1'"+end, "error", "message")
				got = s.refused(s.get(own), http.StatusNotFound, "ResourceNotFound")
				s.says(got, "The Resource 'Microsoft.Compute/capacityReservationGroups/g1'"+end, "error", "message")
			},
		},
		"azure-6-sku": {
			accepted: func(s *stage) {
				const a10, south = "Standard_NV36ads_A10_v5", "southcentralus"
				s.done(s.putGroup("location", south))
				s.done(s.put("location", south, "sku.name", a10, "zones", []string{"1"}))
				s.accepted(s.get(one), http.StatusOK)
			},
			rejected: func(s *stage) {
				const a10, south = "Standard_NV36ads_A10_v5", "southcentralus"
				s.done(s.send(http.MethodPut, groups+"/g2", groupBody("location", south, "zones", []string{"3"})))
				const there = groups + "/g2/capacityReservations/r"
				got := s.send(http.MethodPut, there, reservationBody("location", south, "sku.name", a10, "zones", []string{"3"}))
				s.says(s.refused(got, http.StatusConflict, "SkuNotAvailable"), "sku.name", "error", "target")
				s.done(s.putGroup())
				s.refused(s.put("sku.name", "Standard_NC6s_v3"), http.StatusConflict, "SkuNotAvailable")
				s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
			},
		},
		"azure-6-size": {
			accepted: func(s *stage) {
				s.create("sku.name", strings.ToUpper(kindA100))
				s.says(s.accepted(s.get(one), http.StatusOK), strings.ToUpper(kindA100), "sku", "name")
			},
			rejected: func(s *stage) {
				s.done(s.send(http.MethodPut, own, `{"location":"ukwest"}`))
				got := s.refused(s.put("location", "ukwest", "zones", nil), http.StatusBadRequest, "InvalidParameter")
				if !strings.Contains(got.body, "Standard_DS1_v2") {
					s.t.Error(got.body)
				}
			},
		},
		"azure-6-stock": {
			accepted: func(s *stage) {
				s.stock(0)
				s.ok(s.world.SetCapacity(sim.Capacity{Cloud: "azure", Region: "eastus", InstanceType: kindA100, Available: new(0)}))
				s.done(s.putGroup())
				s.failed(s.put(), "ZonalAllocationFailed")
				s.done(s.send(http.MethodPut, groups+"/g2", `{"location":"eastus"}`))
				const regional = groups + "/g2/capacityReservations/r"
				s.failed(s.send(http.MethodPut, regional, reservationBody("zones", nil)), "AllocationFailed")
			},
			rejected: func(s *stage) {
				in := newStageWith(s.t, azuresim.Options{Overconstrained: true})
				in.stock(0)
				in.done(in.putGroup())
				in.failed(in.put(), "OverconstrainedZonalAllocationRequest")
				at := newStageWith(s.t, azuresim.Options{StockAtOnce: true})
				at.stock(0)
				at.done(at.putGroup())
				at.refused(at.put(), http.StatusConflict, "ZonalAllocationFailed")
				at.refused(at.get(one), http.StatusNotFound, "ResourceNotFound")
				s.stock(0)
				s.done(s.putGroup())
				s.failed(s.put(), "ZonalAllocationFailed")
				s.refused(s.send(http.MethodDelete, own, ""), http.StatusConflict, "CannotDeleteResource")
			},
		},
		"azure-6-quota": {accepted: quotaAccepted, rejected: quotaRejected},
		"azure-6-throttle": {
			accepted: func(s *stage) {
				s.ok(s.world.SetRate(sim.Rate{Cloud: "azure", PerSecond: 1, Burst: 1}))
				s.accepted(s.get(inGroup), http.StatusOK)
				s.tells(s.refused(s.get(inGroup), http.StatusTooManyRequests, "SubscriptionRequestsThrottled"), "Retry-After")
				s.ok(s.world.Advance(time.Second))
				s.accepted(s.get(inGroup), http.StatusOK)
			},
			rejected: func(s *stage) {
				in := newStageWith(s.t, azuresim.Options{ComputeThrottles: true})
				in.ok(in.world.SetRate(sim.Rate{Cloud: "azure", PerSecond: 1, Burst: 1}))
				in.get(inGroup)
				in.refused(in.get(inGroup), http.StatusTooManyRequests, "TooManyRequests")
				s.fault(sim.Fault{Status: 429, Code: "TooManyRequests", RetryAfter: sim.RetryAfter(2 * time.Minute), Times: 1})
				if got := s.get(inGroup); got.header.Get("Retry-After") != "120" {
					s.t.Error(got.header)
				}
				s.exhausted()
			},
		},
	}
}

// exhausted sends deletes until the bucket of 200, which fills by 10 each second
// of wall time too, is empty.
func (s *stage) exhausted() {
	s.t.Helper()
	for range 3000 {
		if got := s.send(http.MethodDelete, one, ""); got.status == http.StatusTooManyRequests {
			s.tells(s.refused(got, http.StatusTooManyRequests, "SubscriptionRequestsThrottled"), "Retry-After")
			return
		}
	}
	s.t.Error("it was never refused")
}

func quotaAccepted(s *stage) {
	s.quota(familyA100, 72, 0)
	s.create()
	s.refused(s.patch("sku.capacity", 4), http.StatusConflict, "OperationNotAllowed")
	s.capacities(2, 2, "Succeeded")
	s.done(s.patch("sku.capacity", 3))
	in := newStageWith(s.t, azuresim.Options{QuotaInOperation: true})
	in.quota(familyA100, 24, 0)
	in.done(in.putGroup())
	in.failed(in.put(), "OperationNotAllowed")
	s.capacities(3, 3, "Succeeded")
}

func quotaRejected(s *stage) {
	s.done(s.putGroup())
	s.quota("cores", 47, 0)
	got := s.refused(s.put(), http.StatusConflict, "OperationNotAllowed")
	if !strings.Contains(got.body, "exceeding approved Total Regional Cores quota") {
		s.t.Error(got.body)
	}
	s.quota("cores", 1000, 0)
	s.quota(familyA100, 58, 10.0)
	s.done(s.put())
	got = s.refused(s.patch("sku.capacity", 3), http.StatusConflict, "OperationNotAllowed")
	for _, part := range []string{
		"exceeding approved " + familyA100 + " Cores quota", "Location: eastus, Current Limit: 58, Current Usage: 58, Additional Required: 24, ",
		"(Minimum) New Limit Required: 82.",
	} {
		if !strings.Contains(got.body, part) {
			s.t.Errorf("no %q in %s", part, got.body)
		}
	}
}
