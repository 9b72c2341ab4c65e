package azuresim

import (
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// changeFuture reads the change of a future reservation (facts
// azure-4.2-future-change and azure-4.2-future-locked). Tags can always change.
func (q *query) changeFuture(obj *sim.Object, old *reservation, sent window, given bool, w *wish) *apiError {
	s := *old.Schedule
	w.schedule = &s
	if given {
		if err := q.moveFuture(old, sent, &s); err != nil {
			return err
		}
	}
	if w.count != obj.Count {
		if err := q.refuseResize(old); err != nil {
			return err
		}
	}
	if w.count != obj.Count || !s.Start.Equal(old.Schedule.Start) {
		reviewed := s.Life
		s.Life = q.decided()
		s.Life.ReviewedStart, s.Life.ReviewedCount = reviewed.ReviewedStart, reviewed.ReviewedCount
	}
	return nil
}

// moveFuture takes start and commitment from what was sent. What is the same is
// no change.
func (q *query) moveFuture(old *reservation, sent window, s *schedule) *apiError {
	if sent.end != "" {
		return flawed(targetEnd, "The end of the schedule is supported for block capacity reservations only.").refuse()
	}
	start, days := s.Start, s.CommitmentDays
	if sent.start != "" {
		var wrong *flaw
		if start, wrong = startOf(sent.start); wrong != nil {
			return wrong.refuse()
		}
	}
	if sent.days != nil {
		days = *sent.days
	}
	if start.Equal(s.Start) && days == s.CommitmentDays {
		return nil
	}
	if err := q.refuseMove(old); err != nil {
		return err
	}
	options := q.sim.options.Future
	sent.start, sent.days = instant(start), &days
	moved, wrong := sent.readFuture(q.tx.Now(), options.lockLead(), options.commitment())
	if wrong != nil {
		return wrong.refuse()
	}
	moved.Life = s.Life
	*s = moved
	return nil
}

// refuseMove keeps the start of what cannot be changed any more. A declined
// request changes by the user's action only (armcompute v8.4, ReservationState):
// by this one. Code and text are UNVERIFIED.
func (q *query) refuseMove(old *reservation) *apiError {
	s := old.Schedule
	switch {
	case old.State == futureDeclined:
		return nil
	case !slices.Contains([]string{futurePending, futureApproved}, old.State):
		return q.locked(old)
	case s.ModifiableUntil.IsZero() || !q.tx.Now().Before(s.ModifiableUntil):
		until := "it was created, because its start is near"
		if !s.ModifiableUntil.IsZero() {
			until = instant(s.ModifiableUntil)
		}
		return fail(codeNotAllowed, "The schedule of capacity reservation '%s' could be modified until %s.", lastSegment(old.Path), until).
			at(targetStart)
	}
	return nil
}

// refuseResize keeps the count of what is committed (armcompute v8.4,
// ReservationState). A request that is not committed yet can change.
func (q *query) refuseResize(old *reservation) *apiError {
	switch old.State {
	case futurePending, futureApproved, futureDeclined:
		return nil
	case futureLive, futurePartly:
		if !q.tx.Now().Before(old.Schedule.committedUntil()) {
			return nil
		}
	}
	return q.locked(old)
}

func (q *query) locked(old *reservation) *apiError {
	return fail(codeNotAllowed, "The capacity reservation '%s' in reservation state '%s' cannot be updated until the minimum commitment period "+
		"of %d days from its start has elapsed, at %s.", lastSegment(old.Path), old.State, old.Schedule.CommitmentDays,
		instant(old.Schedule.committedUntil()))
}

// takesNow tells whether a reservation takes what it reserves at once: on demand,
// as a block that is not over, or as a future one that was delivered and grows.
// Before, only the quota of a request is checked; when it counts against quotas is
// UNVERIFIED.
func (q *query) takesNow(obj *sim.Object, r reservation, count int) (bool, *apiError) {
	s := r.Schedule
	if s == nil {
		return true, nil
	}
	if !s.future() {
		return q.tx.Now().Before(s.End), nil
	}
	delivered := r.State == futureLive || r.State == futurePartly
	if delivered || count <= obj.Count {
		return delivered && count != obj.Count, nil
	}
	return false, q.checkQuota(obj, count)
}
