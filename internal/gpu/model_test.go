package gpu_test

import (
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
)

func TestModelIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model  gpu.Model
		family string
		want   bool
	}{
		{"H100-SXM5-80GB", "H100", true},
		{"H100-NVL-94GB", "H100", true},
		{"H100-SXM5-80GB", "H100-SXM5-80GB", true},
		{"H100-SXM5-80GB", "H100-SXM5", true},
		{"H100-SXM5-80GB", "h100", true},
		{"H200-SXM-141GB", "H100", false},
		{"GH200-96GB", "H200", false},
		{"L40S", "L40", false},
		{"L4", "L40S", false},
		{"A10G", "A10", false},
		{"A100-SXM4-40GB", "A10", false},
		{"A100-SXM4-40GB", "A100-SXM4-80GB", false},
		{"A100-SXM4-40GB", "A100-", false},
		{"RTX-PRO-6000-BSE", "rtx-pro", true},
		{"T4", "", false},
		{"", "", false},
		{"", "T4", false},
	} {
		if got := c.model.In(c.family); got != c.want {
			t.Errorf("Model(%q).In(%q) = %t, want %t", c.model, c.family, got, c.want)
		}
	}
}
