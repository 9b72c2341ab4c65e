package azuresim

import (
	"slices"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Values of reservationState (armcompute v8.4, ReservationState).
const (
	futurePending   = "Pending"
	futureApproved  = "Approved"
	futureCommitted = "Committed"
	futureLive      = "Live"
	futurePartly    = "PartiallyFulfilled"
	futureDeclined  = "Declined"
	futureFailed    = "FulfillmentFailed"
)

func reservationStates() map[string]bool {
	return map[string]bool{
		futurePending: true, futureApproved: true, futureCommitted: true, futureLive: true, futurePartly: true, futureDeclined: true,
		futureFailed: true,
	}
}

// FutureOptions choose how future reservations fare where Azure decides or does
// not say; the zero value is the quickest and kindest reading.
type FutureOptions struct {
	// ReviewTakes is the time from a request to its approval; 0 is one second.
	ReviewTakes time.Duration
	// LockLead is the time between modifiableUntil and the start; 0 is the 56
	// days of the specification's examples. A start that is nearer has no
	// modifiableUntil (azure-powershell #30118).
	LockLead time.Duration
	// CommitTakes is the time from approval to commitment where there is no
	// modifiableUntil; 0 is half of the time to the start. UNVERIFIED.
	CommitTakes time.Duration
	// CommitmentDays is minimumCommitmentDays where a request has none; 0 is 30.
	CommitmentDays int
	// Declined has every request declined, FulfillmentFailed has nothing
	// delivered, Delivered at most so many instances; 0 is all. A single one fares
	// so by a fault of its create or update with operation_error Declined,
	// FulfillmentFailed or PartiallyFulfilled, of which a detail "delivered" says how
	// many.
	Declined          bool
	FulfillmentFailed bool
	Delivered         int
}

func orElse(d, standard time.Duration) time.Duration {
	if d == 0 {
		return standard
	}
	return d
}

func (o FutureOptions) lockLead() time.Duration { return orElse(o.LockLead, blockLead*day) }

func (o FutureOptions) commitment() int {
	if o.CommitmentDays == 0 {
		return usualCommitment
	}
	return o.CommitmentDays
}

// life is what was decided about a future reservation when it was asked for.
type life struct {
	Review   time.Duration `json:"review,omitempty"`
	Commit   time.Duration `json:"commit,omitempty"`
	Declined bool          `json:"declined,omitempty"`
	// Delivered is how many come at most; nil is all.
	Delivered *int `json:"delivered,omitempty"`
	// ReviewedStart and ReviewedCount are what was reviewed last.
	ReviewedStart time.Time `json:"reviewed_start,omitzero"`
	ReviewedCount int       `json:"reviewed_count,omitempty"`
}

func (o FutureOptions) life() life {
	l := life{Review: orElse(o.ReviewTakes, time.Second), Commit: o.CommitTakes, Declined: o.Declined}
	switch none := 0; {
	case o.FulfillmentFailed:
		l.Delivered = &none
	case o.Delivered > 0:
		l.Delivered = &o.Delivered
	}
	return l
}

// decided is the life of a request, of which a fault may have decided; that one
// does not touch the operation.
func (q *query) decided() life {
	l := q.sim.options.Future.life()
	e := q.req.Effects.OperationError
	if e == nil || !slices.Contains([]string{futureDeclined, futureFailed, futurePartly}, e.Code) {
		return l
	}
	q.req.Effects.OperationError = nil
	delivered := 0
	switch e.Code {
	case futureDeclined:
		l.Declined = true
		return l
	case futurePartly:
		delivered = 1
		if n, err := strconv.Atoi(e.Details["delivered"]); err == nil {
			delivered = n
		}
	}
	l.Delivered = &delivered
	return l
}

// next is the state after a state, and when something happens next; zero is
// never. It does not look at stock: that is the world's.
func (s schedule) next(state string, at time.Time) (string, time.Time) {
	switch {
	case state == futurePending && (s.Life.Declined || !at.Before(s.Start)):
		return futureDeclined, time.Time{}
	case state == futurePending:
		return futureApproved, s.commitAt(at)
	case state == futureApproved:
		return futureCommitted, s.Start
	}
	return state, time.Time{}
}

// commitAt is when an approved request is committed, which is never before the
// approval.
func (s schedule) commitAt(at time.Time) time.Time {
	switch {
	case s.ModifiableUntil.IsZero() && s.Life.Commit > 0:
		return at.Add(s.Life.Commit)
	case s.ModifiableUntil.IsZero():
		return at.Add(s.Start.Sub(at) / 2)
	case s.ModifiableUntil.Before(at):
		return at
	}
	return s.ModifiableUntil
}

// outcome is the state in which so many of a count are delivered.
func outcome(delivered, count int) string {
	switch {
	case delivered >= count:
		return futureLive
	case delivered == 0:
		return futureFailed
	}
	return futurePartly
}

// moveTo sets the reservation state; the header shows it unless an operation is
// under way.
func (r *reservation) moveTo(obj *sim.Object, state string) {
	if provisioningOf(obj) == stateSucceeded {
		obj.Status = state
	}
	r.State = state
}

// provisionedFuture follows an operation that is done: what is new or was changed
// is reviewed, again where it was approved, UNVERIFIED.
func (r *reservation) provisionedFuture(obj *sim.Object, at time.Time) {
	l := &r.Schedule.Life
	same := l.ReviewedCount == obj.Count && l.ReviewedStart.Equal(r.Schedule.Start)
	if r.State == futureLive || r.State == futurePartly {
		if l.ReviewedCount != obj.Count {
			l.ReviewedCount, r.Current, r.State = obj.Count, obj.Count, futureLive
		}
		return
	}
	if same {
		return
	}
	l.ReviewedCount, l.ReviewedStart = obj.Count, r.Schedule.Start
	r.State, r.Current, obj.Due = futurePending, 0, at.Add(l.Review)
}

// dueFuture lets happen what time brings (fact azure-4.2-future-states). Stock
// decides on a request and is taken at its start, UNVERIFIED.
func (r *reservation) dueFuture(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if r.State == futureCommitted {
		if at.Before(r.Schedule.Start) {
			obj.Due = r.Schedule.Start
			return
		}
		r.deliver(tx, obj)
		return
	}
	state, due := r.Schedule.next(r.State, at)
	if available, limited := tx.Available(placeOf(obj)); state == futureApproved && limited && available < obj.Count {
		state, due = futureDeclined, time.Time{}
	}
	r.moveTo(obj, state)
	obj.Due = due
}

// deliver takes what can be had at the start.
func (r *reservation) deliver(tx *sim.Tx, obj *sim.Object) {
	n := obj.Count
	if most := r.Schedule.Life.Delivered; most != nil {
		n = min(n, *most)
	}
	if available, limited := tx.Available(placeOf(obj)); limited {
		n = min(n, available)
	}
	before := kept(obj, *r)
	r.Current = n
	tx.Give(placeOf(obj), before-kept(obj, *r))
	r.moveTo(obj, outcome(n, obj.Count))
}

// patchedFuture follows a state or count that was put there behind everyone's
// back. With PartiallyFulfilled the count is how many were delivered, or one less
// than all.
func (r *reservation) patchedFuture(before, after *sim.Object, now time.Time) {
	s := r.Schedule
	s.Life.ReviewedStart, after.Due = s.Start, time.Time{}
	switch r.State {
	case futurePending:
		r.Current, after.Due = 0, now.Add(s.Life.Review)
	case futureApproved:
		r.Current, after.Due = 0, s.commitAt(now)
	case futureCommitted:
		r.Current, after.Due = 0, s.Start
	case futureLive:
		r.Current = after.Count
	case futurePartly:
		r.Current = max(after.Count-1, 0)
		if after.Count < before.Count {
			r.Current, after.Count = after.Count, before.Count
		}
	default:
		r.Current = 0
	}
	s.Life.ReviewedCount = after.Count
}
