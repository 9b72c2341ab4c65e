package googlesim

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// reservationType is the collection, which the control API calls type.
const reservationType = "reservations"

// Statuses of a reservation (the enum of the discovery document).
const (
	statusCreating = "CREATING"
	statusReady    = "READY"
	statusUpdating = "UPDATING"
	statusDeleting = "DELETING"
)

// reservation is what the world's header does not know of a reservation. Its
// count, use, status, machine type and deleteAtTime are the header's.
type reservation struct {
	ID           string             `json:"id"`
	Created      time.Time          `json:"created"`
	Description  string             `json:"description,omitempty"`
	Properties   instanceProperties `json:"properties"`
	Specific     bool               `json:"specific,omitempty"`
	Sharing      sharing            `json:"sharing"`
	ServiceShare string             `json:"service_share"`
	// Echoed are further fields as they were given: nothing here depends on
	// them.
	Echoed map[string]any `json:"echoed,omitempty"`
	Dense  bool           `json:"dense,omitempty"`
	// Future is the native id of the future reservation that made it.
	Future string `json:"future,omitempty"`
	// HeldUntil is when one that a future reservation made may be changed and
	// deleted.
	HeldUntil time.Time `json:"held_until,omitzero"`
}

// reservationWire is a Reservation in JSON.
type reservationWire struct {
	Kind              string              `json:"kind"`
	ID                string              `json:"id"`
	CreationTimestamp string              `json:"creationTimestamp"`
	Name              string              `json:"name"`
	Description       string              `json:"description,omitempty"`
	Zone              string              `json:"zone"`
	SelfLink          string              `json:"selfLink"`
	Status            string              `json:"status"`
	Specific          skuWire             `json:"specificReservation"`
	Required          bool                `json:"specificReservationRequired"`
	ShareSettings     sharingWire         `json:"shareSettings"`
	SharingPolicy     map[string]string   `json:"reservationSharingPolicy"`
	DeleteAtTime      string              `json:"deleteAtTime,omitempty"`
	ResourceStatus    *resourceStatusWire `json:"resourceStatus,omitempty"`
	// The fields of reservation.Echoed.
	ResourcePolicies any `json:"resourcePolicies,omitempty"`
	DeploymentType   any `json:"deploymentType,omitempty"`
	SchedulingType   any `json:"schedulingType,omitempty"`
	ProtectionTier   any `json:"protectionTier,omitempty"`
	Confidential     any `json:"confidentialComputeType,omitempty"`
	EarlyAccess      any `json:"earlyAccessMaintenance,omitempty"`
	AdvancedControl  any `json:"advancedDeploymentControl,omitempty"`
}

type skuWire struct {
	Count        int64          `json:"count,string"`
	InUseCount   int64          `json:"inUseCount,string"`
	AssuredCount int64          `json:"assuredCount,string"`
	Properties   propertiesWire `json:"instanceProperties"`
}

type resourceStatusWire struct {
	BlockCount int `json:"reservationBlockCount,omitempty"`
}

// reservationJSON renders a reservation (facts google-3.2 and google-3.3).
func (s *Simulator) reservationJSON(obj *sim.Object) (any, *apiError) {
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return nil, internal(err)
	}
	w := reservationWire{
		Kind: "compute#reservation", ID: r.ID, CreationTimestamp: stamp(r.Created), Name: lastSegment(obj.NativeID),
		Description: r.Description, Zone: link(zonePath(obj.Account, obj.Zone)), SelfLink: link(obj.NativeID), Status: obj.Status,
		Specific: skuWire{
			Count: int64(obj.Count), InUseCount: int64(obj.InUse.Count()), AssuredCount: int64(obj.Count),
			Properties: r.Properties.wire(s.options.ExpandedTypes),
		},
		Required: r.Specific, ShareSettings: r.Sharing.wire(),
		SharingPolicy:    map[string]string{"serviceShareType": r.ServiceShare},
		ResourcePolicies: r.Echoed["resourcePolicies"], DeploymentType: r.Echoed["deploymentType"],
		SchedulingType: r.Echoed["schedulingType"], ProtectionTier: r.Echoed["protectionTier"],
		Confidential: r.Echoed["confidentialComputeType"], EarlyAccess: r.Echoed["earlyAccessMaintenance"],
		AdvancedControl: r.Echoed["advancedDeploymentControl"],
	}
	if !obj.EndsAt.IsZero() {
		w.DeleteAtTime = instantText(obj.EndsAt)
	}
	if r.Dense {
		w.ResourceStatus = &resourceStatusWire{BlockCount: 1}
	}
	return w, nil
}

