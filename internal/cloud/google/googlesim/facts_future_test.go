package googlesim_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	startField    = "timeWindow.startTime"
	endField      = "timeWindow.endTime"
	durationField = "timeWindow.duration"
	typeField     = "specificSkuProperties.instanceProperties.machineType"
	countField    = "specificSkuProperties.totalCount"
	deleteField   = "autoCreatedReservationsDeleteTime"
)

// asked accepts each request, under names of their own.
func asked(bodies ...string) func(s *stage) {
	return func(s *stage) {
		for i, body := range bodies {
			name := fmt.Sprintf("f%d", i+1)
			s.done(s.ask(strings.Replace(body, `"name":"f1"`, `"name":"`+name+`"`, 1)))
			s.accepted(s.send(http.MethodGet, futures+"/"+name, ""))
		}
	}
}

// unasked refuses each request as invalid, which leaves nothing.
func unasked(bodies ...string) func(s *stage) {
	return func(s *stage) {
		for _, body := range bodies {
			s.invalid(s.ask(body))
		}
		s.refused(s.future(), http.StatusNotFound, "notFound")
	}
}

// starting is a request for 24 hours from so far ahead on.
func starting(ahead time.Duration) []any {
	return []any{startField, rfc(now().Add(ahead)), endField, rfc(now().Add(ahead + day))}
}

func windowProofs() map[string]proof {
	return map[string]proof{
		"google-5-draft": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody("planningStatus", nil)))
				s.says(s.in("DRAFTING"), "DRAFT", "planningStatus")
				s.ok(s.world.Advance(day))
				s.in("DRAFTING")
				s.done(s.amend("planning_status", "planningStatus", "SUBMITTED"))
				s.says(s.in("PENDING_APPROVAL"), "SUBMITTED", "planningStatus")
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.invalid(s.amend("planningStatus", "planningStatus", "DRAFT"))
			},
		},
		"google-5-start": {
			accepted: asked(futureBody(starting(time.Hour)...)),
			rejected: func(s *stage) {
				got := s.ask(futureBody(starting(-time.Second)...))
				s.says(got, "Invalid value for field 'resource.timeWindow.startTime': '2027-03-01T11:59:59Z'. "+
					"Future reservation start time is either in the past or too early.", "error", "message")
				unasked(futureBody(starting(time.Hour - time.Second)...))(s)
			},
		},
		"google-5-year": {
			accepted: asked(futureBody(starting(365 * day)...)),
			rejected: unasked(futureBody(starting(367 * day)...)),
		},
		"google-5-length": {
			accepted: asked(futureBody(endField, rfc(opens().Add(day)))),
			rejected: unasked(futureBody(endField, rfc(opens().Add(day-time.Millisecond))), futureBody(endField, rfc(opens().Add(-day)))),
		},
		"google-5-duration": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody(endField, nil, durationField, fields{"seconds": "86400", "nanos": 101})))
				got := s.says(s.future(), "2027-03-12T12:00:00.000000101Z", "timeWindow", "endTime")
				s.says(got, nil, "timeWindow", "duration")
				s.finish()
				s.changed("time_window.duration", durationField, fields{"seconds": 90000})
				got = s.says(s.in("APPROVED"), "2027-03-12T13:00:00Z", "timeWindow", "endTime")
				s.says(got, rfc(opens()), "timeWindow", "startTime")
			},
			rejected: unasked(futureBody(durationField, fields{"seconds": "86400"}), futureBody(endField, nil, durationField, fields{"seconds": "-86400"})),
		},
		"google-5-empty-duration": {
			accepted: asked(futureBody(endField, nil, durationField, fields{"seconds": "86400"})),
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.invalid(s.amend("timeWindow", startField, rfc(opens()), endField, rfc(closes()), durationField, fields{}))
				s.invalid(s.amend("time_window.end_time", endField, rfc(closes()), durationField, fields{}))
				s.invalid(s.ask(futureBody("name", "f2", endField, nil, durationField, fields{})))
			},
		},
		"google-5-fraction": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody(startField, "2027-03-11T14:00:00+02:00", endField, "2027-03-12T14:00:00.500+02:00")))
				got := s.says(s.future(), "2027-03-11T12:00:00Z", "timeWindow", "startTime")
				s.says(got, "2027-03-12T12:00:00.500Z", "timeWindow", "endTime")
			},
			rejected: func(s *stage) {
				unasked(futureBody(endField, "2027-03-13T12:00:00.5Z"), futureBody(startField, "2027-03-11T12:00:00.000000Z"),
					futureBody(endField, "2027-03-13T12:00:00,500Z"), futureBody(endField, "2027-03-13 12:00"))(s)
				s.invalid(s.ask(futureBody(deleteField, "2027-03-14T12:00:00.25Z")))
			},
		},
	}
}

