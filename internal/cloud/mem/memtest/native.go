package memtest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// NativeHarness makes in-memory worlds of a native cloud, see mem.Options.Native.
func NativeHarness(t cloudtest.T) cloudtest.World {
	t.Helper()
	jump := clocktest.NewJump(Start())
	return NativeWorldOf(mem.New(NativeOptions(jump)), jump)
}

// NativeOptions are those of a native cloud with accounts to share with.
func NativeOptions(jump *clocktest.Jump) mem.Options {
	return mem.Options{Clock: jump, Native: true, Accounts: map[string]string{
		"lab": "000000000004", "research": "000000000002", "serving": "000000000003",
	}}
}

// NativeWorldOf is the world of a native cloud of NativeOptions and its clock.
func NativeWorldOf(c *mem.Cloud, jump *clocktest.Jump) cloudtest.World {
	w := WorldOf(c, jump)
	w.Wishes = NativeWishes()
	w.SystemTag, w.SetTag, w.RawTags = "", nil, nil
	w.Cancellable, w.ExtendBy, w.Options = nil, 0, map[string]string{}
	w.Consumers = []string{"serving", "research", "lab"}
	return w
}

// NativeWishes are the harness's for a native cloud, one of each kind.
func NativeWishes() map[cloud.Kind]cloud.Spec {
	wishes := map[cloud.Kind]cloud.Spec{}
	for kind, lead := range map[cloud.Kind]time.Duration{
		cloud.OnDemand: 0, cloud.Scheduled: 90 * 24 * time.Hour, cloud.Block: 40 * 24 * time.Hour,
	} {
		s := cloud.Spec{Kind: kind, Zone: "mem-east-1a", InstanceType: "p1.whole", Count: 1}
		if lead > 0 {
			s.StartAt, s.Duration = Start().Add(lead), 14*24*time.Hour
		}
		wishes[kind] = s
	}
	return wishes
}
