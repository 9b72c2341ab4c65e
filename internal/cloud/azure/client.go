package azure

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	azcloud "github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// connections are kept open for the many refreshes of one plan.
const connections = 100

// version is of this package as a client; nothing depends on it.
const version = "v1.0.0"

// sender is what all subscriptions share: one connection and one credential.
type sender struct {
	// plain sends without credentials and notes nothing.
	plain      *http.Client
	options    *arm.ClientOptions
	credential *credential
}

// clients are the services of Azure that this driver calls, in one subscription.
type clients struct {
	cloud        *Cloud
	sender       *sender
	subscription string
	// pipeline looks at operations.
	pipeline runtime.Pipeline

	reservations *armcompute.CapacityReservationsClient
	groups       *armcompute.CapacityReservationGroupsClient
	skus         *armcompute.ResourceSKUsClient
	usages       *armcompute.UsageClient
}

// clients returns the services of a subscription, built at first use. A failure is
// not kept.
func (c *Cloud) clients(ctx context.Context, subscription string) (*clients, error) {
	s, err := c.sender(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cl, ok := c.perSubscription[subscription]; ok {
		return cl, nil
	}
	cl, err := c.connect(s, subscription)
	if err != nil {
		return nil, &cloud.Error{Code: cloud.Internal, Message: cloud.Clean("building the clients of Azure: " + err.Error()), Cause: err}
	}
	c.perSubscription[subscription] = cl
	return cl, nil
}

// sender returns the connection, built at first use. A failure is not kept.
func (c *Cloud) sender(ctx context.Context) (*sender, error) {
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.gate }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.sent != nil {
		return c.sent, nil
	}
	built, err := c.build()
	if err != nil {
		return nil, err
	}
	c.sent = built
	return built, nil
}

// build makes the connection. No I/O.
func (c *Cloud) build() (*sender, error) {
	if err := checkEndpoint(c.cfg.Endpoint); err != nil {
		return nil, err
	}
	place := placeOf(c.cfg.Endpoint)
	base := c.transport()
	plain := &http.Client{Transport: base, CheckRedirect: stay}
	creds, err := c.load(place, plain)
	if err != nil {
		return nil, err
	}
	return &sender{
		plain: plain, credential: creds,
		options: &arm.ClientOptions{
			// A missing registration is the user's to make: the client library would
			// make it with rights that nobody gave it, and poll by its own clock.
			DisableRPRegistration: true,
			ClientOptions: policy.ClientOptions{
				Cloud:                           place,
				Transport:                       &http.Client{Transport: httpdate.Transport{Inner: base, Clock: c.dates}, CheckRedirect: stay},
				Retry:                           policy.RetryOptions{MaxRetries: -1},
				Telemetry:                       policy.TelemetryOptions{ApplicationID: "terraform-provider-gpu"},
				InsecureAllowCredentialWithHTTP: c.anonymous(),
			},
		},
	}, nil
}

// connect makes the services of a subscription. No I/O: they send when called.
func (c *Cloud) connect(s *sender, subscription string) (*clients, error) {
	cl := &clients{cloud: c, sender: s, subscription: subscription}
	general, err := arm.NewClient("azure", version, s.credential, s.options)
	if err != nil {
		return nil, err
	}
	cl.pipeline = general.Pipeline()
	if cl.reservations, err = armcompute.NewCapacityReservationsClient(subscription, s.credential, s.options); err != nil {
		return nil, err
	}
	if cl.groups, err = armcompute.NewCapacityReservationGroupsClient(subscription, s.credential, s.options); err != nil {
		return nil, err
	}
	if cl.skus, err = armcompute.NewResourceSKUsClient(subscription, s.credential, s.options); err != nil {
		return nil, err
	}
	cl.usages, err = armcompute.NewUsageClient(subscription, s.credential, s.options)
	return cl, err
}

// transport is the connection without credentials.
func (c *Cloud) transport() http.RoundTripper {
	if c.cfg.Transport != nil {
		return c.cfg.Transport
	}
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := standard.Clone()
	own.MaxIdleConnsPerHost = connections
	return own
}

// stay follows no redirection: Azure Resource Manager sends none, and a token is
// not for whoever does.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// placeOf is the cloud of an endpoint: one of Azure's own by its host, else a
// private one that takes tokens for itself.
func placeOf(text string) azcloud.Configuration {
	if text == "" {
		return azcloud.AzurePublic
	}
	text = strings.TrimSuffix(text, "/")
	for _, known := range []azcloud.Configuration{azcloud.AzurePublic, azcloud.AzureGovernment, azcloud.AzureChina} {
		if host(known.Services[azcloud.ResourceManager].Endpoint) == host(text) {
			return known
		}
	}
	authority := os.Getenv(authorityVariable)
	if authority == "" {
		authority = azcloud.AzurePublic.ActiveDirectoryAuthorityHost
	}
	return azcloud.Configuration{
		ActiveDirectoryAuthorityHost: authority,
		Services: map[azcloud.ServiceName]azcloud.ServiceConfiguration{
			azcloud.ResourceManager: {Endpoint: text, Audience: text},
		},
	}
}

func host(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
