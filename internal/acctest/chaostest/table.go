package chaostest

import (
	"errors"
	"fmt"
	"strings"
)

// Operation is a row of the exhaustive table: what is there before, and the
// command that is interrupted.
type Operation struct {
	Name, Cloud, Kind string
	// prepare leads from nothing to what is there before; nil is nothing.
	prepare func(t *Table, first Wish) error
	// alter makes what the command and the one after it ask for of the kind's
	// first wish; nil is that one.
	alter func(*Wish)
	// waits tells that it waits for minutes, between two looks or for a payment.
	waits bool
	// destroys tells that the command is a destroy, not an apply.
	destroys bool
	// refused tells that the cloud refuses the command once, so that it fails by
	// itself and the next one may.
	refused bool
}

// Waits tells that the operation waits for minutes, between two looks or for a
// payment.
func (op Operation) Waits() bool { return op.waits }

// Table plays cases of the exhaustive table, each from nothing to nothing, so
// that many can follow each other in one workspace.
type Table struct {
	Hand  Hand
	Audit *Audit

	// cases counts the lives so far. Each has a name of its own: a name used
	// before makes a create step over its earlier lives, with a request for each.
	cases int
}

// begin leads to what is there before the command of a new case, and returns
// what the command asks for.
func (t *Table) begin(op Operation) (Wish, error) {
	t.cases++
	now, err := t.Audit.Now()
	if err := errors.Join(err, t.Audit.Begin()); err != nil {
		return Wish{}, err
	}
	w := FirstWish(op.Cloud, op.Kind, now)
	w.Name = fmt.Sprintf("a%d", t.cases)
	if op.prepare != nil {
		if err := op.prepare(t, w); err != nil {
			return w, fmt.Errorf("%s: prepare: %w", op.Name, err)
		}
	}
	if op.alter != nil {
		op.alter(&w)
	}
	may := Permission{Count: w.Count}
	if op.destroys {
		may.Release = anything
	}
	if op.refused {
		// What was begun is set back to what is held.
		may.Count = 1
	}
	t.Audit.Permit(w.allow(may))
	return w, nil
}

// Requests is how many requests the operation makes when nothing interrupts it.
func (t *Table) Requests(op Operation) (int, error) {
	w, err := t.begin(op)
	if err != nil {
		return 0, err
	}
	out := t.command(op, w, nil)
	if out.OK == op.refused {
		return 0, fmt.Errorf("%s: ok: %t %s", op.Name, out.OK, out.Text)
	}
	return out.Requests, t.destroy(w)
}

func (t *Table) command(op Operation, w Wish, fault *Fault) Outcome {
	if op.destroys {
		return t.Hand.Destroy(w, fault)
	}
	return t.Hand.Apply(w, fault)
}

// Case interrupts the operation and applies again: then exactly one object is
// there, the plan is empty, and a destroy leaves nothing.
func (t *Table) Case(op Operation, fault Fault) error {
	w, err := t.begin(op)
	if err != nil {
		return err
	}
	out := t.command(op, w, &fault)
	switch err := fault.ridden(out, t.Audit.target.once); {
	case !op.refused && err != nil:
		return err
	case op.refused && !out.Struck:
		return fmt.Errorf("there was no request %d: %s", fault.K, out.Text)
	case op.refused:
		// Either this apply or the one before met the refusal.
		t.command(op, w, nil)
	}
	if err := t.clean(w); err != nil {
		return fmt.Errorf("%w\nafter the interrupted command (%s): %s", err, out.Operation, out.Text)
	}
	if why := t.Hand.Plan(w); why != "" {
		return fmt.Errorf("the plan is not empty: %s", why)
	}
	return t.destroy(w)
}

// ridden says why a command that met the fault should have ended in another way.
func (f Fault) ridden(out Outcome, once func(operation string) bool) error {
	switch {
	case !out.Struck:
		return fmt.Errorf("there was no request %d: %s", f.K, out.Text)
	case f.Act.kills() && out.OK:
		return fmt.Errorf("a killed command succeeded")
	case f.Act.onProcess() || f.Act == Hollow || out.OK || once(out.Operation):
		// An answer that says nothing is an error of its own, for a person to see.
	case f.Times <= 1:
		return fmt.Errorf("one %s was not ridden out: %s", f.Act, out.Text)
	}
	return nil
}

// clean applies without a fault; exactly the wish is there then. What the cloud
// decides a moment later is decided then, and in the state.
func (t *Table) clean(w Wish) error {
	t.Audit.Permit(w.allow(Permission{Count: w.Count}))
	if out := t.Hand.Apply(w, nil); !out.OK {
		return fmt.Errorf("apply: %s", out.Text)
	}
	if w.decidedLater() {
		if err := t.Audit.Pass(decided); err != nil {
			return err
		}
		if out := t.Hand.Apply(w, nil); !out.OK {
			return fmt.Errorf("apply, once decided: %s", out.Text)
		}
	}
	return t.holds(1, w)
}

// destroy destroys without a fault, what is paid for once that is over; nothing
// is left then.
func (t *Table) destroy(w Wish) error {
	t.Audit.Permit(w.allow(Permission{Release: anything}))
	if err := t.Audit.Pass(w.over()); err != nil {
		return err
	}
	if out := t.Hand.Destroy(w, nil); !out.OK {
		return fmt.Errorf("destroy: %s", out.Text)
	}
	return t.holds(0, Wish{})
}

// holds checks what is live, and that no promise was broken on the way.
func (t *Table) holds(want int, w Wish) error {
	if failures := t.Audit.Failures(); len(failures) > 0 {
		return fmt.Errorf("%s", strings.Join(failures, "; "))
	}
	live, err := t.Audit.Settled()
	if err != nil {
		return err
	}
	if len(live) != want {
		return fmt.Errorf("%d objects are live, not %d: %+v", len(live), want, live)
	}
	for _, o := range live {
		if why := w.differs(o, t.Audit.nameOf(o)); why != "" {
			return fmt.Errorf("%s", why)
		}
	}
	return nil
}

// orphan leaves an object that a killed create claimed and no state remembers.
func (t *Table) orphan(w Wish) error {
	t.Audit.Permit(w.allow(Permission{Count: w.Count}))
	for k := 1; ; k++ {
		out := t.Hand.Apply(w, &Fault{K: k, Committed: true, Act: KillGroup})
		if err := t.Audit.Pass(t.Audit.target.lag); err != nil {
			return err
		}
		live, err := t.Audit.Live()
		now, nowErr := t.Audit.Now()
		switch err := errors.Join(err, nowErr); {
		case err != nil:
			return err
		case !out.OK && len(live) == 1 && t.Audit.target.look(live[0], now).claimed:
			return t.Audit.Pass(decided)
		case !out.Struck || out.OK:
			return fmt.Errorf("no request wrote a claim: %s", out.Text)
		}
	}
}
