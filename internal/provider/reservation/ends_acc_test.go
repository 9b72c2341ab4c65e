package reservation_test

import (
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// How a create ends. End (d), an unusable leftover that cannot be removed, does
// not exist for kind on_demand on AWS: what EC2 refused ends by itself.

// End (a): nothing exists, an error, no state.
func TestAccReservation_endA_refused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault sim.Fault
		texts []string
	}{
		"permission": {sim.Fault{Status: 403, Code: "UnauthorizedOperation", Message: "You are not authorized."}, []string{"UnauthorizedOperation", "HTTP 403"}},
		"quota":      {sim.Fault{Status: 400, Code: "VcpuLimitExceeded", Message: "You have requested more vCPU capacity than your limit."}, []string{"VcpuLimitExceeded", "quota"}},
		"new code":   {sim.Fault{Status: 400, Code: "SomethingNew", Message: "A code of tomorrow."}, []string{"SomethingNew", "A code of tomorrow."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simulated(t)
			tc.fault.Cloud, tc.fault.Operation = "aws", create
			b.Do(b.World.AddFaults(tc.fault))
			use(b, block("a", `wait_for_capacity = "10m"`))
			b.Apply().Failure(t, append(tc.texts, "No reservation of 1 × g4dn.xlarge in aws us-east-1a")...)
			if n := len(b.Calls(0, create)); n != 1 {
				t.Errorf("%d creates, want 1: only a full place is asked again", n)
			}
			none(t, b)
			held(t, b, 0)
		})
	}
}

// End (a): what EC2 accepted and then refused is gone, with both told.
func TestAccReservation_endA_acceptedThenRefused(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: create, OperationError: &sim.OperationError{Code: "failed", Message: "no"}}))
	use(b, block("a"))
	b.Apply().Failure(t, "No reservation of 1 × g4dn.xlarge", "failed")
	none(t, b)
	held(t, b, 0)
}

// End (b): the claim could not be written: a warning, and the next apply finishes
// it in place.
func TestAccReservation_endB_claimNotWritten(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: tag, Status: 403, Code: "UnauthorizedOperation", Message: "No."}))
	use(b, block("a"))
	b.Apply().Success(t).Warned(t, "Reservation is not complete", "writing its mark", "UnauthorizedOperation")
	state(t, b, map[string]any{"status": "degraded"})
	held(t, b, 1)
	planned(t, b, tfjson.ActionUpdate)
	b.Apply().Failure(t, "UnauthorizedOperation")
	state(t, b, map[string]any{"status": "degraded"})
	b.Do(b.World.ClearFaults())
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, tag)
	got := state(t, b, map[string]any{"status": "held"})
	if o := live(t, b); o.Tags["gpulock:claim"] != got["claim_id"] {
		t.Errorf("claim %v in state, %q on the object", got["claim_id"], o.Tags["gpulock:claim"])
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// End (b): the wait ran out: pending, and the next apply goes on waiting.
func TestAccReservation_endB_pending(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	takes := sim.Duration(10 * minute)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: create, OperationTakes: &takes}))
	use(b, block("a", `timeouts = { create = "2m" }`))
	began := b.Clock.Now()
	b.Apply().Success(t).Warned(t, "Reservation is not held yet", "pending")
	if took := b.Clock.Now().Sub(began); took > 2*minute+5 {
		t.Errorf("it took %s", took)
	}
	state(t, b, map[string]any{"status": "pending"})
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since)
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	held(t, b, 1)
}

// A pending reservation that became active meanwhile is held at the next refresh.
func TestAccReservation_pendingBecomesHeld(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	takes := sim.Duration(10 * minute)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: create, OperationTakes: &takes}))
	use(b, block("a", `timeouts = { create = "2m" }`))
	b.Apply().Success(t)
	b.Do(b.World.Advance(hour))
	plan := b.Plan()
	if plan.ExitCode != 0 || len(plan.Changes()) != 0 {
		t.Errorf("exit code %d: %s", plan.ExitCode, plan.NotEmpty())
	}
	b.Refresh().Success(t)
	state(t, b, map[string]any{"status": "held"})
}

// A refusal seen at refresh stays in state and plans a replacement.
func TestAccReservation_refusedAtRefresh(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	takes := sim.Duration(10 * minute)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: create, Times: 1, OperationTakes: &takes,
		OperationError: &sim.OperationError{Code: "failed", Message: "no"},
	}))
	use(b, block("a", `timeouts = { create = "2m" }`, `on_destroy = "prevent"`))
	b.Apply().Success(t)
	b.Do(b.World.Advance(11 * minute))
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
	b.Apply().Success(t)
	state(t, b, map[string]any{"status": "held"})
	held(t, b, 1)
	b.PlanEmpty().NoDiagnostics(t)
}

