package chaostest

import (
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func awsLives() map[string]life {
	hosts := []string{"AllocateHosts", "PurchaseHostReservation", "ReleaseHosts"}
	return map[string]life{
		OnDemand: {last: 14, least: 1, moves: func(r *Round) []move {
			return []move{r.grow, r.shrink, r.retag, r.replace, r.replaceFirst, r.recreate}
		}},
		Block: {last: 18, least: 2, pays: buyBlock, aims: []string{buyBlock, buyExtension}, over: (*Round).end, moves: func(r *Round) []move {
			return []move{r.prolong, r.prolong, r.prolong, r.retag, r.rename, r.wait, r.forget, r.refuse}
		}},
		Scheduled:     {last: 12, least: 1, aims: []string{"CreateCapacityReservation", "CancelCapacityReservation"}, over: (*Round).payOff, moves: scheduledMoves},
		DedicatedHost: {last: 16, least: 1, aims: hosts, over: (*Round).end, moves: hostMoves},
		Term:          {last: 22, least: 1, aims: hosts, over: (*Round).end, moves: hostMoves},
	}
}

func scheduledMoves(r *Round) []move {
	moves := []move{r.retag, r.rename, r.wait}
	if !r.bound() {
		return append(moves, r.recreate, r.forget)
	}
	// It may be too late to ask for that start again.
	return append(moves, r.refuse)
}

func hostMoves(r *Round) []move {
	moves := []move{r.retag, r.rename, r.forget}
	if r.wish.Payment == "" {
		return append(moves, r.recreate, r.commit, r.commit)
	}
	return append(moves, r.refuse)
}

// prolong asks for a longer block, which buys an extension.
func (r *Round) prolong() error {
	// What is not paid yet cannot be extended.
	if err := r.pass(decided); err != nil {
		return err
	}
	strained, err := r.strain(buyExtension)
	if err != nil {
		return err
	}
	r.wish.Duration += time.Duration(1+r.Rand.IntN(3)) * day
	return r.change("prolong", r.keep(), strained || r.Rand.IntN(4) > 0)
}

// strain may have the payment of the next purchase fail, or take long.
func (r *Round) strain(operation string) (strained bool, err error) {
	fault := sim.Fault{Cloud: "aws", Operation: operation, Times: 1}
	switch r.Rand.IntN(8) {
	case 0:
		fault.OperationError = &sim.OperationError{Code: "unpaid"}
		r.failing = true
	case 1:
		fault.OperationTakes = new(sim.Duration(decided / 2))
	default:
		return false, nil
	}
	r.log = append(r.log, fmt.Sprintf("the payment of the next %s fails: %t, else it takes long", operation, r.failing))
	return true, r.Audit.world.AddFaults(fault)
}

// commit buys a term for a host that has none.
func (r *Round) commit() error {
	r.wish.Kind, r.wish.Payment = Term, []string{"no_upfront", "partial_upfront", "all_upfront"}[r.Rand.IntN(3)]
	return r.change("commit", r.keep(), true)
}

// bound tells whether giving a future-dated reservation up would cost something.
func (r *Round) bound() bool {
	now, err := r.Audit.Now()
	return err != nil || !now.Before(r.wish.StartAt.Add(-56*day))
}

// payOff allows a charge for what is bound.
func (r *Round) payOff() error {
	if !r.bound() {
		return nil
	}
	r.wish.OnDestroy, r.wish.Charge = "cancel_with_charge", 1_000_000
	return r.change("allow a charge", r.keep(), true)
}
