package capacity_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

const (
	research = "000000000002"
	serving  = "000000000003"
)

// native is a world whose objects are known by their names.
func native(t *testing.T) *world {
	t.Helper()
	return newWorld(t, mem.Options{Native: true, Accounts: map[string]string{"research": research, "serving": serving}})
}

// plain asks for one instance of a cloud without tags.
func (w *world) plain(edit ...func(*capacity.Wish)) capacity.Wish {
	w.Helper()
	return w.wish("a", append([]func(*capacity.Wish){func(wish *capacity.Wish) { wish.Spec.Tags = nil }}, edit...)...)
}

func ahead(lead time.Duration) func(*capacity.Wish) {
	return func(wish *capacity.Wish) {
		wish.Spec.Kind, wish.Spec.StartAt, wish.Spec.EndAt = cloud.Scheduled, start.Add(lead), start.Add(lead+14*day)
	}
}

func sharedWith(names ...string) func(*capacity.Wish) {
	return func(wish *capacity.Wish) { wish.Spec.ShareWith = names }
}

// TestShareIsCompared: names of the same accounts, in any order, are no change.
func TestShareIsCompared(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain(sharedWith("serving", "research")))
	want(t, "shared", slices.Equal(made.Reservation.ShareWith, []string{research, serving}), true)
	w.update(holder(made), w.plain(sharedWith(research, "serving", "research")))
	want(t, "updates for other names", w.calls("Update"), 0)
	less := w.update(holder(made), w.plain(sharedWith("serving")))
	want(t, "shared", slices.Equal(less.Reservation.ShareWith, []string{serving}), true)
	none := w.update(holder(made), w.plain())
	want(t, "shared with", len(none.Reservation.ShareWith), 0)
	want(t, "updates", w.calls("Update"), 2)
	_, err := w.process().Update(t.Context(), holder(made), w.plain(sharedWith("nobody")), nil)
	want(t, "attribute", failure(t, err, "nobody", "whom to share with").Attribute, cloud.AttrShare)
}

// TestShareNotToBeLookedUp: a name of which the account may not be asked is the
// cloud's to know.
func TestShareNotToBeLookedUp(t *testing.T) {
	t.Parallel()
	w := native(t)
	w.mem.SetFault(func(call cloud.Call) (error, error) {
		if call.Method == "AccountID" && call.Account == "serving" {
			return &cloud.Error{Code: cloud.PermissionDenied, Op: "AccountID", Authenticated: true}, nil
		}
		return nil, nil
	})
	made := w.create(w.plain(sharedWith("research", "serving")))
	want(t, "shared", slices.Equal(made.Reservation.ShareWith, []string{research, serving}), true)
}

// TestSharedAtCreation: where it is fixed whether an object is shared at all, with
// whom still changes.
func TestSharedAtCreation(t *testing.T) {
	t.Parallel()
	w := native(t)
	block := func(names ...string) capacity.Wish {
		return w.plain(ahead(40*day), sharedWith(names...), func(wish *capacity.Wish) { wish.Spec.Kind = cloud.Block })
	}
	made := w.create(block("research"))
	w.update(holder(made), block("serving"))
	_, err := w.process().Update(t.Context(), holder(made), block(), nil)
	want(t, "attribute", failure(t, err, "Cannot change in place", serving).Attribute, cloud.AttrShare)
	want(t, "shared with", w.one("a").ShareWith[0], serving)
}

// TestShareNotTold: what cannot be told is said, and whether it is what is asked
// for is left to the driver.
func TestShareNotTold(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain(sharedWith("research")))
	w.mem.SetUnresolved(made.Reservation.Ref.NativeID, "77")
	reading, err := w.process().Read(t.Context(), holder(made))
	want(t, "error", err, nil)
	noticed(t, reading.Notices, "cannot be told", "77")
	w.update(holder(made), w.plain(sharedWith("research", "serving")))
	want(t, "updates", w.calls("Update"), 1)
}

// TestStartMoves in place until the cloud locks it.
func TestStartMoves(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain(ahead(60 * day)))
	moved := w.update(holder(made), w.plain(ahead(60*day+time.Second)))
	want(t, "start", moved.Reservation.StartsAt, start.Add(60*day+time.Second))
	want(t, "end", moved.Reservation.EndsAt, start.Add(74*day+time.Second))
	w.update(holder(moved), w.plain(ahead(60*day+time.Second)))
	want(t, "updates", w.calls("Update"), 1)
	w.jump.Advance(58 * day)
	_, err := w.process().Update(t.Context(), holder(moved), w.plain(ahead(61*day)), nil)
	failure(t, err, "Locked", "locked since")
}

// TestPartlyGiven is said with each look, and is no drift.
func TestPartlyGiven(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain(count(4)))
	w.mem.SetMissing(made.Reservation.Ref.NativeID, 1)
	reading, err := w.process().Read(t.Context(), holder(made))
	want(t, "error", err, nil)
	want(t, "status", reading.Status, capacity.Held)
	want(t, "count", reading.Reservation.Count, 4)
	noticed(t, reading.Notices, "partly", "3 of the 4")
	noticed(t, w.create(w.plain(count(4))).Notices, "partly", "3 of the 4")
}

