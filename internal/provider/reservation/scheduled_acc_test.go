package reservation_test

import (
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// starts is when the future-dated reservations of these tests start: 68 days
// after today, which is more than the eight weeks that they are free to give up.
func starts() time.Time { return time.Date(2031, 5, 10, 9, 0, 0, 0, time.UTC) }

// ahead is a future-dated reservation, the usual attributes changed by lines.
func ahead(label string, lines ...string) string {
	return block(label, append([]string{
		`kind = "scheduled"`, `instance_type = "g6.48xlarge"`, `window = { start_at = "2031-05-10T09:00:00Z" }`,
	}, lines...)...)
}

// assessing has AWS take as long to assess a request, and then find what it finds.
func assessing(takes time.Duration, refused *sim.OperationError) sim.Fault {
	lasts := sim.Duration(takes)
	return sim.Fault{Cloud: "aws", Operation: create, Times: 1, OperationTakes: &lasts, OperationError: refused}
}

// A future-dated reservation from its request until its end: what AWS decides, and
// what time brings, is never a change, and each state lets change what it lets.
func TestAccReservation_scheduledLife(t *testing.T) {
	t.Parallel()
	b := dated(t)
	b.Do(b.World.AddFaults(assessing(5*day, nil)))
	use(b, ahead("a"))
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"starts_at": "2031-05-10T09:00:00Z", "ends_at": nil, "kind": "scheduled", "gpu_count": "8", "estimated_usd_per_hour": 13.3504,
	})
	b.Apply().Success(t).Warned(t, "Reservation is not decided yet", "assessing")
	wrote(t, b, 0, create, tag)
	state(t, b, map[string]any{"status": "pending", "starts_at": "2031-05-10T09:00:00Z"})
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.Advance(6 * day))
	b.Refresh().Success(t)
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)

	// The same instant written another way is no change; another one is refused.
	since := b.Mark()
	use(b, ahead("a", `window = { start_at = "2031-05-10T11:00:00+02:00" }`))
	b.PlanEmpty().NoDiagnostics(t)
	use(b, ahead("a", `window = { start_at = "2031-05-11T09:00:00Z" }`))
	b.Plan().Failure(t, "Change would release a live reservation", "window.start_at cannot be changed", "2031-05-11T09:00:00Z",
		b.Objects()[0].NativeID, "1 × g6.48xlarge in us-east-1a")
	wrote(t, b, since)

	// While it is scheduled its end moves, and its count does not.
	ended := `window = { start_at = "2031-05-10T09:00:00Z", duration = "28d" }`
	use(b, ahead("a", ended))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	since = b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, modify)
	state(t, b, map[string]any{"ends_at": "2031-06-07T09:00:00Z", "usable_until": "2031-06-07T09:00:00Z"})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, ahead("a", ended, "instance_count = 2"))
	b.Apply().Failure(t, "Reservation not changed", "scheduled")
	state(t, b, map[string]any{"instance_count": 1, "status": "held"})

	// Once it has begun, the count grows in place.
	b.Do(b.World.SetClock(starts().Add(minute)))
	since = b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, modify)
	state(t, b, map[string]any{"instance_count": 2, "gpu_count": "16"})
	for _, at := range []time.Time{starts().Add(15 * day), starts().Add(28*day + minute), starts().Add(90 * day)} {
		b.Do(b.World.SetClock(at))
		b.PlanEmpty().NoDiagnostics(t)
	}
	b.Destroy().Success(t).NoDiagnostics(t)
	wrote(t, b, since, modify)
}

// What AWS finds unsupported is refused: nothing is held, so that another one is
// asked for in its place.
func TestAccReservation_scheduledUnsupported(t *testing.T) {
	t.Parallel()
	b := dated(t)
	b.Do(b.World.AddFaults(assessing(day, &sim.OperationError{Code: "no-stock", Message: "no"})))
	use(b, ahead("a"))
	b.Apply().Success(t).Warned(t, "Reservation is not decided yet")
	b.Do(b.World.Advance(2 * day))
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
	since := b.Mark()
	b.Apply().Success(t)
	// The first answer is the refused one once more, by its token.
	wrote(t, b, since, create, create, tag)
	held(t, b, 1)
}

