package reservation

import (
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

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
			"capacity_reservation_id":         text("Id for `capacity_reservation_target`, `cr-…`; null for a host."),
			"capacity_reservation_arn":        text("ARN of the capacity reservation; null for a host."),
			"host_id":                         text("Dedicated host to launch on, `h-…`; null for capacity reservations."),
			"capacity_reservation_preference": text("`open` for an open reservation; null for a targeted one, which is named by id instead."),
			"market_type":                     text("`capacity-block` for capacity blocks, else null."),
			"tenancy":                         text("Tenancy that launches must have; `host` for a host."),
			"availability_zone":               text("Zone to launch in."),
			"instance_type":                   text("Instance type to launch."),
			"eks_capacity_type":               text("`capacity_type` for an EKS managed node group; null for a host, which no capacity type stands for."),
			"karpenter": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "For Karpenter's EC2NodeClass and NodePool; null for a host, which no capacity type stands for.",
				Attributes: map[string]schema.Attribute{
					"capacity_reservation_id": text("Id for `capacityReservationSelectorTerms`."),
					"capacity_type":           text("Value for `karpenter.sh/capacity-type`."),
				},
			},
		},
	}
}

// awsBinding is what launches on AWS need.
func awsBinding(m model, native map[string]string) attr.Value {
	values := map[string]attr.Value{"availability_zone": m.Zone, "instance_type": m.InstanceType}
	switch cloud.Kind(m.Kind.ValueString()) {
	case "":
		return types.ObjectUnknown(awsBindingTypes)
	case cloud.DedicatedHost, cloud.Term:
		bindHost(values, m)
	default:
		bindReservation(values, m, native)
	}
	return types.ObjectValueMust(awsBindingTypes, values)
}

// bindHost is for launches onto a dedicated host, which take its id and no
// capacity reservation. EKS node groups and Karpenter pick capacity by a type, of
// which none stands for hosts.
func bindHost(values map[string]attr.Value, m model) {
	for name, t := range awsBindingTypes {
		if values[name] == nil && t == types.StringType {
			values[name] = types.StringNull()
		}
	}
	values["host_id"], values["tenancy"] = shortID(m), types.StringValue("host")
	values["karpenter"] = types.ObjectNull(awsKarpenterTypes)
}

// bindReservation is for launches into a capacity reservation. A block has a
// market of its own (EC2 User Guide, "Launch instances using Capacity Blocks"; EKS
// User Guide, "Create a managed node group with Capacity Blocks for ML").
func bindReservation(values map[string]attr.Value, m model, native map[string]string) {
	id, market, eks := shortID(m), types.StringNull(), "ON_DEMAND"
	if m.Kind.ValueString() == string(cloud.Block) {
		market, eks = types.StringValue("capacity-block"), "CAPACITY_BLOCK"
	}
	maps.Copy(values, map[string]attr.Value{
		"capacity_reservation_id": id, "capacity_reservation_arn": m.NativeID, "host_id": types.StringNull(),
		"capacity_reservation_preference": awsPreference(m), "market_type": market, "tenancy": awsTenancy(m, native),
		"eks_capacity_type": types.StringValue(eks),
		"karpenter": types.ObjectValueMust(awsKarpenterTypes, map[string]attr.Value{
			"capacity_reservation_id": id, "capacity_type": types.StringValue("reserved"),
		}),
	})
}

// shortID is the last part of the ARN: arn:aws:ec2:REGION:ACCOUNT:TYPE/ID (EC2
// User Guide, "Split a Capacity Reservation").
func shortID(m model) types.String {
	if m.NativeID.IsUnknown() {
		return types.StringUnknown()
	}
	arn := m.NativeID.ValueString()
	return types.StringValue(arn[strings.LastIndex(arn, "/")+1:])
}

// awsPreference is how a launch names an open reservation; a targeted one is
// named by its id alone.
func awsPreference(m model) types.String {
	switch {
	case m.MatchCriteria.IsUnknown():
		return types.StringUnknown()
	case m.MatchCriteria.ValueString() == string(cloud.Open):
		return types.StringValue("open")
	}
	return types.StringNull()
}

func awsTenancy(m model, native map[string]string) types.String {
	switch {
	case m.nativeUnknown("aws.tenancy"):
		return types.StringUnknown()
	case native["tenancy"] != "":
		return types.StringValue(native["tenancy"])
	}
	return types.StringValue(awsDefaults()["tenancy"])
}
