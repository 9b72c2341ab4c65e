package azuresim

import (
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// patchReservation is CapacityReservations_Update.
func patchReservation(q *query) (result, *apiError) {
	obj, r, err := q.findReservation()
	if err != nil {
		return result{}, err
	}
	if err := q.refuseMembers("CapacityReservationUpdate", "location", "zones"); err != nil {
		return result{}, err
	}
	w := wish{}
	if err := q.wantSKU(&w, obj.Region); err != nil {
		return result{}, err
	}
	if w.tags, err = q.tags(); err != nil {
		return result{}, err
	}
	if w.tags == nil {
		w.tags = obj.Tags
	}
	status := http.StatusOK
	if q.sim.options.PatchAccepted {
		status = http.StatusAccepted
	}
	return q.update(obj, r, w, status)
}

// update brings a reservation to a wish: tags as a whole, and the capacity. What
// was refused before is tried again, whatever the request changes, since the
// provider works on the whole resource; UNVERIFIED.
func (q *query) update(obj *sim.Object, r reservation, w wish, status int) (result, *apiError) {
	q.req.NativeID = obj.NativeID
	switch provisioningOf(obj) {
	case stateCreating, stateUpdating, stateDeleting:
		return result{}, busy()
	}
	if w.sku != "" && w.size.name != obj.InstanceType {
		return result{}, changed("sku.name")
	}
	if w.count < 0 {
		w.count = obj.Count
	}
	old := r
	if err := q.wantSchedule(r.Kind, obj, &old, &w); err != nil {
		return result{}, err
	}
	r.Schedule = w.schedule
	dated(obj, w.schedule)
	c, f, err := q.fulfill(obj, r, w.count)
	if err != nil {
		return result{}, err
	}
	obj.Tags, obj.Count, obj.Status = w.tags, w.count, stateUpdating
	r.Etag++
	if w.tier != "" {
		r.Tier = w.tier
	}
	if err := obj.Encode(r); err != nil {
		return result{}, internal(err)
	}
	return q.started(obj, "reservation.update", c, f, status)
}

func reservationActs() map[string]act {
	return map[string]act{
		"reservation.create": {succeed: succeeded, fail: failedCreate},
		"reservation.update": {succeed: succeeded, fail: failedUpdate},
		"reservation.delete": {succeed: deleted, fail: failedDelete},
	}
}

// edit changes what is kept of a reservation.
func edit(obj *sim.Object, f func(r *reservation)) {
	var r reservation
	if obj.Decode(&r) != nil {
		return
	}
	f(&r)
	// What was decoded can be encoded.
	_ = obj.Encode(r)
}

// succeeded has a reservation hold what is asked for. A shrink always succeeds,
// also below what is allocated (azure-compute-docs, capacity-reservation-modify).
func succeeded(_ *Simulator, tx *sim.Tx, obj *sim.Object, op *operation, at time.Time) {
	edit(obj, func(r *reservation) {
		r.Failure, r.Provisioned = nil, at
		before := kept(obj, *r) + changeOf(op).Taken
		if r.Schedule != nil {
			provisionedSchedule(obj, r, at)
		} else {
			r.Current = obj.Count
		}
		tx.Give(placeOf(obj), before-kept(obj, *r))
		obj.Status = stateSucceeded
		if r.State != "" {
			obj.Status = r.State
		}
	})
}

// failedCreate leaves a reservation that holds nothing, or nothing at all.
func failedCreate(s *Simulator, tx *sim.Tx, obj *sim.Object, op *operation, at time.Time) {
	if !s.options.NoLeftover {
		failedUpdate(s, tx, obj, op, at)
		return
	}
	tx.Give(placeOf(obj), changeOf(op).Taken)
	tx.Remove(obj)
}

// failedUpdate keeps the new capacity and what was reserved before (fact
// azure-4-failed-growth).
func failedUpdate(_ *Simulator, tx *sim.Tx, obj *sim.Object, op *operation, _ time.Time) {
	tx.Give(placeOf(obj), changeOf(op).Taken)
	obj.Status = stateFailed
	edit(obj, func(r *reservation) { r.Failure = op.Failure })
}

// deleteReservation is CapacityReservations_Delete (facts azure-4-delete). The
// capacity need not be 0.
func deleteReservation(q *query) (result, *apiError) {
	obj, r, err := q.findReservation()
	if err != nil && err.code == codeNotFound {
		return result{status: http.StatusNoContent}, nil
	}
	if err != nil {
		return result{}, err
	}
	q.req.NativeID = obj.NativeID
	switch provisioningOf(obj) {
	case stateCreating, stateUpdating, stateDeleting:
		return result{}, busy()
	}
	if err := q.sim.refuseAssociated(obj, r); err != nil {
		return result{}, err
	}
	if err := q.refuseScheduledDelete(obj, r); err != nil {
		return result{}, err
	}
	obj.Status = stateDeleting
	op, err := q.operate(obj, "reservation.delete", change{}, nil)
	if err != nil {
		return result{}, err
	}
	return result{status: http.StatusAccepted, header: q.accepted(op)}, nil
}

func deleted(_ *Simulator, tx *sim.Tx, obj *sim.Object, _ *operation, at time.Time) {
	release(tx, obj)
	emptied(tx, obj, at)
	tx.Remove(obj)
}

func failedDelete(_ *Simulator, _ *sim.Tx, obj *sim.Object, op *operation, _ time.Time) {
	obj.Status = stateFailed
	edit(obj, func(r *reservation) { r.Failure = op.Failure })
}
