package capacity_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

func release() capacity.Release {
	return capacity.Release{OnDestroy: capacity.OnDestroyRelease, Timeout: 20 * time.Minute}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	for range 2 { // What is gone already deletes without a call that could fail it.
		notices, err := w.process().Delete(t.Context(), h, release())
		if err != nil {
			t.Fatalf("Delete: %v", err)
		}
		want(t, "notices", len(notices), 0)
	}
	want(t, "live objects", len(w.live("a")), 0)
	want(t, "releases", w.calls("Release"), 1)
}

// TestC06_deleteWhatIsGone: nothing is left to do.
func TestC06_deleteWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, vanish := range map[string]func(*mem.Cloud, string){
		"forgotten": (*mem.Cloud).Forget,
		"canceled":  func(c *mem.Cloud, id string) { c.SetState(id, cloud.Gone) },
		"ended":     func(c *mem.Cloud, id string) { c.SetState(id, cloud.Ended) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			vanish(w.mem, h.Ref.NativeID)
			if _, err := w.process().Delete(t.Context(), h, release()); err != nil {
				t.Errorf("Delete: %v", err)
			}
			want(t, "releases", w.calls("Release"), 0)
		})
	}
}

func TestC06_deleteWithoutReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.refuseAll("Get", &cloud.Error{Code: cloud.PermissionDenied, Op: "Get", HTTPStatus: 403, Message: "no"})
	_, err := w.process().Delete(t.Context(), h, release())
	failure(t, err, "403", "Nothing was released")
	want(t, "releases", w.calls("Release"), 0)
	w.one("a")
}

func TestC10_onDestroy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	_, err := w.process().Delete(t.Context(), h, capacity.Release{OnDestroy: capacity.OnDestroyPrevent, Timeout: time.Minute})
	want(t, "attribute", failure(t, err, "prevent", h.Ref.NativeID, "removed {").Attribute, "on_destroy")
	calls := len(w.mem.Calls())
	notices, err := w.process().Delete(t.Context(), h, capacity.Release{OnDestroy: capacity.OnDestroyAbandon, Timeout: time.Minute})
	if err != nil {
		t.Fatalf("Delete: %v", err)
	}
	noticed(t, notices, "abandoned", h.Ref.NativeID, "costing")
	want(t, "calls of abandon", len(w.mem.Calls()), calls)
	w.one("a")
}

// TestC10_notFree: a live block is refused with its end; after the end nothing
// refuses any more.
func TestC10_notFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.block("a")))
	for _, how := range []string{"", capacity.OnDestroyRelease, capacity.OnDestroyCharge, capacity.OnDestroyPrevent} {
		_, err := w.process().Delete(t.Context(), h, capacity.Release{OnDestroy: how, Timeout: time.Minute})
		failure(t, err, h.Ref.NativeID, "removed {")
	}
	_, err := w.process().Delete(t.Context(), h, release())
	failure(t, err, "2031-03-03T00:00:00Z", "500.00 USD", "cannot be given back free")
	want(t, "releases", w.calls("Release"), 0)
	w.jump.Advance(48 * time.Hour)
	if _, err := w.process().Delete(t.Context(), h, release()); err != nil {
		t.Errorf("Delete after the end: %v", err)
	}
}

func TestRefusedStatusButLive(t *testing.T) {
	t.Parallel()
	for _, how := range []string{capacity.OnDestroyAbandon, capacity.OnDestroyPrevent} {
		w := newWorld(t, mem.Options{})
		h := holder(w.create(w.wish("a")))
		h.Status = capacity.Refused
		_, err := w.process().Delete(t.Context(), h, capacity.Release{OnDestroy: how, Timeout: time.Minute})
		want(t, "refused for "+how, err != nil, how == capacity.OnDestroyPrevent)
		w.one("a")
		want(t, "releases", w.calls("Release"), 0)
	}
}

// TestC14_inUse: the delete waits for the users until its timeout, lists them,
// and leaves the object.
func TestC14_inUse(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]mem.Options{"cloud refuses": {}, "cloud would release": {ReleasesInUse: []cloud.MatchCriteria{cloud.Targeted, cloud.Open}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, opts)
			h := holder(w.create(w.wish("a", count(3))))
			w.mem.SetUsers(h.Ref.NativeID, "i-001", "i-002")
			how := release()
			how.Timeout = 2 * time.Minute
			_, err := w.process().Delete(t.Context(), h, how)
			failure(t, err, "i-001, i-002", "by 2 instances")
			if strings.Contains(err.Error(), "on_release_in_use") != (opts.ReleasesInUse != nil) {
				t.Errorf("the way out is that of another cloud: %v", err)
			}
			if took := w.jump.Now().Sub(start); took < how.Timeout-5*time.Second || took > how.Timeout+5*time.Second {
				t.Errorf("took %v, want about %v", took, how.Timeout)
			}
			want(t, "releases", w.calls("Release"), 0)
			w.one("a")
		})
	}
}

