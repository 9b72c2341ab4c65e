package capacity_test

import (
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

// TestShareNotTold: what cannot be told is said, and counts as what is missing as
// long as it is as many.
func TestShareNotTold(t *testing.T) {
	t.Parallel()
	w := native(t)
	made := w.create(w.plain(sharedWith("research")))
	w.mem.SetUnresolved(made.Reservation.Ref.NativeID, "77")
	reading, err := w.process().Read(t.Context(), holder(made))
	want(t, "error", err, nil)
	noticed(t, reading.Notices, "cannot be told", "77")
	w.update(holder(made), w.plain(sharedWith("research", "serving")))
	want(t, "updates", w.calls("Update"), 0)
	w.update(holder(made), w.plain(sharedWith("research")))
	want(t, "updates for one account less", w.calls("Update"), 1)
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
