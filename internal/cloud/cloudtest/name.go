package cloudtest

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func nameChecks() []check {
	return []check{
		{name: "shown", run: func(b *bench) {
			b.nativeNames()
			r := b.create("shown")
			b.same("name in the answer of Create", r.NativeName, "shown")
			b.same("name", b.get(r.Ref).NativeName, "shown")
			b.same("listed name", b.exactlyOne("shown").NativeName, "shown")
		}},
		{name: "taken", run: func(b *bench) {
			b.nativeNames()
			r := b.held("taken")
			before := b.get(r.Ref)
			b.taken(b.another("taken", b.wish()))
			b.same("the reservation after its name was wished for", b.get(r.Ref), before)
		}},
		{name: "free-again", run: func(b *bench) {
			b.nativeNames()
			r := b.held("free")
			if !r.CommittedUntil.IsZero() && !b.now().Before(r.FreeUntil) {
				b.Skipf("not applicable: kind %s is never free while it is committed", b.kind)
			}
			b.release(r.Ref)
			b.given(b.another("free", b.wish()), r.Ref)
		}},
		{name: "ended", of: traits{ends}, run: endedName},
		{name: "refused", of: traits{slow}, run: refusedName},
		{name: "fixed", run: func(b *bench) {
			b.nativeNames()
			r := b.held("fixed")
			before := b.get(r.Ref)
			_, err := b.updater().Update(b.ctx, r.Ref, cloud.Change{Mark: ptr(b.mark("other"))})
			b.wantCode("Update with another name", err, cloud.Unsupported)
			b.same("the reservation after another name", b.get(r.Ref), before)
		}},
	}
}

func (b *bench) nativeNames() {
	b.Helper()
	if !b.Cloud.Capabilities().NativeName {
		b.Skipf("not applicable: names are not the native objects' own")
	}
}

// another is a create of the same name by another owner.
func (b *bench) another(name string, s cloud.Spec) cloud.CreateRequest {
	b.Helper()
	req := b.request(name, s)
	req.Mark.Owner = "cloudtest/another"
	token, err := cloud.Token(req.Mark, s, 0)
	if err != nil {
		b.Fatalf("token: %v", err)
	}
	req.Token = token
	return req
}

// taken demands that a name is refused because another one has it.
func (b *bench) taken(req cloud.CreateRequest) {
	b.Helper()
	e := b.refusal(req, cloud.Conflict)
	if e.TokenMismatch {
		b.Errorf("%v takes another's object for one of the same token", e)
	}
}

// given demands that a name is free, and that with it comes the same id.
func (b *bench) given(req cloud.CreateRequest, ref cloud.Ref) {
	b.Helper()
	r, err := b.try(req)
	if err != nil {
		b.Fatalf("Create with a name that is free again: %v", err)
	}
	b.same("id and mark", []any{r.Ref, r.Mark}, []any{ref, req.Mark})
	if !r.State.Live() {
		b.Errorf("a name that is free again gave what is %s (%s)", r.State, r.NativeState)
	}
}

// endedName: what ended keeps its name as long as it is shown, and a release
// removes it.
func endedName(b *bench) {
	b.nativeNames()
	b.needs(b.Advance != nil, "Advance")
	start := b.now()
	r := b.ended("ended")
	s := b.movedOn(b.wish(), start)
	b.keepsName(r.Ref, b.another("ended", s))
}

// refusedName: so it is with what was refused later.
func refusedName(b *bench) {
	b.nativeNames()
	b.needs(b.SetCapacity != nil && b.Advance != nil, "SetCapacity or Advance")
	start := b.now()
	s := b.wish()
	b.SetCapacity(s, 0)
	r, err := b.try(b.request("refused", s))
	if err != nil {
		// What is refused at once leaves nothing that could keep the name.
		b.wantCode("Create", err, cloud.NoCapacity)
		return
	}
	if r = b.decided(r); r.State != cloud.Refused {
		b.Fatalf("without capacity the decision was %s (%s), want %s", r.State, r.NativeState, cloud.Refused)
	}
	b.SetCapacity(s, s.Count)
	b.keepsName(r.Ref, b.another("refused", b.movedOn(s, start)))
}

// keepsName demands that another one gets the name of what is no longer live
// once that is not shown any more, at the latest by a release.
func (b *bench) keepsName(ref cloud.Ref, req cloud.CreateRequest) {
	b.Helper()
	r, err := b.Cloud.Get(b.ctx, ref)
	if cloud.CodeOf(err) != cloud.NotFound {
		if err != nil || r.State.Live() {
			b.Fatalf("Get(%s) = %s (%s), %v; want what is no longer live", ref.NativeID, r.State, r.NativeState, err)
		}
		b.taken(req)
		b.same("what is shown after its name was wished for", b.get(ref), r)
		b.release(ref)
		b.gone(ref)
	}
	b.given(req, ref)
}

// gone demands that nothing is left of a reservation.
func (b *bench) gone(ref cloud.Ref) {
	b.Helper()
	r, err := b.Cloud.Get(b.ctx, ref)
	if cloud.CodeOf(err) != cloud.NotFound {
		b.Errorf("Get(%s) after its release = %s (%s), %v; want it not found", ref.NativeID, r.State, r.NativeState, err)
	}
	b.release(ref)
}
