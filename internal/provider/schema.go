package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

var validOwner = regexp.MustCompile(`^[A-Za-z0-9._/@-]{1,128}$`)

// config is the decoded provider block.
type config struct {
	Owner       types.String `tfsdk:"owner"`
	DefaultTags types.Map    `tfsdk:"default_tags"`
	Spending    types.Object `tfsdk:"spending"`
	Simulation  types.Object `tfsdk:"simulation"`

	AWS        types.Object `tfsdk:"aws"`
	Google     types.Object `tfsdk:"google"`
	Azure      types.Object `tfsdk:"azure"`
	Alibaba    types.Object `tfsdk:"alibaba"`
	Tencent    types.Object `tfsdk:"tencent"`
	Kubernetes types.Object `tfsdk:"kubernetes"`
	Prometheus types.Object `tfsdk:"prometheus"`
}

// regions are the default regions of the clouds whose blocks name one.
func (c config) regions() map[string]string {
	regions := map[string]string{}
	for _, b := range blocks() {
		if region, ok := b.value(c).Attributes()["region"].(types.String); ok && region.ValueString() != "" {
			regions[b.name] = region.ValueString()
		}
	}
	return regions
}

// Schema implements provider.Provider.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	attributes := generalAttributes()
	for _, b := range blocks() {
		attributes[b.name] = b.attribute()
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Locks, reserves and partitions GPUs on many clouds. Every attribute is optional, and a cloud that " +
			"no resource uses costs nothing: no client is built and no credential is read.",
		Attributes: attributes,
	}
}

func generalAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"owner": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Who holds what this configuration creates: written on every object, unique per state, 1 to 128 " +
				"of `A-Z a-z 0-9 . _ / @ -`. Default: `GPU_OWNER`, then `TFC_WORKSPACE_SLUG`, from the environment. Needed for " +
				"the first create; later operations use what the state stored.",
			Validators: []validator.String{stringvalidator.RegexMatches(validOwner, "must be 1 to 128 of A-Z a-z 0-9 . _ / @ -")},
		},
		"default_tags": schema.MapAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Tags for everything that can carry tags. A resource's own `tags` win.",
		},
		"spending": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "What one apply of this configuration may newly commit. It is set aside before each purchase.",
			Attributes: map[string]schema.Attribute{
				"max_usd_per_hour": schema.NumberAttribute{
					Optional: true, Validators: []validator.Number{attribute.Amount{}},
					MarkdownDescription: "Ceiling for the sum of hourly prices, in USD. A price that is not known is refused.",
				},
				"max_upfront_usd": schema.NumberAttribute{
					Optional: true, Validators: []validator.Number{attribute.Amount{}},
					MarkdownDescription: "Ceiling for the sum of what is paid at purchase, in USD.",
				},
			},
		},
		"simulation": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: "Use simulated clouds instead of real ones: no account, no cost, no credentials read. The provider " +
				"warns about it on every plan, and what is made in a simulation never mixes with the real world.",
			Attributes: map[string]schema.Attribute{
				"state_path": schema.StringAttribute{
					Optional:            true,
					MarkdownDescription: "File with the simulated world, relative to the working directory. Default `gpu-sim.json`.",
				},
				"scenario_path": schema.StringAttribute{
					Optional:            true,
					MarkdownDescription: "File with the world to start from (capacity, quotas, faults, …), loaded once into a new world.",
				},
			},
		},
	}
}

type spending struct {
	MaxPerHour types.Number `tfsdk:"max_usd_per_hour"`
	MaxUpfront types.Number `tfsdk:"max_upfront_usd"`
}

type simulation struct {
	StatePath    types.String `tfsdk:"state_path"`
	ScenarioPath types.String `tfsdk:"scenario_path"`
}

// endpoint tells whether a cloud's block names an endpoint.
func endpoint(o types.Object) bool {
	e, ok := o.Attributes()["endpoint"]
	return ok && !e.IsNull()
}
