package aws_test

import (
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World { t.Helper(); return harness(t, `{}`) })
}

// TestConformanceSlow: reservations are pending at first.
func TestConformanceSlow(t *testing.T) {
	t.Parallel()
	slow := `{"faults": [{"cloud": "aws", "operation": "CreateCapacityReservation", "operation_takes": "2m"}]}`
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World { t.Helper(); return harness(t, slow) })
}
