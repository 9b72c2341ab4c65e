package azuresim

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Since when the api-version has schedules (armcompute v8.4,
// CapacityReservationProperties.ScheduleProfile).
const (
	sinceBlock  = "2025-04-01"
	sinceFuture = "2026-04-01"
)

// scheduleWire is a ScheduleProfile in JSON.
type scheduleWire struct {
	Start                 string `json:"start,omitempty"`
	End                   string `json:"end,omitempty"`
	MinimumCommitmentDays int    `json:"minimumCommitmentDays,omitempty"`
	ModifiableUntil       string `json:"modifiableUntil,omitempty"`
}

// future tells a future reservation from a block.
func (s schedule) future() bool { return s.End.IsZero() }

// instant is how a read shows an instant of a schedule.
func instant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// scheduleJSON renders a schedule; nil is none. The answer to a PUT repeats what
// was sent, a read has instants (armcompute v8.4, the examples of block
// reservations; fact azure-4.2-block-form).
func (q *query) scheduleJSON(_ *sim.Object, r reservation) *scheduleWire {
	s := r.Schedule
	if s == nil || !q.since(sinceBlock) || (s.future() && !q.since(sinceFuture)) {
		return nil
	}
	w := &scheduleWire{Start: instant(s.Start), MinimumCommitmentDays: s.CommitmentDays}
	if !s.future() {
		w.End = instant(s.End)
	}
	if !s.ModifiableUntil.IsZero() {
		w.ModifiableUntil = instant(s.ModifiableUntil)
	}
	if q.method.id == "CapacityReservations_CreateOrUpdate" && s.SentStart != "" {
		w.Start, w.End = s.SentStart, s.SentEnd
	}
	return w
}

// refuse turns a flaw into an answer.
func (f *flaw) refuse() *apiError {
	if f == nil {
		return nil
	}
	return fail(codeInvalidParameter, "%s", f.text).at(f.target)
}

// sentSchedule reads the scheduleProfile of a body.
func (q *query) sentSchedule() (window, bool, *apiError) {
	var w window
	profile, given := q.properties()["scheduleProfile"].(map[string]any)
	if !given {
		return w, false, nil
	}
	if !q.since(sinceBlock) {
		return w, false, fail(codeBadRequest, "Could not find member 'scheduleProfile' on object of type 'CapacityReservationProperties'. "+
			"Path 'properties.scheduleProfile'.").at("properties.scheduleProfile")
	}
	w.start, _ = profile["start"].(string)
	w.end, _ = profile["end"].(string)
	if n, ok := profile["minimumCommitmentDays"].(int64); ok {
		days := int(n)
		w.days = &days
	}
	return w, true, nil
}

// wantSchedule reads the scheduleProfile of a PUT or PATCH into the wish. old is
// nil where the reservation is new. It also checks what a schedule asks of the
// rest: counts of blocks, what a scheduled reservation cannot change.
func (q *query) wantSchedule(kind string, obj *sim.Object, old *reservation, w *wish) *apiError {
	sent, given, err := q.sentSchedule()
	switch {
	case err != nil:
		return err
	case old == nil:
		return q.newSchedule(kind, sent, given, w)
	case old.Schedule == nil && given:
		return changed(targetSchedule)
	case old.Schedule == nil:
		return nil
	case old.Schedule.future():
		return q.changeFuture(obj, old, sent, given, w)
	}
	return changeBlock(obj, old, sent, given, w)
}

// newSchedule reads the schedule of a reservation that is made: one of a group of
// type Block is a block, another one with a start is a future reservation.
// azure-cli #33898 names the types Targeted and Open for those.
func (q *query) newSchedule(kind string, sent window, given bool, w *wish) *apiError {
	if kind == typeBlock {
		if wrong := checkBlockCount(w.count); wrong != nil {
			return wrong.refuse()
		}
		s, wrong := sent.readBlock(q.tx.Now())
		if wrong != nil {
			return wrong.refuse()
		}
		w.schedule = &s
		return nil
	}
	if !given {
		return nil
	}
	if !q.since(sinceFuture) {
		return flawed(targetSchedule, "The schedule profile is only supported when the capacity reservation group type is 'Block'.").refuse()
	}
	options := q.sim.options.Future
	s, wrong := sent.readFuture(q.tx.Now(), options.lockLead(), options.commitment())
	if wrong != nil {
		return wrong.refuse()
	}
	s.Life = q.decided()
	w.schedule = &s
	return nil
}

// changeBlock: only tags can change (fact azure-4.2-block-fixed). A schedule of
// the same days is no change.
func changeBlock(obj *sim.Object, old *reservation, sent window, given bool, w *wish) *apiError {
	if w.count != obj.Count {
		return changed("sku.capacity")
	}
	w.schedule = old.Schedule
	if !given {
		return nil
	}
	if sent.start != "" {
		first, wrong := dayOf(targetStart, sent.start, blockOpens)
		if wrong != nil {
			return wrong.refuse()
		}
		if !first.Add(blockOpens).Equal(old.Schedule.Start) {
			return changed(targetStart)
		}
	}
	if sent.end != "" {
		last, wrong := dayOf(targetEnd, sent.end, blockCloses)
		if wrong != nil {
			return wrong.refuse()
		}
		if !last.Add(blockCloses).Equal(old.Schedule.End) {
			return changed(targetEnd)
		}
	}
	return nil
}

// refuseScheduledDelete keeps what its schedule keeps from being deleted (facts
// azure-4.2-block-delete and azure-4.2-future-delete; code and texts UNVERIFIED).
func (q *query) refuseScheduledDelete(obj *sim.Object, r reservation) *apiError {
	s, now := r.Schedule, q.tx.Now()
	if s == nil {
		return nil
	}
	if s.future() {
		if slices.Contains([]string{futureCommitted, futureLive, futurePartly}, r.State) && now.Before(s.committedUntil()) {
			return fail(codeNotAllowed, "The capacity reservation '%s' in reservation state '%s' cannot be deleted until the minimum commitment "+
				"period of %d days from its start has elapsed, at %s.", lastSegment(r.Path), r.State, s.CommitmentDays, instant(s.committedUntil()))
		}
		return nil
	}
	if provisioningOf(obj) == stateSucceeded && r.State != futureDeclined && r.State != futureFailed && now.Before(s.End) {
		return fail(codeNotAllowed, "The block capacity reservation '%s' cannot be deleted until its schedule ends at %s.",
			lastSegment(r.Path), instant(s.End))
	}
	return nil
}

// dated puts the dates of a schedule into the header.
func dated(obj *sim.Object, s *schedule) {
	if s != nil {
		obj.StartsAt, obj.EndsAt = s.Start, s.End
	}
}

// provisionedSchedule is called when the create or change of a reservation with
// a schedule is done: it sets State, Current and Due.
func provisionedSchedule(obj *sim.Object, r *reservation, at time.Time) {
	if r.Schedule.future() {
		r.provisionedFuture(obj, at)
		return
	}
	// A block is put aside from its allocation on; that it counts as reserved
	// before its start is UNVERIFIED.
	r.Current, obj.Due = 0, time.Time{}
	if at.Before(r.Schedule.End) {
		r.Current, obj.Due = obj.Count, r.Schedule.End
	}
}

// dueReservation lets happen what a schedule brings.
func dueReservation(_ *Simulator, tx *sim.Tx, obj *sim.Object, at time.Time) {
	edit(obj, func(r *reservation) {
		switch {
		case r.Schedule == nil:
		case r.Schedule.future():
			r.dueFuture(tx, obj, at)
		case !at.Before(r.Schedule.End):
			endBlock(tx, obj, r)
		default:
			obj.Due = r.Schedule.End
		}
	})
}

// endBlock ends a block: its machines are gone and it holds nothing, but the
// resource stays until it is deleted. UNVERIFIED.
func endBlock(tx *sim.Tx, obj *sim.Object, r *reservation) {
	before := kept(obj, *r)
	obj.InUse, r.Current = sim.Use{}, 0
	tx.Give(placeOf(obj), before-kept(obj, *r))
}

// patchedSchedule follows a change of the header through the control API; r is
// written back after it.
func patchedSchedule(tx *sim.Tx, before, after *sim.Object, r *reservation) {
	if after.Status != before.Status {
		r.State = ""
		if reservationStates()[after.Status] {
			r.State = after.Status
		}
	}
	switch {
	case r.State == futureDeclined || r.State == futureFailed:
		r.Current, after.Due = 0, time.Time{}
	case after.Status == stateFailed:
	case r.Schedule.future():
		r.patchedFuture(before, after, tx.Now())
	default:
		provisionedSchedule(after, r, tx.Now())
	}
}

// seededSchedule completes a scenario's reservation that has StartsAt: a block
// in a group of that type, else a future reservation, whose status is its state,
// Approved by default.
func seededSchedule(s *Simulator, tx *sim.Tx, obj *sim.Object, r *reservation) error {
	now := tx.Now()
	if r.Kind == typeBlock {
		opens, closes := obj.StartsAt.Truncate(day).Add(blockOpens), obj.EndsAt.Truncate(day).Add(blockCloses)
		days := int(closes.Truncate(day).Sub(opens.Truncate(day)) / day)
		if !opens.Equal(obj.StartsAt) || !closes.Equal(obj.EndsAt) || !blockLength(days) || checkBlockCount(obj.Count) != nil {
			return fail(codeInvalidParameter, "a block starts at 12:00 and ends at 11:30 UTC, and has one of the counts and lengths of blocks")
		}
		r.Schedule = &schedule{Start: opens, End: closes}
		provisionedSchedule(obj, r, now)
		return nil
	}
	if !obj.EndsAt.IsZero() {
		return fail(codeInvalidParameter, "ends_at: only a block has it")
	}
	if !reservationStates()[obj.Status] {
		obj.Status = futureApproved
	}
	options := s.options.Future
	r.Schedule = &schedule{
		Start: obj.StartsAt.UTC(), CommitmentDays: options.commitment(), Life: options.life(),
		ModifiableUntil: modifiableUntil(obj.StartsAt.UTC(), now, options.lockLead()),
	}
	r.State, r.Current = obj.Status, 0
	r.patchedFuture(obj, obj, now)
	return nil
}
