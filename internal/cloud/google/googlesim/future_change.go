package googlesim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// mutableFields are the fields that an updateMask can name, whole or in part.
// Recorded traffic and gcloud name most of them; others of the list that
// gcloud's update has flags for.
func mutableFields() []string {
	return []string{
		"autoCreatedReservationsDeleteTime", "autoCreatedReservationsDuration", "autoDeleteAutoCreatedReservations",
		"deploymentType", "description", "enableEmergentMaintenance", "namePrefix", "planningStatus", "reservationName",
		"schedulingType", "shareSettings", "specificReservationRequired", "specificSkuProperties", "timeWindow",
	}
}

// readMask reads updateMask (fact google-5-mask).
func (q *query) readMask() ([]string, *apiError) {
	var paths []string
	for path := range strings.SplitSeq(q.params.Get("updateMask"), ",") {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		normal := camel(path)
		root, _, _ := strings.Cut(normal, ".")
		if !slices.Contains(mutableFields(), root) || !futureSchema().has(strings.Split(normal, ".")) {
			return nil, invalid("updateMask", path, "The path is unknown or cannot be updated.")
		}
		paths = append(paths, normal)
	}
	if len(paths) == 0 {
		return nil, required("updateMask")
	}
	return paths, nil
}

// has tells whether a path leads to a field.
func (o object) has(path []string) bool {
	f, known := o[path[0]]
	if !known || f.kind == ignored {
		return false
	}
	return len(path) == 1 || (f.kind == nested && f.of.has(path[1:]))
}

// alternatives are fields of which one drives out the other.
func alternatives() map[string]string {
	return map[string]string{
		"timeWindow.endTime":                "timeWindow.duration",
		"timeWindow.duration":               "timeWindow.endTime",
		"autoCreatedReservationsDeleteTime": "autoCreatedReservationsDuration",
		"autoCreatedReservationsDuration":   "autoCreatedReservationsDeleteTime",
	}
}

// masked is the stored request with the paths of the mask taken from the body.
// Where the mask does not name the description, it is lost.
func masked(stored, body map[string]any, paths []string) map[string]any {
	for _, path := range paths {
		move(stored, body, strings.Split(path, "."))
		if other, ok := alternatives()[path]; ok && !slices.Contains(paths, other) {
			move(stored, nil, strings.Split(other, "."))
		}
	}
	if _, had := stored["description"]; had && !slices.Contains(paths, "description") {
		stored["description"] = ""
	}
	if flag, given := stored["autoDeleteAutoCreatedReservations"].(bool); given && !flag && !slices.Contains(paths, "autoCreatedReservationsDeleteTime") {
		delete(stored, "autoCreatedReservationsDeleteTime")
	}
	return stored
}

// move copies a field, or takes it out where the source does not have it.
func move(into, from map[string]any, path []string) {
	value, given := from[path[0]]
	if len(path) == 1 {
		delete(into, path[0])
		if given {
			into[path[0]] = value
		}
		return
	}
	inner, ok := into[path[0]].(map[string]any)
	if !ok {
		inner = map[string]any{}
		into[path[0]] = inner
	}
	source, _ := value.(map[string]any)
	move(inner, source, path[1:])
}

// changeableFuture gets a future reservation that can be changed (fact
// google-5-locked). The texts and the reason of refusals by state are
// UNVERIFIED.
func (q *query) changeableFuture(states ...string) (*sim.Object, *future, *apiError) {
	obj, f, err := futureAt(q.tx, q.target())
	if err != nil {
		return nil, nil, err
	}
	q.req.NativeID = obj.NativeID
	if lockedFuture(obj) {
		return nil, nil, fail(reasonInvalid, "The future reservation '%s' is locked since %s and cannot be changed.",
			obj.NativeID, instantText(f.Lock))
	}
	if !slices.Contains(states, obj.Status) {
		return nil, nil, fail(reasonInvalid, "The future reservation '%s' cannot be changed while it is %s.", obj.NativeID, obj.Status)
	}
	return obj, f, q.checkFixed(f)
}

func (q *query) checkFixed(f *future) *apiError {
	if q.sim.options.Future.CalendarFixed && f.Spec.calendar() && f.Spec.Planning == planningSubmitted {
		return fail(reasonInvalid, "A future reservation in calendar mode cannot be modified, canceled or deleted after it was submitted.")
	}
	return nil
}

// amendable are the states in which a request can be modified.
func amendable() []string { return []string{futureDrafting, futureApproved, futureCommitted} }

// updateFuture is futureReservations.update.
func updateFuture(q *query) (*sim.Object, *apiError) {
	obj, f, err := q.changeableFuture(amendable()...)
	if err != nil {
		return nil, err
	}
	paths, err := q.readMask()
	if err != nil {
		return nil, err
	}
	if err := checkTimes(q.body); err != nil {
		return nil, err
	}
	schema := futureSchema()
	stored, err := parseBody(f.Request, &schema)
	if err != nil {
		return nil, err
	}
	// The header's count may have been changed behind everyone's back.
	move(stored, map[string]any{"specificSkuProperties": map[string]any{"totalCount": strconv.Itoa(obj.Count)}},
		[]string{"specificSkuProperties", "totalCount"})
	w, err := q.readFuture(masked(stored, q.body, paths), moved(paths))
	if err != nil {
		return nil, err
	}
	if f.Spec.Planning == planningSubmitted && w.Spec.Planning == planningDraft {
		return nil, invalid("resource.planningStatus", planningDraft, "A submitted future reservation cannot become a draft.")
	}
	data, failed := json.Marshal(futureChange{Wish: w, Refused: q.refusedReview()})
	if failed != nil {
		return nil, internal(failed)
	}
	return q.begin(operation{Type: "update", Act: "future.update", Target: obj.NativeID, TargetID: f.ID, Change: data})
}

