package googlesim_test

import (
	"net/http"
	"regexp"
	"strings"
	"time"
)

// noBodies are what clients send where a method has no body.
func noBodies() []string { return []string{"", " ", "{}", `""`, "null"} }

// withoutBody calls methods that have no body.
func withoutBody(s *stage) {
	name, _ := s.accepted(s.post()).at("name").(string)
	for _, body := range noBodies() {
		s.accepted(s.send(http.MethodPost, "p1/zones/"+zone+"/operations/"+name+"/wait", body))
	}
	s.finish()
	s.done(s.send(http.MethodDelete, collection+"/r1", `""`))
	for _, body := range noBodies() {
		s.approved(futureBody())
		s.done(s.send(http.MethodPost, futures+"/f1/cancel", body))
		s.done(s.drop())
	}
	s.refused(s.future(), http.StatusNotFound, "notFound")
	s.accepted(s.send(http.MethodGet, futures, `""`))
}

// withBody calls one with a body all the same, and one that has a body without.
func withBody(s *stage) {
	s.approved(futureBody())
	for _, body := range []string{`"x"`, `" "`, `"" ""`, `[]`, `0`, `false`, `{"name":"f1"}`} {
		if got := s.send(http.MethodPost, futures+"/f1/cancel", body); got.status != http.StatusBadRequest {
			s.t.Errorf("%s: %d", body, got.status)
		}
	}
	for _, body := range []string{`""`, "null"} {
		s.refused(s.send(http.MethodPost, collection, body), http.StatusBadRequest, "invalid")
	}
}

