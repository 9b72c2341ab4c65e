package googlesim

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// futureType is the type of future reservations in the control API.
const futureType = "futureReservations"

// FutureOptions choose how future reservations fare where Google decides or
// does not say; the zero value is the quickest and kindest reading.
type FutureOptions struct {
	// ReviewTakes is the time from a request, or an amendment, to its
	// approval; 0 is one second. A person takes days.
	ReviewTakes time.Duration
	// LockLead is the time between lock and start; 0 is a day. Google sets
	// it at approval, by machine type, and does not publish the rule.
	LockLead time.Duration
	// ProvisionTakes is the time in PROVISIONING; 0 is one second. It is at
	// most a day (FutureReservationStatus.procurementStatus).
	ProvisionTakes time.Duration
	// Declined has every request declined. A single one is declined by a
	// fault of its insert or update with operation_error DECLINED.
	Declined bool
	// CalendarFixed refuses to modify, cancel or delete a request in calendar
	// mode once it was submitted, as its documentation did before it was
	// generally available.
	CalendarFixed bool
	// OverlapRefused refuses a request whose period overlaps that of another
	// with the same properties, canceled or not. The troubleshooting page has
	// such a section; how far it reaches is UNVERIFIED.
	OverlapRefused bool
}

// Values of procurementStatus.
const (
	futureDrafting  = "DRAFTING"
	futurePending   = "PENDING_APPROVAL"
	futureApproved  = "APPROVED"
	futureCommitted = "COMMITTED"
	futureAmending  = "PENDING_AMENDMENT_APPROVAL"
	futureDeclined  = "DECLINED"
	futureCancelled = "CANCELLED"
	futureProcuring = "PROCURING"
	futureProvision = "PROVISIONING"
	futureFulfilled = "FULFILLED"
	futurePartly    = "FAILED_PARTIALLY_FULFILLED"
	futureFailed    = "FAILED"
)

func futureStatuses() []string {
	return []string{
		futureDrafting, futurePending, futureApproved, futureCommitted, futureAmending, futureDeclined, futureCancelled,
		futureProcuring, futureProvision, futureFulfilled, futurePartly, futureFailed,
	}
}

const calendarMode = "CALENDAR"

// future is what the world's header does not know of a future reservation. Its
// period, count and procurement status are the header's.
//
// Two things are simpler than at Google: what already runs or is reserved with
// the same properties is not subtracted from what is delivered, and a delivery
// does not ask for quota.
type future struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// Request is what was asked for, as a body with an endTime. Spec is what
	// it means.
	Request json.RawMessage `json:"request"`
	Spec    futureSpec      `json:"spec"`
	// Lock is when it locks; zero before it was approved.
	Lock time.Time `json:"lock,omitzero"`
	// Refused has the review come to no.
	Refused   bool          `json:"refused,omitempty"`
	Amendment string        `json:"amendment,omitempty"`
	Before    *futureBefore `json:"before,omitempty"`
	// Fulfilled is how much was delivered; nil before.
	Fulfilled *int `json:"fulfilled,omitempty"`
	// Made are the native ids of the reservations it was delivered in.
	Made []string `json:"made,omitempty"`
	// Times are those of FutureOptions when it was made.
	Times futureTimes `json:"times"`
}

type futureTimes struct {
	Review    time.Duration `json:"review"`
	Lead      time.Duration `json:"lead"`
	Provision time.Duration `json:"provision"`
}

func (o FutureOptions) times() futureTimes {
	or := func(d, standard time.Duration) time.Duration {
		if d == 0 {
			return standard
		}
		return d
	}
	return futureTimes{or(o.ReviewTakes, time.Second), or(o.LockLead, day), or(o.ProvisionTakes, time.Second)}
}

// futureBefore is what an amendment would change, as it was.
type futureBefore struct {
	Request json.RawMessage `json:"request"`
	Spec    futureSpec      `json:"spec"`
	Period  period          `json:"period"`
	Count   int             `json:"count"`
	Type    string          `json:"type"`
	Lock    time.Time       `json:"lock"`
	Status  string          `json:"status"`
}

