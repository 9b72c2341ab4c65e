package reservation

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

// descriptions are those of a schema by the attributes' paths.
func descriptions(prefix string, attributes []*tfprotov6.SchemaAttribute, into map[string]string) {
	for _, a := range attributes {
		into[prefix+a.Name] = a.Description
		if a.NestedType != nil {
			descriptions(prefix+a.Name+".", a.NestedType.Attributes, into)
		}
	}
}

// Every note stands at its attribute: none is of an attribute that does not exist,
// or does not ask for it. Those of package offers are tested there.
func TestNoted(t *testing.T) {
	t.Parallel()
	all := providertest.Serve(t, providertest.Types{
		Resources:   []func() resource.Resource{func() resource.Resource { return NewResource(nil) }},
		DataSources: []func() datasource.DataSource{NewDataSource},
	}).Schemas()
	described, viewed := map[string]string{}, map[string]string{}
	descriptions("", all.ResourceSchemas[typeName].Block.Attributes, described)
	descriptions("", all.DataSourceSchemas[typeName].Block.Attributes, viewed)
	for name, description := range viewed {
		described["view."+name] = description
	}
	for _, p := range parts() {
		for key, note := range p.notes() {
			if !strings.HasPrefix(key, "offers.") && !strings.HasSuffix(described[key], note) && !strings.Contains(described[key], note+" ") {
				t.Errorf("%s: the note on %s is not in %q", p.cloud, key, described[key])
			}
		}
	}
}