// echoedFields are kept and shown as they came. enableEmergentMaintenance is
// not among them: it is not returned (magic-modules#14181).
func echoedFields() []string {
	return []string{
		"resourcePolicies", "deploymentType", "schedulingType", "protectionTier", "confidentialComputeType",
		"earlyAccessMaintenance", "advancedDeploymentControl",
	}
}

// reservationSchema lists the fields of a Reservation (the discovery document).
func reservationSchema() object {
	return object{
		"name": {kind: text}, "description": {kind: text}, "zone": {kind: text},
		"specificReservation": {kind: nested, of: object{
			"count": {kind: whole}, "inUseCount": {kind: ignored}, "assuredCount": {kind: ignored},
			"instanceProperties": {kind: nested, of: propertiesSchema()}, "sourceInstanceTemplate": {kind: text},
		}},
		"specificReservationRequired": {kind: truth},
		"shareSettings":               {kind: nested, of: sharingSchema()},
		"reservationSharingPolicy":    {kind: nested, of: object{"serviceShareType": {kind: text, enum: serviceShareTypes()}}},
		"deleteAtTime":                {kind: instant},
		"deleteAfterDuration":         {kind: nested, of: durationSchema()},
		"enableEmergentMaintenance":   {kind: truth},
		"schedulingType":              {kind: text, enum: []string{"GROUPED", "INDEPENDENT"}},
		"earlyAccessMaintenance":      {kind: text, enum: []string{"NO_EARLY_ACCESS", "WAVE1", "WAVE2"}},
		"resourcePolicies":            {kind: textMap},
		"aggregateReservation": {kind: nested, of: object{
			"vmFamily": {kind: text}, "workloadType": {kind: text}, "reservedResources": {kind: list, of: object{
				"accelerator": {kind: nested, of: object{"acceleratorType": {kind: text}, "acceleratorCount": {kind: small}}},
			}}, "inUseResources": {kind: ignored},
		}},
		"deploymentType": {kind: text, enum: []string{"DENSE"}},
		"advancedDeploymentControl": {kind: nested, of: object{
			"reservationOperationalMode": {kind: text, enum: []string{"ALL_CAPACITY", "HIGHLY_AVAILABLE_CAPACITY"}},
		}},
		"protectionTier": {kind: text, enum: []string{"CAPACITY_OPTIMIZED", "STANDARD"}},
		"confidentialComputeType": {
			kind: text, enum: []string{"CONFIDENTIAL_COMPUTE_TYPE_BMSAI", "CONFIDENTIAL_COMPUTE_TYPE_TDX"},
		},
		"params":     {kind: nested, of: object{"resourceManagerTags": {kind: textMap}}},
		"commitment": {kind: ignored}, "linkedCommitments": {kind: ignored}, "id": {kind: ignored}, "kind": {kind: ignored},
		"selfLink": {kind: ignored}, "creationTimestamp": {kind: ignored}, "satisfiesPzs": {kind: ignored},
		"resourceMetadata": {kind: ignored}, "resourceStatus": {kind: ignored}, "status": {kind: ignored},
	}
}

func serviceShareTypes() []string { return []string{"DISALLOW_ALL", "ALLOW_ALL"} }

// durationSchema is a google.protobuf.Duration as Compute Engine writes it.
func durationSchema() object { return object{"seconds": {kind: whole}, "nanos": {kind: small}} }

// span reads a duration of that schema from a checked body.
func span(body map[string]any) time.Duration {
	seconds, _ := wholeNumber(body["seconds"])
	nanos, _ := wholeNumber(body["nanos"])
	return time.Duration(seconds)*time.Second + time.Duration(nanos)
}

// longestSpan is some 290 years, which a time.Duration can hold.
const longestSpan = 9_000_000_000

