package capacity_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

const day = 24 * time.Hour

// week is an offer of seven days that starts some days from now.
func week(id string, startsIn int, upfront int64) cloud.Offer {
	at := start.Add(time.Duration(startsIn) * day)
	return cloud.Offer{
		ID: id, Kind: cloud.Block, Region: region, Zone: zone, InstanceType: whole, Count: 1,
		StartAt: at, EndAt: at.Add(7 * day), Length: 7 * day, Upfront: *usd(upfront),
	}
}

// search asks for the best offer of a week.
func (w *world) search(name string, edit ...func(*capacity.Wish)) capacity.Wish {
	w.Helper()
	return w.wish(name, append([]func(*capacity.Wish){func(wish *capacity.Wish) {
		wish.Spec.Kind, wish.Spec.Zone, wish.Spec.Region, wish.Spec.Duration = cloud.Block, "", region, 7*day
	}}, edit...)...)
}

// TestBlockPicks: the cheapest offer of exactly that length inside the window,
// then the earliest.
func TestBlockPicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	long := week("long", 1, 100)
	long.Length, long.EndAt = 14*day, long.StartAt.Add(14*day)
	for _, o := range []cloud.Offer{week("dear", 2, 900), week("late", 5, 500), week("early", 3, 500), week("outside", 30, 100), long} {
		w.mem.AddOffer(o, 1)
	}
	within := func(wish *capacity.Wish) { wish.Spec.EndAt = start.Add(20 * day) }
	first := w.create(w.search("a", within))
	want(t, "start of the first", first.Reservation.StartsAt, start.Add(3*day))
	want(t, "paid", *first.Reservation.PaidUpfront, *usd(500))
	second := w.create(w.search("b", within))
	want(t, "start of the second", second.Reservation.StartsAt, start.Add(5*day))
	third := w.create(w.search("c", within))
	want(t, "start of the third", third.Reservation.StartsAt, start.Add(2*day))
	_, err := w.process().Create(t.Context(), w.search("d", within))
	failure(t, err, "nothing is offered", "168h", "2031-03-21T00:00:00Z", "Nothing was bought")
	want(t, "purchases", w.calls("Create"), 3)
}

// TestBlockWaits: where nothing is offered, the search is repeated as long as the
// wish waits; the purchase is sent once.
func TestBlockWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	added := false
	w.jump.OnJump(func(now time.Time) {
		if !added && now.After(start.Add(5*time.Minute)) {
			added = true
			w.mem.AddOffer(week("offer", 2, 500), 1)
		}
	})
	result := w.create(w.search("a", func(wish *capacity.Wish) { wish.WaitForCapacity = 10 * time.Minute }))
	want(t, "status", result.Status, capacity.Held)
	want(t, "purchases", w.calls("Create"), 1)
	if w.log.count("level=WARN") == 0 {
		t.Error("the empty answers were not logged")
	}
}

// TestBlockAnswerLost: a purchase whose answer is lost is looked for and never
// sent again, in this run and in the next.
func TestBlockAnswerLost(t *testing.T) {
	t.Parallel()
	for name, committed := range map[string]bool{"bought": true, "not bought": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			w.mem.AddOffer(week("offer", 2, 500), 5)
			if committed {
				w.fail("Create", nil, lost("Create"))
			} else {
				w.fail("Create", lost("Create"), nil)
			}
			result, err := w.process().Create(t.Context(), w.search("a"))
			want(t, "purchases sent", w.calls("Create"), 1)
			if committed {
				want(t, "error", err, nil)
				want(t, "status", result.Status, capacity.Held)
			} else {
				failure(t, err, "apply again")
				w.create(w.search("a"))
			}
			w.one("a")
		})
	}
}

// TestBlockElsewhereInTime: what carries the name and lies outside the window is
// another reservation; nothing is bought for it.
func TestBlockElsewhereInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.mem.AddOffer(week("offer", 2, 500), 5)
	w.extension("more", 400, 1)
	w.create(w.search("a"))
	for attribute, edit := range map[cloud.Attribute]func(*capacity.Wish){
		cloud.AttrStart: func(wish *capacity.Wish) { wish.Spec.StartAt, wish.Spec.Duration = start.Add(30*day), 14*day },
		cloud.AttrEnd:   func(wish *capacity.Wish) { wish.Spec.EndAt = start.Add(8 * day) },
	} {
		_, err := w.process().Create(t.Context(), w.search("a", edit))
		want(t, "attribute", failure(t, err, "Name is taken by another reservation").Attribute, attribute)
	}
	want(t, "bought", w.calls("Create")+w.calls("Extend"), 1)
}

