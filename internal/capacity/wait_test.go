package capacity_test

import (
	"context"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

func waits(wait, timeout time.Duration) func(*capacity.Wish) {
	return func(w *capacity.Wish) { w.WaitForCapacity, w.Timeout = wait, timeout }
}

func full() mem.Options {
	return mem.Options{Capacity: map[mem.Place]int{{Zone: zone, InstanceType: whole}: 0}}
}

// TestC01_fullZone: the deadline is the user's, whatever the wait; each refusal
// is a WARN line at once, and all are one row of the error.
func TestC01_fullZone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		wait, timeout, takes time.Duration
	}{
		"no wait":               {0, 20 * time.Minute, 0},
		"a wait below a poll":   {4 * time.Second, 20 * time.Minute, 0},
		"the wait ends first":   {time.Minute, 20 * time.Minute, time.Minute},
		"the timeout ends it":   {10 * time.Minute, 2 * time.Minute, 2 * time.Minute},
		"neither a whole polls": {13 * time.Second, time.Minute, 10 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, full())
			w.jump.OnJump(func(now time.Time) {
				// Each refusal so far is in the log before the next wait is over.
				want(t, "WARN lines", w.log.count("level=WARN"), int(now.Sub(start)/(5*time.Second)))
			})
			_, err := w.process().Create(t.Context(), w.wish("a", waits(test.wait, test.timeout)))
			failure(t, err, "OutOfCapacity", zone, whole, "capacity", "Attempts:")
			want(t, "took", w.jump.Now().Sub(start), test.takes)
			tries := int(test.takes/(5*time.Second)) + 1
			want(t, "creates", w.calls("Create"), tries)
			want(t, "WARN lines", w.log.count("level=WARN"), tries)
			want(t, "lines with what comes next", w.log.count("next=none"), 1)
			for _, part := range []string{"code=OutOfCapacity", "zone=" + zone, "instance_type=" + whole} {
				want(t, "lines with "+part, w.log.count(part), tries)
			}
			want(t, "objects", len(w.all()), 0)
		})
	}
}

func TestWaitUntilThereIsRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, full())
	w.jump.OnJump(func(now time.Time) {
		if !now.Before(start.Add(time.Minute)) {
			w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 1)
		}
	})
	result := w.create(w.wish("a", waits(10*time.Minute, time.Hour)))
	want(t, "took", w.jump.Now().Sub(start), time.Minute)
	want(t, "attempts told", len(result.Attempts), 12)
	w.one("a")
}

// TestRule1_retryAfterWins: the cloud's wish to wait replaces the interval, and
// is not waited for past the deadline.
func TestRule1_retryAfterWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.refuseAll("Create", &cloud.Error{Code: cloud.NoCapacity, Op: "Create", Native: "Full", RetryAfter: 50 * time.Second})
	_, err := w.process().Create(t.Context(), w.wish("a", waits(10*time.Minute, 2*time.Minute)))
	failure(t, err, "Full")
	want(t, "creates", w.calls("Create"), 3)
	want(t, "took", w.jump.Now().Sub(start), 100*time.Second)
}

// TestRule23_onlyCapacityIsWaitedFor: a quota, or anything else, is not.
func TestRule23_onlyCapacityIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, code := range []cloud.Code{cloud.QuotaExceeded, cloud.Invalid, cloud.Throttled, cloud.Internal, cloud.Unsupported} {
		w := newWorld(t, mem.Options{})
		w.refuseAll("Create", &cloud.Error{Code: code, Op: "Create", Native: "Native"})
		_, err := w.process().Create(t.Context(), w.wish("a", waits(10*time.Minute, time.Hour)))
		failure(t, err, "Native")
		want(t, "creates for "+string(code), w.calls("Create"), 1)
	}
}

func TestInterruptedWhileFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, full())
	ctx, cancel := context.WithCancel(t.Context())
	w.jump.OnJump(func(time.Time) { cancel() })
	_, err := w.process().Create(ctx, w.wish("a", waits(10*time.Minute, time.Hour)))
	failure(t, err, "OutOfCapacity")
	want(t, "creates", w.calls("Create"), 1)
	want(t, "WARN lines", w.log.count("level=WARN"), 1)
}

// TestAwait: an accepted object is waited for until it is held.
func TestAwait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Lag: 42 * time.Second})
	result := w.create(w.wish("a"))
	want(t, "status", result.Status, capacity.Held)
	want(t, "took", w.jump.Now().Sub(start), 45*time.Second)
	want(t, "notices", len(result.Notices), 0)
}

// TestEndB_waitRanOut: still pending at the deadline is a good end with a notice,
// and the next update goes on waiting.
func TestEndB_waitRanOut(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]cloud.State{"pending": "", "unrecognized": cloud.Unrecognized} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{Lag: 10 * time.Minute})
			if state != "" {
				w.jump.OnJump(func(now time.Time) {
					if now.Before(start.Add(2 * time.Minute)) {
						w.mem.SetState(w.one("a").Ref.NativeID, state)
					}
				})
			}
			wish := w.wish("a", waits(0, time.Minute))
			result := w.create(wish)
			want(t, "status", result.Status, capacity.Pending)
			want(t, "took", w.jump.Now().Sub(start), time.Minute)
			noticed(t, result.Notices, "not held yet", result.Reservation.Ref.NativeID, "next apply")
			w.jump.Advance(10 * time.Minute)
			if state != "" {
				w.mem.SetState(result.Reservation.Ref.NativeID, cloud.Held)
			}
			done, err := w.process().Update(t.Context(), holder(result), wish, nil)
			want(t, "error", err, nil)
			want(t, "status", done.Status, capacity.Held)
		})
	}
}

func TestEndB_readingFailsWhileWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Lag: time.Minute})
	w.refuseAll("Get", &cloud.Error{Code: cloud.PermissionDenied, Op: "Get", Message: "no"})
	result := w.create(w.wish("a"))
	want(t, "status", result.Status, capacity.Pending)
	noticed(t, result.Notices, "reading it again failed", "no")
}

// TestEndB_degradedAndPending: the missing step is the status, the wait a notice.
func TestEndB_degradedAndPending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Lag: time.Hour})
	w.refuseAll("Update", &cloud.Error{Code: cloud.PermissionDenied, Op: "Update", Message: "no"})
	result := w.create(w.wish("a", waits(0, time.Minute)))
	want(t, "status", result.Status, capacity.Degraded)
	noticed(t, result.Notices, "not complete")
	noticed(t, result.Notices, "not held yet")
}

// decided is mem whose on-demand reservations a person decides on.
type decided struct{ *mem.Cloud }

func (c decided) Capabilities() cloud.Capabilities {
	caps := c.Cloud.Capabilities()
	k := caps.Kinds[cloud.OnDemand]
	k.Decided = true
	caps.Kinds[cloud.OnDemand] = k
	return caps
}

// TestRule7_acceptedIsNotHeld: what is decided later ends pending, at once.
func TestRule7_acceptedIsNotHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Lag: time.Minute})
	w.cloud = decided{w.mem}
	result := w.create(w.wish("a"))
	want(t, "status", result.Status, capacity.Pending)
	want(t, "took", w.jump.Now(), start)
	noticed(t, result.Notices, "not decided yet")
	w.jump.Advance(time.Hour)
	want(t, "status once decided", w.create(w.wish("b")).Status, capacity.Pending)
}