// checkSpan refuses durations that are none.
func checkSpan(field string, body map[string]any) *apiError {
	seconds, _ := wholeNumber(body["seconds"])
	nanos, _ := wholeNumber(body["nanos"])
	if seconds < 0 || seconds > longestSpan || nanos < 0 || nanos > 999_999_999 || seconds+nanos == 0 {
		return invalid(field, strconv.FormatInt(seconds, 10)+"s", "It must be a positive duration.")
	}
	return nil
}

// findReservation gets the reservation that a request is about. One whose
// insert still runs is not found unless the options say so.
func (q *query) findReservation() (*sim.Object, reservation, *apiError) {
	var r reservation
	path := zonePath(q.project, q.zone, reservationType, q.vars["reservation"]+q.vars["resource"]+q.vars["parentResource"])
	obj, ok := q.tx.Object(cloudName, path)
	if !ok || obj.Type != reservationType || obj.Hidden {
		return nil, r, notFound(path)
	}
	if err := obj.Decode(&r); err != nil {
		return nil, r, internal(err)
	}
	return obj, r, nil
}

func getReservation(q *query) (any, *apiError) {
	obj, _, err := q.findReservation()
	if err != nil {
		return nil, err
	}
	return q.sim.reservationJSON(obj)
}

// keptByReservation is the number of instances that a reservation keeps from
// others.
func keptByReservation(obj *sim.Object) int { return obj.Count }

// dueReservation deletes a reservation at its deleteAtTime. Its virtual
// machines run on and keep their stock. While an operation works on it, it
// waits for that.
func dueReservation(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if obj.Status != statusReady {
		return
	}
	if at.Before(obj.EndsAt) {
		planReservation(tx, obj)
		return
	}
	removeReservation(tx, obj)
}

func removeReservation(tx *sim.Tx, obj *sim.Object) {
	tx.Give(placeOf(obj), obj.Count-obj.InUse.Count())
	tx.Remove(obj)
}

// planReservation sets when something happens to a reservation by itself.
func planReservation(_ *sim.Tx, obj *sim.Object) { obj.Due = obj.EndsAt }

func reservationMethods() []method {
	const (
		collection = "projects/{project}/zones/{zone}/reservations"
		one        = collection + "/{reservation}"
	)
	body := reservationSchema()
	return []method{
		{
			id: "compute.reservations.insert", verb: http.MethodPost, path: collection, query: []string{"requestId"},
			body: &body, group: groupQueries, run: mutation(insertReservation),
		},
		{id: "compute.reservations.get", verb: http.MethodGet, path: one, group: groupReads, run: getReservation},
		{
			id: "compute.reservations.list", verb: http.MethodGet, path: collection, query: listParams(),
			group: groupLists, run: listReservations,
		},
		{
			id: "compute.reservations.aggregatedList", verb: http.MethodGet, path: "projects/{project}/aggregated/reservations",
			query: listParams("includeAllScopes", "serviceProjectNumber"), group: groupLists, run: aggregatedReservations,
		},
		{
			id: "compute.reservations.delete", verb: http.MethodDelete, path: one, query: []string{"requestId"},
			group: groupQueries, run: mutation(deleteReservation),
		},
		{
			id: "compute.reservations.resize", verb: http.MethodPost, path: one + "/resize", query: []string{"requestId"},
			body: &object{"specificSkuCount": {kind: whole}}, group: groupQueries, run: mutation(resizeReservation),
		},
		{
			id: "compute.reservations.update", verb: http.MethodPatch, path: one,
			query: []string{"paths", "requestId", "updateMask"}, body: &body, group: groupQueries, run: mutation(updateReservation),
		},
	}
}

func reservationActs() map[string]act {
	return map[string]act{
		"reservation.insert": {succeed: insertedReservation, fail: failedInsert},
		"reservation.resize": {succeed: resizedReservation, fail: failedResize},
		"reservation.update": {succeed: updatedReservation, fail: failedChange},
		"reservation.delete": {succeed: deletedReservation, fail: failedChange},
	}
}

// shortName is the last part of a name that may be given as a URL or partial
// path.
func shortName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
