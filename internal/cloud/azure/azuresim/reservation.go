package azuresim

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// reservationType is the last segment of the resource type, which the control
// API calls type.
const reservationType = "capacityReservations"

// Provisioning states (azure-cli recording test_capacity_reservation_operations,
// 2026-09; azure-compute-docs, capacity-reservation-modify). The header's status
// is one of them, or the reservation state in place of Succeeded.
const (
	stateCreating  = "Creating"
	stateUpdating  = "Updating"
	stateSucceeded = "Succeeded"
	stateFailed    = "Failed"
	stateDeleting  = "Deleting"
)

// reservation is what the world's header does not know of a reservation. The
// header has sku.capacity as its count, the allocated machines as its use, the
// size, the zone, the tags and the state.
type reservation struct {
	// Path is the id in the caller's casing.
	Path string `json:"path"`
	// GUID is the reservationId, which never changes.
	GUID    string    `json:"guid"`
	Created time.Time `json:"created"`
	// Provisioned is when it last became what it is; zero is never.
	Provisioned time.Time `json:"provisioned,omitzero"`
	Etag        int       `json:"etag"`
	// Group is the native id of its group.
	Group string `json:"group"`
	// Kind is the reservation type of the group.
	Kind string `json:"kind"`
	// SKU is the size in the caller's casing.
	SKU  string `json:"sku"`
	Tier string `json:"tier,omitempty"`
	// Current is what is really reserved; it differs from the header's count
	// after a refused growth, and before the start of a schedule.
	Current int `json:"current"`
	// Schedule is that of a block or a future reservation.
	Schedule *schedule `json:"schedule,omitempty"`
	// State is the reservationState; "" is none.
	State string `json:"state,omitempty"`
	// Failure is how the last operation failed.
	Failure *failure `json:"failure,omitempty"`
}

// schedule is a scheduleProfile.
type schedule struct {
	Start time.Time `json:"start"`
	// End is zero for a future reservation.
	End time.Time `json:"end,omitzero"`
	// Sent are start and end as they were given, which the answer to the PUT
	// repeats.
	SentStart string `json:"sent_start"`
	SentEnd   string `json:"sent_end,omitempty"`
	// CommitmentDays is minimumCommitmentDays of a future reservation.
	CommitmentDays int `json:"commitment_days,omitempty"`
	// ModifiableUntil is when the start of a future reservation is fixed.
	ModifiableUntil time.Time `json:"modifiable_until,omitzero"`
	// Life is what was decided about a future reservation.
	Life life `json:"life,omitzero"`
}

type skuWire struct {
	Name     string `json:"name"`
	Tier     string `json:"tier,omitempty"`
	Capacity int64  `json:"capacity"`
}

type reservationWire struct {
	Name       string                `json:"name"`
	ID         string                `json:"id"`
	Type       string                `json:"type"`
	Location   string                `json:"location"`
	Tags       map[string]string     `json:"tags,omitempty"`
	SKU        skuWire               `json:"sku"`
	Zones      []string              `json:"zones,omitempty"`
	Properties reservationProperties `json:"properties"`
	Etag       string                `json:"etag,omitempty"`
}

type reservationProperties struct {
	FaultDomains      int           `json:"platformFaultDomainCount"`
	ReservationID     string        `json:"reservationId"`
	Associated        []subResource `json:"virtualMachinesAssociated,omitempty"`
	ProvisioningTime  string        `json:"provisioningTime,omitempty"`
	ProvisioningState string        `json:"provisioningState"`
	InstanceView      *instanceView `json:"instanceView,omitempty"`
	Schedule          *scheduleWire `json:"scheduleProfile,omitempty"`
	TimeCreated       string        `json:"timeCreated"`
}

type instanceView struct {
	Utilization utilizationWire `json:"utilizationInfo"`
	Statuses    []statusWire    `json:"statuses"`
	StateInfo   *stateWire      `json:"reservationStateInfo,omitempty"`
}

type utilizationWire struct {
	Current   int            `json:"currentCapacity"`
	Allocated []subResource  `json:"virtualMachinesAllocated,omitempty"`
	Used      map[string]int `json:"usedReservedCountBySubscription,omitempty"`
}

type statusWire struct {
	Code    string `json:"code"`
	Level   string `json:"level"`
	Display string `json:"displayStatus"`
	Message string `json:"message,omitempty"`
	Time    string `json:"time,omitempty"`
}

type stateWire struct {
	State string `json:"reservationState"`
}

// faultDomains is the platformFaultDomainCount of every recorded reservation.
const faultDomains = 3

// provisioningOf is the provisioning state behind a header's status.
func provisioningOf(obj *sim.Object) string {
	switch obj.Status {
	case stateCreating, stateUpdating, stateFailed, stateDeleting:
		return obj.Status
	}
	if reservationStates()[obj.Status] || obj.Status == "" {
		return stateSucceeded
	}
	return obj.Status
}

// etagOf is the entity tag of a reservation.
func etagOf(r reservation) string { return `"` + strconv.Itoa(r.Etag) + `"` }

