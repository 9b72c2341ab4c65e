package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

func lasts14(w *capacity.Wish) { w.Spec.Duration = 14 * day }

func buys(w *capacity.Wish) { w.Buy = true }

// extension puts prolongations by a week on sale.
func (w *world) extension(id string, upfront int64, stock int) {
	w.mem.AddExtensionOffer(cloud.Offer{
		ID: id, Kind: cloud.Block, Region: region, InstanceType: whole, Count: 1, Length: 7 * day, Upfront: *usd(upfront),
	}, stock)
}

// bought is a block of a week that can be prolonged.
func bought(t *testing.T) (*world, capacity.Holder) {
	t.Helper()
	w := newWorld(t, mem.Options{})
	w.mem.AddOffer(week("offer", 2, 500), 5)
	w.extension("dear", 600, 5)
	w.extension("more", 400, 5)
	return w, holder(w.create(w.search("a")))
}

func (w *world) prolong(h capacity.Holder, wish capacity.Wish) (capacity.Result, error) {
	w.Helper()
	return w.process().Update(w.Context(), h, wish, map[string]string{"team": "ml"})
}

// TestExtension: a longer window is bought once, after two looks a minute apart,
// and is there once it is paid.
func TestExtension(t *testing.T) {
	t.Parallel()
	w, h := bought(t)
	w.mem.SetPaymentLag(3 * time.Minute)
	before := w.jump.Now()
	result, err := w.prolong(h, w.search("a", lasts14, buys))
	want(t, "error", err, nil)
	want(t, "ends", result.Reservation.EndsAt, start.Add(16*day))
	want(t, "took", w.jump.Now().Sub(before).Round(time.Minute), 4*time.Minute)
	want(t, "bought", w.calls("Extend"), 1)
	again, err := w.prolong(h, w.search("a", lasts14, buys))
	want(t, "error of the next", err, nil)
	want(t, "ends", again.Reservation.EndsAt, start.Add(16*day))
	want(t, "bought by the next", w.calls("Extend"), 1)
}

// TestExtensionNotAsked: an update that changes something else buys nothing.
func TestExtensionNotAsked(t *testing.T) {
	t.Parallel()
	w, h := bought(t)
	_, err := w.prolong(h, w.search("a", lasts14))
	want(t, "error", err, nil)
	want(t, "bought", w.calls("Extend"), 0)
}

// TestExtensionAnswerLost: it is looked for and never bought twice, in this run
// and in the next.
func TestExtensionAnswerLost(t *testing.T) {
	t.Parallel()
	for name, committed := range map[string]bool{"bought": true, "not bought": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, h := bought(t)
			w.mem.SetPaymentLag(time.Hour) // unpaid all through the update
			if committed {
				w.fail("Extend", nil, lost("Extend"))
			} else {
				w.fail("Extend", lost("Extend"), nil)
			}
			result, err := w.prolong(h, w.search("a", lasts14, buys))
			want(t, "sent", w.calls("Extend"), 1)
			if committed {
				want(t, "error", err, nil)
				noticed(t, result.Notices, "not paid yet", "2031-03-17T00:00:00Z")
				want(t, "status while it is not paid", result.Status, capacity.Degraded)
			} else {
				failure(t, err, "looks for it before it buys another")
			}
			w.jump.Advance(2 * time.Hour)
			result, err = w.prolong(h, w.search("a", lasts14, buys))
			want(t, "error of the next", err, nil)
			if committed {
				want(t, "sent by both", w.calls("Extend"), 1)
			}
			w.jump.Advance(2 * time.Hour)
			want(t, "ends", w.one("a").EndsAt, start.Add(16*day))
			_ = result
		})
	}
}

func TestExtensionRefused(t *testing.T) {
	t.Parallel()
	t.Run("too dear", func(t *testing.T) {
		t.Parallel()
		w, h := bought(t)
		_, err := w.prolong(h, w.search("a", lasts14, buys, func(wish *capacity.Wish) { wish.MaxUpfront = usd(399) }))
		failure(t, err, "399.00 USD", "400.00 USD", "max_upfront_usd")
		want(t, "sent", w.calls("Extend"), 0)
	})
	t.Run("not offered", func(t *testing.T) {
		t.Parallel()
		w, h := bought(t)
		_, err := w.prolong(h, w.search("a", buys, func(wish *capacity.Wish) { wish.Spec.Duration = 21 * day }))
		want(t, "attribute", failure(t, err, "nothing is offered to prolong it by 336h").Attribute, cloud.AttrDuration)
	})
	t.Run("not paid", func(t *testing.T) {
		t.Parallel()
		w, h := bought(t)
		w.mem.SetPaymentLag(time.Minute)
		w.jump.OnJump(func(time.Time) {
			if w.calls("Extend") > 0 {
				w.mem.FailPayment(h.Ref.NativeID)
			}
		})
		_, err := w.prolong(h, w.search("a", lasts14, buys))
		failure(t, err, "was not paid")
	})
	t.Run("history unreadable", func(t *testing.T) {
		t.Parallel()
		w, h := bought(t)
		w.refuseAll("Extensions", &cloud.Error{Code: cloud.PermissionDenied, Op: "Extensions", Native: "Denied"})
		_, err := w.prolong(h, w.search("a", lasts14, buys))
		failure(t, err, "extensions could not be read", "Denied")
		want(t, "sent", w.calls("Extend"), 0)
	})
	t.Run("no time for two looks", func(t *testing.T) {
		t.Parallel()
		w, h := bought(t)
		_, err := w.prolong(h, w.search("a", lasts14, buys, func(wish *capacity.Wish) { wish.Timeout = 30 * time.Second }))
		failure(t, err, "two looks")
		want(t, "sent", w.calls("Extend"), 0)
	})
}
