package capacity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Consumers are the accounts of some names, sorted, each once: two names of one
// account mean the same.
func (m *Manager) Consumers(ctx context.Context, cloudName string, names []string) ([]string, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return nil, err
	}
	return consumers(ctx, c, names, false)
}

// consumers are the accounts of names. A name that may not be looked up stands for
// itself where that is allowed: the cloud knows whom it means.
func consumers(ctx context.Context, c cloud.Cloud, names []string, untold bool) ([]string, error) {
	ids := make([]string, 0, len(names))
	for _, name := range names {
		id, err := c.AccountID(ctx, name)
		if untold && cloud.CodeOf(err) == cloud.PermissionDenied {
			id, err = name, nil
		}
		if err != nil {
			return nil, &Failure{Notice{cloud.AttrShare, "Cannot tell whom to share with", fmt.Sprintf(
				"%q cannot be told as an account of %s: %s", name, c.Capabilities().Title, describe(c, err))}, err}
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// share has the wish name the accounts it is shared with as the cloud does.
func (op *operation) share(ctx context.Context) error {
	if len(op.wish.Spec.ShareWith) == 0 {
		return nil
	}
	ids, err := consumers(ctx, op.c, op.wish.Spec.ShareWith, true)
	op.wish.Spec.ShareWith = ids
	return err
}

// sharedAs tells whether an object is shown to be shared with just these accounts.
// Where the cloud does not tell of some which accounts they are, it is for the
// driver to find out what there is to change.
func sharedAs(r cloud.Reservation, want []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(sharers(r))), slices.Sorted(slices.Values(want)))
}

// sharers are all that an object is shared with, by whatever names.
func sharers(r cloud.Reservation) []string { return slices.Concat(r.ShareWith, r.Unresolved) }

// unresolved says that it cannot be told whom an object is shared with.
func unresolved(h Holder, r cloud.Reservation) Notice {
	return Notice{cloud.AttrShare, "Shared with accounts that cannot be told", fmt.Sprintf(
		"%s is shared with %s, of which the cloud does not tell these credentials which accounts they are. "+
			"Whether that is as configured is not compared.", h, listed(r.Unresolved))}
}

// listed is a list of accounts in words, "" for none.
func listed(ids []string) string { return strings.Join(ids, ", ") }
