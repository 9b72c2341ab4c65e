package aws

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// credentialWait bounds one look for credentials over the whole chain. Assumed
// roles, single sign-on and processes need seconds; the metadata service is
// bounded by the SDK to a few of its own.
const credentialWait = 30 * time.Second

// fallbackRegion serves calls that need no region of their own, when none is
// configured. Other partitions than aws must configure one.
const fallbackRegion = "us-east-1"

// sessionName is what the audit log of the assumed account shows.
const sessionName = "terraform-provider-gpu"

// identity is one account's way in.
type identity struct {
	// gate holds one token: whoever has it may load.
	gate      chan struct{}
	loaded    bool
	config    awssdk.Config
	accountID string
}

// identity returns the credentials of an account, loading them if no earlier
// call did.
func (c *Cloud) identity(ctx context.Context, account string) (awssdk.Config, error) {
	if err := c.known(account); err != nil {
		return awssdk.Config{}, err
	}
	id := c.slot(account)
	if err := id.enter(ctx); err != nil {
		return awssdk.Config{}, err
	}
	defer id.leave()
	if id.loaded {
		return id.config, nil
	}
	cfg, err := c.load(ctx, account)
	if err != nil {
		return awssdk.Config{}, err
	}
	id.config, id.loaded = cfg, true
	return cfg, nil
}

// known refuses an account that the configuration does not have.
func (c *Cloud) known(account string) error {
	if _, ok := c.cfg.Accounts[account]; ok || account == "" {
		return nil
	}
	return &cloud.Error{Code: cloud.Invalid, Message: c.unknownAccount(account)}
}

func (c *Cloud) unknownAccount(account string) string {
	names := slices.Sorted(maps.Keys(c.cfg.Accounts))
	if len(names) == 0 {
		return "account \"" + account + "\" is not in aws.accounts, which is empty"
	}
	return "account \"" + account + "\" is not in aws.accounts, which has: " + strings.Join(names, ", ")
}

func (c *Cloud) slot(account string) *identity {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.identities[account]
	if !ok {
		id = &identity{gate: make(chan struct{}, 1)}
		c.identities[account] = id
	}
	return id
}

// forget drops what was built on an account's credentials.
func (c *Cloud) forget(account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.identities, account)
	maps.DeleteFunc(c.places, func(key placeKey, _ *place) bool { return key.account == account })
}

