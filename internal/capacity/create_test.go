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

func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	result := w.create(w.wish("a"))
	want(t, "status", result.Status, capacity.Held)
	want(t, "notices", len(result.Notices), 0)
	r := w.one("a")
	want(t, "mark on the object", r.Mark, cloud.Mark{Owner: owner, Name: "a", Type: kindOf, Claim: "claim-1"})
	want(t, "mark in the result", result.Mark, r.Mark)
	want(t, "creates", w.calls("Create"), 1)
}

// TestEndA_nothingExists: every sure refusal is an error without an object.
func TestEndA_nothingExists(t *testing.T) {
	t.Parallel()
	codes := []cloud.Code{
		cloud.NoCapacity, cloud.QuotaExceeded, cloud.Invalid, cloud.Unsupported, cloud.Conflict,
		cloud.PermissionDenied, cloud.Throttled, cloud.Internal,
	}
	for _, code := range codes {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			w.refuseAll("Create", &cloud.Error{Code: code, Op: "Create", Native: "NativeCode", Message: "because"})
			result, err := w.process().Create(t.Context(), w.wish("a"))
			failure(t, err, "NativeCode", "because", zone, whole, string(code))
			want(t, "code of the cause", cloud.CodeOf(err), code)
			want(t, "id", result.Reservation.Ref.NativeID, "")
			want(t, "creates", w.calls("Create"), 1)
			want(t, "WARN lines", w.log.count("level=WARN"), 1)
			want(t, "objects", len(w.all()), 0)
		})
	}
}

// TestEndB_lateStep: what is late after the object is there is a notice, not an
// error, and the next update finishes it.
func TestEndB_lateStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.refuseAll("Update", &cloud.Error{Code: cloud.PermissionDenied, Op: "Update", Message: "no"})
	result := w.create(w.wish("a"))
	want(t, "status", result.Status, capacity.Degraded)
	noticed(t, result.Notices, result.Reservation.Ref.NativeID, "writing its mark failed", "takes no credentials", "next apply")
	want(t, "claim on the object", w.one("a").Mark.Claim, "")
	done, err := w.process().Update(t.Context(), holder(result), w.wish("a"), nil)
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
	want(t, "status", done.Status, capacity.Held)
	want(t, "claim on the object", w.one("a").Mark.Claim, result.Mark.Claim)
}

// TestEndC_unknown: a lost answer whose object is not to be seen names place and
// mark; the next run makes it, once.
func TestEndC_unknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.fail("Create", lost("Create"), nil)
	_, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "may or may not", zone, whole, owner, `"a"`, "apply again", "unknown")
	want(t, "live objects", len(w.live("a")), 0)
	w.create(w.wish("a"))
	w.one("a")
}

func TestEndC_lostAfterCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.fail("Create", nil, lost("Create"))
	result := w.create(w.wish("a"))
	want(t, "status", result.Status, capacity.Held)
	want(t, "object", w.one("a").Ref, result.Reservation.Ref)
	want(t, "claim", w.one("a").Mark.Claim, result.Mark.Claim)
	want(t, "notices", len(result.Notices), 0)
}

// TestEndC_hiddenThenFound: the lost object does not show at first; the next run
// takes it over.
func TestEndC_hiddenThenFound(t *testing.T) {
	t.Parallel()
	for name, wish := range map[string]func(*world) capacity.Wish{
		"with a token":    func(w *world) capacity.Wish { return w.wish("a") },
		"without a token": func(w *world) capacity.Wish { return w.block("a") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			hidden := &blind{Cloud: w.mem}
			hidden.looks.Store(3)
			w.cloud = hidden
			asked := wish(w)
			w.fail("Create", nil, lost("Create"))
			_, err := w.process().Create(t.Context(), asked)
			failure(t, err, "may or may not")
			hidden.looks.Store(0)
			result := w.create(asked)
			noticed(t, result.Notices, "adopted", result.Reservation.Ref.NativeID)
			w.one("a")
			want(t, "creates", w.calls("Create"), 1)
		})
	}
}

