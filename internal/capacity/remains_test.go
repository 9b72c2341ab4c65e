package capacity_test

import (
	"context"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// halfway is a reservation whose release was cut off, and the error of it.
func (w *world) halfway(cut error) (capacity.Holder, error) {
	w.Helper()
	h := holder(w.create(w.wish("a")))
	w.mem.CutShort("Release", cut)
	_, err := w.process().Delete(w.Context(), h, release())
	if left := w.all(); len(left) != 1 || !left[0].Remains {
		w.Fatalf("a release that was cut off left %+v", left)
	}
	return h, err
}

// TestRemains: a release that ended half-way keeps the state, is told at the next
// look, and is finished by the next destroy.
func TestRemains(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]error{
		"refused": &cloud.Error{Code: cloud.Conflict, Op: "Release", Native: "GroupInUse"}, "lost": lost("Release"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			h, err := w.halfway(cut)
			failure(t, err, "Reservation not released", cut.Error(), "kept in the state")

			reading, err := w.process().Read(t.Context(), h)
			want(t, "error", err, nil)
			want(t, "finding", reading.Finding, capacity.Left)
			want(t, "status", reading.Status, capacity.Refused)
			want(t, "notices", len(reading.Notices), 1)
			noticed(t, reading.Notices, "only in part", "GONE, and its group is left", "a destroy removes")

			h.Status = reading.Status
			prevent := release()
			prevent.OnDestroy = capacity.OnDestroyPrevent
			_, err = w.process().MayRelease(t.Context(), h, prevent)
			want(t, "error of the plan", err, nil)
			notices, err := w.process().Delete(t.Context(), h, prevent)
			want(t, "error", err, nil)
			want(t, "notices", len(notices), 0)
			want(t, "left", len(w.all()), 0)
			reading, err = w.process().Read(t.Context(), h)
			want(t, "error", err, nil)
			want(t, "finding", reading.Finding, capacity.Vanished)
		})
	}
}

// TestRemainsStay: what cannot be removed keeps the state each time, unlike what
// came to its end; an answer that was lost is looked at.
func TestRemainsStay(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	h, _ := w.halfway(lost("Release"))
	w.refuseAll("Release", &cloud.Error{Code: cloud.PermissionDenied, Op: "Release", Native: "Denied", Authenticated: true})
	_, err := w.process().Delete(t.Context(), h, release())
	failure(t, err, "Reservation not released", "Denied", "kept in the state")
	_, err = w.process().Update(t.Context(), h, w.wish("a"), nil)
	failure(t, err, "GONE, and its group is left")
	w.fail("Release", nil, lost("Release"))
	notices, err := w.process().Delete(t.Context(), h, release())
	want(t, "error", err, nil)
	want(t, "notices", len(notices), 0)
	want(t, "left", len(w.all()), 0)
}

// unnamed is mem as a cloud where a name is only a mark.
type unnamed struct{ *mem.Cloud }

func (c unnamed) Capabilities() cloud.Capabilities {
	caps := c.Cloud.Capabilities()
	caps.NativeName = false
	return caps
}

// TestRemainsWithoutName: what is left is removed also where it keeps no name taken.
func TestRemainsWithoutName(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.cloud = unnamed{w.mem}
	h, _ := w.halfway(lost("Release"))
	notices, err := w.process().Delete(t.Context(), h, release())
	want(t, "error", err, nil)
	want(t, "notices", len(notices), 0)
	want(t, "left", len(w.all()), 0)
}

// TestRemainsOfAnother: what is left of another one's is left alone.
func TestRemainsOfAnother(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	h, _ := w.halfway(lost("Release"))
	for key, value := range map[string]string{cloud.TagOwner: "team/other", cloud.TagClaim: "another's"} {
		w.mem.SetTag(h.Ref.NativeID, key, value)
	}
	reading, err := w.process().Read(t.Context(), h)
	want(t, "error", err, nil)
	want(t, "finding", reading.Finding, capacity.Kept)
	notices, err := w.process().Delete(t.Context(), h, release())
	want(t, "error", err, nil)
	noticed(t, notices, "only forgets")
	_, err = w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "NameTaken")
	want(t, "left", len(w.all()), 1)
}

// TestRemainsWithoutClaim: the mark of a group has no claim, so that the owner tells
// whose it is.
func TestRemainsWithoutClaim(t *testing.T) {
	t.Parallel()
	for other, finding := range map[string]capacity.Finding{owner: capacity.Left, "team/other": capacity.Kept} {
		w := grouped(t)
		h, _ := w.halfway(lost("Release"))
		w.mem.RemoveTag(h.Ref.NativeID, cloud.TagClaim)
		w.mem.SetTag(h.Ref.NativeID, cloud.TagOwner, other)
		reading, err := w.process().Read(t.Context(), h)
		want(t, "error", err, nil)
		want(t, "finding of owner "+other, reading.Finding, finding)
	}
}

