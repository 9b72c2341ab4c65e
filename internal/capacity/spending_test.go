package capacity_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

func costs(perHour *money.Money) func(*capacity.Wish) {
	return func(w *capacity.Wish) { w.Price.PerHour = perHour }
}

func TestCheckCeiling(t *testing.T) {
	t.Parallel()
	euro := &money.Money{Micros: 1, Currency: "EUR"}
	tests := map[string]struct {
		ceiling, price *money.Money
		parts          []string
	}{
		"no ceiling":       {nil, usd(5), nil},
		"neither":          {nil, nil, nil},
		"below":            {usd(6), usd(5), nil},
		"equal":            {usd(5), usd(5), nil},
		"above":            {usd(4), usd(5), []string{"4.00 USD", "5.00 USD", "max_x"}},
		"not known":        {usd(4), nil, []string{"4.00 USD", "not known"}},
		"another currency": {usd(4), euro, []string{"4.00 USD", "0.000001 EUR", "cannot be compared"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := capacity.CheckCeiling("max_x", test.ceiling, test.price)
			if test.parts == nil {
				want(t, "error", err, nil)
				return
			}
			want(t, "attribute", failure(t, err, test.parts...).Attribute, "max_x")
		})
	}
}

// TestRule12_ceilings: they hold at apply, before any call.
func TestRule12_ceilings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	tests := map[string]struct {
		edit func(*capacity.Wish)
		text string
	}{
		"per hour":         {func(w *capacity.Wish) { w.MaxPerHour, w.Price.PerHour = usd(4), usd(5) }, "max_usd_per_hour"},
		"per hour unknown": {func(w *capacity.Wish) { w.MaxPerHour = usd(4) }, "not known"},
	}
	for name, test := range tests {
		_, err := w.process().Create(t.Context(), w.wish("a", test.edit))
		failure(t, err, test.text)
		want(t, "calls for "+name, len(w.mem.Calls()), 0)
	}
	// On demand nothing is paid upfront; a block is held to what it really costs.
	w.create(w.wish("a", func(w *capacity.Wish) { w.MaxUpfront = usd(4) }))
	wish := w.block("b")
	wish.MaxUpfront, wish.Price.Upfront = usd(499), usd(1)
	_, err := w.process().Create(t.Context(), wish)
	failure(t, err, "max_upfront_usd", "499.00 USD", "500.00 USD")
	wish.MaxUpfront = usd(500)
	w.create(wish)
}

// TestSpending: what one run may commit counts every purchase of the run, and
// only those.
func TestSpending(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.spending = capacity.Spending{MaxPerHour: usd(10), MaxUpfront: usd(600)}
	adopted := w.create(w.wish("old", costs(usd(9))))
	m := w.process()
	create := func(name string, perHour int64) error {
		_, err := m.Create(t.Context(), w.wish(name, costs(usd(perHour))))
		return err
	}
	want(t, "adopting costs nothing new", create("old", 9), nil)
	want(t, "the first", create("a", 6), nil)
	f := failure(t, create("b", 5), "10.00 USD", "5.00 USD", "6.00 USD", "committed already", "Nothing was done")
	want(t, "attribute", f.Attribute, "spending.max_usd_per_hour")
	want(t, "live objects", len(w.live("b")), 0)
	want(t, "what is left", create("c", 4), nil)
	failure(t, create("d", 1), "10.00 USD")
	_, err := w.process().Create(t.Context(), w.wish("e"))
	failure(t, err, "not known")
	_, err = w.process().Update(t.Context(), holder(adopted), w.wish("old"), nil)
	failure(t, err, "taken over") // by the adoption above
}

// TestSpendingGivenBack: what was surely not bought does not count; what may
// have been bought does.
func TestSpendingGivenBack(t *testing.T) {
	t.Parallel()
	full := &cloud.Error{Code: cloud.NoCapacity, Op: "Create", Native: "Full"}
	tests := map[string]struct {
		before, after error
		left          bool
	}{
		"refused":              {before: full, left: true},
		"lost before commit":   {before: lost("Create")},
		"lost after commit":    {after: lost("Create")},
		"not classed":          {before: rawError("surprise")},
		"bought and confirmed": {},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			w.spending.MaxPerHour = usd(10)
			m := w.process()
			w.fail("Create", test.before, test.after)
			if _, err := m.Create(t.Context(), w.wish("a", costs(usd(6)))); (err != nil) != (test.before != nil) {
				t.Errorf("Create: %v", err)
			}
			_, err := m.Create(t.Context(), w.wish("b", costs(usd(6))))
			want(t, "the money is left", err == nil, test.left)
		})
	}
}

func TestSpendingGivenBackOfRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Lag: time.Minute})
	w.spending.MaxPerHour = usd(10)
	m := w.process()
	w.jump.OnJump(func(time.Time) { w.mem.SetState(w.all()[0].Ref.NativeID, cloud.Refused) })
	_, err := m.Create(t.Context(), w.wish("a", costs(usd(6))))
	failure(t, err, "REFUSED")
	_, err = m.Create(t.Context(), w.wish("b", costs(usd(6)), waits(0, time.Second)))
	want(t, "error of the next", err, nil)
}

func TestSpendingUpfront(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.spending.MaxUpfront = usd(700)
	m := w.process()
	for i, ok := range []bool{true, false} {
		wish := w.block(fmt.Sprintf("b%d", i))
		_, err := m.Create(t.Context(), wish)
		if want(t, "bought", err == nil, ok); !ok {
			failure(t, err, "700.00 USD", "500.00 USD", "spending.max_upfront_usd")
		}
	}
}

// TestSpendingGrowth: more instances of a live reservation are new money too.
func TestSpendingGrowth(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a", count(2), costs(usd(6)))))
	w.spending.MaxPerHour = usd(10)
	m := w.process()
	update := func(n int, perHour *money.Money, edit ...func(*capacity.Wish)) error {
		_, err := m.Update(t.Context(), h, w.wish("a", append(edit, count(n), costs(perHour))...), nil)
		return err
	}
	failure(t, update(6, usd(18)), "12.00 USD", "10.00 USD")
	want(t, "count", w.one("a").Count, 2)
	w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 0)
	failure(t, update(4, usd(12)), "OutOfCapacity") // refused for sure, so given back
	w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 100)
	want(t, "two more", update(4, usd(12)), nil)
	failure(t, update(6, usd(18)), "6.00 USD", "committed already")
	failure(t, update(5, nil), "not known")
	failure(t, update(5, usd(15), func(w *capacity.Wish) { w.MaxPerHour = usd(14) }), "14.00 USD", "15.00 USD")
	want(t, "fewer cost nothing", update(1, nil), nil)
	want(t, "count", w.one("a").Count, 1)
}

func TestSpendingGrowthOfUnknownFate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a", costs(usd(6)))))
	w.spending.MaxPerHour = usd(10)
	m := w.process()
	w.fail("Update", lost("Update"), nil)
	_, err := m.Update(t.Context(), h, w.wish("a", count(2), costs(usd(12))), nil)
	failure(t, err, "may have been done")
	_, err = m.Create(t.Context(), w.wish("b", costs(usd(5))))
	failure(t, err, "6.00 USD", "committed already")
}

// TestSpendingConcurrent: of many creates at once only as many go through as
// the limit pays for, however many are refused and give back in between.
func TestSpendingConcurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Capacity: map[mem.Place]int{{Zone: "mem-east-1b", InstanceType: whole}: 0}})
	w.spending.MaxPerHour = usd(10)
	m := w.process()
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			where := zone
			if i%2 == 1 {
				where = "mem-east-1b" // full: reserved and given back
			}
			wish := w.wish(fmt.Sprintf("n%d", i), costs(usd(1)), func(w *capacity.Wish) { w.Spec.Zone = where })
			var f *capacity.Failure
			if _, err := m.Create(t.Context(), wish); err != nil && !errors.As(err, &f) {
				t.Errorf("error is %v (%T), want a Failure", err, err)
			}
		})
	}
	wait.Wait()
	held := len(w.all())
	if held > 10 {
		t.Errorf("%d were bought with money for 10", held)
	}
	// What was given back can be spent, and nothing more.
	for i := held; i < 10; i++ {
		if _, err := m.Create(t.Context(), w.wish(fmt.Sprintf("later%d", i), costs(usd(1)))); err != nil {
			t.Errorf("create %d of 10: %v", i+1, err)
		}
	}
	_, err := m.Create(t.Context(), w.wish("last", costs(usd(1))))
	failure(t, err, "10.00 USD", "committed already")
}
