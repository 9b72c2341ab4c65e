package chaostest

func azureOperations() []Operation {
	adopt, hold := (*Table).orphan, (*Table).clean
	partners := azureTarget().partners
	count := func(w *Wish) { w.Count = 2 }
	share := func(w *Wish) { w.ShareWith = partners[:2] }
	retag := func(w *Wish) { w.Tags = map[string]string{"team": "t1"} }
	all := func(w *Wish) { count(w); share(w); retag(w) }
	first := func(change func(*Wish)) func(*Table, Wish) error {
		return func(t *Table, w Wish) error { change(&w); return t.clean(w) }
	}
	return []Operation{
		{Name: "create", Kind: OnDemand},
		{Name: "adopt", Kind: OnDemand, prepare: adopt},
		{Name: "create, refused", Kind: OnDemand, prepare: refuseNext("CapacityReservations_CreateOrUpdate", nil), refused: true},
		{Name: "grow, share and retag", Kind: OnDemand, prepare: hold, alter: all},
		{Name: "grow, refused", Kind: OnDemand, prepare: refuseNext("CapacityReservations_Update", hold), alter: count, refused: true},
		{Name: "shrink", Kind: OnDemand, prepare: first(count)},
		{Name: "share with fewer", Kind: OnDemand, prepare: first(share)},
		{Name: "destroy", Kind: OnDemand, prepare: hold, destroys: true},
		{Name: "create a future one", Kind: Scheduled},
		{Name: "adopt a future one", Kind: Scheduled, prepare: adopt},
		{Name: "change a future one", Kind: Scheduled, prepare: hold, alter: func(w *Wish) { all(w); w.StartAt = w.StartAt.Add(day) }},
		{Name: "destroy a future one", Kind: Scheduled, prepare: hold, destroys: true},
		{Name: "create a block", Kind: Block},
		{Name: "adopt a block", Kind: Block, prepare: adopt},
		{Name: "retag a block", Kind: Block, prepare: hold, alter: retag},
	}
}

// refuseNext has Azure refuse, once, an operation that comes after what is there
// before.
func refuseNext(operation string, prepare func(*Table, Wish) error) func(*Table, Wish) error {
	return func(t *Table, w Wish) error {
		if prepare != nil {
			if err := prepare(t, w); err != nil {
				return err
			}
		}
		return t.Audit.world.AddFaults(azureRefusal(operation))
	}
}