// TestEndD_leftover: what cannot be removed and keeps the name taken comes back
// with the error, and its delete ignores on_destroy.
func TestEndD_leftover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	c := newNamed(w.mem)
	inner := &refusing{Cloud: w.mem}
	inner.times.Store(1)
	c.released = &cloud.Error{Code: cloud.Conflict, Op: "Release", Message: "not now"}
	c.creates, w.cloud = inner, c
	result, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "REFUSED", "not now", "removes it first")
	want(t, "status", result.Status, capacity.Refused)
	id := result.Reservation.Ref.NativeID
	if id == "" {
		t.Fatal("the leftover did not come back")
	}
	c.released = nil
	if _, err := w.process().Delete(t.Context(), holder(result), capacity.Release{OnDestroy: capacity.OnDestroyAbandon, Timeout: time.Minute}); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	want(t, "leftover removed", c.removed[id], true)
}

// TestRefusedAfterAcceptance: the cloud's own refusal ends the create, without a
// second try, and no later run is barred by it.
func TestRefusedAfterAcceptance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	c := &refusing{Cloud: w.mem}
	w.cloud = c
	for i := range 3 {
		before := w.calls("Create")
		c.times.Store(1)
		_, err := w.process().Create(t.Context(), w.wish("a"))
		failure(t, err, "accepted the request and then ended it", "REFUSED", zone)
		want(t, "creates", w.calls("Create")-before, i+1)
		want(t, "objects", len(w.all()), i+1)
	}
	c.times.Store(0)
	w.create(w.wish("a"))
	w.one("a")
}

// TestRule9_refusedReplayNotListed: an old refusal that no listing shows any more
// is told from a new one by the cloud's clock.
func TestRule9_refusedReplayNotListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	c := &refusing{Cloud: w.mem}
	w.cloud = c
	c.times.Store(1)
	_, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "REFUSED")
	hidden := &blind{Cloud: w.mem}
	hidden.looks.Store(1)
	w.cloud = hidden
	w.jump.Advance(time.Hour)
	w.create(w.wish("a"))
	w.one("a")
}

func TestRefusedWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Lag: time.Minute})
	w.jump.OnJump(func(now time.Time) {
		if now.After(start.Add(10 * time.Second)) {
			for _, r := range w.all() {
				w.mem.SetState(r.Ref.NativeID, cloud.Refused)
			}
		}
	})
	result, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "then ended it", "REFUSED")
	want(t, "id", result.Reservation.Ref.NativeID, "")
}

// TestRule9_replayOfEndedLives: answers of earlier lives are stepped over.
func TestRule9_replayOfEndedLives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	for i := range 4 {
		result := w.create(w.wish("a"))
		want(t, "creates of this life", w.calls("Create"), (i+1)*(i+2)/2)
		if _, err := w.process().Delete(t.Context(), holder(result), release()); err != nil {
			t.Fatalf("Delete: %v", err)
		}
	}
	want(t, "live objects", len(w.live("a")), 0)
}

// TestRule9_mismatchWithObject: the token's object is there, and decides.
func TestRule9_mismatchWithObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	first := w.create(w.wish("a", lasting(time.Hour)))
	w.jump.Advance(10 * time.Minute)
	hidden := &blind{Cloud: w.mem}
	hidden.looks.Store(1)
	w.cloud = hidden
	second := w.create(w.wish("a", lasting(time.Hour)))
	want(t, "object", second.Reservation.Ref, first.Reservation.Ref)
	noticed(t, second.Notices, "adopted")
	w.one("a")
}

// TestRule9_mismatchWithoutObject: two empty listings a minute apart, then the
// next life; further lives cost no further minute.
func TestRule9_mismatchWithoutObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	for range 3 {
		result := w.create(w.wish("a", lasting(time.Hour)))
		if _, err := w.process().Delete(t.Context(), holder(result), release()); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		w.jump.Advance(10 * time.Minute)
	}
	before := w.jump.Now()
	lists := w.calls("List")
	w.create(w.wish("a", lasting(time.Hour)))
	want(t, "waited", w.jump.Now().Sub(before), time.Minute)
	want(t, "listings", w.calls("List")-lists, 3)
	w.one("a")
}

func lasting(d time.Duration) func(*capacity.Wish) {
	return func(w *capacity.Wish) { w.Spec.Duration = d }
}

