package reservation_test

import (
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The writes for dedicated hosts, and their read.
const (
	allocate      = "AllocateHosts"
	modifyHost    = "ModifyHosts"
	releaseHost   = "ReleaseHosts"
	describeHosts = "DescribeHosts"
)

// dedicated is a dedicated host, the usual attributes changed by lines.
func dedicated(label string, lines ...string) string {
	return block(label, append([]string{`kind = "dedicated_host"`, `instance_type = "g5g.metal"`}, lines...)...)
}

// theHost is the one host of a simulated cloud that is not released.
func theHost(t *testing.T, b *acctest.Bench) sim.ObjectRow {
	t.Helper()
	var hosts []sim.ObjectRow
	for _, o := range b.Objects() {
		if o.Type == "dedicated-host" && !strings.HasPrefix(o.Status, "released") {
			hosts = append(hosts, o)
		}
	}
	if len(hosts) != 1 {
		t.Fatalf("%d hosts, want 1: %+v", len(hosts), hosts)
	}
	return hosts[0]
}

// inUse has instances run on an object.
func inUse(b *acctest.Bench, nativeID string, users ...string) {
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: nativeID, InUse: &sim.Use{Users: users}}))
}

// A dedicated host: what AWS changes in place is one update, the rest is refused
// while it is held; one in use is not given back, and its users are named.
func TestAccReservation_host(t *testing.T) {
	t.Parallel()
	b := dated(t)
	last := `timeouts = { delete = "1m" }`
	use(b, dedicated("a", last))
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{"gpu_count": "2", "region": "us-east-1", "ends_at": nil, "binding.aws.tenancy": "host"})
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, 0, allocate, tag)
	id := theHost(t, b).NativeID
	short := id[strings.LastIndex(id, "/")+1:]
	state(t, b, map[string]any{
		"status": "held", "native_id": id, "binding.aws.host_id": short, "binding.aws.tenancy": "host",
		"binding.aws.capacity_reservation_id": nil, "paid_upfront": nil,
	})
	b.PlanEmpty().NoDiagnostics(t)

	for _, step := range []struct{ line, write string }{
		{`match_criteria = "open"`, modifyHost},
		{`aws = { host_recovery = "on" }`, modifyHost},
		{`aws = { host_recovery = "on", host_maintenance = "on" }`, modifyHost},
		{`tags = { team = "ml" }`, tag},
	} {
		lines := []string{last, step.line}
		if step.write == tag { // everything else back to what it was
			lines = append(lines, `aws = { host_recovery = "on", host_maintenance = "on" }`)
		}
		if step.line != `match_criteria = "open"` {
			lines = append(lines, `match_criteria = "open"`)
		}
		use(b, dedicated("a", lines...))
		unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		wrote(t, b, since, step.write)
		b.PlanEmpty().NoDiagnostics(t)
	}
	since := b.Mark()
	for _, line := range []string{`zone = "us-east-1b"`, `instance_type = "g5g.16xlarge"`} {
		use(b, dedicated("a", last, line))
		b.Plan().FailureAt(t, line, "Change would release a live reservation", "cannot be changed", id)
	}
	use(b, dedicated("a", last))
	inUse(b, id, "i-0123456789abcdef0", "i-0123456789abcdef1")
	began := b.Clock.Now()
	b.Destroy().Failure(t, "Reservation is in use", "i-0123456789abcdef0", "i-0123456789abcdef1")
	if took := b.Clock.Now().Sub(began); took < 50*second || took > 70*second {
		t.Errorf("it waited %s for the users to go", took)
	}
	state(t, b, map[string]any{"native_id": id})
	wrote(t, b, since)
	b.AtJump(b.Clock.Now().Add(20*second), func() error {
		return b.World.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{}})
	})
	b.Destroy().Success(t).NoDiagnostics(t)
	wrote(t, b, since, releaseHost)
	held(t, b, 0)
}

