package clock

import (
	"context"
	"errors"
	"time"
)

type deadlineKey struct{}

// Until returns a context that carries a deadline by the injected clock. The
// context does not end by itself: who waits asks Left first. An earlier deadline
// that ctx already carries stays.
func Until(ctx context.Context, at time.Time) context.Context {
	if set, ok := Deadline(ctx); ok && set.Before(at) {
		return ctx
	}
	return context.WithValue(ctx, deadlineKey{}, at)
}

// Deadline is the deadline that Until set, if it did.
func Deadline(ctx context.Context) (at time.Time, set bool) {
	at, set = ctx.Value(deadlineKey{}).(time.Time)
	return at, set
}

// Left is how long a wait may still take: until the deadline that Until set, by
// c, or until the context's own, by the machine's clock, whichever is sooner.
// It is not limited where neither is set.
func Left(ctx context.Context, c Clock) (left time.Duration, limited bool) {
	if at, ok := ctx.Deadline(); ok {
		left, limited = time.Until(at), true
	}
	if at, ok := Deadline(ctx); ok {
		if d := at.Sub(c.Now()); !limited || d < left {
			left, limited = d, true
		}
	}
	return left, limited
}

// Unlimited is ctx without the deadline that Until set, for work that others
// share: it must not end with the patience of whoever began it.
func Unlimited(ctx context.Context) context.Context {
	return context.WithValue(ctx, deadlineKey{}, nil)
}

// ErrNoTime tells that a pause would outlast the deadline.
var ErrNoTime = errors.New("the deadline comes before the next try")

// Pause waits for d, but does not begin what cannot end in time: that is
// ErrNoTime.
func Pause(ctx context.Context, c Clock, d time.Duration) error {
	if left, limited := Left(ctx, c); limited && d >= left {
		return ErrNoTime
	}
	return c.Sleep(ctx, d)
}