// futureSpec is what the user asks for.
type futureSpec struct {
	// Description is nil where none was ever given.
	Description *string            `json:"description,omitempty"`
	Properties  instanceProperties `json:"properties"`
	Share       sharing            `json:"share"`
	Planning    string             `json:"planning"`
	Mode        string             `json:"mode,omitempty"`
	Prefix      string             `json:"prefix,omitempty"`
	Name        string             `json:"name,omitempty"`
	Specific    bool               `json:"specific,omitempty"`
	Deployment  string             `json:"deployment,omitempty"`
	Scheduling  string             `json:"scheduling,omitempty"`
	Emergent    bool               `json:"emergent,omitempty"`
	// Delete is when what was delivered is deleted, where a time was given.
	Delete time.Time `json:"delete,omitzero"`
	// AutoDelete is the flag as it was sent. Where no time came with it, the
	// end is meant, also after the end moved.
	AutoDelete bool `json:"auto_delete,omitempty"`
}

func (s futureSpec) calendar() bool { return s.Mode == calendarMode }

// deleteAt is when the delivered reservations go; zero is never.
func (s futureSpec) deleteAt(end time.Time) time.Time {
	switch {
	case !s.Delete.IsZero():
		return s.Delete
	case s.AutoDelete, s.calendar():
		return end
	}
	return time.Time{}
}

func periodOf(obj *sim.Object) period { return period{obj.StartsAt, obj.EndsAt} }

// futureAt finds a future reservation that can be seen.
func futureAt(tx *sim.Tx, path string) (*sim.Object, *future, *apiError) {
	obj, ok := tx.Object(cloudName, path)
	if !ok || obj.Type != futureType || obj.Hidden {
		return nil, nil, notFound(path)
	}
	f := &future{}
	if err := obj.Decode(f); err != nil {
		return nil, nil, internal(err)
	}
	return obj, f, nil
}

// futureWire is a FutureReservation in JSON. What is never returned is not
// here (fact google-5-auto-delete).
type futureWire struct {
	Kind                  string           `json:"kind"`
	ID                    string           `json:"id"`
	CreationTimestamp     string           `json:"creationTimestamp"`
	SelfLink              string           `json:"selfLink"`
	SelfLinkWithID        string           `json:"selfLinkWithId"`
	Zone                  string           `json:"zone"`
	Name                  string           `json:"name"`
	Description           *string          `json:"description,omitempty"`
	NamePrefix            string           `json:"namePrefix,omitempty"`
	ReservationName       string           `json:"reservationName,omitempty"`
	PlanningStatus        string           `json:"planningStatus"`
	ReservationMode       string           `json:"reservationMode,omitempty"`
	SpecificSKU           futureSKUWire    `json:"specificSkuProperties"`
	TimeWindow            futureWindowWire `json:"timeWindow"`
	ShareSettings         any              `json:"shareSettings,omitempty"`
	SpecificRequired      bool             `json:"specificReservationRequired"`
	DeploymentType        string           `json:"deploymentType,omitempty"`
	SchedulingType        string           `json:"schedulingType,omitempty"`
	EnableEmergent        bool             `json:"enableEmergentMaintenance,omitempty"`
	AutoCreatedDeleteTime string           `json:"autoCreatedReservationsDeleteTime,omitempty"`
	Status                futureStatusWire `json:"status"`
}

type futureSKUWire struct {
	TotalCount         string         `json:"totalCount"`
	InstanceProperties propertiesWire `json:"instanceProperties"`
}

type futureWindowWire struct {
	StartTime string `json:"startTime"`
	EndTime   string `json:"endTime"`
}

type futureStatusWire struct {
	ProcurementStatus   string          `json:"procurementStatus"`
	LockTime            string          `json:"lockTime,omitempty"`
	AutoCreated         []string        `json:"autoCreatedReservations,omitempty"`
	FulfilledCount      string          `json:"fulfilledCount,omitempty"`
	AmendmentStatus     string          `json:"amendmentStatus,omitempty"`
	LastKnownGood       *futureGoodWire `json:"lastKnownGoodState,omitempty"`
	ExistingMatchingUse *matchingWire   `json:"existingMatchingUsageInfo,omitempty"`
}

