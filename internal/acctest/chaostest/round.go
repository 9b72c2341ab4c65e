package chaostest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Round is one life of one reservation, with interruptions.
type Round struct {
	Hand  Hand
	Audit *Audit
	// Rand makes every choice of the round.
	Rand *rand.Rand

	wish Wish
	log  []string
}

// last is the request that a fault may strike at the latest. No command makes
// more than a few more without a fault.
const last = 14

// Run takes the reservation from nothing to nothing. An error tells everything
// that was done.
func (r *Round) Run() error {
	r.wish = FirstWish()
	if err := r.live(); err != nil {
		return fmt.Errorf("%w\n\nwhat was done:\n  %s", err, strings.Join(r.log, "\n  "))
	}
	return nil
}

// live creates, changes a few times, and destroys.
func (r *Round) live() error {
	if err := r.change("create", Permission{Count: 1}, true); err != nil {
		return err
	}
	moves := []func() error{r.grow, r.shrink, r.retag, r.replace, r.replaceFirst, r.recreate}
	for range 1 + r.Rand.IntN(3) {
		if err := moves[r.Rand.IntN(len(moves))](); err != nil {
			return err
		}
	}
	if err := r.settle("final apply"); err != nil {
		return err
	}
	if why := r.Hand.Plan(r.wish); why != "" {
		return fmt.Errorf("the plan is not empty: %s", why)
	}
	return r.destroy()
}

func (r *Round) grow() error {
	r.wish.Count += 1 + r.Rand.IntN(3)
	return r.change("grow", Permission{Count: r.wish.Count}, false)
}

func (r *Round) shrink() error {
	r.wish.Count = 1 + r.Rand.IntN(r.wish.Count)
	return r.change("shrink", Permission{Count: r.wish.Count}, false)
}

func (r *Round) retag() error {
	r.wish.Tags = map[string]string{fmt.Sprintf("key%d", r.Rand.IntN(3)): fmt.Sprintf("v%d", r.Rand.IntN(3))}
	return r.change("retag", Permission{Count: r.wish.Count}, false)
}

// replace takes another type: Terraform deletes first.
func (r *Round) replace() error {
	r.wish.InstanceType, r.wish.CreateFirst = other(r.wish.InstanceType, "g4dn.xlarge", "g4dn.2xlarge"), false
	may := Permission{Count: r.wish.Count, Release: func(old sim.ObjectRow, _ []sim.ObjectRow) bool {
		return old.InstanceType != r.wish.InstanceType
	}}
	return r.change("replace", may, true)
}

// replaceFirst takes another zone under another name: Terraform creates first.
func (r *Round) replaceFirst() error {
	r.wish.Name, r.wish.Zone = other(r.wish.Name, "a", "b"), other(r.wish.Zone, "us-east-1a", "us-east-1b")
	r.wish.CreateFirst = true
	may := Permission{Count: r.wish.Count, Release: func(old sim.ObjectRow, live []sim.ObjectRow) bool {
		for _, o := range live {
			if o.Tags[tagName] == r.wish.Name {
				return old.Tags[tagName] != r.wish.Name
			}
		}
		return false
	}}
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
	return r.change("apply after it", Permission{Count: r.wish.Count}, true)
}

func anything(sim.ObjectRow, []sim.ObjectRow) bool { return true }

// change applies the wish under faults. Where the change is not in place, or the
// dice say so, a clean apply follows before anything else.
func (r *Round) change(name string, may Permission, settle bool) error {
	done, err := r.faulty(name, may, r.Hand.Apply)
	if err != nil || (done && r.Rand.IntN(2) == 0) {
		return err
	}
	if settle || r.Rand.IntN(2) == 0 {
		return r.settle("apply")
	}
	return nil
}

// settle applies without a fault, after which exactly the wish is there.
func (r *Round) settle(name string) error {
	out := r.Hand.Apply(r.wish, nil)
	r.note(name, nil, out)
	if err := r.judge(); err != nil {
		return err
	}
	if !out.OK {
		return fmt.Errorf("%s without a fault failed: %s", name, out.Text)
	}
	live, err := r.Audit.Live()
	switch {
	case err != nil:
		return err
	case len(live) != 1:
		return fmt.Errorf("%d objects are live after an apply, not 1: %+v", len(live), live)
	}
	if why := r.wish.differs(live[0]); why != "" {
		return fmt.Errorf("after an apply %s", why)
	}
	return nil
}

// destroy destroys under faults and then without, after which nothing is left.
func (r *Round) destroy() error {
	if _, err := r.faulty("destroy", Permission{Release: anything}, r.Hand.Destroy); err != nil {
		return err
	}
	out := r.Hand.Destroy(r.wish, nil)
	r.note("final destroy", nil, out)
	if err := r.judge(); err != nil {
		return err
	}
	if !out.OK {
		return fmt.Errorf("destroy without a fault failed: %s", out.Text)
	}
	live, err := r.Audit.Live()
	if err == nil && len(live) > 0 {
		err = fmt.Errorf("leaked: %+v", live)
	}
	return err
}

// faulty runs a command up to three times, each with a fault, and tells whether
// the last one succeeded all the same.
func (r *Round) faulty(name string, may Permission, do func(Wish, *Fault) Outcome) (done bool, err error) {
	r.Audit.Permit(may)
	for range 1 + r.Rand.IntN(3) {
		fault := r.fault()
		out := do(r.wish, &fault)
		r.note(name, &fault, out)
		if err := r.judge(); err != nil {
			return false, err
		}
		if done = out.OK; !out.OK && !out.Struck {
			return false, fmt.Errorf("%s failed without being struck: %s", name, out.Text)
		}
		if done {
			break
		}
	}
	return done, nil
}

func (r *Round) fault() Fault {
	acts := append(Signals(), Answers()...)
	f := Fault{K: 1 + r.Rand.IntN(last), Committed: r.Rand.IntN(2) == 0, Act: acts[r.Rand.IntN(len(acts))]}
	if !f.Act.onProcess() {
		// Once is ridden out by a second try; six times are not.
		f.Times = []int{1, 2, 6}[r.Rand.IntN(3)]
	}
	return f
}

func (r *Round) judge() error {
	if failures := r.Audit.Failures(); len(failures) > 0 {
		return fmt.Errorf("%s", strings.Join(failures, "; "))
	}
	return nil
}

// note keeps what was done, for the report of a failure.
func (r *Round) note(name string, fault *Fault, out Outcome) {
	line := fmt.Sprintf("%s of %d × %s in %s, name %s, tags %v", name, r.wish.Count, r.wish.InstanceType, r.wish.Zone, r.wish.Name, r.wish.Tags)
	if fault != nil {
		line += fmt.Sprintf("; %s (struck: %t)", fault, out.Struck)
	}
	line += fmt.Sprintf("; %d requests; ok: %t", out.Requests, out.OK)
	if out.Text != "" {
		line += "\n      " + strings.ReplaceAll(out.Text, "\n", "\n      ")
	}
	r.log = append(r.log, line)
}
