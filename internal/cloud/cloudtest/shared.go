package cloudtest

import (
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func sharedChecks() []check {
	shares := traits{changes(cloud.AttrShare)}
	return []check{
		{name: "created", of: shares, run: func(b *bench) {
			names, ids := b.consumers()
			for name, with := range map[string][]string{"by-name": names[:2], "by-id": {ids[1], ids[0]}} {
				r := b.held(name, func(s *cloud.Spec) { s.ShareWith = with })
				b.same("shared with, "+name, r.ShareWith, sorted(ids[:2]))
				b.same("accounts of no known name", r.Unresolved, []string{})
				b.same("the listed reservation", b.exactlyOne(name), b.get(r.Ref))
			}
		}},
		{name: "alone", of: shares, run: func(b *bench) {
			b.consumers()
			r := b.held("alone")
			b.same("a reservation that is not shared is shared with", r.ShareWith, []string{})
			b.same("accounts of no known name", r.Unresolved, []string{})
		}},
		{name: "changed", of: shares, run: sharedChanged},
		{name: "at-all", of: shares, run: sharedAtAll},
		{name: "resized", of: traits{changes(cloud.AttrShare), changes(cloud.AttrCount)}, run: sharedResized},
		{name: "unknown", of: shares, run: sharedUnknown},
	}
}

// consumers are the accounts to share with, by the names that the harness gives
// and by those that AccountID makes of them.
func (b *bench) consumers() (names, ids []string) {
	b.Helper()
	b.needs(len(b.Consumers) >= 3, "three Consumers")
	for _, name := range b.Consumers {
		id, err := b.Cloud.AccountID(b.ctx, name)
		if err != nil {
			b.Fatalf("AccountID(%q): %v", name, err)
		}
		again, err := b.Cloud.AccountID(b.ctx, id)
		if err != nil || again != id {
			b.Fatalf("AccountID(%q) = %q, %v; want the same", id, again, err)
		}
		ids = append(ids, id)
	}
	return b.Consumers, ids
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }

// sharedChanged: a change names all accounts, in any order and by any name.
func sharedChanged(b *bench) {
	names, ids := b.consumers()
	r := b.held("changed", func(s *cloud.Spec) { s.ShareWith = names[:1] })
	for _, step := range []struct {
		what       string
		with, want []string
	}{
		{"one added by name", []string{names[0], names[1]}, ids[:2]},
		{"the same by id, in another order", []string{ids[1], ids[0]}, ids[:2]},
		{"one added by id, the others by name", []string{names[1], ids[2], names[0]}, ids[:3]},
		{"one removed", []string{names[2], names[1]}, ids[1:3]},
		{"all replaced", []string{ids[0]}, ids[:1]},
		{"replaced by name", []string{names[2]}, ids[2:3]},
	} {
		b.Logf("%s", step.what)
		b.changes(r, cloud.Change{ShareWith: &step.with}, func(r *cloud.Reservation) { r.ShareWith = sorted(step.want) })
	}
	b.same("the listed reservation", b.exactlyOne("changed"), b.get(r.Ref))
}

// sharedAtAll: sharing begins and ends, or is refused where that is fixed.
func sharedAtAll(b *bench) {
	names, ids := b.consumers()
	r := b.held("begun", func(s *cloud.Spec) { s.ShareWith = names[:1] })
	alone := b.held("ended")
	none, two := cloud.Change{ShareWith: &[]string{}}, cloud.Change{ShareWith: &[]string{names[0], names[1]}}
	if !b.can.SharedAtCreation {
		b.changes(r, none, func(r *cloud.Reservation) { r.ShareWith = nil })
		b.changes(alone, two, func(r *cloud.Reservation) { r.ShareWith = sorted(ids[:2]) })
		return
	}
	for ref, change := range map[cloud.Ref]cloud.Change{r.Ref: none, alone.Ref: two} {
		before := b.get(ref)
		_, err := b.updater().Update(b.ctx, ref, change)
		b.wantCode("Update to begin or end sharing", err, cloud.Unsupported)
		b.same("the reservation after the refusal", b.get(ref), before)
	}
}

// sharedResized: count and accounts change alone and together.
func sharedResized(b *bench) {
	names, ids := b.consumers()
	r := b.held("resized", func(s *cloud.Spec) { s.ShareWith = names[:2] })
	b.changes(r, cloud.Change{Count: ptr(2)}, func(r *cloud.Reservation) { r.Count = 2 })
	both := cloud.Change{Count: ptr(3), ShareWith: &[]string{names[2], ids[0]}}
	b.changes(r, both, func(r *cloud.Reservation) { r.Count, r.ShareWith = 3, sorted([]string{ids[0], ids[2]}) })
}

// sharedUnknown: what cannot be the name of an account is refused, never left out.
func sharedUnknown(b *bench) {
	names, ids := b.consumers()
	const nobody = "No such account!"
	s := b.wish()
	s.ShareWith = []string{names[0], nobody}
	_, err := b.try(b.request("nobody", s))
	if e := b.classed("Create shared with "+nobody, err, cloud.Invalid); e.Accepted {
		b.Errorf("%v says that it may have been accepted", e)
	}
	r := b.held("somebody", func(s *cloud.Spec) { s.ShareWith = names[:1] })
	_, err = b.updater().Update(b.ctx, r.Ref, cloud.Change{ShareWith: &[]string{names[1], nobody}})
	b.wantCode("Update to share with "+nobody, err, cloud.Invalid)
	b.same("shared with after a refused update", b.get(r.Ref).ShareWith, ids[:1])
}
