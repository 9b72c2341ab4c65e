package offers

import (
	"cmp"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/shape"
)

// model is the data source as configuration and state hold it.
type model struct {
	Cloud         types.String `tfsdk:"cloud"`
	Account       types.String `tfsdk:"account"`
	Region        types.String `tfsdk:"region"`
	Zones         types.Set    `tfsdk:"zones"`
	InstanceTypes types.Set    `tfsdk:"instance_types"`
	InstanceCount types.Int64  `tfsdk:"instance_count"`
	Kinds         types.Set    `tfsdk:"kinds"`
	Window        *window      `tfsdk:"window"`

	Offers     []offer  `tfsdk:"offers"`
	Signals    []signal `tfsdk:"signals"`
	Quotas     []quota  `tfsdk:"quotas"`
	Unsearched []gap    `tfsdk:"unsearched"`
}

type window struct {
	StartAt  types.String `tfsdk:"start_at"`
	EndAt    types.String `tfsdk:"end_at"`
	Duration types.String `tfsdk:"duration"`
}

type offer struct {
	Cloud         types.String `tfsdk:"cloud"`
	Region        types.String `tfsdk:"region"`
	Zone          types.String `tfsdk:"zone"`
	InstanceType  types.String `tfsdk:"instance_type"`
	InstanceCount types.Int64  `tfsdk:"instance_count"`
	Kind          types.String `tfsdk:"kind"`
	OfferID       types.String `tfsdk:"offer_id"`
	StartsAt      types.String `tfsdk:"starts_at"`
	EndsAt        types.String `tfsdk:"ends_at"`
	Upfront       types.Number `tfsdk:"upfront"`
	Currency      types.String `tfsdk:"currency"`
	USDPerHour    types.Number `tfsdk:"usd_per_hour"`
	GPUModel      types.String `tfsdk:"gpu_model"`
	GPUCount      types.String `tfsdk:"gpu_count"`
	Unknown       reasons      `tfsdk:"unknown"`
}

type signal struct {
	Region             types.String `tfsdk:"region"`
	Zone               types.String `tfsdk:"zone"`
	InstanceType       types.String `tfsdk:"instance_type"`
	Offered            types.Bool   `tfsdk:"offered"`
	OnDemandUSDPerHour types.Number `tfsdk:"on_demand_usd_per_hour"`
	PriceSource        types.String `tfsdk:"price_source"`
	SpotUSDPerHour     types.Number `tfsdk:"spot_usd_per_hour"`
	SpotPricedAt       types.String `tfsdk:"spot_priced_at"`
	SpotPlacementScore types.Int64  `tfsdk:"spot_placement_score"`
	Unknown            reasons      `tfsdk:"unknown"`
}

type quota struct {
	InstanceType types.String  `tfsdk:"instance_type"`
	Quota        types.String  `tfsdk:"quota"`
	Unit         types.String  `tfsdk:"unit"`
	Limit        types.Float64 `tfsdk:"limit"`
	Used         types.Float64 `tfsdk:"used"`
	Needed       types.Float64 `tfsdk:"needed"`
	Unknown      reasons       `tfsdk:"unknown"`
}

type gap struct {
	Kind         types.String `tfsdk:"kind"`
	InstanceType types.String `tfsdk:"instance_type"`
	Reason       types.String `tfsdk:"reason"`
}

// reasons hold, by attribute, why it is null.
type reasons map[string]string

// silent is the reason where a cloud gives none.
const silent = "the cloud does not tell"

// add notes why attributes are null.
func (r reasons) add(why string, attributes ...string) {
	for _, a := range attributes {
		r[a] = cmp.Or(why, silent)
	}
}

// usd is the amount in US dollars, or null with the reason.
func (r reasons) usd(m *money.Money, why, name string) types.Number {
	if m != nil && m.Currency != "USD" {
		m, why = nil, fmt.Sprintf("the price is in %s, and this provider knows no exchange rates", m.Currency)
	}
	if m == nil {
		r.add(why, name)
	}
	return attribute.AmountValue(m)
}

// found is an offer with its price by the hour.
type found struct {
	cloud.Offer
	// perHour is of all instances.
	perHour *money.Money
	// why tells why there is no price.
	why string
}

// compare orders the cheapest first, then the earliest; no known price is last.
func compare(a, b found) int {
	return cmp.Or(comparePrices(a.perHour, b.perHour), a.StartAt.Compare(b.StartAt), cmp.Compare(a.InstanceType, b.InstanceType),
		cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.ID, b.ID))
}

