package cloudtest

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func releaseChecks() []check {
	return []check{
		{name: "no-longer-held", of: traits{free}, run: func(b *bench) {
			r := b.held("released")
			b.release(r.Ref)
			b.notHeld(r.Ref)
			if found := b.marked("released"); len(found) != 0 {
				b.Errorf("%d live reservations are listed after Release", len(found))
			}
		}},
		{name: "idempotent", of: traits{free}, run: func(b *bench) {
			r := b.held("twice")
			b.release(r.Ref)
			b.release(r.Ref)
		}},
		{name: "unknown", run: func(b *bench) {
			b.needs(b.Forget != nil, "Forget")
			r := b.create("forgotten")
			b.Forget(r.Ref)
			b.release(r.Ref)
		}},
		{name: "after-its-end", of: traits{ends}, run: func(b *bench) {
			b.needs(b.Advance != nil, "Advance")
			r := b.ended("past")
			b.release(r.Ref)
		}},
		{name: "capacity-returns", of: traits{free}, run: capacityReturns},
		{name: "not-free", of: traits{paid}, run: func(b *bench) {
			r := b.committed("paid")
			b.wantCode("Release", b.Cloud.Release(b.ctx, r.Ref), cloud.Unsupported)
			if got := b.get(r.Ref); !got.State.Live() {
				b.Errorf("a refused release left state %s", got.State)
			}
		}},
		{name: "in-use", of: traits{free}, run: func(b *bench) {
			b.needs(b.SetUsers != nil, "SetUsers")
			for _, match := range []cloud.MatchCriteria{cloud.Targeted, cloud.Open} {
				s := b.wish()
				s.Match = match
				if _, found := b.Cloud.Check(s); len(found) == 0 {
					releasedInUse(b, match)
				}
			}
		}},
		{name: "only-its-own", of: traits{free}, run: func(b *bench) {
			gone, kept := b.held("gone"), b.held("kept")
			b.release(gone.Ref)
			if got := b.get(kept.Ref); !got.State.Live() {
				b.Errorf("releasing %s left %s in state %s", gone.Ref.NativeID, kept.Ref.NativeID, got.State)
			}
		}},
	}
}

// capacityReturns: once Release returns, the capacity can be had again.
func capacityReturns(b *bench) {
	b.needs(b.SetCapacity != nil, "SetCapacity")
	s := b.wish()
	b.SetCapacity(s, s.Count)
	r := b.held("first")
	b.refused(b.request("second", s), cloud.NoCapacity)
	b.release(r.Ref)
	if _, err := b.try(b.request("second", s)); err != nil {
		b.Errorf("Create after the release: %v", err)
	}
}

// releasedInUse: the cloud does what its capabilities say.
func releasedInUse(b *bench, match cloud.MatchCriteria) {
	r := b.held("used-"+string(match), func(s *cloud.Spec) { s.Match = match })
	b.same("match criteria", r.Match, match)
	b.SetUsers(r.Ref, 1)
	err := b.Cloud.Release(b.ctx, r.Ref)
	if b.can.GoesInUse(match) {
		if err != nil {
			b.Errorf("Release in use, %s: %v", match, err)
		}
		b.notHeld(r.Ref)
		return
	}
	b.wantCode("Release in use, "+string(match), err, cloud.InUse)
	if got := b.get(r.Ref); got.State != cloud.Held || got.InUse != 1 {
		b.Errorf("a refused release left state %s with %d in use", got.State, got.InUse)
	}
	b.SetUsers(r.Ref, 0)
	b.release(r.Ref)
}
