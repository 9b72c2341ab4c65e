package google_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	getFuture    = "GET futureReservations/train"
	postFuture   = "POST futureReservations"
	patchFuture  = "PATCH futureReservations/train"
	cancelFuture = "POST futureReservations/train/cancel"
	deleteFuture = "DELETE futureReservations/train"
	getMade      = "GET reservations/train"
	deleteMade   = "DELETE reservations/train"
	listFutures  = "GET aggregated/futureReservations"

	trainFuture = place + "/futureReservations/train"
	deliveredTo = `,"autoCreatedReservations":["https://www.googleapis.com/compute/v1/` + train + `"]`
)

// The stub's clock is at 2031-03-01; the window lies ten days later.
var (
	startAt = time.Date(2031, 3, 11, 0, 0, 0, 0, time.UTC)
	endAt   = time.Date(2031, 3, 13, 0, 0, 0, 0, time.UTC)
	lockAt  = time.Date(2031, 3, 4, 0, 0, 0, 0, time.UTC)
)

const locksAt = `,"lockTime":"2031-03-04T00:00:00Z"`

// status is the status of a future reservation; rest is further fields, each with
// a comma before it.
func status(native, rest string) string {
	return fmt.Sprintf(`,"status":{"procurementStatus":%q%s}`, native, rest)
}

// planned is a future reservation named train of two instances; rest is fields
// that it has otherwise.
func planned(rest string) answer { return answer{body: plannedBody(rest)} }

