package reservation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// inSpring is a bench whose Azure is at 2031-03-01.
func inSpring(t *testing.T) *acctest.Bench {
	t.Helper()
	b := onAzure(t)
	b.Do(b.World.SetClock(inSpringTime))
	return b
}

var inSpringTime = time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)

// afuture is a Future reservation of two.
func afuture(start string, lines ...string) string {
	return ablock(append([]string{`kind = "scheduled"`, "instance_count = 2", fmt.Sprintf("window = { start_at = %q }", start)}, lines...)...)
}

// blockWeek is a Block reservation of eight that can be sold.
func blockOf(window string, lines ...string) string {
	return ablock(append([]string{
		`kind = "block"`, `instance_type = "Standard_ND96isr_H100_v5"`, "instance_count = 8", "window = { " + window + " }",
	}, lines...)...)
}

const aweek = `start_at = "2031-03-10T12:00:00Z", duration = "7d"`

// decide has Azure decide on what was accepted.
func decide(t *testing.T, b *acctest.Bench, state string) {
	t.Helper()
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), Status: &state}))
	b.Apply("-refresh-only").Success(t)
}

// C08: the same instant in another form is no change, a second is one in place, and
// there is no end to give.
func TestAccReservation_C08_azureSameInstant(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	const start = "2031-05-10T09:00:00+02:00"
	use(b, afuture(start))
	plan := planned(t, b, tfjson.ActionCreate)
	unknown(t, plan, "id", "native_id", "claim_id", "status")
	values(t, "plan", plan.Change(addr).After, map[string]any{"starts_at": "2031-05-10T07:00:00Z", "ends_at": nil, "gpu_count": "2"})
	since := b.Mark()
	b.Apply().Success(t)
	awrote(t, b, since, aGroupPut, aPut, aPatch)
	decide(t, b, "Approved")
	state(t, b, map[string]any{"window.start_at": start, "status": "held", "starts_at": "2031-05-10T07:00:00Z", "window.end_at": nil})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, afuture("2031-05-10T07:00:00Z"))
	b.PlanEmpty().NoDiagnostics(t)
	use(b, afuture("2031-05-10T07:00:01Z"))
	planned(t, b, tfjson.ActionUpdate)
	since = b.Mark()
	b.Apply().Success(t)
	awrote(t, b, since, aPatch)
	b.PlanEmpty().NoDiagnostics(t)
	use(b, afuture(start, `window = { start_at = "2031-05-10T07:00:01Z", duration = "7d" }`))
	b.Plan().Failure(t, "window.duration", "no end")
	use(b, afuture("2031-03-07T00:00:00Z"))
	b.Plan().Failure(t, "Start is not possible", "7 days ahead", "183 days ahead")
}

// C10: what is committed is given up free only after its days.
func TestAccReservation_C10_azureCommitted(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	use(b, afuture("2031-05-10T07:00:00Z", "azure = { minimum_commitment_days = 30 }"))
	b.Apply().Success(t)
	decide(t, b, "Committed")
	const until = "2031-06-09T07:00:00Z"
	since := b.Mark()
	b.Plan("-destroy").Failure(t, "Cannot be released free", until, "removed {", apath())
	b.Destroy().Failure(t, "Cannot be released free", until)
	use(b)
	b.Plan().Failure(t, "Cannot be released free", until)
	awrote(t, b, since)
	use(b, afuture("2031-05-10T07:00:00Z", "azure = { minimum_commitment_days = 30 }"))
	b.Do(b.World.SetClock(time.Date(2031, 6, 9, 7, 0, 1, 0, time.UTC)))
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	none(t, b)
	clean(t, b)
}

// The days that Azure chose may be written down, which changes nothing there; others
// may not.
func TestAccReservation_azureChosenDays(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	days := func(n string) string {
		return afuture("2031-05-10T07:00:00Z", "azure = { minimum_commitment_days = "+n+" }")
	}
	use(b, afuture("2031-05-10T07:00:00Z"))
	b.Apply().Success(t)
	decide(t, b, "Approved")
	use(b, days("30"))
	planned(t, b, tfjson.ActionUpdate)
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	awrote(t, b, since)
	state(t, b, map[string]any{"azure.minimum_commitment_days": 30})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, days("60"))
	b.Plan().Failure(t, "azure.minimum_commitment_days", "Change would release a live reservation", `from "30" to "60"`)
	use(b, afuture("2031-05-10T07:00:00Z"))
	planned(t, b, tfjson.ActionUpdate)
	b.Apply().Success(t).NoDiagnostics(t)
	use(b, days("60"))
	b.Plan().Failure(t, "Change would release a live reservation", `from "30" to "60"`)
}

// C10: before it is committed it goes free, and what was declined is planned anew.
func TestAccReservation_C10_azureFree(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	use(b, afuture("2031-05-10T07:00:00Z"))
	b.Apply().Success(t)
	decide(t, b, "Declined")
	state(t, b, map[string]any{"status": "refused"})
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
	b.Apply().Success(t)
	decide(t, b, "Approved")
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	clean(t, b)
}

