// Package clock is the provider's one source of time: deadlines and polls are
// measured by it, and a test replaces it. It knows nothing of the clouds'
// clocks, which decide what has started or ended and are learned from answers.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits. Implementations are safe for concurrent use.
type Clock interface {
	// Now is the present instant in UTC.
	Now() time.Time
	// Sleep waits for d, or until ctx ends and then returns its error. A d of
	// zero or less only looks at ctx.
	Sleep(ctx context.Context, d time.Duration) error
}

// Wall is the machine's clock.
type Wall struct{}

// Now implements Clock.
func (Wall) Now() time.Time { return time.Now().UTC() }

// Sleep implements Clock.
func (Wall) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