func plannedBody(rest string) string {
	fields := map[string]json.RawMessage{}
	base := fmt.Sprintf(`{"kind":"compute#futureReservation","id":"1","name":"train","planningStatus":"SUBMITTED",
		"creationTimestamp":"2031-02-28T16:00:00.000-08:00","reservationName":"train","reservationMode":"DEFAULT",
		"zone":"https://www.googleapis.com/compute/v1/projects/%s/zones/%s","description":%q,"specificReservationRequired":true,
		"timeWindow":{"startTime":"2031-03-11T00:00:00Z","endTime":"2031-03-13T00:00:00Z"},
		"specificSkuProperties":{"totalCount":"2","instanceProperties":{"machineType":"a3-highgpu-8g"}}}`, home, zone, ours)
	for _, part := range []string{base, "{" + strings.TrimPrefix(rest, ",") + "}"} {
		if err := json.Unmarshal([]byte(part), &fields); err != nil {
			panic(err)
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// noFutures is a project without future reservations.
func noFutures() []answer {
	return []answer{{body: `{"kind":"compute#futureReservationsAggregatedListResponse"}`}}
}

func futureRef() cloud.Ref { return cloud.Ref{NativeID: trainFuture} }

func TestFutureStates(t *testing.T) {
	t.Parallel()
	type bounds struct{ committed, free time.Time }
	never, until, untilLock := bounds{}, bounds{endAt, time.Time{}}, bounds{endAt, lockAt}
	tests := []struct {
		native, rest string
		at           time.Time
		state        cloud.State
		bounds       bounds
		missing      int
		locked       bool
	}{
		{native: "DRAFTING", state: cloud.Pending, bounds: never},
		{native: "PENDING_APPROVAL", state: cloud.Pending, bounds: never},
		{native: "PENDING_APPROVAL", rest: locksAt, state: cloud.Pending, bounds: untilLock},
		{native: "APPROVED", rest: locksAt, state: cloud.Held, bounds: untilLock},
		{native: "COMMITTED", rest: locksAt, state: cloud.Held, bounds: untilLock},
		{native: "PENDING_AMENDMENT_APPROVAL", rest: locksAt, state: cloud.Held, bounds: untilLock},
		{native: "APPROVED", rest: locksAt, at: lockAt.Add(-time.Second), state: cloud.Held, bounds: untilLock},
		{native: "APPROVED", rest: locksAt, at: lockAt, state: cloud.Held, bounds: untilLock, locked: true},
		{native: "PROCURING", rest: locksAt, state: cloud.Held, bounds: untilLock, locked: true},
		{native: "PROVISIONING", state: cloud.Held, bounds: until, locked: true},
		{native: "FULFILLED", state: cloud.Held, bounds: until, locked: true},
		{native: "FAILED_PARTIALLY_FULFILLED", rest: `,"fulfilledCount":"1"`, state: cloud.Held, bounds: until, missing: 1, locked: true},
		{native: "FAILED_PARTIALLY_FULFILLED", rest: `,"fulfilledCount":"3"`, state: cloud.Held, bounds: until, locked: true},
		{native: "DECLINED", state: cloud.Refused},
		{native: "FAILED", state: cloud.Refused},
		{native: "CANCELLED", rest: locksAt, state: cloud.Gone},
		{native: "SOMETHING_NEW", state: cloud.Unrecognized, bounds: never},
		{native: "FULFILLED", at: endAt, state: cloud.Ended},
		{native: "FULFILLED", at: endAt.Add(-time.Second), state: cloud.Held, bounds: until, locked: true},
		{native: "FAILED_PARTIALLY_FULFILLED", rest: `,"fulfilledCount":"1"`, at: endAt, state: cloud.Ended, missing: 1},
		{native: "CANCELLED", at: endAt, state: cloud.Gone},
		{native: "DECLINED", at: endAt, state: cloud.Refused},
	}
	for _, tt := range tests {
		s := newStub(t, map[string][]answer{getFuture: {planned(status(tt.native, tt.rest))}})
		if !tt.at.IsZero() {
			s.jump.Advance(tt.at.Sub(s.jump.Now()))
		}
		got, err := s.driver().Get(t.Context(), futureRef())
		if err != nil || got.State != tt.state || got.NativeState != tt.native || got.Missing != tt.missing {
			t.Errorf("%s%s at %s: %s, missing %d, %v; want %s", tt.native, tt.rest, tt.at, got.State, got.Missing, err, tt.state)
		}
		if b := (bounds{got.CommittedUntil, got.FreeUntil}); b != tt.bounds {
			t.Errorf("%s%s at %s: bound %v, want %v", tt.native, tt.rest, tt.at, b, tt.bounds)
		}
		if got.Locked != tt.locked {
			t.Errorf("%s%s at %s: locked is %t, want %t", tt.native, tt.rest, tt.at, got.Locked, tt.locked)
		}
	}
}

// TestGetFuture: a future reservation and what it created are one.
func TestGetFuture(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		getFuture: {planned(`,"reservationMode":"CALENDAR","deploymentType":"DENSE"` + status("FULFILLED", locksAt+deliveredTo))},
		getMade:   {object(`,"description":""`)},
	})
	got, err := s.driver().Get(t.Context(), futureRef())
	want := cloud.Reservation{
		Ref: futureRef(), AccountID: home, Region: "us-central1", Zone: zone, Kind: cloud.Block, InstanceType: "a3-highgpu-8g",
		Count: 2, InUse: 1, Match: cloud.Targeted, State: cloud.Held, NativeState: "FULFILLED",
		CreatedAt: time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC), StartsAt: startAt, EndsAt: endAt, UsableUntil: endAt,
		Mark: cloud.Mark{Owner: "team/ml", Name: "train", Type: "gpu_reservation"}, NativeName: "train",
		Native:         map[string]string{"deployment_type": "dense", "min_cpu_platform": ""},
		CommittedUntil: endAt, FreeUntil: lockAt, Locked: true,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("Get: %v (-want +got):\n%s", err, diff)
	}
	// What it created may be gone by itself, or not be readable.
	s = newStub(t, map[string][]answer{getFuture: {planned(status("FULFILLED", deliveredTo))}, getMade: {notFound()}})
	if got, err := s.driver().Get(t.Context(), futureRef()); err != nil || got.InUse != 0 || got.State != cloud.Held {
		t.Errorf("without what it created: %+v, %v", got, err)
	}
	s = newStub(t, map[string][]answer{getFuture: {planned(status("FULFILLED", deliveredTo))}, getMade: {refusal(403, "forbidden", "no")}})
	if got, err := s.driver().Get(t.Context(), futureRef()); cloud.CodeOf(err) != cloud.PermissionDenied {
		t.Errorf("without permission: %+v, %v", got, err)
	}
	s = newStub(t, map[string][]answer{getFuture: {planned(status("FULFILLED", deliveredTo))}, getMade: {{body: `{}`}}})
	if got, err := s.driver().Get(t.Context(), futureRef()); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("the use of what it created was not told: %+v, %v", got, err)
	}
	s = newStub(t, map[string][]answer{getFuture: {{body: `{"name":"train"}`}}})
	if got, err := s.driver().Get(t.Context(), futureRef()); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("of no zone: %+v, %v", got, err)
	}
	s = newStub(t, map[string][]answer{getFuture: {notFound()}})
	if got, err := s.driver().Get(t.Context(), futureRef()); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("unknown: %+v, %v", got, err)
	}
}

