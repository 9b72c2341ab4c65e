package reservation

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
)

// identity is the resource's identity as the framework keeps it.
type identity struct {
	Cloud    types.String `tfsdk:"cloud"`
	NativeID types.String `tfsdk:"native_id"`
}

// observe writes what the cloud shows into a state, drift included. Tags that
// are not ours stay out, and so do other texts for the same instant.
func (m *model) observe(ctx context.Context, kind cloud.KindCapabilities, r cloud.Reservation, diags *diag.Diagnostics) {
	m.Region, m.InstanceType = attribute.TextValue(r.Region), types.StringValue(r.InstanceType)
	if !kind.ByOffer || !m.Zone.IsNull() { // else the zone was the offer's to choose
		m.Zone = attribute.TextValue(r.Zone)
	}
	m.InstanceCount = types.Int64Value(int64(r.Count))
	m.MatchCriteria = types.StringValue(string(r.Match))
	m.Kind = types.StringValue(string(r.Kind))
	m.observeTags(r.Tags)
	if !kind.ByOffer { // else the window is where an offer was looked for
		m.observeWindow(ctx, kind, r, diags)
	}
	m.results.observe(*m, r)
	m.Binding = m.bindingIn(ctx, r.Zone)
}

func (m *model) observeTags(live map[string]string) {
	wrote := attribute.StringMap(m.TagsAll)
	maps.DeleteFunc(wrote, func(key, _ string) bool { _, ok := live[key]; return !ok })
	own := attribute.StringMap(m.Tags)
	for key := range wrote {
		wrote[key] = live[key]
	}
	maps.DeleteFunc(own, func(key, _ string) bool { _, ok := live[key]; return !ok })
	for key := range own {
		own[key] = live[key]
	}
	m.Tags = attribute.MapValue(own, m.Tags)
	m.TagsAll = attribute.MapValue(wrote, m.TagsAll)
}

// observeWindow shows a start and an end that were moved elsewhere, and a start
// that was asked for. A duration stays as it was written while the end is the one
// it led to, which is in ends_at, or the promise still lasts that long.
func (m *model) observeWindow(ctx context.Context, kind cloud.KindCapabilities, r cloud.Reservation, diags *diag.Diagnostics) {
	w := m.window(ctx)
	if start := w.start(kind, r); !start.Equal(w.StartAt) {
		w.StartAt = start
		m.Window = w.object(ctx, diags)
	}
	end := attribute.KeepText(w.EndAt, r.EndsAt)
	if w.Duration.IsNull() && end.Equal(w.EndAt) {
		return
	}
	if !w.Duration.IsNull() && (attribute.KeepText(m.EndsAt, r.EndsAt).Equal(m.EndsAt) || w.spans(r)) {
		return
	}
	w.Duration = types.StringNull()
	if w.EndAt = end; end.IsNull() && w.StartAt.IsNull() {
		m.Window = types.ObjectNull(windowTypes)
		return
	}
	m.Window = w.object(ctx, diags)
}

// start is the start to show: where it can move the present one, else the one that
// must have been asked for.
func (w window) start(kind cloud.KindCapabilities, r cloud.Reservation) types.String {
	asked := r.Kind == cloud.Scheduled || kind.Bounded
	if kind.CanChange(cloud.AttrStart) || asked && w.StartAt.IsNull() {
		return attribute.KeepText(w.StartAt, r.StartsAt)
	}
	return w.StartAt
}

// spans tells whether a promise lasts as long as the window from its own start.
func (w window) spans(r cloud.Reservation) bool {
	length, err := attribute.ParseDuration(w.Duration.ValueString())
	return err == nil && !w.StartAt.IsNull() && r.EndsAt.Sub(r.StartsAt) == length
}

// observe writes what only the provider sets, but for status, binding and the
// catalog's facts.
func (res *results) observe(m model, r cloud.Reservation) {
	res.NativeID = types.StringValue(r.Ref.NativeID)
	res.ID = types.StringValue(m.Cloud.ValueString() + ":" + r.Ref.NativeID)
	res.AccountID = types.StringValue(r.AccountID)
	res.StartsAt = attribute.KeepText(res.StartsAt, r.StartsAt)
	res.EndsAt = attribute.KeepText(res.EndsAt, r.EndsAt)
	res.UsableUntil = attribute.KeepText(res.UsableUntil, r.UsableUntil)
	if !res.PaidUpfront.IsUnknown() && !res.PaidUpfront.IsNull() {
		return // what was paid once stays, whatever the cloud remembers of it
	}
	res.PaidUpfront, res.Currency = types.NumberNull(), types.StringNull()
	if r.PaidUpfront != nil {
		res.PaidUpfront, res.Currency = attribute.AmountValue(r.PaidUpfront), types.StringValue(r.PaidUpfront.Currency)
	}
}

// complete fills what was unknown in a plan from how the operation ended; what
// the plan knew stays to the letter.
func (m *model) complete(ctx context.Context, result capacity.Result) {
	planned := m.results
	m.results.observe(*m, result.Reservation)
	m.Status = statusValue(result.Status)
	m.ClaimID = attribute.TextValue(result.Mark.Claim)
	if m.Region.IsUnknown() {
		m.Region = types.StringValue(result.Reservation.Region)
	}
	m.Binding = m.bindingIn(ctx, result.Reservation.Zone)
	m.keepKnown(ctx, planned)
}

// keepKnown puts back what a plan knew, and gives a value to what nothing told.
func (res *results) keepKnown(ctx context.Context, planned results) {
	if raw, err := planned.Binding.ToTerraformValue(ctx); err == nil && raw.IsFullyKnown() {
		res.Binding = planned.Binding
	}
	keepString(&res.ID, planned.ID)
	keepString(&res.NativeID, planned.NativeID)
	keepString(&res.AccountID, planned.AccountID)
	keepString(&res.ClaimID, planned.ClaimID)
	keepString(&res.Status, planned.Status)
	keepString(&res.StartsAt, planned.StartsAt)
	keepString(&res.EndsAt, planned.EndsAt)
	keepString(&res.UsableUntil, planned.UsableUntil)
	for _, s := range []*types.String{&res.Owner, &res.GPUModel, &res.GPUsPerInstance, &res.GPUCount} {
		if s.IsUnknown() {
			*s = types.StringNull()
		}
	}
	if res.EstimatedUSDPerHour.IsUnknown() {
		res.EstimatedUSDPerHour = types.NumberNull()
	}
	if res.TagsAll.IsUnknown() {
		res.TagsAll = types.MapValueMust(types.StringType, map[string]attr.Value{})
	}
}

func keepString(is *types.String, planned types.String) {
	if !planned.IsUnknown() {
		*is = planned
	}
}

// refreshFacts computes shape and price after an import or a count that changed
// elsewhere.
func (m *model) refreshFacts(ctx context.Context, p *configured.Provider, diags *diag.Diagnostics) {
	spec, _, err := p.Manager.Check(m.Cloud.ValueString(), m.spec(ctx, nil))
	if err != nil {
		return
	}
	var asked diag.Diagnostics // a read does not complain about what a plan would
	m.setFacts(learn(ctx, p, m.Cloud.ValueString(), spec, &asked), m.InstanceCount.ValueInt64())
	diags.Append(asked.Warnings()...)
}

func statusValue(s capacity.Status) types.String { return types.StringValue(string(s)) }
