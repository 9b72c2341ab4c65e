package azure

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	// futureMinLead and futureMaxLead are how far ahead a reservation for a date has
	// to start (armcompute v8.4, ScheduleProfile.Start: 7 days, 6 months). How months
	// are counted is not said: half a year.
	futureMinLead = 7 * day
	futureMaxLead = 183 * day
	// blockLead is how far ahead a block can start: at noon of the 56th day after
	// today (armcompute v8.4, ScheduleProfile.Start).
	blockLead = 56*day + blockOpens
	// blockNotice is how long before its start one has to be asked for: on its first
	// day before 11:30 UTC (armcompute v8.4, ScheduleProfile.Start).
	blockNotice = blockOpens - blockCloses
)

// Capabilities implements cloud.Cloud.
func (c *Cloud) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{
		Cloud: "azure",
		Title: "Azure",
		Kinds: map[cloud.Kind]cloud.KindCapabilities{
			cloud.OnDemand:  onDemand(),
			cloud.Scheduled: scheduled(futureMinLead, futureMaxLead),
			cloud.Block:     block(blockNotice, blockLead),
		},
		ListedBy:        cloud.ByGroup,
		Claims:          true,
		NativeName:      true,
		Regional:        true,
		CredentialsHint: credentialsHint,
	}
}

func onDemand() cloud.KindCapabilities {
	return cloud.KindCapabilities{
		// A create is a PUT under a name that is looked for first.
		Idempotent: true,
		// armcompute v8.4, CapacityReservationUpdate and CapacityReservationGroupUpdate:
		// everything else is fixed at creation.
		InPlace:      []cloud.Attribute{cloud.AttrCount, cloud.AttrTags, cloud.AttrShare},
		ReleasedFree: true,
	}
}

// scheduled is a reservation for a date, which Azure approves and later commits to.
func scheduled(nearest, furthest time.Duration) cloud.KindCapabilities {
	return cloud.KindCapabilities{
		Idempotent: true,
		// The start until the instant that the object names (armcompute v8.4,
		// CapacityReservationProperties.ScheduleProfile).
		InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrTags, cloud.AttrShare, cloud.AttrStart},
		Decided: true,
		MinLead: nearest,
		MaxLead: furthest,
	}
}

// block is a block of days. Its schedule and its SKU are fixed (armcompute v8.4,
// CapacityReservationUpdate.SKU), and nobody shares it.
func block(nearest, furthest time.Duration) cloud.KindCapabilities {
	return cloud.KindCapabilities{
		Idempotent: true,
		InPlace:    []cloud.Attribute{cloud.AttrTags},
		Decided:    true,
		Bounded:    true,
		MinLead:    nearest,
		MaxLead:    furthest,
	}
}
