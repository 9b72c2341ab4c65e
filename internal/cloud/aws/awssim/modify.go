package awssim

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// modification is what a ModifyCapacityReservation asks for.
type modification struct {
	obj     *sim.Object
	details reservation
	count   int
	ends    time.Time
	match   string
}

// modifyReservation is ModifyCapacityReservation: all of it or nothing.
func modifyReservation(q *query) ([]node, *apiError) {
	m, err := q.modification()
	if err != nil {
		return nil, err
	}
	if err := q.checkModification(m); err != nil {
		return nil, err
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	grow := m.count - m.obj.Count
	if grow > 0 && !q.tx.Take(placeOf(m.obj), grow) {
		return nil, fail(codeCapacity, "Insufficient capacity.")
	}
	if grow < 0 {
		q.tx.Give(placeOf(m.obj), -grow)
	}
	m.obj.Count, m.obj.EndsAt = m.count, m.ends
	plan(m.obj, q.tx.Now())
	m.details.Match = m.match
	if err := m.obj.Encode(m.details); err != nil {
		return nil, refusal(err)
	}
	return []node{boolean("return", true)}, nil
}

// modification reads the request against what the reservation is.
func (q *query) modification() (*modification, *apiError) {
	obj, err := q.named()
	if err != nil {
		return nil, err
	}
	m := &modification{obj: obj, count: obj.Count, ends: obj.EndsAt}
	if err := obj.Decode(&m.details); err != nil {
		return nil, refusal(err)
	}
	if q.form.has("InstanceCount") {
		if m.count, err = q.modifiedCount(); err != nil {
			return nil, err
		}
	}
	if q.form.has("EndDateType") || q.form.has("EndDate") {
		if m.ends, err = q.endDate(); err != nil {
			return nil, err
		}
	}
	m.match = m.details.Match
	if q.form.has("InstanceMatchCriteria") {
		m.match, err = q.form.choice("InstanceMatchCriteria", "open", "targeted")
	}
	return m, err
}

// modifiedCount may be above what a create may ask for: only the step is
// bounded.
func (q *query) modifiedCount() (int, *apiError) {
	count, _, err := q.form.whole("InstanceCount")
	if err != nil {
		return 0, err
	}
	if count < 1 {
		return 0, fail(codeInvalidValue, "%d is an invalid value for InstanceCount. It must be at least 1.", count)
	}
	return count, nil
}

// checkModification is the matrix of section 4.5. Its codes are UNVERIFIED.
func (q *query) checkModification(m *modification) *apiError {
	if err := q.checkState(m); err != nil {
		return err
	}
	if err := m.details.checkEnd(m.ends, q.tx.Now()); err != nil {
		return err
	}
	step := m.count - m.obj.Count
	if step > maxInstances || step < -maxInstances {
		return fail(codeInvalidValue, "InstanceCount can change by at most %d in one request, not from %d to %d",
			maxInstances, m.obj.Count, m.count)
	}
	if used := m.obj.InUse.Count(); m.count < used && !q.sim.options.ShrinkBelowUse {
		return fail(codeInvalidValue, "InstanceCount %d is below the %d instances that are running", m.count, used)
	}
	if used := m.obj.InUse.Count(); m.match != m.details.Match && used > 0 {
		return fail(codeIncorrectState, "InstanceMatchCriteria can change only while no instance runs in '%s'; %d do",
			reservationID(m.obj), used)
	}
	if step <= 0 {
		return nil
	}
	return q.sim.checkQuota(q.tx, m.obj.Account, m.obj.Region, m.obj.InstanceType, step)
}

// checkState tells what may be modified at all: everything while active but
// the count below what is committed, the end date while scheduled.
func (q *query) checkState(m *modification) *apiError {
	switch {
	case isBlock(m.obj):
		return blockStays(m.obj, "modified")
	case m.obj.Status == stateScheduled && m.count == m.obj.Count && m.match == m.details.Match:
		return nil
	case m.obj.Status != stateActive:
		return incorrectState(m.obj, "modified")
	}
	if f := m.details.Future; f.binds(q.tx.Now()) && m.count < f.Count {
		return fail(codeInvalidValue, "InstanceCount %d is below the %d instances that are committed until %s",
			m.count, f.Count, stamp(f.Ends))
	}
	return nil
}
