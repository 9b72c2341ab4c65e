package chaostest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func azureLives() map[string]life {
	const poll = "Operations_Get"
	made := []string{
		poll, "CapacityReservationGroups_CreateOrUpdate", "CapacityReservations_CreateOrUpdate",
		"CapacityReservations_Delete", "CapacityReservationGroups_Delete",
	}
	changed := append([]string{"CapacityReservations_Update", "CapacityReservationGroups_Update"}, made...)
	return map[string]life{
		OnDemand: {last: 24, least: 1, aims: changed, moves: func(r *Round) []move {
			return []move{r.grow, r.growRefused, r.growRefused, r.shrink, r.retag, r.share, r.replace, r.replaceFirst, r.recreate, r.forgetAsIs}
		}},
		Scheduled: {last: 20, least: 1, aims: changed, decided: true, over: (*Round).endAzure, moves: azureFutureMoves},
		Block:     {last: 20, least: 1, aims: made, decided: true, over: (*Round).end, moves: azureBlockMoves},
	}
}

// azureFutureMoves are those of a future reservation, which is free until it is
// committed; here that is as long as no time was let pass.
func azureFutureMoves(r *Round) []move {
	if r.late {
		return []move{r.retag, r.refuse, r.waitAzure}
	}
	return []move{r.grow, r.shrink, r.retag, r.share, r.postpone, r.recreate, r.forgetAsIs, r.waitAzure}
}

// azureBlockMoves are those of a block. One that has begun cannot be found again: it
// is too late to ask for that start.
func azureBlockMoves(r *Round) []move {
	moves := []move{r.retag, r.wait, r.refuse}
	if now, err := r.Audit.Now(); err == nil && now.Before(r.wish.StartAt.Add(-day)) {
		moves = append(moves, r.forgetAsIs)
	}
	return moves
}

// azureRefusal has Azure accept a request and then find no capacity for it, once.
func azureRefusal(operation string) sim.Fault {
	return sim.Fault{Cloud: "azure", Operation: operation, Times: 1, OperationError: &sim.OperationError{
		Code: "AllocationFailed", Message: "Allocation failed. We do not have sufficient capacity for the requested VM size in this region.",
	}}
}

// growRefused asks for more, which Azure refuses once after it began: what was
// held is held all the same.
func (r *Round) growRefused() error {
	may := r.keep()
	r.wish.Count += 1 + r.Rand.IntN(3)
	r.failing = true
	r.log = append(r.log, "the next growth is refused")
	if err := r.Audit.world.AddFaults(azureRefusal("CapacityReservations_Update")); err != nil {
		return err
	}
	return r.change("grow, refused", may, true)
}

// postpone moves the start of the window.
func (r *Round) postpone() error {
	r.wish.StartAt = r.wish.StartAt.Add(time.Duration(1+r.Rand.IntN(3)) * day)
	return r.change("postpone", r.keep(), false)
}

// waitAzure lets time pass to where the request is committed, or its window began.
func (r *Round) waitAzure() error {
	return r.waitFor(r.wish.StartAt.Add(-30*day), r.wish.StartAt.Add(day))
}

// endAzure lets time pass until the commitment is over, where giving it up before
// would be refused.
func (r *Round) endAzure() error {
	now, err := r.Audit.Now()
	if err != nil || !r.late {
		return err
	}
	// 30 days are committed where none are asked for.
	return r.pass(r.wish.StartAt.Add(31 * day).Sub(now))
}
