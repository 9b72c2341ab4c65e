package google

import (
	"context"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

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