// Refusals of hosts are told with their class and code, and leave nothing.
func TestAccReservation_hostRefused(t *testing.T) {
	t.Parallel()
	b := dated(t)
	no, one := 0, 1
	room := func(n *int) {
		b.Do(b.World.SetCapacity(sim.Capacity{Cloud: "aws", Region: "us-east-1", Zone: "us-east-1a", InstanceType: "g5g.metal", Available: n}))
	}
	room(&no)
	use(b, dedicated("a"))
	b.Apply().Failure(t, "No reservation of 1 × g5g.metal in aws us-east-1a", "capacity", "InsufficientHostCapacity")
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: allocate, Times: 1, Status: 400, Code: "HostLimitExceeded", Message: "You have reached your limit of hosts.",
	}))
	b.Apply().Failure(t, "quota", "HostLimitExceeded", "your limit of hosts")
	none(t, b)
	held(t, b, 0)
	b.AtJump(b.Clock.Now().Add(minute), func() error {
		return b.World.SetCapacity(sim.Capacity{Cloud: "aws", Region: "us-east-1", Zone: "us-east-1a", InstanceType: "g5g.metal", Available: &one})
	})
	use(b, dedicated("a", `wait_for_capacity = "10m"`))
	b.Apply().Success(t)

	// A change that AWS answers with 200 and a list of what was not done.
	assessed := "under-assessment"
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: theHost(t, b).NativeID, Status: &assessed}))
	use(b, dedicated("a", `wait_for_capacity = "10m"`, `match_criteria = "open"`))
	b.Apply().Failure(t, "Reservation not changed", "under-assessment")
	state(t, b, map[string]any{"match_criteria": "targeted", "status": "held"})
}

// A host that AWS takes a while to make is pending, then held; one that broke for
// good is gone.
func TestAccReservation_hostStates(t *testing.T) {
	t.Parallel()
	b := dated(t)
	takes := sim.Duration(10 * minute)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: allocate, Times: 1, OperationTakes: &takes}))
	use(b, dedicated("a", `timeouts = { create = "2m" }`))
	b.Apply().Success(t).Warned(t, "Reservation is not held yet", "pending")
	state(t, b, map[string]any{"status": "pending"})
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	broken, id := "permanent-failure", theHost(t, b).NativeID
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: id, Status: &broken}))
	planned(t, b, tfjson.ActionCreate).Warned(t, "Reservation is gone", id, "permanent-failure")
}

// What AWS has no hosts for, or hosts do not have, is told by plan.
func TestAccReservation_hostBadInput(t *testing.T) {
	t.Parallel()
	b := dated(t)
	for _, tc := range []struct {
		line  string
		texts []string
	}{
		{`instance_type = "g5g.xlarge"`, []string{"instance_type", "no dedicated hosts for g5g.xlarge", "16xlarge, metal"}},
		{`instance_type = "p5.48xlarge"`, []string{"instance_type", "no dedicated hosts for the family"}},
		{"instance_count = 2", []string{"instance_count", "make one for each"}},
		{`zone =`, []string{"zone", "name it"}},
		{`offer_id = "cb-0123456789abcdef0"`, []string{"offer_id", "leave it out"}},
		{`window = { end_at = "2041-01-01T00:00:00Z" }`, []string{"window.end_at", "leave it out"}},
		{`window = { duration = "1d" }`, []string{"window.duration", "leave it out"}},
		{`window = { start_at = "2041-01-01T00:00:00Z" }`, []string{"window.start_at", "leave it out"}},
		{`aws = { platform = "Windows" }`, []string{"aws.platform", "not an option", "host_recovery"}},
		{`aws = { commitment = "14d" }`, []string{"aws.commitment", "not an option"}},
		{`term = { months = 12, payment_option = "all_upfront" }`, []string{"term", "use kind term"}},
		{`kind = "term"`, []string{"term", "for how many months"}},
	} {
		use(b, dedicated("a", tc.line))
		plan := b.Plan().Failure(t, tc.texts...)
		key, value, _ := strings.Cut(tc.line, " = ")
		if value != "" && value[0] != '{' && key != "kind" {
			plan.FailureAt(t, key, tc.texts...)
		}
	}
	use(b, dedicated("a", `instance_type = "g4dn.12xlarge"`, `aws = { host_recovery = "on" }`))
	b.Plan().Failure(t, "aws.host_recovery", "does not recover hosts for g4dn.12xlarge")
	wrote(t, b, 0)
}
