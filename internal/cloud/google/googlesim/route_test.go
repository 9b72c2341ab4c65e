package googlesim_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPathsThatNoAPIHas(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, path := range []string{"/", "/compute/v1/projects/p1/zones/us-central1-a/nothing", "/compute/v2/projects/p1"} {
		got := s.raw(http.MethodGet, path, "")
		if got.status != http.StatusNotFound || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestPlacesAreChecked(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.refused(s.send(http.MethodGet, "p1/zones/us-central1/operations", ""), http.StatusBadRequest, "invalid")
	s.refused(s.send(http.MethodGet, "P!/zones/us-central1-a/operations", ""), http.StatusBadRequest, "invalidParameter")
	s.refused(s.send(http.MethodGet, "123456/zones/us-central1-a/operations", ""), http.StatusNotFound, "notFound")
	s.refused(s.send(http.MethodGet, "p1/zones/us-central1-a/operations/o", ""), http.StatusNotFound, "notFound")
	s.accepted(s.raw(http.MethodGet, "/some/prefix/compute/v1/projects/p1/zones/us-central1-a/operations?alt=json", ""))
}
