package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
)

// azureObject is the block with these parts; one that is not there is null.
func azureObject(parts map[string]string) types.Object {
	of, values := map[string]attr.Type{}, map[string]attr.Value{}
	for _, name := range []string{"subscription_id", "tenant_id", "resource_group", "endpoint"} {
		of[name], values[name] = types.StringType, types.StringNull()
		if text, ok := parts[name]; ok {
			values[name] = types.StringValue(text)
		}
	}
	return types.ObjectValueMust(of, values)
}

// A simulation takes nothing of the real world but what names a place, has a place
// where none is named, and what resources may leave out is what is used.
func TestAzureBlock(t *testing.T) {
	t.Parallel()
	const subscription = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	full := azureObject(map[string]string{
		"subscription_id": subscription, "tenant_id": "contoso.example", "resource_group": "ML-rg", "endpoint": "https://example.com",
	})
	place := azure.Config{SubscriptionID: "00000000-0000-0000-0000-000000000001", ResourceGroup: "gpu"}
	for name, tc := range map[string]struct {
		block           types.Object
		real, simulated azure.Config
	}{
		"absent": {types.ObjectNull(full.AttributeTypes(t.Context())), azure.Config{}, place},
		"empty":  {azureObject(nil), azure.Config{}, place},
		"full": {
			full,
			azure.Config{SubscriptionID: subscription, TenantID: "contoso.example", ResourceGroup: "ML-rg", Endpoint: "https://example.com"},
			azure.Config{SubscriptionID: subscription, ResourceGroup: "ML-rg"},
		},
	} {
		var drivers all.Config
		var diags diag.Diagnostics
		azureBlock().decode(t.Context(), tc.block, &drivers, &diags)
		if diff := cmp.Diff(tc.real, drivers.Azure); diff != "" || diags.HasError() {
			t.Errorf("%s: %v (-want +got):\n%s", name, diags, diff)
		}
		tc.simulated.Endpoint, tc.simulated.Anonymous = "http://127.0.0.1:1", true
		azureBlock().simulate(&drivers, "http://127.0.0.1:1")
		if diff := cmp.Diff(tc.simulated, drivers.Azure); diff != "" {
			t.Errorf("%s, simulated (-want +got):\n%s", name, diff)
		}
		want := map[string]map[string]string{"azure": {"resource_group": tc.simulated.ResourceGroup}}
		if diff := cmp.Diff(want, defaults(drivers)); diff != "" {
			t.Errorf("%s: defaults (-want +got):\n%s", name, diff)
		}
	}
}

func TestAzureNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{
		"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0":                {true, true},
		"0F1E2D3C-4b5a-6978-8796-a5b4c3d2e1f0":                {true, true},
		"/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0": {true, false},
		"0f1e2d3c4b5a69788796a5b4c3d2e1f0":                    {false, true},
		"ML-rg_1.(old)":                                       {false, true},
		"ml.":                                                 {false, false},
		"a/b":                                                 {false, false},
		"":                                                    {false, false},
	} {
		if got := [2]bool{azureSubscription.MatchString(text), azureGroupName.MatchString(text)}; got != want {
			t.Errorf("%q is a subscription, a resource group: %v, want %v", text, got, want)
		}
	}
}
