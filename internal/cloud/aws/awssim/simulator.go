package awssim

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// cloudName is the word in the control API.
const cloudName = "aws"

// Options choose where AWS's behavior is not published; the zero value is the
// stricter or better founded reading of each.
type Options struct {
	// VCPULimitCode answers VcpuLimitExceeded where the quota is used up.
	// The API reference names reservations at InstanceLimitExceeded, which
	// is the default; which of them AWS sends is UNVERIFIED.
	VCPULimitCode bool
	// ShrinkBelowUse lets a reservation become smaller than its use. No rule
	// is published; refused by default. UNVERIFIED.
	ShrinkBelowUse bool
	// PaginationTokenCode answers InvalidPaginationToken to a foreign
	// NextToken in place of InvalidParameterValue. UNVERIFIED for
	// DescribeCapacityReservations.
	PaginationTokenCode bool
	// NoIncrementalTag leaves AWS's own tag of the wanted count off
	// future-dated reservations. Third parties saw it there; whether in every
	// case is UNVERIFIED.
	NoIncrementalTag bool
}

// Simulator is AWS in a world: an http.Handler for the one URL.
type Simulator struct {
	catalog *catalog
	prices  priceTable
	broken  error
	options Options
	handler http.Handler
}

// New adds AWS to a world.
func New(world *sim.World) *Simulator { return NewWithOptions(world, Options{}) }

// NewWithOptions adds AWS to a world, with other choices where AWS's are not
// known.
func NewWithOptions(world *sim.World, options Options) *Simulator {
	s := &Simulator{options: options}
	var noCatalog, noPrices error
	if s.catalog, noCatalog = loadCatalog(); noCatalog != nil {
		s.catalog = &catalog{}
	}
	s.prices, noPrices = loadPrices()
	s.broken = errors.Join(noCatalog, noPrices)
	s.handler = world.Register(s)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Name implements sim.Cloud.
func (s *Simulator) Name() string { return cloudName }

// Named is the simulator as sim.Serve takes it, with AWS's own host names.
func (s *Simulator) Named() sim.Named {
	names := []string{"*.amazonaws.com"}
	for _, region := range slices.Sorted(maps.Keys(s.catalog.Regions)) {
		names = append(names, "*."+region+".amazonaws.com")
	}
	return sim.Named{Name: cloudName, Handler: s, TLSNames: names}
}

// Due implements sim.Cloud.
func (s *Simulator) Due(tx *sim.Tx, obj *sim.Object, at time.Time) {
	switch obj.Type {
	case reservationType:
		dueReservation(tx, obj, at)
	case quoteType:
		dueQuote(tx, obj, at)
	case blockOfferType, extensionOfferType:
		dueOffer(tx, obj, at)
	case extensionType:
		dueExtension(tx, obj, at)
	case hostType:
		dueHost(tx, obj)
	case hostReservationType:
		dueHostReservation(obj)
	case sessionType, scoreConfigType:
		tx.Remove(obj)
	}
}

// Changed implements sim.Cloud: stock and what falls due follow what was changed
// behind everyone's back.
func (s *Simulator) Changed(tx *sim.Tx, before, after *sim.Object) {
	held := 0
	if after != nil {
		held = kept(after)
		if after.Status != before.Status {
			patchedDue(tx, after)
		}
	}
	tx.Give(placeOf(before), kept(before)-held)
}

// Throttled implements sim.Cloud (fact aws-7-request-limit).
func (s *Simulator) Throttled(*sim.Request) sim.Refusal {
	return sim.Refusal{
		Status: statusOf(codeRequestLimit), Code: codeRequestLimit, Message: "Request limit exceeded.",
	}
}
