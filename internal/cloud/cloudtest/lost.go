package cloudtest

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func lostChecks() []check {
	return []check{
		{name: "create-after-commit", run: func(b *bench) { lostCreate(b, AfterCommit) }},
		{name: "create-before-commit", run: func(b *bench) { lostCreate(b, BeforeCommit) }},
		{name: "create-with-token", of: traits{takesToken}, run: func(b *bench) { lostThenRepeated(b, AfterCommit) }},
		{name: "create-with-token-before-commit", of: traits{takesToken}, run: func(b *bench) { lostThenRepeated(b, BeforeCommit) }},
		{name: "release", of: traits{free}, run: lostRelease},
		{name: "update", of: traits{amended}, run: lostUpdate},
	}
}

// repeats tells whether the cloud under test heals a lost answer by itself.
func (b *bench) repeats(method string) bool {
	return b.Repeats && method != "Extend" && (method != "Create" || b.can.Idempotent)
}

// unknown demands the error of a call whose answer was lost.
func (b *bench) unknown(method string, err error) {
	b.Helper()
	switch {
	case b.repeats(method):
		if err != nil {
			b.Errorf("%s with a lost answer: %v, although the cloud repeats lost calls", method, err)
		}
	case err == nil:
		b.Errorf("%s with a lost answer is a success", method)
	case cloud.CodeOf(err) != cloud.Internal:
		b.Errorf("%s with a lost answer is of class %q (%v), want %q", method, cloud.CodeOf(err), err, cloud.Internal)
	case !cloud.MaybeAccepted(err):
		b.Errorf("%s with a lost answer: %v claims that nothing can have happened", method, err)
	}
}

// lostCreate: the caller cannot know whether it happened, is told so, and finds
// by the mark what did.
func lostCreate(b *bench, when Moment) {
	b.needs(b.Lose != nil, "Lose")
	req := b.request("lost", b.wish())
	b.Lose("Create", when)
	_, err := b.try(req)
	b.unknown("Create", err)
	want := 0
	if when == AfterCommit || b.repeats("Create") {
		want = 1
	}
	if found := b.marked("lost"); len(found) != want {
		b.Errorf("%d live reservations carry the mark after the answer was lost %s commit, want %d",
			len(found), when, want)
	}
}

// lostThenRepeated: a second try with the same token never makes a second one.
func lostThenRepeated(b *bench, when Moment) {
	req := b.idempotent("again")
	b.needs(b.Lose != nil, "Lose")
	b.Lose("Create", when)
	_, err := b.try(req)
	b.unknown("Create", err)
	r, err := b.try(req)
	if err != nil {
		b.Fatalf("Create with the same token after a lost answer: %v", err)
	}
	b.same("the only reservation", b.exactlyOne("again").Ref, r.Ref)
}

func lostRelease(b *bench) {
	b.needs(b.Lose != nil, "Lose")
	r := b.held("release")
	b.Lose("Release", AfterCommit)
	b.unknown("Release", b.Cloud.Release(b.ctx, r.Ref))
	b.release(r.Ref)
	b.notHeld(r.Ref)
}

func lostUpdate(b *bench) {
	b.needs(b.Lose != nil, "Lose")
	updater := optional[cloud.Updater](b, "Updater")
	r := b.amendable("update")
	change, expect := b.amendment()
	want := b.get(r.Ref)
	expect(&want)
	b.Lose("Update", AfterCommit)
	_, err := updater.Update(b.ctx, r.Ref, change)
	b.unknown("Update", err)
	b.same("the answer of the second try", b.update(r.Ref, change), want)
}
