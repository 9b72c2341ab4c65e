package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// TestUpdateAfterTheEnd: new tags of an ended reservation are a warning and no
// call, shown or not; a change of the promise is an error.
func TestUpdateAfterTheEnd(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]bool{"still shown": false, "no longer shown": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			ends := func(w *capacity.Wish) { w.Spec.EndAt = start.Add(time.Hour) }
			h := holder(w.create(w.wish("a", ends)))
			w.jump.Advance(2 * time.Hour)
			if forget {
				w.mem.Forget(h.Ref.NativeID)
			}
			writes := w.calls("Update")
			retag := func(w *capacity.Wish) { w.Spec.Tags = map[string]string{"team": "x"} }
			result := w.update(h, w.wish("a", ends, retag))
			noticed(t, result.Notices, "has ended", "not written")
			want(t, "status", result.Status, capacity.Held)
			want(t, "claim", result.Mark.Claim, h.Mark.Claim)
			_, err := w.process().Update(t.Context(), h, w.wish("a", ends, count(5)), nil)
			if !forget { // what is not shown has no count to compare with
				failure(t, err, "has ended")
			}
			want(t, "writes", w.calls("Update")-writes, 0)
		})
	}
}
