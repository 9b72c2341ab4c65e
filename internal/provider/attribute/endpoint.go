package attribute

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/gpulock/terraform-provider-gpu/internal/endpoint"
)

// Endpoint validates the URL of an API: HTTPS, or plain HTTP on loopback.
type Endpoint struct{}

// Description implements validator.String.
func (Endpoint) Description(context.Context) string {
	return "an HTTPS URL, or a plain HTTP one on loopback"
}

// MarkdownDescription implements validator.String.
func (v Endpoint) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (Endpoint) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if err := endpoint.Check(req.ConfigValue.ValueString(), "https://ec2.us-east-1.amazonaws.com"); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Endpoint not usable", err.Error()+".")
	}
}
