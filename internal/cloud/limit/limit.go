// Package limit keeps calls below the rates at which a cloud begins to throttle,
// as an interceptor around any cloud.
//
// It knows token buckets, one for the reads and one for the writes of each
// cloud, account and region. It must not know any cloud: the rates are given.
// It counts calls of the contract, not requests on the wire; a method that
// answers many calls with one request belongs into Options.Free.
package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Rate is the size of a bucket and how fast it fills. The zero value does not
// limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Options are the limits; the zero value limits nothing.
type Options struct {
	// Clock fills the buckets; nil is the machine's.
	Clock clock.Clock
	// Reads and Writes apply in each cloud, account and region.
	Reads, Writes Rate
	// Region tells the region of a call that knows only an id; nil leaves such
	// calls to a bucket of their own.
	Region func(cloud.Call) string
	// Free names further methods that are not limited. AccountID, ParseID and
	// Now never are: their answers are kept.
	Free []string
}

// New is an interceptor that lets calls through at the given rates. A call that
// would wait past its deadline fails at once with Throttled, its RetryAfter the
// wait it would have been; so does one whose context ends in the wait, with the
// context's error beside it. Neither was sent.
//
// A cloud that throttles all the same is believed: each second with a throttled
// answer halves the rate, to a sixteenth at least, and takes the burst away;
// each other answer gives a twentieth of the full rate back, and the burst
// returns with the full rate.
func New(opts Options) cloud.Interceptor {
	l := &limiter{Options: opts, buckets: map[key]*bucket{}}
	if l.Clock == nil {
		l.Clock = clock.Wall{}
	}
	l.Free = append([]string{"AccountID", "ParseID", "Now"}, opts.Free...)
	return l.around
}

type limiter struct {
	Options
	mu      sync.Mutex
	buckets map[key]*bucket
}

// key is what shares a bucket.
type key struct {
	cloud, account, region string
	writes                 bool
}

func (l *limiter) around(ctx context.Context, call cloud.Call, next func(context.Context) error) error {
	b := l.bucket(call)
	if b == nil {
		return next(ctx)
	}
	if err := l.wait(ctx, call, b); err != nil {
		return err
	}
	err := next(ctx)
	b.learn(l.Clock.Now(), err)
	return err
}

// bucket is the bucket of a call, nil where it is not limited.
func (l *limiter) bucket(call cloud.Call) *bucket {
	full := l.Reads
	if call.Writes {
		full = l.Writes
	}
	if full.PerSecond <= 0 || slices.Contains(l.Free, call.Method) {
		return nil
	}
	k := key{call.Cloud, call.Account, call.Region, call.Writes}
	if k.region == "" && l.Region != nil {
		k.region = l.Region(call)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.buckets[k] == nil {
		full.Burst = max(full.Burst, 1)
		l.buckets[k] = &bucket{full: full, tokens: rate.NewLimiter(rate.Limit(full.PerSecond), full.Burst)}
	}
	return l.buckets[k]
}

// wait takes a token, or none and says why.
func (l *limiter) wait(ctx context.Context, call cloud.Call, b *bucket) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := l.Clock.Now()
	token := b.tokens.ReserveN(now, 1)
	delay := token.DelayFrom(now)
	if delay <= 0 {
		return nil
	}
	if left, limited := clock.Left(ctx, l.Clock); limited && delay >= left {
		token.CancelAt(now)
		return refuse(call, delay)
	}
	if err := l.Clock.Sleep(ctx, delay); err != nil {
		token.CancelAt(l.Clock.Now())
		return fmt.Errorf("%w; stopped: %w", refuse(call, delay), err)
	}
	return nil
}

func refuse(call cloud.Call, delay time.Duration) error {
	return &cloud.Error{
		Code: cloud.Throttled, Op: call.Method, RetryAfter: delay,
		Message: fmt.Sprintf("not sent: the own rate limit has the next call wait %s", delay.Round(time.Millisecond)),
	}
}
