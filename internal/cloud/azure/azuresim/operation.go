package azuresim

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// operationType is the type of the hidden objects that stand for long-running
// operations. Their status is the header's.
const operationType = "operations"

// Statuses of an operation; those of the end are also states of a resource.
const statusInProgress = "InProgress"

const (
	// operationTakes is how long an operation runs by default; recorded ones ran
	// for less than half a second.
	operationTakes = time.Second
	// operationKept is how long one that is done can be read, UNVERIFIED.
	operationKept = 24 * time.Hour
)

// operation is what the world's header does not know of an operation.
type operation struct {
	ID string `json:"id"`
	// Act names what happens when it is done; see acts.
	Act string `json:"act"`
	// Target is the native id of what it works on, and GUID tells that one from
	// another that has its name later.
	Target  string    `json:"target"`
	GUID    string    `json:"guid"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	// Failure is how it ends; nil is well.
	Failure *failure `json:"failure,omitempty"`
	// Change is the act's own.
	Change json.RawMessage `json:"change,omitempty"`
}

// failure is how an operation ends that was accepted.
type failure struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Target  string   `json:"target,omitempty"`
	Details []detail `json:"details,omitempty"`
	// Status is what a poll of Location answers; 0 is 409.
	Status int `json:"status,omitempty"`
}

// failed makes a failure of a refusal.
func failed(e *apiError) *failure {
	return &failure{Code: e.code, Message: e.message, Target: e.target, Details: e.details, Status: e.status}
}

// act is what an operation does to its target when it ends.
type act struct {
	// succeed brings the change about.
	succeed func(s *Simulator, tx *sim.Tx, obj *sim.Object, op *operation, at time.Time)
	// fail leaves the target as a failed operation leaves it.
	fail func(s *Simulator, tx *sim.Tx, obj *sim.Object, op *operation, at time.Time)
}

// acts lists them by name; a file with further ones adds a line.
func acts() map[string]act {
	all := map[string]act{}
	maps.Copy(all, resourceGroupActs())
	maps.Copy(all, groupActs())
	maps.Copy(all, reservationActs())
	return all
}

// begin starts an operation for the request. op has Act, Target, GUID, Change and
// Failure; a fault's error comes before that Failure. One that takes no time is
// done in the answer.
func (q *query) begin(op operation) (*sim.Object, *apiError) {
	op.ID, op.Started = newGUID(q.tx), q.tx.Now()
	if e := q.req.Effects.OperationError; e != nil {
		op.Failure = &failure{Code: e.Code, Message: e.Message, Status: e.HTTPStatus, Details: detailsOf(e.Details)}
	}
	takes := operationTakes
	if t := q.req.Effects.OperationTakes; t != nil {
		takes = *t
	}
	target, there := q.tx.Object(cloudName, op.Target)
	if !there {
		return nil, fail(codeInternal, "an operation without a target")
	}
	path := "/subscriptions/" + q.vars[varSubscription] + "/providers/Microsoft.Compute/locations/" +
		locations()[target.Region].camel + "/operations/" + op.ID
	obj := &sim.Object{
		Cloud: cloudName, Type: operationType, NativeID: nativeID(path), Aliases: []string{path}, Account: q.subscription,
		Region: target.Region, Zone: target.Zone, InstanceType: target.InstanceType,
		Status: statusInProgress, Hidden: true, Due: q.tx.Now().Add(takes),
	}
	if err := obj.Encode(op); err != nil {
		return nil, internal(err)
	}
	q.tx.Insert(obj)
	q.req.NativeID = op.Target
	if takes == 0 {
		obj.Due = time.Time{}
		dueOperation(q.sim, q.tx, obj, q.tx.Now())
	}
	return obj, nil
}

// dueOperation ends an operation that runs, and forgets one that is done.
func dueOperation(s *Simulator, tx *sim.Tx, obj *sim.Object, at time.Time) {
	var op operation
	if obj.Status != statusInProgress || obj.Decode(&op) != nil {
		tx.Remove(obj)
		return
	}
	target, there := tx.Object(cloudName, op.Target)
	switch {
	// Another object of that name may have come since.
	case !there || guidOf(target) != op.GUID:
		tx.Give(placeOf(obj), changeOf(&op).Taken)
		op.vanished()
	case op.Failure == nil:
		acts()[op.Act].succeed(s, tx, target, &op, at)
	default:
		acts()[op.Act].fail(s, tx, target, &op, at)
	}
	obj.Status = stateSucceeded
	if op.Failure != nil {
		obj.Status = stateFailed
	}
	op.Ended, obj.Due = at, at.Add(operationKept)
	// What was decoded can be encoded.
	_ = obj.Encode(op)
}

// vanished ends an operation whose target went behind everyone's back: well, if it
// was to go. Code and text are UNVERIFIED.
func (op *operation) vanished() {
	if op.Failure == nil && !strings.HasSuffix(op.Act, ".delete") {
		op.Failure = &failure{
			Code: codeNotFound, Message: "The Resource '" + op.Target + "' was not found.", Status: http.StatusNotFound,
		}
	}
}

// guidOf is the id of an object that no later one of its name has.
func guidOf(obj *sim.Object) string {
	var is struct {
		GUID string `json:"guid"`
	}
	// What has no payload has no id.
	_ = obj.Decode(&is)
	return is.GUID
}

// change is what an operation on a reservation keeps for its end.
type change struct {
	// Taken is the stock that was taken in advance.
	Taken int `json:"taken,omitempty"`
}

func changeOf(op *operation) change {
	var c change
	// It was encoded by operate.
	_ = json.Unmarshal(op.Change, &c)
	return c
}

// operate starts an operation on an object.
func (q *query) operate(obj *sim.Object, act string, c change, f *failure) (*sim.Object, *apiError) {
	data, err := json.Marshal(c)
	if err != nil {
		return nil, internal(err)
	}
	return q.begin(operation{Act: act, Target: obj.NativeID, GUID: guidOf(obj), Change: data, Failure: f})
}

// stamp is an instant as the provider writes its own: seven digits of a second
// and an offset.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.0000000+00:00") }
