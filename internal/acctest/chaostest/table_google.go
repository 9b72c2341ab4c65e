package chaostest

func googleOperations() []Operation {
	hold := (*Table).clean
	count := func(w *Wish) { w.Count = 2 }
	share := func(w *Wish) { w.ShareWith = []string{"partner-one", "partner-two"} }
	larger := func(t *Table, w Wish) error { count(&w); return t.clean(w) }
	shared := func(t *Table, w Wish) error { share(&w); return t.clean(w) }
	both := func(w *Wish) { count(w); share(w) }
	return []Operation{
		{Name: "create", Kind: OnDemand},
		{Name: "adopt", Kind: OnDemand, prepare: (*Table).orphan},
		{Name: "grow and share", Kind: OnDemand, prepare: hold, alter: both},
		{Name: "shrink", Kind: OnDemand, prepare: larger},
		{Name: "share with fewer", Kind: OnDemand, prepare: shared},
		{Name: "destroy", Kind: OnDemand, prepare: hold, destroys: true},
		{Name: "create a future one", Kind: Scheduled},
		{Name: "adopt a future one", Kind: Scheduled, prepare: (*Table).orphan},
		{Name: "change a future one", Kind: Scheduled, prepare: hold, alter: func(w *Wish) { both(w); w.Duration += day }},
		{Name: "destroy a future one", Kind: Scheduled, prepare: hold, destroys: true},
		{Name: "create a block", Kind: Block},
		{Name: "change a block", Kind: Block, prepare: hold, alter: func(w *Wish) { both(w); w.Duration += day }},
		{Name: "destroy a block", Kind: Block, prepare: hold, destroys: true},
	}
}
