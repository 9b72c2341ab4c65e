package provider

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/logging"
)

// ownerVariables are looked at, in order, where the block names no owner.
func ownerVariables() []string { return []string{"GPU_OWNER", "TFC_WORKSPACE_SLUG"} }

// ValidateConfig implements provider.ProviderWithValidateConfig.
func (*Provider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	var c config
	resp.Diagnostics.Append(req.Config.Get(ctx, &c)...)
	if resp.Diagnostics.HasError() || c.Simulation.IsNull() || c.Simulation.IsUnknown() {
		return
	}
	for _, b := range blocks() {
		if endpoint(b.value(c)) {
			resp.Diagnostics.AddAttributeError(path.Root(b.name).AtName("endpoint"), "Endpoint in a simulation",
				"simulation leads every cloud to a simulator of its own. Remove endpoint, or remove simulation.")
		}
	}
}

// Configure implements provider.Provider. It makes no call and reads no
// credentials.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	data := &configured.Provider{Catalog: p.catalog, Unavailable: later()}
	resp.ResourceData, resp.DataSourceData = data, data
	if !req.Config.Raw.IsFullyKnown() {
		return
	}
	var c config
	resp.Diagnostics.Append(req.Config.Get(ctx, &c)...)
	data.Owner = owner(c, &resp.Diagnostics)
	data.DefaultTags = attribute.StringMap(c.DefaultTags)
	data.Regions = c.regions()
	var limits spending
	if !c.Spending.IsNull() {
		resp.Diagnostics.Append(c.Spending.As(ctx, &limits, basetypes.ObjectAsOptions{})...)
	}
	drivers := all.Config{Clock: p.options.Clock, Log: logging.New()}
	for _, b := range decoded() {
		b.decode(ctx, b.value(c), &drivers, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if !c.Simulation.IsNull() {
		p.simulate(ctx, c, &drivers, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	data.Defaults = defaults(drivers)
	data.Manager = capacity.New(capacity.Config{
		Clouds: all.New(drivers), Simulated: !c.Simulation.IsNull(), Clock: p.options.Clock, Log: drivers.Log,
		NewClaim: p.options.NewClaim, Owner: data.Owner,
		Spending: capacity.Spending{
			MaxPerHour: attribute.AmountOf(limits.MaxPerHour), MaxUpfront: attribute.AmountOf(limits.MaxUpfront),
		},
	})
}

// owner is the block's, else the environment's.
func owner(c config, diags *diag.Diagnostics) string {
	if !c.Owner.IsNull() {
		return c.Owner.ValueString()
	}
	for _, name := range ownerVariables() {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		if !validOwner.MatchString(value) {
			diags.AddAttributeError(path.Root("owner"), "Owner not usable", fmt.Sprintf(
				"%s is %q, and an owner is 1 to 128 of A-Z a-z 0-9 . _ / @ -.", name, value))
		}
		return value
	}
	return ""
}