// moved tells whether a mask touches what the period is judged by.
func moved(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return strings.HasPrefix(path, "timeWindow") || path == "planningStatus"
	})
}

// futureChange is what an update keeps for its end.
type futureChange struct {
	Wish    wish `json:"wish"`
	Refused bool `json:"refused,omitempty"`
}

// tooLate is how an operation ends that was overtaken by the lock time or by
// another operation. UNVERIFIED for code and text.
func tooLate(obj *sim.Object) *failure {
	return &failure{
		Code: "RESOURCE_NOT_READY", Status: http.StatusBadRequest,
		Message: "The future reservation '" + obj.NativeID + "' is " + obj.Status + " and cannot be changed.",
	}
}

// updatedFuture changes a draft at once; what was approved is amended.
func updatedFuture(_ *sim.Tx, obj *sim.Object, op *operation, at time.Time) *failure {
	var c futureChange
	var f future
	if json.Unmarshal(op.Change, &c) != nil || obj.Decode(&f) != nil || !slices.Contains(amendable(), obj.Status) {
		return tooLate(obj)
	}
	if obj.Status != futureDrafting {
		f.Before = &futureBefore{
			Request: f.Request, Spec: f.Spec, Period: periodOf(obj), Count: obj.Count, Type: obj.InstanceType, Lock: f.Lock, Status: obj.Status,
		}
		obj.Status, f.Amendment = futureAmending, amendmentReviewed
	}
	w := c.Wish
	f.Request, f.Spec, f.Refused = w.Request, w.Spec, c.Refused || (f.Refused && obj.Status == futureDrafting)
	obj.StartsAt, obj.EndsAt, obj.Count, obj.InstanceType = w.Period.Start, w.Period.End, w.Count, w.Spec.Properties.MachineType
	if obj.Status == futureDrafting && w.Spec.Planning == planningSubmitted {
		obj.Status = futurePending
	}
	f.plan(obj, at)
	// What was decoded can be encoded.
	_ = obj.Encode(f)
	return nil
}

// cancelFuture is futureReservations.cancel (fact google-5-cancel).
func cancelFuture(q *query) (*sim.Object, *apiError) {
	obj, f, err := q.changeableFuture(futurePending, futureApproved, futureCommitted, futureAmending)
	if err != nil {
		return nil, err
	}
	return q.begin(operation{Type: "cancel", Act: "future.cancel", Target: obj.NativeID, TargetID: f.ID})
}

func cancelledFuture(tx *sim.Tx, obj *sim.Object, _ *operation, at time.Time) *failure {
	var f future
	if obj.Decode(&f) != nil || lockedFuture(obj) {
		return tooLate(obj)
	}
	f.giveBack(tx, obj)
	obj.Status, f.Before = futureCancelled, nil
	f.plan(obj, at)
	// What was decoded can be encoded.
	_ = obj.Encode(f)
	return nil
}

// giveBack returns what a future reservation itself keeps from others.
func (f *future) giveBack(tx *sim.Tx, obj *sim.Object) {
	at := placeOf(obj)
	if f.Before != nil {
		at = beforePlace(obj, f.Before)
	}
	tx.Give(at, keptByFuture(obj))
}

// deleteFuture is futureReservations.delete (facts google-5-delete and
// google-5-calendar-delete).
func deleteFuture(q *query) (*sim.Object, *apiError) {
	obj, f, err := futureAt(q.tx, q.target())
	if err != nil {
		return nil, err
	}
	q.req.NativeID = obj.NativeID
	over := !q.tx.Now().Before(obj.EndsAt)
	busy := slices.Contains([]string{futureProcuring, futureProvision, futureFulfilled, futurePartly}, obj.Status)
	promised := slices.Contains([]string{futurePending, futureApproved, futureCommitted, futureAmending}, obj.Status)
	switch {
	case over:
	case busy:
		return nil, fail(reasonInvalid, "The future reservation '%s' is locked and cannot be deleted before its end time %s.",
			obj.NativeID, instantText(obj.EndsAt))
	case promised && f.Spec.calendar():
		if err := q.checkFixed(f); err != nil {
			return nil, err
		}
		return nil, fail(reasonInvalid, "The future reservation '%s' in calendar mode must be canceled before it is deleted.", obj.NativeID)
	}
	return q.begin(operation{Type: "delete", Act: "future.delete", Target: obj.NativeID, TargetID: f.ID})
}

// deletedFuture leaves what was delivered (fact google-5-delete-leaves).
func deletedFuture(tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) *failure {
	var f future
	if obj.Decode(&f) == nil {
		f.giveBack(tx, obj)
	}
	tx.Remove(obj)
	return nil
}

// unchanged leaves a future reservation as it was.
func unchanged(*sim.Tx, *sim.Object, *operation, time.Time) {}
