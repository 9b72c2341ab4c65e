package chaostest

import "time"

func googleLives() map[string]life {
	future := []string{
		"compute.futureReservations.insert", "compute.futureReservations.update", "compute.futureReservations.cancel",
		"compute.futureReservations.delete",
	}
	return map[string]life{
		OnDemand: {
			last: 18, least: 1,
			aims: []string{"compute.reservations.insert", "compute.reservations.resize", "compute.reservations.update", "compute.reservations.delete"},
			moves: func(r *Round) []move {
				return []move{r.grow, r.shrink, r.share, r.share, r.replace, r.replaceFirst, r.recreate, r.forget}
			},
		},
		Scheduled: {last: 14, least: 1, aims: future, decided: true, over: (*Round).endGoogle, moves: futureMoves},
		Block:     {last: 14, least: 1, aims: future, decided: true, over: (*Round).endGoogle, moves: futureMoves},
	}
}

// futureMoves are those of a future reservation. It can be changed, and given up
// free, until it locks; here that is as long as no time was let pass.
func futureMoves(r *Round) []move {
	if r.late {
		return []move{r.refuse, r.waitGoogle}
	}
	return []move{r.grow, r.shrink, r.share, r.stretch, r.recreate, r.forget, r.waitGoogle}
}

// stretch moves the end of the window.
func (r *Round) stretch() error {
	r.wish.Duration += time.Duration(1+r.Rand.IntN(3)) * day
	return r.change("stretch", r.keep(), false)
}

// waitGoogle lets time pass to where the request is locked, or its window began.
func (r *Round) waitGoogle() error {
	return r.waitFor(r.wish.StartAt.Add(-time.Hour), r.wish.StartAt.Add(day))
}

// endGoogle lets time pass until the window is over, where giving it up before
// would not be free.
func (r *Round) endGoogle() error {
	now, err := r.Audit.Now()
	if err != nil || !r.late {
		return err
	}
	return r.pass(r.wish.StartAt.Add(r.wish.Duration + decided).Sub(now))
}
