package capacity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// fresh is how long a listing answers for what it covers. A plan of any size
// then costs one listing per scope; what changes later in the same run is never
// decided by a listing alone, but by a read of the one object.
const fresh = time.Minute

// listingLimit bounds one shared listing: it must not depend on the first
// caller's patience, since others wait for it.
const listingLimit = 10 * time.Minute

// snapshots shares complete listings between the reads of one run.
type snapshots struct {
	clock   clock.Clock
	flights singleflight.Group
	mu      sync.Mutex
	kept    map[string]snapshot
}

type snapshot struct {
	at    time.Time
	items map[string]cloud.Reservation
}

func newSnapshots(c clock.Clock) *snapshots {
	return &snapshots{clock: c, kept: map[string]snapshot{}}
}

// list returns the scope's reservations by native id, from a listing that is
// no older than maxAge.
func (s *snapshots) list(
	ctx context.Context, c cloud.Cloud, scope cloud.Scope, maxAge time.Duration,
) (map[string]cloud.Reservation, error) {
	key := fmt.Sprintf("%s\x00%s\x00%s\x00%s", c.Capabilities().Cloud, scope.Account, scope.Region, scope.Group)
	if items, ok := s.recent(key, maxAge); ok {
		return items, nil
	}
	if maxAge == 0 {
		return s.fetch(ctx, c, scope, key)
	}
	flight := s.flights.DoChan(key, func() (any, error) {
		if items, ok := s.recent(key, maxAge); ok {
			return items, nil
		}
		ctx, cancel := context.WithTimeout(clock.Unlimited(context.WithoutCancel(ctx)), listingLimit)
		defer cancel()
		return s.fetch(ctx, c, scope, key)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case done := <-flight:
		if done.Err != nil {
			return nil, done.Err
		}
		items, ok := done.Val.(map[string]cloud.Reservation)
		if !ok {
			return nil, fmt.Errorf("listing of %s: unexpected %T", key, done.Val)
		}
		return items, nil
	}
}

func (s *snapshots) recent(key string, maxAge time.Duration) (map[string]cloud.Reservation, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.kept[key]
	if !ok || s.clock.Now().Sub(kept.at) >= maxAge {
		return nil, false
	}
	return kept.items, true
}

func (s *snapshots) fetch(
	ctx context.Context, c cloud.Cloud, scope cloud.Scope, key string,
) (map[string]cloud.Reservation, error) {
	began := s.clock.Now()
	list, err := c.List(ctx, scope)
	if err != nil {
		return nil, err
	}
	items := make(map[string]cloud.Reservation, len(list))
	for _, r := range list {
		items[r.Ref.NativeID] = r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = snapshot{began, items}
	return items, nil
}
