package googlesim_test

import (
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// project reads a project of Resource Manager.
func (s *stage) project(name string) reply {
	s.t.Helper()
	return s.raw(http.MethodGet, "/v3/projects/"+name, "")
}

// denied fails unless the answer is that of a project that is not there.
func (s *stage) denied(got reply) {
	s.t.Helper()
	if got.status != http.StatusForbidden || got.at("error", "status") != "PERMISSION_DENIED" || got.at("error", "errors") != nil {
		s.t.Errorf("got %d %s", got.status, got.body)
	}
}

func (s *stage) invalid(got reply) {
	s.t.Helper()
	s.refused(got, http.StatusBadRequest, "invalid")
}

// quotaOf reads a quota out of an answer.
func quotaOf(got reply, metric string) map[string]any {
	quotas, _ := got.at("quotas").([]any)
	for _, entry := range quotas {
		if quota, ok := entry.(map[string]any); ok && quota["metric"] == metric {
			return quota
		}
	}
	return nil
}

func (s *stage) quotaSays(got reply, metric string, limit, usage float64) {
	s.t.Helper()
	if q := quotaOf(got, metric); q["limit"] != limit || q["usage"] != usage {
		s.t.Errorf("%s is %v, want %g of %g", metric, q, usage, limit)
	}
}

func placesProofs() map[string]proof {
	const (
		machines = "p1/zones/us-central1-b/machineTypes"
		region   = "p1/regions/us-central1"
	)
	return map[string]proof{
		"google-1-project": {
			accepted: func(s *stage) {
				got := s.says(s.project("my-project"), "my-project", "projectId")
				name, _ := got.at("name").(string)
				number := strings.TrimPrefix(name, "projects/")
				s.says(s.project(number), "my-project", "projectId")
				s.says(got, "ACTIVE", "state")
				s.says(s.accepted(s.project("my-project?%24alt=json%3Benum-encoding%3Dint")), 1, "state")
			},
			rejected: func(s *stage) {
				s.accepted(s.project("my-project"))
				s.denied(s.project("123456789012"))
			},
		},
		"google-1-unknown-project": {
			accepted: func(s *stage) {
				got := s.accepted(s.project("some-project"))
				name, _ := got.at("name").(string)
				s.accepted(s.send(http.MethodGet, strings.TrimPrefix(name, "projects/"), ""))
			},
			rejected: func(s *stage) {
				s.denied(s.project("NoProject"))
				s.denied(s.project("1"))
				s.fault(sim.Fault{
					Operation: "cloudresourcemanager.projects.get", NativeID: "projects/hidden", Status: http.StatusForbidden,
					Code: "forbidden", Message: "The caller does not have permission",
				})
				s.accepted(s.project("some-project"))
				s.denied(s.project("hidden"))
			},
		},
		"google-7-zones": {
			accepted: func(s *stage) {
				s.accepted(s.send(http.MethodGet, "p1/zones/us-central1-a/machineTypes/a3-highgpu-8g", ""))
				s.accepted(s.send(http.MethodGet, "p1/zones/us-central1-a/acceleratorTypes/nvidia-h100-80gb", ""))
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, "p1/zones/us-central1-f/machineTypes/a3-highgpu-8g", ""), http.StatusNotFound, "notFound")
				s.refused(s.send(http.MethodGet, "p1/zones/us-central1-a/acceleratorTypes/nvidia-h200-141gb", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-7-description": {
			accepted: func(s *stage) {
				got := s.accepted(s.send(http.MethodGet, machines+"/a2-highgpu-8g", ""))
				s.says(got, "Accelerator Optimized: 8 NVIDIA Tesla A100 GPUs, 96 vCPUs, 680GB RAM", "description")
				s.says(got, fields{"guestAcceleratorCount": 8, "guestAcceleratorType": "nvidia-tesla-a100"}, "accelerators", 0)
				s.says(s.send(http.MethodGet, machines+"/n1-standard-1", ""), "1 vCPU, 3.75 GB RAM", "description")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, machines+"/a2-highgpu-16g", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-7-fraction": {
			accepted: func(s *stage) {
				got := s.accepted(s.send(http.MethodGet, machines+"/g4-standard-6", ""))
				s.says(got, "Graphics Optimized: 1/8 NVIDIA RTX PRO 6000 GPU, 6 vCPUs, 22GB RAM", "description")
				s.says(got, fields{"guestAcceleratorCount": 1, "guestAcceleratorType": "nvidia-rtx-pro-6000"}, "accelerators", 0)
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, machines+"/g4-standard-3", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-7-paging": {
			accepted: func(s *stage) {
				first := s.accepted(s.send(http.MethodGet, machines+"?maxResults=1&filter=name%3Dg4-standard-6", ""))
				s.says(first, nil, "nextPageToken")
				s.says(first, "g4-standard-6", "items", 0, "name")
				first = s.accepted(s.send(http.MethodGet, machines+"?maxResults=2", ""))
				token, _ := first.at("nextPageToken").(string)
				second := s.accepted(s.send(http.MethodGet, machines+"?maxResults=2&pageToken="+token, ""))
				if first.at("items", 1, "name") == second.at("items", 0, "name") || second.at("items", 1) == nil {
					s.t.Errorf("pages %s %s", first.body, second.body)
				}
				all := s.accepted(s.send(http.MethodGet, "p1/aggregated/acceleratorTypes?filter=name%3Dnvidia-gb300", ""))
				s.says(all, "nvidia-gb300", "items", "zones/us-central1-b", "acceleratorTypes", 0, "name")
				s.says(all, "NO_RESULTS_ON_PAGE", "items", "zones/us-central1-a", "warning", "code")
			},
			rejected: func(s *stage) { s.invalid(s.send(http.MethodGet, machines+"?pageToken=x", "")) },
		},
		"google-8-region-quotas": {
			accepted: func(s *stage) {
				s.quota("us-central1", "NVIDIA_A100_GPUS", 20)
				s.create()
				got := s.accepted(s.send(http.MethodGet, region, ""))
				s.quotaSays(got, "NVIDIA_A100_GPUS", 20, 16)
				s.quotaSays(got, "RESERVATIONS", 1_000_000, 1)
				s.quotaSays(s.accepted(s.send(http.MethodGet, "p1/regions/us-east1", "")), "NVIDIA_A100_GPUS", 1_000_000, 0)
			},
			rejected: func(s *stage) { s.invalid(s.send(http.MethodGet, "p1/regions/us-central9", "")) },
		},
		"google-8-project-quota": {
			accepted: func(s *stage) {
				s.quota("", "GPUS_ALL_REGIONS", 20)
				s.create()
				s.quotaSays(s.accepted(s.send(http.MethodGet, "p1", "")), "GPUS_ALL_REGIONS", 20, 16)
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, "123456789012", ""), http.StatusNotFound, "notFound")
			},
		},
		"google-8-no-h100": {
			accepted: func(s *stage) {
				got := s.accepted(s.send(http.MethodGet, region, ""))
				if quotaOf(got, "NVIDIA_H100_GPUS") != nil || quotaOf(got, "PREEMPTIBLE_NVIDIA_H100_GPUS") == nil {
					s.t.Errorf("quotas of H100: %s", got.body)
				}
			},
			rejected: func(s *stage) {
				s.quota("", "GPUS_ALL_REGIONS", 15)
				s.refused(s.post("specificReservation.instanceProperties.machineType", "a3-highgpu-8g"), http.StatusForbidden, "quotaExceeded")
			},
		},
	}
}
