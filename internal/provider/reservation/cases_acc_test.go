package reservation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The cases keep the numbers of the collection of public reports that they come
// from.

// full has every create answer that the zone is full.
func full() sim.Fault {
	return sim.Fault{Cloud: "aws", Operation: create, Status: 500, Code: "InsufficientInstanceCapacity", Message: "Insufficient capacity."}
}

// C01: a full zone ends by the user's deadline, and every refusal is told.
func TestAccReservation_C01_fullZone(t *testing.T) {
	t.Parallel()
	place := []string{`name = "full-zone"`, `zone = "eu-central-1a"`, `instance_type = "p5.48xlarge"`}
	for name, tc := range map[string]struct {
		lines          []string
		atMost         time.Duration
		atLeast, calls int
	}{
		"wait":     {append(place, `wait_for_capacity = "10m"`, `timeouts = { create = "2m" }`), 2*minute + 5*time.Second, 20, 26},
		"no wait":  {place, 5 * time.Second, 1, 1},
		"wait 30s": {append(place, `wait_for_capacity = "30s"`), 35 * time.Second, 6, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simulated(t)
			b.Do(b.World.AddFaults(full()))
			use(b, block("a", tc.lines...))
			began := b.Clock.Now()
			b.Apply().Failure(t, "InsufficientInstanceCapacity", "eu-central-1a", "p5.48xlarge", "Attempts:", "capacity")
			if took := b.Clock.Now().Sub(began); took > tc.atMost {
				t.Errorf("it took %s, at most %s was allowed", took, tc.atMost)
			}
			if n := len(b.Calls(0, create)); n < tc.atLeast || n > tc.calls {
				t.Errorf("%d creates, want %d to %d", n, tc.atLeast, tc.calls)
			}
			warnings := b.Logs().Warnings()
			if len(warnings) != len(b.Calls(0, create)) || !strings.Contains(warnings[0].Message, "eu-central-1a p5.48xlarge") {
				t.Errorf("%d WARN lines for %d refusals: %+v", len(warnings), len(b.Calls(0, create)), warnings)
			}
			none(t, b)
			held(t, b, 0)
		})
	}
}

// C01 ends well when the zone empties while it waits.
func TestAccReservation_C01_roomComes(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	fault := full()
	fault.Times = 4
	b.Do(b.World.AddFaults(fault))
	use(b, block("a", `wait_for_capacity = "10m"`))
	b.Apply().Success(t)
	if n := len(b.Calls(0, create)); n != 5 {
		t.Errorf("%d creates, want 5", n)
	}
	state(t, b, map[string]any{"status": "held"})
	held(t, b, 1)
	b.PlanEmpty().NoDiagnostics(t)
}

// C06: what was cancelled elsewhere is gone with a warning, and only that.
func TestAccReservation_C06_cancelled(t *testing.T) {
	t.Parallel()
	cancelled := "cancelled"
	for name, change := range map[string]sim.ObjectPatch{"forgotten": {Gone: true}, "a shown as cancelled": {Status: &cancelled}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simulated(t)
			use(b, block("a"))
			b.Apply().Success(t)
			change.NativeID = live(t, b).NativeID
			b.Do(b.World.Patch(change))
			planned(t, b, tfjson.ActionCreate).Warned(t, "Reservation is gone", change.NativeID)
			since := b.Mark()
			b.Destroy().Success(t)
			wrote(t, b, since)
			none(t, b)
		})
	}
}

// C06 (b): not being allowed to look is not absence.
func TestAccReservation_C06b_forbidden(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	before := state(t, b, nil)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: describe, Status: 403, Code: "UnauthorizedOperation",
		Message: "You are not authorized to perform this operation.",
	}))
	since := b.Mark()
	b.Plan().Failure(t, "Cannot read reservation", "UnauthorizedOperation", "HTTP 403")
	b.Destroy().Failure(t, "UnauthorizedOperation")
	wrote(t, b, since)
	if after := state(t, b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state changed from %v to %v", before, after)
	}
	b.Do(b.World.ClearFaults())
	b.PlanEmpty().NoDiagnostics(t)
}

// C06 (c): one empty answer is no proof, neither in a plan nor after a create.
func TestAccReservation_C06c_emptyAnswer(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	empty := func(times int) {
		b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: describe, Empty: true, Times: times}))
	}
	empty(3)
	use(b, block("a"))
	b.Apply().Success(t).NoDiagnostics(t)
	held(t, b, 1)
	state(t, b, map[string]any{"status": "held"})
	for _, times := range []int{1, 2} {
		empty(times)
		b.PlanEmpty().NoDiagnostics(t)
	}
	if n := len(b.Calls(0, create)); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
}

