package reservation

import (
	"context"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// model is the resource as configuration, plan and state hold it.
type model struct {
	Name          types.String `tfsdk:"name"`
	Cloud         types.String `tfsdk:"cloud"`
	Account       types.String `tfsdk:"account"`
	Region        types.String `tfsdk:"region"`
	Zone          types.String `tfsdk:"zone"`
	InstanceType  types.String `tfsdk:"instance_type"`
	InstanceCount types.Int64  `tfsdk:"instance_count"`
	Kind          types.String `tfsdk:"kind"`
	MatchCriteria types.String `tfsdk:"match_criteria"`
	OfferID       types.String `tfsdk:"offer_id"`
	ShareWith     types.Set    `tfsdk:"share_with"`
	Tags          types.Map    `tfsdk:"tags"`
	Window        types.Object `tfsdk:"window"`
	Term          types.Object `tfsdk:"term"`
	AWS           types.Object `tfsdk:"aws"`
	Google        types.Object `tfsdk:"google"`
	Azure         types.Object `tfsdk:"azure"`

	WaitForCapacity    types.String `tfsdk:"wait_for_capacity"`
	MaxUSDPerHour      types.Number `tfsdk:"max_usd_per_hour"`
	MaxUpfrontUSD      types.Number `tfsdk:"max_upfront_usd"`
	MaxCancellationUSD types.Number `tfsdk:"max_cancellation_usd"`
	OnDestroy          types.String `tfsdk:"on_destroy"`
	OnReleaseInUse     types.String `tfsdk:"on_release_in_use"`
	AllowReplacement   types.Bool   `tfsdk:"allow_replacement"`

	Timeouts timeouts.Value `tfsdk:"timeouts"`

	results
}

// results are the attributes that only the provider sets.
type results struct {
	ID                  types.String `tfsdk:"id"`
	NativeID            types.String `tfsdk:"native_id"`
	AccountID           types.String `tfsdk:"account_id"`
	Simulated           types.Bool   `tfsdk:"simulated"`
	Owner               types.String `tfsdk:"owner"`
	ClaimID             types.String `tfsdk:"claim_id"`
	Status              types.String `tfsdk:"status"`
	StartsAt            types.String `tfsdk:"starts_at"`
	EndsAt              types.String `tfsdk:"ends_at"`
	UsableUntil         types.String `tfsdk:"usable_until"`
	PaidUpfront         types.Number `tfsdk:"paid_upfront"`
	Currency            types.String `tfsdk:"currency"`
	TagsAll             types.Map    `tfsdk:"tags_all"`
	GPUModel            types.String `tfsdk:"gpu_model"`
	GPUsPerInstance     types.String `tfsdk:"gpus_per_instance"`
	GPUCount            types.String `tfsdk:"gpu_count"`
	EstimatedUSDPerHour types.Number `tfsdk:"estimated_usd_per_hour"`
	Binding             types.Object `tfsdk:"binding"`
}

// window is the decoded attribute of that name.
type window struct {
	StartAt  types.String `tfsdk:"start_at"`
	EndAt    types.String `tfsdk:"end_at"`
	Duration types.String `tfsdk:"duration"`
}

var windowTypes = map[string]attr.Type{
	"start_at": types.StringType, "end_at": types.StringType, "duration": types.StringType,
}

// window decodes the attribute; null and unknown give null and unknown parts.
func (m model) window(ctx context.Context) window {
	var w window
	if m.Window.IsUnknown() {
		return window{types.StringUnknown(), types.StringUnknown(), types.StringUnknown()}
	}
	if m.Window.IsNull() || m.Window.As(ctx, &w, basetypes.ObjectAsOptions{}).HasError() {
		return window{types.StringNull(), types.StringNull(), types.StringNull()}
	}
	return w
}

func (w window) object(ctx context.Context, diags *diag.Diagnostics) types.Object {
	o, d := types.ObjectValueFrom(ctx, windowTypes, w)
	diags.Append(d...)
	return o
}

// spec is the wish. What is null or unknown is zero in it.
func (m model) spec(ctx context.Context, defaultTags map[string]string) cloud.Spec {
	w := m.window(ctx)
	spec := cloud.Spec{
		Kind:         cloud.Kind(m.Kind.ValueString()),
		Account:      m.account().ValueString(),
		Region:       m.Region.ValueString(),
		Zone:         m.Zone.ValueString(),
		InstanceType: m.InstanceType.ValueString(),
		Count:        int(m.InstanceCount.ValueInt64()),
		Match:        cloud.MatchCriteria(m.MatchCriteria.ValueString()),
		StartAt:      attribute.TimeOf(w.StartAt),
		EndAt:        attribute.TimeOf(w.EndAt),
		OfferID:      m.OfferID.ValueString(),
		Tags:         map[string]string{},
		ShareWith:    attribute.Strings(m.ShareWith),
		Term:         m.term(ctx).plan(),
		Native:       m.native(ctx),
	}
	if d, err := attribute.ParseDuration(w.Duration.ValueString()); err == nil {
		spec.Duration = d
	}
	for key, value := range defaultTags {
		spec.Tags[key] = value
	}
	for key, value := range attribute.StringMap(m.Tags) {
		spec.Tags[key] = value
	}
	return spec
}

// unknown tells whether the attribute is not known yet.
func (m model) unknown(ctx context.Context, name cloud.Attribute) bool {
	w, t := m.window(ctx), m.term(ctx)
	value, ok := map[cloud.Attribute]attr.Value{
		"name": m.Name, "cloud": m.Cloud, "account": m.Account, "region": m.Region, "zone": m.Zone,
		"instance_type": m.InstanceType, "instance_count": m.InstanceCount, "kind": m.Kind,
		"match_criteria": m.MatchCriteria, "offer_id": m.OfferID,
		"window": m.Window, "window.start_at": w.StartAt,
		"term": m.Term, "term.months": t.Months, "term.payment_option": t.PaymentOption,
	}[name]
	switch {
	case ok:
		return value.IsUnknown()
	case name == cloud.AttrEnd || name == cloud.AttrDuration: // each may say when it ends
		return w.EndAt.IsUnknown() || w.Duration.IsUnknown()
	case name == cloud.AttrShare:
		return !attribute.KnownSet(m.ShareWith)
	}
	return m.nativeUnknown(name)
}

// maybeRight tells whether a problem with the attribute may not be one once
// everything is known: which rules hold is the kind's to say.
func (m model) maybeRight(ctx context.Context, name cloud.Attribute) bool {
	return m.Kind.IsUnknown() || m.unknown(ctx, name)
}

// holder is the reservation as this state remembers it.
func (m model) holder() capacity.Holder {
	months, _ := m.Term.Attributes()["months"].(types.Int64) // a term has them
	return capacity.Holder{
		Cloud:     m.Cloud.ValueString(),
		Ref:       cloud.Ref{Account: m.account().ValueString(), NativeID: m.NativeID.ValueString()},
		AccountID: m.AccountID.ValueString(),
		Simulated: m.Simulated.ValueBool(),
		Region:    m.Region.ValueString(),
		Kind:      cloud.Kind(m.Kind.ValueString()),
		Mark:      m.mark(),
		Status:    capacity.Status(m.Status.ValueString()),
		EndsAt:    attribute.TimeOf(m.EndsAt),

		TermMonths: int(months.ValueInt64()),
	}
}

// release is how this state has the reservation given up.
func (m model) release() capacity.Release {
	how := capacity.Release{
		OnDestroy: m.OnDestroy.ValueString(),
		InUse:     m.OnReleaseInUse.ValueString() == onReleaseRelease,
		MaxCharge: attribute.AmountOf(m.MaxCancellationUSD),
	}
	if price, n := attribute.AmountOf(m.EstimatedUSDPerHour), m.InstanceCount.ValueInt64(); price != nil && n > 0 {
		price.Micros /= n // one instance's times the count, so that this is exact
		how.PerInstanceHour = price
	}
	if paid := attribute.AmountOf(m.PaidUpfront); paid != nil {
		paid.Currency = m.Currency.ValueString()
		how.Paid = paid
	}
	return how
}

func (m model) mark() cloud.Mark {
	return cloud.Mark{
		Owner: m.Owner.ValueString(), Name: m.Name.ValueString(), Type: typeName, Claim: m.ClaimID.ValueString(),
	}
}

// patience is how long a full place is asked again.
func (m model) patience() time.Duration {
	d, err := attribute.ParseDuration(m.WaitForCapacity.ValueString())
	if err != nil {
		return 0
	}
	return d
}

// applyDefaults fills a configuration with the schema's defaults, which come
// only after its validation.
func (m *model) applyDefaults() {
	if m.Kind.IsNull() {
		m.Kind = types.StringValue(string(cloud.OnDemand))
	}
	if m.InstanceCount.IsNull() {
		m.InstanceCount = types.Int64Value(1)
	}
	if m.MatchCriteria.IsNull() {
		m.MatchCriteria = types.StringValue(string(cloud.Targeted))
	}
}

// equal tells whether two models have the same values.
func (m model) equal(o model) bool {
	a, b := reflect.ValueOf(m), reflect.ValueOf(o)
	return equalFields(a, b) && equalFields(a.FieldByName("results"), b.FieldByName("results"))
}

func equalFields(a, b reflect.Value) bool {
	for i := range a.NumField() {
		if !a.Type().Field(i).IsExported() { // the embedded results
			continue
		}
		x, ok := a.Field(i).Interface().(attr.Value)
		if y, isValue := b.Field(i).Interface().(attr.Value); !ok || !isValue || !x.Equal(y) {
			return false
		}
	}
	return true
}
