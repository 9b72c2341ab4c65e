package mem_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, memtest.Harness)
}

// TestConformanceSlow: a cloud that first answers pending, is paid later and
// releases what is in use keeps the same promises.
func TestConformanceSlow(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World {
		t.Helper()
		jump := clocktest.NewJump(memtest.Start())
		return memtest.WorldOf(mem.New(mem.Options{
			Clock: jump, Lag: 20 * time.Second, Assessment: 5 * 24 * time.Hour, PaymentLag: 20 * time.Minute, ReleasesInUse: []cloud.MatchCriteria{cloud.Targeted, cloud.Open},
		}), jump)
	})
}

// TestConformanceNative: so does a cloud of named objects.
func TestConformanceNative(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, memtest.NativeHarness)
}

// TestConformanceGrouped: so does a cloud that places reservations in groups.
func TestConformanceGrouped(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, memtest.GroupedHarness)
}

// TestConformanceGroupedSlow: and one that decides later.
func TestConformanceGroupedSlow(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World {
		t.Helper()
		jump := clocktest.NewJump(memtest.Start())
		opts := memtest.GroupedOptions(jump)
		opts.Lag, opts.Assessment = 20*time.Second, 5*24*time.Hour
		return memtest.GroupedWorldOf(mem.New(opts), jump)
	})
}

// TestConformanceNativeSlow: and one that decides later.
func TestConformanceNativeSlow(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World {
		t.Helper()
		jump := clocktest.NewJump(memtest.Start())
		opts := memtest.NativeOptions(jump)
		opts.Lag, opts.Assessment = 20*time.Second, 5*24*time.Hour
		return memtest.NativeWorldOf(mem.New(opts), jump)
	})
}