func (i *identity) enter(ctx context.Context) error {
	select {
	case i.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (i *identity) leave() { <-i.gate }

// load reads the configuration of an account. Credentials themselves are
// fetched by the first request that is signed with them.
func (c *Cloud) load(ctx context.Context, account string) (awssdk.Config, error) {
	if err := checkEndpoint(c.cfg.Endpoint); err != nil {
		return awssdk.Config{}, err
	}
	profile, role := c.cfg.Profile, c.cfg.AssumeRole
	if a, ok := c.cfg.Accounts[account]; ok {
		if a.Profile != "" {
			profile = a.Profile
		}
		if a.AssumeRole.RoleARN != "" {
			role = a.AssumeRole
		}
	}
	cfg, err := c.base(ctx, profile)
	if err != nil {
		return awssdk.Config{}, err
	}
	// A private endpoint's Date header is data, not a reason to sign with another
	// time: a simulated world has a clock of its own.
	cfg.DisableClockSkewCorrection = c.cfg.Endpoint != ""
	if role.RoleARN != "" {
		cfg.Credentials = c.assume(cfg, role)
	}
	cfg.Credentials = guarded{inner: cfg.Credentials, failed: func() { c.forget(account) }}
	return cfg, nil
}

// base is the configuration below any role.
func (c *Cloud) base(ctx context.Context, profile string) (awssdk.Config, error) {
	if s := c.cfg.Credentials; s != nil {
		return awssdk.Config{
			HTTPClient:  c.sender(nil),
			Credentials: credentials.NewStaticCredentialsProvider(s.AccessKeyID, s.SecretAccessKey, s.SessionToken),
		}, nil
	}
	options := []func(*config.LoadOptions) error{}
	if profile != "" {
		options = append(options, config.WithSharedConfigProfile(profile))
	}
	cfg, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return awssdk.Config{}, credentialError(ctx, err)
	}
	cfg.HTTPClient = c.sender(cfg.HTTPClient)
	return cfg, nil
}

// sender is one client for all services of an account: the SDK gives one only
// if the environment asks for certificates of its own.
func (c *Cloud) sender(loaded awssdk.HTTPClient) awssdk.HTTPClient {
	switch {
	case c.cfg.HTTPClient != nil:
		return c.cfg.HTTPClient
	case loaded != nil:
		return loaded
	}
	return awshttp.NewBuildableClient()
}

// assume makes credentials of a role, renewed before they expire.
func (c *Cloud) assume(cfg awssdk.Config, role AssumeRole) awssdk.CredentialsProvider {
	client := sts.NewFromConfig(cfg, func(o *sts.Options) {
		o.Region = c.home(cfg)
		o.Retryer = newPatient(c.clock)
		o.RetryMaxAttempts = 0
		if c.cfg.Endpoint != "" {
			o.BaseEndpoint = awssdk.String(c.cfg.Endpoint)
		}
	})
	return awssdk.NewCredentialsCache(stscreds.NewAssumeRoleProvider(client, role.RoleARN,
		func(o *stscreds.AssumeRoleOptions) {
			o.RoleSessionName = sessionName
			if role.ExternalID != "" {
				o.ExternalID = awssdk.String(role.ExternalID)
			}
		}))
}

// home is the region of calls that need none of their own.
func (c *Cloud) home(cfg awssdk.Config) string {
	switch {
	case c.cfg.Region != "":
		return c.cfg.Region
	case cfg.Region != "":
		return cfg.Region
	}
	return fallbackRegion
}

// guarded bounds the look for credentials and turns its failure into an error
// that says what to do.
type guarded struct {
	inner awssdk.CredentialsProvider
	// failed has the next call look at the whole chain again.
	failed func()
}

// Retrieve implements aws.CredentialsProvider.
func (g guarded) Retrieve(ctx context.Context) (awssdk.Credentials, error) {
	bounded, cancel := context.WithTimeout(withoutTries(ctx), credentialWait)
	defer cancel()
	creds, err := g.inner.Retrieve(bounded)
	if err == nil {
		return creds, nil
	}
	if ctx.Err() == nil {
		g.failed()
	}
	return awssdk.Credentials{}, credentialError(ctx, err)
}

// credentialError tells why there are no credentials. Only what is known to
// hold no secret is quoted: the output of a credential process might.
func credentialError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var op *smithy.OperationError
	if errors.As(err, &op) && op.ServiceID == sts.ServiceID {
		refused := translate(op.OperationName, err)
		if refused.Code == cloud.Invalid || refused.Code == cloud.Unsupported || refused.Code == cloud.NotFound {
			refused.Code = cloud.PermissionDenied
		}
		refused.Accepted, refused.Cause = false, nil
		return refused
	}
	return &cloud.Error{
		Code:    cloud.PermissionDenied,
		Op:      "Credentials",
		Message: cloud.Clean("no AWS credentials" + quotable(err) + "; " + credentialsHint),
	}
}

func quotable(err error) string {
	var profile config.SharedConfigProfileNotExistError
	var sso *ssocreds.InvalidTokenError
	switch {
	case errors.As(err, &profile):
		return ": the shared configuration has no profile \"" + profile.Profile + "\""
	case errors.As(err, &sso):
		return ": the single sign-on session has expired, run aws sso login"
	case errors.Is(err, context.DeadlineExceeded):
		return ": looking for them took longer than " + credentialWait.String()
	}
	return ""
}
