package mem

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// rules are what a kind can do, what a wish of it may say and how it is made.
type rules struct {
	cloud.KindCapabilities
	// most is how many instances one reservation can have.
	most int
	// targeted kinds are never open.
	targeted bool
	// options are the native ones.
	options []option
	// window names what is wrong with start, end and duration.
	window func(*problems, cloud.Spec)
	// make answers a create that has no problem.
	make func(c *Cloud, accountID string, req cloud.CreateRequest) (*object, error)
	// committed tells until when giving up a held one is not free, and until
	// when it is all the same; nil for kinds that are always free.
	committed func(o *object, now time.Time) (until, free time.Time)
}

// kinds is all that the kinds differ in.
func (c *Cloud) kinds() map[cloud.Kind]rules {
	switch {
	case c.native:
		return c.nativeKinds()
	case c.grouped:
		return c.groupedKinds()
	}
	live := []cloud.Attribute{cloud.AttrTags, cloud.AttrName}
	can := func(more ...cloud.Attribute) []cloud.Attribute { return slices.Concat(more, live) }
	return map[cloud.Kind]rules{
		cloud.OnDemand: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, ReleasedFree: true, ReleasedInUse: c.releasesInUse,
				InPlace: can(cloud.AttrCount, cloud.AttrMatch, cloud.AttrEnd),
			},
			most: maxCount, options: []option{tenancy()}, window: onDemandWindow, make: (*Cloud).reserve,
		},
		cloud.Scheduled: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, Decided: true, Cancellable: true, InPlace: can(cloud.AttrCount, cloud.AttrEnd),
				MinLead: MinLead, MaxLead: MaxLead,
			},
			most: maxCount, targeted: true, options: []option{tenancy(), commitment()},
			window: scheduledWindow, make: (*Cloud).schedule, committed: scheduledUntil,
		},
		cloud.Block: {
			KindCapabilities: cloud.KindCapabilities{ByOffer: true, Decided: true, InPlace: can(cloud.AttrDuration)},
			most:             maxCount, targeted: true, options: []option{tenancy()},
			window: anyWindow, make: (*Cloud).buy, committed: blockUntil,
		},
		cloud.DedicatedHost: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, ReleasedFree: true, InPlace: can(cloud.AttrMatch, recovery().attribute()),
			},
			most: 1, options: []option{recovery()}, window: noWindow, make: (*Cloud).allocate,
		},
		cloud.Term: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, Base: cloud.DedicatedHost, InPlace: can(cloud.AttrMatch, recovery().attribute()),
			},
			most: 1, options: []option{recovery()}, window: noWindow, make: (*Cloud).allocate, committed: termUntil,
		},
	}
}

// Capabilities implements cloud.Cloud.
func (c *Cloud) Capabilities() cloud.Capabilities {
	kinds := map[cloud.Kind]cloud.KindCapabilities{}
	for kind, rules := range c.kinds() {
		kinds[kind] = rules.KindCapabilities
	}
	caps := cloud.Capabilities{
		Cloud: Name, Title: "the in-memory cloud", Kinds: kinds,
		ListedBy: cloud.ByRegion, Claims: !c.native, NativeName: c.named(), Regional: c.grouped,
		CredentialsHint: "the in-memory cloud takes no credentials; name its accounts in the options",
	}
	if c.grouped {
		caps.ListedBy = cloud.ByGroup
	}
	if !c.named() {
		caps.ShareHint = "a reservation of the in-memory cloud is not shared"
	}
	return caps
}

// root is the kind that reservations of a kind begin as.
func (c *Cloud) root(kind cloud.Kind) cloud.Kind {
	if base := c.kinds()[kind].Base; base != "" {
		return base
	}
	return kind
}

// commitment is until when giving an object up is not free, and until when it
// is all the same; both zero where it is free now.
func (c *Cloud) commitment(o *object) (until, free time.Time) {
	committed := c.kinds()[o.r.Kind].committed
	if committed == nil || !o.r.State.Live() {
		return time.Time{}, time.Time{}
	}
	return committed(o, c.clock.Now())
}
