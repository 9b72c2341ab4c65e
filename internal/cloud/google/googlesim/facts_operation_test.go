package googlesim_test

import (
	"net/http"
	"regexp"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const operations = "p1/zones/us-central1-a/operations"

func operationProofs() map[string]proof {
	return map[string]proof{
		"google-4-operation": {
			accepted: func(s *stage) {
				got := s.accepted(s.post())
				s.says(s.says(got, "RUNNING", "status"), 0, "progress")
				s.says(s.says(got, nil, "endTime"), nil, "clientOperationId")
				name, _ := got.at("name").(string)
				if !regexp.MustCompile(`^operation-1803902400000-[0-9a-f]{13}-[0-9a-f]{8}-[0-9a-f]{8}$`).MatchString(name) {
					s.t.Error(name)
				}
				s.refused(s.get(), http.StatusNotFound, "notFound")
				end := s.done(got)
				s.says(s.says(end, 100, "progress"), "2027-03-01T04:00:01.000-08:00", "endTime")
				s.says(end, s.get().at("id"), "targetId")
				s.accepted(s.get())
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, operations+"/o", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-4-operation-type": {
			accepted: func(s *stage) {
				s.says(s.done(s.post()), "insert", "operationType")
				s.says(s.done(s.resize(3)), "resize", "operationType")
				s.says(s.done(s.patch("paths=deleteAtTime")), "compute.allocations.update", "operationType")
				s.says(s.done(s.remove()), "delete", "operationType")
			},
			rejected: func(s *stage) { s.refused(s.remove(), http.StatusNotFound, "notFound") },
		},
		"google-4-wait": {
			accepted: func(s *stage) {
				s.fault(sim.Fault{Times: 1, OperationTakes: new(sim.Duration(50 * time.Millisecond))})
				name, _ := s.accepted(s.post()).at("name").(string)
				s.says(s.accepted(s.send(http.MethodPost, operations+"/"+name+"/wait", "")), "RUNNING", "status")
				s.ok(s.world.Freeze(false))
				s.says(s.accepted(s.send(http.MethodPost, operations+"/"+name+"/wait", "")), "DONE", "status")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodPost, operations+"/o/wait", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-4-operation-list": {
			accepted: func(s *stage) {
				s.create()
				s.accepted(s.resize(3))
				got := s.accepted(s.send(http.MethodGet, operations+"?filter=status%3DRUNNING", ""))
				s.says(s.says(got, "resize", "items", 0, "operationType"), nil, "items", 1)
				got = s.send(http.MethodGet, operations+"?orderBy=creationTimestamp%20desc", "")
				s.says(s.says(got, "resize", "items", 0, "operationType"), "insert", "items", 1, "operationType")
				for _, other := range []string{"p2/zones/us-central1-a/operations", "p1/zones/us-central1-b/operations"} {
					s.says(s.accepted(s.send(http.MethodGet, other, "")), nil, "items")
				}
				s.ok(s.world.Advance(15 * 24 * time.Hour))
				s.says(s.accepted(s.send(http.MethodGet, operations, "")), nil, "items")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, operations+"?filter=status%3D", ""), http.StatusBadRequest, "invalid")
			},
		},
		"google-4-failure": {
			accepted: func(s *stage) {
				s.fault(sim.Fault{Times: 1, OperationTakes: new(sim.Duration(time.Hour)), OperationError: &sim.OperationError{
					Code: "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", Message: "none left", HTTPStatus: 503,
					Details: map[string]string{"zonesAvailable": "us-central1-b"},
				}})
				got := s.accepted(s.post())
				s.says(s.operation(got), "RUNNING", "status")
				s.ok(s.world.Advance(time.Hour))
				end := s.failed(got, "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS")
				s.says(s.says(end, 503, "httpErrorStatusCode"), "SERVICE UNAVAILABLE", "httpErrorMessage")
				s.says(end, fields{"reason": "resource_availability", "domain": "compute.googleapis.com", "metadatas": fields{"zonesAvailable": "us-central1-b"}},
					"error", "errors", 0, "errorDetails", 0, "errorInfo")
				s.fault(sim.Fault{Times: 1, OperationError: &sim.OperationError{Code: "INTERNAL_ERROR", Message: "x"}})
				s.says(s.failed(s.post(), "INTERNAL_ERROR"), nil, "httpErrorStatusCode")
			},
			rejected: func(s *stage) {
				s.fault(sim.Fault{Times: 1, OperationTakes: new(sim.Duration(0)), OperationError: &sim.OperationError{Code: "INTERNAL_ERROR"}})
				s.says(s.accepted(s.post()), "DONE", "status")
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
	}
}

func requestIDProofs() map[string]proof {
	const (
		id    = "?requestId=11111111-2222-4333-8444-555555555555"
		other = "?requestId=11111111-2222-4333-8444-666666666666"
	)
	insert := func(s *stage, query string, pairs ...any) reply {
		return s.send(http.MethodPost, collection+query, insertBody(pairs...))
	}
	return map[string]proof{
		"google-4-request-id": {
			accepted: func(s *stage) {
				first := s.accepted(insert(s, id))
				s.says(first, "11111111-2222-4333-8444-555555555555", "clientOperationId")
				s.says(s.accepted(insert(s, id)), first.at("name"), "name")
				s.done(first)
				s.says(s.accepted(insert(s, id, "name", "r2")), first.at("name"), "name")
				s.refused(s.send(http.MethodGet, collection+"/r2", ""), http.StatusNotFound, "notFound")
				s.stock(0)
				failed := s.failed(insert(s, other, "name", "r2"), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.stock(9)
				s.says(s.failed(insert(s, other, "name", "r2"), "ZONE_RESOURCE_POOL_EXHAUSTED"), failed.at("name"), "name")
			},
			rejected: func(s *stage) {
				s.done(insert(s, id))
				s.refused(insert(s, other), http.StatusConflict, "alreadyExists")
			},
		},
		"google-4-request-id-form": {
			accepted: func(s *stage) { s.accepted(insert(s, id)) },
			rejected: func(s *stage) {
				for _, id := range []string{"x", "00000000-0000-0000-0000-000000000000", "111111112222433384445555555555555555"} {
					s.refused(insert(s, "?requestId="+id), http.StatusBadRequest, "invalid")
				}
			},
		},
		"google-4-request-id-body": {
			options: googlesim.Options{StrictRequestID: true},
			accepted: func(s *stage) {
				s.accepted(insert(s, id))
				s.accepted(insert(s, id))
			},
			rejected: func(s *stage) {
				s.accepted(insert(s, id))
				s.refused(insert(s, id, "name", "r2"), http.StatusBadRequest, "invalid")
			},
		},
	}
}
