package azuresim

import (
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// cloudName is the word in the control API.
const cloudName = "azure"

// Style is how a long-running operation is told of.
type Style string

const (
	// StyleRecorded is that of the recordings of 2026-09: Azure-AsyncOperation,
	// with Location beside it on DELETE.
	StyleRecorded Style = ""
	// StyleLocation has a Location header only, as providers of another age do.
	StyleLocation Style = "location"
	// StyleBody has no header: the state in the resource tells. A DELETE, which
	// has no body, keeps its headers.
	StyleBody Style = "body"
)

// Options choose where Azure's behavior is not published, or changed over time;
// the zero value is what was recorded last, or else the better founded reading.
type Options struct {
	// ResourceGroups are there from the start in every subscription; nil is
	// "gpu" and "rg".
	ResourceGroups []string
	// Style of the operations on reservations.
	Style Style
	// PatchAccepted has PATCH of a reservation answer 202 in place of 200; the
	// SDK takes both.
	PatchAccepted bool
	// GroupAtOnce has a group's PUT and DELETE be done in their answers, 201
	// and 200, as recorded in 2022-11.
	GroupAtOnce bool
	// LateGroups hides a group until its creation is done. UNVERIFIED.
	LateGroups bool
	// GroupLag is for how long after its last reservation went a group cannot be
	// deleted; 0 is 5 s, less than 0 is not at all.
	GroupLag time.Duration
	// NoLeftover has a failed create leave nothing, in place of a reservation in
	// state Failed. Which of them happens is UNVERIFIED.
	NoLeftover bool
	// StockAtOnce has a stock-out be the answer, 409, in place of the end of the
	// operation. Both were seen with virtual machines.
	StockAtOnce bool
	// Overconstrained words a stock-out as OverconstrainedAllocationRequest, zonal
	// or not, which is the other code that virtual machines get.
	Overconstrained bool
	// QuotaInOperation has the quota refusal come in the operation, in place of
	// a synchronous 409. UNVERIFIED for reservations.
	QuotaInOperation bool
	// InUseCode is the code of the refusal to delete what machines are associated
	// with; "" is OperationNotAllowed. UNVERIFIED.
	InUseCode string
	// OpenGoesInUse has an Open reservation be deleted although machines use it:
	// none is associated with it by name. UNVERIFIED.
	OpenGoesInUse bool
	// ComputeThrottles has a refusal for too many requests be the provider's
	// TooManyRequests in place of Resource Manager's SubscriptionRequestsThrottled.
	ComputeThrottles bool
	// Future is how future reservations fare.
	Future FutureOptions
}

// Simulator is Azure in a world: an http.Handler for the one URL.
type Simulator struct {
	world   *sim.World
	options Options
	// What follows does not change.
	methods []method
	sizes   map[string]size
	handler http.Handler
}

// New adds Azure to a world.
func New(world *sim.World) *Simulator { return NewWithOptions(world, Options{}) }

// NewWithOptions adds Azure to a world, with other choices where Azure's are
// not known.
func NewWithOptions(world *sim.World, options Options) *Simulator {
	if options.ResourceGroups == nil {
		options.ResourceGroups = []string{"gpu", "rg"}
	}
	if options.GroupLag == 0 {
		options.GroupLag = groupLag
	}
	s := &Simulator{world: world, options: options, methods: methods(), sizes: sizesByName()}
	s.handler = world.Register(s)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Name implements sim.Cloud.
func (s *Simulator) Name() string { return cloudName }

// Named is the simulator as sim.Serve takes it, with Azure's own host names.
func (s *Simulator) Named() sim.Named {
	return sim.Named{Name: cloudName, Handler: s, TLSNames: []string{
		"management.azure.com", "login.microsoftonline.com", "prices.azure.com",
	}}
}

// collection is what the world needs to know of the objects of one type.
type collection struct {
	// due lets happen what time brings; Due is already cleared.
	due func(s *Simulator, tx *sim.Tx, obj *sim.Object, at time.Time)
	// changed follows a change through the control API; after is nil where the
	// object is gone.
	changed func(s *Simulator, tx *sim.Tx, before, after *sim.Object)
	// seed completes an object of a scenario; nil is a type it cannot have.
	seed func(s *Simulator, tx *sim.Tx, obj *sim.Object) error
}

// collections lists them; a further one adds a line.
func collections() map[string]collection {
	return map[string]collection{
		operationType:     {due: dueOperation},
		resourceGroupType: {changed: changedResourceGroup},
		groupType:         {changed: changedGroup, seed: seedGroup},
		reservationType:   {due: dueReservation, changed: changedReservation, seed: seedReservation},
	}
}

// Due implements sim.Cloud.
func (s *Simulator) Due(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if c := collections()[obj.Type]; c.due != nil {
		c.due(s, tx, obj, at)
	}
}

// Changed implements sim.Cloud: stock, states and children follow what was
// changed behind everyone's back.
func (s *Simulator) Changed(tx *sim.Tx, before, after *sim.Object) {
	if c := collections()[before.Type]; c.changed != nil {
		c.changed(s, tx, before, after)
	}
}

// Seed implements sim.Cloud: an object of a scenario.
func (s *Simulator) Seed(tx *sim.Tx, obj *sim.Object) error {
	c := collections()[obj.Type]
	if c.seed == nil {
		return fail(codeInvalidParameter, "type %q: a scenario cannot have it", obj.Type)
	}
	return c.seed(s, tx, obj)
}

func placeOf(obj *sim.Object) sim.Place {
	return sim.Place{
		Cloud: cloudName, Account: obj.Account, Region: obj.Region, Zone: obj.Zone, InstanceType: obj.InstanceType,
	}
}
