package aws

import (
	"context"
	"net/http"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

type placeKey struct{ account, region string }

// place is one account in one region: its clients and what they learned of the
// cloud's time.
type place struct {
	region  string
	ec2     *ec2.Client
	sts     *sts.Client
	quotas  *servicequotas.Client
	pricing *pricing.Client
	dates   *httpdate.Clock
	// offers paces the operations on offers of blocks.
	offers paced
}

// place returns the clients of an account in a region, made at first use.
func (c *Cloud) place(ctx context.Context, account, region string) (*place, error) {
	cfg, err := c.identity(ctx, account)
	if err != nil {
		return nil, err
	}
	region, err = c.region(region, cfg)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := placeKey{account, region}
	p, ok := c.places[key]
	if !ok {
		p = c.build(cfg, region)
		c.places[key] = p
	}
	return p, nil
}

// region falls back to the configured one. The SDK would accept an empty region
// together with an endpoint and sign for no region at all.
func (c *Cloud) region(region string, cfg awssdk.Config) (string, error) {
	for _, candidate := range []string{region, c.cfg.Region, cfg.Region} {
		if candidate == "" {
			continue
		}
		if !regionForm.MatchString(candidate) {
			return "", &cloud.Error{Code: cloud.Invalid, Message: "\"" + cloud.Clean(candidate) + "\" is not a region such as us-east-1"}
		}
		return candidate, nil
	}
	return "", &cloud.Error{Code: cloud.Invalid, Message: "no region: name one, or set aws.region in the provider block or AWS_REGION"}
}

func (c *Cloud) build(cfg awssdk.Config, region string) *place {
	retryer := newPatient(c.clock)
	p := &place{region: region, dates: httpdate.New(c.clock), offers: newPaced(retryer)}
	var endpoint *string
	if c.cfg.Endpoint != "" {
		// The service option is the only one that survives
		// AWS_IGNORE_CONFIGURED_ENDPOINT_URLS.
		endpoint = awssdk.String(c.cfg.Endpoint)
	}
	sender := dated{inner: cfg.HTTPClient, dates: p.dates}
	p.ec2 = ec2.NewFromConfig(cfg, func(o *ec2.Options) {
		o.Region, o.Retryer, o.RetryMaxAttempts, o.HTTPClient = region, retryer, 0, sender
		if endpoint != nil {
			o.BaseEndpoint = endpoint
		}
	})
	p.sts = sts.NewFromConfig(cfg, func(o *sts.Options) {
		o.Region, o.Retryer, o.RetryMaxAttempts, o.HTTPClient = region, retryer, 0, sender
		if endpoint != nil {
			o.BaseEndpoint = endpoint
		}
	})
	p.quotas = servicequotas.NewFromConfig(cfg, func(o *servicequotas.Options) {
		o.Region, o.Retryer, o.RetryMaxAttempts, o.HTTPClient = region, retryer, 0, sender
		if endpoint != nil {
			o.BaseEndpoint = endpoint
		}
	})
	p.pricing = pricing.NewFromConfig(cfg, func(o *pricing.Options) {
		o.Region, o.Retryer, o.RetryMaxAttempts, o.HTTPClient = priceRegion(region), retryer, 0, sender
		if endpoint != nil {
			o.BaseEndpoint = endpoint
		}
	})
	return p
}

// dated notes the Date header of every answer.
type dated struct {
	inner HTTPClient
	dates *httpdate.Clock
}

// Do implements HTTPClient.
func (d dated) Do(req *http.Request) (*http.Response, error) {
	resp, err := d.inner.Do(req)
	if err == nil && resp.StatusCode < http.StatusInternalServerError {
		d.dates.Note(resp.Header.Get("Date"))
	}
	return resp, err
}

// AccountID implements cloud.Cloud.
func (c *Cloud) AccountID(ctx context.Context, account string) (string, error) {
	cfg, err := c.identity(ctx, account)
	if err != nil {
		return "", err
	}
	p, err := c.place(ctx, account, c.home(cfg))
	if err != nil {
		return "", err
	}
	id := c.slot(account)
	if err := id.enter(ctx); err != nil {
		return "", err
	}
	defer id.leave()
	if id.accountID == "" {
		id.accountID, err = p.whoami(ctx)
	}
	return id.accountID, err
}

// whoami asks whose credentials these are.
func (p *place) whoami(ctx context.Context) (string, error) {
	const op = "GetCallerIdentity"
	out, err := call(ctx, op, func(ctx context.Context) (*sts.GetCallerIdentityOutput, error) {
		return p.sts.GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	})
	if err != nil {
		return "", err
	}
	if number := awssdk.ToString(out.Account); number != "" {
		return number, nil
	}
	return "", hollow(op, "Account")
}
