package azuresim

import (
	"slices"
	"strings"
)

// Types of a capacity reservation group, which are those of its reservations
// (armcompute v8.4, ReservationType).
const (
	typeTargeted = "Targeted"
	typeOpen     = "Open"
	typeBlock    = "Block"
)

// size is a VM size of Microsoft.Compute.
type size struct {
	name string
	// family is the quota that its vCPUs count against.
	family string
	vcpus  int
	// gpus is the capability GPUs: 1 also for a fraction of one.
	gpus     int
	memoryGB float64
	// zones are where it is offered, by location; none is regional only.
	zones map[string][]string
	// reservable is the capability CapacityReservationSupported.
	reservable bool
	// reservationTypes is the capability SupportedCapacityReservationTypes.
	reservationTypes []string
	restrictions     []restriction
}

// restriction keeps a subscription from a size that is offered (armcompute
// v8.4, ResourceSKURestrictions). None is in the table: they are what an offer
// restricts a subscription to, and this one is not restricted.
type restriction struct {
	// zonal restricts zones, not the whole location.
	zonal    bool
	location string
	zones    []string
	// reason is QuotaId or NotAvailableForSubscription.
	reason string
}

// offered tells whether the size is there at all.
func (s size) offered(location, zone string) bool {
	zones, here := s.zones[location]
	return here && (zone == "" || slices.Contains(zones, zone))
}

// restricted is the restriction of a place, if there is one.
func (s size) restricted(location, zone string) (restriction, bool) {
	for _, r := range s.restrictions {
		if r.location == location && (!r.zonal || slices.Contains(r.zones, zone)) {
			return r, true
		}
	}
	return restriction{}, false
}

// reservableAs tells whether a reservation of a type can have the size.
func (s size) reservableAs(kind string) bool {
	return s.reservable && slices.Contains(s.reservationTypes, kind)
}

// onDemand are the types of what can be reserved on demand. That Open goes where
// Targeted goes is UNVERIFIED.
func onDemand() []string { return []string{typeTargeted, typeOpen} }

// sizeByName finds a size in any casing.
func (s *Simulator) sizeByName(name string) (size, bool) {
	found, ok := s.sizes[strings.ToLower(name)]
	return found, ok
}

// sizesByName keys the table by lower-case name.
func sizesByName() map[string]size {
	all := map[string]size{}
	for _, s := range sizes() {
		all[strings.ToLower(s.name)] = s
	}
	return all
}

// sizes is the table of sizes; a file with further ones adds a line. Numbers:
// azure-compute-docs, sizes/gpu-accelerated. Which can be reserved:
// azure-compute-docs, capacity-reservation-overview of 2026-02; ND H100 as blocks
// only: armcompute v8.4, example BlockCapacityReservation_CreateOrUpdate.
func sizes() []size {
	return slices.Concat(gpuSizes(), plainSizes())
}