// TestRule9_withoutToken: a create that takes no token is sent once, after two
// empty listings a minute apart.
func TestRule9_withoutToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.create(w.block("a"))
	want(t, "waited", w.jump.Now().Sub(start), time.Minute)
	want(t, "listings", w.calls("List"), 2)
	want(t, "creates", w.calls("Create"), 1)
	// The purchase of an interrupted run is adopted, although the wish names no
	// zone and its window is the offer's.
	again := w.create(w.block("a"))
	noticed(t, again.Notices, "adopted")
	w.one("a")
	want(t, "creates", w.calls("Create"), 1)
}

func TestRule9_withoutTokenNeverRetried(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	wish := w.block("a")
	wish.WaitForCapacity = time.Hour
	w.refuseAll("Create", &cloud.Error{Code: cloud.NoCapacity, Op: "Create", Native: "OfferGone"})
	_, err := w.process().Create(t.Context(), wish)
	failure(t, err, "OfferGone")
	want(t, "creates", w.calls("Create"), 1)
	want(t, "WARN lines", w.log.count("level=WARN"), 1)
}

func TestRule9_noTimeForTwoLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	wish := w.block("a")
	wish.Timeout = 30 * time.Second
	_, err := w.process().Create(t.Context(), wish)
	failure(t, err, "two looks", "timeout", "Nothing was created")
	want(t, "waited", w.jump.Now().Sub(start), 0)
	want(t, "creates", w.calls("Create"), 0)
}

// TestRule9_claimIsNotSent: the create carries the mark and not the claim.
func TestRule9_claimIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.mem.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method == "Update" {
			if tags := w.mem.RawTags(call.NativeID); tags[cloud.TagClaim] != "" || tags[cloud.TagOwner] != owner {
				t.Errorf("tags before the claim is written: %v", tags)
			}
		}
		return nil, nil
	})
	w.create(w.wish("a"))
	want(t, "updates", w.calls("Update"), 1)
}

func TestRule10_lookFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.refuseAll("List", &cloud.Error{Code: cloud.PermissionDenied, Op: "List", Message: "no"})
	_, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "nothing was created", "could not be searched")
	want(t, "creates", w.calls("Create"), 0)
}

// TestRule15_interrupted: canceled at any call, before or after it is done, and
// run again: exactly one object, and the first end is one of the four.
func TestRule15_interrupted(t *testing.T) {
	t.Parallel()
	for name, wish := range map[string]func(*world) capacity.Wish{
		"with a token":    func(w *world) capacity.Wish { return w.wish("a") },
		"without a token": func(w *world) capacity.Wish { return w.block("a") },
		"lasting":         func(w *world) capacity.Wish { return w.wish("a", lasting(time.Hour)) },
	} {
		for _, when := range []moment{beforeCommit, afterCommit} {
			t.Run(name+" "+string(when), func(t *testing.T) {
				t.Parallel()
				everyCall(t, 4, func(k int) bool {
					w := newWorld(t, mem.Options{Lag: 12 * time.Second})
					asked := wish(w)
					var result capacity.Result
					var err error
					reached := w.interrupt(k, when, func(ctx context.Context) {
						result, err = w.process().Create(ctx, asked)
					})
					w.afterInterruptedCreate(k, asked, result, err)
					return reached
				})
			})
		}
	}
}

// afterInterruptedCreate does what Terraform would do next.
func (w *world) afterInterruptedCreate(k int, wish capacity.Wish, first capacity.Result, err error) {
	w.Helper()
	if err != nil {
		want(w.T, "id with an error", first.Reservation.Ref.NativeID, "")
		w.create(wish)
	} else if _, err := w.process().Update(w.Context(), holder(first), wish, nil); err != nil {
		w.Fatalf("call %d: Update after an interrupted create: %v", k, err)
	}
	r := w.one("a")
	if r.Mark.Claim == "" {
		w.Errorf("call %d: the object has no claim in the end", k)
	}
}

type moment string

const (
	beforeCommit moment = "before commit"
	afterCommit  moment = "after commit"
)

// everyCall runs a test for the first call of an operation, the second, … until
// there is no such call; at least that many must have been there.
func everyCall(t *testing.T, atLeast int, try func(k int) (reached bool)) {
	t.Helper()
	k := 1
	for try(k) {
		k++
	}
	if k-1 < atLeast {
		t.Errorf("%d calls were interrupted, want at least %d", k-1, atLeast)
	}
}

