package google

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/googleapis/gax-go/v2"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	// maxTries bounds one request, over pauses of 1 s, 2 s, 4 s and 8 s.
	maxTries  = 5
	tryPause  = time.Second
	tryWithin = time.Minute
)

// once has the client library send a request in one try.
var once = gax.WithRetry(func() gax.Retryer { return nil })

// call sends one request and classes its failure. What failed on the way is sent
// again: a read changes nothing, and every write carries a request id, except
// the cancellation of a future reservation, which repeated does no harm. What the
// cloud refused, throttled requests among them, is an answer.
func call[T any](ctx context.Context, c *Cloud, op string, send func(context.Context) (T, error)) (T, error) {
	var none T
	unsure := false
	for try := 1; ; try++ {
		out, err := within(ctx, send)
		if err == nil {
			return out, nil
		}
		failed := translate(op, err)
		if ctx.Err() != nil {
			return none, cutShort(ctx, op, failed)
		}
		unsure = unsure || (writes(op) && failed.Accepted)
		failed.Accepted = unsure
		if !onTheWay(failed) || try >= maxTries {
			return none, failed
		}
		wait := max(tryPause<<(try-1), failed.RetryAfter)
		if err := clock.Pause(ctx, c.clock, wait); errors.Is(err, clock.ErrNoTime) {
			return none, failed
		} else if err != nil {
			return none, cutShort(ctx, op, failed)
		}
	}
}

// within bounds one try, so that a connection that died is not waited for.
func within[T any](ctx context.Context, send func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	return send(ctx)
}

// onTheWay tells whether a request failed without being decided on.
func onTheWay(e *cloud.Error) bool {
	return e.Code == cloud.Internal && (e.HTTPStatus == 0 || e.HTTPStatus >= 500)
}

// cutShort is the error of a call that its context ended, with what was last
// heard as text only: the context's end is what the caller has to know.
func cutShort(ctx context.Context, op string, last *cloud.Error) error {
	if last == nil || last.HTTPStatus == 0 {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	return fmt.Errorf("%s: %w (last answer: %s)", op, ctx.Err(), last.Error())
}

// writes tells whether a method changes something.
func writes(op string) bool {
	method := op[strings.LastIndex(op, ".")+1:]
	return method != "get" && method != "list" && method != "aggregatedList"
}

// hollow is the error of an answer with status 200 that lacks what it must have.
func hollow(op, field string) *cloud.Error {
	return &cloud.Error{
		Code: cloud.Internal, Op: op, HTTPStatus: 200, Accepted: writes(op),
		Message: "the answer has no " + field + "; a proxy or another service may have given it",
	}
}
