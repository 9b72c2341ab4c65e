package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
)

const (
	// maxTries bounds one request, over pauses of 1 s, 2 s, 4 s and 8 s.
	maxTries  = 5
	tryPause  = time.Second
	tryWithin = time.Minute
)

// call sends a request that may be sent again, and classes its failure: a read, or
// a write that says what shall be and not what shall change.
func call[T any](ctx context.Context, cl *clients, op string, send func(context.Context) (T, error)) (T, error) {
	return repeated(ctx, cl, op, func() (T, error) {
		out, _, err := once(ctx, cl, op, send)
		return out, err
	})
}

// repeated tries again what failed on the way. What the cloud refused, throttled
// requests among them, is an answer.
func repeated[T any](ctx context.Context, cl *clients, op string, attempt func() (T, error)) (T, error) {
	unsure := false
	for try := 1; ; try++ {
		out, err := attempt()
		var failed *cloud.Error
		if !errors.As(err, &failed) {
			return out, err
		}
		unsure = unsure || failed.Accepted
		failed.Accepted = unsure
		if !onTheWay(failed) || try >= maxTries {
			return out, failed
		}
		wait := max(tryPause<<(try-1), failed.RetryAfter)
		if err := clock.Pause(ctx, cl.cloud.clock, wait); errors.Is(err, clock.ErrNoTime) {
			return out, failed
		} else if err != nil {
			return out, cutShort(ctx, op, failed)
		}
	}
}

// response is an answer as it came; its body was read, and can be again.
type response struct{ *http.Response }

// once sends a request in one try. The answer is there as far as one came, also
// where it is an error. The error is an *cloud.Error, or the end of ctx.
func once[T any](ctx context.Context, cl *clients, op string, send func(context.Context) (T, error)) (T, response, error) {
	var none T
	if err := cl.sender.credential.ready(ctx); err != nil {
		return none, response{}, unsent(ctx, op, err)
	}
	var answer response
	limited, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	out, err := send(policy.WithCaptureResponse(limited, &answer.Response))
	if err == nil {
		return out, answer, nil
	}
	var refusal *azcore.ResponseError
	failed := translate(op, err)
	if answer.Response != nil && answer.StatusCode < http.StatusMultipleChoices && !errors.As(err, &refusal) {
		// A success that could not be read: what it is about may have happened.
		failed = &cloud.Error{
			Code: cloud.Internal, Op: op, HTTPStatus: answer.StatusCode, Accepted: true, Cause: failed.Cause,
			Message: httpfault.Foreign("Azure", answer.StatusCode, answer.Header),
		}
	}
	failed.Accepted = failed.Accepted && writes(op)
	if ctx.Err() != nil {
		return none, answer, cutShort(ctx, op, failed)
	}
	return none, answer, failed
}

// unsent is the error of a request for which there is no token.
func unsent(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return cutShort(ctx, op, nil)
	}
	return translate(op, err)
}

// onTheWay tells whether a request failed without being decided on.
func onTheWay(e *cloud.Error) bool {
	return e.Code == cloud.Internal && (e.HTTPStatus == 0 || e.HTTPStatus >= 500)
}

// passes tells whether looking again may help.
func passes(e *cloud.Error) bool {
	return e.Code == cloud.Throttled || e.Code == cloud.Internal
}

// passing is passes of any error.
func passing(err error) bool {
	var e *cloud.Error
	return errors.As(err, &e) && passes(e)
}

// cutShort is the error of a call that its context ended, with what was last
// heard as text only: the context's end is what the caller has to know.
func cutShort(ctx context.Context, op string, last *cloud.Error) error {
	if last == nil || last.HTTPStatus == 0 {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	return fmt.Errorf("%s: %w (last answer: %s)", op, ctx.Err(), last.Error())
}

// writes tells whether an operation changes something.
func writes(op string) bool {
	_, method, _ := strings.Cut(op, "_")
	return method != "Get" && !strings.HasPrefix(method, "List")
}

// hollow is the error of an answer with status 200 that lacks what it must have.
func hollow(op, field string) *cloud.Error {
	return &cloud.Error{
		Code: cloud.Internal, Op: op, HTTPStatus: 200, Accepted: writes(op),
		Message: "the answer has no " + field + "; a proxy or another service may have given it",
	}
}
