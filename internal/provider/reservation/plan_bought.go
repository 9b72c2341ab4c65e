package reservation

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// kind is what can be done with the planned kind.
func (pl *planning) kind() cloud.KindCapabilities {
	return kindOf(pl.rules, pl.plan.Cloud.ValueString(), cloud.Kind(pl.plan.Kind.ValueString()))
}

// buys tells whether the planned kind is bought: by offer, or by a term.
func (pl *planning) buys() bool {
	kind := pl.kind()
	return kind.ByOffer || kind.Base != ""
}

// keepBought keeps what was fixed at the purchase: another offer, or another
// search for one, does not change what was bought. Only a longer duration counts:
// it prolongs what is not over. What is removed, or added for the first time, is
// written down and leads to nothing.
func (pl *planning) keepBought(ctx context.Context) {
	if pl.prior == nil || !pl.plan.Kind.Equal(pl.prior.Kind) || !pl.kind().ByOffer {
		return
	}
	m, was := &pl.plan, pl.prior
	m.OfferID = bought(was.OfferID, m.OfferID)
	switch {
	case m.Window.IsNull() || was.Window.IsNull():
		return
	case m.Window.IsUnknown():
		m.Window = was.Window
		return
	}
	w, before := m.window(ctx), was.window(ctx)
	w.StartAt, w.EndAt = bought(before.StartAt, w.StartAt), bought(before.EndAt, w.EndAt)
	if !lengthens(ctx, *was, *m) || pl.over(ctx) {
		w.Duration = bought(before.Duration, w.Duration)
	}
	m.Window = w.object(ctx, pl.diags)
}

// bought is the value before, where there is one and the configuration still has
// one.
func bought(was, is types.String) types.String {
	if was.IsNull() || is.IsNull() {
		return is
	}
	return was
}

// lengthens tells whether a plan asks for a longer window than the state has.
func lengthens(ctx context.Context, was, is model) bool {
	before, err := attribute.ParseDuration(was.window(ctx).Duration.ValueString())
	if err != nil {
		return false
	}
	after, err := attribute.ParseDuration(is.window(ctx).Duration.ValueString())
	return err == nil && after > before
}

// over tells whether the promise has ended, by the cloud's clock.
func (pl *planning) over(ctx context.Context) bool {
	end := attribute.TimeOf(pl.prior.EndsAt)
	if end.IsZero() || pl.p.Manager == nil {
		return false
	}
	now, ok := pl.now(ctx)
	return ok && !now.Before(end)
}

// planPurchase plans what an apply buys for an object that is there, which is also
// what an earlier one could not: a longer window, or a term. When it ends then, or
// what was paid for it, the purchase tells. What was paid for a window stays what it
// was, extensions apart.
func (pl *planning) planPurchase(ctx context.Context) {
	m, kind, degraded := &pl.plan, pl.kind(), pl.prior.Status.ValueString() == string(capacity.Degraded)
	if kind.ByOffer && (degraded || lengthens(ctx, *pl.prior, *m)) {
		m.EndsAt, m.UsableUntil = types.StringUnknown(), types.StringUnknown()
	}
	switch same := m.Kind.Equal(pl.prior.Kind) && m.Term.Equal(pl.prior.Term); {
	case kind.Base != "" && (degraded || !same):
		m.PaidUpfront, m.Currency = types.NumberUnknown(), types.StringUnknown()
	case !kind.ByOffer && !same: // what a term that is over was paid with
		m.PaidUpfront, m.Currency = types.NumberNull(), types.StringNull()
	}
}

// planBinding is the binding as far as a plan knows it: where a zone is not
// named, the offer decides.
func (pl *planning) planBinding(ctx context.Context) types.Object {
	m := pl.plan
	switch {
	case !pl.kind().ByOffer:
	case pl.prior != nil:
		return pl.prior.Binding
	case m.Zone.IsNull():
		m.Zone = types.StringUnknown()
	}
	return m.bindingOver(ctx, pl.p.Defaults[m.Cloud.ValueString()])
}

// planOffer looks at what could be bought now, and holds it to the ceilings. What
// is really bought is decided, and held to them, at apply.
func (pl *planning) planOffer(ctx context.Context) {
	m := &pl.plan
	m.EstimatedUSDPerHour = types.NumberUnknown()
	if pl.prior != nil && pl.prior.Kind.Equal(m.Kind) && pl.prior.Term.Equal(m.Term) {
		m.EstimatedUSDPerHour = pl.prior.EstimatedUSDPerHour
		return
	}
	if pl.offerUnknown(ctx) {
		return
	}
	offers, err := pl.p.Manager.Offers(ctx, m.Cloud.ValueString(), pl.spec)
	switch {
	case err != nil:
		pl.noOffers(err)
		return
	case len(offers) == 0:
		pl.nothingOffered()
		return
	}
	price := capacity.PriceOf(offers[0])
	m.EstimatedUSDPerHour = attribute.AmountValue(price.PerHour)
	if !m.MaxUpfrontUSD.IsUnknown() {
		report.Failure(pl.diags, capacity.CheckCeiling("max_upfront_usd", attribute.AmountOf(m.MaxUpfrontUSD), price.Upfront))
	}
	if !m.MaxUSDPerHour.IsUnknown() {
		report.Failure(pl.diags, capacity.CheckCeiling("max_usd_per_hour", attribute.AmountOf(m.MaxUSDPerHour), price.PerHour))
	}
}

// offerUnknown tells whether something that an offer depends on is not known yet.
func (pl *planning) offerUnknown(ctx context.Context) bool {
	m, w := pl.plan, pl.plan.window(ctx)
	return m.optionsUnknown() || slices.ContainsFunc([]attr.Value{
		m.account(), m.Region, m.Zone, m.InstanceType, m.InstanceCount, m.OfferID, m.Window, w.StartAt, w.EndAt, w.Duration, m.Term,
	}, attr.Value.IsUnknown)
}

// noOffers reports that offers could not be had. A refusal of what the
// configuration names is an error now; what may pass is one at apply.
func (pl *planning) noOffers(err error) {
	detail := cloud.Clean(err.Error())
	switch cloud.CodeOf(err) {
	case cloud.Throttled, cloud.Internal, "":
		pl.diags.AddWarning("Offers not known", "What could be bought now could not be read: "+detail+". The apply looks again.")
		return
	}
	at := path.Root("instance_type")
	if !pl.plan.OfferID.IsNull() {
		at = path.Root("offer_id")
	}
	pl.diags.AddAttributeError(at, "Offer cannot be bought", detail)
}

// nothingOffered reports an empty answer: a term that is not sold will not be sold
// at apply either, a block may.
func (pl *planning) nothingOffered() {
	m := pl.plan
	if pl.spec.Term != nil {
		pl.diags.AddAttributeError(path.Root("term"), "Term is not sold", fmt.Sprintf(
			"%s sells no term of %s for %s in %s.", m.Cloud.ValueString(), pl.spec.Term, m.InstanceType.ValueString(), m.Region.ValueString()))
		return
	}
	pl.diags.AddAttributeWarning(path.Root("window"), "Nothing is offered now", fmt.Sprintf(
		"%s offers nothing now for %d × %s in %s with this window. The apply looks again and fails if that is still so.",
		m.Cloud.ValueString(), m.InstanceCount.ValueInt64(), m.InstanceType.ValueString(), m.Region.ValueString()))
}
