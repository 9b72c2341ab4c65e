package azure

import (
	"context"
	"os"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// AccountID implements cloud.Cloud: the account is the subscription's id, which
// needs no call.
func (c *Cloud) AccountID(ctx context.Context, account string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return c.subscription(account)
}

// subscription is the id of a subscription by any of its spellings; "" is the
// configured one, else that of the environment. The first variable is that of
// HashiCorp's Terraform provider, the second the one that Azure's own tools set.
func (c *Cloud) subscription(account string) (string, error) {
	for _, name := range []string{account, c.cfg.SubscriptionID, os.Getenv("ARM_SUBSCRIPTION_ID"), os.Getenv("AZURE_SUBSCRIPTION_ID")} {
		if name == "" {
			continue
		}
		if id, ok := subscriptionID(name); ok {
			return id, nil
		}
		return "", &cloud.Error{
			Code: cloud.Invalid,
			Message: "\"" + cloud.Clean(name) + "\" is not a subscription id such as 11111111-2222-3333-4444-555555555555, " +
				"alone or after /subscriptions/",
		}
	}
	return "", &cloud.Error{
		Code:    cloud.Invalid,
		Message: "no subscription: name one, or set azure.subscription_id in the provider block or ARM_SUBSCRIPTION_ID",
	}
}

// shareList are subscriptions by their ids, sorted; Check held them to a form.
func shareList(names []string) []string {
	all := make([]string, 0, len(names))
	for _, name := range names {
		if id, ok := subscriptionID(name); ok {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
