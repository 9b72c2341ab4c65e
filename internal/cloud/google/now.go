package google

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// maxAge is how old an answer may be to tell the time by: long enough for one
// refresh, short enough for two clocks not to drift apart.
const maxAge = time.Minute

// dates is the cloud's time as the latest answer told it, to the second.
type dates struct {
	clock clock.Clock

	mu    sync.Mutex
	date  time.Time
	heard time.Time
}

// note takes a Date header.
func (d *dates) note(header string) {
	date, err := http.ParseTime(header)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.date, d.heard = date.UTC(), d.clock.Now()
}

// now is the date of the latest answer and what has passed since, to the second
// as the date is.
func (d *dates) now() (time.Time, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	age := d.clock.Now().Sub(d.heard)
	if d.date.IsZero() || age < 0 || age > maxAge {
		return time.Time{}, false
	}
	return d.date.Add(age).Truncate(time.Second), true
}

// dated notes the Date header of every answer of Google's own: a server error
// may come from a proxy.
type dated struct {
	inner http.RoundTripper
	dates *dates
}

// RoundTrip implements http.RoundTripper.
func (d dated) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.inner.RoundTrip(req)
	if err == nil && resp.StatusCode < http.StatusInternalServerError {
		d.dates.note(resp.Header.Get("Date"))
	}
	return resp, err
}

// Now implements cloud.Timekeeper. Without a recent answer it asks for one page
// of one reservation.
func (c *Cloud) Now(ctx context.Context, account, _ string) (time.Time, error) {
	if now, ok := c.dates.now(); ok && ctx.Err() == nil {
		return now, nil
	}
	project, err := c.project(ctx, account)
	if err != nil {
		return time.Time{}, err
	}
	if _, err := c.page(ctx, project, 1, ""); err != nil {
		return time.Time{}, err
	}
	if now, ok := c.dates.now(); ok {
		return now, nil
	}
	return time.Time{}, &cloud.Error{Code: cloud.Internal, Op: opList, Message: "the answer has no Date header"}
}
