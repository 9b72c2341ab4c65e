package reservation

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// carriesTags tells whether reservations of the kind carry tags. A kind that the
// cloud does not have is another problem.
func carriesTags(rules *capacity.Manager, cloudName string, kind cloud.Kind) bool {
	can, ok := capabilitiesOf(rules, cloudName).Kinds[kind]
	return !ok || can.CarriesTags()
}

func (m model) carriesTags(rules *capacity.Manager) bool {
	return carriesTags(rules, m.Cloud.ValueString(), cloud.Kind(m.Kind.ValueString()))
}

// wish is the model's, with the default tags on what carries tags and without any
// on what does not.
func (m model) wish(ctx context.Context, rules *capacity.Manager, defaultTags map[string]string) cloud.Spec {
	if !m.carriesTags(rules) {
		m.Tags, defaultTags = types.MapNull(types.StringType), nil
	}
	return m.spec(ctx, defaultTags)
}

// refuseTags refuses the user's own tags on what carries none; those that are the
// same for everything are left out there.
func (m model) refuseTags(rules *capacity.Manager, diags *diag.Diagnostics) {
	if m.carriesTags(rules) || len(attribute.StringMap(m.Tags)) == 0 {
		return
	}
	diags.AddAttributeError(path.Root("tags"), "Invalid tags", fmt.Sprintf(
		"A reservation of kind %q on cloud %q carries no tags. Remove tags; default_tags of the provider are left out by themselves.",
		m.Kind.ValueString(), m.Cloud.ValueString()))
}
