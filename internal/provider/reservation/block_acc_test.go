package reservation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The writes for capacity blocks.
const (
	purchase = "PurchaseCapacityBlock"
	prolong  = "PurchaseCapacityBlockExtension"
)

// listOffers is AWS's read of what blocks are for sale.
const listOffers = "DescribeCapacityBlockOfferings"

// day is the unit of blocks.
const day = 24 * hour

// today is a day on which a test's cloud begins, so that what is offered, and
// for how much, is the same in every run.
func today() time.Time { return time.Date(2031, 3, 3, 12, 0, 0, 0, time.UTC) }

// dated is a simulated bench that begins today.
func dated(t *testing.T) *acctest.Bench {
	t.Helper()
	b := simulated(t)
	b.Do(b.World.SetClock(today()))
	return b
}

// proxied is a dated bench whose answers can be edited.
func proxied(t *testing.T) (*acctest.Bench, *proxy) {
	t.Helper()
	p := &proxy{}
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: inMemory, Around: p.around})
	b.Do(b.World.SetClock(today()))
	return b, p
}

// prepaid is a capacity block of a day, the usual attributes changed by lines.
func prepaid(label string, lines ...string) string {
	return block(label, append([]string{
		`kind = "block"`, `zone =`, `region = "us-east-1"`, `instance_type = "p4d.24xlarge"`, `window = { duration = "1d" }`,
	}, lines...)...)
}

// prepaidSpec is what prepaid asks for.
func prepaidSpec() cloud.Spec {
	return cloud.Spec{Kind: cloud.Block, Region: "us-east-1", InstanceType: "p4d.24xlarge", Count: 1, Duration: day}
}

// instant is the time in an attribute of the state.
func instant(t *testing.T, b *acctest.Bench, name string) time.Time {
	t.Helper()
	text, _ := state(t, b, nil)[name].(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return at
}

// A block from its purchase until the cloud has forgotten it: what moves by
// itself is never a change, and in the end there is nothing to give up.
func TestAccReservation_blockLife(t *testing.T) {
	t.Parallel()
	b := dated(t)
	takes := sim.Duration(10 * minute)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: purchase, OperationTakes: &takes}))
	use(b, prepaid("a", `tags = { team = "ml" }`))
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"kind": "block", "region": "us-east-1", "gpu_model": "A100-SXM4-40GB", "gpu_count": "8", "binding.aws.market_type": "capacity-block",
	})
	b.Apply().Success(t).Warned(t, "Reservation is not decided yet", "payment-pending")
	wrote(t, b, 0, purchase, tag)
	state(t, b, map[string]any{"status": "pending", "paid_upfront": 297, "currency": "USD", "zone": nil})
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.Advance(11 * minute))
	b.Refresh().Success(t)

	start, end := instant(t, b, "starts_at"), instant(t, b, "ends_at")
	if end.Sub(start) != day {
		t.Errorf("from %s to %s", start, end)
	}
	since := b.Mark()
	for _, at := range []time.Time{start.Add(-2 * hour), start.Add(second), end.Add(-29 * minute), end.Add(second)} {
		b.Do(b.World.SetClock(at))
		b.PlanEmpty().NoDiagnostics(t)
	}
	want := map[string]any{
		"status": "held", "ends_at": end.Format(time.RFC3339), "usable_until": end.Add(-30 * minute).Format(time.RFC3339),
		"paid_upfront": 297, "tags.team": "ml", "binding.aws.market_type": "capacity-block",
	}
	state(t, b, want)
	b.Do(b.World.SetClock(end.Add(60 * day)))
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: b.Objects()[0].NativeID, Gone: true}))
	b.PlanEmpty().NoDiagnostics(t)
	state(t, b, want)
	b.Destroy().Success(t).NoDiagnostics(t)
	wrote(t, b, since)
	none(t, b)
}

// A payment that failed is a refusal: nothing is held, so that another one is
// bought in its place.
func TestAccReservation_blockUnpaid(t *testing.T) {
	t.Parallel()
	b := dated(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "aws", Operation: purchase, Times: 1, OperationError: &sim.OperationError{Code: "declined", Message: "no"},
	}))
	use(b, prepaid("a"))
	b.Apply().Success(t).Warned(t, "Reservation is not decided yet")
	b.Do(b.World.Advance(13 * hour))
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
	since := b.Mark()
	b.Apply().Success(t)
	wrote(t, b, since, purchase, tag)
	b.Do(b.World.Advance(minute))
	b.Refresh().Success(t)
	state(t, b, map[string]any{"status": "held", "paid_upfront": 297})
	held(t, b, 1)
	b.PlanEmpty().NoDiagnostics(t)
}

