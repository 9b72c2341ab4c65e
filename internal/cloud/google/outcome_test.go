package google_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// writing is a method that begins an operation.
type writing struct {
	key  string
	call func(*testing.T, *google.Cloud) error
	// before is what the driver reads first.
	before map[string][]answer
}

// writings are all of them.
func writings() map[string]writing {
	update := func(ref cloud.Ref, change cloud.Change) func(*testing.T, *google.Cloud) error {
		return func(t *testing.T, c *google.Cloud) error {
			t.Helper()
			_, err := c.Update(t.Context(), ref, change)
			return err
		}
	}
	create := func(req cloud.CreateRequest) func(*testing.T, *google.Cloud) error {
		return func(t *testing.T, c *google.Cloud) error {
			t.Helper()
			_, err := c.Create(t.Context(), req)
			return err
		}
	}
	release := func(ref cloud.Ref) func(*testing.T, *google.Cloud) error {
		return func(t *testing.T, c *google.Cloud) error {
			t.Helper()
			return c.Release(t.Context(), ref)
		}
	}
	held := map[string][]answer{read: {object("")}}
	future := func(native string) map[string][]answer {
		return map[string][]answer{getFuture: {planned(status(native, locksAt))}}
	}
	return map[string]writing{
		"reservations.insert":       {insert, create(request()), nil},
		"reservations.resize":       {resize, update(trainRef(), cloud.Change{Count: ptr(3)}), held},
		"reservations.update":       {patch, update(trainRef(), cloud.Change{EndAt: ptr(time.Unix(2e9, 0))}), held},
		"reservations.delete":       {remove, release(trainRef()), held},
		"futureReservations.insert": {postFuture, create(futureRequest(cloud.Scheduled)), nil},
		"futureReservations.update": {patchFuture, update(futureRef(), cloud.Change{Count: ptr(3)}), future("APPROVED")},
		"futureReservations.cancel": {cancelFuture, release(futureRef()), future("APPROVED")},
		"futureReservations.delete": {deleteFuture, release(futureRef()), future("CANCELLED")},
	}
}

// TestFailedOperationsAreKnown: an operation that is done with an error did not do
// it, whatever the code and the status, which is missing at 0. A code that nobody
// knows is shown and is Internal.
func TestFailedOperationsAreKnown(t *testing.T) {
	t.Parallel()
	for method, w := range writings() {
		for _, native := range []string{"SOMETHING_NEW", "INTERNAL_ERROR", ""} {
			for _, http := range []int{0, 400, 403, 409, 429, 500, 503} {
				t.Run(method+"/"+native+"/"+strconv.Itoa(http), func(t *testing.T) {
					t.Parallel()
					rest := failing(native)
					if http != 0 {
						rest += `,"httpErrorStatusCode":` + strconv.Itoa(http)
					}
					script := map[string][]answer{w.key: {operation("op-1", "RUNNING", "")}, poll: {operation("op-1", "DONE", rest)}}
					for key, answers := range w.before {
						script[key] = answers
					}
					s := newStub(t, script)
					e := classed(t, w.call(t, s.driver()))
					if len(s.all(w.key)) != 1 || len(s.all(poll)) != 1 {
						t.Errorf("requests %v", s.keys())
					}
					got := []any{e.Code, e.Native, e.HTTPStatus, e.Accepted, e.Message}
					if diff := cmp.Diff([]any{cloud.Internal, native, http, false, "it failed"}, got); diff != "" {
						t.Errorf("class, code, status, accepted, message (-want +got):\n%s", diff)
					}
				})
			}
		}
	}
}
