package google

import (
	"context"
	"net/http"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// dated notes the Date header of every answer of Google's own: a server error
// may come from a proxy.
type dated struct {
	inner http.RoundTripper
	dates *httpdate.Clock
}

// RoundTrip implements http.RoundTripper.
func (d dated) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.inner.RoundTrip(req)
	if err == nil && resp.StatusCode < http.StatusInternalServerError {
		d.dates.Note(resp.Header.Get("Date"))
	}
	return resp, err
}

// Now implements cloud.Timekeeper. Without a recent answer it asks for one page
// of one reservation.
func (c *Cloud) Now(ctx context.Context, account, _ string) (time.Time, error) {
	if now, ok := c.dates.Now(); ok && ctx.Err() == nil {
		return now, nil
	}
	project, err := c.project(ctx, account)
	if err != nil {
		return time.Time{}, err
	}
	if _, err := c.page(ctx, project, 1, ""); err != nil {
		return time.Time{}, err
	}
	if now, ok := c.dates.Now(); ok {
		return now, nil
	}
	return time.Time{}, &cloud.Error{Code: cloud.Internal, Op: opList, Message: "the answer has no Date header"}
}
