package googlesim_test

import (
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func lifeProofs() map[string]proof {
	return map[string]proof{
		"google-3.3-stock": {
			accepted: func(s *stage) {
				s.stock(2)
				s.create()
				s.failed(s.post("name", "r2"), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.done(s.remove())
				s.done(s.post("name", "r2"))
			},
			rejected: func(s *stage) {
				s.stock(1)
				s.failed(s.post(), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
		"google-3.3-all-or-nothing": {
			accepted: func(s *stage) {
				s.stock(2)
				s.fault(sim.Fault{Times: 1, OperationError: &sim.OperationError{Code: "INTERNAL_ERROR", HTTPStatus: 500}})
				s.failed(s.post(), "INTERNAL_ERROR")
				s.create()
			},
			rejected: func(s *stage) {
				s.fault(sim.Fault{Times: 1, OperationError: &sim.OperationError{Code: "INTERNAL_ERROR"}})
				s.accepted(s.post())
				s.refused(s.post(), http.StatusConflict, "alreadyExists")
				s.finish()
				if rows, err := s.world.Objects(); err != nil || len(rows) != 0 {
					s.t.Errorf("left behind: %v, %v", rows, err)
				}
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
		"google-3.3-auto-delete": {
			accepted: func(s *stage) {
				s.stock(2)
				s.create("deleteAfterDuration", fields{"seconds": 7200})
				s.ok(s.world.Advance(time.Hour))
				s.accepted(s.get())
				s.ok(s.world.Advance(time.Hour))
				s.done(s.post("name", "r2"))
			},
			rejected: func(s *stage) {
				s.create("deleteAtTime", "2027-03-01T13:00:00Z")
				s.ok(s.world.Advance(time.Hour))
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
		"google-3.3-delete-used": {
			accepted: func(s *stage) {
				s.create()
				s.used(1)
				s.used(0)
				s.done(s.remove())
				in := newStageWith(s.t, googlesim.Options{InUseInOperation: true})
				in.create()
				in.ok(in.world.Patch(sim.ObjectPatch{NativeID: nativeID, InUse: &sim.Use{Users: []string{"vm-1"}}}))
				end := in.failed(in.remove(), "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE")
				in.says(in.says(end, 400, "httpErrorStatusCode"), "BAD REQUEST", "httpErrorMessage")
				in.says(in.get(), "READY", "status")
			},
			rejected: func(s *stage) {
				s.create()
				s.used(1)
				s.refused(s.remove(), http.StatusBadRequest, "resourceInUseByAnotherResource")
			},
		},
		"google-3.3-delete-automatic": {
			accepted: func(s *stage) {
				s.stock(4)
				s.create("specificReservationRequired", false)
				s.used(1)
				s.done(s.remove())
				s.failed(s.post("name", "r2", "specificReservation.count", 4), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.done(s.post("name", "r2", "specificReservation.count", 3))
			},
			rejected: func(s *stage) {
				s.create("specificReservationRequired", false)
				s.used(1)
				s.done(s.remove())
				s.refused(s.get(), http.StatusNotFound, "notFound")
			},
		},
		"google-3.3-delete-twice": {
			accepted: func(s *stage) {
				s.create()
				s.says(s.accepted(s.remove()), "delete", "operationType")
			},
			rejected: func(s *stage) {
				s.create()
				s.done(s.remove())
				got := s.remove()
				s.refused(got, http.StatusNotFound, "notFound")
				s.says(got, "The resource '"+nativeID+"' was not found", "error", "message")
			},
		},
		"google-3.3-busy": {
			accepted: func(s *stage) {
				s.create()
				s.accepted(s.resize(3))
				s.says(s.get(), "UPDATING", "status")
				s.finish()
				s.accepted(s.remove())
				s.says(s.get(), "DELETING", "status")
			},
			rejected: func(s *stage) {
				s.create()
				s.accepted(s.resize(3))
				s.refused(s.resize(4), http.StatusBadRequest, "resourceNotReady")
				s.refused(s.patch("paths=deleteAtTime"), http.StatusBadRequest, "resourceNotReady")
				s.refused(s.remove(), http.StatusBadRequest, "resourceNotReady")
			},
		},
		"google-3.5-blocks": {
			accepted: func(s *stage) {
				s.create()
				s.says(s.accepted(s.send(http.MethodGet, collection+"/r1/reservationBlocks?maxResults=500", "")), nil, "items")
				s.done(s.post("name", "r2", properties+"machineType", "a4-highgpu-8g", "specificReservation.count", 2, "deploymentType", "DENSE",
					"specificReservation.instanceProperties.machineType", "a3-megagpu-8g"))
				got := s.accepted(s.send(http.MethodGet, collection+"/r2/reservationBlocks", ""))
				name, _ := s.says(got, 2, "items", 0, "count").at("items", 0, "name").(string)
				s.says(s.accepted(s.send(http.MethodGet, collection+"/r2/reservationBlocks/"+name+"?view=FULL", "")), name, "resource", "name")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, collection+"/r1/reservationBlocks", ""), http.StatusNotFound, "notFound")
				s.create()
				s.refused(s.send(http.MethodGet, collection+"/r1/reservationBlocks/b", ""), http.StatusNotFound, "notFound")
			},
		},
	}
}

func resizeProofs() map[string]proof {
	return map[string]proof{
		"google-3.3-resize": {
			accepted: func(s *stage) {
				s.stock(4)
				s.create()
				s.done(s.resize(4))
				s.says(s.says(s.get(), "4", "specificReservation", "count"), "4", "specificReservation", "assuredCount")
				s.done(s.resize(1))
				s.done(s.post("name", "r2", "specificReservation.count", 3))
			},
			rejected: func(s *stage) {
				s.refused(s.resize(3), http.StatusNotFound, "notFound")
				s.create()
				s.refused(s.resize(0), http.StatusBadRequest, "invalid")
				s.refused(s.resize(1001), http.StatusBadRequest, "invalid")
				s.refused(s.resize(nil), http.StatusBadRequest, "required")
			},
		},
		"google-3.3-resize-used": {
			accepted: func(s *stage) {
				s.create("specificReservationRequired", false, "specificReservation.count", 3)
				s.used(2)
				s.done(s.resize(1))
				s.says(s.accepted(s.get()), "1", "specificReservation", "inUseCount")
				// What ran in it runs on beside it.
				s.stock(3)
				s.done(s.post("name", "r2", "specificReservationRequired", false, "specificReservation.count", 3))
				s.ok(s.world.Patch(sim.ObjectPatch{NativeID: nativeID[:len(nativeID)-1] + "2", InUse: &sim.Use{Users: []string{"a", "b"}}}))
				s.done(s.send(http.MethodPost, collection+"/r2/resize", `{"specificSkuCount":"1"}`))
				s.failed(s.post("name", "r3"), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.done(s.post("name", "r3", "specificReservation.count", 1))
			},
			rejected: func(s *stage) {
				s.create()
				s.used(2)
				got := s.resize(1)
				s.refused(got, http.StatusBadRequest, "invalid")
				s.says(got, "Invalid value for field 'resource.specificSkuCount': '1'. The resize instance count cannot be lower "+
					"than the in use count for a specific reservation.", "error", "message")
			},
		},
		"google-3.3-resize-stock": {
			accepted: func(s *stage) {
				s.stock(3)
				s.create()
				s.failed(s.resize(4), "ZONE_RESOURCE_POOL_EXHAUSTED")
				s.says(s.says(s.get(), "2", "specificReservation", "count"), "READY", "status")
				s.fault(sim.Fault{Operation: "compute.reservations.resize", Times: 1, OperationError: &sim.OperationError{Code: "INTERNAL_ERROR"}})
				s.failed(s.resize(3), "INTERNAL_ERROR")
				s.done(s.resize(3))
			},
			rejected: func(s *stage) {
				s.create()
				s.quota("us-central1", "NVIDIA_A100_GPUS", 16)
				s.refused(s.resize(3), http.StatusForbidden, "quotaExceeded")
			},
		},
	}
}

func (s *stage) share(projects ...string) map[string]any {
	s.t.Helper()
	m := fields{}
	for _, p := range projects {
		m[p] = fields{"projectId": p}
	}
	got := s.create("shareSettings.shareType", "SPECIFIC_PROJECTS", "shareSettings.projectMap", m)
	shown, _ := got.at("shareSettings", "projectMap").(map[string]any)
	return shown
}

func (s *stage) sharedWith(n int) {
	s.t.Helper()
	got := s.accepted(s.get())
	if shown, _ := got.at("shareSettings", "projectMap").(map[string]any); len(shown) != n {
		s.t.Errorf("want %d projects: %s", n, got.body)
	}
}

func updateProofs() map[string]proof {
	const mapPath = "shareSettings.projectMap."
	return map[string]proof{
		"google-3.4-add-project": {
			accepted: func(s *stage) {
				s.share("team-one")
				s.done(s.patch("paths="+mapPath+"222222222222", "shareSettings|shareType", "SPECIFIC_PROJECTS",
					"shareSettings|projectMap|222222222222|projectId", "222222222222"))
				s.sharedWith(2)
				s.done(s.patch("updateMask="+mapPath+"team-two", "shareSettings|projectMap|team-two|projectId", "team-two"))
				s.sharedWith(3)
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.patch("paths="+mapPath+"team-two", "shareSettings|projectMap|team-two|projectId", "team-two"), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.4-remove-project": {
			accepted: func(s *stage) {
				for number := range s.share("team-one", "team-two") {
					s.done(s.patch("paths="+mapPath+number, "shareSettings|shareType", "SPECIFIC_PROJECTS"))
					break
				}
				s.sharedWith(1)
			},
			rejected: func(s *stage) {
				s.share("team-one", "team-two")
				s.refused(s.patch("paths="+mapPath+"team-one"), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.4-last-project": {
			accepted: func(s *stage) {
				s.share("team-one")
				s.done(s.patch("paths="+mapPath+"111111111111", "shareSettings|projectMap|111111111111", fields{}))
				s.sharedWith(2)
			},
			rejected: func(s *stage) {
				for number := range s.share("team-one") {
					s.refused(s.patch("paths="+mapPath+number), http.StatusBadRequest, "invalid")
				}
			},
		},
		"google-3.4-service-share": {
			accepted: func(s *stage) {
				s.create()
				s.done(s.patch("updateMask=reservationSharingPolicy.serviceShareType", "reservationSharingPolicy|serviceShareType", "ALLOW_ALL"))
				s.says(s.get(), "ALLOW_ALL", "reservationSharingPolicy", "serviceShareType")
				s.done(s.patch("paths=reservation_sharing_policy.service_share_type"))
				s.says(s.accepted(s.get()), "DISALLOW_ALL", "reservationSharingPolicy", "serviceShareType")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.patch("paths=reservationSharingPolicy.serviceShareType", "reservationSharingPolicy|serviceShareType", "SOME"),
					http.StatusBadRequest, "invalid")
			},
		},
		"google-3.4-delete-time": {
			accepted: func(s *stage) {
				s.create("deleteAtTime", "2027-03-01T13:00:00Z")
				s.done(s.patch("paths=deleteAtTime", "deleteAtTime", "2027-03-01T14:00:00Z"))
				s.ok(s.world.Advance(90 * time.Minute))
				s.says(s.get(), "2027-03-01T14:00:00Z", "deleteAtTime")
				s.done(s.patch("updateMask=deleteAtTime"))
				s.ok(s.world.Advance(24 * time.Hour))
				s.says(s.accepted(s.get()), nil, "deleteAtTime")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.patch("paths=deleteAtTime", "deleteAtTime", "2027-02-01T14:00:00Z"), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.4-paths": {
			accepted: func(s *stage) {
				s.create()
				s.done(s.patch("paths=deleteAtTime&paths=schedulingType&updateMask=earlyAccessMaintenance,enableEmergentMaintenance",
					"deleteAtTime", "2027-03-05T14:00:00Z", "schedulingType", "GROUPED", "earlyAccessMaintenance", "WAVE1", "enableEmergentMaintenance", true))
				got := s.accepted(s.get())
				s.says(s.says(got, "GROUPED", "schedulingType"), "WAVE1", "earlyAccessMaintenance")
				s.says(s.says(got, "2027-03-05T14:00:00Z", "deleteAtTime"), nil, "enableEmergentMaintenance")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.patch(""), http.StatusBadRequest, "required")
				for _, path := range []string{"description", "name", "specificReservation.count", "shareSettings", "shareSettings.projectMap", "deleteAtTime,color"} {
					s.refused(s.patch("updateMask="+path), http.StatusBadRequest, "invalid")
				}
			},
		},
		"google-3.4-immutable": {
			accepted: func(s *stage) {
				s.create("description", "old")
				s.done(s.patch("paths=schedulingType", "description", "new", "specificReservationRequired", false, "schedulingType", "INDEPENDENT"))
				s.says(s.says(s.accepted(s.get()), "old", "description"), true, "specificReservationRequired")
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.patch("paths=specificReservationRequired", "specificReservationRequired", false), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.4-share-type": {
			accepted: func(s *stage) {
				s.share("team-one")
				s.accepted(s.patch("paths="+mapPath+"team-two", "shareSettings|shareType", "SPECIFIC_PROJECTS", "shareSettings|projectMap|team-two", fields{}))
			},
			rejected: func(s *stage) {
				s.share("team-one")
				s.refused(s.patch("paths=shareSettings.shareType", "shareSettings|shareType", "LOCAL"), http.StatusBadRequest, "invalid")
				s.refused(s.patch("paths="+mapPath+"team-two", "shareSettings|shareType", "LOCAL", "shareSettings|projectMap|team-two", fields{}),
					http.StatusBadRequest, "invalid")
			},
		},
	}
}
