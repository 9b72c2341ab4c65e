package chaostest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Round is one life of one reservation, with interruptions.
type Round struct {
	Kind  string
	Hand  Hand
	Audit *Audit
	// Rand makes every choice of the round.
	Rand *rand.Rand

	life life
	wish Wish
	// failing tells that the cloud refuses something once, such as a payment, and a
	// command fails with it.
	failing bool
	// late tells that so much time was let pass that what is held is bound.
	late bool
	log  []string
}

// Run takes the reservation from nothing to nothing. An error tells everything
// that was done.
func (r *Round) Run() error {
	if err := r.live(); err != nil {
		return fmt.Errorf("%w\n\nwhat was done:\n  %s", err, strings.Join(r.log, "\n  "))
	}
	return nil
}

// live creates, changes a few times, and destroys.
func (r *Round) live() error {
	if err := r.begin(); err != nil {
		return err
	}
	for range r.life.least + r.Rand.IntN(3) {
		moves := r.life.moves(r)
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
	if r.life.over != nil {
		if err := r.life.over(r); err != nil {
			return err
		}
	}
	return r.destroy()
}

// begin creates.
func (r *Round) begin() error {
	t := r.Audit.target
	r.life = t.lives()[r.Kind]
	if r.life.moves == nil {
		return fmt.Errorf("no rounds are known for kind %q of %s", r.Kind, t.name)
	}
	now, err := r.Audit.Now()
	if err := errors.Join(err, r.Audit.Begin()); err != nil {
		return err
	}
	r.wish = FirstWish(t.name, r.Kind, now)
	strained := false
	if r.life.pays != "" {
		if strained, err = r.strain(r.life.pays); err != nil {
			return err
		}
	}
	if err := r.change("create", r.keep(), true); err != nil || !strained {
		return err
	}
	// One apply finds what was not paid for and buys another one, one more finds
	// that paid.
	return errors.Join(r.settle("apply after the payment"), r.settle("apply after that"))
}

// keep permits nothing to go.
func (r *Round) keep() Permission { return Permission{Count: r.wish.Count} }

func anything(sim.ObjectRow, []sim.ObjectRow) bool { return true }

// change applies the wish under faults. Where the change is not in place, the next
// one has to wait for it or the dice say so, a clean apply follows before anything
// else.
func (r *Round) change(name string, may Permission, settle bool) error {
	done, err := r.faulty(name, may, r.Hand.Apply)
	if err != nil || (done && !r.life.decided && r.Rand.IntN(2) == 0) {
		return err
	}
	if settle || r.life.decided || r.Rand.IntN(2) == 0 {
		return r.settle("apply")
	}
	return nil
}

// settle applies without a fault, after which exactly the wish is there. What the
// cloud decides a moment later is decided then, and in the state.
func (r *Round) settle(name string) error {
	if r.failing {
		// This may be the apply that meets it.
		r.note("apply that may be refused", nil, r.Hand.Apply(r.wish, nil))
		r.failing = false
	}
	if err := r.letGo(); err != nil {
		return err
	}
	if err := r.clean(name, r.Hand.Apply); err != nil {
		return err
	}
	if r.wish.decidedLater() {
		if err := r.pass(decided); err != nil {
			return err
		}
		if err := r.clean(name+", once decided", r.Hand.Apply); err != nil {
			return err
		}
	}
	live, err := r.Audit.Live()
	switch {
	case err != nil:
		return err
	case len(live) != 1:
		return fmt.Errorf("%d objects are live after an apply, not 1: %+v", len(live), live)
	}
	if why := r.wish.differs(live[0], r.Audit.nameOf(live[0])); why != "" {
		return fmt.Errorf("after an apply %s", why)
	}
	return nil
}

// clean runs a command without a fault, which must succeed.
func (r *Round) clean(name string, do func(Wish, *Fault) Outcome) error {
	out := do(r.wish, nil)
	r.note(name, nil, out)
	if err := r.judge(); err != nil {
		return err
	}
	if !out.OK {
		return fmt.Errorf("%s without a fault failed: %s", name, out.Text)
	}
	return nil
}

// letGo lets time pass until nothing is on its way out any more.
func (r *Round) letGo() error {
	going, err := r.Audit.Going()
	if err != nil || !going {
		return err
	}
	return r.pass(r.Audit.target.lag)
}

// pass lets the cloud's time pass.
func (r *Round) pass(d time.Duration) error {
	r.log = append(r.log, d.String()+" pass")
	return r.Audit.Pass(d)
}

// destroy destroys under faults and then without, after which nothing is left.
func (r *Round) destroy() error {
	if _, err := r.faulty("destroy", Permission{Release: anything}, r.Hand.Destroy); err != nil {
		return err
	}
	if err := r.clean("final destroy", r.Hand.Destroy); err != nil {
		return err
	}
	live, err := r.Audit.Settled()
	if err == nil && len(live) > 0 {
		err = fmt.Errorf("leaked: %+v", live)
	}
	return err
}

// faulty runs a command up to three times, each with a fault, and tells whether
// the last one succeeded all the same.
func (r *Round) faulty(name string, may Permission, do func(Wish, *Fault) Outcome) (done bool, err error) {
	r.Audit.Permit(r.wish.allow(may))
	for range 1 + r.Rand.IntN(3) {
		fault := r.fault()
		going, err := r.Audit.Going()
		if err != nil {
			return false, err
		}
		out := do(r.wish, &fault)
		r.note(name, &fault, out)
		if err := r.judge(); err != nil {
			return false, err
		}
		if done = out.OK; !out.OK && !out.Struck && !r.failing && !going {
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
	f := Fault{K: 1 + r.Rand.IntN(r.life.last), Committed: r.Rand.IntN(2) == 0, Act: acts[r.Rand.IntN(len(acts))]}
	if aims := r.life.aims; len(aims) > 0 && r.Rand.IntN(2) == 0 {
		f.K, f.Operation = 0, aims[r.Rand.IntN(len(aims))]
	}
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
	line := fmt.Sprintf("%s of %s", name, r.wish)
	if fault != nil {
		line += fmt.Sprintf("; %s (struck: %t %s)", fault, out.Struck, out.Operation)
	}
	line += fmt.Sprintf("; %d requests; ok: %t", out.Requests, out.OK)
	if out.Text != "" {
		line += "\n      " + strings.ReplaceAll(out.Text, "\n", "\n      ")
	}
	r.log = append(r.log, line)
}
