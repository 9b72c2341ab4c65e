package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

func googleObject(project, account, endpoint types.String) types.Object {
	return types.ObjectValueMust(
		map[string]attr.Type{"project": types.StringType, "impersonate_service_account": types.StringType, "endpoint": types.StringType},
		map[string]attr.Value{"project": project, "impersonate_service_account": account, "endpoint": endpoint},
	)
}

// The block reaches the driver as it is; a simulation leaves nothing of it but the
// project.
func TestGoogleBlock(t *testing.T) {
	t.Parallel()
	none := types.StringNull()
	full := googleObject(types.StringValue("ml-prod"), types.StringValue("ci@ml-prod.iam.gserviceaccount.com"), types.StringValue("https://example.com"))
	for name, tc := range map[string]struct {
		block           types.Object
		real, simulated google.Config
	}{
		"absent": {types.ObjectNull(full.AttributeTypes(t.Context())), google.Config{}, google.Config{Project: "simulated-project"}},
		"empty":  {googleObject(none, none, none), google.Config{}, google.Config{Project: "simulated-project"}},
		"full": {
			full,
			google.Config{Project: "ml-prod", ImpersonateServiceAccount: "ci@ml-prod.iam.gserviceaccount.com", Endpoint: "https://example.com"},
			google.Config{Project: "ml-prod"},
		},
	} {
		var drivers all.Config
		var diags diag.Diagnostics
		googleBlock().decode(t.Context(), tc.block, &drivers, &diags)
		if diff := cmp.Diff(tc.real, drivers.Google); diff != "" || diags.HasError() {
			t.Errorf("%s: %v (-want +got):\n%s", name, diags, diff)
		}
		tc.simulated.Endpoint, tc.simulated.Anonymous = "http://127.0.0.1:1", true
		googleBlock().simulate(&drivers, "http://127.0.0.1:1")
		if diff := cmp.Diff(tc.simulated, drivers.Google); diff != "" {
			t.Errorf("%s, simulated (-want +got):\n%s", name, diff)
		}
	}
}
