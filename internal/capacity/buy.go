package capacity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Offers are what could be bought for the wish now, cheapest first. Wishes that
// differ in nothing that matters to an offer share one answer of a plan.
func (m *Manager) Offers(ctx context.Context, cloudName string, spec cloud.Spec) ([]cloud.Offer, error) {
	return m.offered(ctx, cloudName, spec, fresh)
}

func (m *Manager) offered(ctx context.Context, cloudName string, spec cloud.Spec, maxAge time.Duration) ([]cloud.Offer, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return nil, err
	}
	offerer, ok := cloud.As[cloud.Offerer](c)
	if !ok {
		return nil, refuse(cloud.AttrKind, "No offers", "%s sells nothing by offer.", c.Capabilities().Title)
	}
	spec.Tags, spec.Match = nil, ""
	raw, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("key of offers: %w", err)
	}
	return m.offers.get(ctx, cloudName+string(raw), maxAge, func(ctx context.Context) ([]cloud.Offer, error) {
		return offerer.Offers(ctx, spec)
	})
}

// PriceOf is what an offer costs: what is paid at once, and what an hour of it
// comes to with that spread over its length.
func PriceOf(offer cloud.Offer) Price {
	p := Price{Upfront: &offer.Upfront, PerHour: offer.PerHour}
	hours := int64(offer.Length / time.Hour)
	if hours == 0 {
		return p
	}
	spread := money.Money{Micros: offer.Upfront.Micros / hours, Currency: offer.Upfront.Currency}
	if offer.PerHour != nil {
		spread.Micros += offer.PerHour.Micros
	}
	p.PerHour = &spread
	return p
}

// buys tells whether a purchase is part of the operation.
func (op *operation) buys() bool { return op.kind.ByOffer || op.kind.Base != "" }

// pick chooses what to buy: the wish's own offer, or the cheapest that fits,
// then the earliest. Where there is none it asks again as long as the wish waits
// for capacity.
func (op *operation) pick(ctx context.Context) (*cloud.Offer, error) {
	w := op.wish
	for {
		offers, err := op.m.offered(ctx, w.Cloud, w.Spec, 0)
		if err == nil && len(offers) > 0 {
			return &offers[0], nil
		}
		if err == nil {
			err = &cloud.Error{
				Code: cloud.NoCapacity, Op: "Offers", Message: "nothing is offered for " + w.where() + w.window(),
			}
		}
		op.record(err)
		switch {
		case cloud.CodeOf(err) != cloud.NoCapacity:
			op.warn(ctx, "none")
		case w.Spec.OfferID == "" && op.wait(ctx, err): // a sold offer does not come back
			continue
		case w.Spec.OfferID != "":
			op.warn(ctx, "none")
		}
		return nil, failed(err, "Nothing to buy for "+w.where(), "%s. Nothing was bought.%s", describe(op.c, err), op.report())
	}
}

// window is what bounds the search for an offer, in words.
func (w Wish) window() string {
	text := ""
	if w.Spec.Duration > 0 {
		text += " for " + w.Spec.Duration.String()
	}
	if !w.Spec.StartAt.IsZero() {
		text += " from " + stamp(w.Spec.StartAt)
	}
	if !w.Spec.EndAt.IsZero() {
		text += " until " + stamp(w.Spec.EndAt)
	}
	return text
}

// price sets aside what the create commits to: the price of what is bought, or
// the list price. A purchase that a later step makes is priced here too, so that
// nothing is created for what cannot be afforded, and set aside there.
func (run *creation) price(ctx context.Context) (giveBack func(), err error) {
	if !run.buys() {
		return run.m.budget.reserve(run.wish.Price, false)
	}
	if run.offer, err = run.pick(ctx); err != nil {
		return nil, err
	}
	giveBack, err = run.afford(run.offer)
	if err == nil && run.kind.Base != "" {
		giveBack()
		giveBack = func() {}
	}
	return giveBack, err
}

// afford holds an offer to the ceilings and sets its price aside.
func (op *operation) afford(offer *cloud.Offer) (giveBack func(), err error) {
	p := PriceOf(*offer)
	if err := CheckCeiling("max_upfront_usd", op.wish.MaxUpfront, p.Upfront); err != nil {
		return nil, err
	}
	if err := CheckCeiling("max_usd_per_hour", op.wish.MaxPerHour, p.PerHour); err != nil {
		return nil, err
	}
	// What is paid at once is not paid by the hour as well.
	return op.m.budget.reserve(Price{PerHour: offer.PerHour, Upfront: p.Upfront}, true)
}

// commit buys the wish's term for an object that is held and has none.
func (op *operation) commit(ctx context.Context, result *Result) error {
	r, spec := result.Reservation, op.wish.Spec
	if spec.Term == nil || op.kind.Base == "" || r.Term != nil || r.State != cloud.Held || result.Status == Degraded {
		return nil
	}
	if op.offer == nil {
		var err error
		if op.offer, err = op.pick(ctx); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return failed(err, "Term not bought", "%s is held and the run was interrupted before its term was bought.", r.Ref.NativeID)
	}
	return op.buyTerm(ctx, result)
}

// buyTerm buys the chosen term, within the ceiling or else at the price that was
// seen. A token that stands for a purchase which came to nothing takes another one.
func (op *operation) buyTerm(ctx context.Context, result *Result) error {
	spec, limit := op.wish.Spec, op.wish.MaxUpfront
	if limit == nil {
		limit = &op.offer.Upfront
	}
	for life := 0; ; life++ {
		token, err := op.termToken(result.Reservation, life)
		if err != nil {
			return err
		}
		err = op.change(ctx, result, cloud.Change{Term: &cloud.TermPurchase{
			Term: *spec.Term, Limit: limit, Token: token, Tags: spec.Tags,
		}})
		var e *cloud.Error
		if !errors.As(err, &e) || !e.TokenMismatch || life+1 >= maxLives {
			return err
		}
	}
}

// termToken is the token of a term on one object; a later life is for a purchase
// after one that came to nothing.
func (op *operation) termToken(r cloud.Reservation, life int) (string, error) {
	return cloud.Token(op.wish.Mark, cloud.Spec{
		Kind: op.wish.Spec.Kind, Term: op.wish.Spec.Term, Native: map[string]string{"on": r.Ref.NativeID},
	}, life)
}
