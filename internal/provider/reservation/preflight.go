package reservation

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// preflight asks the cloud what stands in the way of a new object, once all that it
// would be made of is known. It is left out for one that takes the place of another:
// what stands in its way now may go with that.
func (pl *planning) preflight(ctx context.Context) {
	m := pl.plan
	if pl.diags.HasError() || pl.p.Met(m.Cloud.ValueString(), m.Name.ValueString()) || pl.wishUnknown(ctx) {
		return
	}
	problems, err := pl.p.Manager.Preflight(ctx, m.Cloud.ValueString(), pl.spec, m.Name.ValueString())
	switch {
	case errors.Is(err, context.Canceled), cloud.CodeOf(err) == cloud.PermissionDenied:
		report.Failure(pl.diags, err)
	case err != nil:
		pl.diags.AddWarning("Not looked ahead", fmt.Sprintf(
			"Whether %s can be reserved could not be asked: %s. The apply tells.", m.Name.ValueString(), cloud.Clean(err.Error())))
	}
	report.Problems(pl.diags, m.located(problems), func(cloud.Attribute) bool { return false })
}

// wishUnknown tells whether something that a new object would be made of is not
// known yet; its tags apart, which nothing depends on.
func (pl *planning) wishUnknown(ctx context.Context) bool {
	m := pl.plan
	return m.Name.IsUnknown() || m.Kind.IsUnknown() || m.MatchCriteria.IsUnknown() || !attribute.KnownSet(m.ShareWith) ||
		pl.offerUnknown(ctx)
}
