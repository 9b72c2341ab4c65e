package aws_test

import (
	"net/http/httptest"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// world is a simulated AWS and what the suite does to it.
type world struct {
	t    tester
	sim  *sim.World
	jump *clocktest.Jump
}

// tester is a test, of the suite or not.
type tester interface {
	Helper()
	Cleanup(f func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// harness is a fresh simulated AWS under the driver: the driver's pauses move
// both clocks.
func harness(t cloudtest.T, scenario string) cloudtest.World {
	t.Helper()
	w := newWorld(t)
	server := httptest.NewServer(awssim.New(w.sim))
	w.must(w.sim.Load([]byte(scenario)))
	// The offers of blocks are asked for more often than their own bucket allows.
	w.must(w.sim.SetRate(sim.Rate{Cloud: "aws", PerSecond: 1000, Burst: 1000}))
	t.Cleanup(server.Close)
	wishes := wishesAt(w.jump.Now())
	// Of the families on hosts, this one can be recovered.
	wishes[cloud.DedicatedHost] = cloud.Spec{Kind: cloud.DedicatedHost, Zone: "us-east-1b", InstanceType: "g5g.metal", Count: 1}
	wishes[cloud.Term] = cloud.Spec{
		Kind: cloud.Term, Zone: "us-east-1b", InstanceType: "g5g.metal", Count: 1,
		Term: &cloud.TermPlan{Months: 12, Payment: "partial_upfront"},
	}
	elsewhere := wishes[cloud.OnDemand]
	elsewhere.Zone = "us-west-2b"
	return cloudtest.World{
		Cloud: aws.New(aws.Config{
			Endpoint: server.URL, Clock: w.jump,
			Credentials: &aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"},
		}),
		Wishes:      wishes,
		Elsewhere:   elsewhere,
		Cancellable: []cloud.Kind{cloud.Scheduled},
		ExtendBy:    24 * time.Hour,
		Options:     map[string]string{"host_recovery": "on", "host_maintenance": "off"},
		SystemTag:   "aws:cloudformation:stack-name",
		Repeats:     true,
		SetCapacity: w.setCapacity,
		SetQuota:    w.setQuota,
		SetUsers: func(ref cloud.Ref, n int) {
			w.must(w.sim.Patch(sim.ObjectPatch{NativeID: ref.NativeID, InUse: &sim.Use{Number: n}}))
		},
		SetTag: func(ref cloud.Ref, key, value string) {
			w.must(w.sim.Patch(sim.ObjectPatch{NativeID: ref.NativeID, Tags: map[string]*string{key: &value}}))
		},
		RawTags:      w.rawTags,
		Forget:       func(ref cloud.Ref) { w.must(w.sim.Patch(sim.ObjectPatch{NativeID: ref.NativeID, Gone: true})) },
		Advance:      w.jump.Advance,
		PaymentTakes: w.paymentTakes,
		Lose:         w.lose,
		Throttle:     w.throttle,
		PageSize:     func(n int) { w.must(w.sim.SetPaging(sim.Paging{Cloud: "aws", Max: n})) },
	}
}

// wishesAt are one of each kind. A future date takes 32 vCPUs, which this type has.
func wishesAt(now time.Time) map[cloud.Kind]cloud.Spec {
	return map[cloud.Kind]cloud.Spec{
		cloud.OnDemand: {Kind: cloud.OnDemand, Zone: "us-east-1b", InstanceType: "p4d.24xlarge", Count: 1},
		cloud.Scheduled: {
			Kind: cloud.Scheduled, Zone: "us-east-1b", InstanceType: "g5.8xlarge", Count: 1, StartAt: now.Add(90 * 24 * time.Hour),
		},
		cloud.Block: {Kind: cloud.Block, Region: "us-east-1", InstanceType: "p4d.24xlarge", Count: 1, Duration: 24 * time.Hour},
	}
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

// setCapacity is for each zone of the region where the wish names none.
func (w *world) setCapacity(wish cloud.Spec, free int) {
	if wish.Kind == cloud.Scheduled && free < wish.Count {
		// The assessment looks at more than today's stock. The first fault that fits
		// is the one that counts.
		w.must(w.sim.ClearFaults())
		w.must(w.sim.AddFaults(sim.Fault{
			Cloud: "aws", Operation: "CreateCapacityReservation", OperationError: &sim.OperationError{Code: "unsupported"},
		}))
	}
	zones := []string{wish.Zone}
	if wish.Zone == "" {
		zones = nil
		for _, letter := range "abcdef" {
			zones = append(zones, wish.Region+string(letter))
		}
	}
	for _, zone := range zones {
		w.must(w.sim.SetCapacity(sim.Capacity{
			Cloud: "aws", Region: wish.Region, Zone: zone, InstanceType: wish.InstanceType, Available: &free,
		}))
	}
}

// setQuota counts in vCPUs of the quota that the type draws on.
func (w *world) setQuota(wish cloud.Spec, free int) {
	quota, vcpus := "L-417A185B", 96 // p4d.24xlarge
	switch wish.InstanceType {
	case "g5.8xlarge":
		quota, vcpus = "L-DB2E81BA", 32
	case "g5g.metal":
		quota, vcpus = "L-4714FFEA", 1 // a host
	}
	limit := float64(free * vcpus)
	for _, row := range w.objects() {
		if row.Region == wish.Region && row.InstanceType == wish.InstanceType && (row.Status == "active" || row.Status == "pending" || row.Status == "available") {
			limit += float64(row.Count * vcpus)
		}
	}
	w.must(w.sim.SetQuota(sim.Quota{Cloud: "aws", Region: wish.Region, Quota: quota, Limit: &limit}))
}

func (w *world) objects() []sim.ObjectRow {
	rows, err := w.sim.Objects()
	w.must(err)
	return rows
}

func (w *world) rawTags(ref cloud.Ref) map[string]string {
	for _, row := range w.objects() {
		if row.NativeID == ref.NativeID {
			return row.Tags
		}
	}
	return nil
}

func (w *world) lose(method string, when cloudtest.Moment) {
	operations := map[string][]string{
		"Create": {"CreateCapacityReservation", "PurchaseCapacityBlock", "AllocateHosts"}, "Update": {"CreateTags"},
		"Release": {"CancelCapacityReservation", "ReleaseHosts"}, "Cancel": {"CancelCapacityReservation"},
		"Extend": {"PurchaseCapacityBlockExtension"}, "Term": {"PurchaseHostReservation"},
	}
	for _, operation := range operations[method] {
		w.must(w.sim.AddFaults(sim.Fault{Cloud: "aws", Operation: operation, Times: 1, Drop: string(when)}))
	}
}

// paymentTakes has the bill of what is bought from now on stay open so long.
func (w *world) paymentTakes(d time.Duration) {
	takes := sim.Duration(d)
	for _, operation := range []string{"PurchaseCapacityBlock", "PurchaseCapacityBlockExtension"} {
		w.must(w.sim.AddFaults(sim.Fault{Cloud: "aws", Operation: operation, OperationTakes: &takes}))
	}
}

// throttle clears first: of two faults that match, the older one counts.
func (w *world) throttle(on bool) {
	w.must(w.sim.ClearFaults())
	if !on {
		return
	}
	w.must(w.sim.AddFaults(sim.Fault{
		Cloud: "aws", Operation: "*", Status: 503, Code: "RequestLimitExceeded", Message: "Request limit exceeded.",
	}))
}
