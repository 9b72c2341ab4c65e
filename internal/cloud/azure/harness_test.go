package azure_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	home = "00000000-0000-0000-0000-0000000000aa"
	away = "00000000-0000-0000-0000-0000000000bb"

	location = "eastus"
	size     = "Standard_NC24ads_A100_v4"
	family   = "StandardNCADSA100v4Family"
	cores    = 24
	big      = "Standard_ND96isr_H100_v5"
)

// start is when every world begins.
var start = time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)

// world is a simulated Azure and what the suite does to it.
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

// harness is a fresh simulated Azure under the driver: the driver's pauses move both
// clocks.
func harness(t cloudtest.T, options azuresim.Options) cloudtest.World {
	t.Helper()
	w := newWorld(t)
	// The suite changes what starts at a date several times in a row, which takes
	// decisions that come at once.
	options.Future.ReviewTakes = time.Nanosecond
	w.serve(options)
	// No subscription has room for a million.
	w.must(w.sim.SetQuota(sim.Quota{Cloud: "azure", Region: location, Quota: family, Limit: ptr(100000.0)}))
	wishes := wishesAt(w.jump.Now())
	elsewhere := wishes[cloud.OnDemand]
	elsewhere.Account = away
	driver := w.driver(nil)
	return cloudtest.World{
		Cloud:       driver,
		Wishes:      wishes,
		Elsewhere:   elsewhere,
		SystemTag:   "hidden-title",
		TagKey:      "path.with:marks",
		Consumers:   consumers(),
		Repeats:     true,
		OneGroup:    w.oneGroup(),
		Unmet:       w.unmet(),
		SetCapacity: w.setCapacity,
		SetQuota:    w.setQuota,
		SetUsers: func(ref cloud.Ref, n int) {
			w.must(w.sim.Patch(sim.ObjectPatch{NativeID: ref.NativeID, InUse: &sim.Use{Number: n}}))
		},
		Unsettle:    func(ref cloud.Ref) { w.unsettle(t, driver, ref) },
		LeaveBehind: func(ref cloud.Ref) { w.leaveBehind(t, driver, ref) },
		SetTag: func(ref cloud.Ref, key, value string) {
			w.must(w.sim.Patch(sim.ObjectPatch{NativeID: ref.NativeID, Tags: map[string]*string{key: &value}}))
		},
		RawTags:  w.rawTags,
		Forget:   w.forget,
		Advance:  w.jump.Advance,
		Lose:     w.lose,
		Throttle: w.throttle,
		PageSize: func(n int) { w.must(w.sim.SetPaging(sim.Paging{Cloud: "azure", Max: n})) },
	}
}

// consumers are subscriptions in the spelling that is not AccountID's.
func consumers() []string {
	var all []string
	for i := range 3 {
		all = append(all, fmt.Sprintf("/subscriptions/00000000-0000-0000-0000-0000000000C%d", i))
	}
	return all
}

// wishesAt are one of each kind.
func wishesAt(now time.Time) map[cloud.Kind]cloud.Spec {
	wish := cloud.Spec{Kind: cloud.OnDemand, Region: location, Zone: "1", InstanceType: size, Count: 1}
	future := wish
	future.Kind, future.StartAt = cloud.Scheduled, now.Add(100*24*time.Hour)
	block := wish
	block.Kind, block.InstanceType = cloud.Block, big
	block.StartAt, block.Duration = now.Truncate(24*time.Hour).Add(60*time.Hour), 3*24*time.Hour
	return map[cloud.Kind]cloud.Spec{cloud.OnDemand: wish, cloud.Scheduled: future, cloud.Block: block}
}

func newWorld(t tester) *world {
	t.Helper()
	s, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatalf("world: %v", err)
	}
	t.Cleanup(s.Close)
	w := &world{t: t, sim: s, jump: clocktest.NewJump(start)}
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

// serve starts the simulator. The suite asks faster than the documented rates.
func (w *world) serve(options azuresim.Options) {
	w.t.Helper()
	server := httptest.NewServer(azuresim.NewWithOptions(w.sim, options))
	w.t.Cleanup(server.Close)
	w.url = server.URL
	w.must(w.sim.SetRate(sim.Rate{Cloud: "azure", PerSecond: 10000, Burst: 10000}))
}

// driver is one that knows nothing yet, as in a new process.
func (w *world) driver(transport http.RoundTripper) *azure.Cloud {
	return azure.New(azure.Config{
		SubscriptionID: home, ResourceGroup: "gpu", Endpoint: w.url, Clock: w.jump, Transport: transport,
	})
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Errorf("simulator: %v", err)
	}
}

// put makes something as somebody else does who knows the API.
func (w *world) put(path, body string) {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPut, w.url+path+"?api-version=2026-04-01", strings.NewReader(body))
	if err != nil {
		w.t.Fatalf("PUT %s: %v", path, err)
	}
	req.Header.Set("Authorization", "Bearer somebody")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("PUT %s: %v", path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		w.t.Fatalf("PUT %s: %s, %s, %v", path, resp.Status, answer, err)
	}
}

const shared = "/subscriptions/" + home + "/resourcegroups/rg/providers/microsoft.compute/capacityreservationgroups/shared"

// oneGroup makes a group of two zones, and wishes for each of them.
func (w *world) oneGroup() []cloud.Spec {
	w.t.Helper()
	w.put(shared, `{"location":"eastus","zones":["1","2"]}`)
	one := wishesAt(w.jump.Now())[cloud.OnDemand]
	one.Native = map[string]string{"group_id": shared}
	two := one
	two.Zone = "2"
	w.jump.Advance(time.Minute)
	return []cloud.Spec{one, two}
}

