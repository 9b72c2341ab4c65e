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