// reservationJSON renders a reservation (facts azure-4).
func (q *query) reservationJSON(obj *sim.Object, v view) (any, *apiError) {
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return nil, internal(err)
	}
	w := reservationWire{
		Name: lastSegment(r.Path), ID: r.Path, Type: "Microsoft.Compute/capacityReservationGroups/capacityReservations",
		Location: obj.Region, Tags: obj.Tags, SKU: skuWire{r.SKU, r.Tier, int64(obj.Count)},
		Properties: reservationProperties{
			FaultDomains: faultDomains, ReservationID: r.GUID, ProvisioningState: provisioningOf(obj), TimeCreated: stamp(r.Created),
			Schedule: q.scheduleJSON(obj, r),
		},
	}
	if v.listed {
		w.ID = upperGroup(w.ID)
	}
	if obj.Zone != "" {
		w.Zones = []string{obj.Zone}
	}
	if q.since("2026-04-01") {
		w.Etag = etagOf(r)
	}
	if !r.Provisioned.IsZero() {
		w.Properties.ProvisioningTime = stamp(r.Provisioned)
	}
	if v.machines && r.Kind != typeOpen {
		w.Properties.Associated = q.references(associated(obj, r))
	}
	if v.instances {
		shown := q.instances(obj, r)
		w.Properties.InstanceView = &shown
	}
	return w, nil
}

// instances is the instance view of a reservation.
func (q *query) instances(obj *sim.Object, r reservation) instanceView {
	view := instanceView{Utilization: utilizationWire{Current: r.Current}, Statuses: []statusWire{statusOfState(provisioningOf(obj), r.Failure)}}
	if r.Kind == typeOpen && q.since("2026-04-01") {
		view.Utilization.Used = usedBySubscription(obj, r)
	}
	if r.Kind != typeOpen {
		view.Utilization.Allocated = q.references(allocated(obj, r))
	}
	if r.State != "" && q.since(sinceFuture) {
		view.StateInfo = &stateWire{r.State}
	}
	return view
}

// statusOfState is the status of an instance view. That a failure's code is the
// last part of its code is how virtual machines show it; UNVERIFIED for reservations.
func statusOfState(state string, f *failure) statusWire {
	w := statusWire{Code: "ProvisioningState/" + strings.ToLower(state), Level: "Info", Display: "Provisioning " + strings.ToLower(state)}
	if state == stateCreating || state == stateUpdating || state == stateDeleting {
		w.Display = state
	}
	if state == stateFailed {
		w.Level = "Error"
		if f != nil {
			w.Code, w.Message = w.Code+"/"+f.Code, f.Message
		}
	}
	return w
}

// findReservation gets the reservation that a request is about.
func (q *query) findReservation() (*sim.Object, reservation, *apiError) {
	var r reservation
	if _, err := q.resourceGroup(); err != nil {
		return nil, r, err
	}
	obj, ok := q.tx.Object(cloudName, nativeID(q.reservationID()))
	if !ok || obj.Type != reservationType {
		return nil, r, q.notFound()
	}
	if err := obj.Decode(&r); err != nil {
		return nil, r, internal(err)
	}
	return obj, r, nil
}

func getReservation(q *query) (result, *apiError) {
	instances, err := q.expand("instanceView")
	if err != nil {
		return result{}, err
	}
	obj, r, err := q.findReservation()
	if err != nil {
		return result{}, err
	}
	body, err := q.reservationJSON(obj, view{instances: instances, machines: true})
	return result{body: body, header: http.Header{"Etag": {etagOf(r)}}}, err
}

func reservationMethods() []method {
	const (
		own        = pathResourceGroup + "/" + pathCompute + "/capacityReservationGroups/{" + varGroup + "}/capacityReservations"
		one        = own + "/{" + varReservation + "}"
		policyGet  = "GetCapacityReservationSubscriptionMaximum;356"
		policyPut  = "PutCapacityReservationSubscriptionMaximum;149"
		policyDrop = "DeleteCapacityReservationSubscriptionMaximum;149"
	)
	body := reservationSchema()
	return []method{
		{id: "CapacityReservations_CreateOrUpdate", verb: http.MethodPut, path: one, body: body, policy: policyPut, run: putReservation},
		{id: "CapacityReservations_Update", verb: http.MethodPatch, path: one, body: body, policy: policyPut, run: patchReservation},
		{id: "CapacityReservations_Get", verb: http.MethodGet, path: one, policy: policyGet, run: getReservation},
		{id: "CapacityReservations_Delete", verb: http.MethodDelete, path: one, policy: policyDrop, run: deleteReservation},
		{
			id: "CapacityReservations_ListByCapacityReservationGroup", verb: http.MethodGet, path: own, policy: policyGet,
			about: aboutGroup, run: listReservations,
		},
	}
}

// reservationSchema lists the fields of a CapacityReservation.
func reservationSchema() *object {
	return resource("CapacityReservation", map[string]field{
		"location": {kind: text}, "tags": {kind: textMap}, "zones": {kind: texts},
		"sku": {kind: nested, of: object{"Sku", map[string]field{"name": {kind: text}, "tier": {kind: text}, "capacity": {kind: whole}}}},
		"properties": {kind: nested, of: object{"CapacityReservationProperties", map[string]field{
			"scheduleProfile": {kind: nested, of: object{"ScheduleProfile", map[string]field{
				"start": {kind: text}, "end": {kind: text}, "minimumCommitmentDays": {kind: whole}, "modifiableUntil": {kind: ignored},
			}}},
			"instanceView": {kind: ignored}, "platformFaultDomainCount": {kind: ignored}, "provisioningState": {kind: ignored},
			"provisioningTime": {kind: ignored}, "reservationId": {kind: ignored}, "timeCreated": {kind: ignored},
			"virtualMachinesAssociated": {kind: ignored},
		}}},
	})
}
