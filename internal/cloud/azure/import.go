package azure

import (
	"context"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// ParseID implements cloud.Importer: the id of Azure Resource Manager in any casing,
// or a link to it.
func (c *Cloud) ParseID(ctx context.Context, account, id string) (cloud.Ref, error) {
	if err := ctx.Err(); err != nil {
		return cloud.Ref{}, err
	}
	r, err := parseID(id)
	if err != nil {
		return cloud.Ref{}, err
	}
	ref := cloud.Ref{Account: c.holderOf(account, r.subscription), NativeID: r.String()}
	if asked, err := c.subscription(account); account != "" && (err != nil || asked != r.subscription) {
		return cloud.Ref{}, &cloud.Error{
			Code:    cloud.Invalid,
			Message: cloud.Clean("\"" + id + "\" is in another subscription than the account " + account),
		}
	}
	return ref, nil
}

// holderOf is the account that reaches a subscription where none was asked for: the
// default one if it is that, else the subscription itself.
func (c *Cloud) holderOf(asked, subscription string) string {
	if asked != "" {
		return asked
	}
	if id, err := c.subscription(""); err == nil && id == subscription {
		return ""
	}
	return subscription
}