// Start and end bound the search for an offer, the duration is its length. That the
// earliest start is past by now is no fault: time passes between plan and apply.
func TestAccReservation_blockSearch(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a", `window = { start_at = "2031-05-01T00:00:00Z", duration = "1d" }`))
	b.Plan().Failure(t, "Start is not possible", "window.start_at", "not after 2031-04-28T12:00:0", "56 days ahead")
	use(b, prepaid("a", `window = { start_at = "2031-03-10T00:00:00Z", end_at = "2031-03-13T00:00:00Z" }`), // three days, whole
		prepaid("b", `window = { start_at = "2031-03-10T00:00:00Z", end_at = "2031-03-13T00:00:00Z", duration = "2d" }`),
		prepaid("c", `window = { start_at = "2031-03-01T00:00:00Z", end_at = "2031-03-06T00:00:00Z", duration = "1d" }`))
	plan := b.Plan()
	plan.Warned(t, "Nothing is offered now", "1 × p4d.24xlarge")
	b.Apply("-target=gpu_reservation.b", "-target=gpu_reservation.c").Success(t)
	for name, want := range map[string]string{"b": "2031-03-12T11:30:00Z", "c": "2031-03-05T11:30:00Z"} {
		values(t, "state", b.Resource("gpu_reservation."+name).AttributeValues, map[string]any{"ends_at": want})
	}
	for _, tc := range []struct{ window, text string }{
		{`{ duration = "15d" }`, "14 days or 21 days"},
		{`{ start_at = "2031-03-10T00:00:00Z", end_at = "2031-03-10T12:00:00Z" }`, "AWS sells no block of 12h"},
		{`{ end_at = "2031-03-10T12:00:00Z" }`, "needs its length"},
		{`{ end_at = "2031-03-03T11:00:00Z", duration = "1d" }`, "End is past"},
	} {
		use(b, prepaid("d", "window = "+tc.window))
		b.Plan("-target=gpu_reservation.d").Failure(t, "window.", tc.text)
	}
}

// What was fixed at the purchase stays: no other offer, window or price moves it,
// and what is written down or left out leads to no call.
func TestAccReservation_blockFixed(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a"))
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Refresh().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	zone := fmt.Sprintf("zone = %q", b.Objects("scheduled")[0].Zone)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: listOffers, Empty: true}))
	for _, tc := range []struct {
		name  string
		lines []string
		// written tells that the configuration says more or less than before.
		written bool
	}{
		{"nothing is offered any more", nil, false},
		{"an offer first added", []string{`offer_id = "cb-0123456789abcdef0"`}, true},
		{"another offer", []string{`offer_id = "cb-00000000000000001"`}, false},
		{"the offer left out", nil, true},
		{"a window first added", []string{`window = { duration = "1d", start_at = "2031-03-10T00:00:00Z", end_at = "2031-03-20T00:00:00Z" }`}, true},
		{"the window moved", []string{`window = { duration = "1d", start_at = "2031-04-10T00:00:00Z", end_at = "2031-04-20T00:00:00Z" }`}, false},
		{"the window in the past", []string{`window = { duration = "1d", start_at = "2030-04-10T00:00:00Z", end_at = "2030-04-20T00:00:00Z" }`}, false},
		{"the bounds left out", nil, true},
		{"the window left out", []string{"window ="}, true},
		{"the window given again", nil, true},
		{"its own zone first added", []string{zone}, true},
		{"a ceiling below what was paid", []string{zone, "max_upfront_usd = 1", "max_usd_per_hour = 1"}, true},
		{"the zone left out", []string{"max_upfront_usd = 1", "max_usd_per_hour = 1"}, true},
	} {
		use(b, prepaid("a", tc.lines...))
		since := b.Mark()
		if !tc.written {
			b.PlanEmpty().NoDiagnostics(t)
			continue
		}
		unknown(t, planned(t, b, tfjson.ActionUpdate))
		b.Apply().Success(t).NoDiagnostics(t)
		wrote(t, b, since)
		b.PlanEmpty().NoDiagnostics(t)
		if t.Failed() {
			t.Fatalf("after: %s", tc.name)
		}
	}
	// Where it is was fixed as well: a zone that it is not in is no note of it.
	use(b, prepaid("a", `zone = "us-east-1c"`))
	b.Plan().FailureAt(t, `zone = "us-east-1c"`, "Change would release a live reservation", "us-east-1d", "us-east-1c")
	// The rest of what it is was fixed too, and what it cost is not given back.
	use(b, prepaid("a", "instance_count = 2"))
	b.Plan().FailureAt(t, "instance_count = 2", "Change would release a live reservation", "instance_count", "(1 × p4d.24xlarge in us-east-1)")
	use(b, prepaid("a", "instance_count = 2", "allow_replacement = true"))
	b.Plan().Failure(t, "Cannot be released free", "297.00 USD paid upfront")
	held(t, b, 1)
}

