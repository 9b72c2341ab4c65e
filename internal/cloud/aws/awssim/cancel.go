package awssim

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// windDown is the only way to cancel what is committed.
const windDown = "commitment-wind-down"

func incorrectState(obj *sim.Object, what string) *apiError {
	return fail(codeIncorrectState, "The capacity reservation '%s' is in the state %s and cannot be %s",
		reservationID(obj), obj.Status, what)
}

// cancelReservation is CancelCapacityReservation, the matrix of section 4.6.
// Instances that run in it go on as plain on-demand instances, and keep their
// stock.
func cancelReservation(q *query) ([]node, *apiError) {
	obj, err := q.named()
	if err != nil {
		return nil, err
	}
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return nil, refusal(err)
	}
	if isBlock(obj) {
		return nil, blockStays(obj, "cancelled")
	}
	now := q.tx.Now()
	if obj.Status == stateScheduled || (obj.Status == stateActive && r.Future.binds(now)) {
		return q.windDown(obj, &r)
	}
	switch obj.Status {
	case stateActive, stateAssessing, stateDelayed:
	default:
		return nil, incorrectState(obj, "cancelled")
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	end(q.tx, obj, stateCancelled)
	obj.Due = time.Time{}
	return []node{boolean("return", true)}, nil
}

// windDown cancels what needs a quote, by the quote's terms: the capacity goes
// at once, the state follows when the reduced commitment ends.
func (q *query) windDown(obj *sim.Object, r *reservation) ([]node, *apiError) {
	quoted, terms, err := q.acceptedQuote(obj)
	if err != nil {
		return nil, err
	}
	if used := obj.InUse.Count(); used > 0 {
		return nil, fail(codeIncorrectState, "The capacity reservation '%s' is committed and cannot be cancelled while %d instances run in it",
			reservationID(obj), used)
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	quoted.Status = quoteExpired
	end(q.tx, obj, terms.State)
	obj.Due = time.Time{}
	if terms.State == stateCancelling {
		obj.Due, r.Future.Ends = terms.ChargeEnds, terms.ChargeEnds
	}
	if err := obj.Encode(r); err != nil {
		return nil, refusal(err)
	}
	return []node{boolean("return", true)}, nil
}

// acceptedQuote is the quote that a cancellation is made under, which must be
// good, of this reservation and made in its present state. The codes are
// UNVERIFIED.
func (q *query) acceptedQuote(obj *sim.Object) (*sim.Object, quote, *apiError) {
	if !q.form.has("QuoteId") {
		return nil, quote{}, fail(codeIncorrectState, "The capacity reservation '%s' is in the state %s and committed: "+
			"cancelling it needs a cancellation quote", reservationID(obj), obj.Status)
	}
	if !q.form.has("ApplyCancellationCharges") {
		return nil, quote{}, missing("ApplyCancellationCharges")
	}
	if _, err := q.form.choice("ApplyCancellationCharges", windDown); err != nil {
		return nil, quote{}, err
	}
	quoted, terms, err := q.findQuote(q.form["QuoteId"], "QuoteId")
	switch {
	case err != nil:
		return nil, quote{}, err
	case terms.Reservation != reservationID(obj):
		return nil, quote{}, invalid("QuoteId", q.form["QuoteId"], "It is the quote of another capacity reservation.")
	case quoted.Status != quoteActive:
		return nil, quote{}, invalid("QuoteId", q.form["QuoteId"], "The quote is "+quoted.Status+".")
	case terms.Quoted != obj.Status:
		return nil, quote{}, invalid("QuoteId", q.form["QuoteId"],
			"It was made in the state "+terms.Quoted+"; the capacity reservation is "+obj.Status+".")
	}
	return quoted, terms, nil
}
