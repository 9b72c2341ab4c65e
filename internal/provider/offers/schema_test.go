package offers_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// What a cloud adds to a description stands at its attribute.
func TestSchema_notes(t *testing.T) {
	t.Parallel()
	server := over(t, providertest.NewMem(t).Provider)
	described := map[string]string{}
	var visit func(prefix string, attributes []*tfprotov6.SchemaAttribute)
	visit = func(prefix string, attributes []*tfprotov6.SchemaAttribute) {
		for _, a := range attributes {
			described[prefix+a.Name] = a.Description
			if a.NestedType != nil {
				visit(prefix+a.Name+".", a.NestedType.Attributes)
			}
		}
	}
	visit("", server.Schemas().DataSourceSchemas[typeName].Block.Attributes)
	for _, name := range []string{"account", "window.duration", "signals.spot_placement_score", "quotas.quota", "quotas.used"} {
		if !strings.Contains(described[name], "AWS") {
			t.Errorf("%s: nothing of AWS in %q", name, described[name])
		}
	}
	for _, name := range []string{
		"account", "region", "offers", "signals.spot_usd_per_hour", "signals.spot_placement_score", "signals.price_source", "quotas.quota", "quotas.unit",
	} {
		if !strings.Contains(described[name], "Google Cloud") {
			t.Errorf("%s: nothing of Google Cloud in %q", name, described[name])
		}
	}
}
