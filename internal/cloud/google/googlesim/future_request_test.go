package googlesim_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestFutureRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pairs  []any
		reason string
	}{
		"no name":          {[]any{"name", nil}, "required"},
		"bad name":         {[]any{"name", "F_1"}, "invalid"},
		"no window":        {[]any{"timeWindow", nil}, "required"},
		"no start":         {[]any{startField, nil}, "required"},
		"no end":           {[]any{endField, nil}, "required"},
		"start in words":   {[]any{startField, "soon"}, "invalid"},
		"no machines":      {[]any{"specificSkuProperties", nil}, "required"},
		"no count":         {[]any{countField, nil}, "required"},
		"none":             {[]any{countField, 0}, "invalid"},
		"no type":          {[]any{typeField, nil}, "required"},
		"unknown type":     {[]any{typeField, "a9-highgpu-8g"}, "invalid"},
		"type of another":  {[]any{typeField, "g4-standard-48"}, "invalid"},
		"template":         {[]any{"specificSkuProperties.instanceProperties", nil, "specificSkuProperties.sourceInstanceTemplate", "t1"}, "notFound"},
		"unknown planning": {[]any{"planningStatus", "DONE"}, "invalid"},
		"unknown field":    {[]any{"zones", "x"}, "invalid"},
		"dense a2":         {[]any{typeField, "a2-highgpu-8g", "deploymentType", "DENSE"}, "invalid"},
		"commitment":       {[]any{"commitmentInfo", fields{"commitmentName": "c1"}}, "invalid"},
		"colocated":        {[]any{"colocationResource", "projects/p1/zones/z/futureReservations/f2"}, "invalid"},
		"chips":            {[]any{"aggregateReservation", fields{"vmFamily": "VM_FAMILY_CLOUD_TPU_POD_SLICE_CT5P"}}, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			got := s.ask(futureBody(test.pairs...))
			if got.status < 400 || got.reason() != test.reason {
				t.Errorf("got %d %s, want %s", got.status, got.body, test.reason)
			}
			s.refused(s.future(), http.StatusNotFound, "notFound")
		})
	}
}

func TestFutureTwice(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const request = "?requestId=6e5f1f3b-43d2-4c73-a0c5-6a6e4d4f2a10"
	first := s.accepted(s.send(http.MethodPost, futures+request, futureBody()))
	s.refused(s.ask(futureBody()), http.StatusConflict, "alreadyExists")
	s.refused(s.future(), http.StatusNotFound, "notFound")
	s.says(s.accepted(s.send(http.MethodPost, futures+request, futureBody())), first.at("name"), "name")
	s.done(first)
	s.refused(s.ask(futureBody()), http.StatusConflict, "alreadyExists")
}

func TestFutureThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create()
	for _, got := range []reply{
		s.future(), s.cancel(), s.drop(), s.amend("description", "description", "new"),
		s.send(http.MethodGet, futures+"/r1", ""),
	} {
		s.refused(got, http.StatusNotFound, "notFound")
	}
}

func TestFutureLists(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.ask(futureBody("name", "f2")))
	s.done(s.ask(futureBody()))
	s.accepted(s.ask(futureBody("name", "f3")))
	got := s.says(s.accepted(s.send(http.MethodGet, futures+"?maxResults=1", "")), "f1", "items", 0, "name")
	token, _ := got.at("nextPageToken").(string)
	got = s.says(s.accepted(s.send(http.MethodGet, futures+"?maxResults=1&pageToken="+token, "")), "f2", "items", 0, "name")
	s.says(got, nil, "nextPageToken")
	got = s.accepted(s.send(http.MethodGet, "p1/aggregated/futureReservations?filter=name%3Df2", ""))
	s.says(got, "f2", "items", "zones/"+zone, "futureReservations", 0, "name")
	s.says(got, nil, "items", "zones/"+zone, "futureReservations", 1)
	s.says(got, "NO_RESULTS_ON_PAGE", "items", "zones/us-central1-b", "warning", "code")
	s.says(s.accepted(s.send(http.MethodGet, "p2/zones/"+zone+"/futureReservations", "")), nil, "items")
}

func TestFutureEchoesWhatItIs(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.ask(futureBody("schedulingType", "FLEXIBLE", "enableEmergentMaintenance", false, "specificReservationRequired", nil,
		"deploymentType", "DENSE", typeField, "a3-megagpu-8g", "description", nil, "autoDeleteAutoCreatedReservations", nil)))
	got := s.accepted(s.future())
	for field, want := range map[string]any{
		"schedulingType": nil, "enableEmergentMaintenance": nil, "specificReservationRequired": false, "deploymentType": "DENSE",
		"description": nil, deleteField: nil, "reservationMode": nil, "shareSettings": nil, "kind": "compute#futureReservation",
	} {
		s.says(got, want, field)
	}
	s.finish()
	s.changed("specificSkuProperties.totalCount", countField, 1)
	s.says(s.in("APPROVED"), nil, "description")
	s.start()
	got = s.says(s.send(http.MethodGet, delivered, ""), "DENSE", "deploymentType")
	s.says(got, 1, "resourceStatus", "reservationBlockCount")
}

// TestLockedAtTheApproval is a request that is approved after the lock time
// that its start would give it.
func TestLockedAtTheApproval(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.ask(futureBody(starting(2 * time.Hour)...)))
	s.finish()
	s.says(s.in("PROCURING"), rfc(now().Add(2*time.Second)), "status", "lockTime")
}

func TestApprovedTooLate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.ask(futureBody()))
	s.force("PENDING_AMENDMENT_APPROVAL")
	s.finish()
	s.in("APPROVED")
	s.force("PENDING_APPROVAL")
	s.until(opens().Add(-time.Millisecond))
	s.force("PENDING_APPROVAL")
	s.finish()
	s.in("DECLINED")
}

func TestCancelInReview(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stockOfA3(9)
	s.approved(calendarBody())
	s.fault(sim.Fault{Operation: "compute.futureReservations.cancel", OperationTakes: new(sim.Duration)})
	s.done(s.amend(typeField, typeField, "a3-highgpu-4g"))
	s.in("PENDING_AMENDMENT_APPROVAL")
	s.accepted(s.cancel())
	s.in("CANCELLED")
	s.left(9)
}
