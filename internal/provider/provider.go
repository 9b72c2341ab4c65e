// Package provider is the provider block: its schema, its decoding, and the list
// of what it serves. It holds no rule about reservations.
package provider

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/offers"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/phase"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservations"
)

// Address is where registries list the provider.
const Address = "registry.terraform.io/gpulock/gpu"

// Options are what tests inject; the zero value is the real thing.
type Options struct {
	Clock clock.Clock
	// NewClaim returns a fresh random id.
	NewClaim func() string
}

// Provider is the provider gpu.
type Provider struct {
	version string
	options Options
	catalog func() (*catalog.Catalog, error)
	worlds  worlds
}

var (
	_ provider.ProviderWithFunctions      = (*Provider)(nil)
	_ provider.ProviderWithValidateConfig = (*Provider)(nil)
)

// New returns a maker of providers of that version.
func New(version string) func() provider.Provider { return NewWith(version, Options{}) }

// NewWith is New with parts replaced.
func NewWith(version string, o Options) func() provider.Provider {
	if o.Clock == nil {
		o.Clock = clock.Wall{}
	}
	if o.NewClaim == nil {
		o.NewClaim = rand.Text
	}
	return func() provider.Provider {
		return &Provider{version: version, options: o, catalog: sync.OnceValues(catalog.Load)}
	}
}

// Metadata implements provider.Provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "gpu", p.version
}

// Resources implements provider.Provider.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	rules := capacity.New(capacity.Config{Clouds: all.New(all.Config{Clock: p.options.Clock}), Clock: p.options.Clock})
	return []func() resource.Resource{
		func() resource.Resource { return reservation.NewResource(rules) },
	}
}

// DataSources implements provider.Provider.
func (*Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{offers.NewDataSource, reservation.NewDataSource, reservations.NewDataSource}
}

// Functions implements provider.ProviderWithFunctions.
func (*Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{phase.NewFunction}
}
