package memtest

import (
	"context"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// GroupedHarness makes in-memory worlds of a grouped cloud, see
// mem.Options.Grouped.
func GroupedHarness(t cloudtest.T) cloudtest.World {
	t.Helper()
	jump := clocktest.NewJump(Start())
	return GroupedWorldOf(mem.New(GroupedOptions(jump)), jump)
}

// GroupedOptions are those of a grouped cloud with accounts to share with.
func GroupedOptions(jump *clocktest.Jump) mem.Options {
	opts := NativeOptions(jump)
	opts.Native, opts.Grouped = false, true
	return opts
}

// GroupedWorldOf is the world of a grouped cloud of GroupedOptions and its clock,
// with two given groups: "one-zone" in one zone, and "everywhere".
func GroupedWorldOf(c *mem.Cloud, jump *clocktest.Jump) cloudtest.World {
	c.AddGroup(mem.DefaultAccountID, "one-zone", "mem-east-1", "mem-east-1a")
	c.AddGroup(mem.DefaultAccountID, "everywhere", "mem-east-1")
	w := WorldOf(c, jump)
	w.Wishes = GroupedWishes()
	w.Elsewhere = w.Wishes[cloud.OnDemand]
	w.Elsewhere.Account = "research"
	w.Cancellable, w.ExtendBy, w.Options = nil, 0, map[string]string{}
	w.Consumers = []string{"serving", "research", "lab"}
	in := func(group string, edit func(*cloud.Spec)) cloud.Spec {
		s := w.Wishes[cloud.OnDemand]
		s.Native = map[string]string{mem.InGroup: group}
		edit(&s)
		return s
	}
	w.OneGroup = []cloud.Spec{
		in("one-zone", func(*cloud.Spec) {}),
		in("one-zone", func(s *cloud.Spec) { s.InstanceType = "p1.half" }),
	}
	w.Unmet = append(w.Unmet, []cloudtest.Unmet{
		{Attribute: cloud.AttrZone, Wish: in("one-zone", func(s *cloud.Spec) { s.Zone = "mem-east-1b" })},
		{Attribute: cloud.AttrZone, Wish: in("one-zone", func(s *cloud.Spec) { s.Zone, s.Region = "", "mem-east-1" })},
		{Attribute: cloud.AttrZone, Wish: in("everywhere", func(*cloud.Spec) {})},
		{Attribute: cloud.AttrRegion, Wish: in("everywhere", func(s *cloud.Spec) { s.Zone, s.Region = "", "mem-west-1" })},
	}...)
	w.Unsettle = func(ref cloud.Ref) { c.SetUnsettled(ref.NativeID) }
	w.LeaveBehind = func(ref cloud.Ref) {
		c.CutShort("Release", &cloud.Error{Code: cloud.Internal, Op: "Release", Native: "GroupStays"})
		_ = c.Release(context.Background(), ref) // it fails, which is the point
	}
	return w
}

// GroupedWishes are the harness's for a grouped cloud, one of each kind.
func GroupedWishes() map[cloud.Kind]cloud.Spec {
	wishes := NativeWishes()
	s := wishes[cloud.Scheduled]
	s.StartAt, s.Duration = Start().Add(90*24*time.Hour), 0
	wishes[cloud.Scheduled] = s
	return wishes
}
