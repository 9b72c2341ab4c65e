package reservation

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// awsDefaults are the documented defaults of the aws attribute; an import leaves
// out what equals them. host_maintenance has none: AWS shows it of every host.
func awsDefaults() map[string]string {
	return map[string]string{
		"platform": "Linux/UNIX", "tenancy": "default", "placement_group_arn": "", "commitment": "14d", "host_recovery": hostOff,
	}
}

// The values of host_recovery and host_maintenance.
const (
	hostOn  = "on"
	hostOff = "off"
)

var awsOptionTypes = map[string]attr.Type{
	"platform": types.StringType, "tenancy": types.StringType, "placement_group_arn": types.StringType,
	"commitment": types.StringType, "host_recovery": types.StringType, "host_maintenance": types.StringType,
}

func awsAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What only AWS has. A change replaces the reservation, but for `host_recovery` and " +
			"`host_maintenance`. An option that the kind does not have is an error.",
		Attributes: map[string]schema.Attribute{
			"platform": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Operating system that launches must match and that is billed for. Default `Linux/UNIX`; " +
					"others are `Red Hat Enterprise Linux`, `SUSE Linux`, `Windows`, `Ubuntu Pro` and the SQL Server and " +
					"HA editions as AWS spells them. Kind `block` takes `Linux/UNIX`, `Red Hat Enterprise Linux`, `RHEL with HA`, " +
					"`SUSE Linux` and `Ubuntu Pro`; hosts have none.",
			},
			"tenancy": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "`default` (the default) or `dedicated`, for kinds `on_demand` and `scheduled`.",
			},
			"placement_group_arn": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "ARN of the cluster placement group to reserve in, for kind `on_demand`. Default: none.",
			},
			"commitment": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long kind `scheduled` is paid for at least, from its start on, such as `14d` (the default " +
					"and the shortest) or `84d`. Within it `instance_count` does not shrink and giving up costs a charge.",
				Validators: []validator.String{attribute.Duration{Min: time.Second}},
			},
			"host_recovery":    hostSwitch("Whether AWS moves the instances of a failed host to another one: `on` or `off` (default). Only some types can."),
			"host_maintenance": hostSwitch("Whether AWS moves the instances of a host that needs maintenance: `on` or `off`. Default: what AWS does for the type."),
		},
	}
}

// hostSwitch is an option of kinds dedicated_host and term that is on or off.
func hostSwitch(description string) schema.Attribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description + " For kinds `dedicated_host` and `term`; changes in place.",
		Validators:          []validator.String{stringvalidator.OneOf(hostOn, hostOff)},
	}
}

// awsNative is the attribute as the contract's options.
func (m model) awsNative(context.Context) map[string]string {
	options := map[string]string{}
	for name, value := range m.AWS.Attributes() {
		if text, ok := value.(types.String); ok && text.ValueString() != "" {
			options[name] = text.ValueString()
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
	for name := range awsOptionTypes {
		parts[name] = types.StringNull()
		usual, documented := awsDefaults()[name]
		if value := r.Native[name]; value != "" && documented && !sameOption(value, usual) {
			parts[name], differs = types.StringValue(value), true
		}
	}
	if !differs {
		return types.ObjectNull(awsOptionTypes)
	}
	return types.ObjectValueMust(awsOptionTypes, parts)
}

// sameOption tells whether two texts mean the same; a length of time has many.
func sameOption(a, b string) bool {
	x, err := attribute.ParseDuration(a)
	y, other := attribute.ParseDuration(b)
	return a == b || err == nil && other == nil && x == y
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
			"commitment":          viewText("How long kind `scheduled` is paid for at least, from its start on; null for other kinds."),
			"host_recovery":       viewText("`on` if AWS moves the instances of a failed host to another one, else `off`; null for other kinds than hosts."),
			"host_maintenance":    viewText("`on` if AWS moves the instances of a host that needs maintenance, else `off`; null for other kinds than hosts."),
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
