package cloudtest

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func extensionChecks() []check {
	grows := traits{changes(cloud.AttrDuration)}
	return []check{
		{name: "offers", of: grows, run: extensionOffers},
		{name: "another-length", of: grows, run: func(b *bench) {
			extender, r := b.extendable("odd")
			odd := b.ExtendBy + 7*time.Minute
			offers, err := extender.ExtensionOffers(b.ctx, r.Ref, odd)
			if err != nil {
				b.wantCode("ExtensionOffers of an odd length", err, cloud.Invalid)
			}
			b.same("offers of a length that is not sold", offers, []cloud.Offer{})
		}},
		{name: "bought", of: grows, run: extensionBought},
		{name: "each-buys", of: grows, run: func(b *bench) {
			extender, r := b.extendable("twice")
			first := b.paid(extender, r.Ref, b.extend(extender, r.Ref))
			second := b.paid(extender, r.Ref, b.extend(extender, r.Ref))
			b.same("history, oldest first", b.history(extender, r.Ref), []cloud.Extension{first, second})
			b.same("end", b.get(r.Ref).EndsAt, second.EndsAt)
			if !second.EndsAt.After(first.EndsAt) {
				b.Errorf("two extensions end at %s and %s", first.EndsAt, second.EndsAt)
			}
		}},
		{name: "unpaid", of: grows, run: unpaidExtension},
		{name: "failed", of: grows, run: failedExtension},
		{name: "no-such-offer", of: grows, run: func(b *bench) {
			extender, r := b.extendable("unoffered")
			_, err := extender.Extend(b.ctx, r.Ref, cloud.Offer{ID: "no-such-offer"})
			if e := b.classed("Extend", err, cloud.Invalid, cloud.NoCapacity); e.Accepted {
				b.Errorf("%v says that it may have been accepted", e)
			}
			b.same("history", b.history(extender, r.Ref), []cloud.Extension{})
		}},
		{name: "unknown", of: grows, run: func(b *bench) {
			extender, r := b.extendable("forgotten")
			b.needs(b.Forget != nil, "Forget")
			offer := b.extension(extender, r.Ref)
			b.Forget(r.Ref)
			_, err := extender.ExtensionOffers(b.ctx, r.Ref, b.ExtendBy)
			b.wantCode("ExtensionOffers of a forgotten reservation", err, cloud.NotFound)
			_, err = extender.Extensions(b.ctx, r.Ref)
			b.wantCode("Extensions of a forgotten reservation", err, cloud.NotFound)
			_, err = extender.Extend(b.ctx, r.Ref, offer)
			b.wantCode("Extend of a forgotten reservation", err, cloud.NotFound)
		}},
		{name: "after-its-end", of: grows, run: func(b *bench) {
			extender, r := b.extendable("past")
			b.needs(b.Advance != nil, "Advance")
			offer := b.extension(extender, r.Ref)
			b.Advance(r.EndsAt.Sub(b.now()) + time.Hour)
			_, err := extender.Extend(b.ctx, r.Ref, offer)
			b.wantCode("Extend of what has ended", err, cloud.Conflict, cloud.NotFound)
		}},
		{name: "lost-after-commit", of: grows, run: func(b *bench) { lostExtension(b, AfterCommit, 1) }},
		{name: "lost-before-commit", of: grows, run: func(b *bench) { lostExtension(b, BeforeCommit, 0) }},
	}
}

// extendable is a reservation that can be prolonged by ExtendBy.
func (b *bench) extendable(name string) (cloud.Extender, cloud.Reservation) {
	b.Helper()
	extender := optional[cloud.Extender](b, "Extender")
	b.needs(b.ExtendBy > 0, "ExtendBy")
	return extender, b.held(name)
}

// extension is the cheapest offer of ExtendBy.
func (b *bench) extension(extender cloud.Extender, ref cloud.Ref) cloud.Offer {
	b.Helper()
	offers, err := extender.ExtensionOffers(b.ctx, ref, b.ExtendBy)
	if err != nil || len(offers) == 0 {
		b.Fatalf("ExtensionOffers(%s, %s) = %d offers, %v", ref.NativeID, b.ExtendBy, len(offers), err)
	}
	return offers[0]
}

func (b *bench) extend(extender cloud.Extender, ref cloud.Ref) cloud.Extension {
	b.Helper()
	e, err := extender.Extend(b.ctx, ref, b.extension(extender, ref))
	if err != nil {
		b.Fatalf("Extend(%s): %v", ref.NativeID, err)
	}
	return e
}

func (b *bench) history(extender cloud.Extender, ref cloud.Ref) []cloud.Extension {
	b.Helper()
	all, err := extender.Extensions(b.ctx, ref)
	if err != nil {
		b.Fatalf("Extensions(%s): %v", ref.NativeID, err)
	}
	return all
}

