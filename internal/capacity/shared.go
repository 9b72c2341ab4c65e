package capacity

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
)

// sharedLimit bounds one shared call: it must not depend on the first caller's
// patience, since others wait for it.
const sharedLimit = 10 * time.Minute

// shared keeps answers by key for as long as a caller says that they may be old,
// and makes one call for all that ask at the same time.
type shared[T any] struct {
	clock   clock.Clock
	flights singleflight.Group
	mu      sync.Mutex
	kept    map[string]kept[T]
}

type kept[T any] struct {
	at     time.Time
	answer T
}

func newShared[T any](c clock.Clock) *shared[T] {
	return &shared[T]{clock: c, kept: map[string]kept[T]{}}
}

// get returns an answer that is no older than maxAge; none is asked for alone
// with a maxAge of 0.
func (s *shared[T]) get(
	ctx context.Context, key string, maxAge time.Duration, ask func(context.Context) (T, error),
) (T, error) {
	if answer, ok := s.recent(key, maxAge); ok {
		return answer, nil
	}
	if maxAge == 0 {
		return s.fetch(ctx, key, ask)
	}
	var none T
	flight := s.flights.DoChan(key, func() (any, error) {
		if answer, ok := s.recent(key, maxAge); ok {
			return answer, nil
		}
		ctx, cancel := context.WithTimeout(clock.Unlimited(context.WithoutCancel(ctx)), sharedLimit)
		defer cancel()
		return s.fetch(ctx, key, ask)
	})
	select {
	case <-ctx.Done():
		return none, ctx.Err()
	case done := <-flight:
		if done.Err != nil {
			return none, done.Err
		}
		answer, ok := done.Val.(T)
		if !ok {
			return none, fmt.Errorf("answer for %s: unexpected %T", key, done.Val)
		}
		return answer, nil
	}
}

func (s *shared[T]) recent(key string, maxAge time.Duration) (T, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.kept[key]
	if !ok || s.clock.Now().Sub(k.at) >= maxAge {
		var none T
		return none, false
	}
	return k.answer, true
}

func (s *shared[T]) fetch(ctx context.Context, key string, ask func(context.Context) (T, error)) (T, error) {
	began := s.clock.Now()
	answer, err := ask(ctx)
	if err != nil {
		return answer, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = kept[T]{began, answer}
	return answer, nil
}
