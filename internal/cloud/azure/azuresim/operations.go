package azuresim

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// operationWire is the status of an operation in JSON.
type operationWire struct {
	StartTime string        `json:"startTime"`
	EndTime   string        `json:"endTime,omitempty"`
	Status    string        `json:"status"`
	Error     *envelopeBody `json:"error,omitempty"`
	Name      string        `json:"name"`
}

const varOperation = "operationId"

func operationMethods() []method {
	return []method{{
		id: "Operations_Get", verb: http.MethodGet,
		path:   pathSubscription + "/" + pathCompute + "/locations/{" + varLocation + "}/operations/{" + varOperation + "}",
		policy: "GetOperationSubscriptionMaximum;14999", about: aboutOperation, run: getOperation,
	}}
}

// aboutOperation has a poll be about what the operation works on too.
func aboutOperation(c *call, tx *sim.Tx, req *sim.Request) {
	id := c.target()
	req.NativeID, req.Region = nativeID(id), locationName(c.vars[varLocation])
	req.Names = []string{id}
	obj, known := tx.Object(cloudName, req.NativeID)
	if !known {
		return
	}
	req.Region, req.Zone, req.InstanceType = obj.Region, obj.Zone, obj.InstanceType
	var op operation
	if obj.Decode(&op) == nil {
		req.Names = append(req.Names, op.Target)
		if target, there := tx.Object(cloudName, op.Target); there {
			req.Names = append(req.Names, target.Aliases...)
		}
	}
}

// getOperation is the status URL and, with monitor=true, its Location twin.
func getOperation(q *query) (result, *apiError) {
	obj, ok := q.tx.Object(cloudName, nativeID(q.target()))
	if !ok || obj.Type != operationType {
		return result{}, &apiError{
			status: http.StatusNotFound, code: "NotFound", message: "The entity was not found in this Azure location.",
		}
	}
	var op operation
	if err := obj.Decode(&op); err != nil {
		return result{}, internal(err)
	}
	if q.param("monitor") == "true" {
		return monitored(q, obj, op)
	}
	w := operationWire{StartTime: stamp(op.Started), Status: obj.Status, Name: op.ID}
	if obj.Status != statusInProgress {
		w.EndTime = stamp(op.Ended)
	}
	if f := op.Failure; f != nil && obj.Status == stateFailed {
		w.Error = &envelopeBody{f.Code, f.Message, f.Target, f.Details}
	}
	return result{body: w}, nil
}

// monitored is what a poll of Location answers: 202 while it runs, then the result
// or the error with a status of its own (ARM resource provider contract, async
// operations).
func monitored(q *query, obj *sim.Object, op operation) (result, *apiError) {
	switch {
	case obj.Status == statusInProgress:
		return result{status: http.StatusAccepted, header: http.Header{"Location": {q.base + q.path + "?" + q.params.Encode()}}}, nil
	case op.Failure != nil:
		status := op.Failure.Status
		if status == 0 {
			status = http.StatusConflict
		}
		return result{}, &apiError{
			status: status, code: op.Failure.Code, message: op.Failure.Message, target: op.Failure.Target, details: op.Failure.Details,
		}
	}
	target, there := q.tx.Object(cloudName, op.Target)
	if !there || guidOf(target) != op.GUID || strings.HasSuffix(op.Act, ".delete") {
		return result{status: http.StatusNoContent}, nil
	}
	body, err := q.render(target, view{})
	return result{body: body}, err
}

// operationURL is the absolute URL of an operation. It has further parameters on
// the wire (a signature of some kilobytes), so a client must take it whole.
func (q *query) operationURL(obj *sim.Object, monitor bool) string {
	params := url.Values{
		"p": {guidOf(obj)}, "api-version": {q.version}, "t": {strconv.FormatInt(q.tx.Now().UnixNano()/100, 10)}, "c": {"MIIHlDCC"},
		"s": {q.tx.Hex(32)}, "h": {q.tx.Hex(16)},
	}
	if monitor {
		params.Set("monitor", "true")
	}
	return q.base + obj.Aliases[0] + "?" + params.Encode()
}

// accepted are the headers that tell of an operation (fact azure-5-headers).
func (q *query) accepted(op *sim.Object) http.Header {
	deleted := q.method.verb == http.MethodDelete
	h := http.Header{}
	switch {
	case q.sim.options.Style == StyleBody && !deleted:
		return h
	case q.sim.options.Style == StyleLocation:
		h.Set("Location", q.operationURL(op, true))
		return h
	}
	h.Set("Azure-AsyncOperation", q.operationURL(op, false))
	h.Set("Azure-AsyncNotification", "Enabled")
	if deleted {
		h.Set("Location", q.operationURL(op, true))
	}
	return h
}