// manyProjects is a projectMap of n.
func manyProjects(n int) fields {
	all := fields{}
	for i := range n {
		all[fmt.Sprintf("project-%03d", i)] = fields{}
	}
	return all
}

func askProofs() map[string]proof {
	return map[string]proof{
		"google-5-names": {
			accepted: asked(futureBody(), futureBody("reservationName", nil, "namePrefix", "a-prefix-of-twenty-c")),
			rejected: unasked(futureBody("namePrefix", "prefix"), futureBody("reservationName", "R1"),
				futureBody("reservationName", nil, "namePrefix", "a-prefix-that-is-longer"),
				futureBody("reservationName", nil, "namePrefix", "-prefix")),
		},
		"google-5-auto-delete": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody()))
				got := s.says(s.future(), rfc(closes()), deleteField)
				s.says(got, nil, "autoDeleteAutoCreatedReservations")
				s.finish()
				s.changed("timeWindow.endTime", endField, rfc(closes().Add(day)))
				s.says(s.future(), rfc(closes().Add(day)), deleteField)
				s.changed("auto_created_reservations_duration", "autoCreatedReservationsDuration", fields{"seconds": "864000"})
				got = s.says(s.future(), rfc(opens().Add(10*day)), deleteField)
				s.says(got, nil, "autoCreatedReservationsDuration")
				s.changed("autoDeleteAutoCreatedReservations", "autoDeleteAutoCreatedReservations", false)
				s.says(s.future(), nil, deleteField)
			},
			rejected: unasked(futureBody(deleteField, rfc(closes()), "autoCreatedReservationsDuration", fields{"seconds": "864000"}),
				futureBody(deleteField, rfc(closes()), "autoDeleteAutoCreatedReservations", false)),
		},
		"google-5-delete-time": {
			accepted: asked(futureBody(deleteField, rfc(closes()))),
			rejected: func(s *stage) {
				got := s.ask(futureBody(deleteField, rfc(closes().Add(-time.Millisecond))))
				s.says(got, "Invalid value for field 'resource.autoCreatedReservationsDeleteTime': '2027-03-13T11:59:59.999Z'. "+
					"Auto-created reservations cannot be deleted before future reservation end time.", "error", "message")
				s.invalid(got)
				s.invalid(s.ask(futureBody("autoCreatedReservationsDuration", fields{"seconds": "86400"})))
			},
		},
		"google-5-share": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody("shareSettings", fields{"shareType": "LOCAL"}, "planningStatus", "DRAFT")))
				s.says(s.future(), nil, "shareSettings")
				s.done(s.amend("share_settings", "shareSettings", fields{"shareType": "SPECIFIC_PROJECTS", "projectMap": manyProjects(100)}))
				got := s.says(s.future(), "SPECIFIC_PROJECTS", "shareSettings", "shareType")
				shared, _ := got.at("shareSettings", "projectMap").(map[string]any)
				for number := range shared {
					s.says(got, number, "shareSettings", "projectMap", number, "projectId")
				}
				if len(shared) != 100 || shared["project-000"] != nil {
					s.t.Errorf("shared with %v", shared)
				}
			},
			rejected: unasked(futureBody("shareSettings", fields{"shareType": "SPECIFIC_PROJECTS"}),
				futureBody("shareSettings", fields{"shareType": "SPECIFIC_PROJECTS", "projectMap": manyProjects(101)})),
		},
	}
}

