package chaostest

import (
	"fmt"
	"strings"
)

// Operation is a row of the exhaustive table: what is there before, and the
// command that is interrupted.
type Operation struct {
	Name string
	// prepare leads from nothing to what is there before.
	prepare func(t *Table) error
	// wish is what the command and the one after it ask for.
	wish Wish
	may  Permission
	// destroys tells that the command is a destroy, not an apply.
	destroys bool
}

// Operations are the rows: a create; a create that finds what a killed one left,
// claimed by it already; a growth and a shrinkage; a destroy.
func Operations() []Operation {
	one, two := FirstWish(), FirstWish()
	two.Count = 2
	hold := func(w Wish) func(*Table) error {
		return func(t *Table) error { return t.clean(t.named(w)) }
	}
	return []Operation{
		{Name: "create", prepare: func(*Table) error { return nil }, wish: one, may: Permission{Count: 1}},
		{Name: "adopt", prepare: (*Table).orphan, wish: one, may: Permission{Count: 1}},
		{Name: "grow", prepare: hold(one), wish: two, may: Permission{Count: 2}},
		{Name: "shrink", prepare: hold(two), wish: one, may: Permission{Count: 1}},
		{Name: "destroy", prepare: hold(one), wish: one, may: Permission{Release: anything}, destroys: true},
	}
}

// Table plays cases of the exhaustive table, each from nothing to nothing, so
// that many can follow each other in one workspace.
type Table struct {
	Hand  Hand
	Audit *Audit

	// cases counts the lives so far. Each has a name of its own: a name used
	// before makes a create step over its earlier lives, with a request for each.
	cases int
}

// begin leads to what is there before the command of a new case.
func (t *Table) begin(op Operation) (Operation, error) {
	t.cases++
	op.wish = t.named(op.wish)
	if err := op.prepare(t); err != nil {
		return op, fmt.Errorf("%s: prepare: %w", op.Name, err)
	}
	t.Audit.Permit(op.may)
	return op, nil
}

// named is the wish under the name of the present case.
func (t *Table) named(w Wish) Wish {
	w.Name = fmt.Sprintf("a%d", t.cases)
	return w
}

// Requests is how many requests the operation makes when nothing interrupts it.
func (t *Table) Requests(op Operation) (int, error) {
	op, err := t.begin(op)
	if err != nil {
		return 0, err
	}
	out := t.command(op, nil)
	if !out.OK {
		return 0, fmt.Errorf("%s: %s", op.Name, out.Text)
	}
	return out.Requests, t.destroy()
}

func (t *Table) command(op Operation, fault *Fault) Outcome {
	if op.destroys {
		return t.Hand.Destroy(op.wish, fault)
	}
	return t.Hand.Apply(op.wish, fault)
}

// Case interrupts the operation and applies again: then exactly one object is
// there, the plan is empty, and a destroy leaves nothing.
func (t *Table) Case(op Operation, fault Fault) error {
	op, err := t.begin(op)
	if err != nil {
		return err
	}
	out := t.command(op, &fault)
	switch {
	case !out.Struck:
		return fmt.Errorf("there was no request %d: %s", fault.K, out.Text)
	case fault.Act.kills() && out.OK:
		return fmt.Errorf("a killed command succeeded")
	case fault.Act.onProcess() || fault.Act == Hollow || out.OK:
		// An answer that says nothing is an error of its own, for a person to see.
	case fault.Times <= 1:
		return fmt.Errorf("one %s was not ridden out: %s", fault.Act, out.Text)
	}
	if err := t.clean(op.wish); err != nil {
		return fmt.Errorf("%w\nafter the interrupted command: %s", err, out.Text)
	}
	if why := t.Hand.Plan(op.wish); why != "" {
		return fmt.Errorf("the plan is not empty: %s", why)
	}
	return t.destroy()
}

// clean applies without a fault; exactly the wish is there then.
func (t *Table) clean(w Wish) error {
	t.Audit.Permit(Permission{Count: w.Count})
	out := t.Hand.Apply(w, nil)
	if !out.OK {
		return fmt.Errorf("apply: %s", out.Text)
	}
	return t.holds(1, w)
}

// destroy destroys without a fault; nothing is left then.
func (t *Table) destroy() error {
	t.Audit.Permit(Permission{Release: anything})
	if out := t.Hand.Destroy(t.named(FirstWish()), nil); !out.OK {
		return fmt.Errorf("destroy: %s", out.Text)
	}
	return t.holds(0, Wish{})
}

// holds checks what is live, and that no promise was broken on the way.
func (t *Table) holds(want int, w Wish) error {
	if failures := t.Audit.Failures(); len(failures) > 0 {
		return fmt.Errorf("%s", strings.Join(failures, "; "))
	}
	live, err := t.Audit.Live()
	if err != nil {
		return err
	}
	if len(live) != want {
		return fmt.Errorf("%d objects are live, not %d: %+v", len(live), want, live)
	}
	for _, o := range live {
		if why := w.differs(o); why != "" {
			return fmt.Errorf("%s", why)
		}
	}
	return nil
}

// orphan leaves an object that a killed create claimed and no state remembers.
func (t *Table) orphan() error {
	for k := 1; ; k++ {
		t.Audit.Permit(Permission{Count: 1})
		out := t.Hand.Apply(t.named(FirstWish()), &Fault{K: k, Committed: true, Act: KillGroup})
		live, err := t.Audit.Live()
		switch {
		case err != nil:
			return err
		case !out.OK && len(live) == 1 && live[0].Tags[tagClaim] != "":
			return nil
		case !out.Struck || out.OK:
			return fmt.Errorf("no request wrote a claim: %s", out.Text)
		}
	}
}
