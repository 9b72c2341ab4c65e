package aws

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// call sends one operation, with the SDK's tries, and classes its failure.
func call[T any](ctx context.Context, op string, send func(context.Context) (T, error)) (T, error) {
	t := &tries{}
	out, err := send(context.WithValue(ctx, triesKey{}, t))
	if err == nil {
		return out, nil
	}
	var none T
	if ctx.Err() != nil {
		return none, cutShort(ctx, op, t)
	}
	failure := translate(op, err)
	failure.Accepted = writes(op) && (failure.Accepted || t.unsure)
	return none, failure
}

// cutShort is the error of a call that its context ended, with what was last
// heard as text only: the context's end is what the caller has to know.
func cutShort(ctx context.Context, op string, t *tries) error {
	if t.last == nil {
		return fmt.Errorf("%s: %w", op, ctx.Err())
	}
	return fmt.Errorf("%s: %w (last answer: %s)", op, ctx.Err(), t.last.Error())
}

// writes tells whether an operation changes something.
func writes(op string) bool {
	return !strings.HasPrefix(op, "Describe") && !strings.HasPrefix(op, "Get")
}

// hollow is the error of an answer with status 200 that lacks what it must have.
func hollow(op, element string) *cloud.Error {
	return &cloud.Error{
		Code:       cloud.Internal,
		Op:         op,
		Message:    "the answer has no " + element + "; a proxy or another service may have given it",
		HTTPStatus: 200,
		Accepted:   writes(op),
	}
}

// errPending tells settle to look again.
var errPending = errors.New("not yet")

// settle looks until the answer is no longer errPending, at most once more than
// there are pauses and no longer than the deadline allows, and then returns
// errPending.
func (c *Cloud) settle(ctx context.Context, pauses []time.Duration, look func() error) error {
	for _, d := range pauses {
		if err := look(); !errors.Is(err, errPending) {
			return err
		}
		if err := c.pause(ctx, d); err != nil {
			return err
		}
	}
	return look()
}

// pause waits between two looks; without the time for it the answer is that of
// the first look, errPending.
func (c *Cloud) pause(ctx context.Context, d time.Duration) error {
	err := clock.Pause(ctx, c.clock, d)
	if errors.Is(err, clock.ErrNoTime) {
		return errPending
	}
	return err
}
