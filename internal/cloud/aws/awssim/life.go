package awssim

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// States of a reservation (section 4.3).
const (
	statePending        = "pending"
	stateActive         = "active"
	stateFailed         = "failed"
	stateExpired        = "expired"
	stateCancelled      = "cancelled"
	stateAssessing      = "assessing"
	stateScheduled      = "scheduled"
	stateDelayed        = "delayed"
	stateUnsupported    = "unsupported"
	stateCancelling     = "cancelling"
	statePaymentPending = "payment-pending"
	statePaymentFailed  = "payment-failed"
)

const (
	// failedVisible is how long a failed reservation is shown.
	failedVisible = 60 * time.Minute
	// unsupportedVisible is how long an unsupported one is.
	unsupportedVisible = 30 * day
	// deliveryRetry is how often stock is looked for after a missed start.
	// How AWS does that is not published, UNVERIFIED.
	deliveryRetry = time.Hour
)

// live tells whether instances can run in a reservation.
func live(obj *sim.Object) bool { return obj.Status == statePending || obj.Status == stateActive }

// occupied is the number of instances that a reservation keeps from others:
// all of it while it lives, of a block from the purchase on, and after that
// what still runs in it as plain on-demand instances.
func occupied(obj *sim.Object) int {
	if obj.Type != reservationType {
		return 0
	}
	bought := isBlock(obj) && (obj.Status == statePaymentPending || obj.Status == stateScheduled)
	if live(obj) || bought {
		return obj.Count
	}
	return obj.InUse.Count()
}

// counted is the number of instances that count against the vCPU quotas.
// Blocks do not; that a future-dated reservation does from its request on,
// and not only from its delivery, is UNVERIFIED.
func counted(obj *sim.Object) int {
	if obj.Type != reservationType || isBlock(obj) {
		return 0
	}
	switch obj.Status {
	case stateAssessing, stateScheduled, stateDelayed:
		return obj.Count
	}
	return occupied(obj)
}

// end moves a reservation out of life and gives its stock back.
func end(tx *sim.Tx, obj *sim.Object, state string) {
	before := occupied(obj)
	obj.Status = state
	tx.Give(placeOf(obj), before-occupied(obj))
}

// dueReservation lets happen what time brings.
func dueReservation(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var r reservation
	// A payload that cannot be read was put there by hand: nothing to do.
	if err := obj.Decode(&r); err != nil {
		return
	}
	switch obj.Status {
	case stateFailed, stateUnsupported:
		tx.Remove(obj)
	case statePending, stateAssessing, statePaymentPending:
		decide(tx, obj, &r, at)
	case stateScheduled, stateDelayed:
		deliver(tx, obj, &r, at)
	case stateActive:
		wear(tx, obj, at)
	case stateCancelling:
		end(tx, obj, stateCancelled)
	}
	// What was decoded can be encoded.
	_ = obj.Encode(r)
}

// outcome is what a request comes to that was accepted before.
type outcome struct {
	good, bad string
	// visible is how long the bad one is shown; 0 is for ever.
	visible time.Duration
}

func outcomes() map[string]outcome {
	return map[string]outcome{
		statePending:        {stateActive, stateFailed, failedVisible},
		stateAssessing:      {stateScheduled, stateUnsupported, unsupportedVisible},
		statePaymentPending: {stateScheduled, statePaymentFailed, 0},
	}
}

func decide(tx *sim.Tx, obj *sim.Object, r *reservation, at time.Time) {
	to := outcomes()[obj.Status]
	if r.Failure != "" {
		end(tx, obj, to.bad)
		if to.visible > 0 {
			obj.Due = at.Add(to.visible)
		}
		return
	}
	obj.Status = to.good
	plan(obj, at)
	if obj.Status == stateScheduled && !at.Before(obj.StartsAt) {
		deliver(tx, obj, r, at)
	}
}

// deliver begins what was scheduled. A block has its stock since it was
// bought; a future-dated reservation takes it now, and waits without a
// commitment where there is none.
func deliver(tx *sim.Tx, obj *sim.Object, r *reservation, at time.Time) {
	if at.Before(obj.StartsAt) {
		// It was put into this state behind everyone's back.
		plan(obj, at)
		return
	}
	if obj.Status == stateDelayed {
		r.Future.waive()
	}
	if isBlock(obj) || tx.Take(placeOf(obj), obj.Count) {
		obj.Status, r.Undelivered = stateActive, false
		plan(obj, at)
		return
	}
	if !obj.EndsAt.IsZero() && !at.Before(obj.EndsAt) {
		obj.Status = stateExpired
		return
	}
	obj.Status, obj.Due = stateDelayed, at.Add(deliveryRetry)
	r.Future.waive()
}

// wear lets an active reservation come to its end. AWS says within the hour
// that follows; here at once. A block's instances are ended before.
func wear(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if isBlock(obj) && !at.Before(cutAt(obj)) {
		obj.InUse = sim.Use{}
	}
	if !obj.EndsAt.IsZero() && !at.Before(obj.EndsAt) {
		end(tx, obj, stateExpired)
		return
	}
	plan(obj, at)
}

// plan sets the instant at which something happens next by itself.
func plan(obj *sim.Object, at time.Time) {
	obj.Due = obj.EndsAt
	if obj.Status == stateScheduled || obj.Status == stateDelayed {
		obj.Due = obj.StartsAt
	}
	if obj.Status == stateActive && isBlock(obj) && at.Before(cutAt(obj)) {
		obj.Due = cutAt(obj)
	}
}