// TestBlockLastLook: what another run bought while this one waited is seen right
// before the purchase.
func TestBlockLastLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.mem.AddOffer(week("offer", 2, 500), 5)
	wish := w.search("a")
	var once sync.Once
	w.jump.OnJump(func(now time.Time) {
		if now.Before(start.Add(time.Minute)) {
			return
		}
		once.Do(func() {
			spec := wish.Spec
			spec.OfferID = "offer"
			if _, err := w.mem.Create(t.Context(), cloud.CreateRequest{Spec: spec, Mark: wish.Mark}); err != nil {
				t.Error(err)
			}
		})
	})
	noticed(t, w.create(wish).Notices, "adopted")
	w.one("a")
}

// TestBlockOfAnotherLength: what an earlier run bought shorter is taken over and
// prolonged in the same create.
func TestBlockOfAnotherLength(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.mem.AddOffer(week("offer", 2, 500), 5)
	w.extension("more", 400, 1)
	w.create(w.search("a"))
	result := w.create(w.search("a", lasts14))
	noticed(t, result.Notices, "adopted")
	noticed(t, result.Notices, "was prolonged until 2031-03-17T00:00:00Z")
	want(t, "ends", result.Reservation.EndsAt, start.Add(16*day))
	want(t, "extensions bought", w.calls("Extend"), 1)
	w.one("a")
}

// term asks for a host with a term.
func (w *world) term(edit ...func(*capacity.Wish)) capacity.Wish {
	w.Helper()
	return w.wish("a", append([]func(*capacity.Wish){func(wish *capacity.Wish) {
		wish.Spec.Kind, wish.Spec.Term = cloud.Term, &cloud.TermPlan{Months: 12, Payment: "all_upfront"}
	}}, edit...)...)
}

func (w *world) sells() {
	w.mem.AddOffer(cloud.Offer{
		ID: "term", Kind: cloud.Term, Region: region, Zone: zone, InstanceType: whole, Count: 1, Upfront: *usd(5000), PerHour: usd(0),
		Term: &cloud.TermPlan{Months: 12, Payment: "all_upfront"},
	}, 10)
}

func TestTermIsBoughtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.sells()
	result := w.create(w.term())
	want(t, "kind", result.Reservation.Kind, cloud.Term)
	want(t, "status", result.Status, capacity.Held)
	want(t, "paid", *result.Reservation.PaidUpfront, *usd(5000))
	again := w.create(w.term())
	noticed(t, again.Notices, "adopted")
	w.one("a")
	want(t, "hosts", w.calls("Create"), 1)
	_, err := w.process().Delete(t.Context(), holder(again), release())
	failure(t, err, "cannot be given back free", "5000.00 USD paid upfront", "removed {")
}

// TestTermTooDear: nothing is held for a term that cannot be afforded, and a
// price that rose between the look and the purchase is refused by the cloud.
func TestTermTooDear(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.sells()
	_, err := w.process().Create(t.Context(), w.term(func(wish *capacity.Wish) { wish.MaxUpfront = usd(4999) }))
	failure(t, err, "max_upfront_usd", "4999.00 USD", "5000.00 USD")
	want(t, "hosts", w.calls("Create"), 0)
	none := newWorld(t, mem.Options{})
	_, err = none.process().Create(t.Context(), none.term())
	failure(t, err, "Nothing to buy")
	want(t, "hosts", none.calls("Create"), 0)
}

