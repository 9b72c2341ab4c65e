// Package clocktest has the clock of in-process tests: nothing ever waits.
package clocktest

import (
	"context"
	"sync"
	"time"
)

// Jump is a clock whose sleeps return at once and move it forward by what was
// asked for. Sleepers that overlap each move it only as far as their own wake
// time, so that concurrent polls do not add up.
type Jump struct {
	mu     sync.Mutex
	now    time.Time
	onJump []func(now time.Time)
}

// NewJump starts a clock at the given instant.
func NewJump(start time.Time) *Jump { return &Jump{now: start.UTC()} }

// OnJump has f called, without the clock's lock, after each move: a test pushes
// a simulator's clock along with it.
func (j *Jump) OnJump(f func(now time.Time)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.onJump = append(j.onJump, f)
}

// Now implements clock.Clock.
func (j *Jump) Now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

// Advance moves the clock by d.
func (j *Jump) Advance(d time.Duration) { j.moveTo(j.Now().Add(d)) }

// Sleep implements clock.Clock.
func (j *Jump) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	j.moveTo(j.Now().Add(d))
	return ctx.Err()
}

func (j *Jump) moveTo(t time.Time) {
	j.mu.Lock()
	if !t.After(j.now) {
		j.mu.Unlock()
		return
	}
	j.now = t
	hooks := j.onJump
	j.mu.Unlock()
	for _, f := range hooks {
		f(t)
	}
}
