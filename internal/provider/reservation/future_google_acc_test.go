package reservation_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The writes of future reservations.
const (
	fInsert = "compute.futureReservations.insert"
	fUpdate = "compute.futureReservations.update"
	fCancel = "compute.futureReservations.cancel"
	fDelete = "compute.futureReservations.delete"
)

// inMarch is a bench whose cloud is at 2031-03-01.
func inMarch(t *testing.T) *acctest.Bench {
	t.Helper()
	b := onGoogle(t)
	b.Do(b.World.SetClock(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)))
	return b
}

// inMay is a future reservation of two instances, of a kind and with a window.
func inMay(kind, window string, lines ...string) string {
	return gblock(append([]string{
		fmt.Sprintf("kind = %q", kind), `instance_type = "a3-highgpu-8g"`, "instance_count = 2", "window = { " + window + " }",
	}, lines...)...)
}

const oneDay = `start_at = "2031-05-10T07:00:00Z", end_at = "2031-05-11T07:00:00Z"`

// accepted applies and lets the cloud decide.
func accepted(t *testing.T, b *acctest.Bench) {
	t.Helper()
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	b.Apply("-refresh-only").Success(t)
}

// C08: the same instant in another form is no change; a second is one in place.
func TestAccReservation_C08_googleSameInstant(t *testing.T) {
	t.Parallel()
	b := inMarch(t)
	const start, end = "2031-05-10T09:00:00+02:00", "2031-05-11T09:00:00.5+02:00"
	window := func(start, end string) string { return fmt.Sprintf("start_at = %q, end_at = %q", start, end) }
	use(b, inMay("scheduled", window(start, end)))
	plan := planned(t, b, tfjson.ActionCreate)
	unknown(t, plan, "id", "native_id", "status")
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"starts_at": "2031-05-10T07:00:00Z", "ends_at": "2031-05-11T07:00:00.5Z", "usable_until": "2031-05-11T07:00:00.5Z", "gpu_count": "16",
	})
	since := b.Mark()
	accepted(t, b)
	gwrote(t, b, since, fInsert)
	state(t, b, map[string]any{
		"window.start_at": start, "window.end_at": end, "status": "held",
		"native_id": "projects/" + acctest.GoogleProject() + "/zones/us-central1-a/futureReservations/res-a",
	})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, inMay("scheduled", window("2031-05-10T07:00:00Z", "2031-05-11T07:00:00.500Z")))
	b.PlanEmpty().NoDiagnostics(t)
	for _, next := range []string{
		window("2031-05-10T07:00:00Z", "2031-05-11T07:00:01.500Z"), window("2031-05-10T07:00:01Z", "2031-05-11T07:00:01.500Z"),
	} {
		use(b, inMay("scheduled", next))
		planned(t, b, tfjson.ActionUpdate)
		since = b.Mark()
		accepted(t, b)
		gwrote(t, b, since, fUpdate)
		b.PlanEmpty().NoDiagnostics(t)
	}
	use(b, inMay("scheduled", window(start, "2031-05-11T09:00:00Z")))
	planned(t, b, tfjson.ActionUpdate)
	use(b, inMay("scheduled", window(start, "2031-05-11T06:59:59Z")))
	b.Plan().Failure(t, "window.end_at", "24 hours and more")
	use(b, inMay("scheduled", window(start, "2031-05-10T06:59:59Z")))
	b.Plan().Failure(t, "window.end_at", "is not after the start")
}

// Before it is locked a future reservation changes in place and goes free.
func TestAccReservation_googleFuture(t *testing.T) {
	t.Parallel()
	for kind, model := range map[string]any{"scheduled": nil, "block": "RESERVATION_BOUND"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := inMarch(t)
			b.Do(b.World.SetClock(time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC)))
			use(b, inMay(kind, `start_at = "2031-05-10T07:00:00Z", duration = "7d"`))
			accepted(t, b)
			state(t, b, map[string]any{
				"status": "held", "kind": kind, "ends_at": "2031-05-17T07:00:00Z", "binding.google.provisioning_model": model,
				"binding.google.reservation_affinity.values": []any{"res-a"}, "window.duration": "7d", "currency": nil,
			})
			b.PlanEmpty().NoDiagnostics(t)
			use(b, inMay(kind, `start_at = "2031-05-10T07:00:00Z", duration = "8d"`, "instance_count = 3", `share_with = ["proj-one"]`))
			planned(t, b, tfjson.ActionUpdate)
			accepted(t, b)
			state(t, b, map[string]any{"status": "held", "instance_count": 3, "ends_at": "2031-05-18T07:00:00Z"})
			b.PlanEmpty().NoDiagnostics(t)
			since := b.Mark()
			b.Destroy().Success(t)
			gwrote(t, b, since, fCancel, fDelete)
			none(t, b)
			held(t, b, 0)
		})
	}
}