func TestC14_usersGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetUsers(h.Ref.NativeID, "i-001")
	w.jump.OnJump(func(now time.Time) {
		if now.After(start.Add(30 * time.Second)) {
			w.mem.SetUsers(h.Ref.NativeID)
		}
	})
	if _, err := w.process().Delete(t.Context(), h, release()); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	want(t, "live objects", len(w.live("a")), 0)
	want(t, "took", w.jump.Now().Sub(start), 35*time.Second)
}

// TestC14_userBetweenLookAndRelease: a user that comes at the last moment is
// waited for too, and named.
func TestC14_userBetweenLookAndRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetFault(func(call cloud.Call) (before, after error) {
		switch call.Method {
		case "Release":
			w.mem.SetUsers(h.Ref.NativeID, "i-late")
		case "Get":
			w.mem.SetUsers(h.Ref.NativeID)
		}
		return nil, nil
	})
	how := release()
	how.Timeout = 12 * time.Second
	_, err := w.process().Delete(t.Context(), h, how)
	failure(t, err, "i-late", "by 1 instances")
}

func TestInUseAllowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{ReleasesInUse: []cloud.MatchCriteria{cloud.Targeted, cloud.Open}})
	h := holder(w.create(w.wish("a")))
	w.mem.SetUsers(h.Ref.NativeID, "i-001")
	how := release()
	how.InUse = true
	if _, err := w.process().Delete(t.Context(), h, how); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	want(t, "live objects", len(w.live("a")), 0)
	want(t, "took", w.jump.Now(), start)
}

// TestDeleteLostAnswer: a release whose answer was lost is looked at.
func TestDeleteLostAnswer(t *testing.T) {
	t.Parallel()
	for _, when := range []moment{beforeCommit, afterCommit} {
		t.Run(string(when), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			if when == beforeCommit {
				w.fail("Release", lost("Release"), nil)
			} else {
				w.fail("Release", nil, lost("Release"))
			}
			_, err := w.process().Delete(t.Context(), h, release())
			if when == afterCommit {
				want(t, "error", err, nil)
				want(t, "live objects", len(w.live("a")), 0)
				return
			}
			failure(t, err, "not released", "kept in the state")
			w.one("a")
		})
	}
}

// billed is mem whose given-up objects are paid for a while longer.
type billed struct{ *mem.Cloud }

func (c billed) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	r, err := c.Cloud.Get(ctx, ref)
	if r.State == cloud.Gone {
		r.BilledUntil = start.Add(time.Hour)
	}
	return r, err
}

// TestRule17_cancelling: what is given up and still billed counts as gone, with
// its billing end.
func TestRule17_cancelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.cloud = billed{w.mem}
	h := holder(w.create(w.wish("a")))
	w.fail("Release", nil, lost("Release"))
	notices, err := w.process().Delete(t.Context(), h, release())
	want(t, "error", err, nil)
	noticed(t, notices, "paid for until 2031-03-01T01:00:00Z")
}

// TestDeleteInterrupted: canceled at any call and run again, nothing is left.
func TestDeleteInterrupted(t *testing.T) {
	t.Parallel()
	for _, when := range []moment{beforeCommit, afterCommit} {
		t.Run(string(when), func(t *testing.T) {
			t.Parallel()
			everyCall(t, 3, func(k int) bool {
				w := newWorld(t, mem.Options{})
				h := holder(w.create(w.wish("a")))
				var err error
				reached := w.interrupt(k, when, func(ctx context.Context) {
					_, err = w.process().Delete(ctx, h, release())
				})
				// The call that was cut short is looked at, so that only a read
				// or a release that was not made can be an error.
				want(t, "error", err != nil, reached && (when == beforeCommit || k < 3))
				if err == nil {
					want(t, "live objects after a success", len(w.live("a")), 0)
				}
				if _, err := w.process().Delete(t.Context(), h, release()); err != nil {
					t.Fatalf("call %d: the second Delete: %v", k, err)
				}
				want(t, "live objects", len(w.live("a")), 0)
				return reached
			})
		})
	}
}

func TestDeleteInterruptedWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetUsers(h.Ref.NativeID, "i-001")
	ctx, cancel := context.WithCancel(t.Context())
	w.jump.OnJump(func(time.Time) { cancel() })
	_, err := w.process().Delete(ctx, h, release())
	failure(t, err, "i-001")
	w.one("a")
}

// TestRule11_deleteForgets: what another claim holds is only forgotten.
func TestRule11_deleteForgets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetTag(h.Ref.NativeID, cloud.TagClaim, "another")
	notices, err := w.process().Delete(t.Context(), h, release())
	want(t, "error", err, nil)
	noticed(t, notices, "another", h.Mark.Claim, "only forgets")
	w.one("a")
	want(t, "releases", w.calls("Release"), 0)
}

// TestRule11_createBeforeDestroy: the replacement of the same name adopts the
// live object, and the delete of the old one forgets it: one object, never zero.
func TestRule11_createBeforeDestroy(t *testing.T) {
	t.Parallel()
	noUpdates := &cloud.Error{Code: cloud.PermissionDenied, Op: "Update", Message: "no"}
	tests := map[string]struct {
		prepare func(*world) capacity.Holder
		before  func(*world)
	}{
		"claimed": {prepare: func(w *world) capacity.Holder { return holder(w.create(w.wish("a"))) }},
		"claim never written": {
			prepare: func(w *world) capacity.Holder {
				w.refuseAll("Update", noUpdates)
				return holder(w.create(w.wish("a")))
			},
			before: func(w *world) { w.refuseAll("Update", noUpdates) },
		},
		"no claim in the state": {prepare: func(w *world) capacity.Holder {
			h := holder(w.create(w.wish("a")))
			h.Mark.Claim = ""
			return h
		}},
		"names are native": {prepare: func(w *world) capacity.Holder {
			w.cloud = newNamed(w.mem)
			return holder(w.create(w.wish("a")))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			old := test.prepare(w)
			if test.before != nil {
				test.before(w)
			}
			m := w.process()
			replacement, err := m.Create(t.Context(), w.wish("a"))
			if err != nil {
				t.Fatalf("Create: %v", err)
			}
			want(t, "object", replacement.Reservation.Ref, old.Ref)
			noticed(t, replacement.Notices, "adopted", old.Ref.NativeID, "2031-03-01")
			notices, err := m.Delete(t.Context(), old, release())
			want(t, "error", err, nil)
			noticed(t, notices, "only forgets")
			w.one("a")
			want(t, "releases", w.calls("Release"), 0)
			reading, err := w.process().Read(t.Context(), holder(replacement))
			want(t, "error of the next read", err, nil)
			want(t, "finding of the next read", reading.Finding, capacity.Present)
		})
	}
}

func TestRule17_deleteElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Accounts: map[string]string{"": "000000000009"}})
	h := holder(w.create(w.wish("a")))
	h.AccountID = mem.DefaultAccountID
	_, err := w.process().Delete(t.Context(), h, release())
	failure(t, err, "another account", "000000000009", mem.DefaultAccountID)
	w.one("a")
}

// TestC14_idsNotTold: a refusal that names nobody is shown in the cloud's own words,
// one that names some by their number and ids.
func TestC14_idsNotTold(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		users, parts []string
	}{
		"none": {nil, []string{"is in use and was not released", "machines are associated: see the portal", "Stop them."}},
		"two":  {[]string{"/vm-8", "/vm-9"}, []string{"by 2 instances", "In use by: /vm-8, /vm-9."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			w.refuseAll("Release", &cloud.Error{
				Code: cloud.InUse, Op: "Release", Native: "OperationNotAllowed", Message: "machines are associated: see the portal", Users: tc.users,
			})
			how := release()
			how.Timeout = 12 * time.Second
			_, err := w.process().Delete(t.Context(), h, how)
			failure(t, err, tc.parts...)
			if strings.Contains(err.Error(), "by 0 ") || strings.Contains(err.Error(), "did not tell") {
				t.Errorf("a count or ids that nobody told: %v", err)
			}
		})
	}
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a", count(3))))
	w.mem.SetUsers(h.Ref.NativeID, "i-001", "i-002")
	w.cloud = basic{w.mem}
	how := release()
	how.Timeout = 12 * time.Second
	_, err := w.process().Delete(t.Context(), h, how)
	failure(t, err, "by 2 instances whose ids the cloud did not tell")
}
