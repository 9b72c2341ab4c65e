package google_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conform(t, googlesim.Options{})
}

// TestConformanceOtherwise: where Google's behavior is not published, the other
// choice works too.
func TestConformanceOtherwise(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]googlesim.Options{
		"in operations": {
			QuotaInOperation: true, QuotaStatus: http.StatusTooManyRequests, InUseInOperation: true, StockDetails: true,
			VisibleWhileCreating: true, ExpandedTypes: true, RateStatus: http.StatusTooManyRequests, StrictRequestID: true,
			ConsumedByNumber: true,
			Future:           googlesim.FutureOptions{LockLead: 72 * time.Hour, ProvisionTakes: 2 * time.Hour},
		},
		"done at once": {DoneAtOnce: true, QuotaInOperation: true, InUseInOperation: true, StrictRequestID: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conform(t, options)
		})
	}
}

func conform(t *testing.T, options googlesim.Options) {
	t.Helper()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World { t.Helper(); return harness(t, options) })
}
