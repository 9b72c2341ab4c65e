package googlesim

import (
	"net/http"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// cloudName is the word in the control API.
const cloudName = "google"

// Options choose where Google's behavior is not published or differs between
// what was recorded; the zero value is the better founded reading of each.
type Options struct {
	// QuotaInOperation has the quota refusal come in the operation, as
	// QUOTA_EXCEEDED with quotaInfo, in place of a synchronous 403
	// quotaExceeded. Both are documented.
	QuotaInOperation bool
	// QuotaStatus is the httpErrorStatusCode of that operation; 0 is 403. 429
	// is the other one seen, UNVERIFIED which is sent.
	QuotaStatus int
	// InUseInOperation has the refusal to delete what is used come in the
	// operation, as RESOURCE_IN_USE_BY_ANOTHER_RESOURCE, in place of a
	// synchronous 400. Compute Engine has both forms elsewhere; UNVERIFIED
	// for reservations.
	InUseInOperation bool
	// StockDetails has a stock-out say which zones have stock:
	// ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS.
	StockDetails bool
	// VisibleWhileCreating shows an object as CREATING while its insert runs.
	// Recorded traffic reads it only after the operation is done.
	VisibleWhileCreating bool
	// ExpandedTypes has a read also show the accelerators and disks that the
	// machine type brings. Google's own samples have both forms; with this one
	// its own Terraform provider wants to replace what it has just made.
	ExpandedTypes bool
	// RateStatus is the status of a refusal for too many requests; 0 is the
	// documented 403. 429 is sent as well.
	RateStatus int
	// SharingRefused is the organization policy that allows no shared
	// reservations in any project.
	SharingRefused bool
	// StrictRequestID refuses a requestId that comes again with another
	// body; the zero value answers the first operation. UNVERIFIED.
	StrictRequestID bool
	// ConsumedByNumber has machines name the reservation that they use by its URL
	// and its project's number, in place of its path with the project's id. Which
	// is sent is UNVERIFIED.
	ConsumedByNumber bool
	// DoneAtOnce has an operation be done in the answer that tells of it, whether
	// it went well or failed. The discovery document lets the first answer have any
	// status; that a reservation's is ever DONE is UNVERIFIED.
	DoneAtOnce bool
	// Future is how future reservations fare.
	Future FutureOptions
}

// Simulator is Google Cloud in a world: an http.Handler for the one URL.
type Simulator struct {
	world   *sim.World
	options Options
	// services do not change.
	services []service
	// responses are read when a request first has a mask.
	responses func() responses
	handler   http.Handler
}

// New adds Google Cloud to a world.
func New(world *sim.World) *Simulator { return NewWithOptions(world, Options{}) }

// NewWithOptions adds Google Cloud to a world, with other choices where
// Google's are not known.
func NewWithOptions(world *sim.World, options Options) *Simulator {
	s := &Simulator{world: world, options: options, services: services(), responses: sync.OnceValue(readResponses)}
	s.handler = world.Register(s)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.hold(r)
	s.handler.ServeHTTP(w, r)
}

// Name implements sim.Cloud.
func (s *Simulator) Name() string { return cloudName }

// Named is the simulator as sim.Serve takes it, with Google's own host names.
func (s *Simulator) Named() sim.Named {
	return sim.Named{Name: cloudName, Handler: s, TLSNames: []string{"*.googleapis.com"}}
}

// collection is what the world needs to know of the objects of one type, which
// is the name of the collection in their path.
type collection struct {
	// due lets happen what time brings; Due is already cleared.
	due func(tx *sim.Tx, obj *sim.Object, at time.Time)
	// kept is the number of instances that an object keeps from others.
	kept func(obj *sim.Object) int
	// patched is called after the control API changed a visible object.
	patched func(tx *sim.Tx, obj *sim.Object)
	// seed completes an object of a scenario; nil is a type it cannot have.
	seed func(s *Simulator, tx *sim.Tx, obj *sim.Object) error
}

// collections lists them; a further one adds a line.
func collections() map[string]collection {
	return map[string]collection{
		operationType: {due: dueOperation},
		reservationType: {
			due: dueReservation, kept: keptByReservation, patched: planReservation, seed: seedReservation,
		},
		futureType: {due: dueFuture, kept: keptByFuture, patched: patchedFuture, seed: seedFuture},
	}
}

// Due implements sim.Cloud.
func (s *Simulator) Due(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if c := collections()[obj.Type]; c.due != nil {
		c.due(tx, obj, at)
	}
}

// Changed implements sim.Cloud: stock and what falls due follow what was
// changed behind everyone's back.
func (s *Simulator) Changed(tx *sim.Tx, before, after *sim.Object) {
	c := collections()[before.Type]
	if c.kept != nil {
		held := 0
		if after != nil {
			held = c.kept(after)
		}
		tx.Give(placeOf(before), c.kept(before)-held)
	}
	if after != nil && c.patched != nil {
		c.patched(tx, after)
	}
}

// Seed implements sim.Cloud: an object of a scenario.
func (s *Simulator) Seed(tx *sim.Tx, obj *sim.Object) error {
	c := collections()[obj.Type]
	if c.seed == nil {
		return fail(reasonInvalid, "type %q: a scenario cannot have it", obj.Type)
	}
	return c.seed(s, tx, obj)
}

func placeOf(obj *sim.Object) sim.Place {
	return sim.Place{
		Cloud: cloudName, Account: obj.Account, Region: obj.Region, Zone: obj.Zone, InstanceType: obj.InstanceType,
	}
}
