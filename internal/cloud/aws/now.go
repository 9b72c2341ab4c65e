package aws

import (
	"context"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Now implements cloud.Timekeeper.
func (c *Cloud) Now(ctx context.Context, account, region string) (time.Time, error) {
	p, err := c.place(ctx, account, region)
	if err != nil {
		return time.Time{}, err
	}
	if now, ok := p.dates.Now(); ok {
		return now, nil
	}
	if _, err := p.whoami(ctx); err != nil {
		return time.Time{}, err
	}
	if now, ok := p.dates.Now(); ok {
		return now, nil
	}
	return time.Time{}, &cloud.Error{Code: cloud.Internal, Op: "GetCallerIdentity", Message: "the answer has no Date header"}
}
