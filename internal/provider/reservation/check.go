package reservation

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// unmeasured tells that a problem is the missing length of what is bought by offer:
// once it is bought, it has one.
func (m model) unmeasured(ctx context.Context, kind cloud.KindCapabilities, a cloud.Attribute) bool {
	return kind.ByOffer && a == cloud.AttrDuration && m.window(ctx).Duration.IsNull()
}

// withhold makes unknown what the window's own validators refuse, which is told
// once: for a cloud's rules it would be missing.
func (m *model) withhold(ctx context.Context, diags *diag.Diagnostics) {
	if m.Window.IsNull() || m.Window.IsUnknown() {
		return
	}
	w := m.window(ctx)
	for _, part := range []struct {
		value *types.String
		rule  validator.String
	}{{&w.StartAt, attribute.Instant{}}, {&w.EndAt, attribute.Instant{}}, {&w.Duration, lengthRule()}} {
		var resp validator.StringResponse
		part.rule.ValidateString(ctx, validator.StringRequest{ConfigValue: *part.value}, &resp)
		if resp.Diagnostics.HasError() {
			*part.value = types.StringUnknown()
		}
	}
	m.Window = w.object(ctx, diags)
}

// lengthRule is what window.duration may be.
func lengthRule() validator.String { return attribute.Duration{Min: time.Minute} }

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
