package googlesim_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	futures  = "p1/zones/" + zone + "/futureReservations"
	futureID = "projects/p1/zones/us-central1-a/futureReservations/f1"
	// delivered is what futureBody is delivered in.
	delivered = collection + "/r-of-f1"
)

const day = 24 * time.Hour

// opens and closes bound the period of futureBody.
func opens() time.Time { return now().Add(10 * day) }

func closes() time.Time { return opens().Add(2 * day) }

func rfc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z") }

// futureBody is the plainest submitted request; pairs are as for insertBody.
func futureBody(pairs ...any) string {
	body := fields{
		"name": "f1", "planningStatus": "SUBMITTED", "reservationName": "r-of-f1", "specificReservationRequired": true,
		"autoDeleteAutoCreatedReservations": true, "description": "text",
		"specificSkuProperties": fields{"totalCount": "2", "instanceProperties": fields{"machineType": "a3-highgpu-8g"}},
		"timeWindow":            fields{"startTime": rfc(opens()), "endTime": rfc(closes())},
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		set(body, strings.Split(path, "."), pairs[i+1])
	}
	return encode(body)
}

// calendarBody is the plainest request in calendar mode.
func calendarBody(pairs ...any) string {
	return futureBody(append([]any{"reservationMode", "CALENDAR"}, pairs...)...)
}

func (s *stage) ask(body string) reply {
	s.t.Helper()
	return s.send(http.MethodPost, futures, body)
}

func (s *stage) future() reply {
	s.t.Helper()
	return s.send(http.MethodGet, futures+"/f1", "")
}

func (s *stage) cancel() reply {
	s.t.Helper()
	return s.send(http.MethodPost, futures+"/f1/cancel", "")
}

func (s *stage) drop() reply {
	s.t.Helper()
	return s.send(http.MethodDelete, futures+"/f1", "")
}

// amend updates f1 by a mask; pairs are as for insertBody.
func (s *stage) amend(mask string, pairs ...any) reply {
	s.t.Helper()
	body := fields{"name": "f1"}
	for i := 0; i+1 < len(pairs); i += 2 {
		path, _ := pairs[i].(string)
		set(body, strings.Split(path, "."), pairs[i+1])
	}
	return s.send(http.MethodPatch, futures+"/f1?updateMask="+mask, encode(body))
}

// approved makes f1 and lets it be approved.
func (s *stage) approved(body string) {
	s.t.Helper()
	s.done(s.ask(body))
	s.finish()
	s.in("APPROVED")
}

// in fails unless f1 has that procurement status.
func (s *stage) in(status string) reply {
	s.t.Helper()
	return s.says(s.future(), status, "status", "procurementStatus")
}

func (s *stage) until(t time.Time) {
	s.t.Helper()
	s.ok(s.world.SetClock(t))
}

// lock lets the lock time of f1 come.
func (s *stage) lock() {
	s.t.Helper()
	s.until(opens().Add(-day))
	s.in("PROCURING")
}

// start lets f1 be delivered.
func (s *stage) start() {
	s.t.Helper()
	s.until(opens())
	s.finish()
}

// stockOfA3 limits what futureBody asks for.
func (s *stage) stockOfA3(available int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{
		Cloud: "google", Region: "us-central1", Zone: zone, InstanceType: "a3-highgpu-8g", Available: &available,
	}))
}

// left fails unless so many a3-highgpu-8g can still be reserved: one more than
// that cannot.
func (s *stage) left(want int) {
	s.t.Helper()
	reserve := func(name string, count int) reply {
		return s.operation(s.accepted(s.post("name", name, "specificReservation.count", count,
			"specificReservation.instanceProperties.machineType", "a3-highgpu-8g")))
	}
	if want > 0 {
		if got := reserve("fits", want); got.at("error") != nil {
			s.t.Errorf("%d are not left: %s", want, got.body)
		}
		s.done(s.send(http.MethodDelete, collection+"/fits", ""))
	}
	if got := reserve("too-many", want+1); got.at("error") == nil {
		s.t.Errorf("more than %d are left", want)
	}
}

