package capacity_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// rounds is how many random histories are lived through.
const rounds = 200

// TestRandomHistories: whatever fails whenever, there are never two live objects
// of a mark, none is released but by its delete, a final clean run has exactly
// the wished one, and after a delete there is none.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			h := &history{
				world: newWorld(t, mem.Options{Lag: time.Duration(seed%3) * 7 * time.Second}),
				rand:  rand.New(rand.NewPCG(seed, 1)),
			}
			h.live()
		})
	}
}

// TestRandomGroupedHistories: so it is where a release and a growth can end
// half-way, and nothing is left in the end.
func TestRandomGroupedHistories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			h := &history{
				world: newWorld(t, mem.Options{Lag: time.Duration(seed%3) * 7 * time.Second, Grouped: true}),
				rand:  rand.New(rand.NewPCG(seed, 2)), grouped: true,
			}
			h.live()
		})
	}
}

// history is one resource as a state remembers it, through random operations.
type history struct {
	*world
	rand  *rand.Rand
	block bool
	// grouped tells of a cloud whose releases and growths can end half-way.
	grouped bool
	state   *capacity.Holder
	// ctx is that of the run under way; its faults cancel it.
	ctx context.Context
	// deleting tells that a delete may be under way.
	deleting bool
}

func (h *history) live() {
	h.Helper()
	h.block = !h.grouped && h.rand.IntN(4) == 0
	if h.block {
		h.world.block("a") // the offer
	}
	for range 4 + h.rand.IntN(8) {
		h.step()
		h.invariant()
	}
	h.finish()
}

// asked is a wish of the kind of this history.
func (h *history) asked() capacity.Wish {
	h.Helper()
	wish := h.wish("a", waits(10*time.Second, 5*time.Minute))
	if h.block {
		wish.Spec.Kind, wish.Spec.Zone, wish.Spec.OfferID = cloud.Block, "", "offer"
	} else {
		wish.Spec.Count = 1 + h.rand.IntN(3)
		if !h.grouped && h.rand.IntN(3) == 0 {
			wish.Spec.Duration = 100 * time.Hour
		}
	}
	wish.Spec.Tags = map[string]string{"round": fmt.Sprint(h.rand.IntN(3))}
	return wish
}

// step is one run of Terraform: what its state asks for, with something failing.
func (h *history) step() {
	h.Helper()
	var cancel context.CancelFunc
	h.ctx, cancel = context.WithCancel(h.Context())
	defer cancel()
	held := len(h.world.live("a"))
	h.cut()
	h.mem.SetFault(h.faults(cancel))
	defer h.mem.SetFault(nil)
	releases := h.calls("Release")
	h.jump.Advance(time.Duration(h.rand.IntN(90)) * time.Second)
	m, wish := h.process(), h.asked()
	switch n := h.rand.IntN(10); {
	case h.state == nil:
		h.keep(m.Create(h.ctx, wish))
	case n < 2 && !h.block:
		h.delete(m)
		return
	case n == 2:
		h.replace(m, wish)
	case n == 3:
		h.state = nil // killed before the state was written, or lost since
	default:
		h.read(m)
		if h.state != nil && h.state.Status == capacity.Refused {
			h.delete(m) // its replacement is for the next step
		} else if h.state != nil {
			result, err := m.Update(h.ctx, *h.state, wish, map[string]string{"round": ""})
			if err == nil {
				h.keep(result, nil)
			}
		}
	}
	if h.grouped { // a create removes what a release left
		want(h.T, "live objects without a delete fewer", max(held-len(h.world.live("a")), 0), 0)
		return
	}
	want(h.T, "releases without a delete", h.calls("Release")-releases, 0)
}

// cut has what takes two steps end after the first, now and then, where there is
// such a thing, and makes room scarce.
func (h *history) cut() {
	if !h.grouped {
		return
	}
	for _, method := range []string{"Release", "Update"} {
		errs := []error{nil, nil, lost(method), &cloud.Error{Code: cloud.Conflict, Op: method, Native: "HalfDone"}}
		h.mem.CutShort(method, errs[h.rand.IntN(len(errs))])
	}
	h.full(h.rand.IntN(4))
}

// keep is the state after a create.
func (h *history) keep(result capacity.Result, err error) {
	h.Helper()
	var f *capacity.Failure
	if err != nil && !errors.As(err, &f) {
		h.Errorf("error is %v (%T), want a Failure", err, err)
	}
	if err == nil {
		state := holder(result)
		h.state, h.deleting = &state, false
	}
}

