package googlesim

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// operationType is the type of the hidden objects that stand for long-running
// operations.
const operationType = "operations"

// Statuses of an operation.
const (
	statusRunning = "RUNNING"
	statusDone    = "DONE"
)

const (
	// operationTakes is how long an operation runs by default; Google does
	// not say.
	operationTakes = time.Second
	// operationKept is how long a done one can be read, UNVERIFIED.
	operationKept = 14 * 24 * time.Hour
)

// operation is what the world's header does not know of an operation. Its
// status is the header's.
type operation struct {
	ID string `json:"id"`
	// Type is operationType on the wire, such as "insert".
	Type string `json:"type"`
	// Act names what happens when it is done; see acts.
	Act string `json:"act"`
	// Target is the native id of what it works on.
	Target    string    `json:"target"`
	TargetID  string    `json:"target_id"`
	RequestID string    `json:"request_id,omitempty"`
	Inserted  time.Time `json:"inserted"`
	Ended     time.Time `json:"ended,omitzero"`
	// Failure is how it ends; nil is well.
	Failure *failure `json:"failure,omitempty"`
	// Change is the act's own.
	Change json.RawMessage `json:"change,omitempty"`
}

// failure is how an operation ends that was accepted.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Status is the httpErrorStatusCode; 0 leaves it out.
	Status  int   `json:"status,omitempty"`
	Details []any `json:"details,omitempty"`
}

// act is what an operation does to its target when it ends.
type act struct {
	// succeed brings the change about. A failure that it returns is how the
	// operation ends after all.
	succeed func(tx *sim.Tx, obj *sim.Object, op *operation, at time.Time) *failure
	// fail undoes what the request had done in advance.
	fail func(tx *sim.Tx, obj *sim.Object, op *operation, at time.Time)
}

// acts lists them by name; a file with further ones adds a line.
func acts() map[string]act {
	all := map[string]act{}
	maps.Copy(all, reservationActs())
	maps.Copy(all, futureActs())
	return all
}

// begin starts an operation for the request. op has Type, Act, Target,
// TargetID, Change and Failure; a fault's error comes before that Failure. An
// operation that takes no time is done in the answer.
func (q *query) begin(op operation) (*sim.Object, *apiError) {
	op.ID, op.Inserted, op.RequestID = newID(q.tx), q.tx.Now(), q.params.Get("requestId")
	if e := q.req.Effects.OperationError; e != nil {
		op.Failure = faultFailure(e)
	}
	takes := operationTakes
	if q.sim.options.DoneAtOnce {
		takes = 0
	}
	if t := q.req.Effects.OperationTakes; t != nil {
		takes = *t
	}
	name := operationName(q.tx)
	obj := &sim.Object{
		Cloud: cloudName, Type: operationType, Account: q.project, Region: q.region, Zone: q.zone,
		NativeID: zonePath(q.project, q.zone, operationType, name),
		Aliases:  []string{zonePath(q.project, q.zone, operationType, op.ID)},
		Status:   statusRunning, Hidden: true, Due: q.tx.Now().Add(takes),
	}
	if target, ok := q.tx.Object(cloudName, op.Target); ok {
		obj.InstanceType = target.InstanceType
	}
	if err := obj.Encode(op); err != nil {
		return nil, internal(err)
	}
	q.tx.Insert(obj)
	q.req.NativeID = op.Target
	q.keepRequestID(obj)
	if takes == 0 {
		obj.Due = time.Time{}
		dueOperation(q.tx, obj, q.tx.Now())
	}
	return obj, nil
}

// dueOperation ends an operation that runs, and forgets one that is done.
func dueOperation(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var op operation
	if obj.Status == statusDone || obj.Decode(&op) != nil {
		tx.Remove(obj)
		return
	}
	target, there := tx.Object(cloudName, op.Target)
	// Another object of that name may have come since.
	there = there && target.Is(numbered(op.Target, op.TargetID))
	act := acts()[op.Act]
	switch {
	case !there && op.Failure == nil:
		// It went behind everyone's back. UNVERIFIED for code and text.
		op.Failure = &failure{
			Code: "RESOURCE_NOT_FOUND", Message: "The resource '" + op.Target + "' was not found", Status: http.StatusNotFound,
		}
	case there && op.Failure == nil:
		op.Failure = act.succeed(tx, target, &op, at)
	case there:
		act.fail(tx, target, &op, at)
	}
	obj.Status, op.Ended, obj.Due = statusDone, at, at.Add(operationKept)
	// What was decoded can be encoded.
	_ = obj.Encode(op)
}

// numbered is the path of an object with its number in place of its name; an
// object has it as an alias, since the API takes both.
func numbered(path, id string) string { return path[:strings.LastIndexByte(path, '/')+1] + id }

// newID draws the 64-bit number of an object, 19 digits as on the wire.
func newID(tx *sim.Tx) string {
	return strconv.FormatInt(1_000_000_000_000_000_000+tx.Rand().Int64N(8_000_000_000_000_000_000), 10)
}

// operationName is the form that recorded names have.
func operationName(tx *sim.Tx) string {
	h := tx.Hex(29)
	return fmt.Sprintf("operation-%d-%s-%s-%s", tx.Now().UnixMilli(), h[:13], h[13:21], h[21:])
}

var stockCode = regexp.MustCompile(`^ZONE_RESOURCE_POOL_EXHAUSTED`)

// faultFailure is the end that a fault asks for. Its details are the metadata
// of an errorInfo or, for a quota, the fields of quotaInfo.
func faultFailure(e *sim.OperationError) *failure {
	f := &failure{Code: e.Code, Message: e.Message, Status: e.HTTPStatus}
	if len(e.Details) == 0 {
		return f
	}
	if e.Code == "QUOTA_EXCEEDED" {
		limit, err := strconv.ParseFloat(e.Details["limit"], 64)
		if err != nil {
			limit = 0
		}
		dimensions := map[string]string{}
		if region := e.Details["region"]; region != "" {
			dimensions["region"] = region
		}
		f.Details = []any{quotaDetail(e.Details["metricName"], e.Details["limitName"], limit, dimensions)}
		return f
	}
	reason := e.Code
	if stockCode.MatchString(e.Code) {
		reason = "resource_availability"
	}
	f.Details = []any{infoDetail(reason, e.Details)}
	return f
}

// infoDetail is an errorDetails entry with an errorInfo. Its map is called
// metadatas there.
func infoDetail(reason string, metadatas map[string]string) any {
	return map[string]any{"errorInfo": map[string]any{
		"reason": reason, "domain": "compute.googleapis.com", "metadatas": metadatas,
	}}
}

// quotaDetail is an errorDetails entry with a quotaInfo.
func quotaDetail(metric, limitName string, limit float64, dimensions map[string]string) any {
	return map[string]any{"quotaInfo": map[string]any{
		"metricName": metric, "limitName": limitName, "limit": limit, "dimensions": dimensions,
	}}
}

// stamp is an instant as the service writes its own: milliseconds and a
// numeric offset (the view-reservations page).
func stamp(t time.Time) string {
	return t.In(time.FixedZone("", -8*60*60)).Format("2006-01-02T15:04:05.000-07:00")
}