// C10: from its lock to its end a future reservation is bound, and what ended goes
// together with what was delivered.
func TestAccReservation_C10_googleLocked(t *testing.T) {
	t.Parallel()
	b := inMarch(t)
	use(b, inMay("scheduled", oneDay))
	accepted(t, b)
	b.Do(b.World.SetClock(time.Date(2031, 5, 10, 0, 0, 0, 0, time.UTC)))
	since := b.Mark()
	b.Plan("-destroy").Failure(t, "Cannot be released free", "until 2031-05-11T07:00:00Z", "removed {", "futureReservations/res-a")
	b.Destroy().Failure(t, "Cannot be released free")
	use(b)
	b.Plan().Failure(t, "Cannot be released free")
	gwrote(t, b, since)
	b.Do(b.World.SetClock(time.Date(2031, 5, 10, 12, 0, 0, 0, time.UTC)))
	use(b, inMay("scheduled", oneDay))
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.SetClock(time.Date(2031, 5, 11, 7, 0, 1, 0, time.UTC)))
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	none(t, b)
	if left := append(b.Objects("READY"), b.Objects("FULFILLED")...); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

// C10: what is abandoned stays as it is.
func TestAccReservation_C10_googleAbandoned(t *testing.T) {
	t.Parallel()
	b := inMarch(t)
	use(b, inMay("scheduled", oneDay))
	accepted(t, b)
	b.Do(b.World.SetClock(time.Date(2031, 5, 10, 0, 0, 0, 0, time.UTC)))
	use(b, inMay("scheduled", oneDay, `on_destroy = "abandon"`))
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	b.Destroy().Success(t).Warned(t, "futureReservations/res-a")
	gwrote(t, b, since)
	none(t, b)
}

// What is locked is not changed: the plan says so, and where it locked meanwhile, the
// apply of a plan.
func TestAccReservation_googleLockedChange(t *testing.T) {
	t.Parallel()
	b := inMarch(t)
	use(b, inMay("scheduled", oneDay))
	accepted(t, b)
	use(b, inMay("scheduled", oneDay, "instance_count = 3"))
	planned(t, b, tfjson.ActionUpdate)
	b.Do(b.World.SetClock(time.Date(2031, 5, 9, 12, 0, 0, 0, time.UTC)))
	since := b.Mark()
	b.Apply(filepath.Join(b.Dir(), "..", "plan.out")).Failure(t, "Reservation is locked", "since 2031-05-09T07:00:00Z")
	const why = "(projects/%s/zones/us-central1-a/futureReservations/res-a) is locked since 2031-05-09T07:00:00Z, and nothing of it can be changed until 2031-05-11T07:00:00Z"
	locked := fmt.Sprintf(why, acctest.GoogleProject())
	for _, line := range []string{"instance_count = 3", `share_with = ["proj-one"]`} {
		use(b, inMay("scheduled", oneDay, line))
		b.Plan().FailureAt(t, line, "Reservation is locked", locked)
	}
	for window, at := range map[string]string{
		`start_at = "2031-05-10T06:00:00Z", end_at = "2031-05-11T07:00:00Z"`: "window.start_at",
		`start_at = "2031-05-10T07:00:00Z", duration = "25h"`:                "window.duration",
	} {
		use(b, inMay("scheduled", window))
		b.Plan().Failure(t, "Reservation is locked", at+" cannot change", locked)
	}
	use(b, inMay("scheduled", `start_at = "2031-05-10T07:00:00Z", duration = "24h"`)) // which changes nothing there
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since)
	state(t, b, map[string]any{"instance_count": 2, "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}

// One that is declined is planned anew, and its leftover does not stand in the way.
func TestAccReservation_googleDeclined(t *testing.T) {
	t.Parallel()
	b := inMarch(t)
	use(b, inMay("scheduled", oneDay))
	b.Apply().Success(t)
	declined := "DECLINED"
	for _, o := range b.Objects() {
		b.Do(b.World.Patch(sim.ObjectPatch{NativeID: o.NativeID, Status: &declined}))
	}
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate)
	accepted(t, b)
	state(t, b, map[string]any{"status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}
