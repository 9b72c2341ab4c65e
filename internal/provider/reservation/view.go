package reservation

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
)

// View is a reservation as data sources show it: what the cloud tells now, with
// or without a mark. Its attributes are those of ViewAttributes.
type View struct {
	Name           types.String `tfsdk:"name"`
	Cloud          types.String `tfsdk:"cloud"`
	Region         types.String `tfsdk:"region"`
	Zone           types.String `tfsdk:"zone"`
	InstanceType   types.String `tfsdk:"instance_type"`
	InstanceCount  types.Int64  `tfsdk:"instance_count"`
	InUseCount     types.Int64  `tfsdk:"in_use_count"`
	AvailableCount types.Int64  `tfsdk:"available_count"`
	Kind           types.String `tfsdk:"kind"`
	MatchCriteria  types.String `tfsdk:"match_criteria"`
	ShareWith      types.Set    `tfsdk:"share_with"`
	Tags           types.Map    `tfsdk:"tags"`
	Term           types.Object `tfsdk:"term"`
	AWS            types.Object `tfsdk:"aws"`
	Google         types.Object `tfsdk:"google"`
	Azure          types.Object `tfsdk:"azure"`

	ID                  types.String `tfsdk:"id"`
	NativeID            types.String `tfsdk:"native_id"`
	AccountID           types.String `tfsdk:"account_id"`
	Simulated           types.Bool   `tfsdk:"simulated"`
	Owner               types.String `tfsdk:"owner"`
	ClaimID             types.String `tfsdk:"claim_id"`
	Status              types.String `tfsdk:"status"`
	NativeStatus        types.String `tfsdk:"native_status"`
	StartsAt            types.String `tfsdk:"starts_at"`
	EndsAt              types.String `tfsdk:"ends_at"`
	UsableUntil         types.String `tfsdk:"usable_until"`
	PaidUpfront         types.Number `tfsdk:"paid_upfront"`
	Currency            types.String `tfsdk:"currency"`
	GPUModel            types.String `tfsdk:"gpu_model"`
	GPUsPerInstance     types.String `tfsdk:"gpus_per_instance"`
	GPUCount            types.String `tfsdk:"gpu_count"`
	EstimatedUSDPerHour types.Number `tfsdk:"estimated_usd_per_hour"`
	Binding             types.Object `tfsdk:"binding"`
}

// Statuses that only a live look can show: a resource keeps what ended and
// forgets what was given up.
const (
	statusEnded     = "ended"
	statusCancelled = "cancelled"
)

// Statuses are the values of a view's status.
func Statuses() []string {
	return []string{"pending", "held", "refused", statusEnded, statusCancelled}
}

// StatusOf is the status of an object in that state, as data sources show it.
func StatusOf(s cloud.State) string {
	switch s {
	case cloud.Ended:
		return statusEnded
	case cloud.Gone, cloud.Leaving:
		return statusCancelled
	}
	return string(importedStatus(s))
}

// Viewer makes the views of one read; it asks about each shape once.
type Viewer struct {
	provider *configured.Provider
	cloud    string
	shapes   map[string]facts
}

// NewViewer returns a viewer of one cloud's reservations.
func NewViewer(p *configured.Provider, cloudName string) *Viewer {
	return &Viewer{provider: p, cloud: cloudName, shapes: map[string]facts{}}
}

// View shows a reservation. It is the conversion of every data source.
func (v *Viewer) View(ctx context.Context, r cloud.Reservation, diags *diag.Diagnostics) View {
	m := taken(ctx, v.cloud, kindOf(v.provider.Manager, v.cloud, r.Kind), r, v.provider.DefaultTags, diags)
	m.Simulated = types.BoolValue(v.provider.Manager.Simulated())
	m.setFacts(v.facts(ctx, m, diags), m.InstanceCount.ValueInt64())
	if r.State == cloud.Unrecognized {
		diags.AddWarning("State not recognized", fmt.Sprintf(
			"%s is %q, which this version of the provider does not know. It counts as not yet held.", r.Ref.NativeID, r.NativeState))
	}
	view := View{
		Name: attribute.TextValue(r.Mark.Name), Cloud: m.Cloud, Region: m.Region, Zone: m.Zone, InstanceType: m.InstanceType,
		InstanceCount: m.InstanceCount, InUseCount: types.Int64Value(int64(r.InUse)), AvailableCount: types.Int64Value(available(r)),
		Kind: m.Kind, MatchCriteria: m.MatchCriteria, ShareWith: setValue(slices.Sorted(slices.Values(sharedWith(r)))), Term: termValue(r.Term),
		Tags: attribute.MapValue(r.Tags, types.MapValueMust(types.StringType, map[string]attr.Value{})),
		ID:   m.ID, NativeID: m.NativeID, AccountID: m.AccountID, Simulated: m.Simulated, Owner: m.Owner, ClaimID: m.ClaimID,
		Status: types.StringValue(StatusOf(r.State)), NativeStatus: types.StringValue(r.NativeState),
		StartsAt: m.StartsAt, EndsAt: m.EndsAt, UsableUntil: m.UsableUntil, PaidUpfront: m.PaidUpfront, Currency: m.Currency,
		GPUModel: m.GPUModel, GPUsPerInstance: m.GPUsPerInstance, GPUCount: m.GPUCount,
		EstimatedUSDPerHour: m.EstimatedUSDPerHour, Binding: m.Binding,
	}
	for _, p := range parts() {
		*p.viewed(&view) = types.ObjectNull(p.optionTypes)
		if p.cloud == v.cloud {
			*p.viewed(&view) = p.shown(r)
		}
	}
	return view
}

// available is how many instances can still be launched into a reservation.
func available(r cloud.Reservation) int64 {
	if r.State != cloud.Held {
		return 0
	}
	return int64(max(0, r.Count-r.InUse))
}

// facts are the shape and the price of a reservation. What nobody can tell stays
// null; a view never fails for it.
func (v *Viewer) facts(ctx context.Context, m model, diags *diag.Diagnostics) facts {
	spec := m.spec(ctx, nil)
	key := spec.Account + "\x00" + spec.Region + "\x00" + spec.InstanceType
	f, ok := v.shapes[key]
	if _, has := attachedTo(v.cloud, spec); !ok && !has {
		var asked diag.Diagnostics
		f = learn(ctx, v.provider, v.cloud, spec, &asked)
		v.shapes[key] = f
		for _, warning := range asked.Warnings() {
			diags.AddWarning(warning.Summary(), warning.Detail())
		}
	}
	if attached, has := attachedTo(v.cloud, spec); has {
		f.Shape = attached
	}
	f.perHour = nil
	if c, err := v.provider.Catalog(); err == nil {
		f.perHour = price(c, v.cloud, spec)
	}
	return f
}

func setValue(texts []string) types.Set {
	elements := make([]attr.Value, len(texts))
	for i, text := range texts {
		elements[i] = types.StringValue(text)
	}
	return types.SetValueMust(types.StringType, elements)
}