func amendProofs() map[string]proof {
	return map[string]proof{
		"google-5-mask": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody("planningStatus", nil)))
				s.done(s.amend("specific_sku_properties.total_count,time_window.end_time", countField, 3, endField, rfc(closes().Add(day)),
					"namePrefix", "not-named"))
				s.done(s.amend("specificSkuProperties.instanceProperties.machineType,deploymentType", typeField, "a3-megagpu-8g"))
				got := s.says(s.future(), "3", "specificSkuProperties", "totalCount")
				s.says(got, "r-of-f1", "reservationName")
				s.says(got, rfc(closes().Add(day)), "timeWindow", "endTime")
				s.says(got, "a3-megagpu-8g", "specificSkuProperties", "instanceProperties", "machineType")
			},
			rejected: func(s *stage) {
				s.done(s.ask(futureBody("planningStatus", nil)))
				for _, mask := range []string{"name", "status", "time_window.middle", "nothing", "specificSkuProperties.totalCount.x", "reservation_mode"} {
					s.invalid(s.amend(mask, countField, 3))
				}
			},
		},
		"google-5-description": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody("planningStatus", nil)))
				s.done(s.amend("description", "description", "new"))
				s.says(s.future(), "new", "description")
				s.done(s.amend("specificSkuProperties.totalCount", countField, 3, "description", "not named"))
				s.says(s.future(), "", "description")
			},
			rejected: func(s *stage) {
				s.done(s.ask(futureBody()))
				s.finish()
				s.refused(s.amend("", "description", "new"), http.StatusBadRequest, "required")
			},
		},
		"google-5-review": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody()))
				s.says(s.in("PENDING_APPROVAL"), nil, "status", "lockTime")
				s.finish()
				s.says(s.in("APPROVED"), rfc(opens().Add(-day)), "status", "lockTime")
			},
			rejected: func(s *stage) {
				s.stockOfA3(1)
				s.done(s.ask(futureBody()))
				s.invalid(s.amend("description", "description", "new"))
				s.finish()
				s.in("DECLINED")
				s.invalid(s.amend("description", "description", "new"))
			},
		},
		"google-5-amendment": {
			accepted: func(s *stage) {
				s.approved(futureBody())
				s.done(s.amend("specificSkuProperties.totalCount,description", countField, 3, "description", "new"))
				got := s.says(s.in("PENDING_AMENDMENT_APPROVAL"), "AMENDMENT_IN_REVIEW", "status", "amendmentStatus")
				s.says(got, "3", "specificSkuProperties", "totalCount")
				good := []any{"status", "lastKnownGoodState"}
				s.says(got, "APPROVED", append(good, "procurementStatus")...)
				s.says(got, "text", append(good, "description")...)
				s.says(got, "2", append(good, "futureReservationSpecs", "specificSkuProperties", "totalCount")...)
				s.finish()
				s.says(s.in("APPROVED"), "AMENDMENT_APPROVED", "status", "amendmentStatus")
			},
			rejected: func(s *stage) {
				s.stockOfA3(2)
				s.approved(futureBody())
				s.done(s.amend("specificSkuProperties.totalCount,timeWindow.startTime,description", countField, 3,
					startField, rfc(opens().Add(time.Hour)), "description", "new"))
				s.invalid(s.amend("description", "description", "newer"))
				s.finish()
				got := s.says(s.in("APPROVED"), "AMENDMENT_DECLINED", "status", "amendmentStatus")
				s.says(got, "2", "specificSkuProperties", "totalCount")
				s.says(got, rfc(opens()), "timeWindow", "startTime")
				s.says(got, "text", "description")
				s.changed("planningStatus,description", "planningStatus", "SUBMITTED")
				s.says(s.future(), rfc(opens()), "timeWindow", "startTime")
				s.invalid(s.amend("nothing"))
			},
		},
	}
}

