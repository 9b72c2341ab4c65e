package google_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// TestGet: everything that a reservation shows.
func TestGet(t *testing.T) {
	t.Parallel()
	want := cloud.Reservation{
		Ref: trainRef(), AccountID: home, Region: "us-central1", Zone: zone, Kind: cloud.OnDemand,
		InstanceType: "a2-highgpu-1g", Count: 2, InUse: 1, Match: cloud.Targeted, State: cloud.Held, NativeState: "READY",
		CreatedAt: time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC), StartsAt: time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC),
		Mark:       cloud.Mark{Owner: "team/ml", Name: "train", Type: "gpu_reservation"},
		NativeName: "train",
		Native: map[string]string{
			"min_cpu_platform": "", "local_ssd_count": "", "local_ssd_interface": "", "placement_policy": "", "vertex_sharing": "disallow_all",
		},
	}
	for name, tc := range map[string]struct {
		rest   string
		change func(*cloud.Reservation)
	}{
		"plain":      {"", func(*cloud.Reservation) {}},
		"open":       {`"specificReservationRequired":false`, func(r *cloud.Reservation) { r.Match = cloud.Open }},
		"open twice": {`"specificReservationRequired":null`, func(r *cloud.Reservation) { r.Match = cloud.Open }},
		"end": {`"deleteAtTime":"2031-04-01T00:00:00.500Z"`, func(r *cloud.Reservation) {
			r.EndsAt = time.Date(2031, 4, 1, 0, 0, 0, 500e6, time.UTC)
			r.UsableUntil = r.EndsAt
		}},
		"creating":    {`"status":"CREATING"`, func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Pending, "CREATING" }},
		"updating":    {`"status":"UPDATING"`, func(r *cloud.Reservation) { r.NativeState = "UPDATING" }},
		"deleting":    {`"status":"DELETING"`, func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Leaving, "DELETING" }},
		"new state":   {`"status":"PONDERING"`, func(r *cloud.Reservation) { r.State, r.NativeState = cloud.Unrecognized, "PONDERING" }},
		"no mark":     {`"description":"made by hand"`, func(r *cloud.Reservation) { r.Mark = cloud.Mark{} }},
		"vertex":      {`"reservationSharingPolicy":{"serviceShareType":"ALLOW_ALL"}`, func(r *cloud.Reservation) { r.Native["vertex_sharing"] = "allow_all" }},
		"placement":   {`"resourcePolicies":{"policy":"https://www.googleapis.com/compute/v1/projects/p/regions/us-central1/resourcePolicies/near"}`, func(r *cloud.Reservation) { r.Native["placement_policy"] = "near" }},
		"other field": {`"somethingNew":{"a":[1]}`, func(*cloud.Reservation) {}},
		"options": {
			`"specificReservation":{"count":2,"inUseCount":1,"instanceProperties":{"machineType":"a2-highgpu-1g","minCpuPlatform":"Intel Cascade Lake",
				"guestAccelerators":[{"acceleratorType":"nvidia-tesla-a100","acceleratorCount":1}],
				"localSsds":[{"interface":"NVME","diskSizeGb":"375"},{"interface":"NVME","diskSizeGb":"375"}]}}`,
			func(r *cloud.Reservation) {
				r.Native["min_cpu_platform"], r.Native["local_ssd_count"], r.Native["local_ssd_interface"] = "Intel Cascade Lake", "2", "nvme"
			},
		},
		"bundled and shown": {
			`"specificReservation":{"count":"2","inUseCount":"1","instanceProperties":{"machineType":"a3-ultragpu-8g",
				"guestAccelerators":[{"acceleratorType":"nvidia-h200-141gb","acceleratorCount":8}],"localSsds":[{"interface":"NVME","diskSizeGb":"375"}]}}`,
			func(r *cloud.Reservation) {
				r.InstanceType = "a3-ultragpu-8g"
				delete(r.Native, "local_ssd_count")
				delete(r.Native, "local_ssd_interface")
			},
		},
		"attached": {
			`"specificReservation":{"count":"2","inUseCount":"1","instanceProperties":{"machineType":"n1-standard-8",
				"guestAccelerators":[{"acceleratorType":"https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/acceleratorTypes/nvidia-tesla-t4","acceleratorCount":2}]}}`,
			func(r *cloud.Reservation) {
				r.InstanceType = "n1-standard-8"
				r.Native["accelerator_type"], r.Native["accelerator_count"] = "nvidia-tesla-t4", "2"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := want
			want.Native = map[string]string{}
			for key, value := range map[string]string{
				"min_cpu_platform": "", "local_ssd_count": "", "local_ssd_interface": "", "placement_policy": "", "vertex_sharing": "disallow_all",
			} {
				want.Native[key] = value
			}
			tc.change(&want)
			s := newStub(t, map[string][]answer{read: {object(tc.rest)}})
			got, err := s.driver().Get(t.Context(), trainRef())
			if err != nil {
				t.Fatalf("Get: %v", err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Get (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGetFailures: only Google's own word makes a reservation not found.
func TestGetFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answers []answer
		code    cloud.Code
	}{
		"not found":           {[]answer{notFound()}, cloud.NotFound},
		"not found by whom":   {[]answer{{status: 404, body: "<html>not found</html>"}}, cloud.Invalid},
		"another object":      {[]answer{object(`"name":"other"`)}, cloud.Internal},
		"nothing":             {[]answer{{body: `{}`}}, cloud.Internal},
		"broken":              {[]answer{{body: `{"name":`}}, cloud.Internal},
		"down":                {[]answer{{status: 503, body: "busy"}}, cloud.Internal},
		"down and then there": {[]answer{{status: 503, body: "busy"}, {drop: true}, object("")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{read: tc.answers})
			if _, err := s.driver().Get(t.Context(), trainRef()); cloud.CodeOf(err) != tc.code {
				t.Errorf("Get: %v, want class %q", err, tc.code)
			}
		})
	}
}

// TestNow: the time is that of the last answer, and asked for only if there is no
// recent one.
func TestNow(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{read: {object("")}, list: {listed("", emptyZone)}})
	c := s.driver()
	if _, err := c.Get(t.Context(), trainRef()); err != nil {
		t.Fatal(err)
	}
	s.jump.Advance(30 * time.Second)
	for _, later := range []time.Duration{0, 5 * time.Minute} {
		s.jump.Advance(later)
		if now, err := c.Now(t.Context(), "", ""); err != nil || !now.Equal(s.jump.Now()) {
			t.Errorf("Now = %s, %v; want %s", now, err, s.jump.Now())
		}
	}
	if diff := cmp.Diff([]string{read, list}, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestGetOverdue: what should have been deleted is over by the cloud's clock, also
// while it is still shown.
func TestGetOverdue(t *testing.T) {
	t.Parallel()
	const past, coming = `"deleteAtTime":"2031-03-01T00:00:00Z"`, `"deleteAtTime":"2031-03-01T00:00:01Z"`
	for name, tc := range map[string]struct {
		rest string
		want cloud.State
	}{
		"at its end":            {past, cloud.Ended},
		"while being changed":   {past + `,"status":"UPDATING"`, cloud.Ended},
		"while being deleted":   {past + `,"status":"DELETING"`, cloud.Ended},
		"in an unknown state":   {past + `,"status":"DREAMING"`, cloud.Ended},
		"deleted before":        {coming + `,"status":"DELETING"`, cloud.Leaving},
		"a second before":       {coming, cloud.Held},
		"without an end of its": {"", cloud.Held},
	} {
		s := newStub(t, map[string][]answer{
			"GET reservations/train":            {object(tc.rest)},
			"GET aggregated/reservations":       {{body: `{"kind":"k","items":{"zones/us-central1-a":{"reservations":[` + shown(tc.rest) + `]}}}`}},
			"GET aggregated/futureReservations": {{body: `{"kind":"k","items":{}}`}},
		})
		got, err := s.driver().Get(t.Context(), trainRef())
		if err != nil || got.State != tc.want {
			t.Errorf("%s: Get is %s, %v; want %s", name, got.State, err, tc.want)
		}
		all, err := s.driver().List(t.Context(), cloud.Scope{})
		if err != nil || len(all) != 1 || all[0].State != tc.want {
			t.Errorf("%s: List is %+v, %v; want %s", name, all, err, tc.want)
		}
	}
}

// TestUpdateOverdue: nothing is changed of it.
func TestUpdateOverdue(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{"GET reservations/train": {object(`"deleteAtTime":"2031-02-28T23:00:00Z"`)}})
	if _, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{Count: ptr(5)}); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("Update: %v", err)
	}
}

// TestGetPolicies: of several policies it is always the same one.
func TestGetPolicies(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{read: {object(`"resourcePolicies":{"b":"x/far","a":"x/near","c":"x/off"}`)}})
	c := s.driver()
	for range 20 {
		if r, err := c.Get(t.Context(), trainRef()); err != nil || r.Native["placement_policy"] != "near" {
			t.Fatalf("Get: %v, %v", r.Native, err)
		}
	}
}

// TestGetPlaceless: an answer without its zone is none.
func TestGetPlaceless(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"null", `"us-central1-b"`} {
		s := newStub(t, map[string][]answer{read: {object(`"zone":` + zone)}})
		if r, err := s.driver().Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.Internal {
			t.Errorf("Get with zone %s: %s, %v", zone, r.Ref.NativeID, err)
		}
	}
}