// TestRemainsAreCleared: a create of the same name removes what is left, as does one
// for which it was still live when it was listed.
func TestRemainsAreCleared(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	old, _ := w.halfway(lost("Release"))
	made := w.create(w.wish("a", regional))
	want(t, "id", made.Reservation.Ref, old.Ref)
	want(t, "zone", w.one("a").Zone, "")

	m := w.process()
	h := holder(made)
	reading, err := m.Read(t.Context(), h)
	want(t, "error", err, nil)
	want(t, "finding", reading.Finding, capacity.Present)
	w.mem.CutShort("Release", lost("Release"))
	if _, err := m.Delete(t.Context(), h, release()); err == nil {
		t.Fatalf("Delete that was cut off succeeded")
	}
	creates := w.calls("Create")
	again, err := m.Create(t.Context(), w.wish("a"))
	want(t, "error", err, nil)
	want(t, "zone", again.Reservation.Zone, zone)
	want(t, "creates", w.calls("Create")-creates, 1)
}

// TestEndedRemains: a release of what came to its end that ended half-way keeps the
// state too, and is finished by the next destroy.
func TestEndedRemains(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]error{
		"refused": &cloud.Error{Code: cloud.Conflict, Op: "Release", Native: "GroupInUse"}, "lost": lost("Release"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			h := holder(w.create(w.wish("a", func(wish *capacity.Wish) {
				wish.Spec.Kind, wish.Spec.StartAt, wish.Spec.Duration = cloud.Block, start.Add(10*day), 7*day
			})))
			w.jump.Advance(30 * day)
			w.mem.CutShort("Release", cut)
			_, err := w.process().Delete(t.Context(), h, release())
			failure(t, err, "Reservation not released", cut.Error(), "kept in the state")
			notices, err := w.process().Delete(t.Context(), h, release())
			want(t, "error", err, nil)
			want(t, "notices", len(notices), 0)
			want(t, "left", len(w.all()), 0)
		})
	}
}

// going is mem where the release of what came to its end is only begun, and its
// answer lost, as often as left says. Where it shows an object after that, or fails
// to, is what each look does.
type going struct {
	*mem.Cloud
	cause error
	left  int
	look  func(cloud.Reservation) (cloud.Reservation, error)
	begun bool
}

func (c *going) Release(ctx context.Context, ref cloud.Ref) error {
	if c.left--; c.left < 0 {
		c.begun = false
		return c.Cloud.Release(ctx, ref)
	}
	c.begun = true
	return c.cause
}

func (c *going) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	r, err := c.Cloud.Get(ctx, ref)
	if err != nil || !c.begun {
		return r, err
	}
	return c.look(r)
}

// TestEndedLeaving: a release of what came to its end that failed keeps the state as
// long as it may be under way, and is finished by the next destroy. One that the
// cloud refused is none, whatever a look says.
func TestEndedLeaving(t *testing.T) {
	t.Parallel()
	leaving := func(r cloud.Reservation) (cloud.Reservation, error) {
		r.State, r.NativeState = cloud.Leaving, "Deleting"
		return r, nil
	}
	silent := func(cloud.Reservation) (cloud.Reservation, error) {
		return cloud.Reservation{}, &cloud.Error{Code: cloud.Throttled, Op: "Get", Message: "slow down"}
	}
	refused := &cloud.Error{Code: cloud.PermissionDenied, Op: "Release", Native: "Denied", Authenticated: true}
	for name, tc := range map[string]struct {
		cause error
		look  func(cloud.Reservation) (cloud.Reservation, error)
		kept  bool
	}{
		"lost, and leaving":             {lost("Release"), leaving, true},
		"lost, and cannot be looked at": {lost("Release"), silent, true},
		"refused, but leaving":          {refused, leaving, true},
		"refused, cannot be looked at":  {refused, silent, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			h := holder(w.create(w.wish("a", func(wish *capacity.Wish) {
				wish.Spec.Kind, wish.Spec.StartAt, wish.Spec.Duration = cloud.Block, start.Add(10*day), 7*day
			})))
			w.jump.Advance(30 * day)
			c := &going{Cloud: w.mem, cause: tc.cause, left: 1, look: tc.look}
			w.cloud = c
			notices, err := w.process().Delete(t.Context(), h, release())
			if !tc.kept {
				want(t, "error", err, nil)
				noticed(t, notices, "Name stays taken", "Denied")
				return
			}
			failure(t, err, "Reservation not released", tc.cause.Error(), "kept in the state")
			c.look = leaving
			notices, err = w.process().Delete(t.Context(), h, release())
			want(t, "error", err, nil)
			want(t, "notices", len(notices), 0)
			want(t, "left", len(w.all()), 0)
		})
	}
}