func TestFutureByStock(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		// atReview and atStart are what there is.
		atReview, atStart int
		// reviewed and ended are the statuses after each.
		reviewed, ended string
		fulfilled       any
		// left is the stock at the end.
		left int
	}{
		"enough":                  {futureBody(), 3, 3, "APPROVED", "FULFILLED", "2", 1},
		"too little":              {futureBody(), 1, 3, "DECLINED", "DECLINED", nil, 3},
		"gone until the start":    {futureBody(), 3, 0, "APPROVED", "FAILED", "0", 0},
		"a part until the start":  {futureBody(), 3, 1, "APPROVED", "FAILED_PARTIALLY_FULFILLED", "1", 0},
		"calendar is put aside":   {calendarBody(), 2, -1, "APPROVED", "FULFILLED", "2", 0},
		"calendar without enough": {calendarBody(), 1, -1, "DECLINED", "DECLINED", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stockOfA3(test.atReview)
			s.done(s.ask(test.body))
			s.finish()
			s.in(test.reviewed)
			if test.atStart >= 0 {
				s.stockOfA3(test.atStart)
			}
			s.start()
			s.says(s.in(test.ended), test.fulfilled, "status", "fulfilledCount")
			s.left(test.left)
		})
	}
}

func TestFutureGivesItsStockBack(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *stage){
		"canceled": func(s *stage) { s.done(s.cancel()) },
		"canceled and deleted": func(s *stage) {
			s.done(s.cancel())
			s.done(s.drop())
		},
		"forced to fail": func(s *stage) { s.force("FAILED") },
		"over":           func(s *stage) { s.start(); s.until(closes()) },
		"fewer": func(s *stage) {
			s.changed("specific_sku_properties.total_count", "specificSkuProperties.totalCount", 1)
			s.left(1)
			s.done(s.cancel())
		},
		"more than there are": func(s *stage) {
			s.changed("specific_sku_properties.total_count", "specificSkuProperties.totalCount", 9)
			s.left(0)
			s.done(s.cancel())
		},
		"another type": func(s *stage) {
			const path = "specificSkuProperties.instanceProperties.machineType"
			s.changed(path, path, "a3-highgpu-4g")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stockOfA3(2)
			s.approved(calendarBody())
			s.left(0)
			end(s)
			s.left(2)
		})
	}
}

// changed amends f1 and lets the amendment be decided.
func (s *stage) changed(mask, path string, value any) {
	s.t.Helper()
	s.done(s.amend(mask, path, value))
	s.finish()
}

func (s *stage) force(status string) {
	s.t.Helper()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: futureID, Status: &status}))
}

func TestFutureStatusByForce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status string
		made   bool
		left   int
	}{
		{"DECLINED", false, 5},
		{"FAILED", false, 5},
		{"CANCELLED", false, 5},
		{"COMMITTED", false, 5},
		{"FULFILLED", true, 3},
		{"FAILED_PARTIALLY_FULFILLED", true, 4},
	} {
		t.Run(test.status, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stockOfA3(5)
			s.approved(futureBody())
			s.force(test.status)
			s.in(test.status)
			got := s.send(http.MethodGet, delivered, "")
			if made := got.status == http.StatusOK; made != test.made {
				t.Errorf("the reservation is there: %t", made)
			}
			s.left(test.left)
		})
	}
}

func TestFutureIsForcedBackOnItsWay(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stockOfA3(0)
	s.done(s.ask(futureBody()))
	s.finish()
	s.in("DECLINED")
	s.force("APPROVED")
	s.stockOfA3(2)
	s.start()
	s.in("FULFILLED")
}

