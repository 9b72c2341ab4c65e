package cloudtest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

func termChecks() []check {
	return []check{
		{name: "offers", of: traits{hasTerm}, run: func(b *bench) {
			s := b.wish()
			for _, o := range b.offers(s) {
				if o.Kind != b.kind || o.ID == "" || o.Upfront.Currency == "" || o.PerHour == nil {
					b.Errorf("offer %+v is not whole", o)
				}
				b.same("the offered term", o.Term, s.Term)
			}
		}},
		{name: "shown", of: traits{hasTerm}, run: termShown},
		{name: "bought-once", of: traits{hasTerm}, run: termOnce},
		{name: "second", of: traits{hasTerm}, run: func(b *bench) {
			before := b.committed("second")
			// A cloud that does not show the token takes the term that runs for it.
			if _, err := b.updater().Update(b.ctx, before.Ref, cloud.Change{Term: b.purchase("another")}); err != nil {
				b.wantCode("Update with a term while one runs", err, cloud.Conflict, cloud.Invalid)
			}
			b.same("the reservation after another term", b.get(before.Ref), before)
		}},
		{name: "limit", of: traits{hasTerm}, run: termLimit},
		{name: "lost", of: traits{hasTerm}, run: func(b *bench) {
			b.needs(b.Lose != nil, "Lose")
			r, change := b.held("lost"), cloud.Change{Term: b.purchase("lost")}
			b.Lose("Term", AfterCommit)
			_, err := b.updater().Update(b.ctx, r.Ref, change)
			b.unknown("Term", err)
			bought := b.get(r.Ref)
			b.same("the answer of the second try", b.update(r.Ref, change), bought)
			b.same("the term", bought.Term, &change.Term.Term)
		}},
		{name: "not-this-kind", run: func(b *bench) {
			plan := b.somePlan()
			if b.can.Base != "" || b.isBase() {
				b.Skipf("not applicable: kind %s takes a term", b.kind)
			}
			r := b.create("fixed")
			_, err := b.updater().Update(b.ctx, r.Ref, cloud.Change{Term: &cloud.TermPurchase{Term: plan, Token: "t"}})
			b.wantCode("Update with a term", err, cloud.Unsupported)
		}},
	}
}

func hasTerm(k cloud.KindCapabilities) bool { return k.Base != "" }

// somePlan is a term that the cloud has.
func (b *bench) somePlan() cloud.TermPlan {
	b.Helper()
	for _, s := range b.Wishes {
		if s.Term != nil {
			return *s.Term
		}
	}
	b.Skipf("not applicable: the cloud has no terms")
	return cloud.TermPlan{}
}

// isBase tells whether reservations of another kind begin as this one.
func (b *bench) isBase() bool {
	for _, k := range b.Cloud.Capabilities().Kinds {
		if k.Base == b.kind {
			return true
		}
	}
	return false
}

func (b *bench) updater() cloud.Updater {
	b.Helper()
	return optional[cloud.Updater](b, "Updater")
}

// termShown: with its term the same object is of the other kind.
func termShown(b *bench) {
	offer := b.offers(b.wish())[0]
	before := b.held("shown")
	if before.Term != nil || before.Kind != b.root() {
		b.Errorf("before the purchase it is a %s with term %+v", before.Kind, before.Term)
	}
	change := cloud.Change{Term: b.purchase("shown")}
	got := b.update(before.Ref, change)
	b.same("Get after the purchase", b.get(before.Ref), got)
	want := before
	want.Kind, want.Term, want.PaidUpfront, want.CommittedUntil = b.kind, &change.Term.Term, got.PaidUpfront, got.CommittedUntil
	b.same("the reservation with its term", got, want)
	if got.PaidUpfront != nil {
		b.same("paid upfront", got.PaidUpfront, &offer.Upfront)
	}
	least := b.now().Add(time.Duration(change.Term.Term.Months) * 28 * 24 * time.Hour)
	if got.CommittedUntil.Before(least) {
		b.Errorf("a term of %d months is committed until %s", change.Term.Term.Months, got.CommittedUntil)
	}
}

// termOnce: the same token buys once, whenever it comes again.
func termOnce(b *bench) {
	r, change := b.held("once"), cloud.Change{Term: b.purchase("once")}
	first := b.update(r.Ref, change)
	b.same("the same token again", b.update(r.Ref, change), first)
	b.needs(b.Advance != nil, "Advance")
	b.Advance(24 * time.Hour)
	b.same("the same token a day later", b.update(r.Ref, change), first)
}

// termLimit: above the limit nothing is bought, at it the term is.
func termLimit(b *bench) {
	price := b.offers(b.wish())[0].Upfront
	if price.IsZero() {
		b.Skipf("not checked: the harness's term costs nothing at once")
	}
	r, purchase := b.held("limited"), b.purchase("limited")
	purchase.Limit = &money.Money{Micros: price.Micros - 1_000_000, Currency: price.Currency}
	_, err := b.updater().Update(b.ctx, r.Ref, cloud.Change{Term: purchase})
	if e := b.classed("a term above the limit", err, cloud.Invalid, cloud.NoCapacity, cloud.Conflict); e.Accepted {
		b.Errorf("%v says that it may have been accepted", e)
	}
	b.same("the reservation after a term above the limit", b.get(r.Ref), r)
	purchase.Limit = &price
	b.same("the term at the limit", b.update(r.Ref, cloud.Change{Term: purchase}).Term, &purchase.Term)
}
