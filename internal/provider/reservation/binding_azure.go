package reservation

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// azureGroupOption is the name of what consumers take.
const azureGroupOption = "capacity_reservation_group_id"

var azureBindingTypes = map[string]attr.Type{
	"location": types.StringType, "zone": types.StringType, "vm_size": types.StringType, azureGroupOption: types.StringType,
}

func azureBindingAttribute() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "For Azure consumers; null on other clouds.",
		Attributes: map[string]schema.Attribute{
			"location": text("Location to launch in."),
			"zone":     text("Zone to launch in; null for a regional reservation, whose consumers name none."),
			"vm_size":  text("Size to launch."),
			azureGroupOption: text("Id of the capacity reservation group, for virtual machines, scale sets and AKS node pools; null for an " +
				"`open` reservation, which machines that fit consume by themselves."),
		},
	}
}

// azureBinding is what launches on Azure need.
func azureBinding(m model, native map[string]string) attr.Value {
	return types.ObjectValueMust(azureBindingTypes, map[string]attr.Value{
		"location": m.Region, "zone": m.Zone, "vm_size": m.InstanceType, azureGroupOption: azureGroupFor(m, native),
	})
}

// azureGroupFor is the id of the group as consumers take it, in the casing that it
// first had here: the same id in another one would replace them.
func azureGroupFor(m model, native map[string]string) types.String {
	switch {
	case m.MatchCriteria.IsUnknown():
		return types.StringUnknown()
	case m.MatchCriteria.ValueString() == string(cloud.Open):
		return types.StringNull()
	}
	id := azureGroupOf(m, native)
	before, _ := m.Binding.Attributes()["azure"].(types.Object)
	was, _ := before.Attributes()[azureGroupOption].(types.String)
	if !id.IsUnknown() && strings.EqualFold(was.ValueString(), id.ValueString()) {
		return was
	}
	return id
}

// azureGroupOf is the group that is given, that the native id tells, or that will be
// made.
func azureGroupOf(m model, native map[string]string) types.String {
	own := azureGroupID{
		subscription: m.AccountID.ValueString(), resourceGroup: native[azureResourceGroup], group: m.Name.ValueString(),
	}
	given, isGiven := parseAzureGroup(native[azureGroup])
	wanted := own
	if isGiven {
		wanted = given
	}
	nativeGroup, _, _ := strings.Cut(m.NativeID.ValueString(), reservationsSegment)
	if made, ok := parseAzureGroup(nativeGroup); ok && !m.NativeID.IsUnknown() {
		return types.StringValue(wanted.casing(made).String())
	}
	switch {
	case m.nativeUnknown("azure." + azureGroup):
		return types.StringUnknown()
	case isGiven:
		return types.StringValue(given.String())
	case native[azureGroup] != "", m.AccountID.IsUnknown(), m.Name.IsUnknown(), own.resourceGroup == "",
		m.nativeUnknown("azure." + azureResourceGroup):
		return types.StringUnknown()
	}
	return types.StringValue(own.String())
}

// reservationsSegment is between a group and a reservation in a native id.
const reservationsSegment = "/capacityreservations/"

// azureGroupID is the id of a capacity reservation group taken apart.
type azureGroupID struct{ subscription, resourceGroup, group string }

// parseAzureGroup takes an id in any casing apart.
func parseAzureGroup(id string) (azureGroupID, bool) {
	part := strings.Split(id, "/")
	const form = "/subscriptions//resourcegroups//providers/microsoft.compute/capacityreservationgroups/"
	if len(part) != 9 {
		return azureGroupID{}, false
	}
	parsed := azureGroupID{part[2], part[4], part[8]}
	part[2], part[4], part[8] = "", "", ""
	return parsed, strings.EqualFold(strings.Join(part, "/"), form)
}

// String is the id with its fixed parts in the casing of Azure's documentation,
// which azurerm wants to the letter (go-azure-sdk, capacityreservationgroups,
// ParseCapacityReservationGroupID).
func (id azureGroupID) String() string {
	return "/subscriptions/" + id.subscription + "/resourceGroups/" + id.resourceGroup +
		"/providers/Microsoft.Compute/capacityReservationGroups/" + id.group
}

// casing is another id with the parts that are the same in this one's casing.
func (id azureGroupID) casing(other azureGroupID) azureGroupID {
	for _, p := range []struct {
		own   string
		other *string
	}{{id.subscription, &other.subscription}, {id.resourceGroup, &other.resourceGroup}, {id.group, &other.group}} {
		if strings.EqualFold(p.own, *p.other) {
			*p.other = p.own
		}
	}
	return other
}