// TestFutureWindow: a window of a duration comes back with nanoseconds, which
// cannot be asked for (recorded traffic of a public client's tests).
func TestFutureWindow(t *testing.T) {
	t.Parallel()
	for window, want := range map[string]time.Time{
		`"endTime":"2031-03-13T00:00:00.000000101Z"`:      endAt,
		`"endTime":"2031-03-12T17:00:00.500-07:00"`:       endAt.Add(500 * time.Millisecond),
		`"duration":{"seconds":"172800"}`:                 endAt,
		`"duration":{"seconds":"172799","nanos":999}`:     endAt.Add(-time.Second),
		`"endTime":"later","duration":{"seconds":"3600"}`: startAt.Add(time.Hour),
	} {
		shows := `,"timeWindow":{"startTime":"2031-03-11T00:00:00.000000101Z",` + window + `}`
		s := newStub(t, map[string][]answer{getFuture: {planned(shows + status("APPROVED", ""))}})
		got, err := s.driver().Get(t.Context(), futureRef())
		if err != nil || !got.StartsAt.Equal(startAt) || !got.EndsAt.Equal(want) {
			t.Errorf("%s: from %s to %s, %v; want the end %s", window, got.StartsAt, got.EndsAt, err, want)
		}
	}
}

func futureRequest(kind cloud.Kind) cloud.CreateRequest {
	req := request()
	req.Spec.Kind, req.Spec.InstanceType = kind, "a3-highgpu-8g"
	req.Spec.StartAt = startAt
	req.Spec.Duration = 48 * time.Hour
	return req
}

// TestCreateFuture: exactly what is sent.
func TestCreateFuture(t *testing.T) {
	t.Parallel()
	for kind, mode := range map[cloud.Kind]string{cloud.Scheduled: "DEFAULT", cloud.Block: "CALENDAR"} {
		s := newStub(t, map[string][]answer{
			postFuture: {done()},
			getFuture:  {planned(`,"reservationMode":"` + mode + `"` + status("PENDING_APPROVAL", ""))},
		})
		req := futureRequest(kind)
		req.Spec.Duration, req.Spec.EndAt = 0, endAt.Add(500*time.Millisecond)
		req.Spec.ShareWith = []string{"proj-beta"}
		req.Spec.Native = map[string]string{"deployment_type": "dense"}
		got, err := s.driver().Create(t.Context(), req)
		if err != nil || got.State != cloud.Pending || got.Kind != kind || got.Ref != futureRef() {
			t.Errorf("Create of a %s = %+v, %v", kind, got, err)
		}
		sent := s.all(postFuture)
		if len(sent) != 1 || sent[0].query.Get("requestId") == "" {
			t.Fatalf("sent %+v", sent)
		}
		sameJSON(t, sent[0].body, `{"name":"train","reservationName":"train","planningStatus":"SUBMITTED","reservationMode":"`+mode+`",
			"description":"`+ours+`","autoDeleteAutoCreatedReservations":true,"specificReservationRequired":true,"deploymentType":"DENSE",
			"specificSkuProperties":{"totalCount":"2","instanceProperties":{"machineType":"a3-highgpu-8g"}},
			"timeWindow":{"startTime":"2031-03-11T00:00:00Z","endTime":"2031-03-13T00:00:00.500Z"},
			"shareSettings":{"shareType":"SPECIFIC_PROJECTS","projectMap":{"proj-beta":{"projectId":"proj-beta"}}}}`)
	}
}