func (h *history) read(m *capacity.Manager) {
	h.Helper()
	reading, err := m.Read(h.ctx, *h.state)
	if err == nil && (reading.Finding == capacity.Left || reading.Finding == capacity.Present) {
		h.state.Status = reading.Status
	}
	if err == nil && reading.Finding == capacity.Vanished {
		if len(h.world.live("a")) > 0 && !h.deleting {
			h.Errorf("a live object was read as gone: %+v", reading)
		}
		h.state = nil
	}
}

func (h *history) delete(m *capacity.Manager) {
	h.Helper()
	h.deleting = true
	if _, err := m.Delete(h.ctx, *h.state, release()); err == nil {
		h.state = nil
		if n := len(h.world.live("a")); n > 0 {
			// Only what was fenced off may be forgotten; this state never is.
			h.Errorf("%d live objects after a delete that succeeded", n)
		}
	}
}

// replace is create_before_destroy with the same name.
func (h *history) replace(m *capacity.Manager, wish capacity.Wish) {
	h.Helper()
	old := *h.state
	result, err := m.Create(h.ctx, wish)
	if err != nil {
		// The old state stays; it may be fenced off by now, which its next run
		// heals by adopting again.
		h.state = nil
		return
	}
	h.keep(result, nil)
	if old.Ref != result.Reservation.Ref {
		return // the old one was gone already
	}
	faults := h.faults(func() {})
	before := len(h.world.live("a"))
	h.mem.SetFault(faults)
	if result.Status != capacity.Degraded && h.rand.IntN(2) == 0 {
		m = h.process() // cut short in between, and run again
	}
	if _, err := m.Delete(h.ctx, old, release()); err != nil {
		h.Logf("delete of the old instance: %v", err)
	}
	want(h.T, "live objects after the old instance's delete", len(h.world.live("a")), before)
}

// faults is something that fails now and then, in every way that a call can.
func (h *history) faults(cancel func()) mem.Fault {
	odds := []int{0, 3, 6, 12}[h.rand.IntN(4)]
	return func(call cloud.Call) (before, after error) {
		if odds == 0 || h.rand.IntN(odds) > 0 {
			return nil, nil
		}
		switch h.rand.IntN(7) {
		case 0:
			return lost(call.Method), nil
		case 1, 2:
			return nil, lost(call.Method)
		case 3:
			return &cloud.Error{Code: cloud.Throttled, Op: call.Method, Message: "slow down"}, nil
		case 4:
			if call.Method == "Create" || call.Method == "Update" {
				return &cloud.Error{Code: cloud.NoCapacity, Op: call.Method, Native: "Full", Message: "none left"}, nil
			}
			return nil, nil
		case 5:
			cancel()
			return context.Canceled, nil
		}
		cancel()
		return nil, context.Canceled
	}
}

// invariant holds at every moment.
func (h *history) invariant() {
	h.Helper()
	if n := len(h.world.live("a")); n > 1 {
		h.Fatalf("%d live objects of one mark", n)
	}
}

// finish runs once more with nothing failing, then deletes.
func (h *history) finish() {
	h.Helper()
	h.ctx = h.Context()
	h.mem.SetFault(nil)
	h.settleAll()
	wish := h.asked()
	h.jump.Advance(2 * time.Minute)
	if h.state != nil {
		h.read(h.process())
	}
	if h.state != nil && h.state.Status == capacity.Refused {
		h.delete(h.process())
	}
	if h.state == nil {
		h.keep(h.process().Create(h.Context(), wish))
	} else {
		h.keep(h.process().Update(h.Context(), *h.state, wish, map[string]string{"round": ""}))
	}
	r := h.one("a")
	want(h.T, "object of the state", r.Ref, h.state.Ref)
	want(h.T, "claim", r.Mark, h.state.Mark)
	want(h.T, "status", h.state.Status, capacity.Held)
	want(h.T, "tag", r.Tags["round"], wish.Spec.Tags["round"])
	want(h.T, "count", r.Count, wish.Spec.Count)
	if h.block {
		want(h.T, "bought", len(h.all()), 1)
		return
	}
	want(h.T, "unsettled", r.Unsettled, false)
	h.delete(h.process())
	want(h.T, "live objects in the end", len(h.world.live("a")), 0)
	if h.grouped {
		want(h.T, "left in the end", len(h.all()), 0)
	}
}

// settleAll ends every shortage and what cut cuts.
func (h *history) settleAll() {
	if !h.grouped {
		return
	}
	h.mem.CutShort("Release", nil)
	h.mem.CutShort("Update", nil)
	h.full(100)
}
