package azuresim

import (
	"net/http"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// deleteGroup is CapacityReservationGroups_Delete (facts azure-4-group). Resource
// Manager answers 204 for what is not there.
func deleteGroup(q *query) (result, *apiError) {
	if _, err := q.resourceGroup(); err != nil {
		return result{}, err
	}
	obj, there := q.tx.Object(cloudName, nativeID(q.groupID()))
	if !there {
		return result{status: http.StatusNoContent}, nil
	}
	q.req.NativeID = obj.NativeID
	if obj.Status == stateDeleting {
		return result{}, busy()
	}
	if err := q.groupInTheWay(obj); err != nil {
		return result{}, err
	}
	if q.sim.options.GroupAtOnce {
		q.tx.Remove(obj)
		return result{}, nil
	}
	obj.Status = stateDeleting
	op, err := q.operate(obj, "group.delete", change{}, nil)
	if err != nil {
		return result{}, err
	}
	return result{status: http.StatusAccepted, header: q.accepted(op)}, nil
}

// groupInTheWay refuses while there are reservations, and for some seconds after
// (fact azure-4-group-lag).
func (q *query) groupInTheWay(obj *sim.Object) *apiError {
	var g group
	if err := obj.Decode(&g); err != nil {
		return internal(err)
	}
	var nested []string
	for _, child := range q.children(obj) {
		var r reservation
		if err := child.Decode(&r); err != nil {
			return internal(err)
		}
		if err := q.sim.refuseAssociated(child, r); err != nil {
			return err
		}
		nested = append(nested, r.Path)
	}
	if len(nested) == 0 && !g.Emptied.IsZero() && q.tx.Now().Before(g.Emptied.Add(q.sim.options.GroupLag)) {
		nested = []string{g.Last}
	}
	if len(nested) == 0 {
		return nil
	}
	return fail(codeCannotDelete, "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '%s'. "+
		"Please delete all nested resources before deleting this resource.", strings.Join(nested, ","))
}

// emptied notes that a reservation left its group.
func emptied(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var r reservation
	if obj.Decode(&r) != nil {
		return
	}
	of, there := tx.Object(cloudName, r.Group)
	var g group
	if !there || of.Decode(&g) != nil {
		return
	}
	g.Emptied, g.Last = at, r.Path
	// What was decoded can be encoded.
	_ = of.Encode(g)
}

// changedGroup takes the reservations of a group that is gone along.
func changedGroup(_ *Simulator, tx *sim.Tx, before, after *sim.Object) {
	if after == nil {
		dropBelow(tx, before.NativeID)
	}
}
