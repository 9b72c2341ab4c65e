package cloudtest

import (
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func unsettledChecks() []check {
	// What is decided on later may leave nothing at once that could be unusable.
	counted := traits{prompt, changes(cloud.AttrCount)}
	return []check{
		{name: "told", of: counted, run: func(b *bench) {
			r, before := b.unsettled("told")
			b.same("a settled one is unsettled", before.Unsettled, false)
			b.same("state, count and unsettled", []any{r.State, r.Count, r.Unsettled}, []any{before.State, before.Count, true})
			b.same("the listed reservation", b.exactlyOne("told"), r)
		}},
		{name: "written", of: counted, run: func(b *bench) {
			r, before := b.unsettled("written")
			b.same("the answer of Update with the count it has", b.update(r.Ref, cloud.Change{Count: &r.Count}), before)
			b.same("Get after Update", b.get(r.Ref), before)
		}},
		{name: "grown", of: counted, run: func(b *bench) {
			r, want := b.unsettled("grown")
			want.Count = 3
			b.same("the answer of Update with another count", b.update(r.Ref, cloud.Change{Count: &want.Count}), want)
			b.same("Get after Update", b.get(r.Ref), want)
		}},
		{name: "refused-again", of: counted, run: func(b *bench) {
			b.needs(b.SetCapacity != nil, "SetCapacity")
			r, want := b.unsettled("refused")
			b.SetCapacity(b.wish(), 0)
			_, err := b.updater().Update(b.ctx, r.Ref, cloud.Change{Count: ptr(5)})
			b.wantCode("growth", err, cloud.NoCapacity)
			b.same("count after a refused growth", b.get(r.Ref).Count, want.Count)
			b.same("the answer of Update with the count it has", b.update(r.Ref, cloud.Change{Count: &want.Count}), want)
		}},
		{name: "released", of: traits{prompt, changes(cloud.AttrCount), free}, run: func(b *bench) {
			r, _ := b.unsettled("released")
			b.release(r.Ref)
			b.notHeld(r.Ref)
		}},
	}
}

// unsettled makes a reservation that a refused growth left unusable; before is what
// it was.
func (b *bench) unsettled(name string) (r, before cloud.Reservation) {
	b.Helper()
	if b.Cloud.Capabilities().ListedBy != cloud.ByGroup && b.Unsettle == nil {
		b.Skipf("not applicable: no refused growth is set back in a second step")
	}
	b.needs(b.Unsettle != nil, "Unsettle")
	before = b.get(b.changeable(name).Ref)
	b.Unsettle(before.Ref)
	return b.get(before.Ref), before
}

func remainsChecks() []check {
	given := traits{free}
	return []check{
		{name: "told", of: given, run: func(b *bench) {
			ref := b.leftBehind("told")
			r := b.get(ref)
			b.same("state and remains", []any{r.State, r.Remains}, []any{cloud.Gone, true})
			b.same("who it belonged to", r.Mark.Identifies(b.mark("told")), true)
			b.same("its name", r.NativeName, "told")
			if r.NativeState == "" {
				b.Errorf("nothing says what is left")
			}
			b.same("what is listed of it", b.listedAt(ref), []cloud.Reservation{r})
		}},
		{name: "released", of: given, run: func(b *bench) {
			ref := b.leftBehind("released")
			b.release(ref)
			b.gone(ref)
			b.same("what is listed of it", len(b.listedAt(ref)), 0)
			b.given(b.another("released", b.wish()), ref)
		}},
		{name: "taken", of: given, run: func(b *bench) {
			ref := b.leftBehind("taken")
			before := b.get(ref)
			b.taken(b.another("taken", b.wish()))
			b.same("what is left after its name was wished for", b.get(ref), before)
		}},
		{name: "not-changed", of: given, run: func(b *bench) {
			updater := optional[cloud.Updater](b, "Updater")
			ref := b.leftBehind("changed")
			before := b.get(ref)
			change, _ := b.amendment()
			_, err := updater.Update(b.ctx, ref, change)
			b.wantCode("Update of what is left", err, cloud.NotFound, cloud.Conflict)
			b.same("what is left after Update", b.get(ref), before)
		}},
	}
}

// leftBehind makes a reservation whose release began and did not end.
func (b *bench) leftBehind(name string) cloud.Ref {
	b.Helper()
	if b.Cloud.Capabilities().ListedBy != cloud.ByGroup && b.LeaveBehind == nil {
		b.Skipf("not applicable: a release is one step")
	}
	b.needs(b.LeaveBehind != nil, "LeaveBehind")
	r := b.held(name)
	b.same("remains of what is held", r.Remains, false)
	b.LeaveBehind(r.Ref)
	return r.Ref
}

// listedAt is what the list of the account has of an id, which is what the list of
// its group has.
func (b *bench) listedAt(ref cloud.Ref) []cloud.Reservation {
	b.Helper()
	others := func(r cloud.Reservation) bool { return r.Ref != ref }
	whole := slices.DeleteFunc(b.list(), others)
	if g, ok := cloud.As[cloud.Grouper](b.Cloud); ok && b.Cloud.Capabilities().ListedBy == cloud.ByGroup {
		b.same("what is listed of its group", slices.DeleteFunc(b.listGroup(g.GroupOf(ref), 0), others), whole)
	}
	return whole
}
