package cloudtest

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func cancelChecks() []check {
	return []check{
		{name: "not-this-kind", run: notCancellable},
		{name: "quoted", of: traits{paid}, run: func(b *bench) {
			canceller, r := b.cancellable("quoted")
			q := b.quote(canceller, r.Ref)
			if q.ID == "" || q.InstanceHours <= 0 || !q.ExpiresAt.After(b.now()) {
				b.Errorf("the quote for what is committed until %s is %+v", r.CommittedUntil, q)
			}
			b.same("the reservation after a quote", b.get(r.Ref), r)
		}},
		{name: "free", of: traits{paid}, run: freeQuote},
		{name: "at-quote", of: traits{paid}, run: cancelledAtQuote},
		{name: "stale-quote", of: traits{paid}, run: func(b *bench) {
			b.needs(b.Advance != nil, "Advance")
			canceller, r := b.cancellable("stale")
			q := b.quote(canceller, r.Ref)
			b.Advance(q.ExpiresAt.Sub(b.now()) + time.Minute)
			b.wantCode("Cancel at a quote that expired", canceller.Cancel(b.ctx, r.Ref, q), cloud.Conflict)
			if got := b.get(r.Ref); !got.State.Live() {
				b.Errorf("a refused cancellation left state %s", got.State)
			}
		}},
		{name: "in-use", of: traits{paid}, run: cancelledInUse},
		{name: "unknown", of: traits{paid}, run: func(b *bench) {
			b.needs(b.Forget != nil, "Forget")
			canceller, r := b.cancellable("forgotten")
			q := b.quote(canceller, r.Ref)
			b.Forget(r.Ref)
			_, err := canceller.Quote(b.ctx, r.Ref)
			b.wantCode("Quote of a forgotten reservation", err, cloud.NotFound)
			if err := canceller.Cancel(b.ctx, r.Ref, q); err != nil {
				b.Errorf("Cancel of a forgotten reservation: %v", err)
			}
		}},
		{name: "lost", of: traits{paid}, run: func(b *bench) {
			b.needs(b.Lose != nil, "Lose")
			canceller, r := b.cancellable("lost")
			q := b.quote(canceller, r.Ref)
			b.Lose("Cancel", AfterCommit)
			b.unknown("Cancel", canceller.Cancel(b.ctx, r.Ref, q))
			if err := canceller.Cancel(b.ctx, r.Ref, q); err != nil {
				b.Errorf("Cancel again after a lost answer: %v", err)
			}
			b.notHeld(r.Ref)
		}},
	}
}

// canceller is the cloud as one; the harness says of which kinds.
func (b *bench) canceller() (canceller cloud.Canceller, ofKind bool) {
	b.Helper()
	canceller = optional[cloud.Canceller](b, "Canceller")
	b.needs(len(b.Cancellable) > 0, "Cancellable")
	return canceller, slices.Contains(b.Cancellable, b.kind)
}

// cancellable is a committed reservation that can be given up against a charge.
func (b *bench) cancellable(name string) (cloud.Canceller, cloud.Reservation) {
	b.Helper()
	canceller, ofKind := b.canceller()
	if !ofKind {
		b.Skipf("not applicable: kind %s is never given up against a charge", b.kind)
	}
	return canceller, b.committed(name)
}

func (b *bench) quote(canceller cloud.Canceller, ref cloud.Ref) cloud.Quote {
	b.Helper()
	q, err := canceller.Quote(b.ctx, ref)
	if err != nil {
		b.Fatalf("Quote(%s): %v", ref.NativeID, err)
	}
	return q
}

// notCancellable: a kind that is never given up against a charge says so.
func notCancellable(b *bench) {
	canceller, ofKind := b.canceller()
	if ofKind {
		b.Skipf("not applicable: kind %s has quotes", b.kind)
	}
	r := b.held("kept")
	_, err := canceller.Quote(b.ctx, r.Ref)
	b.wantCode("Quote", err, cloud.Unsupported)
	b.wantCode("Cancel", canceller.Cancel(b.ctx, r.Ref, cloud.Quote{ID: "no-such-quote"}), cloud.Unsupported)
	if got := b.get(r.Ref); !got.State.Live() {
		b.Errorf("a refused cancellation left state %s", got.State)
	}
}

// freeQuote: what is still free costs nothing.
func freeQuote(b *bench) {
	canceller, ofKind := b.canceller()
	r := b.held("free")
	if !ofKind || !b.now().Before(r.FreeUntil) {
		b.Skipf("not applicable: no quote, or never free")
	}
	q, err := canceller.Quote(b.ctx, r.Ref)
	if err != nil {
		b.wantCode("Quote of what is still free", err, cloud.Conflict)
	}
	if q.InstanceHours != 0 {
		b.Errorf("giving up before %s would cost %d instance hours", r.FreeUntil, q.InstanceHours)
	}
}

// cancelledAtQuote: it is gone, billed as quoted, and stays so.
func cancelledAtQuote(b *bench) {
	canceller, r := b.cancellable("cancelled")
	q := b.quote(canceller, r.Ref)
	for range 2 {
		if err := canceller.Cancel(b.ctx, r.Ref, q); err != nil {
			b.Fatalf("Cancel: %v", err)
		}
	}
	b.release(r.Ref)
	got, err := b.Cloud.Get(b.ctx, r.Ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return
	}
	if err != nil || got.State != cloud.Gone {
		b.Fatalf("after Cancel the reservation is %s (%s), %v; want %s", got.State, got.NativeState, err, cloud.Gone)
	}
	b.same("billed until", got.BilledUntil, q.BilledUntil)
	if found := b.marked("cancelled"); len(found) != 0 {
		b.Errorf("%d live reservations are listed after Cancel", len(found))
	}
	_, err = canceller.Quote(b.ctx, r.Ref)
	b.wantCode("Quote of what is gone", err, cloud.Conflict, cloud.NotFound)
}

func cancelledInUse(b *bench) {
	b.needs(b.SetUsers != nil && b.Advance != nil, "SetUsers or Advance")
	canceller, r := b.cancellable("used")
	b.Advance(r.StartsAt.Sub(b.now()) + time.Hour)
	b.SetUsers(r.Ref, 1)
	b.wantCode("Cancel in use", canceller.Cancel(b.ctx, r.Ref, b.quote(canceller, r.Ref)), cloud.InUse)
	if got := b.get(r.Ref); !got.State.Live() || got.InUse != 1 {
		b.Errorf("a refused cancellation left state %s with %d in use", got.State, got.InUse)
	}
	b.SetUsers(r.Ref, 0)
}
