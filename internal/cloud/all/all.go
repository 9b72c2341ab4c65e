// Package all is the only list of the clouds: it builds the drivers, each within
// its wrappers, and the simulators. It knows every driver and no rule.
package all

import (
	"log/slog"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/limit"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/retry"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/trace"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Config configures every driver.
type Config struct {
	Clock  clock.Clock
	Log    *slog.Logger
	AWS    aws.Config
	Google google.Config
	Azure  azure.Config
}

// New returns a fresh set of drivers by name. It makes no call and reads no
// credentials: a cloud that is not used costs nothing.
func New(cfg Config) map[string]cloud.Cloud {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.Wall{}
	}
	cfg.AWS.Clock, cfg.Google.Clock, cfg.Azure.Clock = cfg.Clock, cfg.Clock, cfg.Clock
	drivers := map[string]cloud.Cloud{}
	for _, driver := range []cloud.Cloud{aws.New(cfg.AWS), google.New(cfg.Google), azure.New(cfg.Azure)} {
		drivers[driver.Capabilities().Cloud] = cloud.Intercept(driver,
			trace.New(cfg.Log, cfg.Clock),
			// The clients repeat what failed on the way themselves, request by
			// request; what is left here is to ride out throttling.
			retry.New(retry.Options{Clock: cfg.Clock, OnWait: retry.LogWaits(cfg.Log), Tries: 1}),
			limit.New(limit.Options{Clock: cfg.Clock}),
		)
	}
	return drivers
}

// Simulators returns the simulated clouds over one world.
func Simulators(world *sim.World) []sim.Named {
	return []sim.Named{awssim.New(world).Named(), googlesim.New(world).Named(), azuresim.New(world).Named()}
}
