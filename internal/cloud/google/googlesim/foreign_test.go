package googlesim_test

import (
	"net/http"
	"testing"
)

// TestTerraformProviderGoogle plays what the public provider sends for a
// google_compute_reservation (a snapshot of 2026-08-21 on the wire): numbers as
// JSON numbers, an odd zone, no requestId, blocks on every read.
func TestTerraformProviderGoogle(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const own = "p1/zones/us-central1-a/reservations"
	read := func(count string) {
		t.Helper()
		s.says(s.accepted(s.send(http.MethodGet, own+"/r0?alt=json", "")), count, "specificReservation", "count")
		s.says(s.accepted(s.send(http.MethodGet, own+"/r0/reservationBlocks?alt=json&maxResults=500", "")), nil, "items")
	}
	const body = `{"name":"r0","specificReservation":{"count":2,"instanceProperties":{"machineType":"a3-highgpu-8g"}},` +
		`"specificReservationRequired":true,"zone":"projects/p1/global/zones/us-central1-a"}`
	made := s.accepted(s.send(http.MethodPost, own+"?alt=json", body))
	name, _ := made.at("name").(string)
	poll := "p1/zones/us-central1-a/operations/" + name + "?alt=json"
	s.says(s.accepted(s.send(http.MethodGet, poll, "")), "RUNNING", "status")
	s.finish()
	s.says(s.accepted(s.send(http.MethodGet, poll, "")), "DONE", "status")
	read("2")
	s.refused(s.send(http.MethodPost, own+"?alt=json", body), http.StatusConflict, "alreadyExists")
	for _, resize := range []struct{ body, count string }{{`{"specificSkuCount":3}`, "3"}, {`{"specificSkuCount":1}`, "1"}} {
		s.done(s.send(http.MethodPost, own+"/r0/resize?alt=json", resize.body))
		read(resize.count)
	}
	s.done(s.send(http.MethodDelete, own+"/r0?alt=json", ""))
	s.refused(s.send(http.MethodGet, own+"/r0?alt=json", ""), http.StatusNotFound, "notFound")
	s.refused(s.send(http.MethodGet, own+"/r0/reservationBlocks?alt=json&maxResults=500", ""), http.StatusNotFound, "notFound")
}

// TestNodeCompute plays what the official Node client 7.8 sends over REST: an
// empty string where a method has no body, and nothing on GET and DELETE.
func TestNodeCompute(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wait := func(got reply, want string) {
		t.Helper()
		name, _ := s.accepted(got).at("name").(string)
		s.says(s.accepted(s.send(http.MethodPost, "p1/zones/"+zone+"/operations/"+name+"/wait?", `""`)), want, "status")
	}
	made := s.post()
	wait(made, "RUNNING")
	s.finish()
	wait(made, "DONE")
	grown := s.send(http.MethodPost, collection+"/r1/resize?", `{"specificSkuCount":"3"}`)
	s.finish()
	wait(grown, "DONE")
	s.says(s.get(), "3", "specificReservation", "count")
	gone := s.send(http.MethodDelete, collection+"/r1?", "")
	s.finish()
	wait(gone, "DONE")
	s.refused(s.get(), http.StatusNotFound, "notFound")
}
