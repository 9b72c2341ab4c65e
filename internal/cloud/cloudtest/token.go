package cloudtest

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func tokenChecks() []check {
	return []check{
		{name: "replay", of: traits{takesToken}, run: func(b *bench) {
			req := b.idempotent("replay")
			first, err := b.try(req)
			if err != nil {
				b.Fatalf("Create: %v", err)
			}
			again, err := b.try(req)
			if err != nil {
				b.Fatalf("Create with the same token: %v", err)
			}
			b.same("id for the same token", again.Ref, first.Ref)
			b.exactlyOne("replay")
		}},
		{name: "replay-in-present-state", of: traits{takesToken, changes(cloud.AttrCount)}, run: replayInPresentState},
		{name: "replay-of-ended", of: traits{takesToken, free}, run: replayOfEnded},
		{name: "claim-is-no-input", of: traits{takesToken}, run: func(b *bench) {
			req := b.idempotent("claim")
			req.Mark.Claim = "one"
			first, err := b.try(req)
			if err != nil {
				b.Fatalf("Create: %v", err)
			}
			req.Mark.Claim = "two"
			again, err := b.try(req)
			if err != nil {
				b.Fatalf("Create with the same token and another claim: %v", err)
			}
			b.same("id for the same token", again.Ref, first.Ref)
		}},
		{name: "mismatch", of: traits{takesToken}, run: tokenMismatch},
		{name: "next-generation", of: traits{takesToken, free}, run: nextGeneration},
	}
}

// idempotent is a create with its token.
func (b *bench) idempotent(name string) cloud.CreateRequest {
	b.Helper()
	return b.request(name, b.wish())
}

// replayInPresentState: a replay shows what the object is now, not what it was.
func replayInPresentState(b *bench) {
	req := b.idempotent("present")
	r := b.changeable("present")
	b.update(r.Ref, cloud.Change{Count: ptr(2)})
	again, err := b.try(req)
	if err != nil {
		b.Fatalf("Create with the same token: %v", err)
	}
	b.same("id and count of the replay", []any{again.Ref, again.Count}, []any{r.Ref, 2})
}

// replayOfEnded: the object of an earlier life is shown as ended, never made
// anew under the same token, unless nothing but its name told of it.
func replayOfEnded(b *bench) {
	req := b.idempotent("ended")
	first, err := b.try(req)
	if err != nil {
		b.Fatalf("Create: %v", err)
	}
	b.release(first.Ref)
	_, err = b.Cloud.Get(b.ctx, first.Ref)
	forgotten := b.Cloud.Capabilities().NativeName && cloud.CodeOf(err) == cloud.NotFound
	again, err := b.try(req)
	if err != nil {
		b.Fatalf("Create with the token of an ended reservation: %v", err)
	}
	if forgotten && again.State.Live() {
		b.same("the only one of the name", []cloud.Ref{again.Ref, b.exactlyOne("ended").Ref}, []cloud.Ref{first.Ref, first.Ref})
		return
	}
	if again.Ref != first.Ref || again.State.Live() {
		b.Errorf("the token of an ended reservation gave %s in state %s, want %s, ended",
			again.Ref.NativeID, again.State, first.Ref.NativeID)
	}
	if found := b.marked("ended"); len(found) != 0 {
		b.Errorf("%d live reservations after the replay, want none", len(found))
	}
}

func tokenMismatch(b *bench) {
	req := b.idempotent("mismatch")
	if _, err := b.try(req); err != nil {
		b.Fatalf("Create: %v", err)
	}
	before := b.exactlyOne("mismatch")
	req.Spec = b.different(req.Spec)
	_, err := b.try(req)
	e := b.classed("the token with another count or match", err, cloud.Conflict)
	if !e.TokenMismatch || e.Accepted {
		b.Errorf("TokenMismatch = %v, Accepted = %v; want true, false", e.TokenMismatch, e.Accepted)
	}
	after := b.exactlyOne("mismatch")
	b.same("count and match after the mismatch", []any{after.Count, after.Match}, []any{before.Count, before.Match})
}

// different is another wish that is as good: one more instance, or open where
// there is only one.
func (b *bench) different(s cloud.Spec) cloud.Spec {
	b.Helper()
	other := s
	other.Count++
	if _, found := b.Cloud.Check(other); len(found) > 0 {
		other = s
		other.Match = cloud.Open
	}
	return other
}

// nextGeneration: another token with the same inputs is another reservation, by
// the same id where that is made from the name.
func nextGeneration(b *bench) {
	req := b.idempotent("generation")
	first, err := b.try(req)
	if err != nil {
		b.Fatalf("Create: %v", err)
	}
	b.release(first.Ref)
	next, err := cloud.Token(req.Mark, req.Spec, 1)
	if err != nil {
		b.Fatalf("token: %v", err)
	}
	req.Token = next
	second, err := b.try(req)
	if err != nil {
		b.Fatalf("Create of the next generation: %v", err)
	}
	again := second.Ref == first.Ref && !b.Cloud.Capabilities().NativeName
	if again || !second.State.Live() {
		b.Errorf("the next generation is %s in state %s", second.Ref.NativeID, second.State)
	}
}
