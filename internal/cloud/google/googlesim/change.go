package googlesim

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// changeable gets a reservation that a request wants to change: one whose
// operation still runs is not ready (UNVERIFIED for reservations, the usual
// answer of Compute Engine elsewhere).
func (q *query) changeable() (*sim.Object, reservation, *apiError) {
	obj, r, err := q.findReservation()
	if err != nil {
		return nil, r, err
	}
	q.req.NativeID = obj.NativeID
	if obj.Status != statusReady {
		return nil, r, fail(reasonNotReady, "The resource '%s' is not ready", obj.NativeID)
	}
	return obj, r, nil
}

// settled ends an operation that was under way.
func settled(tx *sim.Tx, obj *sim.Object) {
	obj.Status = statusReady
	planReservation(tx, obj)
}

// failedChange leaves a reservation as it was.
func failedChange(tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) { settled(tx, obj) }

// resizeReservation is reservations.resize (facts google-3.3-resize).
func resizeReservation(q *query) (*sim.Object, *apiError) {
	obj, r, err := q.changeable()
	if err != nil {
		return nil, err
	}
	count, err := readCount("resource.specificSkuCount", q.body["specificSkuCount"])
	if err != nil {
		return nil, err
	}
	if r.Specific && count < obj.InUse.Count() {
		return nil, invalid("resource.specificSkuCount", strconv.Itoa(count),
			"The resize instance count cannot be lower than the in use count for a specific reservation.")
	}
	if r.HeldUntil.After(q.tx.Now()) {
		return nil, invalid("resource.specificSkuCount", strconv.Itoa(count),
			"Auto-created reservations cannot be resized before future reservation end time.")
	}
	c := change{Count: count}
	var failed *failure
	if more := count - obj.Count; more > 0 {
		if failed, err = q.checkQuota(r.Properties, more, 0); err != nil {
			return nil, err
		}
		if failed == nil {
			failed = q.take(obj, r.Properties, more, &c)
		}
	}
	obj.Status = statusUpdating
	return q.operate(obj, r.ID, "resize", "reservation.resize", c, failed)
}

func resizedReservation(tx *sim.Tx, obj *sim.Object, op *operation, _ time.Time) *failure {
	c := changeOf(op)
	if c.Count < obj.Count {
		// What is used beyond the new count runs on outside it.
		tx.Give(placeOf(obj), obj.Count-max(c.Count, obj.InUse.Count()))
		obj.InUse = trimmed(obj.InUse, c.Count)
	}
	obj.Count = c.Count
	settled(tx, obj)
	return nil
}

func trimmed(use sim.Use, count int) sim.Use {
	if use.Count() <= count {
		return use
	}
	if use.Users != nil {
		return sim.Use{Users: use.Users[:count]}
	}
	return sim.Use{Number: count}
}

func failedResize(tx *sim.Tx, obj *sim.Object, op *operation, _ time.Time) {
	tx.Give(placeOf(obj), changeOf(op).Taken)
	settled(tx, obj)
}

// deleteReservation is reservations.delete (facts google-3.3-delete).
func deleteReservation(q *query) (*sim.Object, *apiError) {
	obj, r, err := q.changeable()
	if err != nil {
		return nil, err
	}
	if r.HeldUntil.After(q.tx.Now()) {
		return nil, fail(reasonInvalid, "Auto-created reservations cannot be deleted before future reservation end time.")
	}
	var failed *failure
	if r.Specific && obj.InUse.Count() > 0 {
		if failed, err = q.sim.refuseInUse(obj); err != nil {
			return nil, err
		}
	}
	obj.Status = statusDeleting
	return q.operate(obj, r.ID, "delete", "reservation.delete", change{}, failed)
}

// refuseInUse words the refusal in the form that the options choose.
func (s *Simulator) refuseInUse(obj *sim.Object) (*failure, *apiError) {
	by := "an instance"
	if users := obj.InUse.Users; len(users) > 0 {
		by = "'" + users[0] + "'"
	}
	message := "The reservation resource '" + obj.NativeID + "' is already being used by " + by
	if !s.options.InUseInOperation {
		return nil, fail(reasonInUse, "%s", message)
	}
	return &failure{Code: "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", Message: message, Status: http.StatusBadRequest}, nil
}

func deletedReservation(tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) *failure {
	removeReservation(tx, obj)
	return nil
}
