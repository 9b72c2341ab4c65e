package googlesim_test

import (
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func errorProofs() map[string]proof {
	return map[string]proof{
		"google-4-error": {
			accepted: func(s *stage) { s.accepted(s.post()) },
			rejected: func(s *stage) {
				message := "The resource '" + nativeID + "' was not found"
				s.says(s.get(), fields{"error": fields{
					"code": 404, "message": message, "errors": []any{fields{"domain": "global", "reason": "notFound", "message": message}},
				}})
			},
		},
		"google-4-invalid": {
			accepted: func(s *stage) { s.accepted(s.post("name", "good")) },
			rejected: func(s *stage) {
				s.says(s.post("name", "Bad"), "Invalid value for field 'resource.name': 'Bad'. "+
					"Must be a match of regex '[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?'", "error", "message")
			},
		},
		"google-4-project": {
			accepted: func(s *stage) { s.accepted(s.send(http.MethodGet, "example.com:p1/zones/us-east1-d/reservations", "")) },
			rejected: func(s *stage) {
				got := s.send(http.MethodGet, "a%20b/zones/us-east1-d/reservations", "")
				s.refused(got, http.StatusBadRequest, "invalidParameter")
				s.says(s.says(got, "INVALID_ARGUMENT", "error", "status"), "RESOURCE_PROJECT_INVALID", "error", "details", 0, "reason")
			},
		},
		"google-4-unknown-zone": {
			accepted: func(s *stage) { s.accepted(s.send(http.MethodGet, "p1/zones/us-east1-d/reservations", "")) },
			rejected: func(s *stage) {
				got := s.send(http.MethodGet, "p1/zones/us-east1/reservations", "")
				s.refused(got, http.StatusBadRequest, "invalid")
				s.says(got, "Invalid value for field 'zone': 'us-east1'. Unknown zone.", "error", "message")
			},
		},
		"google-4-stock": {
			accepted: func(s *stage) {
				s.stock(0)
				end := s.failed(s.post(), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.says(s.says(end, 503, "httpErrorStatusCode"), "SERVICE UNAVAILABLE", "httpErrorMessage")
				s.says(end, "The zone 'projects/p1/zones/us-central1-a' does not have enough resources available to fulfill the request. "+
					"Try a different zone, or try again later.", "error", "errors", 0, "message")
			},
			rejected: func(s *stage) {
				s.fault(sim.Fault{Status: 503, Code: "insufficientCapacity", Message: "none"})
				s.refused(s.post(), http.StatusServiceUnavailable, "insufficientCapacity")
			},
		},
		"google-4-stock-details": {
			options: googlesim.Options{StockDetails: true},
			accepted: func(s *stage) {
				none := 0
				for _, zone := range []string{"us-central1-a", "us-central1-f"} {
					s.ok(s.world.SetCapacity(sim.Capacity{
						Cloud: "google", Region: "us-central1", Zone: zone, InstanceType: "n1-standard-4", Available: &none,
					}))
				}
				end := s.failed(s.post(properties+"machineType", "n1-standard-4", properties+"guestAccelerators", gpus("nvidia-tesla-t4", 1)),
					"ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS")
				s.says(end, fields{
					"attachment": "nvidia-tesla-t4:1", "vmType": "n1-standard-4", "zone": "us-central1-a",
					"zonesAvailable": "us-central1-b,us-central1-c",
				}, "error", "errors", 0, "errorDetails", 2, "errorInfo", "metadatas")
			},
			rejected: func(s *stage) {
				s.stock(1)
				s.failed(s.post(), "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS")
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
		"google-4-rate": {
			accepted: func(s *stage) { s.accepted(s.post()) },
			rejected: func(s *stage) {
				s.ok(s.world.SetRate(sim.Rate{Cloud: "google", PerSecond: 0.001, Burst: 1}))
				s.accepted(s.post())
				got := s.post("name", "r2")
				s.refused(got, http.StatusForbidden, "rateLimitExceeded")
				if !strings.Contains(got.body, "Queries per minute") || got.at("error", "errors", 0, "domain") != "usageLimits" {
					s.t.Error(got.body)
				}
				other := newStageWith(s.t, googlesim.Options{RateStatus: 429})
				other.ok(other.world.SetRate(sim.Rate{Cloud: "google", PerSecond: 0.001, Burst: 1}))
				other.get()
				other.refused(other.get(), http.StatusTooManyRequests, "rateLimitExceeded")
			},
		},
		"google-4-error-info": {
			accepted: func(s *stage) {
				s.fault(sim.Fault{Times: 1, Status: 403, Code: "CONCURRENT_OPERATIONS_QUOTA_EXCEEDED", Message: "busy"})
				s.post()
				s.accepted(s.post())
			},
			rejected: func(s *stage) {
				s.fault(sim.Fault{Status: 403, Code: "CONCURRENT_OPERATIONS_QUOTA_EXCEEDED", Message: "busy"})
				got := s.post()
				s.refused(got, http.StatusForbidden, "rateLimitExceeded")
				s.says(got, fields{
					"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "CONCURRENT_OPERATIONS_QUOTA_EXCEEDED",
					"domain": "compute.googleapis.com",
				}, "error", "details", 0)
			},
		},
	}
}

func quotaProofs() map[string]proof {
	return map[string]proof{
		"google-8-quota": {
			accepted: func(s *stage) {
				s.quota("us-central1", "NVIDIA_A100_GPUS", 24)
				s.create()
				s.done(s.send(http.MethodPost, "p2/zones/us-central1-a/reservations", insertBody()))
				s.done(s.send(http.MethodPost, "p1/zones/us-east1-b/reservations", insertBody()))
				s.done(s.post("name", "r2", "specificReservation.count", 1))
			},
			rejected: func(s *stage) {
				s.quota("us-central1", "NVIDIA_A100_GPUS", 24)
				s.create()
				got := s.post("name", "r2")
				s.refused(got, http.StatusForbidden, "quotaExceeded")
				s.says(got, "Quota 'NVIDIA_A100_GPUS' exceeded.  Limit: 24.0 in region us-central1.", "error", "message")
			},
		},
		"google-8-quota-operation": {
			options: googlesim.Options{QuotaInOperation: true, QuotaStatus: 429},
			accepted: func(s *stage) {
				s.quota("us-central1", "NVIDIA_A100_GPUS", 8)
				end := s.failed(s.post(), "QUOTA_EXCEEDED")
				s.says(s.says(end, 429, "httpErrorStatusCode"), "TOO MANY REQUESTS", "httpErrorMessage")
				s.says(end, fields{
					"metricName": "compute.googleapis.com/nvidia_a100_gpus", "limitName": "NVIDIA-A100-GPUS-per-project-region", "limit": 8,
					"dimensions": fields{"region": "us-central1"},
				}, "error", "errors", 0, "errorDetails", 0, "quotaInfo")
			},
			rejected: func(s *stage) {
				s.quota("us-central1", "NVIDIA_A100_GPUS", 8)
				s.failed(s.post(), "QUOTA_EXCEEDED")
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
		"google-8-metrics": {
			accepted: func(s *stage) {
				s.quota("us-central1", "NVIDIA_A100_GPUS", 0)
				s.quota("us-east1", "NVIDIA_L4_GPUS", 0)
				s.accepted(s.post(properties+"machineType", "a3-highgpu-8g"))
				s.accepted(s.post("name", "r2", properties+"machineType", "g2-standard-4"))
			},
			rejected: func(s *stage) {
				s.quota("us-central1", "NVIDIA_T4_GPUS", 2)
				s.quota("", "GPUS_ALL_REGIONS", 8)
				s.refused(s.post(properties+"machineType", "n1-standard-4", properties+"guestAccelerators", gpus("nvidia-tesla-t4", 2)),
					http.StatusForbidden, "quotaExceeded")
				s.done(s.send(http.MethodPost, "p1/zones/us-east1-b/reservations", insertBody("specificReservation.count", 1)))
				got := s.post(properties+"machineType", "a3-highgpu-1g")
				s.refused(got, http.StatusForbidden, "quotaExceeded")
				s.says(got, "Quota 'GPUS_ALL_REGIONS' exceeded.  Limit: 8.0 globally.", "error", "message")
			},
		},
		"google-8-reservations": {
			accepted: func(s *stage) {
				s.quota("us-central1", "RESERVATIONS", 1)
				s.create()
				s.done(s.resize(3))
			},
			rejected: func(s *stage) {
				s.ok(s.world.SetQuota(sim.Quota{Cloud: "google", Region: "us-central1", Quota: "RESERVATIONS", Limit: new(2.0), Used: 1}))
				s.create()
				s.refused(s.post("name", "r2"), http.StatusForbidden, "quotaExceeded")
			},
		},
	}
}
