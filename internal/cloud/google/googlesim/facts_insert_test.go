package googlesim_test

import (
	"net/http"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
)

const properties = "specificReservation.instanceProperties."

func gpus(name string, count int) []any {
	return []any{fields{"acceleratorType": name, "acceleratorCount": count}}
}

func insertProofs() map[string]proof {
	bad := func(pairs ...any) func(s *stage) {
		return func(s *stage) { s.refused(s.post(pairs...), http.StatusBadRequest, "invalid") }
	}
	return map[string]proof{
		"google-3.1-name": {
			accepted: func(s *stage) {
				s.accepted(s.post("name", "a"))
				s.accepted(s.post("name", "a"+strings.Repeat("-", 61)+"9"))
			},
			rejected: func(s *stage) {
				s.refused(s.post("name", nil), http.StatusBadRequest, "required")
				for _, name := range []string{"R", "1a", "a-", "a_b", strings.Repeat("a", 64), "a/b"} {
					s.refused(s.post("name", name), http.StatusBadRequest, "invalid")
				}
			},
		},
		"google-3.1-zone": {
			accepted: func(s *stage) {
				for i, zone := range []string{
					"us-central1-a", "projects/p1/global/zones/us-central1-a", "zones/us-central1-a",
					"https://www.googleapis.com/compute/v1/projects/p1/zones/us-central1-a",
				} {
					s.accepted(s.post("name", "r"+string(rune('a'+i)), "zone", zone))
				}
			},
			rejected: bad("zone", "projects/p1/zones/us-central1-b"),
		},
		"google-3.1-project": {
			accepted: func(s *stage) {
				got := s.create("shareSettings.shareType", "SPECIFIC_PROJECTS", "shareSettings.projectMap", fields{"p1": fields{"projectId": "p1"}})
				shared, _ := got.at("shareSettings", "projectMap").(map[string]any)
				for number := range shared {
					s.says(s.accepted(s.send(http.MethodGet, number+"/zones/"+zone+"/reservations/r1", "")),
						"https://www.googleapis.com/compute/v1/"+nativeID, "selfLink")
				}
				if len(shared) != 1 {
					s.t.Error(got.body)
				}
			},
			rejected: func(s *stage) {
				got := s.send(http.MethodGet, "999/zones/"+zone+"/reservations/r1", "")
				s.refused(got, http.StatusNotFound, "notFound")
				s.says(got, "The resource 'projects/999' was not found", "error", "message")
			},
		},
		"google-3.2-count": {
			accepted: func(s *stage) { s.accepted(s.post("specificReservation.count", "1000")) },
			rejected: func(s *stage) {
				s.refused(s.post("specificReservation.count", nil), http.StatusBadRequest, "required")
				bad("specificReservation.count", "0")(s)
				bad("specificReservation.count", "1001")(s)
			},
		},
		"google-3.2-one-source": {
			accepted: func(s *stage) { s.accepted(s.post()) },
			rejected: func(s *stage) {
				s.refused(s.post("specificReservation.instanceProperties", nil), http.StatusBadRequest, "required")
				s.refused(s.post("specificReservation", nil), http.StatusBadRequest, "required")
				s.refused(s.post("specificReservation.instanceProperties", nil, "specificReservation.sourceInstanceTemplate", "projects/p1/global/instanceTemplates/t"),
					http.StatusNotFound, "notFound")
				bad("specificReservation.sourceInstanceTemplate", "projects/p1/global/instanceTemplates/t")(s)
			},
		},
		"google-3.2-machine-type": {
			accepted: func(s *stage) {
				got := s.create(properties+"machineType", "projects/p1/zones/us-central1-a/machineTypes/a3-highgpu-8g")
				s.says(got, "a3-highgpu-8g", "specificReservation", "instanceProperties", "machineType")
				s.accepted(s.get())
			},
			rejected: func(s *stage) {
				s.refused(s.post(properties+"machineType", nil), http.StatusBadRequest, "required")
				bad(properties+"machineType", "a9-huge")(s)
				s.refused(s.send(http.MethodPost, "p1/zones/us-west2-a/reservations", insertBody()), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.2-delete-time": {
			accepted: func(s *stage) {
				got := s.create("deleteAfterDuration", fields{"seconds": "3600", "nanos": 0})
				s.says(s.says(got, "2027-03-01T13:00:00Z", "deleteAtTime"), nil, "deleteAfterDuration")
			},
			rejected: func(s *stage) {
				bad("deleteAfterDuration", fields{"seconds": 0})(s)
				bad("deleteAfterDuration", fields{"seconds": "3600"}, "deleteAtTime", "2027-03-05T00:00:00Z")(s)
			},
		},
		"google-3.2-delete-future": {
			accepted: func(s *stage) { s.accepted(s.post("deleteAtTime", "2027-03-01T12:00:01Z")) },
			rejected: bad("deleteAtTime", "2027-03-01T12:00:00Z"),
		},
		"google-3.2-aggregate": {
			accepted: func(s *stage) { s.accepted(s.post()) },
			rejected: bad("specificReservation", nil, "aggregateReservation", fields{"vmFamily": "VM_FAMILY_CLOUD_TPU_POD_SLICE_CT5P"}),
		},
		"google-3.2-policies": {
			accepted: func(s *stage) {
				url := "https://www.googleapis.com/compute/v1/projects/p1/regions/us-central1/resourcePolicies/pp"
				s.says(s.create("resourcePolicies", fields{"policy": url}), url, "resourcePolicies", "policy")
			},
			rejected: func(s *stage) {
				bad("resourcePolicies", fields{"policy": "pp"})(s)
				bad("resourcePolicies", fields{"policy": "projects/p1/regions/us-east1/resourcePolicies/pp"})(s)
			},
		},
		"google-3.2-dense": {
			accepted: func(s *stage) {
				got := s.create(properties+"machineType", "a3-megagpu-8g", "deploymentType", "DENSE")
				s.says(s.says(got, "DENSE", "deploymentType"), 1, "resourceStatus", "reservationBlockCount")
			},
			rejected: bad("deploymentType", "DENSE"),
		},
		"google-3.3-defaults": {
			accepted: func(s *stage) {
				got := s.create("specificReservationRequired", nil, properties+"machineType", "n1-standard-8")
				s.says(got, false, "specificReservationRequired")
				s.says(got, fields{"shareType": "LOCAL"}, "shareSettings")
				s.says(got, fields{"serviceShareType": "DISALLOW_ALL"}, "reservationSharingPolicy")
				s.says(got, fields{"count": "2", "inUseCount": "0", "assuredCount": "2", "instanceProperties": fields{"machineType": "n1-standard-8"}},
					"specificReservation")
				s.says(s.says(got, "READY", "status"), nil, "deleteAtTime")
			},
			rejected: bad("reservationSharingPolicy.serviceShareType", "SOME"),
		},
		"google-3.3-exists": {
			accepted: func(s *stage) {
				s.done(s.post())
				s.accepted(s.post("name", "r2"))
			},
			rejected: func(s *stage) {
				s.accepted(s.post())
				s.refused(s.post(), http.StatusConflict, "alreadyExists")
				s.finish()
				s.says(s.post(), "The resource 'projects/p1/zones/us-central1-a/reservations/r1' already exists", "error", "message")
			},
		},
	}
}

func propertiesProofs() map[string]proof {
	bad := func(pairs ...any) func(s *stage) {
		return func(s *stage) { s.refused(s.post(pairs...), http.StatusBadRequest, "invalid") }
	}
	return map[string]proof{
		"google-3.3-accelerators": {
			accepted: func(s *stage) {
				got := s.create(properties+"machineType", "n1-highmem-8", properties+"guestAccelerators", gpus("nvidia-tesla-v100", 1))
				s.says(got, gpus("nvidia-tesla-v100", 1), "specificReservation", "instanceProperties", "guestAccelerators")
				s.accepted(s.post("name", "r2", properties+"guestAccelerators", gpus("nvidia-tesla-a100", 8)))
			},
			rejected: func(s *stage) {
				bad(properties+"machineType", "n1-highmem-8", properties+"guestAccelerators", gpus("nvidia-tesla-a100", 1))(s)
				bad(properties+"machineType", "n1-highmem-8", properties+"guestAccelerators", gpus("nvidia-tesla-t4", 3))(s)
				bad(properties+"machineType", "n1-highmem-8", properties+"guestAccelerators", gpus("nvidia-tesla-t4", 0))(s)
				s.says(s.post(properties+"guestAccelerators", gpus("nvidia-tesla-a100", 1<<32+8)), "Invalid value at "+
					"'resource.specific_reservation.instance_properties.guest_accelerators[0].accelerator_count' (TYPE_INT32), 4294967304", "error", "message")
				bad(properties+"machineType", "n1-highmem-8", properties+"guestAccelerators", gpus("nvidia-tesla-p100", 1))(s)
				bad(properties+"machineType", "n1-highmem-8", properties+"guestAccelerators",
					append(gpus("nvidia-tesla-t4", 1), gpus("nvidia-tesla-v100", 1)...))(s)
				bad(properties+"guestAccelerators", gpus("nvidia-tesla-a100", 4))(s)
			},
		},
		"google-3.3-expansion": {
			accepted: func(s *stage) {
				full := newStageWith(s.t, googlesim.Options{ExpandedTypes: true})
				got := full.create(properties+"machineType", "a3-highgpu-1g")
				full.says(got, gpus("nvidia-h100-80gb", 1), "specificReservation", "instanceProperties", "guestAccelerators")
				full.says(got, []any{fields{"diskSizeGb": "375", "interface": "NVME"}, fields{"diskSizeGb": "375", "interface": "NVME"}},
					"specificReservation", "instanceProperties", "localSsds")
				s.says(s.create(properties+"machineType", "a3-highgpu-1g"), fields{"machineType": "a3-highgpu-1g"},
					"specificReservation", "instanceProperties")
			},
			rejected: bad(properties+"machineType", "a3-highgpu-1g", properties+"localSsds", []any{fields{"diskSizeGb": "375"}}),
		},
		"google-3.3-disks": {
			accepted: func(s *stage) {
				disks := []any{fields{"diskSizeGb": 375, "interface": "NVME"}, fields{}}
				got := s.create(properties+"machineType", "n1-standard-8", properties+"localSsds", disks)
				s.says(got, []any{fields{"diskSizeGb": "375", "interface": "NVME"}, fields{"diskSizeGb": "375", "interface": "SCSI"}},
					"specificReservation", "instanceProperties", "localSsds")
			},
			rejected: func(s *stage) {
				bad(properties+"localSsds", []any{fields{"diskSizeGb": "500"}})(s)
				bad(properties+"localSsds", []any{fields{"interface": "SATA"}})(s)
				many := make([]any, 25)
				for i := range many {
					many[i] = fields{}
				}
				bad(properties+"localSsds", many)(s)
			},
		},
		"google-3.3-platform": {
			accepted: func(s *stage) {
				got := s.create(properties+"machineType", "n1-standard-8", properties+"minCpuPlatform", "Intel Skylake")
				s.says(got, "Intel Skylake", "specificReservation", "instanceProperties", "minCpuPlatform")
			},
			rejected: bad(properties+"minCpuPlatform", "Intel Skylake"),
		},
	}
}

func shareProofs() map[string]proof {
	shared := func(projects ...string) []any {
		m := fields{}
		for _, p := range projects {
			m[p] = fields{"projectId": p}
		}
		return []any{"shareSettings.shareType", "SPECIFIC_PROJECTS", "shareSettings.projectMap", m}
	}
	bad := func(pairs ...any) func(s *stage) {
		return func(s *stage) { s.refused(s.post(pairs...), http.StatusBadRequest, "invalid") }
	}
	var many []string
	for i := range 101 {
		many = append(many, "shared-"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	return map[string]proof{
		"google-3.2-share-numbers": {
			accepted: func(s *stage) {
				got := s.create(shared("team-one", "123456789012")...)
				shown, _ := got.at("shareSettings", "projectMap").(map[string]any)
				if len(shown) != 2 || shown["team-one"] != nil {
					s.t.Error(got.body)
				}
				for number := range shown {
					s.says(got, number, "shareSettings", "projectMap", number, "projectId")
				}
			},
			rejected: func(s *stage) {
				bad(shared("not a project")...)(s)
				bad("shareSettings.shareType", "SPECIFIC_PROJECTS", "shareSettings.projectMap", fields{"a-project": fields{"projectId": "another"}})(s)
			},
		},
		"google-3.2-share-empty": {
			accepted: func(s *stage) { s.accepted(s.post(shared("team-one")...)) },
			rejected: bad("shareSettings.shareType", "SPECIFIC_PROJECTS"),
		},
		"google-3.2-share-map": {
			accepted: func(s *stage) { s.accepted(s.post("shareSettings.shareType", "ORGANIZATION")) },
			rejected: bad("shareSettings.shareType", "LOCAL", "shareSettings.projectMap", fields{"p2": fields{}}),
		},
		"google-3.2-share-limit": {
			accepted: func(s *stage) { s.accepted(s.post(shared(many[:100]...)...)) },
			rejected: bad(shared(many...)...),
		},
		"google-4-policy": {
			options:  googlesim.Options{SharingRefused: true},
			accepted: func(s *stage) { s.accepted(s.post("shareSettings.shareType", "LOCAL")) },
			rejected: func(s *stage) {
				got := s.post(shared("team-one")...)
				s.refused(got, http.StatusPreconditionFailed, "conditionNotMet")
				if !strings.Contains(got.body, "constraints/compute.sharedReservationsOwnerProjects") {
					s.t.Error(got.body)
				}
			},
		},
	}
}
