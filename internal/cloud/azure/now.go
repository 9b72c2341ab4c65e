package azure

import (
	"context"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Now implements cloud.Timekeeper. Without a recent answer it asks for one page of
// groups, where the configured right to read them is; a refusal tells the time as well.
func (c *Cloud) Now(ctx context.Context, account, _ string) (time.Time, error) {
	if now, ok := c.dates.Now(); ok && ctx.Err() == nil {
		return now, nil
	}
	subscription, err := c.AccountID(ctx, account)
	if err != nil {
		return time.Time{}, err
	}
	cl, err := c.clients(ctx, subscription)
	if err != nil {
		return time.Time{}, err
	}
	op, err := cl.onePage(ctx)
	if now, ok := c.dates.Now(); ok && ctx.Err() == nil {
		return now, nil
	}
	if err != nil {
		return time.Time{}, cloud.Misnamed(err)
	}
	return time.Time{}, &cloud.Error{Code: cloud.Internal, Op: op, Message: "the answer has no Date header"}
}

// onePage asks for the first page of the groups of the configured resource group, of
// the subscription where there is none.
func (cl *clients) onePage(ctx context.Context) (op string, err error) {
	if resourceGroup := cl.cloud.cfg.ResourceGroup; resourceGroup != "" {
		_, err = call(ctx, cl, opGroups, cl.groups.NewListByResourceGroupPager(resourceGroup, nil).NextPage)
		return opGroups, err
	}
	_, err = call(ctx, cl, opAllGroups, cl.groups.NewListBySubscriptionPager(nil).NextPage)
	return opAllGroups, err
}
