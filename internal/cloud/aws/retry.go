package aws

import (
	"context"
	"errors"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
)

// maxTries bounds one call: with full jitter over 1 s, 2 s, 4 s and 8 s for
// throttling, that is 15 s at most and half of it on average.
const maxTries = 5

// patient is the SDK's standard retryer with our clock, without its token
// bucket (one throttled burst would use it up for every later call) and without
// retries that cannot help.
type patient struct {
	*retry.Standard
	clock clock.Clock
}

func newPatient(c clock.Clock) patient {
	return patient{clock: c, Standard: retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxTries
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(hopeless)}, o.Retryables...)
	})}
}

// hopeless rules out what a second try within seconds does not change.
// InsufficientInstanceCapacity comes with HTTP 500 and would be retried.
func hopeless(err error) awssdk.Ternary {
	switch translate("", err).Code {
	case cloud.NoCapacity, cloud.QuotaExceeded:
		return awssdk.FalseTernary
	default:
		return awssdk.UnknownTernary
	}
}

// GetRetryToken implements aws.Retryer. It takes the pause before the next try:
// here, unlike in RetryDelay, there is a context to end it, and the clock is ours.
func (p patient) GetRetryToken(ctx context.Context, err error) (func(error) error, error) {
	t := triesOf(ctx)
	t.failed(err)
	delay, delayErr := p.Standard.RetryDelay(t.count, err)
	if delayErr != nil {
		return nil, delayErr
	}
	if err := clock.Pause(ctx, p.clock, max(delay, retryAfter(err, p.clock.Now()))); err != nil {
		return nil, err
	}
	return func(error) error { return nil }, nil
}

// RetryDelay implements aws.Retryer: the pause is already over.
func (p patient) RetryDelay(int, error) (time.Duration, error) { return 0, nil }

// tries is what one call learned from its failed tries.
type tries struct {
	count int
	// unsure tells that one of them may have been accepted.
	unsure bool
	// last is what was last heard.
	last *cloud.Error
}

func (t *tries) failed(err error) {
	t.count++
	t.last = translate("", err)
	t.unsure = t.unsure || t.last.Accepted
}

type triesKey struct{}

// triesOf is never nil: a call nested in another one has tries of its own.
func triesOf(ctx context.Context) *tries {
	if t, ok := ctx.Value(triesKey{}).(*tries); ok && t != nil {
		return t
	}
	return &tries{}
}

// withoutTries keeps calls made for credentials out of the account of the call
// that needs them.
func withoutTries(ctx context.Context) context.Context {
	return context.WithValue(ctx, triesKey{}, (*tries)(nil))
}

// retryAfter is the wait that an answer asks for. EC2 documents none, proxies in
// front of it send the header of RFC 9110: seconds or a date.
func retryAfter(err error, now time.Time) time.Duration {
	var answer *smithyhttp.ResponseError
	if !errors.As(err, &answer) || answer.Response == nil || answer.Response.Response == nil {
		return 0
	}
	return httpfault.RetryAfter(answer.Response.Header, now)
}
