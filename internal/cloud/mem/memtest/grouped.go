package memtest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// GroupedOptions are those of a grouped cloud with accounts to share with.
func GroupedOptions(jump *clocktest.Jump) mem.Options {
	opts := NativeOptions(jump)
	opts.Native, opts.Grouped = false, true
	return opts
}

// GroupedWishes are the harness's for a grouped cloud, one of each kind.
func GroupedWishes() map[cloud.Kind]cloud.Spec {
	wishes := NativeWishes()
	s := wishes[cloud.Scheduled]
	s.StartAt, s.Duration = Start().Add(90*24*time.Hour), 0
	wishes[cloud.Scheduled] = s
	return wishes
}