// C10: what is abandoned stays as it is.
func TestAccReservation_C10_azureAbandoned(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	use(b, blockOf(aweek))
	b.Apply().Success(t)
	use(b, blockOf(aweek, `on_destroy = "abandon"`))
	since := b.Mark()
	b.Apply().Success(t)
	b.Destroy().Success(t).Warned(t, apath())
	awrote(t, b, since)
	none(t, b)
	amember(t, b)
}

// C10: a block is bound to its end, and goes after it.
func TestAccReservation_C10_azureBlock(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	use(b, blockOf(aweek))
	plan := planned(t, b, tfjson.ActionCreate)
	const end = "2031-03-17T11:30:00Z"
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"starts_at": "2031-03-10T12:00:00Z", "ends_at": end, "usable_until": end, "gpu_count": "64", "estimated_usd_per_hour": nil,
		"binding.azure.capacity_reservation_group_id": agroup("res-a"),
	})
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Apply("-refresh-only").Success(t)
	state(t, b, map[string]any{"status": "held", "window.duration": "7d", "ends_at": end})
	b.PlanEmpty().NoDiagnostics(t)
	since := b.Mark()
	b.Plan("-destroy").Failure(t, "Cannot be released free", end, "removed {")
	b.Destroy().Failure(t, "Cannot be released free")
	use(b)
	b.Plan().Failure(t, "Cannot be released free")
	awrote(t, b, since)
	use(b, blockOf(aweek))
	b.Do(b.World.SetClock(time.Date(2031, 3, 17, 11, 30, 1, 0, time.UTC)))
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	none(t, b)
	clean(t, b)
}

// Nothing of a block changes but its tags: the plan says so at the attribute, and
// another way to write its window changes nothing.
func TestAccReservation_azureBlockFixed(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	use(b, blockOf(aweek))
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Apply("-refresh-only").Success(t)
	since := b.Mark()
	for at, more := range map[string][2]string{
		"window.end_at":   {`start_at = "2031-03-10T12:00:00Z", end_at = "2031-03-18T11:30:00Z"`, ""},
		"window.duration": {`start_at = "2031-03-10T12:00:00Z", duration = "8d"`, ""},
		"window.start_at": {`start_at = "2031-03-11T12:00:00Z", duration = "7d"`, ""},
		"instance_count":  {aweek, "instance_count = 16"},
	} {
		use(b, blockOf(more[0], more[1]))
		b.Plan().Failure(t, "Change would release a live reservation", at+" cannot be changed")
		use(b, blockOf(more[0], more[1], "allow_replacement = true"))
		b.Plan().Failure(t, "Cannot be released free", "2031-03-17T11:30:00Z")
	}
	for _, window := range []string{
		`start_at = "2031-03-10T13:00:00+01:00", end_at = "2031-03-17T11:30:00Z"`, `start_at = "2031-03-10T12:00:00Z", duration = "168h"`,
	} {
		use(b, blockOf(window))
		b.Apply().Success(t)
	}
	awrote(t, b, since)
	use(b, blockOf(aweek, `tags = { a = "b" }`))
	b.Apply().Success(t)
	awrote(t, b, since, aPatch)
	b.PlanEmpty().NoDiagnostics(t)
}

// A block's window is one that Azure has, and the error shows which that is.
func TestAccReservation_azureBlockWindow(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	for window, words := range map[string][]string{
		`start_at = "2031-03-10T09:00:00Z", duration = "7d"`:                 {"window.start_at", "2031-03-10T12:00:00Z"},
		`start_at = "2031-03-10T12:00:00Z", end_at = "2031-03-17T12:00:00Z"`: {"window.end_at", "2031-03-17T11:30:00Z"},
		`start_at = "2031-03-10T12:00:00Z", duration = "15d"`:                {"window.duration", "14"},
		`start_at = "2031-03-10T12:00:00Z", duration = "36h"`:                {"window.duration"},
		`start_at = "2031-03-10T12:00:00Z"`:                                  {"window.duration"},
		`start_at = "2031-05-10T12:00:00Z", duration = "7d"`:                 {"Start is not possible", "2031-04-26T12:00:00Z"},
		`start_at = "2031-02-10T12:00:00Z", duration = "7d"`:                 {"Start is not possible"},
	} {
		use(b, blockOf(window))
		b.Plan().Failure(t, words...)
	}
	use(b, strings.Replace(blockOf(aweek), "instance_count = 8", "instance_count = 3", 1))
	b.Plan().FailureAt(t, "instance_count", "1, 2, 4, 8, 16, 32 or 64")
	use(b, blockOf(aweek, `share_with = ["0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"]`))
	b.Plan().FailureAt(t, "share_with", "no reservations of kind block")
	use(b, blockOf(aweek, `match_criteria = "open"`))
	b.Plan().FailureAt(t, "match_criteria", "targeted")
	clean(t, b)
}
