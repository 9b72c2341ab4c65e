package cloudtest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// committed makes a reservation that cannot be given up free, which is the point
// of every kind that is not released free: with its term, and past the date
// until which it is free all the same.
func (b *bench) committed(name string) cloud.Reservation {
	b.Helper()
	r := b.held(name)
	if b.can.Base != "" {
		r = b.update(r.Ref, cloud.Change{Term: b.purchase(name)})
	}
	for b.Advance != nil && r.CommittedUntil.IsZero() && b.now().Before(r.StartsAt) {
		// Some kinds are held at first and bound only later.
		b.Advance(24 * time.Hour)
		r = b.get(r.Ref)
	}
	if r.CommittedUntil.IsZero() {
		b.Fatalf("%s is held and not released free, but not committed either", r.Ref.NativeID)
	}
	if now := b.now(); now.Before(r.FreeUntil) {
		b.needs(b.Advance != nil, "Advance")
		b.Advance(r.FreeUntil.Sub(now) + time.Hour)
		r = b.get(r.Ref)
	}
	return r
}

// purchase is the wish's term, to be bought once.
func (b *bench) purchase(name string) *cloud.TermPurchase {
	b.Helper()
	req := b.request(name+" term", b.wish())
	if req.Spec.Term == nil {
		b.Fatalf("the harness's wish of kind %s has no term", b.kind)
	}
	return &cloud.TermPurchase{Term: *req.Spec.Term, Token: req.Token}
}

func commitmentChecks() []check {
	return []check{
		{name: "none", of: traits{free}, run: func(b *bench) {
			r := b.held("free")
			if !r.CommittedUntil.IsZero() || !r.FreeUntil.IsZero() {
				b.Errorf("released free at any time, but committed until %s and free until %s", r.CommittedUntil, r.FreeUntil)
			}
		}},
		{name: "told", of: traits{paid}, run: commitmentTold},
		{name: "free-until", of: traits{paid}, run: func(b *bench) {
			r := b.held("still-free")
			if !r.CommittedUntil.IsZero() && !b.now().Before(r.FreeUntil) {
				b.Skipf("not applicable: kind %s is never free while it is committed", b.kind)
			}
			b.release(r.Ref)
			b.notHeld(r.Ref)
		}},
		{name: "over", of: traits{paid}, run: commitmentOver},
	}
}

// commitmentTold: until when it is bound stands on what is bound.
func commitmentTold(b *bench) {
	r := b.committed("committed")
	if !r.CommittedUntil.After(b.now()) || b.now().Before(r.FreeUntil) {
		b.Errorf("committed until %s and free until %s, at %s", r.CommittedUntil, r.FreeUntil, b.now())
	}
	if !r.EndsAt.IsZero() && r.CommittedUntil.After(r.EndsAt) {
		b.Errorf("committed until %s, ends %s", r.CommittedUntil, r.EndsAt)
	}
}

// commitmentOver: after it, giving up is free.
func commitmentOver(b *bench) {
	b.needs(b.Advance != nil, "Advance")
	r := b.committed("over")
	b.Advance(r.CommittedUntil.Sub(b.now()) + time.Hour)
	if got, err := b.Cloud.Get(b.ctx, r.Ref); err == nil && !got.CommittedUntil.IsZero() {
		b.Errorf("after %s it is committed until %s", r.CommittedUntil, got.CommittedUntil)
	}
	b.release(r.Ref)
	b.notHeld(r.Ref)
}
