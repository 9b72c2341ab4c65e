// Package httpdate tells a cloud's time by the Date headers of its answers. It
// knows no cloud.
package httpdate

import (
	"net/http"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
)

// maxAge is how old an answer may be to tell the time by: long enough for one
// refresh, short enough for two clocks not to drift apart.
const maxAge = time.Minute

// Clock is a cloud's time as the latest answer told it, to the second.
type Clock struct {
	local clock.Clock

	mu    sync.Mutex
	date  time.Time
	heard time.Time
}

// New returns a clock that was told nothing yet; local measures what passes
// after an answer.
func New(local clock.Clock) *Clock { return &Clock{local: local} }

// Note takes a Date header.
func (c *Clock) Note(header string) {
	date, err := http.ParseTime(header)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.date, c.heard = date.UTC(), c.local.Now()
}

// Now is the date of the latest answer and what has passed since, to the second
// as the date is. Without a recent answer it does not know.
func (c *Clock) Now() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := c.local.Now().Sub(c.heard)
	if c.date.IsZero() || age < 0 || age > maxAge {
		return time.Time{}, false
	}
	return c.date.Add(age).Truncate(time.Second), true
}
