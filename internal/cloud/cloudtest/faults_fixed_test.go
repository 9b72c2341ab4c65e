package cloudtest_test

import (
	"context"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// faultyFixed break, of a grouped cloud, what does not change any more.
func faultyFixed() map[string]fault {
	const check = "update/fixed"
	return map[string]fault{
		"fixed not told": {check, shown(func(r *cloud.Reservation) { r.Fixed = nil })},
		"fixed from the start": {check, shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Scheduled && r.State.Live() {
				r.Fixed = []cloud.Attribute{cloud.AttrCount}
			}
		})},
		"fixed for ever": {check, shown(func(r *cloud.Reservation) {
			if len(r.Fixed) > 0 {
				r.Fixed = []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}
			}
		})},
		"fixed told in any order": {check, shown(func(r *cloud.Reservation) {
			r.Fixed = slices.Clone(r.Fixed)
			slices.Reverse(r.Fixed)
		})},
		"fixed what never changes": {check, shown(func(r *cloud.Reservation) { r.Fixed = append(r.Fixed, cloud.AttrTerm) })},
		"fixed told as unsupported": {check, func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				r, err := b.Cloud.Update(ctx, ref, c)
				return r, reclass(err, func(e *cloud.Error) {
					if e.Native == "Fixed" {
						e.Code = cloud.Unsupported
					}
				})
			}
		}},
		"all fixed with one": {check, func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				if r, err := b.Cloud.Get(ctx, ref); err == nil && len(r.Fixed) > 0 {
					return r, &cloud.Error{Code: cloud.Conflict, Op: "Update", Message: "it is fixed"}
				}
				return b.Cloud.Update(ctx, ref, c)
			}
		}},
		"refused and changed": {check, func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				r, err := b.Cloud.Update(ctx, ref, c)
				if cloud.CodeOf(err) == cloud.Conflict {
					_, _ = b.Cloud.Update(ctx, ref, cloud.Change{SetTags: map[string]string{"half": "done"}})
				}
				return r, err
			}
		}},
	}
}
