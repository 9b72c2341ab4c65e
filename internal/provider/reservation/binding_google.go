package reservation

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

var googleBindingTypes = map[string]attr.Type{
	"project": types.StringType, "zone": types.StringType, "machine_type": types.StringType,
	"reservation_affinity": types.ObjectType{AttrTypes: googleAffinityTypes}, "provisioning_model": types.StringType,
}

var googleAffinityTypes = map[string]attr.Type{
	"type": types.StringType, "key": types.StringType, "values": types.ListType{ElemType: types.StringType},
}

// reservationKey is the label that instances name a reservation by. Compute
// Engine's reference calls it googleapis.com/reservation-name, and what is really
// sent, also by GKE, is this one.
const reservationKey = "compute.googleapis.com/reservation-name"

func googleBindingAttribute() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "For Google Cloud consumers; null on other clouds.",
		Attributes: map[string]schema.Attribute{
			"project":      text("Project of the reservation."),
			"zone":         text("Zone to launch in."),
			"machine_type": text("Machine type to launch."),
			"reservation_affinity": schema.SingleNestedAttribute{
				Computed:            true,
				MarkdownDescription: "For `reservation_affinity` of instances, templates and GKE node pools.",
				Attributes: map[string]schema.Attribute{
					"type": text("`SPECIFIC_RESERVATION` for a targeted reservation, `ANY_RESERVATION` for an open one."),
					"key":  text("Label to name the reservation by; null for an open one, which cannot be named."),
					"values": schema.ListAttribute{
						Computed: true, ElementType: types.StringType,
						MarkdownDescription: "Name of the reservation; empty for an open one. A consumer in another project that it is " +
							"shared with names it as `projects/PROJECT/reservations/NAME`.",
					},
				},
			},
			"provisioning_model": text("`RESERVATION_BOUND` where instances live no longer than the reservation: kind `block`, and dense " +
				"deployment; else null."),
		},
	}
}

// googleBinding is what launches on Google Cloud need.
func googleBinding(m model, native map[string]string) attr.Value {
	if m.Kind.IsUnknown() {
		return types.ObjectUnknown(googleBindingTypes)
	}
	return types.ObjectValueMust(googleBindingTypes, map[string]attr.Value{
		"project": m.AccountID, "zone": m.Zone, "machine_type": m.InstanceType,
		"reservation_affinity": googleAffinity(m), "provisioning_model": provisioningModel(m, native),
	})
}

// googleAffinity names a targeted reservation. One that is open cannot be named:
// Compute Engine refuses an instance that does.
func googleAffinity(m model) types.Object {
	if m.MatchCriteria.IsUnknown() {
		return types.ObjectUnknown(googleAffinityTypes)
	}
	affinity, key, names := "SPECIFIC_RESERVATION", types.StringValue(reservationKey), []attr.Value{m.Name}
	if m.MatchCriteria.ValueString() == string(cloud.Open) {
		affinity, key, names = "ANY_RESERVATION", types.StringNull(), []attr.Value{}
	}
	return types.ObjectValueMust(googleAffinityTypes, map[string]attr.Value{
		"type": types.StringValue(affinity), "key": key, "values": types.ListValueMust(types.StringType, names),
	})
}

// provisioningModel is the one that instances in the capacity must have (Compute
// Engine, "About VMs that use the reservation-bound provisioning model": future
// reservations in calendar mode, and those of AI Hypercomputer, which are dense). The
// page names A3 Ultra and newer; of older A3 machine types it is UNVERIFIED.
func provisioningModel(m model, native map[string]string) types.String {
	switch {
	case m.nativeUnknown("google.deployment_type"):
		return types.StringUnknown()
	case m.Kind.ValueString() == string(cloud.Block), native["deployment_type"] == googleDense:
		return types.StringValue("RESERVATION_BOUND")
	}
	return types.StringNull()
}
