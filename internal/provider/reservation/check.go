package reservation

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
)

// checkEnd looks at what a configuration says of the end, which no cloud is
// asked about.
func (m model) checkEnd(diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == capacity.OnDestroyCharge && m.MaxCancellationUSD.IsNull() {
		diags.AddAttributeError(path.Root("max_cancellation_usd"), "No ceiling for the charge",
			"on_destroy = \""+capacity.OnDestroyCharge+"\" pays a cancellation charge up to max_cancellation_usd; set it to the most that may be paid.")
	}
}
