package capacity_test

import (
	"context"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// full leaves no room in the zone.
func (w *world) full(free int) { w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, free) }

// stuck is a reservation of two that a refused growth left unusable.
func (w *world) stuck() capacity.Holder {
	w.Helper()
	h := holder(w.create(w.wish("a", count(2))))
	w.full(0)
	w.mem.CutShort("Update", lost("Update"))
	_, err := w.process().Update(w.Context(), h, w.wish("a", count(4)), nil)
	failure(w.T, err, "may have been done all the same")
	return h
}

// TestUnsettled: what a refused growth left is said and is degraded, and the next
// apply writes the count, be it the one that it has.
func TestUnsettled(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ count, free, holds int }{
		"the count it has":   {2, 0, 2},
		"a smaller one":      {1, 0, 1},
		"what there is room": {4, 2, 4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			h := w.stuck()
			reading, err := w.process().Read(t.Context(), h)
			want(t, "error", err, nil)
			want(t, "finding", reading.Finding, capacity.Present)
			want(t, "status", reading.Status, capacity.Degraded)
			want(t, "count", reading.Reservation.Count, 2)
			noticed(t, reading.Notices, "cannot be used", "holds 2 × p1.whole", "next apply")

			h.Status = reading.Status
			w.full(test.free)
			writes := w.calls("Update")
			result := w.update(h, w.wish("a", count(test.count)))
			want(t, "writes", w.calls("Update")-writes, 1)
			want(t, "status", result.Status, capacity.Held)
			want(t, "unsettled", w.one("a").Unsettled, false)
			want(t, "count", w.one("a").Count, test.holds)
			reading, err = w.process().Read(t.Context(), holder(result))
			want(t, "error", err, nil)
			want(t, "status", reading.Status, capacity.Held)
			want(t, "notices", len(reading.Notices), 0)
		})
	}
}

// TestUnsettledRefused: a growth that is refused again is an error, and leaves what
// there was.
func TestUnsettledRefused(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	h := w.stuck()
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(4)), nil)
	want(t, "attribute", failure(t, err, "It still holds 2", "Asked for were 4", "OutOfCapacity").Attribute, cloud.AttrCount)
	want(t, "count", w.one("a").Count, 2)
}

// TestUnsettledLost: a count that shows on an object which is still unsettled was
// not written.
func TestUnsettledLost(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	h := w.stuck()
	w.fail("Update", lost("Update"), nil)
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(2)), map[string]string{"team": "ml"})
	failure(t, err, "may have been done all the same")
	w.fail("Update", nil, lost("Update"))
	result := w.update(h, w.wish("a", count(2)))
	want(t, "unsettled", result.Reservation.Unsettled, false)
}

// TestUnsettledInUse: to write the count that it has is not to shrink it, even where
// more is in use than it holds.
func TestUnsettledInUse(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	h := w.stuck()
	w.mem.SetUsers(h.Ref.NativeID, "i-1", "i-2")
	w.update(h, w.wish("a", count(2)))
	want(t, "unsettled", w.one("a").Unsettled, false)
	w.mem.SetUsers(h.Ref.NativeID, "i-1", "i-2", "i-3")
	w.cloud = tolerant{w.mem}
	w.full(4)
	w.mem.SetUnsettled(h.Ref.NativeID)
	w.update(h, w.wish("a", count(2)))
	want(t, "unsettled", w.one("a").Unsettled, false)
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(1)), nil)
	failure(t, err, "Reservation is in use", "i-3")
}

// tolerant is mem that takes any count, whatever is in use.
type tolerant struct{ *mem.Cloud }

func (c tolerant) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	users, err := c.Users(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	c.SetUsers(ref.NativeID)
	defer c.SetUsers(ref.NativeID, users...)
	return c.Cloud.Update(ctx, ref, change)
}

// TestUnsettledAdopted: an adoption writes the count too, and what cannot be
// written leaves it degraded.
func TestUnsettledAdopted(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.stuck()
	result := w.create(w.wish("a", count(4)))
	want(t, "status", result.Status, capacity.Degraded)
	noticed(t, result.Notices, "not complete", "It still holds 2")
	w.mem.SetUnsettled(result.Reservation.Ref.NativeID)
	result = w.create(w.wish("a", count(2)))
	want(t, "status", result.Status, capacity.Held)
	want(t, "unsettled", w.one("a").Unsettled, false)
}

// TestUnsettledCreated: so does a create that met its own object.
func TestUnsettledCreated(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]*cloud.Error{"": nil, "Denied": {Code: cloud.PermissionDenied, Op: "Update", Native: "Denied"}} {
		w := grouped(t)
		w.mem.SetFault(func(call cloud.Call) (error, error) {
			if call.Method != "Create" {
				return nil, nil
			}
			w.mem.SetFault(nil)
			return nil, lost("Create")
		})
		w.cloud = unsettling{w.mem, refusal}
		result := w.create(w.wish("a", count(2)))
		status := capacity.Held
		if refusal != nil {
			status = capacity.Degraded
			noticed(t, result.Notices, "not complete", name)
		}
		want(t, "status", result.Status, status)
		want(t, "unsettled", w.one("a").Unsettled, refusal != nil)
	}
}

// unsettling is mem whose creates are unsettled at once, and whose counts are
// written or refused.
type unsettling struct {
	*mem.Cloud
	refusal *cloud.Error
}

func (c unsettling) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	r, err := c.Cloud.Create(ctx, req)
	c.SetUnsettled(mem.DefaultAccountID + "/" + req.Mark.Name + "/" + req.Mark.Name)
	return r, err
}

func (c unsettling) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	if change.Count != nil && c.refusal != nil {
		return cloud.Reservation{}, c.refusal
	}
	return c.Cloud.Update(ctx, ref, change)
}