// TestTermLate: a host without its term is degraded; the next update buys it,
// and one that was not told to buys nothing.
func TestTermLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.sells()
	refused := &cloud.Error{Code: cloud.PermissionDenied, Op: "Update", Native: "Denied", Authenticated: true}
	updates := 0
	w.mem.SetFault(func(call cloud.Call) (error, error) {
		if call.Method == "Update" {
			if updates++; updates == 2 { // the first one writes the claim
				return refused, nil
			}
		}
		return nil, nil
	})
	result := w.create(w.term())
	want(t, "status", result.Status, capacity.Degraded)
	noticed(t, result.Notices, "not complete", "buying its term", "Denied")
	h := holder(result)
	h.Kind = cloud.Term // as the state has it
	reading, err := w.process().Read(t.Context(), h)
	want(t, "error", err, nil)
	want(t, "status read", reading.Status, capacity.Degraded)
	want(t, "kind read", reading.Reservation.Kind, cloud.Term)
	kept, err := w.process().Update(t.Context(), h, w.term(), nil)
	want(t, "error", err, nil)
	want(t, "kind without being told to buy", kept.Reservation.Kind, cloud.DedicatedHost)
	bought, err := w.process().Update(t.Context(), h, w.term(func(wish *capacity.Wish) { wish.Buy = true }), nil)
	want(t, "error", err, nil)
	want(t, "kind", bought.Reservation.Kind, cloud.Term)
	want(t, "status", bought.Status, capacity.Held)
}

// TestTermInterrupted: a run that was interrupted buys no term any more. What it
// made is degraded, and the next update buys.
func TestTermInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.sells()
	ctx, interrupt := context.WithCancel(t.Context())
	w.mem.SetFault(func(call cloud.Call) (error, error) {
		if call.Method == "Create" {
			interrupt()
		}
		return nil, nil
	})
	result, err := w.process().Create(ctx, w.term())
	want(t, "error", err, nil)
	want(t, "status", result.Status, capacity.Degraded)
	noticed(t, result.Notices, "not complete", "interrupted", "term")
	want(t, "kind", w.one("a").Kind, cloud.DedicatedHost)
	h := holder(result)
	h.Kind = cloud.Term // as the state has it
	bought, err := w.process().Update(t.Context(), h, w.term(func(wish *capacity.Wish) { wish.Buy = true }), nil)
	want(t, "error", err, nil)
	want(t, "kind", bought.Reservation.Kind, cloud.Term)
}

// TestTermUnpaid: what cannot be over yet and has no term was never paid; the next
// update buys it with a token of its own. What may be over is no drift.
func TestTermUnpaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.sells()
	result := w.create(w.wish("a", func(wish *capacity.Wish) { wish.Spec.Kind = cloud.DedicatedHost }))
	h := holder(result)
	h.Kind, h.TermMonths = cloud.Term, 12
	read := func() capacity.Reading {
		reading, err := w.process().Read(t.Context(), h)
		want(t, "error", err, nil)
		return reading
	}
	reading := read()
	want(t, "status", reading.Status, capacity.Degraded)
	noticed(t, reading.Notices, "Term is not there", "was not paid")
	w.fail("Update", &cloud.Error{Code: cloud.Conflict, Op: "Update", TokenMismatch: true, Message: "of an earlier try"}, nil)
	bought, err := w.process().Update(t.Context(), h, w.term(func(wish *capacity.Wish) { wish.Buy = true }), nil)
	want(t, "error", err, nil)
	want(t, "kind", bought.Reservation.Kind, cloud.Term)
	want(t, "status with it", read().Status, capacity.Held)
	w.jump.Advance(400 * day)
	reading = read()
	want(t, "status after it", reading.Status, capacity.Held)
	want(t, "notices after it", len(reading.Notices), 0)
}

// TestOffersAreShared: a plan of many asks once.
func TestOffersAreShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.mem.AddOffer(week("offer", 2, 500), 5)
	m := w.process()
	for range 3 {
		offers, err := m.Offers(t.Context(), mem.Name, w.search("a").Spec)
		if err != nil || len(offers) != 1 {
			t.Fatalf("Offers = %v, %v", offers, err)
		}
		price := capacity.PriceOf(offers[0])
		want(t, "an hour", strings.HasPrefix(price.PerHour.String(), "2.976"), true)
	}
	want(t, "calls", w.calls("Offers"), 1)
	w.cloud = basic{w.mem}
	_, err := w.process().Offers(t.Context(), mem.Name, w.search("a").Spec)
	failure(t, err, "sells nothing")
}