// An offer that another resource still has to name is no change of what was
// bought, whatever it turns out to be.
func TestAccReservation_blockFixedUnknown(t *testing.T) {
	t.Parallel()
	b := dated(t)
	offers := b.Offers(prepaidSpec())
	first, other := offers[0].ID, offers[len(offers)-1].ID
	body := prepaid("a", "offer_id = terraform_data.later.output", `window = { duration = "1d", end_at = terraform_data.later.id == "" ? null : "2031-04-20T00:00:00Z" }`)
	b.Config(b.Provider() + later(first) + body)
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Refresh().Success(t)
	state(t, b, map[string]any{"offer_id": first})
	b.Config(b.Provider() + later(other) + body)
	since := b.Mark()
	plan := b.Plan()
	if plan.ExitCode != 2 || !plan.Actions(addr).NoOp() {
		t.Fatalf("plan: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	b.Apply().Success(t)
	wrote(t, b, since)
	state(t, b, map[string]any{"offer_id": first, "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}

// A longer duration is one extension, bought once; a shorter one, and a longer one
// after the end, are no change.
func TestAccReservation_blockLonger(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a"))
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Refresh().Success(t)
	end := instant(t, b, "ends_at")

	use(b, prepaid("a", `window = { duration = "3d" }`))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status", "ends_at", "usable_until")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, prolong)
	longer := end.Add(2 * day)
	state(t, b, map[string]any{
		"status": "held", "ends_at": longer.Format(time.RFC3339), "usable_until": longer.Add(-30 * minute).Format(time.RFC3339),
		"window.duration": "3d", "paid_upfront": 297,
	})
	b.PlanEmpty().NoDiagnostics(t)

	since = b.Mark()
	use(b, prepaid("a", `window = { duration = "2d" }`))
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.SetClock(longer.Add(hour)))
	use(b, prepaid("a", `window = { duration = "7d" }`))
	b.PlanEmpty().NoDiagnostics(t)
	wrote(t, b, since)
}

// A duration that is first written down is the length of what was bought, so that a
// longer one after it is prolonged by what it shows.
func TestAccReservation_blockLengthAdded(t *testing.T) {
	t.Parallel()
	b := dated(t)
	bounds := `start_at = "2031-03-10T11:30:00Z", end_at = "2031-03-12T11:30:00Z"` // two days
	window := func(parts ...string) string { return "window = { " + strings.Join(parts, ", ") + " }" }
	use(b, prepaid("a", window(bounds)))
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Refresh().Success(t)
	since := b.Mark()
	for _, line := range []string{window(`duration = "3d"`), window(bounds, `duration = "1d"`)} {
		use(b, prepaid("a", line))
		b.Plan().Failure(t, "window.duration", "lasts 2d", instant(t, b, "ends_at").Format(time.RFC3339))
	}
	use(b, prepaid("a", "window ="))
	b.Apply().Success(t)
	use(b, prepaid("a", window(`duration = "3d"`)))
	b.Plan().Failure(t, "window.duration", "lasts 2d")
	use(b, prepaid("a", window(`duration = "48h"`)))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	wrote(t, b, since)
	use(b, prepaid("a", window(`duration = "3d"`)))
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, prolong)
	state(t, b, map[string]any{"ends_at": "2031-03-13T11:30:00Z", "window.duration": "3d"})
	b.PlanEmpty().NoDiagnostics(t)
}

// C10: a block cannot be given back. Destroy is refused as long as it runs, by
// what it is and not by what is still configured; it is let go by "abandon".
func TestAccReservation_C10_block(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a"))
	b.Apply().Success(t)
	end := instant(t, b, "ends_at")
	b.Do(b.World.SetClock(end.Add(-20 * hour)))
	texts := []string{
		"Cannot be released free", "committed until " + end.Format(time.RFC3339), "297.00 USD paid upfront", "cannot be given back free",
		"removed {", "destroy = false",
	}
	since := b.Mark()
	b.Plan("-destroy").Failure(t, texts...)
	b.Destroy().Failure(t, texts...)
	use(b) // the block is gone from the configuration
	b.Plan().Failure(t, texts...)
	use(b, prepaid("a"))
	b.Apply("-replace="+addr).Failure(t, texts...)
	use(b, prepaid("a", `on_destroy = "cancel_with_charge"`, "max_cancellation_usd = 100000"))
	b.Apply().Success(t)
	b.Destroy().Failure(t, texts...)

	use(b, prepaid("a", `on_destroy = "abandon"`))
	unknown(t, planned(t, b, tfjson.ActionUpdate))
	b.Apply().Success(t).NoDiagnostics(t)
	b.Destroy().Success(t).Warned(t, "Reservation abandoned", "abandon")
	wrote(t, b, since)
	none(t, b)
	held(t, b, 1)
}

// C10: what came to its end is destroyed without an error and without a call, and
// the block that the refusal shows lets go of what has not.
func TestAccReservation_C10_blockEnded(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a"), prepaid("b"))
	b.Apply("-parallelism=1").Success(t)
	since := b.Mark()
	use(b, prepaid("a"), "removed {\n  from = gpu_reservation.b\n  lifecycle {\n    destroy = false\n  }\n}\n")
	b.Apply().Success(t)
	held(t, b, 2)
	b.Do(b.World.SetClock(instant(t, b, "ends_at").Add(minute)))
	use(b)
	b.Apply().Success(t)
	wrote(t, b, since)
	none(t, b)
}

// The search for an offer is over once one is bought, and stays so after the end:
// what is added to it or left out buys nothing.
func TestAccReservation_blockEndedSearch(t *testing.T) {
	t.Parallel()
	b := dated(t)
	bounds := []string{`start_at = "2031-03-10T00:00:00Z", `, `end_at = "2031-03-20T00:00:00Z", `}
	window := func(parts ...string) string { return "window = { " + strings.Join(parts, "") + `duration = "1d" }` }
	use(b, prepaid("a", window(bounds...)))
	b.Apply().Success(t)
	b.Do(b.World.SetClock(instant(t, b, "ends_at").Add(hour)))
	b.Refresh().Success(t)
	since := b.Mark()
	for _, line := range []string{window(bounds[0]), window(bounds[1]), "window =", window(bounds...), window()} {
		use(b, prepaid("a", line))
		unknown(t, planned(t, b, tfjson.ActionUpdate))
		b.Apply().Success(t).NoDiagnostics(t)
		b.PlanEmpty().NoDiagnostics(t)
	}
	wrote(t, b, since)
}

// What has ended is replaced freely: ordered, or because another type is asked for.
func TestAccReservation_blockAgain(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a"))
	b.Apply().Success(t)
	for _, again := range []struct {
		line string
		args []string
	}{{args: []string{"-replace=" + addr}}, {line: `instance_type = "p5.48xlarge"`}} {
		before := state(t, b, nil)["native_id"]
		b.Do(b.World.SetClock(instant(t, b, "ends_at").Add(minute)))
		use(b, prepaid("a", again.line))
		since := b.Mark()
		b.Apply(again.args...).Success(t)
		wrote(t, b, since, purchase, tag)
		b.Do(b.World.Advance(minute))
		b.Refresh().Success(t)
		if got := state(t, b, map[string]any{"status": "held"}); got["native_id"] == before {
			t.Error("nothing was bought")
		}
		b.PlanEmpty().NoDiagnostics(t)
	}
	held(t, b, 1)
}

// The bounds of a search are no length: what is left to finish buys no more where
// the configuration names none.
func TestAccReservation_blockBoundsAreNoLength(t *testing.T) {
	t.Parallel()
	b := dated(t)
	window := func(more string) string {
		return fmt.Sprintf("window = { start_at = %q, end_at = %q%s }", today().Add(day).Format(time.RFC3339),
			today().Add(8*day).Format(time.RFC3339), more)
	}
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "aws", Operation: "CreateTags", Status: 403, Code: "UnauthorizedOperation", Message: "no"}))
	b.Config(b.Provider() + prepaid("a", window(`, duration = "1d"`)))
	b.Apply().Success(t)
	state(t, b, map[string]any{"status": "degraded"})
	b.Do(b.World.ClearFaults())
	b.Config(b.Provider() + prepaid("a", window("")))
	b.Apply().Success(t)
	state(t, b, map[string]any{"status": "pending"})
	if n := len(b.Calls(0, prolong)); n != 0 {
		t.Errorf("%d extensions were bought", n)
	}
}
