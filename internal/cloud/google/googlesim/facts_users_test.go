package googlesim_test

import (
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const instances = "p1/zones/us-central1-a/instances"

// use sets who uses a reservation of p1.
func (s *stage) use(name string, use sim.Use) {
	s.t.Helper()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: "projects/" + collection + "/" + name, InUse: &use}))
}

func (s *stage) usersOf(path, query string) reply {
	s.t.Helper()
	return s.send(http.MethodGet, path+"?"+query, "")
}

// consumes is a filter for the machines that use a reservation.
func consumes(expression string) string {
	return "filter=" + escapeQuery("resourceStatus.reservationConsumptionInfo.consumedReservation "+expression)
}

func usersProofs() map[string]proof {
	const consumed = "consumedReservation"
	return map[string]proof{
		"google-3.3-users": {
			accepted: func(s *stage) {
				s.done(s.post("specificReservationRequired", true))
				s.says(s.usersOf(instances, ""), nil, "items")
				s.use("r1", sim.Use{Users: []string{"node-2", "node-1"}})
				got := s.lists(s.usersOf(instances, ""), "node-1", "node-2")
				s.says(got, "compute#instanceList", "kind")
				s.says(got, "projects/p1/zones/us-central1-a/reservations/r1", "items", 0, "resourceStatus", "reservationConsumptionInfo", consumed)
				s.says(got, fields{
					"consumeReservationType": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name", "values": []string{"r1"},
				}, "items", 0, "reservationAffinity")
				s.use("r1", sim.Use{Number: 2})
				first, second := s.usersOf(instances, "maxResults=1"), s.usersOf(instances, "")
				token, _ := first.at("nextPageToken").(string)
				last := s.accepted(s.usersOf(instances, "maxResults=1&pageToken="+token))
				s.says(last, second.at("items", 1, "name"), "items", 0, "name")
				s.says(last, nil, "nextPageToken")
			},
			rejected: func(s *stage) {
				s.refused(s.usersOf("p1/zones/us-central9-a/instances", ""), http.StatusBadRequest, "invalid")
				s.refused(s.usersOf(instances, "maxResults=501"), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.3-users-filter": {
			accepted: func(s *stage) {
				s.several()
				s.use("a", sim.Use{Users: []string{"of-a"}})
				s.use("b", sim.Use{Users: []string{"of-b"}})
				s.lists(s.usersOf(instances, ""), "of-a", "of-b")
				s.lists(s.usersOf(instances, consumes(`eq ".*/reservations/a"`)), "of-a")
				s.lists(s.usersOf(instances, consumes(`= "projects/p1/zones/us-central1-a/reservations/b"`)), "of-b")
			},
			rejected: func(s *stage) {
				s.refused(s.usersOf(instances, consumes(`eq "("`)), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.3-users-project": {
			accepted: func(s *stage) {
				s.create()
				s.use("r1", sim.Use{Users: []string{"own", "projects/p2/zones/us-central1-a/instances/far"}})
				s.lists(s.usersOf(instances, ""), "own")
				got := s.lists(s.usersOf("p2/zones/us-central1-a/instances", ""), "far")
				name, _ := got.at("items", 0, "resourceStatus", "reservationConsumptionInfo", consumed).(string)
				if !strings.HasPrefix(name, "projects/p1/") {
					s.t.Errorf("the machine of p2 uses %q", name)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.usersOf("123456789012/zones/us-central1-a/instances", ""), http.StatusNotFound, "notFound")
			},
		},
	}
}