// C08a: the same instant in another form is no change; a second later is one call.
func TestAccReservation_C08a_sameInstant(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Do(b.World.SetClock(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)))
	ends := func(text string) { use(b, block("a", fmt.Sprintf("window = { end_at = %q }", text))) }
	ends("2031-05-11T09:00:00.5+02:00")
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"window.end_at": "2031-05-11T09:00:00.5+02:00", "status": "held"})
	if end := live(t, b).EndsAt; !end.Equal(time.Date(2031, 5, 11, 7, 0, 0, 500_000_000, time.UTC)) {
		t.Errorf("the object ends at %s", end)
	}
	b.PlanEmpty().NoDiagnostics(t)
	for _, text := range []string{"2031-05-11T07:00:00.500Z", "2031-05-11T09:30:00.5+02:30", "2031-05-11T07:00:00.5Z"} {
		ends(text)
		b.PlanEmpty().NoDiagnostics(t)
	}
	ends("2031-05-11T07:00:01.5Z")
	plan := planned(t, b, tfjson.ActionUpdate)
	unknown(t, plan, "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, modify)
	b.PlanEmpty().NoDiagnostics(t)
}

// C09a: the API's order means nothing, and the cloud's own tag is not ours.
func TestAccReservation_C09a_shuffle(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: sim.AnyOperation, Shuffle: true}))
	use(b, block("a", `tags = { a = "1", b = "2", c = "3", d = "4", e = "5" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	patchTags(b, map[string]string{"aws:cloudformation:stack-name": "x"})
	for range 20 {
		b.PlanEmpty().NoDiagnostics(t)
	}
	use(b, block("a", `tags = { e = "5", d = "4", c = "3", b = "two" }`))
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, tag, untag)
	tags(t, live(t, b), map[string]string{"b": "two", "c": "3", "d": "4", "e": "5", "aws:cloudformation:stack-name": "x"})
	b.PlanEmpty().NoDiagnostics(t)
}

// C13: a plan of many reservations costs calls by the page, and fits below a
// rate that throttles. The clock is the wall's: the waits are real.
func TestAccReservation_C13_threeHundred(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Binary: true, Simulated: inMemory})
	var config strings.Builder
	config.WriteString(b.Provider())
	zones := map[string]string{"east": "us-east-1a", "west": "us-west-2a", "europe": "eu-central-1a"}
	for _, label := range slices.Sorted(maps.Keys(zones)) {
		config.WriteString(block(label, "count = 100", fmt.Sprintf("zone = %q", zones[label]), `name = "res-`+label+`-${count.index}"`))
		limit := 1000.0
		b.Do(b.World.SetQuota(sim.Quota{Cloud: "aws", Region: zones[label][:len(zones[label])-1], Quota: "L-DB2E81BA", Limit: &limit}))
	}
	b.Do(b.World.SetRate(sim.Rate{Cloud: "aws", PerSecond: 100_000, Burst: 100_000}))
	b.Config(config.String())
	b.Apply("-parallelism=50").Success(t).NoDiagnostics(t)
	if n := len(b.Objects("active")); n != 300 {
		t.Fatalf("%d reservations, want 300", n)
	}
	b.Do(b.World.SetPaging(sim.Paging{Cloud: "aws", Max: 100}))
	b.Do(b.World.SetRate(sim.Rate{Cloud: "aws", PerSecond: 5, Burst: 5}))
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: describe, Times: 1, Status: 503, Code: "RequestLimitExceeded",
		Message: "Request limit exceeded.",
	}))
	since := b.Mark()
	plan := b.PlanEmpty("-parallelism=50")
	plan.NoDiagnostics(t)
	const pages = 1
	if n := len(b.Calls(since, describe)); n > 3*(pages+2) {
		t.Errorf("%d describes, want at most %d", n, 3*(pages+2))
	}
	calls := b.Calls(since, "")
	// What the command line needs for 300 resources by itself is the machine's
	// business; on an idle one the whole is a few seconds.
	alone := b.PlanEmpty("-parallelism=50", "-refresh=false").Duration
	if plan.Duration-alone > time.Minute {
		t.Errorf("the plan took %s, without refresh %s", plan.Duration, alone)
	}
	t.Logf("plan of 300: %s, %s without refresh; %d calls", plan.Duration, alone, len(calls))
}
