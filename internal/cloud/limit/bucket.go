package limit

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// How a bucket follows what the cloud answers; see New.
const (
	slowest   = 1.0 / 16
	recovery  = 1.0 / 20
	sameCause = time.Second // throttled answers this close together count once
)

// bucket is one bucket and the rate it is at.
type bucket struct {
	full   Rate
	tokens *rate.Limiter

	mu      sync.Mutex
	lowered time.Time
}

// learn adapts the rate to how a call ended. Only an answer counts: a call that
// failed on its way says nothing of the cloud's limits.
func (b *bucket) learn(now time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	full, at := b.full.PerSecond, float64(b.tokens.Limit())
	switch code := cloud.CodeOf(err); {
	case code == cloud.Throttled:
		if !b.lowered.IsZero() && now.Sub(b.lowered) < sameCause {
			return
		}
		b.lowered = now
		b.tokens.SetLimitAt(now, rate.Limit(max(at/2, full*slowest)))
		b.tokens.SetBurstAt(now, 1)
	case code == cloud.Internal || (code == "" && err != nil) || at >= full:
	default:
		at = min(at+full*recovery, full)
		b.tokens.SetLimitAt(now, rate.Limit(at))
		if at >= full {
			b.tokens.SetBurstAt(now, b.full.Burst)
		}
	}
}
