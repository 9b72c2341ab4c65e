package googlesim_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func (s *stage) row() sim.ObjectRow {
	s.t.Helper()
	rows, err := s.world.Objects()
	s.ok(err)
	if len(rows) != 1 {
		s.t.Fatalf("%d objects", len(rows))
	}
	return rows[0]
}

func TestObjectsOfTheControlAPI(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(4)
	s.create("deleteAtTime", "2027-04-01T00:00:00Z")
	want := sim.ObjectRow{
		Cloud: "google", Type: "reservations", NativeID: nativeID, Region: "us-central1", Zone: zone,
		InstanceType: "a2-highgpu-8g", Count: 2, Status: "READY", Tags: map[string]string{},
		EndsAt: sim.Instant{Time: time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)},
	}
	if diff := cmp.Diff(want, s.row()); diff != "" {
		t.Error(diff)
	}
	s.ok(s.world.Patch(sim.ObjectPatch{
		NativeID: nativeID, Count: new(3), InUse: &sim.Use{Users: []string{"vm-1", "vm-2"}}, Status: new("UPDATING"),
	}))
	got := s.get()
	s.says(s.says(got, "3", "specificReservation", "count"), "2", "specificReservation", "inUseCount")
	s.says(got, "UPDATING", "status")
	s.failed(s.post("name", "r2"), "ZONE_RESOURCE_POOL_EXHAUSTED")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: nativeID, Gone: true}))
	s.refused(s.get(), http.StatusNotFound, "notFound")
	s.done(s.post("name", "r2", "specificReservation.count", 4))
}

func TestGoneWhileAnOperationRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create()
	got := s.resize(3)
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: nativeID, Gone: true}))
	s.failed(got, "RESOURCE_NOT_FOUND")
	first := s.post()
	s.finish()
	got = s.remove()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: nativeID, Gone: true}))
	s.accepted(s.post())
	s.failed(got, "RESOURCE_NOT_FOUND")
	if second := s.accepted(s.get()); second.at("id") == first.at("targetId") || second.at("status") != "READY" {
		t.Errorf("the operation of the first one touched the second: %s", second.body)
	}
}

func TestDeleteTimeDuringAnOperation(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create("deleteAtTime", "2027-03-01T12:00:10Z")
	s.fault(sim.Fault{Operation: "compute.reservations.resize", Times: 1, OperationTakes: new(sim.Duration(time.Minute))})
	got := s.accepted(s.resize(3))
	s.ok(s.world.Advance(30 * time.Second))
	s.says(s.accepted(s.get()), "UPDATING", "status")
	s.ok(s.world.Advance(30 * time.Second))
	s.done(got)
	s.refused(s.get(), http.StatusNotFound, "notFound")
}

func TestCallLog(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	name, _ := s.post().at("name").(string)
	s.send(http.MethodGet, operations+"/"+name, "")
	s.finish()
	s.resize(1)
	s.send(http.MethodGet, collection, "")
	calls, err := s.world.Calls(0)
	s.ok(err)
	type line struct{ Operation, Account, Region, Zone, Type, ID string }
	var got []line
	for _, c := range calls {
		got = append(got, line{c.Operation, c.Account, c.Region, c.Zone, c.InstanceType, c.NativeID})
	}
	const kind = "a2-highgpu-8g"
	want := []line{
		{"compute.reservations.insert", "p1", "us-central1", zone, kind, nativeID},
		{"compute.zoneOperations.get", "p1", "us-central1", zone, kind, "projects/" + operations + "/" + name},
		{"compute.reservations.resize", "p1", "us-central1", zone, kind, nativeID},
		{"compute.reservations.list", "p1", "us-central1", zone, "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsFindTheirObject(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sim.Fault{
		"insert by id":         {Operation: "compute.reservations.insert", NativeID: nativeID},
		"insert by type":       {Operation: "*", InstanceType: "a2-highgpu-8g"},
		"poll by the target":   {Operation: "compute.zoneOperations.get", NativeID: nativeID},
		"poll by the type":     {Operation: "compute.zoneOperations.get", InstanceType: "a2-highgpu-8g"},
		"read by its own link": {Operation: "compute.reservations.get", NativeID: "https://www.googleapis.com/compute/v1/" + nativeID},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			fault.Times, fault.Status, fault.Code, fault.Message = 1, 503, "backendError", "x"
			s.fault(fault)
			got := []reply{s.post()}
			if got[0].status != http.StatusOK {
				got[0] = s.post("name", "r2")
			}
			op, _ := got[0].at("name").(string)
			s.send(http.MethodGet, operations+"/"+op, "")
			s.finish()
			s.get()
			calls, err := s.world.Calls(0)
			s.ok(err)
			struck := 0
			for _, c := range calls {
				if c.Code == "backendError" {
					struck++
				}
			}
			if struck != 1 {
				t.Errorf("struck %d times: %v", struck, calls)
			}
		})
	}
}