func comparePrices(a, b *money.Money) int {
	rank := func(m *money.Money) int {
		switch {
		case m == nil:
			return 2
		case m.Currency != "USD":
			return 1
		}
		return 0
	}
	if rank(a) != rank(b) || a == nil {
		return cmp.Compare(rank(a), rank(b))
	}
	return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Micros, b.Micros))
}

// value is the offer for a state.
func (f found) value(cloudName string, known shape.Shape) offer {
	unknown := reasons{}
	o := offer{
		Cloud: types.StringValue(cloudName), Region: attribute.TextValue(f.Region), Zone: attribute.TextValue(f.Zone),
		InstanceType: types.StringValue(f.InstanceType), InstanceCount: types.Int64Value(int64(f.Count)),
		Kind: types.StringValue(string(f.Kind)), OfferID: attribute.TextValue(f.ID),
		StartsAt: attribute.TimeValue(f.StartAt), EndsAt: attribute.TimeValue(f.EndAt), Upfront: types.NumberNull(),
		USDPerHour: unknown.usd(f.perHour, f.why, "usd_per_hour"), Unknown: unknown,
	}
	switch {
	case f.Upfront.Currency != "":
		o.Upfront, o.Currency = attribute.AmountValue(&f.Upfront), types.StringValue(f.Upfront.Currency)
	case f.perHour != nil:
		o.Currency = types.StringValue(f.perHour.Currency)
	default:
		unknown.add(f.why, "currency")
	}
	if f.Zone == "" {
		unknown.add("the cloud did not tell which zones have the type", "zone")
	}
	if !known.Known {
		unknown.add("neither the catalog nor the cloud tells of this type", "gpu_model", "gpu_count")
		return o
	}
	o.GPUModel = types.StringValue(known.Model)
	total, err := known.GPUs.Mul(int64(f.Count))
	if err != nil {
		unknown.add(err.Error(), "gpu_count")
		return o
	}
	o.GPUCount = types.StringValue(total.String())
	return o
}

// priced is a signal with the on-demand price of one instance.
type priced struct {
	cloud.Signal
	price *money.Money
	// source is where the price is from, why tells why there is none.
	source, why string
}

// value is the signal for a state.
func (p priced) value() signal {
	unknown := reasons{}
	v := signal{
		Region: types.StringValue(p.Region), Zone: attribute.TextValue(p.Zone), InstanceType: types.StringValue(p.InstanceType),
		Offered:            types.BoolPointerValue(p.Offered),
		OnDemandUSDPerHour: unknown.usd(p.price, p.why, "on_demand_usd_per_hour"), PriceSource: attribute.TextValue(p.source),
		SpotUSDPerHour: unknown.usd(p.Spot, p.Unknown[cloud.SignalSpot], "spot_usd_per_hour"),
		SpotPricedAt:   attribute.TimeValue(p.SpotAt), Unknown: unknown,
	}
	if p.Zone == "" {
		unknown.add("the cloud did not tell which zones have the type", "zone")
	}
	if p.Offered == nil {
		unknown.add(p.Unknown[cloud.SignalOffered], "offered")
	}
	if p.SpotAt.IsZero() {
		unknown.add(p.Unknown[cloud.SignalSpot], "spot_priced_at")
	}
	if p.SpotScore == nil {
		unknown.add(p.Unknown[cloud.SignalSpotScore], "spot_placement_score")
		return v
	}
	v.SpotPlacementScore = types.Int64Value(int64(*p.SpotScore))
	return v
}

// quotaValue is a limit for a state.
func quotaValue(instanceType string, q cloud.Quota) quota {
	unknown := reasons{}
	if q.Used == nil {
		unknown.add("the cloud does not tell what counts against its limit", "used")
	}
	return quota{
		InstanceType: types.StringValue(instanceType), Quota: types.StringValue(q.Scope.Quota), Unit: types.StringValue(q.Unit),
		Limit: types.Float64Value(q.Limit), Used: types.Float64PointerValue(q.Used), Needed: types.Float64Value(q.Need), Unknown: unknown,
	}
}

// noQuota is the row of a type whose limit cannot be read.
func noQuota(instanceType, why string) quota {
	unknown := reasons{}
	unknown.add(why, "quota", "unit", "limit", "used", "needed")
	return quota{InstanceType: types.StringValue(instanceType), Unknown: unknown}
}