// unmet are a size that is reserved in blocks only, and a zone that a group lacks.
func (w *world) unmet() []cloudtest.Unmet {
	onDemand := wishesAt(w.jump.Now())[cloud.OnDemand]
	onDemand.InstanceType = big
	outside := wishesAt(w.jump.Now())[cloud.OnDemand]
	outside.Native, outside.Zone = map[string]string{"group_id": shared}, "3"
	return []cloudtest.Unmet{{Attribute: cloud.AttrInstanceType, Wish: onDemand}, {Attribute: cloud.AttrZone, Wish: outside}}
}

// forget takes out the reservation and its group.
func (w *world) forget(ref cloud.Ref) {
	w.t.Helper()
	group, _, _ := strings.Cut(ref.NativeID, "/capacityreservations/")
	for _, id := range []string{ref.NativeID, group} {
		w.must(w.sim.Patch(sim.ObjectPatch{NativeID: id, Gone: true}))
	}
}

func (w *world) rawTags(ref cloud.Ref) map[string]string {
	w.t.Helper()
	rows, err := w.sim.Objects()
	w.must(err)
	for _, row := range rows {
		if row.NativeID == ref.NativeID {
			return row.Tags
		}
	}
	return nil
}

// Operations of the simulated Azure that write.
const (
	putGroup    = "CapacityReservationGroups_CreateOrUpdate"
	patchGroup  = "CapacityReservationGroups_Update"
	deleteGroup = "CapacityReservationGroups_Delete"
	putOne      = "CapacityReservations_CreateOrUpdate"
	patchOne    = "CapacityReservations_Update"
	deleteOne   = "CapacityReservations_Delete"
)

func (w *world) fault(f sim.Fault) {
	w.t.Helper()
	f.Cloud = "azure"
	w.must(w.sim.AddFaults(f))
}

// unsettle has a growth fail, and its setting back be refused.
func (w *world) unsettle(t cloudtest.T, c *azure.Cloud, ref cloud.Ref) {
	t.Helper()
	if r, err := c.Get(t.Context(), ref); err != nil || r.Kind != cloud.OnDemand {
		t.Skipf("not applicable: what is for a date holds nothing yet that would tell what it had (%v)", err)
	}
	w.fault(sim.Fault{Operation: patchOne, Times: 1, OperationError: &sim.OperationError{Code: "AllocationFailed", Message: "no more"}})
	w.fault(sim.Fault{Operation: patchOne, Times: 1, Status: 403, Code: "AuthorizationFailed", Message: "no"})
	n := 9
	if _, err := c.Update(t.Context(), ref, cloud.Change{Count: &n}); cloud.CodeOf(err) != cloud.NoCapacity {
		t.Fatalf("a growth that has to fail: %v", err)
	}
}

// leaveBehind has the last step of a release be refused.
func (w *world) leaveBehind(t cloudtest.T, c *azure.Cloud, ref cloud.Ref) {
	t.Helper()
	w.fault(sim.Fault{Operation: deleteGroup, Times: 1, Status: 403, Code: "AuthorizationFailed", Message: "no"})
	if err := c.Release(t.Context(), ref); cloud.CodeOf(err) != cloud.PermissionDenied {
		t.Fatalf("a release that has to fail: %v", err)
	}
}

// setCapacity has a request for a date be declined later. That its growth is refused
// at once is not documented; it is the harder case.
func (w *world) setCapacity(wish cloud.Spec, free int) {
	w.must(w.sim.SetCapacity(sim.Capacity{
		Cloud: "azure", Region: wish.Region, Zone: wish.Zone, InstanceType: wish.InstanceType, Available: &free,
	}))
	if wish.Kind != cloud.Scheduled {
		return
	}
	w.must(w.sim.ClearFaults())
	if free == 0 {
		w.fault(sim.Fault{Operation: putOne, OperationError: &sim.OperationError{Code: "Declined", Message: "no more"}})
		w.fault(sim.Fault{Operation: patchOne, Times: 1, OperationError: &sim.OperationError{Code: "AllocationFailed", Message: "no more"}})
	}
}

// setQuota counts in vCPUs of the family.
func (w *world) setQuota(wish cloud.Spec, free int) {
	family, cores := family, cores
	if wish.Kind == cloud.Block {
		family, cores = "standardNDSH100v5Family", 96
	}
	limit := float64(free * cores)
	rows, err := w.sim.Objects()
	w.must(err)
	for _, row := range rows {
		if row.Region == wish.Region && row.InstanceType == wish.InstanceType {
			limit += float64(row.Count * cores)
		}
	}
	w.must(w.sim.SetQuota(sim.Quota{Cloud: "azure", Region: wish.Region, Quota: family, Limit: &limit}))
}

func (w *world) lose(method string, when cloudtest.Moment) {
	operations := map[string][]string{
		"Create": {putGroup, putOne}, "Update": {patchOne}, "Release": {patchGroup, deleteOne, deleteGroup},
	}
	for _, operation := range operations[method] {
		w.fault(sim.Fault{Operation: operation, Times: 1, Drop: string(when)})
	}
}

// throttle clears first: of two faults that match, the older one counts.
func (w *world) throttle(on bool) {
	w.must(w.sim.ClearFaults())
	if on {
		w.fault(sim.Fault{Operation: "*", Status: 429, Code: "TooManyRequests", Message: "too many requests"})
	}
}
