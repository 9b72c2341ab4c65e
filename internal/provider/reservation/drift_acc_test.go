package reservation_test

import (
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// alterEnd moves an end behind the provider's back.
func alterEnd(b *acctest.Bench, end time.Time) {
	b.Alter(b.Held()[0].Ref, cloud.Change{EndAt: &end})
}

func TestAccReservation_disappears(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	gone := live(t, b).NativeID
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: gone, Gone: true}))
	plan := planned(t, b, tfjson.ActionCreate)
	plan.Warned(t, "Reservation is gone", "res-a", gone)
	since := b.Mark()
	b.Apply().Success(t)
	wrote(t, b, since, create, tag)
	if now := live(t, b).NativeID; now == gone {
		t.Error("the new object has the old one's id")
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// What someone changed elsewhere is shown and put back.
func TestAccReservation_drift(t *testing.T) {
	t.Parallel()
	one, end := 1, time.Date(2041, 5, 10, 9, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		lines  []string
		change func(*acctest.Bench)
		shown  map[string]any
		writes []string
	}{
		"count": {nil, func(b *acctest.Bench) {
			b.Alter(b.Held()[0].Ref, cloud.Change{Count: &one})
		}, map[string]any{"instance_count": 1, "gpu_count": "1", "estimated_usd_per_hour": 0.526}, []string{modify}},
		"end added": {nil, func(b *acctest.Bench) { alterEnd(b, end) }, map[string]any{
			"window.end_at": "2041-05-10T09:00:00Z", "ends_at": "2041-05-10T09:00:00Z",
		}, []string{modify}},
		"end moved": {
			[]string{`window = { end_at = "2040-01-01T00:00:00Z" }`},
			func(b *acctest.Bench) { alterEnd(b, end) },
			map[string]any{"window.end_at": "2041-05-10T09:00:00Z", "ends_at": "2041-05-10T09:00:00Z"},
			[]string{modify},
		},
		"end removed": {
			[]string{`window = { end_at = "2040-01-01T00:00:00Z" }`},
			func(b *acctest.Bench) { alterEnd(b, time.Time{}) },
			map[string]any{"window": nil, "ends_at": nil},
			[]string{modify},
		},
		"end by length moved": {
			[]string{`window = { duration = "10d" }`},
			func(b *acctest.Bench) { alterEnd(b, end) },
			map[string]any{"ends_at": "2041-05-10T09:00:00Z"},
			[]string{modify},
		},
		"match": {nil, func(b *acctest.Bench) {
			open := cloud.Open
			b.Alter(b.Held()[0].Ref, cloud.Change{Match: &open})
		}, map[string]any{"match_criteria": "open", "binding.aws.capacity_reservation_preference": "open"}, []string{modify}},
		"tag value": {
			[]string{`tags = { team = "ml" }`},
			func(b *acctest.Bench) { patchTags(b, map[string]string{"team": "other"}) },
			map[string]any{"tags.team": "other", "tags_all.team": "other"},
			[]string{tag},
		},
		"tag removed": {
			[]string{`tags = { team = "ml" }`},
			func(b *acctest.Bench) { patchTags(b, nil, "team") },
			map[string]any{"tags": map[string]any{}, "tags_all": map[string]any{}},
			[]string{tag},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := simulated(t)
			use(b, block("a", append(tc.lines, "instance_count = 2")...))
			b.Apply().Success(t).NoDiagnostics(t)
			before := live(t, b)
			tc.change(b)
			plan := planned(t, b, tfjson.ActionUpdate)
			if len(plan.Drift()) != 1 {
				t.Errorf("%d drifted, want 1", len(plan.Drift()))
			}
			values(t, "before", plan.Change(addr).Before, tc.shown)
			since := b.Mark()
			b.Apply().Success(t).NoDiagnostics(t)
			wrote(t, b, since, tc.writes...)
			after := live(t, b)
			if d := after.EndsAt.Sub(before.EndsAt.Time); after.Count != 2 || d.Abs() > time.Minute {
				t.Errorf("object after the apply: %+v, before: %+v", after, before)
			}
			tags(t, after, userTags(before))
			b.PlanEmpty().NoDiagnostics(t)
		})
	}
}

// patchTags sets and removes tags behind the provider's back.
func patchTags(b *acctest.Bench, set map[string]string, remove ...string) {
	patch := map[string]*string{}
	for key, value := range set {
		patch[key] = &value
	}
	for _, key := range remove {
		patch[key] = nil
	}
	for _, o := range b.Objects("active") {
		b.Do(b.World.Patch(sim.ObjectPatch{NativeID: o.NativeID, Tags: patch}))
	}
}

// Tags that others wrote, AWS among them, are neither shown nor removed.
func TestAccReservation_foreignTags(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `tags = { team = "ml" }`))
	b.Apply().Success(t)
	patchTags(b, map[string]string{"aws:createdBy": "AWS", "CostCenter": "7", "Name": "given by hand"})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, block("a", `tags = { group = "x" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	tags(t, live(t, b), map[string]string{"group": "x", "aws:createdBy": "AWS", "CostCenter": "7", "Name": "given by hand"})
	state(t, b, map[string]any{"tags": map[string]any{"group": "x"}, "tags_all": map[string]any{"group": "x"}})
	b.PlanEmpty().NoDiagnostics(t)
}

// An expired reservation is kept as it was: that its end came is not drift.
func TestAccReservation_ended(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `window = { duration = "1d" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	b.Do(b.World.Advance(25 * hour))
	b.PlanEmpty().NoDiagnostics(t)
	for _, o := range b.Objects() {
		b.Do(b.World.Patch(sim.ObjectPatch{NativeID: o.NativeID, Gone: true}))
	}
	b.PlanEmpty().NoDiagnostics(t)
	since := b.Mark()
	b.Destroy().Success(t).NoDiagnostics(t)
	wrote(t, b, since)
	none(t, b)
}
