package google

import (
	"context"
	"net/http"
	"strings"

	compute "cloud.google.com/go/compute/apiv1"
	"google.golang.org/api/cloudresourcemanager/v3"
	"google.golang.org/api/option"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpdate"
)

// connections are kept open for the many refreshes of one plan.
const connections = 100

// clients are the services of Google Cloud that this driver calls.
type clients struct {
	// http sends with credentials and notes the time of each answer.
	http     *http.Client
	endpoint string
	// credentials tell the project they are of.
	credentials credentials

	reservations *compute.ReservationsClient
	futures      *compute.FutureReservationsClient
	operations   *compute.ZoneOperationsClient
	machineTypes *compute.MachineTypesClient
	regions      *compute.RegionsClient
	manager      *cloudresourcemanager.Service
}

// clients returns the services, built at first use. A failure is not kept.
func (c *Cloud) clients(ctx context.Context) (*clients, error) {
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.gate }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.built != nil {
		return c.built, nil
	}
	built, err := c.build(ctx)
	if err != nil {
		return nil, err
	}
	c.built = built
	return built, nil
}

func (c *Cloud) build(ctx context.Context) (*clients, error) {
	if err := checkEndpoint(c.cfg.Endpoint); err != nil {
		return nil, err
	}
	sender, creds, err := c.sender()
	if err != nil {
		return nil, err
	}
	sender.Transport = httpdate.Transport{Inner: sender.Transport, Clock: c.dates}
	cl := &clients{http: sender, endpoint: c.cfg.Endpoint, credentials: creds}
	if err := cl.connect(ctx); err != nil {
		return nil, &cloud.Error{Code: cloud.Internal, Message: cloud.Clean("building the clients of Google Cloud: " + err.Error()), Cause: err}
	}
	return cl, nil
}

// sender is the connection of all services, with its credentials.
func (c *Cloud) sender() (*http.Client, credentials, error) {
	if c.anonymous() {
		return &http.Client{Transport: c.transport()}, credentials{}, nil
	}
	creds, err := c.load()
	if err != nil {
		return nil, credentials{}, err
	}
	sender, err := creds.client(c.cfg.Transport)
	return sender, creds, err
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

// options are those of every service.
func (cl *clients) options(sender *http.Client) []option.ClientOption {
	options := []option.ClientOption{option.WithHTTPClient(sender)}
	if cl.endpoint != "" {
		options = append(options, option.WithEndpoint(cl.endpoint))
	}
	return options
}

// connect makes the services over one sender. No I/O: they send when called, and
// keep no context.
func (cl *clients) connect(ctx context.Context) error {
	options := cl.options(cl.http)
	var err error
	if cl.reservations, err = compute.NewReservationsRESTClient(ctx, options...); err != nil {
		return err
	}
	if cl.futures, err = compute.NewFutureReservationsRESTClient(ctx, options...); err != nil {
		return err
	}
	if cl.operations, err = compute.NewZoneOperationsRESTClient(ctx, options...); err != nil {
		return err
	}
	if cl.machineTypes, err = compute.NewMachineTypesRESTClient(ctx, options...); err != nil {
		return err
	}
	if cl.regions, err = compute.NewRegionsRESTClient(ctx, options...); err != nil {
		return err
	}
	if cl.endpoint != "" {
		// This client resolves paths against the endpoint as a directory.
		options = append(options, option.WithEndpoint(strings.TrimSuffix(cl.endpoint, "/")+"/"))
	}
	cl.manager, err = cloudresourcemanager.NewService(ctx, options...)
	return err
}

// bound is the sender for a call of the client library that loses its context,
// as its aggregated lists do (apiv1, AggregatedList): every request is of ctx.
func (cl *clients) bound(ctx context.Context) *http.Client {
	return &http.Client{Transport: bound{ctx: ctx, inner: cl.http.Transport}}
}

type bound struct {
	ctx   context.Context
	inner http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bound) RoundTrip(req *http.Request) (*http.Response, error) {
	return b.inner.RoundTrip(req.WithContext(b.ctx))
}
