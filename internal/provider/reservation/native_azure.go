package reservation

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// The options of the azure attribute; the subscription is another way to write
// account.
const (
	azureSubscription   = "subscription_id"
	azureResourceGroup  = "resource_group"
	azureGroup          = "group_id"
	azureCommitmentDays = "minimum_commitment_days"
)

var azureOptionTypes = map[string]attr.Type{
	azureSubscription: types.StringType, azureResourceGroup: types.StringType, azureGroup: types.StringType,
	azureCommitmentDays: types.Int64Type,
}

func azurePart() part {
	return part{
		cloud: "azure", notes: azureNotes,
		attribute: azureAttribute, optionTypes: azureOptionTypes, value: func(m *model) *types.Object { return &m.Azure },
		account: azureSubscription, chosen: []string{azureResourceGroup, azureCommitmentDays},
		provided: []string{azureResourceGroup}, told: azureTold, same: sameAzure,
		native: model.azureNative, imported: importAzure, listed: func(map[string]string) bool { return true },
		shownAttribute: azureShownAttribute, shown: showAzure, viewed: func(v *View) *types.Object { return &v.Azure },
		bindingAttribute: azureBindingAttribute, bindingTypes: azureBindingTypes, binding: azureBinding,
		sources: azureSources,
	}
}

func azureAttribute() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: description, Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What only Azure has. A change replaces the reservation; another casing of the same is none. An option that " +
			"the kind does not have is an error.",
		Attributes: map[string]schema.Attribute{
			azureSubscription: text("Id of the subscription to reserve in; another way to write `account`. Default: the provider's."),
			azureResourceGroup: text("Resource group to reserve in; it must exist. Default: the provider's. With `group_id`, that of the " +
				"group, and not to be set."),
			azureGroup: text("Id of the capacity reservation group to reserve in, in any casing. It must be of the reservation's subscription, " +
				"region, type and zone, and is neither changed nor removed; whom it is shared with is not for `share_with` to say. Default: " +
				"none, and a group of the reservation's own name is made and removed with it."),
			azureCommitmentDays: schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: "How many days kind `scheduled` is paid for at least, from its start on; within them it cannot be given " +
					"up. Default: what Azure sets, which may be written down later.",
				Validators: []validator.Int64{int64validator.AtLeast(1)},
			},
		},
	}
}

// azureNative is the attribute as the contract's options.
func (m model) azureNative(context.Context) map[string]string {
	options := setOptions(m.Azure)
	delete(options, azureSubscription)
	return options
}

// azureTold are the options that a native id tells: the resource group, where no
// group says it.
func azureTold(nativeID string, said map[string]string) map[string]string {
	options := map[string]string{}
	group, _, _ := strings.Cut(nativeID, reservationsSegment)
	if id, ok := parseAzureGroup(group); ok && said[azureGroup] == "" {
		options[azureResourceGroup] = strings.ToLower(id.resourceGroup)
	}
	return options
}

// sameAzure tells whether two texts of an option mean the same: names and ids are
// compared without their casing (Azure docs, "Naming rules and restrictions for
// Azure resources"), and a subscription has two spellings.
func sameAzure(option, a, b string) bool {
	if option == azureSubscription {
		a, b = azureSubscriptionID(a), azureSubscriptionID(b)
	}
	return strings.EqualFold(a, b)
}

// azureSubscriptionID is the id alone.
func azureSubscriptionID(text string) string {
	const prefix = "/subscriptions/"
	if len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return strings.TrimSuffix(text[len(prefix):], "/")
	}
	return text
}

// importAzure is the attribute for an object that was not made from a
// configuration. The subscription is in account, and a group has its resource group
// in its id. A resource group that is the provider's is left out later.
func importAzure(r cloud.Reservation) types.Object {
	values, set := map[string]attr.Value{}, false
	for name, of := range azureOptionTypes {
		value := r.Native[name]
		if name == azureResourceGroup && r.Native[azureGroup] != "" {
			value = ""
		}
		values[name] = optionValue(of, value)
		set = set || !values[name].IsNull()
	}
	if !set {
		return types.ObjectNull(azureOptionTypes)
	}
	return types.ObjectValueMust(azureOptionTypes, values)
}

// showAzure is the attribute of a data source: everything as Azure tells it.
func showAzure(r cloud.Reservation) types.Object {
	values := map[string]attr.Value{}
	for name, of := range azureOptionTypes {
		values[name] = optionValue(of, r.Native[name])
	}
	values[azureSubscription] = attribute.TextValue(r.AccountID)
	return types.ObjectValueMust(azureOptionTypes, values)
}

func azureShownAttribute() dataschema.Attribute {
	return dataschema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What only Azure has; null on other clouds. Names and ids are in lower case.",
		Attributes: map[string]dataschema.Attribute{
			azureSubscription:   viewText("Id of the subscription that holds the reservation."),
			azureResourceGroup:  viewText("Resource group that it is in."),
			azureGroup:          viewText("Id of its capacity reservation group; null where this provider made the group with it."),
			azureCommitmentDays: viewCount("How many days kind `scheduled` is paid for at least; null for other kinds."),
		},
	}
}
