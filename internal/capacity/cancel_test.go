package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// committed is a future-dated reservation inside its commitment of fourteen days.
func committed(t *testing.T) (*world, capacity.Holder) {
	t.Helper()
	w := newWorld(t, mem.Options{})
	wish := w.wish("a", func(wish *capacity.Wish) {
		wish.Spec.Kind, wish.Spec.StartAt, wish.Spec.Count = cloud.Scheduled, start.Add(10*day), 2
	})
	h := holder(w.create(wish))
	w.jump.Advance(11 * day)
	return w, h
}

// giveUp is the release that an on_destroy asks for; an hour of one instance costs
// 10.
func giveUp(onDestroy string, ceiling int64) capacity.Release {
	return capacity.Release{OnDestroy: onDestroy, MaxCharge: usd(ceiling), PerInstanceHour: usd(10), Timeout: 20 * time.Minute}
}

func TestC10_committed(t *testing.T) {
	t.Parallel()
	w, h := committed(t)
	quote, err := w.mem.Quote(t.Context(), h.Ref)
	want(t, "error of the quote", err, nil)
	charge := 10 * quote.InstanceHours // one instance costs 10
	refusals := map[string]capacity.Release{
		"cannot be given back free": giveUp(capacity.OnDestroyRelease, 0),
		"Destroy is prevented":      giveUp(capacity.OnDestroyPrevent, 0),
		"max_cancellation_usd":      giveUp(capacity.OnDestroyCharge, charge-1),
	}
	for text, how := range refusals {
		failure(t, w.mayRelease(h, how), text)
		_, err := w.process().Delete(t.Context(), h, how)
		failure(t, err, text)
	}
	want(t, "cancellations", w.calls("Cancel")+w.calls("Release"), 0)
	w.one("a")
	notices, err := w.process().MayRelease(t.Context(), h, giveUp(capacity.OnDestroyCharge, charge))
	want(t, "error of the plan", err, nil)
	noticed(t, notices, "will be cancelled", usd(charge).String())
	notices, err = w.process().Delete(t.Context(), h, giveUp(capacity.OnDestroyCharge, charge))
	want(t, "error", err, nil)
	noticed(t, notices, "was given up", usd(charge).String(), "billed until")
	want(t, "live", len(w.live("a")), 0)
}

// TestC10_chargeOfMore: what others made of it since counts, at the price of one.
func TestC10_chargeOfMore(t *testing.T) {
	t.Parallel()
	w, h := committed(t)
	w.mem.SetCount(h.Ref.NativeID, 16)
	quote, err := w.mem.Quote(t.Context(), h.Ref)
	want(t, "error of the quote", err, nil)
	_, err = w.process().Delete(t.Context(), h, giveUp(capacity.OnDestroyCharge, 10*quote.InstanceHours-1))
	failure(t, err, "max_cancellation_usd")
	w.one("a")
}

// TestC10_chargeAnswerLost: a paid cancellation whose answer is lost is looked at.
func TestC10_chargeAnswerLost(t *testing.T) {
	t.Parallel()
	w, h := committed(t)
	w.fail("Cancel", nil, lost("Cancel"))
	notices, err := w.process().Delete(t.Context(), h, giveUp(capacity.OnDestroyCharge, 1_000_000))
	want(t, "error", err, nil)
	noticed(t, notices, "paid for until")
	want(t, "cancellations", w.calls("Cancel"), 1)
}

// TestC10_chargeInUse: who pays for the release is not let down by what runs.
func TestC10_chargeInUse(t *testing.T) {
	t.Parallel()
	w, h := committed(t)
	w.mem.SetUsers(h.Ref.NativeID, "i-1")
	how := giveUp(capacity.OnDestroyCharge, 1_000_000)
	how.Timeout = time.Minute
	_, err := w.process().Delete(t.Context(), h, how)
	failure(t, err, "i-1")
	w.one("a")
}

// TestC10_freeOfItself: neither long before the start nor after the commitment is
// there a charge, and no quote is asked for.
func TestC10_freeOfItself(t *testing.T) {
	t.Parallel()
	w, h := committed(t)
	w.jump.Advance(20 * day)
	for _, onDestroy := range []string{capacity.OnDestroyRelease, capacity.OnDestroyCharge} {
		notices, err := w.process().MayRelease(t.Context(), h, giveUp(onDestroy, 0))
		want(t, "refusal", err, nil)
		want(t, "notices", len(notices), 0)
	}
	_, err := w.process().Delete(t.Context(), h, giveUp(capacity.OnDestroyRelease, 0))
	want(t, "error", err, nil)
	want(t, "quotes", w.calls("Quote"), 0)
	want(t, "live", len(w.live("a")), 0)
}

// mayRelease is the refusal alone.
func (w *world) mayRelease(h capacity.Holder, how capacity.Release) error {
	_, err := w.process().MayRelease(w.Context(), h, how)
	return err
}

// TestMayRelease_reads: the object is read only where the answer depends on it, and
// what another claim holds is not this one's to keep.
func TestMayRelease_reads(t *testing.T) {
	t.Parallel()
	w, h := committed(t)
	refused := h
	refused.Status = capacity.Refused
	free := holder(w.create(w.wish("b")))
	reads := w.calls("Get")
	want(t, "refusal of an abandoned one", w.mayRelease(h, giveUp(capacity.OnDestroyAbandon, 0)), nil)
	want(t, "refusal of a refused one", w.mayRelease(refused, giveUp(capacity.OnDestroyRelease, 0)), nil)
	want(t, "refusal of a free one", w.mayRelease(free, giveUp(capacity.OnDestroyRelease, 0)), nil)
	want(t, "reads", w.calls("Get"), reads)
	foreign := h
	foreign.Mark.Claim = "another"
	for _, onDestroy := range []string{capacity.OnDestroyRelease, capacity.OnDestroyPrevent} {
		want(t, "refusal of one that is only forgotten", w.mayRelease(foreign, giveUp(onDestroy, 0)), nil)
	}
	w.refuseAll("Quote", &cloud.Error{Code: cloud.Throttled, Op: "Quote", Native: "Slow"})
	_, err := w.process().MayRelease(t.Context(), h, giveUp(capacity.OnDestroyCharge, 10))
	failure(t, err, "Cannot tell what giving up costs", "Slow")
}
