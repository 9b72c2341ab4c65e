package azure

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opPoll = "Operations_Get"

// pollEvery is the pause between two looks at an operation. The first two are
// shorter, because most operations on a reservation take a few seconds.
const pollEvery = 5 * time.Second

func pollPause(polls int) time.Duration {
	return min(time.Second<<min(polls, 3), pollEvery)
}

// operation is what a write began: a poller of the client library, whatever the
// type of its result.
type operation interface {
	Poll(context.Context) (*http.Response, error)
	Done() bool
}

// begun is a write that was accepted.
type begun struct {
	op string
	// operation is nil where the answer does not say how to look at one: then the
	// object tells.
	operation operation
	// wait is what the answer asks for before the first look.
	wait time.Duration
}

// begin sends a write in one try. An answer of success that the client library
// cannot follow is one all the same: the service answers some requests as begun of
// which the library knows only the end (armcompute v8.4,
// CapacityReservationGroupsClient.Delete; azure-cli recording
// test_capacity_reservation_operations, 2026-09).
func begin(ctx context.Context, cl *clients, op string, send func(context.Context) error) (begun, error) {
	_, answer, err := once(ctx, cl, op, func(ctx context.Context) (struct{}, error) { return struct{}{}, send(ctx) })
	if err != nil && !acceptedBy(err) {
		return begun{}, err
	}
	b := begun{op: op, wait: wait(answer)}
	if answer.Response == nil {
		return b, nil
	}
	if o, err := runtime.NewPoller[struct{}](answer.Response, cl.pipeline, nil); err == nil {
		b.operation = o
	}
	return b, nil
}

// acceptedBy tells an error that came with an answer of success.
func acceptedBy(err error) bool {
	var e *cloud.Error
	return errors.As(err, &e) && e.HTTPStatus >= 200 && e.HTTPStatus < 300
}

// wait is what an answer asks for.
func wait(answer response) time.Duration {
	if answer.Response == nil {
		return 0
	}
	return retryAfter(answer.Header)
}

// await looks at an operation until it is done and returns what it failed with. One
// that cannot be seen is no failure: the object tells what became of it.
func (cl *clients) await(ctx context.Context, b begun) error {
	if b.operation == nil {
		return nil
	}
	var last response
	misses := 0
	for polls := 0; last.Response == nil || !b.operation.Done(); polls++ {
		if !b.operation.Done() {
			if err := cl.pause(ctx, b.op, max(b.wait, pollPause(polls))); err != nil {
				return err
			}
		}
		answer, _, err := once(ctx, cl, opPoll, b.poll)
		var missed *cloud.Error
		switch {
		case err == nil:
			last, misses, b.wait = answer, 0, wait(answer)
		case !errors.As(err, &missed):
			return err
		case !passes(missed):
			return nil
		default:
			if misses++; misses >= maxTries {
				return unseen(b.op, missed)
			}
			b.wait = max(pollEvery, missed.RetryAfter)
		}
	}
	return b.failure(last)
}

// poll looks once.
func (b begun) poll(ctx context.Context) (response, error) {
	answer, err := b.operation.Poll(ctx)
	if err != nil {
		return response{}, err
	}
	// The client library has read the body, and keeps it.
	return response{answer}, answer.Body.Close()
}

// pause waits between two looks at what a write does. An end before the next look
// leaves open what becomes of it.
func (cl *clients) pause(ctx context.Context, op string, d time.Duration) error {
	err := clock.Pause(ctx, cl.cloud.clock, d)
	switch {
	case errors.Is(err, clock.ErrNoTime):
		return &cloud.Error{Code: cloud.Internal, Op: op, Accepted: true, Message: "it was still under way at the deadline"}
	case err != nil:
		return cutShort(ctx, op, nil)
	}
	return nil
}

// unseen is the error of a wait that lost sight of the operation. What a look is
// answered is not said of the reservation.
func unseen(op string, missed *cloud.Error) *cloud.Error {
	lost := *missed
	lost.Op, lost.Accepted, lost.Quota = op, true, nil
	lost.Message = cloud.Clean("the end of the operation could not be seen: " + missed.Error())
	return &lost
}

// failure classes what a finished operation failed with, nil if it did not. Its
// status comes in an answer of HTTP 200: alone in the body of an operation (Azure
// Resource Manager, "Track asynchronous Azure operations"), as the provisioning
// state in that of a resource. It is an outcome that is known, of whatever code; where
// there is none, the object tells, except of a deletion.
func (b begun) failure(answer response) error {
	state := stateIn(answer)
	if !strings.EqualFold(state, "Failed") && !strings.EqualFold(state, "Canceled") && !strings.EqualFold(state, "Cancelled") {
		return nil
	}
	e := translate(b.op, runtime.NewResponseError(answer.Response))
	e.Accepted = false
	switch {
	case e.Native != "":
		return e
	case b.op == opPut || b.op == opPatch:
		return nil
	default:
		e.Code, e.Message = cloud.Internal, "the operation ended as "+cloud.Clean(state)+" and does not say why"
		return e
	}
}

// stateIn is the state that an answer tells, "" for none.
func stateIn(answer response) string {
	body, err := runtime.Payload(answer.Response)
	if err != nil {
		return ""
	}
	var told struct {
		Status     string          `json:"status"`
		Properties json.RawMessage `json:"properties"`
	}
	var of struct {
		ProvisioningState string `json:"provisioningState"`
	}
	if err := json.Unmarshal(body, &told); err != nil || told.Status != "" || told.Properties == nil {
		return told.Status
	}
	if err := json.Unmarshal(told.Properties, &of); err != nil {
		return ""
	}
	return of.ProvisioningState
}
