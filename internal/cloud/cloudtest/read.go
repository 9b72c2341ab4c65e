package cloudtest

import (
	"fmt"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func getChecks() []check {
	return []check{
		{name: "right-after-create", run: func(b *bench) {
			for i := range 3 {
				r := b.create(fmt.Sprintf("fresh-%d", i))
				got, err := b.Cloud.Get(b.ctx, r.Ref)
				if err != nil {
					b.Fatalf("Get right after Create: %v", err)
				}
				b.same("id", got.Ref, r.Ref)
			}
		}},
		{name: "unknown", run: func(b *bench) {
			b.needs(b.Forget != nil, "Forget")
			r := b.create("forgotten")
			b.Forget(r.Ref)
			_, err := b.Cloud.Get(b.ctx, r.Ref)
			b.wantCode("Get of a forgotten reservation", err, cloud.NotFound)
		}},
		{name: "not-from-memory", of: traits{untagged}, run: func(b *bench) {
			b.needs(b.SetUsers != nil, "SetUsers")
			r := b.running("changed")
			for _, n := range []int{1, 0} {
				b.SetUsers(r.Ref, n)
				b.same("in use", b.get(r.Ref).InUse, n)
			}
		}},
		{name: "not-from-memory", of: traits{tagged}, run: func(b *bench) {
			b.needs(b.SetTag != nil, "SetTag")
			r := b.create("changed")
			b.get(r.Ref)
			b.SetTag(r.Ref, "changed", "behind our back")
			b.same("tags", b.get(r.Ref).Tags, map[string]string{"changed": "behind our back"})
		}},
		{name: "ended", of: traits{free}, run: func(b *bench) {
			r := b.held("ended")
			b.release(r.Ref)
			b.notHeld(r.Ref)
		}},
		{name: "missing", of: traits{slow}, run: func(b *bench) {
			b.needs(b.SetMissing != nil, "SetMissing")
			r := b.held("missing", func(s *cloud.Spec) { s.Count = 2 })
			b.same("missing of what is promised whole", r.Missing, 0)
			b.SetMissing(r.Ref, 1)
			got := b.get(r.Ref)
			b.same("state, count and missing", []any{got.State, got.Count, got.Missing}, []any{cloud.Held, 2, 1})
			b.same("the listed reservation", b.exactlyOne("missing"), got)
		}},
	}
}

// notHeld demands that a reservation is no longer live, or not found.
func (b *bench) notHeld(ref cloud.Ref) {
	b.Helper()
	r, err := b.Cloud.Get(b.ctx, ref)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
	case err != nil:
		b.Errorf("Get(%s): %v", ref.NativeID, err)
	case r.State.Live():
		b.Errorf("%s is still %s", ref.NativeID, r.State)
	}
}

func listChecks() []check {
	return []check{
		{name: "complete", run: func(b *bench) { listedComplete(b, 6) }},
		{name: "complete-over-pages", run: func(b *bench) {
			b.needs(b.PageSize != nil, "PageSize")
			b.PageSize(2)
			listedComplete(b, 5)
		}},
		{name: "as-get", run: func(b *bench) {
			b.held("one")
			r := b.held("two")
			i := slices.IndexFunc(b.list(), func(l cloud.Reservation) bool { return l.Ref == r.Ref })
			if i < 0 {
				b.Fatalf("%s is not in the list", r.Ref.NativeID)
			}
			b.same("the listed reservation", b.list()[i], b.get(r.Ref))
		}},
		{name: "of-kind", run: listedByKind},
		{name: "with-ended", of: traits{free}, run: listedEnded},
		{name: "only-its-scope", once: true, run: listedScope},
	}
}

// listedComplete: every reservation is in the list once, with its mark.
func listedComplete(b *bench, n int) {
	want := map[cloud.Ref]cloud.Mark{}
	for i := range n {
		name := fmt.Sprintf("listed-%d", i)
		want[b.create(name).Ref] = b.mark(name)
	}
	got := map[cloud.Ref]cloud.Mark{}
	for _, r := range b.list() {
		if _, twice := got[r.Ref]; twice {
			b.Errorf("%s is listed twice", r.Ref.NativeID)
		}
		got[r.Ref] = r.Mark
	}
	b.same("marks by id", got, want)
}

// listedEnded: List shows an ended reservation as long as Get does.
func listedEnded(b *bench) {
	gone, live := b.held("gone"), b.held("live")
	b.release(gone.Ref)
	shown, err := b.Cloud.Get(b.ctx, gone.Ref)
	listed := map[cloud.Ref]cloud.State{}
	for _, r := range b.list() {
		listed[r.Ref] = r.State
	}
	want := map[cloud.Ref]cloud.State{live.Ref: cloud.Held}
	if cloud.CodeOf(err) != cloud.NotFound {
		want[gone.Ref] = shown.State
	}
	b.same("states by id", listed, want)
}

// listedByKind: a list of a kind has all that is of it or may become it, and
// nothing that the whole list has not.
func listedByKind(b *bench) {
	want := []cloud.Reservation{b.held("one"), b.held("two")}
	if b.can.Base != "" {
		want[0] = b.update(want[0].Ref, cloud.Change{Term: b.purchase("one")})
	}
	whole := b.list()
	scope := b.scope()
	scope.Kind = b.kind
	some, err := b.Cloud.List(b.ctx, scope)
	if err != nil {
		b.Fatalf("List of kind %s: %v", b.kind, err)
	}
	for _, all := range [][]cloud.Reservation{some, whole} {
		for _, r := range want {
			if i := slices.IndexFunc(all, func(l cloud.Reservation) bool { return l.Ref == r.Ref }); i < 0 {
				b.Errorf("%s is not among the %d listed of %s", r.Ref.NativeID, len(all), b.kind)
			} else {
				b.same("the listed reservation", all[i], b.get(r.Ref))
			}
		}
	}
	if len(some) > len(whole) {
		b.Errorf("%d reservations are of kind %s, %d of any", len(some), b.kind, len(whole))
	}
}

func listedScope(b *bench) {
	b.needs(b.Elsewhere.Kind != "", "Elsewhere")
	b.create("here")
	there, found := b.Cloud.Check(b.Elsewhere)
	if len(found) > 0 {
		b.Fatalf("Check finds fault with the harness's wish elsewhere: %v", found)
	}
	r, err := b.try(b.request("there", there))
	if err != nil {
		b.Fatalf("Create elsewhere: %v", err)
	}
	if slices.ContainsFunc(b.list(), func(l cloud.Reservation) bool { return l.Ref == r.Ref }) {
		b.Errorf("%s of %s is listed in %+v", r.Ref.NativeID, r.Region, b.scope())
	}
	other, err := b.Cloud.List(b.ctx, b.scopeOf(there))
	if err != nil || len(other) != 1 || other[0].Ref != r.Ref {
		b.Errorf("List elsewhere = %+v, %v; want %s", other, err, r.Ref.NativeID)
	}
}