func wireProofs() map[string]proof {
	return map[string]proof{
		"google-1-prefix": {
			accepted: func(s *stage) {
				s.done(s.raw(http.MethodPost, "/gcp/compute/v1/projects/"+collection+"?alt=json", insertBody()))
				s.accepted(s.get())
			},
			rejected: func(s *stage) {
				if got := s.raw(http.MethodPost, "/compute/v1/projects/p1/reservations", insertBody()); got.status != http.StatusNotFound {
					s.t.Error(got.body)
				}
			},
		},
		"google-2-int64": {
			accepted: func(s *stage) {
				s.says(s.create("specificReservation.count", 3), "3", "specificReservation", "count")
				s.done(s.resize(4))
				s.done(s.resize("5"))
				s.says(s.accepted(s.get()), "5", "specificReservation", "count")
			},
			rejected: func(s *stage) {
				s.refused(s.post("specificReservation.count", "many"), http.StatusBadRequest, "invalid")
				s.refused(s.post("specificReservation.count", 1.5), http.StatusBadRequest, "invalid")
			},
		},
		"google-2-snake-case": {
			accepted: func(s *stage) {
				s.accepted(s.send(http.MethodPost, collection, `{"name":"r1","specific_reservation":{"count":1,
					"instance_properties":{"machine_type":"g2-standard-4"}}}`))
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodPost, collection, `{"name":"r1","specific_reservation":{},"specificReservation":{}}`),
					http.StatusBadRequest, "invalid")
			},
		},
		"google-2-unknown-name": {
			accepted: func(s *stage) { s.accepted(s.post("description", "d")) },
			rejected: func(s *stage) {
				got := s.post("specificReservation.color", "red")
				s.refused(got, http.StatusBadRequest, "invalid")
				s.says(got, `Invalid JSON payload received. Unknown name "color" at 'resource.specific_reservation': Cannot find field.`, "error", "message")
				s.says(s.post("labels", fields{"a": "b"}), `Invalid JSON payload received. Unknown name "labels": Cannot find field.`, "error", "message")
			},
		},
		"google-2-unknown-parameter": {
			accepted: func(s *stage) {
				s.accepted(s.send(http.MethodGet, collection+"?alt=json&prettyPrint=false&key=k&$.xgafv=1", ""))
			},
			rejected: func(s *stage) {
				for _, query := range []string{"color=red", "requestId=x"} {
					s.refused(s.send(http.MethodGet, collection+"?"+query, ""), http.StatusBadRequest, "invalid")
				}
			},
		},
		"google-2-type": {
			accepted: func(s *stage) { s.accepted(s.post("specificReservationRequired", false)) },
			rejected: func(s *stage) {
				got := s.post("specificReservationRequired", "yes")
				s.refused(got, http.StatusBadRequest, "invalid")
				s.says(got, `Invalid value at 'resource.specific_reservation_required' (TYPE_BOOL), "yes"`, "error", "message")
				s.refused(s.post("shareSettings.shareType", "ALL"), http.StatusBadRequest, "invalid")
				s.refused(s.post("specificReservation", "x"), http.StatusBadRequest, "invalid")
				s.refused(s.post("specificReservation.instanceProperties.localSsds", "x"), http.StatusBadRequest, "invalid")
				s.refused(s.post("deleteAtTime", "tomorrow"), http.StatusBadRequest, "invalid")
				for _, body := range []string{"", "[]", "{", `{"name":"r1"} x`, "null"} {
					if got := s.send(http.MethodPost, collection, body); got.status != http.StatusBadRequest {
						s.t.Errorf("%q: %d", body, got.status)
					}
				}
			},
		},
		"google-2-no-body": {accepted: withoutBody, rejected: withBody},
		"google-2-output-only": {
			accepted: func(s *stage) {
				got := s.create("status", "DELETING", "id", "1", "specificReservation.inUseCount", "7", "commitment", "c")
				s.says(s.says(got, "READY", "status"), "0", "specificReservation", "inUseCount")
			},
			rejected: func(s *stage) { s.refused(s.post("Status", "READY"), http.StatusBadRequest, "invalid") },
		},
		"google-2-timestamps": {
			accepted: func(s *stage) {
				got := s.create("deleteAtTime", "2027-04-01T02:00:00.500+02:00")
				s.says(got, "2027-04-01T00:00:00.500Z", "deleteAtTime")
				created, _ := got.at("creationTimestamp").(string)
				if !regexp.MustCompile(`^2027-03-01T04:00:00\.000-08:00$`).MatchString(created) {
					s.t.Error(created)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.post("deleteAtTime", "2027-04-01 00:00"), http.StatusBadRequest, "invalid")
			},
		},
		"google-2-fraction": {
			accepted: func(s *stage) {
				s.create("deleteAtTime", "2027-04-01T00:00:00.500Z")
				s.done(s.patch("paths=deleteAtTime", "deleteAtTime", "2027-04-02T00:00:00Z"))
				s.says(s.accepted(s.get()), "2027-04-02T00:00:00Z", "deleteAtTime")
			},
			rejected: func(s *stage) {
				for _, at := range []string{"2027-04-01T00:00:00.5Z", "2027-04-01T00:00:00.000000Z", "2027-04-01T00:00:00,500Z"} {
					s.refused(s.post("deleteAtTime", at), http.StatusBadRequest, "invalid")
				}
				s.create()
				s.refused(s.patch("paths=deleteAtTime", "deleteAtTime", "2027-04-01T00:00:00.123456Z"), http.StatusBadRequest, "invalid")
			},
		},
		"google-2-links": {
			accepted: func(s *stage) {
				got := s.accepted(s.post())
				s.says(got, "https://www.googleapis.com/compute/v1/"+nativeID, "targetLink")
				s.says(got, "compute#operation", "kind")
				s.finish()
				s.says(s.get(), "https://www.googleapis.com/compute/v1/"+nativeID, "selfLink")
				s.says(s.get(), "https://www.googleapis.com/compute/v1/projects/p1/zones/us-central1-a", "zone")
				id, _ := s.says(s.get(), "compute#reservation", "kind").at("id").(string)
				s.says(s.accepted(s.send(http.MethodGet, collection+"/"+id, "")), "r1", "name")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.send(http.MethodGet, collection+"/1234567", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-4-date": {
			accepted: func(s *stage) {
				s.ok(s.world.Advance(48 * time.Hour))
				if date := s.accepted(s.post()).header.Get("Date"); date != "Wed, 03 Mar 2027 12:00:00 GMT" {
					s.t.Error(date)
				}
			},
			rejected: func(s *stage) {
				if date := s.get().header.Get("Date"); !strings.HasPrefix(date, "Mon, 01 Mar 2027 12:00:00") {
					s.t.Error(date)
				}
			},
		},
	}
}