// TestNameOfWhatIsOver: what ended keeps its name. A destroy removes it, and so
// does the next create of the same name and owner, and of no other.
func TestNameOfWhatIsOver(t *testing.T) {
	t.Parallel()
	w := native(t)
	short := func() capacity.Result {
		return w.create(w.plain(func(wish *capacity.Wish) { wish.Spec.EndAt = w.jump.Now().Add(time.Hour) }))
	}
	made := short()
	w.jump.Advance(2 * time.Hour)
	want(t, "shown", len(w.all()), 1)
	if _, err := w.process().Delete(t.Context(), holder(made), release()); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	want(t, "shown after the delete", len(w.all()), 0)

	short()
	w.jump.Advance(2 * time.Hour)
	w.create(w.plain(count(2)))
	want(t, "count", w.one("a").Count, 2)

	w.mem.SetState(w.one("a").Ref.NativeID, cloud.Ended)
	other := w.plain()
	other.Mark.Owner = "team/other"
	_, err := w.process().Create(t.Context(), other)
	failure(t, err, "NameTaken")
	want(t, "shown", len(w.all()), 1)
}

// TestWhatIsOverStays: a leftover that cannot be removed is no error of a destroy,
// and one of a create.
func TestWhatIsOverStays(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain())
	w.mem.SetState(made.Reservation.Ref.NativeID, cloud.Ended)
	denied := &cloud.Error{Code: cloud.PermissionDenied, Op: "Release", Native: "Denied", Authenticated: true}
	w.refuseAll("Release", denied)
	_, err := w.process().Create(t.Context(), w.plain())
	failure(t, err, "earlier life", "Denied", made.Reservation.Ref.NativeID)
	notices, err := w.process().Delete(t.Context(), holder(made), release())
	want(t, "error", err, nil)
	noticed(t, notices, "keeps its name taken", "Denied")
}

// TestImportedWithoutMark: where no claim can be written, an object that carries no
// mark stays without one.
func TestImportedWithoutMark(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain())
	made.Mark = cloud.Mark{Name: "a", Type: kindOf}
	grown := w.update(holder(made), w.plain(count(2)))
	want(t, "mark", grown.Mark, w.one("a").Mark)
	want(t, "claim", grown.Mark.Claim, "")
	want(t, "count", w.one("a").Count, 2)
}

// TestReplacedWhileInterrupted: where no claim can tell, what this run adopted is
// only forgotten, also by a run that was interrupted, and whatever binds it.
func TestReplacedWhileInterrupted(t *testing.T) {
	t.Parallel()
	w := native(t)
	old := holder(w.create(w.plain()))
	m := w.process()
	replacement, err := m.Create(t.Context(), w.plain())
	want(t, "error", err, nil)
	noticed(t, replacement.Notices, "adopted", "takes no claim", "new name")
	prevent := release()
	prevent.OnDestroy = capacity.OnDestroyPrevent
	_, err = m.MayRelease(t.Context(), old, prevent)
	want(t, "error of the plan", err, nil)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	notices, err := m.Delete(ctx, old, prevent)
	want(t, "error", err, nil)
	noticed(t, notices, "only forgets")
	want(t, "releases", w.calls("Release"), 0)
	w.one("a")
}

// TestLeaving: what is being given up stays in the state, because it is held again
// if that fails; a destroy waits for it.
func TestLeaving(t *testing.T) {
	t.Parallel()
	w := native(t)
	h := holder(w.create(w.plain()))
	w.mem.SetState(h.Ref.NativeID, cloud.Leaving)
	reading, err := w.process().Read(t.Context(), h)
	want(t, "error", err, nil)
	want(t, "finding", reading.Finding, capacity.Kept)
	noticed(t, reading.Notices, "being given up", "LEAVING")
	w.refuseAll("Release", &cloud.Error{Code: cloud.Internal, Op: "Release", Native: "Failed"})
	_, err = w.process().Delete(t.Context(), h, release())
	failure(t, err, "not released", "Failed")
	w.mem.SetFault(nil)
	if _, err := w.process().Delete(t.Context(), h, release()); err != nil {
		t.Errorf("Delete: %v", err)
	}
	want(t, "shown", len(w.all()), 0)
}

// TestZoneHints: zones that a refusal names as having capacity are told.
func TestZoneHints(t *testing.T) {
	t.Parallel()
	w := native(t)
	w.refuseAll("Create", &cloud.Error{Code: cloud.NoCapacity, Op: "Create", Native: "EXHAUSTED", ZoneHints: []string{"mem-east-1b", "mem-east-1c"}})
	_, err := w.process().Create(t.Context(), w.plain())
	failure(t, err, "EXHAUSTED", "mem-east-1b, mem-east-1c")
}

// wide is mem that lists by account.
type wide struct{ *mem.Cloud }

func (c wide) Capabilities() cloud.Capabilities {
	caps := c.Cloud.Capabilities()
	caps.ListedBy = cloud.ByAccount
	return caps
}

func (c wide) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	var all []cloud.Reservation
	for _, s.Region = range []string{region, "mem-west-1"} {
		list, err := c.Cloud.List(ctx, s)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// TestListOfRegion: a cloud that lists by account is asked for more than is shown.
func TestListOfRegion(t *testing.T) {
	t.Parallel()
	w := native(t)
	w.create(w.plain())
	w.create(w.plain(func(wish *capacity.Wish) { wish.Mark.Name, wish.Spec.Zone = "b", "mem-west-1a" }))
	w.cloud = wide{w.mem}
	for place, n := range map[string]int{region: 1, "mem-west-1": 1, "": 2} {
		list, err := w.process().List(t.Context(), mem.Name, "", place)
		want(t, "error", err, nil)
		want(t, "listed in "+place, len(list), n)
	}
}
