// Package retry repeats calls that failed for a passing reason, as an
// interceptor around any cloud.
//
// It knows the classes of errors and what the contract says is harmless to
// repeat. It must not know any cloud, nor wait for capacity: a refusal of stock
// or quota is an answer, and what to do about it is decided above.
package retry

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Defaults of Options.
const (
	DefaultTries    = 4
	DefaultBase     = 500 * time.Millisecond
	DefaultMax      = 20 * time.Second
	DefaultPatience = 10 * time.Minute
)

// Options say how often and how long; the zero value works.
type Options struct {
	// Clock measures waits and deadlines; nil is the machine's.
	Clock clock.Clock
	// Rand gives numbers in [0,1), safe for concurrent use; nil is the
	// machine's source.
	Rand func() float64
	// Tries is how often a call is tried in all while it fails with Internal;
	// throttled tries do not count.
	Tries int
	// Base and Max bound the wait: after the n-th try it is a random part of
	// Base doubled n-1 times, of Max at most (full jitter).
	Base, Max time.Duration
	// Patience is how long throttling is ridden out where the context carries
	// no deadline by the clock (clock.Until).
	Patience time.Duration
	// OnWait, if set, is told of each wait before it begins; see LogWaits.
	OnWait func(ctx context.Context, w Wait)
}

// Wait is a pause between two tries.
type Wait struct {
	Call cloud.Call
	// Tries is how many there were so far.
	Tries int
	Delay time.Duration
	// Err is how the last one ended.
	Err error
}

// New is an interceptor that repeats
//
//   - Throttled, if the call is repeatable, until the deadline;
//   - Internal, if the call is repeatable, for a bounded number of tries.
//
// Every other class is an answer and returned as it is. A wait is never shorter
// than the error's RetryAfter, and one that would outlive the deadline is not
// begun. The error after several tries is the last one's; it tells their number
// and says Accepted if any of them may have been accepted.
func New(opts Options) cloud.Interceptor {
	r := &retrier{Options: opts}
	if r.Clock == nil {
		r.Clock = clock.Wall{}
	}
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	r.Tries = orDefault(r.Tries, DefaultTries)
	r.Base = orDefault(r.Base, DefaultBase)
	r.Max = orDefault(r.Max, DefaultMax)
	r.Patience = orDefault(r.Patience, DefaultPatience)
	return r.around
}

func orDefault[N int | time.Duration](n, fallback N) N {
	if n <= 0 {
		return fallback
	}
	return n
}

type retrier struct{ Options }

func (r *retrier) around(ctx context.Context, call cloud.Call, next func(context.Context) error) error {
	h := history{start: r.Clock.Now()}
	if _, set := clock.Deadline(ctx); !set {
		ctx = clock.Until(ctx, h.start.Add(r.Patience))
	}
	for {
		err := next(ctx)
		if err == nil {
			return nil
		}
		h.add(err)
		if !r.again(call, &h) || !r.pause(ctx, call, &h) {
			return h.result(r.Clock.Now())
		}
	}
}

// again tells whether one more try is harmless and may help.
func (r *retrier) again(call cloud.Call, h *history) bool {
	if h.last == nil {
		return false
	}
	switch h.last.Code {
	case cloud.Throttled:
		// A purchase without a token is sent once: a proxy may throttle its answer.
		return call.Repeatable
	case cloud.Internal:
		return call.Repeatable && h.internal < r.Tries
	default:
		return false
	}
}

// pause waits before another try and tells whether there is time for one.
func (r *retrier) pause(ctx context.Context, call cloud.Call, h *history) bool {
	if end := ctx.Err(); end != nil {
		h.stop(end)
		return false
	}
	delay := r.delay(h.tries, h.last)
	if left, limited := clock.Left(ctx, r.Clock); limited && delay >= left {
		return false
	}
	if r.OnWait != nil {
		r.OnWait(ctx, Wait{Call: call, Tries: h.tries, Delay: delay, Err: h.err})
	}
	if end := r.Clock.Sleep(ctx, delay); end != nil {
		h.stop(end)
		return false
	}
	return true
}

// delay is the wait after so many tries.
func (r *retrier) delay(tries int, last *cloud.Error) time.Duration {
	ceiling := r.Base
	for i := 1; i < tries && ceiling < r.Max; i++ {
		ceiling *= 2
	}
	delay := time.Duration(r.Rand() * float64(min(ceiling, r.Max)))
	return max(delay, last.RetryAfter)
}

// LogWaits reports each wait to log, at the level of warnings: a run that waits
// must say so. It logs codes and places, never a cloud's text.
func LogWaits(log *slog.Logger) func(ctx context.Context, w Wait) {
	return func(ctx context.Context, w Wait) {
		log.LogAttrs(ctx, slog.LevelWarn, "waiting before another try",
			slog.String("cloud", w.Call.Cloud), slog.String("method", w.Call.Method),
			slog.String("region", w.Call.Region), slog.String("zone", w.Call.Zone),
			slog.String("native_id", w.Call.NativeID), slog.Int("tries", w.Tries),
			slog.Duration("delay", w.Delay), slog.String("code", string(cloud.CodeOf(w.Err))))
	}
}