// paid waits until an extension is paid and returns it as the history shows it.
func (b *bench) paid(extender cloud.Extender, ref cloud.Ref, bought cloud.Extension) cloud.Extension {
	b.Helper()
	var last cloud.Extension
	for range 100 {
		all := b.history(extender, ref)
		i := slices.IndexFunc(all, func(e cloud.Extension) bool {
			return e.OfferID == bought.OfferID && e.EndsAt.Equal(bought.EndsAt)
		})
		if i < 0 {
			b.Fatalf("the extension by offer %s until %s is not in the history %+v", bought.OfferID, bought.EndsAt, all)
		}
		if last = all[i]; last.State == cloud.Held {
			return last
		}
		if b.Advance == nil {
			break
		}
		b.Advance(time.Minute)
	}
	b.Fatalf("the extension is %s and not paid", last.State)
	return last
}

// extensionOffers: offers are of just that length, cheapest first, and looking
// buys nothing.
func extensionOffers(b *bench) {
	extender, r := b.extendable("offered")
	b.extension(extender, r.Ref)
	offers, err := extender.ExtensionOffers(b.ctx, r.Ref, b.ExtendBy)
	if err != nil {
		b.Fatalf("ExtensionOffers: %v", err)
	}
	for _, o := range offers {
		if o.ID == "" || o.Upfront.Currency == "" || o.InstanceType != r.InstanceType || o.Count != r.Count {
			b.Errorf("offer %+v is not whole, or not for %s", o, r.Ref.NativeID)
		}
		if o.Length != b.ExtendBy {
			b.Errorf("offer %s prolongs by %s, asked for was %s", o.ID, o.Length, b.ExtendBy)
		}
	}
	if !slices.IsSortedFunc(offers, cheaper) {
		b.Errorf("the offers are not sorted by price: %+v", offers)
	}
	b.same("history", b.history(extender, r.Ref), []cloud.Extension{})
	b.same("the reservation after a look at offers", b.get(r.Ref), r)
}

// extensionBought: what was bought is in the history, and once it is paid the
// reservation lasts as long as it says.
func extensionBought(b *bench) {
	extender, r := b.extendable("bought")
	offer := b.extension(extender, r.Ref)
	e, err := extender.Extend(b.ctx, r.Ref, offer)
	if err != nil {
		b.Fatalf("Extend: %v", err)
	}
	b.same("what was bought", []any{e.OfferID, e.By, e.Upfront}, []any{offer.ID, b.ExtendBy, offer.Upfront})
	if !e.EndsAt.After(r.EndsAt) || e.PurchasedAt.IsZero() {
		b.Errorf("bought at %s to end at %s, after %s", e.PurchasedAt, e.EndsAt, r.EndsAt)
	}
	shown := b.paid(extender, r.Ref, e)
	e.State = shown.State
	b.same("the extension in the history", b.history(extender, r.Ref), []cloud.Extension{e})
	got := b.get(r.Ref)
	b.same("id, end, commitment and length as bought",
		[]any{got.Ref, got.EndsAt, got.CommittedUntil, got.Length}, []any{r.Ref, e.EndsAt, e.EndsAt, r.Length})
	if !got.UsableUntil.After(r.UsableUntil) || got.UsableUntil.After(got.EndsAt) {
		b.Errorf("usable until %s, before it was %s", got.UsableUntil, r.UsableUntil)
	}
}

// unpaidExtension: nothing moves before it is paid.
func unpaidExtension(b *bench) {
	extender, r := b.extendable("unpaid")
	b.needs(b.PaymentTakes != nil && b.Advance != nil, "PaymentTakes or Advance")
	b.PaymentTakes(time.Hour)
	e := b.extend(extender, r.Ref)
	b.same("state in the answer", e.State, cloud.Pending)
	b.same("history before the payment", b.history(extender, r.Ref), []cloud.Extension{e})
	b.same("the reservation before the payment", b.get(r.Ref), r)
	b.Advance(time.Hour + time.Minute)
	b.paid(extender, r.Ref, e)
	b.same("end after the payment", b.get(r.Ref).EndsAt, e.EndsAt)
}

// failedExtension: what was not paid stays in the history and moves nothing.
func failedExtension(b *bench) {
	extender, r := b.extendable("failed")
	b.needs(b.PaymentTakes != nil && b.FailPayment != nil, "PaymentTakes or FailPayment")
	b.PaymentTakes(time.Hour)
	e := b.extend(extender, r.Ref)
	b.FailPayment(r.Ref)
	e.State = cloud.Refused
	b.same("history after a failed payment", b.history(extender, r.Ref), []cloud.Extension{e})
	b.same("the reservation after a failed payment", b.get(r.Ref), r)
}

// lostExtension: whether an extension was bought is told by the history alone,
// and nothing buys a second one.
func lostExtension(b *bench, when Moment, want int) {
	extender, r := b.extendable("lost")
	b.needs(b.Lose != nil, "Lose")
	offer := b.extension(extender, r.Ref)
	b.Lose("Extend", when)
	_, err := extender.Extend(b.ctx, r.Ref, offer)
	b.unknown("Extend", err)
	if all := b.history(extender, r.Ref); len(all) != want {
		b.Errorf("%d extensions were bought by a call whose answer was lost %s commit, want %d", len(all), when, want)
	}
}
