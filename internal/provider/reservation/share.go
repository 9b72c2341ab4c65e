package reservation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// shareValue is the attribute for accounts that the cloud shows; null for none.
func shareValue(names []string) types.Set {
	if len(names) == 0 {
		return types.SetNull(types.StringType)
	}
	return setValue(slices.Sorted(slices.Values(names)))
}

// sharedWith are all whom an object is shared with: by name, or as the cloud shows
// those that it does not tell of.
func sharedWith(r cloud.Reservation) []string { return slices.Concat(r.ShareWith, r.Unresolved) }

// keepShares keeps the names before, if they are of the same accounts.
func (pl *planning) keepShares(ctx context.Context) {
	if pl.prior == nil || !pl.plan.Cloud.Equal(pl.prior.Cloud) || !attribute.KnownSet(pl.plan.ShareWith) ||
		pl.plan.ShareWith.IsNull() || pl.prior.ShareWith.IsNull() || pl.plan.ShareWith.Equal(pl.prior.ShareWith) {
		return
	}
	is, err := pl.consumers(ctx, pl.plan)
	was, other := pl.consumers(ctx, *pl.prior)
	if err == nil && other == nil && slices.Equal(is, was) {
		pl.plan.ShareWith = pl.prior.ShareWith
	}
}

func (pl *planning) consumers(ctx context.Context, m model) ([]string, error) {
	return pl.p.Manager.Consumers(ctx, m.Cloud.ValueString(), attribute.Strings(m.ShareWith))
}

// checkShares reports names that are of no account, or of the very account that the
// reservation belongs to. What is not to be found out now may be right.
func (pl *planning) checkShares(ctx context.Context) {
	m := pl.plan
	if pl.prior != nil && m.ShareWith.Equal(pl.prior.ShareWith) {
		return
	}
	for _, name := range attribute.Strings(m.ShareWith) {
		at := path.Root("share_with").AtSetValue(types.StringValue(name))
		id, err := pl.p.Manager.AccountID(ctx, m.Cloud.ValueString(), name)
		switch code := cloud.CodeOf(err); {
		case err == nil && id == m.AccountID.ValueString():
			pl.diags.AddAttributeError(at, "Shared with itself", fmt.Sprintf(
				"share_with names %q, the account that the reservation belongs to. Leave it out.", name))
		case err == nil:
		case code == cloud.PermissionDenied:
			pl.diags.AddAttributeWarning(at, "Account not known", fmt.Sprintf(
				"It cannot be told which account %q is: %s. The cloud decides.", name, cloud.Clean(err.Error())))
		default:
			pl.diags.AddAttributeError(at, "Cannot share with this account", fmt.Sprintf(
				"It cannot be told which account %q is: %s.", name, cloud.Clean(err.Error())))
		}
	}
}

// shares are the accounts before and after, for what cannot change in place.
func (pl *planning) shares() [2]string {
	return [2]string{fmt.Sprint(attribute.Strings(pl.prior.ShareWith)), fmt.Sprint(attribute.Strings(pl.plan.ShareWith))}
}

// observeShares shows accounts that were added or removed elsewhere. A name stays as
// it was written while its account is there. Where the cloud does not tell which
// accounts there are, or which one a name is of, nothing is compared.
func (m *model) observeShares(ctx context.Context, rules *capacity.Manager, r cloud.Reservation) {
	if len(r.Unresolved) > 0 {
		return
	}
	left := map[string]bool{}
	for _, id := range r.ShareWith {
		left[id] = true
	}
	var names []string
	for _, name := range attribute.Strings(m.ShareWith) {
		id, err := rules.AccountID(ctx, m.Cloud.ValueString(), name)
		switch code := cloud.CodeOf(err); {
		case err == nil && slices.Contains(r.ShareWith, id):
			names = append(names, name)
			delete(left, id)
		case err != nil && code != cloud.NotFound && code != cloud.Invalid:
			return
		}
	}
	m.ShareWith = shareValue(append(names, slices.Collect(maps.Keys(left))...))
}
