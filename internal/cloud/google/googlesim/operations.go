package googlesim

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// operationWire is an Operation in JSON.
type operationWire struct {
	Kind              string      `json:"kind"`
	ID                string      `json:"id"`
	Name              string      `json:"name"`
	Zone              string      `json:"zone"`
	ClientOperationID string      `json:"clientOperationId,omitempty"`
	OperationType     string      `json:"operationType"`
	TargetLink        string      `json:"targetLink"`
	TargetID          string      `json:"targetId"`
	Status            string      `json:"status"`
	User              string      `json:"user"`
	Progress          int         `json:"progress"`
	InsertTime        string      `json:"insertTime"`
	StartTime         string      `json:"startTime"`
	EndTime           string      `json:"endTime,omitempty"`
	Error             *errorsWire `json:"error,omitempty"`
	HTTPErrorStatus   int         `json:"httpErrorStatusCode,omitempty"`
	HTTPErrorMessage  string      `json:"httpErrorMessage,omitempty"`
	SelfLink          string      `json:"selfLink"`
}

type errorsWire struct {
	Errors []errorWire `json:"errors"`
}

type errorWire struct {
	Code         string `json:"code"`
	Message      string `json:"message"`
	ErrorDetails []any  `json:"errorDetails,omitempty"`
}

// user is who all requests come from: no one signs them here.
const user = "terraform@simulation.iam.gserviceaccount.com"

// lastSegment is what follows the last slash.
func lastSegment(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// operationJSON renders an operation.
func operationJSON(obj *sim.Object) (any, *apiError) {
	var op operation
	if err := obj.Decode(&op); err != nil {
		return nil, internal(err)
	}
	w := operationWire{
		Kind: "compute#operation", ID: op.ID, Name: lastSegment(obj.NativeID), Zone: link(zonePath(obj.Account, obj.Zone)),
		ClientOperationID: op.RequestID, OperationType: op.Type, TargetLink: link(op.Target), TargetID: op.TargetID,
		Status: obj.Status, User: user, InsertTime: stamp(op.Inserted), StartTime: stamp(op.Inserted),
		SelfLink: link(obj.NativeID),
	}
	if obj.Status != statusDone {
		return w, nil
	}
	w.Progress, w.EndTime = 100, stamp(op.Ended)
	if f := op.Failure; f != nil {
		w.Error = &errorsWire{[]errorWire{{f.Code, f.Message, f.Details}}}
		// A status of 0 leaves both out.
		w.HTTPErrorStatus, w.HTTPErrorMessage = f.Status, strings.ToUpper(http.StatusText(f.Status))
	}
	return w, nil
}

func operationMethods() []method {
	const collection = "projects/{project}/zones/{zone}/operations"
	return []method{
		{
			id: "compute.zoneOperations.get", verb: http.MethodGet, path: collection + "/{operation}",
			group: groupOperations, run: getOperation,
		},
		{
			id: "compute.zoneOperations.wait", verb: http.MethodPost, path: collection + "/{operation}/wait",
			group: groupOperations, run: getOperation,
		},
		{
			id: "compute.zoneOperations.list", verb: http.MethodGet, path: collection,
			query: listParams(), group: groupLists, run: listOperations,
		},
	}
}

// getOperation is zoneOperations.get, and wait after it has held the request.
func getOperation(q *query) (any, *apiError) {
	obj, ok := q.tx.Object(cloudName, q.target())
	if !ok || obj.Type != operationType {
		return nil, notFound(q.target())
	}
	return operationJSON(obj)
}

func listOperations(q *query) (any, *apiError) {
	var rows []row
	for _, obj := range q.tx.Objects(cloudName, operationType) {
		if obj.Account != q.project || obj.Zone != q.zone {
			continue
		}
		w, err := operationJSON(obj)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj, w})
	}
	return q.page("compute#operationList", zonePath(q.project, q.zone, operationType), rows)
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

const nilUUID = "00000000-0000-0000-0000-000000000000"

// replay finds the operation that a requestId started before, whatever came of
// it (fact google-4-request-id). That the id counts for one method and zone is
// UNVERIFIED.
func (q *query) replay() (*sim.Object, *apiError) {
	id := q.params.Get("requestId")
	if id == "" {
		return nil, nil
	}
	if !uuidForm.MatchString(id) || id == nilUUID {
		return nil, invalid("requestId", id, "Must be a valid UUID that is not the zero UUID.")
	}
	token, seen := q.tx.Token(cloudName, q.tokenKey())
	if !seen {
		return nil, nil
	}
	obj, there := q.tx.Object(cloudName, token.NativeID)
	if !there {
		return nil, nil
	}
	if q.sim.options.StrictRequestID && token.Digest != q.digest() {
		return nil, invalid("requestId", id, "It was used before with another request.")
	}
	q.req.NativeID = q.targetOf(obj)
	return obj, nil
}

func (q *query) targetOf(obj *sim.Object) string {
	var op operation
	if obj.Decode(&op) != nil {
		return ""
	}
	return op.Target
}

func (q *query) tokenKey() string {
	return strings.Join([]string{q.project, q.zone, q.method.id, strings.ToLower(q.params.Get("requestId"))}, "\x00")
}

func (q *query) digest() string {
	sum := sha256.Sum256([]byte(q.target() + "\x00" + string(q.raw)))
	return hex.EncodeToString(sum[:])
}

func (q *query) keepRequestID(obj *sim.Object) {
	if q.params.Get("requestId") != "" {
		q.tx.PutToken(cloudName, q.tokenKey(), sim.Token{Digest: q.digest(), NativeID: obj.NativeID, At: q.tx.Now()})
	}
}

// mutation makes a method of one that answers with an operation: a repeated
// requestId gets the first one.
func mutation(run func(q *query) (*sim.Object, *apiError)) func(q *query) (any, *apiError) {
	return func(q *query) (any, *apiError) {
		obj, err := q.replay()
		if err == nil && obj == nil {
			obj, err = run(q)
		}
		if err != nil {
			return nil, err
		}
		return operationJSON(obj)
	}
}
