package chaostest

func awsOperations() []Operation {
	adopt, hold := (*Table).orphan, (*Table).clean
	count := func(w *Wish) { w.Count = 2 }
	return []Operation{
		{Name: "create", Kind: OnDemand},
		{Name: "adopt", Kind: OnDemand, prepare: adopt},
		{Name: "grow", Kind: OnDemand, prepare: hold, alter: count},
		{Name: "shrink", Kind: OnDemand, prepare: func(t *Table, w Wish) error { count(&w); return t.clean(w) }},
		{Name: "destroy", Kind: OnDemand, prepare: hold, destroys: true},
		{Name: "create a block", Kind: Block, waits: true},
		{Name: "adopt and extend a block", Kind: Block, waits: true, prepare: adopt, alter: func(w *Wish) { w.Duration += day }},
		{Name: "extend a block", Kind: Block, waits: true, prepare: hold, alter: func(w *Wish) { w.Duration += day }},
		{Name: "create a future-dated one", Kind: Scheduled},
		{Name: "destroy a future-dated one", Kind: Scheduled, prepare: hold, destroys: true},
		{Name: "cancel a future-dated one", Kind: Scheduled, prepare: bind, alter: pay, destroys: true},
		{Name: "create a host", Kind: DedicatedHost},
		{Name: "destroy a host", Kind: DedicatedHost, prepare: hold, destroys: true},
		{Name: "create a term", Kind: Term},
		{Name: "buy a term for a host", Kind: DedicatedHost, prepare: hold, alter: func(w *Wish) { w.Kind, w.Payment = Term, "all_upfront" }},
	}
}

// pay allows any charge for giving up.
func pay(w *Wish) { w.OnDestroy, w.Charge = "cancel_with_charge", 1_000_000 }

// bind leads to where giving a future-dated reservation up costs something.
func bind(t *Table, w Wish) error {
	pay(&w)
	if err := t.clean(w); err != nil {
		return err
	}
	return t.Audit.Pass(30 * day)
}
