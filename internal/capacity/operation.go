package capacity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Result is a reservation as an operation left it.
type Result struct {
	Reservation cloud.Reservation
	Mark        cloud.Mark
	Status      Status
	Attempts    []Attempt
	Notices     []Notice
}

// operation is what a create and an update share: what they work on, how long
// they may take, and what they were told.
type operation struct {
	m    *Manager
	c    cloud.Cloud
	caps cloud.Capabilities
	kind cloud.KindCapabilities
	wish Wish
	// deadline ends everything, patience the asking of a full place.
	deadline, patience time.Time
	attempts           []Attempt
	// offer is what was chosen to buy, nil until then.
	offer *cloud.Offer
}

func (m *Manager) operation(c cloud.Cloud, w Wish) operation {
	now, caps := m.cfg.Clock.Now(), c.Capabilities()
	return operation{
		m: m, c: c, caps: caps, kind: caps.Kinds[w.Spec.Kind], wish: w,
		deadline: now.Add(w.Timeout), patience: now.Add(w.WaitForCapacity),
	}
}

// errNoTime ends a wait that would outlast its operation.
var errNoTime = errors.New("the operation's timeout leaves no time for it")

// pause sleeps, but never past the deadline.
func (op *operation) pause(ctx context.Context, d time.Duration) error {
	if op.m.cfg.Clock.Now().Add(d).After(op.deadline) {
		return errNoTime
	}
	return op.m.cfg.Clock.Sleep(ctx, d)
}

// mayWait sleeps one interval and tells whether there was time for it.
func (op *operation) mayWait(ctx context.Context) bool { return op.pause(ctx, pollEvery) == nil }

// record keeps a failed try for the final report.
func (op *operation) record(err error) {
	op.attempts = append(op.attempts, attempt(op.wish, err, op.m.cfg.Clock.Now()))
}

// warn logs the last try, with what comes next.
func (op *operation) warn(ctx context.Context, next string) {
	op.attempts[len(op.attempts)-1].warn(ctx, op.m.cfg.Log, next)
}

// wait sleeps before a full place is asked again and reports whether it may be.
// It logs the refusal either way, at once.
func (op *operation) wait(ctx context.Context, cause error) bool {
	pause := pollEvery
	var e *cloud.Error
	if errors.As(cause, &e) && e.RetryAfter > pause {
		pause = e.RetryAfter
	}
	next := op.m.cfg.Clock.Now().Add(pause)
	if next.After(op.deadline) || next.After(op.patience) {
		op.warn(ctx, "none")
		return false
	}
	op.warn(ctx, "again in "+pause.String())
	return op.m.cfg.Clock.Sleep(ctx, pause) == nil
}

// report is every attempt, as the last part of a failure's text.
func (op *operation) report() string {
	if len(op.attempts) == 0 {
		return ""
	}
	return "\n\nAttempts:\n" + Report(op.attempts)
}

// outlive is a context for the few calls that leave things findable: ctx while
// it lasts, else a short grace of its own.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(context.WithoutCancel(ctx), grace)
}

// await asks until the object is held, or as long as the operation may last. An
// object that is still pending is a good end, with a notice.
func (op *operation) await(ctx context.Context, result *Result) {
	if op.kind.Decided {
		result.undecided()
		return
	}
	for isPending(result.Reservation.State) {
		if !op.mayWait(ctx) {
			result.pend(nil)
			return
		}
		r, err := op.c.Get(ctx, result.Reservation.Ref)
		if err != nil {
			result.pend(fmt.Errorf("reading it again failed: %s", describe(op.c, err)))
			return
		}
		result.Reservation = r
	}
}

// undecided says of an accepted object that it is not for this run to wait for.
func (result *Result) undecided() {
	if !isPending(result.Reservation.State) {
		return
	}
	if result.Status == Held {
		result.Status = Pending
	}
	result.Notices = append(result.Notices, Notice{
		"status", "Reservation is not decided yet", fmt.Sprintf("%s was accepted and is still %q. The cloud decides later; "+
			"every plan looks again.", result.Reservation.Ref.NativeID, result.Reservation.NativeState),
	})
}

func isPending(s cloud.State) bool { return s == cloud.Pending || s == cloud.Unrecognized }

// pend ends a wait at pending, with the reason. Degraded stays: the step that is
// missing is the more urgent news.
func (result *Result) pend(cause error) {
	if !isPending(result.Reservation.State) {
		return
	}
	if result.Status == Held {
		result.Status = Pending
	}
	detail := fmt.Sprintf("%s was accepted and is still %q", result.Reservation.Ref.NativeID, result.Reservation.NativeState)
	if cause != nil {
		detail += "; " + cause.Error()
	}
	result.Notices = append(result.Notices, Notice{
		"status", "Reservation is not held yet",
		detail + ". The next plan looks again, and the next apply goes on waiting.",
	})
}