// C10: within its commitment a future-dated reservation is kept, or given up
// against a charge below the ceiling.
func TestAccReservation_C10_scheduled(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, ahead("a"))
	b.Apply().Success(t)
	b.Do(b.World.SetClock(starts().Add(-30 * day))) // scheduled, and no longer eight weeks ahead
	b.Plan("-destroy").Failure(t, "Cannot be released free", "committed until 2031-05-24T09:00:00Z", "4485.7344 USD at the list price")
	b.Do(b.World.SetClock(starts().Add(day)))
	texts := []string{
		"Cannot be released free", "committed until 2031-05-24T09:00:00Z", "4165.3248 USD at the list price", "removed {", "destroy = false",
	}
	since := b.Mark()
	b.Plan("-destroy").Failure(t, texts...)
	b.Destroy("-refresh=false").Failure(t, texts...)
	use(b)
	b.Plan().Failure(t, texts...)

	use(b, ahead("a", `on_destroy = "cancel_with_charge"`, "max_cancellation_usd = 2000"))
	unknown(t, planned(t, b, tfjson.ActionUpdate))
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since)
	// Half of the thirteen days that are left, 13.3504 USD an hour.
	over := []string{"Price above the ceiling", "max_cancellation_usd is 2000.00 USD", "2082.6624 USD"}
	b.Plan("-destroy").Failure(t, over...)
	b.Destroy().Failure(t, over...)
	held(t, b, 1)
	use(b, ahead("a", `on_destroy = "cancel_with_charge"`, "max_cancellation_usd = 2100"))
	b.Apply().Success(t)
	since = b.Mark()
	b.Destroy().Success(t).Warned(t, "Reservation cancelled against a charge", "156 instance-hours", "2082.6624 USD", "billed until")
	if n := len(b.Calls(since, cancel)); n != 1 {
		t.Errorf("%d cancels, want 1", n)
	}
	none(t, b)
	held(t, b, 0)
}

// C10: what costs nothing to give up is given up by default.
func TestAccReservation_C10_scheduledFree(t *testing.T) {
	t.Parallel()
	none := 0
	for name, tc := range map[string]struct {
		fault *sim.Fault
		at    time.Time
	}{
		"assessing":                       {fault: new(assessing(day, nil)), at: today().Add(minute)},
		"more than eight weeks before it": {at: starts().Add(-57 * day)},
		"after its commitment":            {at: starts().Add(14*day + minute)},
		"delayed":                         {at: starts().Add(minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			if tc.fault != nil {
				b.Do(b.World.AddFaults(*tc.fault))
			}
			use(b, ahead("a"))
			b.Apply().Success(t)
			if name == "delayed" {
				b.Do(b.World.SetCapacity(sim.Capacity{
					Cloud: "aws", Region: "us-east-1", Zone: "us-east-1a", InstanceType: "g6.48xlarge", Available: &none,
				}))
			}
			b.Do(b.World.SetClock(tc.at))
			if name == "delayed" {
				b.Refresh().Success(t)
				state(t, b, map[string]any{"status": "held"})
				b.PlanEmpty().NoDiagnostics(t)
				if got := b.Objects()[0].Status; got != "delayed" {
					t.Fatalf("it is %s", got)
				}
			}
			since := b.Mark()
			b.Destroy().Success(t)
			if n := len(b.Calls(since, cancel)); n == 0 {
				t.Error("nothing was cancelled")
			}
			held(t, b, 0)
		})
	}
}

// What AWS would never take for a future date is told by plan, at its attribute.
func TestAccReservation_scheduledBadInput(t *testing.T) {
	t.Parallel()
	b := dated(t)
	for _, tc := range []struct {
		line  string
		texts []string
	}{
		{`window = { start_at = "2031-05-10T09:00:00Z", end_at = "2031-05-20T09:00:00Z" }`, []string{"window.end_at", "inside the commitment of 14 days", "2031-05-24T09:00:00Z"}},
		{`window = { start_at = "2031-05-10T09:00:00Z", duration = "10d" }`, []string{"window.duration", "inside the commitment"}},
		{`window = { start_at = "2031-05-10T09:00:00Z", end_at = "2031-07-10T09:00:00Z", duration = "40d" }`, []string{"window.duration", "leave one out"}},
		{`window = { start_at = "2031-03-07T12:00:00Z" }`, []string{"Start is not possible", "window.start_at is 2031-03-07T12:00:00Z", "not before 2031-03-08T12:00:0", "5 days ahead"}},
		{`window = { start_at = "2031-07-02T12:00:10Z" }`, []string{"Start is not possible", "window.start_at", "not after 2031-07-01T12:00:0", "120 days ahead"}},
		{`window =`, []string{"window.start_at", "needs start_at"}},
		{`instance_type = "p5.48xlarge"`, []string{"instance_type", "not for p5.48xlarge", "kind block"}},
		{`instance_type = "g6.xlarge"`, []string{"instance_count", "32 vCPUs", "8 of these"}},
		{`match_criteria = "open"`, []string{"match_criteria", "targeted"}},
		{`offer_id = "cb-0123456789abcdef0"`, []string{"offer_id", "not bought by offer"}},
		{`aws = { commitment = "13d" }`, []string{"aws.commitment", "14 days"}},
		{`aws = { placement_group_arn = "arn:aws:ec2:us-east-1:111122223333:placement-group/x" }`, []string{"aws.placement_group_arn", "not an option"}},
		{`aws = { host_recovery = "on" }`, []string{"aws.host_recovery", "not an option"}},
		{`term = { months = 12, payment_option = "all_upfront" }`, []string{"term", "no term"}},
	} {
		use(b, ahead("a", tc.line))
		plan := b.Plan().Failure(t, tc.texts...)
		key, value, _ := strings.Cut(tc.line, " = ")
		if value != "" && value[0] != '{' && key != "instance_type" {
			plan.FailureAt(t, key, tc.texts...)
		}
	}
	wrote(t, b, 0)
	none(t, b)
}
