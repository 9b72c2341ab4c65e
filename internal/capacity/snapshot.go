package capacity

import (
	"context"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// fresh is how long a listing answers for what it covers. A plan of any size
// then costs one listing per scope; what changes later in the same run is never
// decided by a listing alone, but by a read of the one object.
const fresh = time.Minute

// listing is a scope's reservations by native id.
type listing map[string]cloud.Reservation

// list returns the scope's reservations, from a complete listing that is no
// older than maxAge and shared between the reads of one run.
func (m *Manager) list(ctx context.Context, c cloud.Cloud, scope cloud.Scope, maxAge time.Duration) (listing, error) {
	key := fmt.Sprintf("%s\x00%s\x00%s\x00%s\x00%s", c.Capabilities().Cloud, scope.Account, scope.Region, scope.Group, scope.Kind)
	scope.MaxAge = maxAge
	return m.listings.get(ctx, key, maxAge, func(ctx context.Context) (listing, error) {
		list, err := c.List(ctx, scope)
		if err != nil {
			return nil, err
		}
		items := make(listing, len(list))
		for _, r := range list {
			items[r.Ref.NativeID] = r
		}
		return items, nil
	})
}
