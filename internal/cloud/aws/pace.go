package aws

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"golang.org/x/time/rate"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// The operations on offers of blocks share a bucket for each account and region
// (EC2 Developer Guide, "Request throttling for the Amazon EC2 API").
const (
	offerBurst = 10
	// offerRate is a second; refill is how long one call takes to be allowed again.
	offerRate rate.Limit = 0.15
	refill               = 7 * time.Second
)

// paced is a retryer that takes a token of a bucket before every try, the first
// one too: a dozen blocks of one run would else be refused hundreds of times.
type paced struct {
	patient
	tokens *rate.Limiter
}

func newPaced(p patient) paced {
	return paced{patient: p, tokens: rate.NewLimiter(offerRate, offerBurst)}
}

// GetAttemptToken implements aws.RetryerV2. It waits for a token, but does not
// begin to where the deadline comes first.
func (p paced) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	now := p.clock.Now()
	token := p.tokens.ReserveN(now, 1)
	delay := token.DelayFrom(now)
	if delay <= 0 {
		return p.believe, nil
	}
	err := clock.Pause(ctx, p.clock, delay)
	if err == nil {
		return p.believe, nil
	}
	token.CancelAt(p.clock.Now())
	if errors.Is(err, clock.ErrNoTime) {
		err = &cloud.Error{
			Code: cloud.Throttled, RetryAfter: delay,
			Message: "not sent: AWS's limit on calls about offers has the next one wait " + delay.Round(time.Second).String(),
		}
	}
	return nil, err
}

// believe empties the bucket after a throttled try: others draw on it too, such
// as an earlier run.
func (p paced) believe(err error) error {
	if err == nil || translate("", err).Code != cloud.Throttled {
		return nil
	}
	now := p.clock.Now()
	if left := int(p.tokens.TokensAt(now)); left > 0 {
		p.tokens.AllowN(now, left)
	}
	return nil
}

// paced has an operation draw on the bucket of offers.
func (p *place) paced(o *ec2.Options) { o.Retryer = p.offers }

// pacedOnce is paced for what must not be sent twice.
func (p *place) pacedOnce(o *ec2.Options) { o.Retryer = retry.AddWithMaxAttempts(p.offers, 1) }

// rare has a caller wait as long as the operations on offers need.
func rare(err error) error {
	var e *cloud.Error
	if errors.As(err, &e) && e.Code == cloud.Throttled {
		e.RetryAfter = max(e.RetryAfter, refill)
	}
	return err
}
