package shape_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/shape"
)

func TestLearn(t *testing.T) {
	t.Parallel()
	refusal := &cloud.Error{Code: cloud.PermissionDenied, Op: "InstanceTypes", Message: "not allowed"}
	for name, tc := range map[string]struct {
		cloud, instanceType string
		fault               error
		model, gpus         string
		says                string
	}{
		"in the catalog":        {"aws", "p5.48xlarge", refusal, "H100-SXM5-80GB", "8", ""},
		"fraction":              {"aws", "g6f.large", refusal, "L4", "1/8", ""},
		"the cloud's":           {"mem", "g1.slice", nil, "L4", "1/8", ""},
		"nobody's":              {"mem", "g1.new", nil, "", "0", "Instance type not known"},
		"cloud cannot be asked": {"mem", "g1.slice", refusal, "", "0", "not allowed"},
		"another cloud's":       {"mem", "p5.48xlarge", nil, "", "0", "Instance type not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := providertest.NewMem(t)
			m.Cloud.SetFault(func(cloud.Call) (before, after error) { return tc.fault, nil })
			c, err := m.Catalog()
			if err != nil {
				t.Fatal(err)
			}
			var diags diag.Diagnostics
			at := path.Root("here")
			got := shape.Learn(t.Context(), m.Provider, c, tc.cloud, cloud.Spec{Region: "mem-east-1", InstanceType: tc.instanceType}, at, &diags)
			if got.Model != tc.model || got.GPUs.String() != tc.gpus || got.Known != (tc.says == "") {
				t.Errorf("got %+v, want %s %s", got, tc.gpus, tc.model)
			}
			var said string
			for _, d := range diags {
				said += d.Summary() + ": " + d.Detail()
			}
			if (said == "") != (tc.says == "") || !strings.Contains(said, tc.says) || diags.HasError() {
				t.Errorf("said %q, want %q", said, tc.says)
			}
		})
	}
}
