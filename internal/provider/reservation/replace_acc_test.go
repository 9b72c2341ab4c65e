package reservation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// C15: what AWS changes in place is one update; what it cannot is refused while
// the object is live, naming the attribute and what would be released.
func TestAccReservation_C15_inPlace(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	for _, line := range []string{
		"instance_count = 2", `tags = { a = "b" }`, `match_criteria = "open"`, `window = { end_at = "2041-05-10T09:00:00Z" }`,
	} {
		use(b, block("a", line))
		unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		if n := len(b.Calls(since, create)) + len(b.Calls(since, cancel)); n != 0 {
			t.Errorf("%s: %d creates and cancels", line, n)
		}
		b.PlanEmpty().NoDiagnostics(t)
	}
	held(t, b, 1)
}

func TestAccReservation_C15_replaceRefused(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", "instance_count = 2"))
	b.Apply().Success(t)
	before := live(t, b)
	for _, tc := range []struct{ line, at, name string }{
		{`zone = "us-east-1b"`, `zone = "us-east-1b"`, "zone"},
		{`zone = "us-west-2a"`, `zone = "us-west-2a"`, "zone"},
		{`instance_type = "g5.xlarge"`, `instance_type = "g5.xlarge"`, "instance_type"},
		// Of an attribute inside another the command lines show the resource only.
		{`aws = { platform = "Windows" }`, "resource", "aws.platform"},
		{`aws = { tenancy = "dedicated" }`, "resource", "aws.tenancy"},
		{`aws = { placement_group_arn = "arn:aws:ec2:us-east-1:111122223333:placement-group/x" }`, "resource", "aws.placement_group_arn"},
	} {
		use(b, block("a", "instance_count = 2", tc.line))
		since := b.Mark()
		b.Plan().FailureAt(t, tc.at, "Change would release a live reservation", tc.name+" cannot be changed", before.NativeID, "2 × g4dn.xlarge in us-east-1a", "allow_replacement")
		b.Apply().Failure(t, "Change would release a live reservation")
		wrote(t, b, since)
	}
	held(t, b, 1)
	use(b, block("a", "instance_count = 2"))
	b.PlanEmpty().NoDiagnostics(t)
}

func TestAccReservation_C15_replaceAllowed(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", "allow_replacement = true"))
	b.Apply().Success(t)
	for _, line := range []string{`zone = "us-east-1b"`, `instance_type = "g5.xlarge"`} {
		use(b, block("a", "allow_replacement = true", line))
		before := live(t, b).NativeID
		plan := planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
		plan.Warned(t, "Live reservation will be replaced", before, "By default", "deletes", "create_before_destroy", "new name")
		if len(plan.Change(addr).ReplacePaths) == 0 {
			t.Error("the plan names no path that replaces")
		}
		since := b.Mark()
		b.Apply().Success(t)
		wrote(t, b, since, cancel, create, tag)
		if live(t, b).NativeID == before {
			t.Error("nothing was replaced")
		}
		b.PlanEmpty().NoDiagnostics(t)
	}
}

