package offers

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// DataSource is the data source gpu_offers.
type DataSource struct{ provider *configured.Provider }

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata implements datasource.DataSource.
func (*DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "gpu_offers"
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configured.From(req.ProviderData, &resp.Diagnostics)
}

// Read implements datasource.DataSource. It asks the cloud each time; only wrong
// arguments and credentials are errors.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m model
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() || !d.provider.Ready(&resp.Diagnostics) ||
		!d.provider.Usable(m.Cloud.ValueString(), &resp.Diagnostics) {
		return
	}
	s := newSearch(d.provider, m, &resp.Diagnostics)
	s.check(ctx)
	if resp.Diagnostics.HasError() {
		return
	}
	s.run(ctx, &m)
	report.Failure(&resp.Diagnostics, ctx.Err())
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
