package google_test

import (
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// TestImportByNumber: links of the API may name the project by its number, ids
// never do.
func TestImportByNumber(t *testing.T) {
	t.Parallel()
	const beta = "projects/proj-beta/zones/us-central1-a/futureReservations/f"
	const link = "https://www.googleapis.com/compute/v1/projects/123456/zones/us-central1-a/futureReservations/f"
	s := newStub(t, map[string][]answer{
		"GET projects/123456": {{body: `{"name":"projects/123456","projectId":"proj-beta"}`}},
		"GET projects/654321": {refusal(403, "forbidden", "The caller does not have permission")},
	})
	got, err := s.driver().ParseID(t.Context(), "", link)
	if want := (cloud.Ref{Account: "proj-beta", NativeID: beta}); got != want || err != nil {
		t.Errorf("ParseID(%s) = %+v, %v; want %+v", link, got, err, want)
	}
	got, err = s.driver().ParseID(t.Context(), "123456", "us-central1-a/train")
	if want := (cloud.Ref{Account: "123456", NativeID: "projects/proj-beta/zones/us-central1-a/reservations/train"}); got != want || err != nil {
		t.Errorf("ParseID of a short form = %+v, %v; want %+v", got, err, want)
	}
	if got, err := s.driver().ParseID(t.Context(), "", "654321/us-central1-a/train"); cloud.CodeOf(err) != cloud.PermissionDenied {
		t.Errorf("ParseID of a number that is not told = %+v, %v", got, err)
	}
}

// TestImportWithoutProject: a full id tells the project that nothing else tells.
func TestImportWithoutProject(t *testing.T) {
	t.Setenv("GOOGLE_PROJECT", "")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	const beta = "projects/proj-beta/zones/us-central1-a/futureReservations/f"
	c := google.New(google.Config{Endpoint: "http://127.0.0.1:1"})
	if got, err := c.ParseID(t.Context(), "", beta); err != nil || got != (cloud.Ref{Account: "proj-beta", NativeID: beta}) {
		t.Errorf("ParseID without a project = %+v, %v", got, err)
	}
	if got, err := c.ParseID(t.Context(), "", "us-central1-a/train"); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("ParseID of a short form without a project = %+v, %v", got, err)
	}
}