func TestEmptyAndShuffledLists(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.several()
	s.fault(sim.Fault{Operation: "compute.reservations.list", Times: 1, Empty: true})
	s.lists(s.list(""))
	s.lists(s.list(""), "a", "b", "c")
	s.ok(s.world.SetPaging(sim.Paging{Cloud: "google", Max: 2}))
	s.lists(s.list(""), "a", "b")
	s.fault(sim.Fault{Operation: "compute.reservations.aggregatedList", Times: 1, Empty: true})
	got := s.accepted(s.send(http.MethodGet, "p1/aggregated/reservations", ""))
	s.says(got, "NO_RESULTS_ON_PAGE", "items", "zones/us-central1-a", "warning", "code")
}

func TestVisibleWhileCreating(t *testing.T) {
	t.Parallel()
	s := newStageWith(t, googlesim.Options{VisibleWhileCreating: true})
	got := s.accepted(s.post())
	s.says(s.accepted(s.get()), "CREATING", "status")
	s.refused(s.remove(), http.StatusBadRequest, "resourceNotReady")
	s.done(got)
	s.says(s.get(), "READY", "status")
}

func TestScenarioObjects(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Load([]byte(`{"objects":[
		{"cloud":"google","type":"reservations","native_id":"projects/p1/zones/us-central1-a/reservations/r1","zone":"us-central1-a",
		 "instance_type":"a2-highgpu-8g","count":2,"in_use":["vm-1"],"tags":{"specific":"true"},"ends_at":"2027-03-01T13:00:00Z"},
		{"cloud":"google","type":"reservations","native_id":"r2","zone":"us-central1-b","instance_type":"g2-standard-4","count":1}]}`)))
	got := s.accepted(s.get())
	s.says(s.says(got, true, "specificReservationRequired"), "1", "specificReservation", "inUseCount")
	s.accepted(s.send(http.MethodGet, "simulated-project/zones/us-central1-b/reservations/r2", ""))
	s.ok(s.world.Advance(time.Hour))
	s.refused(s.get(), http.StatusNotFound, "notFound")
}

func TestScenarioObjectsThatCannotBe(t *testing.T) {
	t.Parallel()
	good := `"zone":"us-central1-a","instance_type":"a2-highgpu-8g"`
	for name, text := range map[string]string{
		"type":    `"type":"instances","count":1,` + good,
		"zone":    `"type":"reservations","count":1,"zone":"us-central1","instance_type":"a2-highgpu-8g"`,
		"region":  `"type":"reservations","count":1,"region":"us-east1",` + good,
		"machine": `"type":"reservations","count":1,"zone":"us-central1-a","instance_type":"p9"`,
		"none":    `"type":"reservations","count":0,` + good,
		"overuse": `"type":"reservations","count":1,"in_use":2,` + good,
		"path":    `"type":"reservations","count":1,"native_id":"projects/p1/zones/us-east1-b/reservations/r1",` + good,
		"name":    `"type":"reservations","count":1,"native_id":"R1",` + good,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if err := s.world.Load([]byte(`{"objects":[{"cloud":"google",` + text + `}]}`)); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

// seeds are bodies to start from.
func seeds() []string {
	return []string{
		insertBody(), insertBody("deleteAfterDuration", fields{"seconds": 1, "nanos": 5}, "shareSettings.shareType", "SPECIFIC_PROJECTS",
			"shareSettings.projectMap", fields{"p2": fields{"projectId": "p2"}}, "resourcePolicies", fields{"a": "b"}),
		insertBody(properties+"guestAccelerators", gpus("nvidia-tesla-a100", 8), properties+"localSsds", []any{fields{"diskSizeGb": 375}}),
		`{"name":"r1","name":"r2"}`, `{"specificReservation":{"count":9223372036854775808}}`, strings.Repeat(`{"a":`, 2000),
		`{"specificReservation":null,"deleteAtTime":"9999-12-31T23:59:59Z"}`,
	}
}

func FuzzInsertBodies(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	if err := world.SetRate(sim.Rate{Cloud: "google", PerSecond: 1e9, Burst: 1e9}); err == nil {
		f.Fatal("a cloud that is not there has a rate")
	}
	handler := googlesim.New(world)
	if err := world.SetRate(sim.Rate{Cloud: "google", PerSecond: 1e9, Burst: 1e9}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := direct(t, handler, http.MethodPost, "/compute/v1/projects/"+collection, body)
		if got.status != http.StatusOK && (got.status < 400 || got.reason() == "") || got.status >= 500 {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
		if err := world.Reset(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzFilters(f *testing.F) {
	for _, seed := range []string{`name = "a" OR NOT (b:c)`, `(a eq "x") (b ne y)`, `((((`, `a = "\\"`, `-a=b`} {
		f.Add(seed)
	}
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		f.Fatal(err)
	}
	handler := googlesim.New(world)
	direct(f, handler, http.MethodPost, "/compute/v1/projects/"+collection, insertBody())
	if err := world.Advance(time.Minute); err != nil {
		f.Fatal(err)
	}
	if err := world.SetRate(sim.Rate{Cloud: "google", PerSecond: 1e9, Burst: 1e9}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		got := direct(t, handler, http.MethodGet, "/compute/v1/projects/"+collection+"?filter="+escapeQuery(expression), "")
		if got.status != http.StatusOK && got.status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", expression, got.status, got.body)
		}
	})
}