func TestFutureOptions(t *testing.T) {
	t.Parallel()
	slow := newStageWith(t, googlesim.Options{Future: googlesim.FutureOptions{ReviewTakes: day, LockLead: 3 * day, ProvisionTakes: time.Hour}})
	slow.done(slow.ask(futureBody()))
	slow.finish()
	slow.in("PENDING_APPROVAL")
	slow.ok(slow.world.Advance(day))
	slow.says(slow.in("APPROVED"), rfc(opens().Add(-3*day)), "status", "lockTime")
	slow.start()
	slow.in("PROVISIONING")
	slow.ok(slow.world.Advance(time.Hour))
	slow.in("FULFILLED")

	declining := newStageWith(t, googlesim.Options{Future: googlesim.FutureOptions{Declined: true}})
	declining.done(declining.ask(futureBody()))
	declining.finish()
	declining.in("DECLINED")

	overlapping := newStageWith(t, googlesim.Options{Future: googlesim.FutureOptions{OverlapRefused: true}})
	overlapping.done(overlapping.ask(futureBody()))
	overlapping.invalid(overlapping.ask(futureBody("name", "f2")))
	overlapping.accepted(overlapping.ask(futureBody("name", "f2", "timeWindow.startTime", rfc(closes()), "timeWindow.endTime", rfc(closes().Add(day)))))

	fixed := newStageWith(t, googlesim.Options{Future: googlesim.FutureOptions{CalendarFixed: true}})
	fixed.approved(calendarBody())
	fixed.invalid(fixed.cancel())
	fixed.invalid(fixed.drop())
	fixed.invalid(fixed.amend("description", "description", "new"))
}

// declining has the next call of a method be declined in its review.
func (s *stage) declining(operation string) {
	s.t.Helper()
	s.fault(sim.Fault{Operation: operation, Times: 1, OperationError: &sim.OperationError{Code: "DECLINED"}})
}

func TestFutureDeclinedByFault(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.declining("compute.futureReservations.insert")
	s.done(s.ask(futureBody()))
	s.finish()
	s.in("DECLINED")

	s = newStage(t)
	s.approved(futureBody())
	s.declining("compute.futureReservations.update")
	s.changed("description", "description", "new")
	got := s.says(s.in("APPROVED"), "text", "description")
	s.says(got, "AMENDMENT_DECLINED", "status", "amendmentStatus")
	s.changed("description", "description", "new")
	got = s.says(s.in("APPROVED"), "new", "description")
	s.says(got, "AMENDMENT_APPROVED", "status", "amendmentStatus")
}

func TestFailedFutureOperations(t *testing.T) {
	t.Parallel()
	failing := func(s *stage, operation string) {
		s.t.Helper()
		s.fault(sim.Fault{Operation: operation, Times: 1, OperationError: &sim.OperationError{Code: "INTERNAL_ERROR", HTTPStatus: 500}})
	}
	s := newStage(t)
	failing(s, "compute.futureReservations.insert")
	s.failed(s.ask(futureBody()), "INTERNAL_ERROR")
	s.refused(s.future(), http.StatusNotFound, "notFound")
	s.approved(futureBody())
	failing(s, "compute.futureReservations.cancel")
	s.failed(s.cancel(), "INTERNAL_ERROR")
	failing(s, "compute.futureReservations.delete")
	s.failed(s.drop(), "INTERNAL_ERROR")
	failing(s, "compute.futureReservations.update")
	s.failed(s.amend("description", "description", "new"), "INTERNAL_ERROR")
	s.says(s.in("APPROVED"), "text", "description")
}

// TestOvertakenByTheLock lets an operation start before the lock time and end
// after it.
func TestOvertakenByTheLock(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(s *stage) reply{
		"update": func(s *stage) reply { return s.amend("description", "description", "new") },
		"cancel": (*stage).cancel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.approved(futureBody())
			s.until(opens().Add(-day - time.Millisecond))
			s.failed(act(s), "RESOURCE_NOT_READY")
			s.says(s.in("PROCURING"), "text", "description")
		})
	}
}

// TestOvertakenByAnother lets two operations run at once.
func TestOvertakenByAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first       func(s *stage) reply
		status, end string
	}{
		"update": {func(s *stage) reply { return s.amend("description", "description", "first") }, "PENDING_AMENDMENT_APPROVAL", "first"},
		"cancel": {(*stage).cancel, "CANCELLED", "text"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.approved(futureBody())
			s.accepted(test.first(s))
			s.failed(s.amend("description", "description", "second"), "RESOURCE_NOT_READY")
			s.says(s.in(test.status), test.end, "description")
		})
	}
}

func TestFutureCountBehindEveryonesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.approved(futureBody())
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: futureID, Count: new(5)}))
	s.says(s.future(), "5", "specificSkuProperties", "totalCount")
	s.changed("description", "description", "new")
	s.says(s.in("APPROVED"), "5", "specificSkuProperties", "totalCount")
	s.start()
	s.says(s.in("FULFILLED"), "5", "status", "fulfilledCount")
}

func TestFutureNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pairs []any
		want  string
	}{
		"given":      {nil, "r-of-f1"},
		"prefix":     {[]any{"reservationName", nil, "namePrefix", "train"}, "train-20270311-0001"},
		"none":       {[]any{"reservationName", nil}, "f1-20270311-0001"},
		"prefix cut": {[]any{"reservationName", nil, "name", "a-name-that-is-longer-than-a-prefix"}, "a-name-that-is-longe-20270311-0001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.done(s.ask(futureBody(test.pairs...)))
			s.start()
			got := s.accepted(s.send(http.MethodGet, collection, ""))
			s.says(got, test.want, "items", 0, "name")
		})
	}
}

// TestDeliveryIntoAReservation is reservationName of one that exists.
func TestDeliveryIntoAReservation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		machineType, status, count string
		left                       int
	}{
		"same":  {"a3-highgpu-8g", "FULFILLED", "3", 6},
		"other": {"a3-highgpu-4g", "FAILED", "1", 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stockOfA3(9)
			s.done(s.post("name", "r-of-f1", "specificReservation.count", 1,
				"specificReservation.instanceProperties.machineType", test.machineType))
			s.approved(futureBody())
			s.start()
			s.in(test.status)
			s.says(s.send(http.MethodGet, delivered, ""), test.count, "specificReservation", "count")
			s.left(test.left)
		})
	}
}

func TestSeedFuture(t *testing.T) {
	t.Parallel()
	load := func(s *stage, more fields) error {
		object := fields{
			"cloud": "google", "type": "futureReservations", "native_id": futureID, "zone": zone, "instance_type": "a3-highgpu-8g",
			"count": 2, "starts_at": rfc(opens()), "ends_at": rfc(closes()),
		}
		for key, value := range more {
			object[key] = value
		}
		return s.world.Load([]byte(encode(fields{"objects": []any{object}})))
	}
	for name, test := range map[string]struct {
		more   fields
		status string
		good   bool
	}{
		"approved":   {nil, "APPROVED", true},
		"draft":      {fields{"status": "DRAFTING"}, "DRAFTING", true},
		"pending":    {fields{"status": "PENDING_APPROVAL"}, "PENDING_APPROVAL", true},
		"fulfilled":  {fields{"status": "FULFILLED", "tags": fields{"calendar": "yes"}}, "FULFILLED", true},
		"no status":  {fields{"status": "READY"}, "", false},
		"no period":  {fields{"ends_at": ""}, "", false},
		"other zone": {fields{"zone": "us-central1-b"}, "", false},
		"no zone":    {fields{"zone": "us-central1", "native_id": "f1"}, "", false},
		"no type":    {fields{"instance_type": "p5.48xlarge"}, "", false},
		"no name":    {fields{"native_id": "F1"}, "", false},
		"no machine": {fields{"count": 0}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if err := load(s, test.more); (err == nil) != test.good {
				t.Fatalf("loaded with %v", err)
			}
			if test.good {
				s.in(test.status)
			}
			got := s.send(http.MethodGet, collection+"/f1", "")
			if made := got.status == http.StatusOK; made != (test.status == "FULFILLED") {
				t.Errorf("a reservation is there: %t", made)
			}
		})
	}
}

func TestSeededFutureGoesOn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Load([]byte(encode(fields{"objects": fields{
		"cloud": "google", "type": "futureReservations", "zone": zone, "instance_type": "a3-highgpu-8g",
		"native_id": futureID, "count": 1, "starts_at": rfc(opens()), "ends_at": rfc(closes()),
	}}))))
	s.changed("specificSkuProperties.totalCount", "specificSkuProperties.totalCount", 2)
	s.start()
	s.says(s.in("FULFILLED"), "2", "specificSkuProperties", "totalCount")
}