// Another kind is another object; that its options are others too is no change of
// its own. Where none are configured, none forces the replacement.
func TestAccReservation_replaceKind(t *testing.T) {
	t.Parallel()
	usual := []string{"allow_replacement = true", `instance_type = "g4dn.12xlarge"`, `max_upfront_usd = 1000000`}
	start := `window = { start_at = "2031-05-10T09:00:00Z" }` // so far ahead that it is given back free
	for name, lines := range map[string][]string{
		"scheduled":      {`kind = "scheduled"`, start},
		"dedicated_host": {`kind = "dedicated_host"`},
		"term":           {`kind = "term"`, aYear, `on_destroy = "abandon"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			for i, lines := range [][]string{{}, lines, {`name = "res-b"`}} { // an abandoned host keeps its name
				count := "instance_count = 1"
				if name == "scheduled" {
					count = "instance_count = 2"
				}
				use(b, block("a", slices.Concat(usual, lines, []string{count})...))
				if i > 0 {
					plan := planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
					if paths := fmt.Sprint(plan.Change(addr).ReplacePaths...); !strings.Contains(paths, "kind") || strings.Contains(paths, "aws") {
						t.Errorf("replaced by %s", paths)
					}
				}
				b.Apply().Success(t)
				b.Do(b.World.Advance(minute)) // AWS assesses what is scheduled
				b.Refresh().Success(t)
				b.PlanEmpty()
			}
		})
	}
}

// What has ended becomes another kind without leave to replace.
func TestAccReservation_replaceKindEnded(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, block("a", `instance_type = "g4dn.12xlarge"`, "instance_count = 2", `window = { duration = "1d" }`))
	b.Apply().Success(t)
	before := only(t, b).NativeID
	b.Do(b.World.Advance(2 * day))
	use(b, block("a", `instance_type = "g4dn.12xlarge"`, "instance_count = 2", `kind = "scheduled"`,
		`window = { start_at = "2031-04-10T09:00:00Z" }`))
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
	b.Apply().Success(t)
	if got := state(t, b, map[string]any{"kind": "scheduled"})["native_id"]; got == before {
		t.Error("nothing was replaced")
	}
}

// C15: an ordered replacement with create_before_destroy under the same name
// adopts the live object: one object at any time, never none.
func TestAccReservation_C15_replaceAdopts(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", "lifecycle {\n    create_before_destroy = true\n  }"))
	b.Apply().Success(t)
	before, claim := live(t, b), state(t, b, nil)["claim_id"]
	since := b.Mark()
	result := b.Apply("-replace=" + addr).Success(t)
	result.Warned(t, "Existing reservation adopted", before.NativeID)
	result.Warned(t, "Reservation was taken over", before.NativeID, "only forgets it")
	wrote(t, b, since, tag)
	after, got := live(t, b), state(t, b, map[string]any{"native_id": before.NativeID, "status": "held"})
	if got["claim_id"] == claim || got["claim_id"] != after.Tags["gpulock:claim"] {
		t.Errorf("claim was %v, is %v in state and %v on the object", claim, got["claim_id"], after.Tags["gpulock:claim"])
	}
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t).NoDiagnostics(t)
	held(t, b, 0)
}

// create_before_destroy with a new name holds the new one first.
func TestAccReservation_replaceUnderNewName(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	lines := []string{"allow_replacement = true", "lifecycle {\n    create_before_destroy = true\n  }"}
	use(b, block("a", lines...))
	b.Apply().Success(t)
	before := live(t, b).NativeID
	use(b, block("a", append(lines, `name = "res-b"`, `zone = "us-east-1b"`)...))
	planned(t, b, tfjson.ActionCreate, tfjson.ActionDelete)
	since := b.Mark()
	b.Apply().Success(t)
	calls := b.Calls(since, "")
	created, cancelled := -1, -1
	for i, c := range calls {
		switch c.Operation {
		case create:
			created = i
		case cancel:
			cancelled = i
		}
	}
	if created < 0 || cancelled < created {
		t.Errorf("create was call %d, cancel call %d", created, cancelled)
	}
	if live(t, b).NativeID == before {
		t.Error("nothing was replaced")
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// A refused replacement after the old one's release leaves an error and no state.
func TestAccReservation_replaceFull(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", "allow_replacement = true"))
	b.Apply().Success(t)
	b.Do(b.World.AddFaults(full()))
	use(b, block("a", "allow_replacement = true", `zone = "us-east-1b"`))
	b.Apply().Failure(t, "InsufficientInstanceCapacity", "us-east-1b")
	none(t, b)
	held(t, b, 0)
}

// A refused growth leaves what is held, in the cloud and in the state.
func TestAccReservation_growthRefused(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", "instance_count = 2"))
	b.Apply().Success(t)
	no := 0
	b.Do(b.World.SetCapacity(sim.Capacity{Cloud: "aws", Region: "us-east-1", Zone: "us-east-1a", InstanceType: "g4dn.xlarge", Available: &no}))
	use(b, block("a", "instance_count = 5"))
	planned(t, b, tfjson.ActionUpdate)
	b.Apply().Failure(t, "Reservation not changed", "InsufficientInstanceCapacity", "still holds 2", "Asked for were 5", "Attempts:")
	state(t, b, map[string]any{"instance_count": 2, "gpu_count": "2", "status": "held"})
	if o := live(t, b); o.Count != 2 {
		t.Errorf("the object holds %d", o.Count)
	}
	planned(t, b, tfjson.ActionUpdate)
	yes := 10
	b.Do(b.World.SetCapacity(sim.Capacity{Cloud: "aws", Region: "us-east-1", Zone: "us-east-1a", InstanceType: "g4dn.xlarge", Available: &yes}))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
}

// later is a value that is known only at apply, as an attribute of a resource.
func later(zone string) string {
	return fmt.Sprintf("resource \"terraform_data\" \"later\" {\n  input = %q\n}\n", zone)
}

// A value known only at apply that the cloud cannot change: the plan is the
// replacement that was allowed, so that apply does nothing else than the plan.
func TestAccReservation_replaceUnknown(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"zone": "zone = terraform_data.later.output", "aws": "aws = { tenancy = terraform_data.later.output == \"us-east-1a\" ? \"default\" : \"dedicated\" }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simulated(t)
			body := block("a", "allow_replacement = true", line)
			b.Config(b.Provider() + later("us-east-1a") + body)
			b.Apply().Success(t)
			before := live(t, b).NativeID
			b.Config(b.Provider() + later("us-east-1b") + body)
			plan := b.Plan()
			if !plan.Actions(addr).Replace() {
				t.Fatalf("plan: %s", plan.Text())
			}
			plan.Warned(t, "Live reservation will be replaced", before)
			b.Apply().Success(t)
			if live(t, b).NativeID == before {
				t.Error("nothing was replaced")
			}
			b.PlanEmpty().NoDiagnostics(t)
		})
	}
}

// Without leave to replace, a value known only at apply stops the apply and
// leaves what is held, unless nothing is held any more.
func TestAccReservation_replaceUnknownRefused(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	body := block("a", "zone = terraform_data.later.output", `window = { duration = "1d" }`)
	b.Config(b.Provider() + later("us-east-1a") + body)
	b.Apply().Success(t)
	before := live(t, b).NativeID
	b.Config(b.Provider() + later("us-east-1b") + body)
	b.Apply().Failure(t, "Change would release a live reservation", before)
	if live(t, b).NativeID != before {
		t.Error("the holding changed")
	}
	b.Config(b.Provider() + later("us-east-1a") + body)
	b.Apply().Success(t)

	b.Do(b.World.Advance(25 * time.Hour))
	b.Config(b.Provider() + later("us-east-1b") + body)
	b.Apply().Success(t)
	if live(t, b).NativeID == before {
		t.Error("the ended object was not replaced")
	}
	b.PlanEmpty().NoDiagnostics(t)
}
