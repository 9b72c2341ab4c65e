package provider

import (
	"cmp"
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// azureSubscription is the id of a subscription in either spelling.
var azureSubscription = regexp.MustCompile(`(?i)^(/subscriptions/)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// azureGroupName is the name of a resource group (Azure docs, "Naming rules and
// restrictions for Azure resources").
var azureGroupName = regexp.MustCompile(`^[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$`)

// Where a simulation reserves if nothing else is said. Every subscription exists
// there, and has this resource group.
const (
	simulatedSubscription  = "00000000-0000-0000-0000-000000000001"
	simulatedResourceGroup = "gpu"
)

func azureBlock() block {
	return block{
		name: "azure", attribute: azureAttribute, value: func(c config) types.Object { return c.Azure },
		decode: func(ctx context.Context, o types.Object, drivers *all.Config, diags *diag.Diagnostics) {
			drivers.Azure = azureConfig(ctx, o, diags)
		},
		simulate: func(drivers *all.Config, url string) { simulateAzure(&drivers.Azure, url) },
		defaults: func(drivers all.Config) map[string]string {
			return map[string]string{"resource_group": drivers.Azure.ResourceGroup}
		},
	}
}

func azureAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Azure. Credentials come from its default chain: the environment (`AZURE_CLIENT_ID` and others), a workload or " +
			"managed identity, or those of `az login`; `AZURE_TOKEN_CREDENTIALS` chooses among them.",
		Attributes: map[string]schema.Attribute{
			"subscription_id": text("Id of the subscription to reserve in, where a resource names none. Default: `ARM_SUBSCRIPTION_ID`, then "+
				"`AZURE_SUBSCRIPTION_ID`.", stringvalidator.RegexMatches(azureSubscription, "must be the id of a subscription, a GUID")),
			"tenant_id": text("Id of the Microsoft Entra tenant to sign in to. Default: that of the credentials."),
			"resource_group": text("Resource group to reserve in, where a resource names neither one nor a group. It must exist.",
				stringvalidator.RegexMatches(azureGroupName, "must be the name of a resource group")),
			"endpoint": text("URL to use instead of that of Azure Resource Manager and of the price list; plain HTTP on loopback only.",
				attribute.Endpoint{}),
		},
	}
}

type azureSettings struct {
	SubscriptionID types.String `tfsdk:"subscription_id"`
	TenantID       types.String `tfsdk:"tenant_id"`
	ResourceGroup  types.String `tfsdk:"resource_group"`
	Endpoint       types.String `tfsdk:"endpoint"`
}

func azureConfig(ctx context.Context, o types.Object, diags *diag.Diagnostics) azure.Config {
	var b azureSettings
	if !o.IsNull() {
		diags.Append(o.As(ctx, &b, basetypes.ObjectAsOptions{})...)
	}
	return azure.Config{
		SubscriptionID: b.SubscriptionID.ValueString(), TenantID: b.TenantID.ValueString(),
		ResourceGroup: b.ResourceGroup.ValueString(), Endpoint: b.Endpoint.ValueString(),
	}
}

func simulateAzure(cfg *azure.Config, url string) {
	cfg.Endpoint, cfg.Anonymous, cfg.TenantID = url, true, ""
	cfg.SubscriptionID = cmp.Or(cfg.SubscriptionID, simulatedSubscription)
	cfg.ResourceGroup = cmp.Or(cfg.ResourceGroup, simulatedResourceGroup)
}
