package azure_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conform(t, azuresim.Options{})
}

func conform(t *testing.T, options azuresim.Options) {
	t.Helper()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World { t.Helper(); return harness(t, options) })
}

// TestConformanceOtherwise: where Azure's behavior is not published, or was another
// one before, the other choice works too.
func TestConformanceOtherwise(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]azuresim.Options{
		"by location": {
			Style: azuresim.StyleLocation, PatchAccepted: true, LateGroups: true, StockAtOnce: true, QuotaInOperation: true,
		},
		"by body": {Style: azuresim.StyleBody, GroupAtOnce: true, GroupLag: -1, InUseCode: "InUse", OpenGoesInUse: true},
		"by operation": {
			Overconstrained: true, ComputeThrottles: true, NoLeftover: true, QuotaInOperation: true, GroupLag: 30 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conform(t, options)
		})
	}
}