func futureLifeProofs() map[string]proof {
	return map[string]proof{
		"google-5-states": {
			accepted: func(s *stage) {
				s.approved(futureBody())
				s.lock()
				s.until(opens())
				s.says(s.in("PROVISIONING"), "2", "status", "fulfilledCount")
				s.finish()
				s.in("FULFILLED")
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.until(opens().Add(-time.Millisecond))
				s.in("PROCURING")
				s.refused(s.send(http.MethodGet, delivered, ""), http.StatusNotFound, "notFound")
			},
		},
		"google-5-locked": {
			accepted: func(s *stage) {
				s.approved(futureBody())
				s.until(opens().Add(-day - time.Hour))
				s.done(s.amend("description", "description", "new"))
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.lock()
				s.invalid(s.amend("description", "description", "new"))
			},
		},
		"google-5-cancel": {
			accepted: func(s *stage) {
				s.done(s.ask(futureBody()))
				s.done(s.cancel())
				s.in("CANCELLED")
				s.start()
				s.in("CANCELLED")
			},
			rejected: func(s *stage) {
				s.done(s.ask(futureBody("planningStatus", "DRAFT")))
				s.invalid(s.cancel())
				s.done(s.drop())
				s.approved(futureBody())
				s.lock()
				s.invalid(s.cancel())
			},
		},
		"google-5-canceled-blocks": {
			accepted: func(s *stage) {
				s.approved(futureBody())
				s.done(s.ask(futureBody("name", "f2")))
				s.done(s.cancel())
				s.done(s.ask(futureBody("name", "f3", typeField, "a3-highgpu-4g")))
				s.done(s.send(http.MethodPost, "p2/zones/"+zone+"/futureReservations", futureBody()))
				s.done(s.send(http.MethodPost, "p1/zones/us-central1-b/futureReservations", futureBody()))
				s.done(s.drop())
				s.done(s.ask(futureBody()))
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.done(s.cancel())
				s.invalid(s.ask(futureBody("name", "f2")))
			},
		},
		"google-5-delivery": {
			accepted: func(s *stage) {
				s.approved(futureBody("schedulingType", "GROUPED"))
				s.start()
				s.says(s.in("FULFILLED"), "https://www.googleapis.com/compute/v1/projects/p1/zones/us-central1-a/reservations/r-of-f1",
					"status", "autoCreatedReservations", 0)
				got := s.says(s.send(http.MethodGet, delivered, ""), "2", "specificReservation", "count")
				s.says(got, "GROUPED", "schedulingType")
				s.says(got, true, "specificReservationRequired")
				s.says(got, rfc(closes()), "deleteAtTime")
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.start()
				s.until(closes().Add(-time.Second))
				s.invalid(s.send(http.MethodPost, delivered+"/resize", encode(fields{"specificSkuCount": 1})))
				s.invalid(s.send(http.MethodDelete, delivered, ""))
			},
		},
		"google-5-short": {
			accepted: func(s *stage) {
				s.approved(futureBody())
				s.stockOfA3(1)
				s.start()
				s.says(s.in("FAILED_PARTIALLY_FULFILLED"), "1", "status", "fulfilledCount")
				s.says(s.send(http.MethodGet, delivered, ""), "1", "specificReservation", "count")
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.stockOfA3(0)
				s.start()
				s.says(s.in("FAILED"), "0", "status", "fulfilledCount")
				s.refused(s.send(http.MethodGet, delivered, ""), http.StatusNotFound, "notFound")
			},
		},
		"google-5-delete": {
			accepted: func(s *stage) {
				s.approved(futureBody())
				s.done(s.drop())
				s.approved(futureBody())
				s.start()
				s.until(closes())
				s.done(s.drop())
				s.accepted(s.send(http.MethodGet, futures, ""))
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.lock()
				s.invalid(s.drop())
				s.start()
				s.until(closes().Add(-time.Second))
				s.invalid(s.drop())
			},
		},
		"google-5-delete-leaves": {
			accepted: func(s *stage) {
				s.approved(futureBody("autoDeleteAutoCreatedReservations", nil))
				s.start()
				s.until(closes())
				s.done(s.drop())
				s.says(s.send(http.MethodGet, delivered, ""), nil, "deleteAtTime")
				s.done(s.send(http.MethodDelete, delivered, ""))
				s.accepted(s.send(http.MethodGet, collection, ""))
			},
			rejected: func(s *stage) {
				s.approved(futureBody())
				s.start()
				s.until(closes())
				s.accepted(s.future())
				s.refused(s.send(http.MethodGet, delivered, ""), http.StatusNotFound, "notFound")
			},
		},
	}
}

func calendarProofs() map[string]proof {
	return map[string]proof{
		"google-5-calendar-type": {
			accepted: asked(calendarBody(typeField, "a3-megagpu-8g"), calendarBody()),
			rejected: unasked(calendarBody(typeField, "a2-highgpu-8g"), calendarBody(typeField, "g2-standard-4"),
				calendarBody(typeField, "n1-standard-1")),
		},
		"google-5-calendar-count": {
			accepted: asked(calendarBody(countField, 80), futureBody(countField, 81)),
			rejected: unasked(calendarBody(countField, 81)),
		},
		"google-5-calendar-length": {
			accepted: asked(calendarBody(endField, rfc(opens().Add(90*day))), futureBody(endField, rfc(opens().Add(91*day)))),
			rejected: unasked(calendarBody(endField, rfc(opens().Add(90*day+time.Second)))),
		},
		"google-5-calendar-start": {
			accepted: asked(calendarBody(starting(60*day)...), futureBody(starting(61*day)...)),
			rejected: unasked(calendarBody(starting(60*day + time.Second)...)),
		},
		"google-5-calendar-delete": {
			accepted: func(s *stage) {
				s.approved(calendarBody())
				s.done(s.cancel())
				s.done(s.drop())
				s.accepted(s.send(http.MethodGet, futures, ""))
			},
			rejected: func(s *stage) {
				s.approved(calendarBody())
				s.invalid(s.drop())
			},
		},
		"google-5-calendar-end": {
			accepted: func(s *stage) {
				s.stockOfA3(2)
				s.approved(calendarBody("autoDeleteAutoCreatedReservations", nil))
				s.says(s.future(), rfc(closes()), deleteField)
				s.start()
				s.ok(s.world.Patch(sim.ObjectPatch{NativeID: "projects/" + delivered, InUse: &sim.Use{Number: 2}}))
				s.until(closes())
				s.left(2)
				s.accepted(s.future())
			},
			rejected: func(s *stage) {
				s.approved(calendarBody())
				s.start()
				s.accepted(s.send(http.MethodGet, delivered, ""))
				s.until(closes())
				s.refused(s.send(http.MethodGet, delivered, ""), http.StatusNotFound, "notFound")
			},
		},
	}
}
