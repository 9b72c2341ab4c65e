package reservation

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// unmeasured tells that a problem is the missing length of what is bought by offer:
// once it is bought, it has one.
func (m model) unmeasured(ctx context.Context, kind cloud.KindCapabilities, a cloud.Attribute) bool {
	return kind.ByOffer && a == cloud.AttrDuration && m.window(ctx).Duration.IsNull()
}

// checkEnd looks at what a configuration says of the end, which no cloud is
// asked about. What is bought by offer may have a length and a latest end; other
// kinds end at one instant.
func (m model) checkEnd(ctx context.Context, kind cloud.KindCapabilities, diags *diag.Diagnostics) {
	if w := m.window(ctx); !m.Kind.IsUnknown() && !kind.ByOffer && w.EndAt.ValueString() != "" && w.Duration.ValueString() != "" {
		diags.AddAttributeError(path.Root("window").AtName("duration"), "Two ends",
			"window.duration and window.end_at both say when a reservation of kind \""+m.Kind.ValueString()+"\" ends; leave one out.")
	}
	if m.OnDestroy.ValueString() == capacity.OnDestroyCharge && m.MaxCancellationUSD.IsNull() {
		diags.AddAttributeError(path.Root("max_cancellation_usd"), "No ceiling for the charge",
			"on_destroy = \""+capacity.OnDestroyCharge+"\" pays a cancellation charge up to max_cancellation_usd; set it to the most that may be paid.")
	}
}