// interrupt runs an operation, cancels it at its kth call, and reports whether
// there was one.
func (w *world) interrupt(k int, when moment, do func(context.Context)) (reached bool) {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	seen := 0
	w.mem.SetFault(func(cloud.Call) (before, after error) {
		if seen++; seen != k {
			return nil, nil
		}
		cancel()
		if when == beforeCommit {
			return context.Canceled, nil
		}
		return nil, context.Canceled
	})
	defer w.mem.SetFault(nil)
	do(ctx)
	return seen >= k
}

// TestEndB_interrupted: a run that is interrupted once the object is there still
// claims it and returns it, with warnings only.
func TestEndB_interrupted(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method string
		when   moment
		status capacity.Status
		claim  string
	}{
		"its answer lost":       {"Create", afterCommit, capacity.Pending, "claim-1"},
		"before its claim":      {"Update", beforeCommit, capacity.Degraded, ""},
		"after its claim":       {"Update", afterCommit, capacity.Pending, "claim-1"},
		"while it is waited on": {"Get", beforeCommit, capacity.Pending, "claim-1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{Lag: time.Minute})
			ctx, cancel := context.WithCancel(t.Context())
			done := false
			w.mem.SetFault(func(call cloud.Call) (before, after error) {
				if call.Method != test.method || done {
					return nil, nil
				}
				done = true
				cancel()
				if test.when == beforeCommit {
					return context.Canceled, nil
				}
				return nil, context.Canceled
			})
			result, err := w.process().Create(ctx, w.wish("a"))
			want(t, "error", err, nil)
			want(t, "status", result.Status, test.status)
			want(t, "object", result.Reservation.Ref, w.one("a").Ref)
			want(t, "claim on the object", w.one("a").Mark.Claim, test.claim)
			noticed(t, result.Notices, result.Reservation.Ref.NativeID, "next apply")
		})
	}
}

// TestRule21_nameUsedTwice: the second create of a name in one run is an error
// before any call.
func TestRule21_nameUsedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	m := w.process()
	if _, err := m.Create(t.Context(), w.wish("a")); err != nil {
		t.Fatal(err)
	}
	calls := len(w.mem.Calls())
	_, err := m.Create(t.Context(), w.wish("a", count(2)))
	want(t, "attribute", failure(t, err, "Name used twice", `"a"`, owner).Attribute, cloud.AttrName)
	want(t, "calls", len(w.mem.Calls()), calls)
	if _, err := m.Create(t.Context(), w.wish("b")); err != nil {
		t.Errorf("another name: %v", err)
	}
}

// TestRule3_rawBodies: what no driver classed is cleaned before it is shown.
func TestRule3_rawBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.refuseAll("Create", rawError(strings.Repeat("<html>\n", 400)+"Authorization: Bearer abc123"))
	_, err := w.process().Create(t.Context(), w.wish("a"))
	f := failure(t, err, "may or may not")
	if strings.Contains(f.Detail, "<html>\n") || strings.Contains(f.Detail, "abc123") || len(f.Detail) > 2000 {
		t.Errorf("a raw body is shown: %s", f.Detail)
	}
}

type rawError string

func (e rawError) Error() string { return string(e) }

func TestCreateUnknownCloud(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	wish := w.wish("a")
	wish.Cloud = "nowhere"
	_, err := w.process().Create(t.Context(), wish)
	failure(t, err, "nowhere", mem.Name)
}

// TestCreateFirstEnd: a length counts from the cloud's time, and not knowing it
// is an error before anything is made.
func TestCreateFirstEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	result := w.create(w.wish("a", lasting(time.Hour)))
	want(t, "end", result.Reservation.EndsAt, start.Add(time.Hour))
	w.refuseAll("Now", &cloud.Error{Code: cloud.Throttled, Op: "Now", Message: "slow down"})
	_, err := w.process().Create(t.Context(), w.wish("b", lasting(time.Hour)))
	failure(t, err, "Cannot tell the time", "slow down")
	want(t, "live objects", len(w.live("b")), 0)
}
