package acctest

import (
	"context"
	"io"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// fullServer is everything a framework provider serves that either command
// line may ask for. The protocol library finds the two optional parts by type
// assertion, so a wrapper has to carry them.
type fullServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// observedServer sends the provider's log to the test and counts the requests
// in hand. It wraps the requests in which a provider does its own work; the
// rest (schemas, metadata) pass through.
type observedServer struct {
	fullServer
	log      io.Writer
	inFlight sync.WaitGroup
}

// bare is a request's context without its values: among them are the protocol
// library's loggers, which would take the provider's lines from the test.
type bare struct{ context.Context }

// Value implements context.Context.
func (bare) Value(any) any { return nil }

// observe runs one request with the test's logger.
func observe[Req, Resp any](ctx context.Context, s *observedServer, request Req, handle func(context.Context, Req) (Resp, error)) (Resp, error) {
	s.inFlight.Add(1)
	defer s.inFlight.Done()
	ctx = tflogtest.RootLogger(bare{ctx}, s.log)
	return handle(ctx, request) //nolint:contextcheck // Bare keeps the request's cancellation; only its values go.
}

// ConfigureProvider implements tfprotov6.ProviderServer.
func (s *observedServer) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return observe(ctx, s, req, s.fullServer.ConfigureProvider)
}

// ValidateProviderConfig implements tfprotov6.ProviderServer.
func (s *observedServer) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return observe(ctx, s, req, s.fullServer.ValidateProviderConfig)
}

// ValidateResourceConfig implements tfprotov6.ResourceServer.
func (s *observedServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return observe(ctx, s, req, s.fullServer.ValidateResourceConfig)
}

// UpgradeResourceState implements tfprotov6.ResourceServer.
func (s *observedServer) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return observe(ctx, s, req, s.fullServer.UpgradeResourceState)
}

// ReadResource implements tfprotov6.ResourceServer.
func (s *observedServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return observe(ctx, s, req, s.fullServer.ReadResource)
}

// PlanResourceChange implements tfprotov6.ResourceServer.
func (s *observedServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return observe(ctx, s, req, s.fullServer.PlanResourceChange)
}

// ApplyResourceChange implements tfprotov6.ResourceServer.
func (s *observedServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return observe(ctx, s, req, s.fullServer.ApplyResourceChange)
}

// ImportResourceState implements tfprotov6.ResourceServer.
func (s *observedServer) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return observe(ctx, s, req, s.fullServer.ImportResourceState)
}

// MoveResourceState implements tfprotov6.ResourceServer.
func (s *observedServer) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return observe(ctx, s, req, s.fullServer.MoveResourceState)
}

// ValidateDataResourceConfig implements tfprotov6.DataSourceServer.
func (s *observedServer) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return observe(ctx, s, req, s.fullServer.ValidateDataResourceConfig)
}

// ReadDataSource implements tfprotov6.DataSourceServer.
func (s *observedServer) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return observe(ctx, s, req, s.fullServer.ReadDataSource)
}

// CallFunction implements tfprotov6.FunctionServer.
func (s *observedServer) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return observe(ctx, s, req, s.fullServer.CallFunction)
}
