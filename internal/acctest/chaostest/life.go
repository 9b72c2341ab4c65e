package chaostest

import (
	"fmt"
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
	// decided tells that nothing can be changed while the cloud has not decided on
	// what was asked for before.
	decided bool
	// over leads to where a destroy is allowed, nil where it always is.
	over func(r *Round) error
}

// names are two that a life moves between.
func names() [2]string { return [2]string{"a", "b"} }

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

// share gives the reservation to other accounts, or to fewer.
func (r *Round) share() error {
	partners := r.Audit.target.partners
	r.wish.ShareWith = nil
	for _, account := range partners[1:] {
		if r.Rand.IntN(2) == 0 {
			r.wish.ShareWith = append(r.wish.ShareWith, account)
		}
	}
	r.wish.ShareWith = append(r.wish.ShareWith, partners[0])
	return r.change("share", r.keep(), false)
}

func (r *Round) rename() error {
	r.wish.Name = other(r.wish.Name, names())
	return r.change("rename", r.keep(), false)
}

// replace takes another type: Terraform deletes first.
func (r *Round) replace() error {
	r.wish.InstanceType, r.wish.CreateFirst = other(r.wish.InstanceType, r.Audit.target.types), false
	may := r.keep()
	may.Release = func(old sim.ObjectRow, _ []sim.ObjectRow) bool { return old.InstanceType != r.wish.InstanceType }
	return r.change("replace", may, true)
}

// replaceFirst takes another zone under another name: Terraform creates first.
func (r *Round) replaceFirst() error {
	r.wish.Name, r.wish.Zone = other(r.wish.Name, names()), other(r.wish.Zone, r.Audit.target.zones)
	r.wish.CreateFirst = true
	may := r.keep()
	may.Release = func(old sim.ObjectRow, live []sim.ObjectRow) bool {
		for _, o := range live {
			if r.Audit.nameOf(o) == r.wish.Name {
				return r.Audit.nameOf(old) != r.wish.Name
			}
		}
		return false
	}
	return r.change("replace, create before destroy", may, true)
}

func other(is string, two [2]string) string {
	if is == two[0] {
		return two[1]
	}
	return two[0]
}

// recreate destroys under faults and creates again from whatever is left.
func (r *Round) recreate() error {
	if _, err := r.faulty("destroy", Permission{Release: anything}, r.Hand.Destroy); err != nil {
		return err
	}
	return r.change("apply after it", r.keep(), true)
}

// forget has the state forget the object, which stays, and finds it again; with
// luck a longer one is asked for at the same time.
func (r *Round) forget() error {
	return r.forgetAnd(func() {
		if r.wish.Duration > 0 && r.Rand.IntN(2) == 0 {
			r.wish.Duration += day
		}
	})
}

// forgetAsIs does so without asking for anything else.
func (r *Round) forgetAsIs() error { return r.forgetAnd(func() {}) }

func (r *Round) forgetAnd(ask func()) error {
	r.wish.OnDestroy = "abandon"
	if err := r.change("allow to abandon", r.keep(), true); err != nil {
		return err
	}
	if _, err := r.faulty("abandon", r.keep(), r.Hand.Destroy); err != nil {
		return err
	}
	r.wish.OnDestroy = ""
	ask()
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

// waitFor lets time pass to the next of some instants, after which what is held is
// bound.
func (r *Round) waitFor(instants ...time.Time) error {
	now, err := r.Audit.Now()
	if err != nil {
		return err
	}
	next := slices.IndexFunc(instants, now.Before)
	if next < 0 {
		return r.change("look again", r.keep(), true)
	}
	r.late = true
	if err := r.pass(instants[next].Sub(now)); err != nil {
		return err
	}
	return r.change("later", r.keep(), true)
}

// end lets time pass until what was paid for is over; a host stays.
func (r *Round) end() error { return r.pass(r.wish.over()) }
