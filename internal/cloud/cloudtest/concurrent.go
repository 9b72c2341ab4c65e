package cloudtest

import (
	"fmt"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// crowd is how many calls run at a time.
const crowd = 8

func concurrencyChecks() []check {
	return []check{
		{name: "names", run: manyNames},
		{name: "one-token", of: traits{takesToken}, run: oneTokenManyTimes},
		{name: "reads", run: func(b *bench) {
			r := b.held("read")
			want := b.get(r.Ref)
			got, errs := inParallel(func(int) (cloud.Reservation, error) { return b.Cloud.Get(b.ctx, r.Ref) })
			for i := range got {
				if errs[i] != nil {
					b.Errorf("Get: %v", errs[i])
				}
				b.same("the reservation", got[i], want)
			}
		}},
	}
}

// inParallel calls f as often as the crowd is large, at a time.
func inParallel(f func(i int) (cloud.Reservation, error)) (results []cloud.Reservation, errs []error) {
	results, errs = make([]cloud.Reservation, crowd), make([]error, crowd)
	var all sync.WaitGroup
	for i := range crowd {
		all.Go(func() { results[i], errs[i] = f(i) })
	}
	all.Wait()
	return results, errs
}

// manyNames: each create gets its own reservation with its own mark.
func manyNames(b *bench) {
	requests := make([]cloud.CreateRequest, crowd)
	for i := range requests {
		requests[i] = b.request(fmt.Sprintf("crowd-%d", i), b.wish())
	}
	got, errs := inParallel(func(i int) (cloud.Reservation, error) { return b.try(requests[i]) })
	ids := map[cloud.Ref]bool{}
	for i, r := range got {
		if errs[i] != nil {
			b.Fatalf("Create: %v", errs[i])
		}
		b.same("mark", r.Mark, requests[i].Mark)
		b.same("id found by the mark", b.exactlyOne(requests[i].Mark.Name).Ref, r.Ref)
		ids[r.Ref] = true
	}
	if len(ids) != crowd {
		b.Errorf("%d creates gave %d reservations", crowd, len(ids))
	}
}

// oneTokenManyTimes: at most one of them makes anything.
func oneTokenManyTimes(b *bench) {
	req := b.idempotent("crowd")
	got, errs := inParallel(func(int) (cloud.Reservation, error) { return b.try(req) })
	one := b.exactlyOne("crowd")
	for i, r := range got {
		if errs[i] != nil {
			b.Errorf("Create: %v", errs[i])
			continue
		}
		b.same("id", r.Ref, one.Ref)
	}
}
