package azuresim

import (
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// changedReservation follows a change of a reservation behind everyone's back. A
// count in state Failed is one that was refused: what is really reserved stays.
func changedReservation(_ *Simulator, tx *sim.Tx, before, after *sim.Object) {
	if after == nil {
		release(tx, before)
		emptied(tx, before, tx.Now())
		return
	}
	var old reservation
	if before.Decode(&old) != nil {
		return
	}
	edit(after, func(r *reservation) {
		if after.Count != before.Count {
			r.Etag++
		}
		switch {
		case r.Schedule != nil:
			patchedSchedule(tx, before, after, r)
		case after.Status == stateFailed:
			refusedGrowth(before, after, r)
		case after.Status != stateCreating:
			r.Current, r.Failure = after.Count, nil
		}
		tx.Give(placeOf(after), kept(before, old)-kept(after, *r))
	})
}

// refusedGrowth is the state after a growth without stock.
func refusedGrowth(before, after *sim.Object, r *reservation) {
	if r.Failure == nil || before.Status != stateFailed {
		refused := (&Simulator{}).stockout(after)
		r.Failure = failed(refused)
	}
}
