package google_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// vm is an instance of a list.
func vm(name, status, consumed string) string {
	return fmt.Sprintf(`{"kind":"compute#instance","name":%q,"status":%q,"resourceStatus":{"reservationConsumptionInfo":{"consumedReservation":%q}}}`,
		name, status, consumed)
}

func vms(rest string, items ...string) answer {
	list := ""
	for i, item := range items {
		if i > 0 {
			list += ","
		}
		list += item
	}
	return answer{body: `{"kind":"compute#instanceList","items":[` + list + `]` + rest + `}`}
}

// TestUsers takes those that name just this reservation, in any form of its name,
// from all pages.
func TestUsers(t *testing.T) {
	t.Parallel()
	const link = "https://www.googleapis.com/compute/v1/"
	s := newStub(t, map[string][]answer{
		"GET reservations/train": {object("")},
		"GET instances": {
			vms(`,"nextPageToken":"more"`,
				vm("path", "RUNNING", train), vm("stopped", "TERMINATED", train), vm("asleep", "SUSPENDED", train),
				vm("full-name", "STAGING", "//compute.googleapis.com/"+train), vm("no-reservation", "RUNNING", ""), `{"name":"bare"}`, `{}`,
				vm("shared-namesake", "RUNNING", "projects/another-1/zones/us-central1-a/reservations/train"),
				vm("shared-number", "RUNNING", link+"projects/22/zones/us-central1-a/reservations/train")),
			vms("", vm("number", "STOPPING", link+"projects/11/zones/us-central1-a/reservations/train"),
				vm("untold", "REPAIRING", "projects/33/zones/us-central1-a/reservations/train"),
				vm("other-name", "RUNNING", train+"-2"), vm("other-zone", "RUNNING", "projects/"+home+"/zones/us-central1-b/reservations/train")),
		},
		"GET projects/11": {{body: `{"name":"projects/11","projectId":"` + home + `"}`}},
		"GET projects/22": {{body: `{"name":"projects/22","projectId":"another-1"}`}},
		"GET projects/33": {{status: 403, body: `{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}`}},
	})
	got, err := s.driver().Users(t.Context(), trainRef())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"full-name", "number", "path", "untold"}, got); diff != "" {
		t.Error(diff)
	}
	asked := s.all("GET instances")
	want := `resourceStatus.reservationConsumptionInfo.consumedReservation eq ".*/zones/us-central1-a/reservations/train"`
	if len(asked) != 2 || asked[0].query.Get("filter") != want || asked[1].query.Get("filter") != want || asked[1].query.Get("pageToken") != "more" {
		t.Errorf("asked %+v", asked)
	}
}

// TestUsersOfFuture: the users are those of the reservations that it created.
func TestUsersOfFuture(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		"GET futureReservations/train": {{body: `{"name":"train","zone":"us-central1-a","status":{"procurementStatus":"FULFILLED","autoCreatedReservations":[
			"https://www.googleapis.com/compute/v1/projects/11/zones/us-central1-a/reservations/train"]}}`}},
		"GET instances": {vms("", vm("node", "RUNNING", train))},
	})
	got, err := s.driver().Users(t.Context(), cloud.Ref{NativeID: place + "/futureReservations/train"})
	if diff := cmp.Diff([]string{"node"}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// TestUsersNotStarted: before it created anything it is used by nothing, and no
// list is asked for.
func TestUsersNotStarted(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		"GET futureReservations/train": {{body: `{"name":"train","zone":"us-central1-a","status":{"procurementStatus":"APPROVED"}}`}},
	})
	got, err := s.driver().Users(t.Context(), cloud.Ref{NativeID: place + "/futureReservations/train"})
	if diff := cmp.Diff([]string{}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestUsersErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name       string
		read, list answer
		code       cloud.Code
	}{
		{"unknown", notFound(), answer{}, cloud.NotFound},
		{"not allowed", object(""), refusal(http.StatusForbidden, "forbidden", "Required 'compute.instances.list' permission"), cloud.PermissionDenied},
		{"no project", object(""), refusal(http.StatusNotFound, "notFound", "The resource 'projects/x' was not found"), cloud.Invalid},
		{"hollow", object(""), answer{body: `{}`}, cloud.Internal},
		{"in part", object(""), vms(`,"warning":{"code":"UNREACHABLE","message":"a part is missing"}`), cloud.Internal},
		{"round and round", object(""), vms(`,"nextPageToken":"again"`), cloud.Internal},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{"GET reservations/train": {tc.read}, "GET instances": {tc.list}})
			got, err := s.driver().Users(t.Context(), trainRef())
			if cloud.CodeOf(err) != tc.code || got != nil {
				t.Errorf("Users = %q, %v; want %s", got, err, tc.code)
			}
		})
	}
}
