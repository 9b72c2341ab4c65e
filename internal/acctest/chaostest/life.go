package chaostest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// move changes something of a life under faults.
type move func() error

// life is what happens to a reservation of one kind between its create and its
// last destroy.
type life struct {
	// last is the request that a fault may strike at the latest. No command makes
	// many more without a fault.
	last int
	// least is how many moves there are at least; up to two more are drawn.
	least int
	// aims are the operations that half of the faults strike at, whichever of the
	// requests they are.
	aims []string
	// pays is the purchase of the create, whose payment may fail or take long.
	pays string
	// moves are those that can be made now; one that is more dangerous is there
	// more than once.
	moves func(r *Round) []move
	// over leads to where a destroy is allowed, nil where it always is.
	over func(r *Round) error
}

// Kinds are those that rounds can be played of.
func Kinds() []string { return slices.Sorted(maps.Keys(lives())) }

func lives() map[string]life {
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

func (r *Round) grow() error {
	r.wish.Count += 1 + r.Rand.IntN(3)
	return r.change("grow", r.keep(), false)
}

func (r *Round) shrink() error {
	r.wish.Count = 1 + r.Rand.IntN(r.wish.Count)
	return r.change("shrink", r.keep(), false)
}

func (r *Round) retag() error {
	r.wish.Tags = map[string]string{fmt.Sprintf("key%d", r.Rand.IntN(3)): fmt.Sprintf("v%d", r.Rand.IntN(3))}
	return r.change("retag", r.keep(), false)
}

func (r *Round) rename() error {
	r.wish.Name = other(r.wish.Name, "a", "b")
	return r.change("rename", r.keep(), false)
}

// replace takes another type: Terraform deletes first.
func (r *Round) replace() error {
	r.wish.InstanceType, r.wish.CreateFirst = other(r.wish.InstanceType, "g4dn.xlarge", "g4dn.2xlarge"), false
	may := r.keep()
	may.Release = func(old sim.ObjectRow, _ []sim.ObjectRow) bool { return old.InstanceType != r.wish.InstanceType }
	return r.change("replace", may, true)
}

// replaceFirst takes another zone under another name: Terraform creates first.
func (r *Round) replaceFirst() error {
	r.wish.Name, r.wish.Zone = other(r.wish.Name, "a", "b"), other(r.wish.Zone, "us-east-1a", "us-east-1b")
	r.wish.CreateFirst = true
	may := r.keep()
	may.Release = func(old sim.ObjectRow, live []sim.ObjectRow) bool {
		for _, o := range live {
			if o.Tags[tagName] == r.wish.Name {
				return old.Tags[tagName] != r.wish.Name
			}
		}
		return false
	}
	return r.change("replace, create before destroy", may, true)
}

func other(is, a, b string) string {
	if is == a {
		return b
	}
	return a
}

// recreate destroys under faults and creates again from whatever is left.
func (r *Round) recreate() error {
	if _, err := r.faulty("destroy", Permission{Release: anything}, r.Hand.Destroy); err != nil {
		return err
	}
	return r.change("apply after it", r.keep(), true)
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
		r.unpaid = true
	case 1:
		fault.OperationTakes = new(sim.Duration(decided / 2))
	default:
		return false, nil
	}
	r.log = append(r.log, fmt.Sprintf("the payment of the next %s fails: %t, else it takes long", operation, r.unpaid))
	return true, r.Audit.world.AddFaults(fault)
}

// commit buys a term for a host that has none.
func (r *Round) commit() error {
	r.wish.Kind, r.wish.Payment = Term, []string{"no_upfront", "partial_upfront", "all_upfront"}[r.Rand.IntN(3)]
	return r.change("commit", r.keep(), true)
}

// forget has the state forget the object, which stays, and finds it again; with
// luck a longer one is asked for at the same time.
func (r *Round) forget() error {
	r.wish.OnDestroy = "abandon"
	if err := r.change("allow to abandon", r.keep(), true); err != nil {
		return err
	}
	if _, err := r.faulty("abandon", r.keep(), r.Hand.Destroy); err != nil {
		return err
	}
	r.wish.OnDestroy = ""
	if r.wish.Duration > 0 && r.Rand.IntN(2) == 0 {
		r.wish.Duration += day
	}
	return r.change("find again", r.keep(), true)
}

// refuse asks for the end of what cannot be given up.
func (r *Round) refuse() error {
	r.Audit.Permit(r.wish.allow(r.keep()))
	fault := r.fault()
	out := r.Hand.Destroy(r.wish, &fault)
	r.note("destroy what is bound", &fault, out)
	if out.OK {
		return fmt.Errorf("what is bound was given up, or forgotten")
	}
	return r.judge()
}

// wait lets time pass towards the start or the end of the window, but not to
// where the block can be extended no longer.
func (r *Round) wait() error {
	live, err := r.Audit.Live()
	if err != nil || len(live) != 1 {
		return err // nothing of which time could come
	}
	now, err := r.Audit.Now()
	if err != nil {
		return err
	}
	to := live[0].StartsAt.Add(time.Hour)
	if now.After(to) && !live[0].EndsAt.IsZero() {
		to = live[0].EndsAt.Add(-16 * time.Hour)
	}
	if now.Before(to) {
		// All the way, or a part of it.
		if err := r.pass(to.Sub(now) / time.Duration(1+r.Rand.IntN(3))); err != nil {
			return err
		}
	}
	return r.change("later", r.keep(), true)
}

// end lets time pass until what was paid for is over; a host stays.
func (r *Round) end() error { return r.pass(r.wish.over()) }

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