func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Fatalf("%q: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatalf("%q: %v", want, err)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

// TestCreateFutureTaken: the name tells an earlier try from another's object.
func TestCreateFutureTaken(t *testing.T) {
	t.Parallel()
	exists := refusal(409, "alreadyExists", "The resource '"+trainFuture+"' already exists")
	for name, tt := range map[string]struct {
		shows    string
		code     cloud.Code
		mismatch bool
	}{
		"ours":          {status("APPROVED", locksAt), "", false},
		"other window":  {`,"timeWindow":{"startTime":"2031-03-11T00:00:01Z","endTime":"2031-03-13T00:00:00Z"}` + status("APPROVED", ""), cloud.Conflict, true},
		"other mode":    {`,"reservationMode":"CALENDAR"` + status("APPROVED", ""), cloud.Conflict, true},
		"without mark":  {`,"description":"nightly"` + status("APPROVED", ""), cloud.Conflict, false},
		"other owner's": {`,"description":"gpulock/v1 type=gpu_reservation owner=x name=train"` + status("APPROVED", ""), cloud.Conflict, false},
	} {
		s := newStub(t, map[string][]answer{postFuture: {exists}, getFuture: {planned(tt.shows)}})
		got, err := s.driver().Create(t.Context(), futureRequest(cloud.Scheduled))
		if cloud.CodeOf(err) != tt.code {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, tt.code)
			continue
		}
		if e, ok := err.(*cloud.Error); ok && e.TokenMismatch != tt.mismatch { //nolint:errorlint // The driver returns it bare.
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestListMerges(t *testing.T) {
	t.Parallel()
	reservations := func(items ...string) answer {
		return answer{body: fmt.Sprintf(`{"kind":"compute#reservationAggregatedList","items":{"zones/%s":{"reservations":[%s]}}}`, zone, strings.Join(items, ","))}
	}
	futures := func(items ...string) answer {
		return answer{body: fmt.Sprintf(`{"kind":"compute#futureReservationsAggregatedListResponse","items":{"zones/%s":{"futureReservations":[%s]}}}`,
			zone, strings.Join(items, ","))}
	}
	byNumber := strings.Replace(deliveredTo, "projects/"+home, "projects/123456", 1)
	s := newStub(t, map[string][]answer{
		list: {reservations(shown(""), shown(`,"name":"other"`))},
		listFutures: {
			futures(plannedBody(status("FULFILLED", byNumber)), plannedBody(`,"name":"later"`+status("APPROVED", ""))),
		},
	})
	got, err := s.driver().List(t.Context(), cloud.Scope{})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	use := map[string]int{}
	for _, r := range got {
		use[r.Ref.NativeID] = r.InUse
	}
	want := map[string]int{trainFuture: 1, place + "/futureReservations/later": 0, place + "/reservations/other": 1}
	if diff := cmp.Diff(want, use); diff != "" || len(got) != 3 {
		t.Errorf("in use (-want +got):\n%s", diff)
	}
}

// TestListWithoutFutures: who may not see future reservations lists the others,
// but is never told that there are none.
func TestListWithoutFutures(t *testing.T) {
	t.Parallel()
	for kind, want := range map[cloud.Kind]cloud.Code{
		cloud.OnDemand: "", cloud.Scheduled: cloud.PermissionDenied, cloud.Block: cloud.PermissionDenied, "": cloud.PermissionDenied,
	} {
		s := newStub(t, map[string][]answer{
			list:        {{body: `{"kind":"compute#reservationAggregatedList"}`}},
			listFutures: {refusal(403, "forbidden", "Required 'compute.futureReservations.list' permission")},
		})
		if got, err := s.driver().List(t.Context(), cloud.Scope{Kind: kind}); cloud.CodeOf(err) != want {
			t.Errorf("List of kind %q = %v, %v; want %q", kind, got, err, want)
		}
	}
	for name, body := range map[string]string{
		"empty":      `{}`,
		"unreached":  `{"kind":"k","unreachables":["zones/us-central1-a"]}`,
		"cut":        `{"kind":"k","warning":{"code":"UNREACHABLE","message":"later"}}`,
		"cut inside": `{"kind":"k","items":{"zones/us-central1-a":{"warning":{"code":"UNREACHABLE","message":"later"}}}}`,
	} {
		s := newStub(t, map[string][]answer{list: {{body: `{"kind":"k"}`}}, listFutures: {{body: body}}})
		if got, err := s.driver().List(t.Context(), cloud.Scope{Kind: cloud.OnDemand}); cloud.CodeOf(err) != cloud.Internal {
			t.Errorf("%s: List = %v, %v", name, got, err)
		}
	}
}
