package azure_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
)

// TestFractions: the fraction of a second of a start is sent, at a create and when it
// moves, and what comes back is what was wished (C08).
func TestFractions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve(azuresim.Options{})
	c := w.driver(nil)
	spec := wishesAt(start)[cloud.Scheduled]
	for _, by := range []time.Duration{500 * time.Millisecond, 100 * time.Nanosecond} {
		spec.StartAt = spec.StartAt.Add(by)
		checked, wrong := c.Check(spec)
		if len(wrong) > 0 || !checked.StartAt.Equal(spec.StartAt) {
			t.Fatalf("Check: %s, %v", checked.StartAt, wrong)
		}
		spec = checked
		req := cloud.CreateRequest{Spec: spec, Mark: trainMark(), Token: "token"}
		req.Mark.Name = "by-" + map[bool]string{true: "halves", false: "ticks"}[by > time.Millisecond]
		r, err := c.Create(t.Context(), req)
		if err != nil || !r.StartsAt.Equal(spec.StartAt) {
			t.Fatalf("Create at %s: %s, %v", spec.StartAt, r.StartsAt, err)
		}
		if again, err := c.Create(t.Context(), req); err != nil || again.Ref != r.Ref {
			t.Errorf("the same create again: %+v, %v", again.Ref, err)
		}
		moved := spec.StartAt.Add(24*time.Hour + by)
		if r, err = c.Update(t.Context(), r.Ref, cloud.Change{StartAt: &moved}); err != nil || !r.StartsAt.Equal(moved) {
			t.Errorf("Update to %s: %s, %v", moved, r.StartsAt, err)
		}
		finer := moved.Add(time.Nanosecond)
		if _, err = c.Update(t.Context(), r.Ref, cloud.Change{StartAt: &finer}); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("Update to %s: %v", finer, err)
		}
	}
}

// TestBlockNotice: the lead that the capabilities tell is the one that the cloud
// asks for.
func TestBlockNotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.serve(azuresim.Options{})
	c := w.driver(nil)
	lead := c.Capabilities().Kinds[cloud.Block].MinLead
	for name, tc := range map[string]struct {
		before time.Duration
		code   cloud.Code
	}{
		"in-time": {time.Minute, ""}, "late": {-time.Minute, cloud.Invalid},
	} {
		spec := wishesAt(w.jump.Now())[cloud.Block]
		w.jump.Advance(spec.StartAt.Add(-lead - tc.before).Sub(w.jump.Now()))
		spec, wrong := c.Check(spec)
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		req := cloud.CreateRequest{Spec: spec, Mark: trainMark(), Token: "token"}
		req.Mark.Name = name
		if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}
