package reservation

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// awsDefaults are the documented defaults of the aws attribute; an import leaves
// out what equals them.
func awsDefaults() map[string]string {
	return map[string]string{"platform": "Linux/UNIX", "tenancy": "default", "placement_group_arn": ""}
}

// awsOptions is the decoded attribute of that name.
type awsOptions struct {
	Platform          types.String `tfsdk:"platform"`
	Tenancy           types.String `tfsdk:"tenancy"`
	PlacementGroupARN types.String `tfsdk:"placement_group_arn"`
}

var awsOptionTypes = map[string]attr.Type{
	"platform": types.StringType, "tenancy": types.StringType, "placement_group_arn": types.StringType,
}

func awsAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "What only AWS has. A change of any of these replaces the reservation.",
		Attributes: map[string]schema.Attribute{
			"platform": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Operating system that launches must match and that is billed for. Default `Linux/UNIX`; " +
					"others are `Red Hat Enterprise Linux`, `SUSE Linux`, `Windows`, `Ubuntu Pro` and the SQL Server and " +
					"HA editions as AWS spells them.",
			},
			"tenancy": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "`default` (the default) or `dedicated`.",
			},
			"placement_group_arn": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "ARN of the cluster placement group to reserve in. Default: none.",
			},
		},
	}
}

// awsNative is the attribute as the contract's options.
func (m model) awsNative(ctx context.Context) map[string]string {
	options := map[string]string{}
	var o awsOptions
	if m.AWS.IsNull() || m.AWS.IsUnknown() || m.AWS.As(ctx, &o, basetypes.ObjectAsOptions{}).HasError() {
		return options
	}
	for key, value := range map[string]types.String{
		"platform": o.Platform, "tenancy": o.Tenancy, "placement_group_arn": o.PlacementGroupARN,
	} {
		if value.ValueString() != "" {
			options[key] = value.ValueString()
		}
	}
	return options
}

// awsListed tells whether the catalog's prices, which are for Linux without a
// license, are for these options.
func awsListed(native map[string]string) bool {
	platform := native["platform"]
	return platform == "" || platform == awsDefaults()["platform"]
}

// importAWS is the attribute for an object that was not made from a
// configuration: only what differs from the documented defaults.
func importAWS(r cloud.Reservation) types.Object {
	parts, differs := map[string]attr.Value{}, false
	for key, usual := range awsDefaults() {
		parts[key] = types.StringNull()
		if value := r.Native[key]; value != "" && value != usual {
			parts[key], differs = types.StringValue(value), true
		}
	}
	if !differs {
		return types.ObjectNull(awsOptionTypes)
	}
	return types.ObjectValueMust(awsOptionTypes, parts)
}

// showAWS is the attribute of a data source: everything as AWS tells it.
func showAWS(r cloud.Reservation) types.Object {
	values := map[string]attr.Value{}
	for name := range awsOptionTypes {
		values[name] = optional(r.Native[name])
	}
	return types.ObjectValueMust(awsOptionTypes, values)
}

func awsShownAttribute() dataschema.Attribute {
	return dataschema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What only AWS has; null on other clouds.",
		Attributes: map[string]dataschema.Attribute{
			"platform":            viewText("Operating system that launches must match and that is billed for, as AWS spells it."),
			"tenancy":             viewText("`default` or `dedicated`."),
			"placement_group_arn": viewText("ARN of the cluster placement group; null without one."),
		},
	}
}

var awsBindingTypes = map[string]attr.Type{
	"capacity_reservation_id": types.StringType, "capacity_reservation_arn": types.StringType, "host_id": types.StringType,
	"capacity_reservation_preference": types.StringType, "market_type": types.StringType, "tenancy": types.StringType,
	"availability_zone": types.StringType, "instance_type": types.StringType, "eks_capacity_type": types.StringType,
	"karpenter": types.ObjectType{AttrTypes: awsKarpenterTypes},
}

var awsKarpenterTypes = map[string]attr.Type{
	"capacity_reservation_id": types.StringType, "capacity_type": types.StringType,
}

func awsBindingAttribute() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "For AWS consumers; null on other clouds.",
		Attributes: map[string]schema.Attribute{
			"capacity_reservation_id":         text("Id for `capacity_reservation_target`, `cr-…`."),
			"capacity_reservation_arn":        text("ARN of the reservation."),
			"host_id":                         text("Dedicated host to launch on; null for capacity reservations."),
			"capacity_reservation_preference": text("`open` for an open reservation; null for a targeted one, which is named by id instead."),
			"market_type":                     text("`capacity-block` for capacity blocks, else null."),
			"tenancy":                         text("Tenancy that launches must have."),
			"availability_zone":               text("Zone to launch in."),
			"instance_type":                   text("Instance type to launch."),
			"eks_capacity_type":               text("`capacity_type` for an EKS managed node group."),
			"karpenter": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "For Karpenter's EC2NodeClass and NodePool.",
				Attributes: map[string]schema.Attribute{
					"capacity_reservation_id": text("Id for `capacityReservationSelectorTerms`."),
					"capacity_type":           text("Value for `karpenter.sh/capacity-type`."),
				},
			},
		},
	}
}

// awsBinding is what launches on AWS need. The short id is the last part of the
// ARN: arn:aws:ec2:REGION:ACCOUNT:capacity-reservation/ID (EC2 User Guide,
// "Split a Capacity Reservation"). A block is launched into with a market of its
// own (EC2 User Guide, "Launch instances using Capacity Blocks"; EKS User Guide,
// "Create a managed node group with Capacity Blocks for ML").
func awsBinding(m model, native map[string]string) attr.Value {
	id, preference := awsTarget(m)
	tenancy := types.StringValue(awsDefaults()["tenancy"])
	switch {
	case m.nativeUnknown("aws.tenancy"):
		tenancy = types.StringUnknown()
	case native["tenancy"] != "":
		tenancy = types.StringValue(native["tenancy"])
	}
	market, eks := types.StringNull(), "ON_DEMAND"
	if m.Kind.ValueString() == string(cloud.Block) {
		market, eks = types.StringValue("capacity-block"), "CAPACITY_BLOCK"
	}
	return types.ObjectValueMust(awsBindingTypes, map[string]attr.Value{
		"capacity_reservation_id": id, "capacity_reservation_arn": m.NativeID, "host_id": types.StringNull(),
		"capacity_reservation_preference": preference, "market_type": market,
		"tenancy": tenancy, "availability_zone": m.Zone, "instance_type": m.InstanceType,
		"eks_capacity_type": types.StringValue(eks),
		"karpenter": types.ObjectValueMust(awsKarpenterTypes, map[string]attr.Value{
			"capacity_reservation_id": id, "capacity_type": types.StringValue("reserved"),
		}),
	})
}

// awsTarget is how a launch names the reservation: by its short id, or by
// preference alone where it is open.
func awsTarget(m model) (id, preference types.String) {
	id, preference = m.NativeID, types.StringNull()
	if !id.IsUnknown() {
		id = types.StringValue(id.ValueString()[strings.LastIndex(id.ValueString(), "/")+1:])
	}
	switch {
	case m.MatchCriteria.IsUnknown():
		preference = types.StringUnknown()
	case m.MatchCriteria.ValueString() == string(cloud.Open):
		preference = types.StringValue("open")
	}
	return id, preference
}
