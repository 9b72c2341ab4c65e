package azuresim

// Sources of schedules that are named more than once.
const (
	profile      = "armcompute v8.4, ScheduleProfile"
	examples     = "azure-rest-api-specs, capacityReservationExamples of 2026-04-01"
	drop         = "armcompute v8.4, CapacityReservationsClient.BeginDelete"
	states       = "armcompute v8.4, ReservationState"
	noText       = "code and text UNVERIFIED"
	powershell   = "azure-powershell #30118"
	futureThread = "azure-cli #33898"
)

func scheduleFacts() []Fact {
	return []Fact{
		{"azure-4.2-block-form", "A block is sent with dates; its PUT repeats them, a read has 12:00 and 11:30 UTC of them.", examples + "; azure-rest-api-specs #35669; " + noText},
		{"azure-4.2-block-start", "A block starts today, asked for before 11:30 UTC, or up to 56 days ahead.", profile + "; " + noText},
		{"azure-4.2-block-length", "A block is 1 to 14 whole days or 3 to 26 whole weeks long.", profile + "; " + noText},
		{"azure-4.2-block-count", "A block has 1, 2, 4, 8, 16, 32 or 64 instances.", "armcompute v8.4, CapacityReservation.SKU; " + noText},
		{"azure-4.2-block-size", "ND H100 v5 is for blocks only, A100 of NC on demand only.", examples + "; azure-compute-docs, capacity-reservation-overview"},
		{"azure-4.2-block-fixed", "Schedule, size and capacity of a block cannot change, tags can.", "armcompute v8.4, CapacityReservationUpdate and CapacityReservationProperties.ScheduleProfile; code UNVERIFIED"},
		{"azure-4.2-block-delete", "A block that was allocated cannot be deleted before its end.", drop + "; " + noText},
		{"azure-4.2-block-stock", "A block takes stock and quota from its allocation on; one without stock fails.", "UNVERIFIED"},
		{"azure-4.2-block-end", "At its end a block loses its machines and gives its stock back; the resource stays.", "UNVERIFIED"},
		{"azure-4.2-block-version", "Schedules come with api-version 2025-04-01.", "armcompute v8.4, CapacityReservationProperties.ScheduleProfile; the refusal before UNVERIFIED"},
		{"azure-4.2-future", "A reservation with only a start in a group that is not Block is a future one, with a default for minimumCommitmentDays.", profile + "; " + futureThread + " (Targeted or Open); that the default is 30 UNVERIFIED"},
		{"azure-4.2-future-version", "Future reservations come with api-version 2026-04-01.", profile + "; the refusal before UNVERIFIED"},
		{"azure-4.2-future-start", "A future reservation starts 7 days to 6 months ahead.", profile + "; " + noText},
		{"azure-4.2-future-modifiable", "modifiableUntil is 56 days before the start; a near start has none.", examples + "; " + powershell + " (null and not null by the start)"},
		{"azure-4.2-future-states", "A request is Pending, Approved, Committed, and Live from its start on, when it takes stock.", states + "; when it takes stock UNVERIFIED"},
		{"azure-4.2-future-declined", "A request can be Declined, which stays so until it is changed.", states + "; that stock decides UNVERIFIED"},
		{"azure-4.2-future-short", "With too little stock at the start it is PartiallyFulfilled or FulfillmentFailed; currentCapacity tells.", states},
		{"azure-4.2-future-change", "Start and capacity of a request can change until modifiableUntil; it is reviewed again.", profile + "; the review UNVERIFIED; azure-powershell #29984 (not offered by its cmdlets yet)"},
		{"azure-4.2-future-locked", "A committed reservation cannot change until its commitment is over; tags can.", states + "; " + noText},
		{"azure-4.2-future-delete", "A committed reservation cannot be deleted until its commitment is over; before and where it failed it can.", drop + "; " + noText},
		{"azure-4.2-future-quota", "A request needs quota when it is made, and counts against it from its start on.", "UNVERIFIED"},
	}
}