type matchingWire struct {
	Count     string `json:"count"`
	Timestamp string `json:"timestamp"`
}

type futureGoodWire struct {
	Description       string          `json:"description,omitempty"`
	NamePrefix        string          `json:"namePrefix,omitempty"`
	LockTime          string          `json:"lockTime,omitempty"`
	ProcurementStatus string          `json:"procurementStatus"`
	Specs             futureSpecsWire `json:"futureReservationSpecs"`
}

type futureSpecsWire struct {
	SpecificSKU   futureSKUWire    `json:"specificSkuProperties"`
	TimeWindow    futureWindowWire `json:"timeWindow"`
	ShareSettings any              `json:"shareSettings,omitempty"`
}

func windowWire(p period) futureWindowWire {
	return futureWindowWire{instantText(p.Start), instantText(p.End)}
}

func (q *query) skuWire(s futureSpec, count int) futureSKUWire {
	return futureSKUWire{strconv.Itoa(count), s.Properties.wire(q.sim.options.ExpandedTypes)}
}

// futureJSON renders a future reservation.
func (q *query) futureJSON(obj *sim.Object) (any, *apiError) {
	var f future
	if err := obj.Decode(&f); err != nil {
		return nil, internal(err)
	}
	s := f.Spec
	w := futureWire{
		Kind: "compute#futureReservation", ID: f.ID, CreationTimestamp: stamp(f.Created),
		SelfLink: link(obj.NativeID), SelfLinkWithID: link(numbered(obj.NativeID, f.ID)), Zone: link(zonePath(obj.Account, obj.Zone)),
		Name: lastSegment(obj.NativeID), Description: s.Description, NamePrefix: s.Prefix, ReservationName: s.Name,
		PlanningStatus: s.Planning, ReservationMode: s.Mode, SpecificSKU: q.skuWire(s, obj.Count), TimeWindow: windowWire(periodOf(obj)),
		ShareSettings: s.shareWire(), SpecificRequired: s.Specific, DeploymentType: s.Deployment, SchedulingType: s.Scheduling,
		EnableEmergent: s.Emergent, Status: q.futureStatus(obj, f),
	}
	if at := s.deleteAt(obj.EndsAt); !at.IsZero() {
		w.AutoCreatedDeleteTime = instantText(at)
	}
	return w, nil
}

func (q *query) futureStatus(obj *sim.Object, f future) futureStatusWire {
	w := futureStatusWire{
		ProcurementStatus: obj.Status, AmendmentStatus: f.Amendment,
		ExistingMatchingUse: &matchingWire{"0", stamp(f.Created)},
	}
	if !f.Lock.IsZero() {
		w.LockTime = instantText(f.Lock)
	}
	for _, id := range f.Made {
		w.AutoCreated = append(w.AutoCreated, link(id))
	}
	if f.Fulfilled != nil {
		w.FulfilledCount = strconv.Itoa(*f.Fulfilled)
	}
	if b := f.Before; b != nil {
		w.LastKnownGood = &futureGoodWire{
			NamePrefix: b.Spec.Prefix, LockTime: instantText(b.Lock), ProcurementStatus: b.Status,
			Specs: futureSpecsWire{q.skuWire(b.Spec, b.Count), windowWire(b.Period), b.Spec.shareWire()},
		}
		if b.Spec.Description != nil {
			w.LastKnownGood.Description = *b.Spec.Description
		}
	}
	return w
}

// shareWire leaves out what is not shared (recorded traffic).
func (s futureSpec) shareWire() any {
	if s.Share.Type == shareLocal {
		return nil
	}
	return s.Share.wire()
}

// lockedFuture tells whether a future reservation can be changed no more.
func lockedFuture(obj *sim.Object) bool {
	return slices.Contains([]string{futureProcuring, futureProvision, futureFulfilled, futurePartly, futureFailed}, obj.Status)
}
