package google_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const home = "ml-platform-1"

// world is a simulated Google Cloud and what the suite does to it.
type world struct {
	t    tester
	sim  *sim.World
	jump *clocktest.Jump
	url  string
}

// tester is a test, of the suite or not.
type tester interface {
	Helper()
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// harness is a fresh simulated Google Cloud under the driver: the driver's pauses
// move both clocks.
func harness(t cloudtest.T, options googlesim.Options) cloudtest.World {
	t.Helper()
	w := newWorld(t)
	// The suite changes what starts at a date several times in a row, which takes
	// decisions that come at once.
	options.Future.ReviewTakes = time.Nanosecond
	server := httptest.NewServer(googlesim.NewWithOptions(w.sim, options))
	t.Cleanup(server.Close)
	w.url = server.URL
	// The suite asks faster than the documented rates.
	w.must(w.sim.SetRate(sim.Rate{Cloud: "google", PerSecond: 10000, Burst: 10000}))
	wishes := wishesAt(w.jump.Now())
	elsewhere := wishes[cloud.OnDemand]
	elsewhere.Account = "ml-platform-2"
	return cloudtest.World{
		Cloud:       google.New(google.Config{Project: home, Endpoint: server.URL, Clock: w.jump}),
		Wishes:      wishes,
		Elsewhere:   elsewhere,
		Consumers:   []string{w.number("consumer-one"), w.number("consumer-two"), w.number("consumer-three")},
		Options:     map[string]string{"vertex_sharing": "allow_all"},
		Repeats:     true,
		SetCapacity: w.setCapacity,
		SetQuota:    w.setQuota,
		SetUsers: func(ref cloud.Ref, n int) {
			// What is used of a future reservation is what it creates.
			made := strings.Replace(ref.NativeID, "/futureReservations/", "/reservations/", 1)
			w.must(w.sim.Patch(sim.ObjectPatch{NativeID: made, InUse: &sim.Use{Number: n}}))
		},
		Forget:   func(ref cloud.Ref) { w.must(w.sim.Patch(sim.ObjectPatch{NativeID: ref.NativeID, Gone: true})) },
		Advance:  w.jump.Advance,
		Lose:     w.lose,
		Throttle: w.throttle,
		PageSize: func(n int) { w.must(w.sim.SetPaging(sim.Paging{Cloud: "google", Max: n})) },
	}
}

// wishesAt are one of each kind. The calendar mode takes A3 and newer only.
func wishesAt(now time.Time) map[cloud.Kind]cloud.Spec {
	wish := cloud.Spec{Kind: cloud.OnDemand, Zone: zone, InstanceType: "a2-highgpu-1g", Count: 1}
	scheduled := wish
	scheduled.Kind, scheduled.StartAt, scheduled.Duration = cloud.Scheduled, now.Add(10*24*time.Hour), 3*24*time.Hour
	block := scheduled
	block.Kind, block.InstanceType = cloud.Block, "a3-highgpu-8g"
	return map[cloud.Kind]cloud.Spec{cloud.OnDemand: wish, cloud.Scheduled: scheduled, cloud.Block: block}
}

func newWorld(t tester) *world {
	t.Helper()
	s, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatalf("world: %v", err)
	}
	t.Cleanup(s.Close)
	w := &world{t: t, sim: s, jump: clocktest.NewJump(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC))}
	w.must(s.SetClock(w.jump.Now()))
	var mu sync.Mutex
	last := w.jump.Now()
	w.jump.OnJump(func(now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if now.After(last) {
			w.must(s.Advance(now.Sub(last)))
			last = now
		}
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("simulator: %v", err)
	}
}

// number asks for a project's number.
func (w *world) number(project string) string {
	w.t.Helper()
	resp, err := http.Get(w.url + "/v3/projects/" + project)
	if err != nil {
		w.t.Fatalf("project: %v", err)
	}
	var answer struct{ Name string }
	w.must(json.NewDecoder(resp.Body).Decode(&answer))
	w.must(resp.Body.Close())
	return strings.TrimPrefix(answer.Name, "projects/")
}

const (
	insertsFuture = "compute.futureReservations.insert"
	updatesFuture = "compute.futureReservations.update"
)

// setCapacity has a request for a date be declined later. That an amendment is
// refused at once is not documented; it is the harder case.
func (w *world) setCapacity(wish cloud.Spec, free int) {
	w.must(w.sim.SetCapacity(sim.Capacity{
		Cloud: "google", Region: wish.Region, Zone: wish.Zone, InstanceType: wish.InstanceType, Available: &free,
	}))
	if wish.Kind != cloud.OnDemand && free == 0 {
		w.must(w.sim.AddFaults(sim.Fault{Cloud: "google", Operation: updatesFuture, OperationError: &sim.OperationError{
			Code: "ZONE_RESOURCE_POOL_EXHAUSTED", Message: "no more", HTTPStatus: http.StatusServiceUnavailable,
		}}))
	}
}

// setQuota counts in GPUs, of which each instance has one. Google does not say
// whether what starts at a date is held against its quota before: it is refused
// in a form that is known.
func (w *world) setQuota(wish cloud.Spec, free int) {
	if wish.Kind != cloud.OnDemand {
		w.refuseFuture(free)
		return
	}
	limit := float64(free)
	rows, err := w.sim.Objects()
	w.must(err)
	for _, row := range rows {
		if row.Region == wish.Region && row.InstanceType == wish.InstanceType {
			limit += float64(row.Count)
		}
	}
	w.must(w.sim.SetQuota(sim.Quota{Cloud: "google", Region: wish.Region, Quota: "NVIDIA_A100_GPUS", Limit: &limit}))
}

func (w *world) refuseFuture(free int) {
	for _, operation := range []string{insertsFuture, updatesFuture} {
		if free > 0 {
			continue
		}
		w.must(w.sim.AddFaults(sim.Fault{
			Cloud: "google", Operation: operation, Status: http.StatusForbidden, Code: "quotaExceeded",
			Message: "Quota 'NVIDIA_A100_GPUS' exceeded.  Limit: 0.0 in region us-central1.",
		}))
	}
}

func (w *world) lose(method string, when cloudtest.Moment) {
	operations := map[string][]string{
		"Create":  {"compute.reservations.insert", insertsFuture},
		"Update":  {"compute.reservations.resize", "compute.reservations.update", updatesFuture},
		"Release": {"compute.reservations.delete", "compute.futureReservations.delete"},
	}
	for _, operation := range operations[method] {
		w.must(w.sim.AddFaults(sim.Fault{Cloud: "google", Operation: operation, Times: 1, Drop: string(when)}))
	}
}

// throttle clears first: of two faults that match, the older one counts.
func (w *world) throttle(on bool) {
	w.must(w.sim.ClearFaults())
	if !on {
		return
	}
	w.must(w.sim.AddFaults(sim.Fault{
		Cloud: "google", Operation: "*", Status: 403, Code: "rateLimitExceeded", Message: "Rate Limit Exceeded",
	}))
}
