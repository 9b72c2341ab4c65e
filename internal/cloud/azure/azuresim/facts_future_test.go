package azuresim_test

import (
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// far is a start that can be modified until 6 April, near one that cannot.
const (
	far  = "2027-06-01T12:00:00Z"
	near = "2027-03-20T12:00:00Z"
)

func instant(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// request makes group and future reservation, which is then pending.
func (s *stage) request(pairs ...any) {
	s.t.Helper()
	s.done(s.putGroup())
	s.done(s.put(append([]any{startField, far}, pairs...)...))
}

// in demands a reservation state.
func (s *stage) in(state string) reply {
	s.t.Helper()
	return s.says(s.shown(), state, "properties", "instanceView", "reservationStateInfo", "reservationState")
}

// approved makes one that is approved.
func (s *stage) approved(pairs ...any) {
	s.t.Helper()
	s.request(pairs...)
	s.in("Pending")
	s.finish()
	s.in("Approved")
}

// until moves the clock.
func (s *stage) until(text string) {
	s.t.Helper()
	s.ok(s.world.SetClock(instant(text)))
}

func noFutures(target string, all ...[]any) func(s *stage) {
	return func(s *stage) {
		s.done(s.putGroup())
		for _, pairs := range all {
			s.invalid(s.put(append([]any{startField, far}, pairs...)...), target)
		}
		s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	}
}

func futureProofs() map[string]proof {
	return map[string]proof{
		"azure-4.2-future": {
			accepted: func(s *stage) {
				s.request()
				got := s.says(s.in("Pending"), 30, "properties", "scheduleProfile", "minimumCommitmentDays")
				s.says(s.says(got, far, "properties", "scheduleProfile", "start"), nil, "properties", "scheduleProfile", "end")
				s.capacities(2, 0, "Succeeded")
				open := newStage(s.t)
				open.done(open.putGroup("properties.reservationType", "Open"))
				open.done(open.put(startField, "2027-06-01", daysField, 35))
				open.says(open.in("Pending"), 35, "properties", "scheduleProfile", "minimumCommitmentDays")
			},
			rejected: func(s *stage) {
				noFutures("scheduleProfile.end", []any{endField, "2027-06-10"})(s)
				s.invalid(s.put("properties.scheduleProfile", fields{}), "scheduleProfile.start")
				s.done(s.put())
				s.refused(s.patch(startField, far), http.StatusConflict, "PropertyChangeNotAllowed")
				s.done(s.remove())
				s.invalid(s.put(startField, far, daysField, 0), "scheduleProfile.minimumCommitmentDays")
			},
		},
		"azure-4.2-future-version": {
			accepted: func(s *stage) {
				s.request()
				s.version = "2025-04-01"
				got := s.says(s.shown(), nil, "properties", "scheduleProfile")
				s.says(got, nil, "properties", "instanceView", "reservationStateInfo")
			},
			rejected: func(s *stage) {
				s.version = "2025-04-01"
				noFutures("scheduleProfile", nil)(s)
			},
		},
		"azure-4.2-future-start": {
			accepted: func(s *stage) {
				for _, start := range []string{"2027-03-08T12:00:01Z", "2027-08-31T12:00:00Z", "2027-03-09"} {
					own := newStage(s.t)
					own.request(startField, start)
				}
				s.request()
				s.in("Pending")
			},
			rejected: noFutures("scheduleProfile.start", []any{startField, "2027-03-08T11:59:59Z"}, []any{startField, "2027-09-02"},
				[]any{startField, "2027-02-01"}, []any{startField, "soon"}),
		},
		"azure-4.2-future-modifiable": {
			accepted: func(s *stage) {
				s.request()
				s.says(s.shown(), "2027-04-06T12:00:00Z", "properties", "scheduleProfile", "modifiableUntil")
				short := newStageWith(s.t, azuresim.Options{Future: azuresim.FutureOptions{LockLead: day}})
				short.request(startField, near)
				short.says(short.shown(), "2027-03-19T12:00:00Z", "properties", "scheduleProfile", "modifiableUntil")
			},
			rejected: func(s *stage) {
				s.request(startField, near)
				s.says(s.shown(), nil, "properties", "scheduleProfile", "modifiableUntil")
				s.refused(s.patch(startField, "2027-03-21T12:00:00Z"), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-future-quota": {
			accepted: func(s *stage) {
				s.quota(familyA100, 48, 0)
				s.approved()
				s.says(s.usage(familyA100), 0, "currentValue")
				s.until(far)
				s.says(s.usage(familyA100), 48, "currentValue")
			},
			rejected: func(s *stage) {
				s.quota(familyA100, 47, 0)
				s.done(s.putGroup())
				s.refused(s.put(startField, far), http.StatusConflict, "OperationNotAllowed")
			},
		},
	}
}

func futureLifeProofs() map[string]proof {
	return map[string]proof{
		"azure-4.2-future-states": {
			accepted: func(s *stage) {
				s.stock(2)
				s.approved()
				s.until("2027-04-06T11:59:59Z")
				s.in("Approved")
				s.finish()
				s.in("Committed")
				s.left(2)
				s.until(far)
				s.in("Live")
				s.left(0)
				s.capacities(2, 2, "Succeeded")
				nearby := newStageWith(s.t, azuresim.Options{Future: azuresim.FutureOptions{CommitTakes: time.Second}})
				nearby.request(startField, near)
				nearby.ok(nearby.world.Advance(2 * time.Second))
				nearby.in("Committed")
			},
			rejected: func(s *stage) {
				s.approved(startField, near)
				s.until("2027-03-11T12:00:01Z")
				s.in("Committed")
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-future-declined": {
			accepted: func(s *stage) {
				s.fault(sim.Fault{OperationError: &sim.OperationError{Code: "Declined"}, Times: 1})
				s.send(http.MethodPut, own, groupBody())
				s.finish()
				s.stock(1)
				s.done(s.put(startField, far))
				s.finish()
				s.in("Declined")
				s.ok(s.world.Advance(100 * day))
				s.in("Declined")
				s.stock(2)
				s.done(s.patch(startField, "2027-07-01T12:00:00Z"))
				s.finish()
				s.in("Approved")
			},
			rejected: func(s *stage) {
				s.done(s.putGroup())
				s.fault(sim.Fault{OperationError: &sim.OperationError{Code: "Declined"}, Times: 1})
				s.done(s.put(startField, far))
				s.finish()
				s.in("Declined")
				s.invalid(s.patch(startField, "2027-03-02"), "scheduleProfile.start")
			},
		},
		"azure-4.2-future-short": {
			accepted: func(s *stage) {
				s.approved("sku.capacity", 3)
				s.stock(2)
				s.until(far)
				s.in("PartiallyFulfilled")
				s.left(0)
				s.capacities(3, 2, "Succeeded")
				s.done(s.patch("tags.a", "b"))
				s.capacities(3, 2, "Succeeded")
				s.in("PartiallyFulfilled")
			},
			rejected: func(s *stage) {
				s.approved()
				s.stock(0)
				s.until(far)
				s.in("FulfillmentFailed")
				s.capacities(2, 0, "Succeeded")
				partly := newStage(s.t)
				partly.done(partly.putGroup())
				partly.fault(sim.Fault{OperationError: &sim.OperationError{
					Code: "PartiallyFulfilled", Details: map[string]string{"delivered": "2"},
				}, Times: 1})
				partly.done(partly.put(startField, far, "sku.capacity", 4))
				partly.until(far)
				partly.in("PartiallyFulfilled")
				partly.capacities(4, 2, "Succeeded")
				s.refused(s.patch("sku.capacity", 1), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-future-change": {
			accepted: func(s *stage) {
				s.approved()
				s.done(s.patch(startField, "2027-07-01T12:00:00Z", daysField, 40))
				got := s.says(s.in("Pending"), "2027-05-06T12:00:00Z", "properties", "scheduleProfile", "modifiableUntil")
				s.says(got, 40, "properties", "scheduleProfile", "minimumCommitmentDays")
				s.finish()
				s.in("Approved")
				s.done(s.patch("sku.capacity", 5))
				s.finish()
				s.done(s.patch("tags.a", "b"))
				s.in("Approved")
				s.until("2027-07-01T12:00:00Z")
				s.in("Live")
				s.capacities(5, 5, "Succeeded")
			},
			rejected: func(s *stage) {
				s.approved()
				s.invalid(s.patch(startField, "2027-12-01"), "scheduleProfile.start")
				s.invalid(s.patch(endField, "2027-12-01"), "scheduleProfile.end")
				s.until("2027-04-06T12:00:00Z")
				s.refused(s.patch(startField, "2027-07-01T12:00:00Z"), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-future-locked": {
			accepted: func(s *stage) {
				s.approved()
				s.until("2027-04-06T12:00:00Z")
				s.done(s.patch("tags.a", "b"))
				s.in("Committed")
				s.until("2027-07-01T12:00:00Z")
				s.stock(1)
				s.done(s.patch("sku.capacity", 3))
				s.capacities(3, 3, "Succeeded")
				s.left(0)
				s.done(s.patch("sku.capacity", 1))
				s.left(2)
				s.in("Live")
			},
			rejected: func(s *stage) {
				s.approved()
				s.until("2027-04-06T12:00:00Z")
				s.refused(s.patch("sku.capacity", 3), http.StatusConflict, "OperationNotAllowed")
				s.until("2027-07-01T11:59:59Z")
				s.refused(s.patch("sku.capacity", 1), http.StatusConflict, "OperationNotAllowed")
				s.until("2027-07-01T12:00:00Z")
				s.stock(0)
				s.failed(s.patch("sku.capacity", 3), "ZonalAllocationFailed")
				s.capacities(3, 2, "Failed")
				s.refused(s.patch(startField, "2027-09-01"), http.StatusConflict, "OperationNotAllowed")
			},
		},
		"azure-4.2-future-delete": {
			accepted: func(s *stage) {
				for _, state := range []string{"Pending", "Approved", "Declined", "FulfillmentFailed"} {
					free := newStage(s.t)
					free.request()
					free.change(sim.ObjectPatch{Status: &state})
					free.in(state)
					free.done(free.remove())
				}
				s.stock(2)
				s.approved()
				s.until("2027-07-01T12:00:00Z")
				s.in("Live")
				s.done(s.remove())
				s.left(2)
				s.accepted(s.get(own), http.StatusOK)
			},
			rejected: func(s *stage) {
				for _, state := range []string{"Committed", "Live", "PartiallyFulfilled"} {
					bound := newStage(s.t)
					bound.request()
					bound.change(sim.ObjectPatch{Status: &state})
					bound.in(state)
					bound.refused(bound.remove(), http.StatusConflict, "OperationNotAllowed")
				}
				s.approved()
				s.until("2027-07-01T11:59:59Z")
				s.refused(s.remove(), http.StatusConflict, "OperationNotAllowed")
			},
		},
	}
}