// End (c): the answer was lost and nothing can be seen: an error that names place
// and mark, no state; the next apply finds the object and takes it over.
func TestAccReservation_endC_lostReply(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Do(b.World.AddFaults(
		sim.Fault{Cloud: "aws", Operation: create, Drop: sim.DropAfter},
		sim.Fault{Cloud: "aws", Operation: describe, Empty: true},
	))
	use(b, block("a", `tags = { team = "ml" }`))
	b.Apply().Failure(t, "No reservation of 1 × g4dn.xlarge in aws us-east-1a", "may or may not have accepted", b.Owner, "res-a", "apply again")
	none(t, b)
	left := live(t, b)
	b.Do(b.World.ClearFaults())
	since := b.Mark()
	b.Apply().Success(t).Warned(t, "Existing reservation adopted", left.NativeID, b.Owner, "res-a", "made at")
	wrote(t, b, since, tag)
	got := state(t, b, map[string]any{"native_id": left.NativeID, "status": "held"})
	if o := live(t, b); o.Tags["gpulock:claim"] != got["claim_id"] {
		t.Errorf("claim %v in state, %q on the object", got["claim_id"], o.Tags["gpulock:claim"])
	}
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	held(t, b, 0)
}

// A lost answer is asked for again within the run: by its token, or by its mark.
func TestAccReservation_lostReplyRecovered(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sim.Fault{
		"once": {Drop: sim.DropAfter, Times: 1}, "each time": {Drop: sim.DropAfter},
		"before it was done": {Drop: sim.DropBefore, Times: 1},
		"server error":       {Status: 500, Code: "InternalError", Message: "An internal error has occurred", Times: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simulated(t)
			fault.Cloud, fault.Operation = "aws", create
			b.Do(b.World.AddFaults(fault))
			use(b, block("a"))
			b.Apply().Success(t)
			held(t, b, 1)
			state(t, b, map[string]any{"status": "held", "native_id": live(t, b).NativeID})
			b.PlanEmpty().NoDiagnostics(t)
		})
	}
}

// What can be changed in place is brought to the plan when an object is adopted.
func TestAccReservation_adoptAndChange(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	r := b.Make(cloud.Spec{Zone: acctest.AWSZone(), InstanceType: acctest.AWSType(), Count: 3, Match: cloud.Open},
		cloud.Mark{Owner: b.Owner, Name: "res-a", Type: "gpu_reservation"})
	use(b, block("a", "instance_count = 2", `tags = { team = "ml" }`, `window = { end_at = "2041-05-10T09:00:00Z" }`))
	since := b.Mark()
	b.Apply().Success(t).Warned(t, "Existing reservation adopted", r.Ref.NativeID)
	wrote(t, b, since, modify, tag, tag)
	o := live(t, b)
	tags(t, o, map[string]string{"team": "ml"})
	if o.Count != 2 || o.EndsAt.Year() != 2041 {
		t.Errorf("object: %+v", o)
	}
	state(t, b, map[string]any{"instance_count": 2, "match_criteria": "targeted", "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}

// A name that another spec holds is an error that names both.
func TestAccReservation_nameOfAnotherSpec(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	r := b.Make(cloud.Spec{Zone: acctest.AWSZone(), InstanceType: "p5.48xlarge", Count: 1, Match: cloud.Targeted},
		cloud.Mark{Owner: b.Owner, Name: "res-a", Type: "gpu_reservation"})
	use(b, block("a"))
	since := b.Mark()
	b.Apply().Failure(t, "Name is taken by another reservation", r.Ref.NativeID, "p5.48xlarge", "g4dn.xlarge", b.Owner, "res-a")
	wrote(t, b, since)
	none(t, b)
}

// Two creates of one name in one apply: the second is an error before anything is
// created for it.
func TestAccReservation_nameTwice(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"), block("b", `name = "res-a"`))
	b.Apply().Failure(t, "Name used twice", "res-a", b.Owner)
	if n := len(b.Calls(0, create)); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
	held(t, b, 1)
	if n := len(b.State().Values.RootModule.Resources); n != 1 {
		t.Errorf("%d resources in state, want 1", n)
	}
}

// A look-up that fails creates nothing.
func TestAccReservation_lookUpFailed(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: describe, Status: 403, Code: "UnauthorizedOperation", Message: "No."}))
	use(b, block("a"))
	b.Apply().Failure(t, "UnauthorizedOperation", "nothing was created")
	wrote(t, b, 0)
	none(t, b)
}

// Throttling is ridden out; it is no refusal.
func TestAccReservation_throttled(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	for _, operation := range []string{create, describe, tag, cancel, "GetCallerIdentity"} {
		b.Do(b.World.AddFaults(sim.Fault{
			Cloud: "aws", Operation: operation, Times: 3, Status: 503, Code: "RequestLimitExceeded",
			Message: "Request limit exceeded.", RetryAfter: 2,
		}))
	}
	use(b, block("a"))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t).NoDiagnostics(t)
	refused := 0
	for _, c := range b.Calls(0, "") {
		if strings.Contains(c.Code, "RequestLimitExceeded") {
			refused++
		}
	}
	if refused < 12 {
		t.Errorf("only %d answers were throttled", refused)
	}
	held(t, b, 0)
}
