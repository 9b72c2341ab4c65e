package chaostest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestMethodOf(t *testing.T) {
	t.Parallel()
	const zone = "/compute/v1/projects/p/zones/us-central1-a/"
	for path, want := range map[string]string{
		"POST " + zone + "reservations":                "compute.reservations.insert",
		"GET " + zone + "reservations":                 "compute.reservations.list",
		"GET " + zone + "reservations/a":               "compute.reservations.get",
		"PATCH " + zone + "reservations/a":             "compute.reservations.update",
		"POST " + zone + "reservations/a/resize":       "compute.reservations.resize",
		"DELETE " + zone + "futureReservations/a":      "compute.futureReservations.delete",
		"POST " + zone + "futureReservations/a/cancel": "compute.futureReservations.cancel",
		"POST " + zone + "operations/o/wait":           "compute.operations.wait",
		"GET /v3/projects/123":                         "",
	} {
		method, target, _ := strings.Cut(path, " ")
		if got := methodOf(httptest.NewRequest(method, target, http.NoBody), nil); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// Every operation that a life aims at is one that some request is read as.
func TestLives_aim(t *testing.T) {
	t.Parallel()
	const zone = "/compute/v1/projects/p/zones/us-central1-a/"
	var known []string
	for _, collection := range []string{"reservations", "futureReservations"} {
		for _, request := range [][2]string{
			{http.MethodPost, ""}, {http.MethodPatch, "/a"}, {http.MethodDelete, "/a"}, {http.MethodPost, "/a/resize"}, {http.MethodPost, "/a/cancel"},
		} {
			known = append(known, methodOf(httptest.NewRequest(request[0], zone+collection+request[1], http.NoBody), nil))
		}
	}
	for kind, life := range googleLives() {
		for _, aim := range life.aims {
			if !slices.Contains(known, aim) {
				t.Errorf("%s aims at %s, which no request is", kind, aim)
			}
		}
	}
}

func TestGoogleLook(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	const zone = "projects/p/zones/us-central1-a/"
	row := func(kind, status string, end time.Time) sim.ObjectRow {
		return sim.ObjectRow{Type: kind, NativeID: zone + kind + "/a", Status: status, EndsAt: sim.Instant{Time: end}}
	}
	for name, tc := range map[string]struct {
		row         sim.ObjectRow
		live, ended bool
	}{
		"a reservation":             {row(typeReservation, "READY", time.Time{}), true, false},
		"one on its way out":        {row(typeReservation, "DELETING", time.Time{}), false, false},
		"a future one":              {row(typeFuture, "APPROVED", now.Add(day)), true, false},
		"one that was cancelled":    {row(typeFuture, "CANCELLED", now.Add(day)), false, false},
		"one that came to its end":  {row(typeFuture, "FULFILLED", now), false, true},
		"what is no capacity":       {row("operations", "DONE", time.Time{}), false, false},
		"what is not there anymore": {sim.ObjectRow{}, false, false},
	} {
		got := googleLook(tc.row, now)
		if got.live != tc.live || got.ended != tc.ended || tc.live && got.name != "a" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	both := []sim.ObjectRow{row(typeFuture, "FULFILLED", now), row(typeReservation, "READY", now)}
	if got := withoutCreated(slices.Clone(both)); len(got) != 1 || got[0].Type != typeFuture {
		t.Errorf("with what it made: %+v", got)
	}
	if got := withoutCreated(both[1:]); len(got) != 1 {
		t.Errorf("what outlived its future reservation is dropped: %+v", got)
	}
}

func TestGoogleGives(t *testing.T) {
	t.Parallel()
	const object = "projects/p/zones/us-central1-a/futureReservations/a"
	for request, want := range map[string]string{
		"DELETE /compute/v1/" + object:           object,
		"POST /compute/v1/" + object + "/cancel": object,
		"PATCH /compute/v1/" + object:            "",
		"GET /compute/v1/" + object:              "",
	} {
		method, target, _ := strings.Cut(request, " ")
		if got := googleGives(httptest.NewRequest(method, target, http.NoBody)); got != want {
			t.Errorf("%s gives up %q, want %q", request, got, want)
		}
	}
}

// What was given up while that was permitted may go later, once; what was not may
// never.
func TestAudit_going(t *testing.T) {
	t.Parallel()
	const object = "projects/p/zones/us-central1-a/reservations/a"
	given := httptest.NewRequest(http.MethodDelete, "/compute/v1/"+object, http.NoBody)
	a := newAudit(googleTarget(), nil)
	held := func() {
		a.live = map[string]seen{object: {sim.ObjectRow{NativeID: object}, sight{name: "a", live: true}}}
	}
	for _, step := range []struct {
		may  Permission
		fail bool
	}{{Permission{Release: anything}, false}, {Permission{}, true}} {
		held()
		a.Permit(step.may)
		a.give(googleGives(given))
		a.Permit(Permission{})
		a.compare(nil)
		if failed := len(a.Failures()) > 0; failed != step.fail {
			t.Errorf("released early: %t, want %t", failed, step.fail)
		}
	}
	held()
	a.compare(nil)
	if len(a.Failures()) == 0 {
		t.Error("an object of the same name is gone for good")
	}
}
