// Package reservations is the data source gpu_reservations: every reservation of
// a place as its cloud shows them now. What it shows of each is in package
// reservation.
package reservations

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation"
)

// DataSource is the data source gpu_reservations.
type DataSource struct{ provider *configured.Provider }

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// listing is the data source as configuration and state hold it.
type listing struct {
	Cloud        types.String       `tfsdk:"cloud"`
	Account      types.String       `tfsdk:"account"`
	Region       types.String       `tfsdk:"region"`
	Owner        types.String       `tfsdk:"owner"`
	Name         types.String       `tfsdk:"name"`
	Status       types.String       `tfsdk:"status"`
	InstanceType types.String       `tfsdk:"instance_type"`
	Reservations []reservation.View `tfsdk:"reservations"`
}

// Metadata implements datasource.DataSource.
func (*DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "gpu_reservations"
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configured.From(req.ProviderData, &resp.Diagnostics)
}

// Schema implements datasource.DataSource.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	input := func(description string, validators ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{
			Optional: true, MarkdownDescription: description, Validators: append(validators, stringvalidator.LengthAtLeast(1)),
		}
	}
	where := input("The cloud: " + reservation.CloudNames() + ".")
	where.Optional, where.Required = false, true
	resp.Schema = schema.Schema{
		MarkdownDescription: "Every reservation of one account and region as its cloud shows them now, whoever made them: with a mark or " +
			"without, live or over for as long as the cloud shows it. The list is whole; where it cannot be, reading is an error.",
		Attributes: map[string]schema.Attribute{
			"cloud":         where,
			"account":       input(reservation.Noted("account", "Which configured account to list. Default: the provider's own.")),
			"region":        input(reservation.Noted("view.region", "Region to list. Default: the provider's for that cloud.")),
			"owner":         input("Only reservations whose mark has this owner."),
			"name":          input("Only reservations whose mark has this name."),
			"status":        input("Only reservations with this status.", stringvalidator.OneOf(reservation.Statuses()...)),
			"instance_type": input("Only reservations of this instance type."),
			"reservations": schema.ListNestedAttribute{
				Computed:            true,
				MarkdownDescription: "The reservations, in the order of their ids.",
				NestedObject:        schema.NestedAttributeObject{Attributes: reservation.ViewAttributes()},
			},
		},
	}
}

// Read implements datasource.DataSource. It asks the cloud each time.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var l listing
	resp.Diagnostics.Append(req.Config.Get(ctx, &l)...)
	if resp.Diagnostics.HasError() || !d.provider.Ready(&resp.Diagnostics) ||
		!d.provider.Usable(l.Cloud.ValueString(), &resp.Diagnostics) {
		return
	}
	region := l.Region.ValueString()
	if region == "" {
		region = d.provider.Regions[l.Cloud.ValueString()]
	}
	all, err := d.provider.Manager.List(ctx, l.Cloud.ValueString(), l.Account.ValueString(), region)
	if err != nil {
		report.Failure(&resp.Diagnostics, err)
		return
	}
	viewer := reservation.NewViewer(d.provider, l.Cloud.ValueString())
	l.Reservations = []reservation.View{}
	for _, r := range all {
		if l.wants(r) {
			l.Reservations = append(l.Reservations, viewer.View(ctx, r, &resp.Diagnostics))
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &l)...)
}

// wants tells whether a reservation passes every filter.
func (l listing) wants(r cloud.Reservation) bool {
	passes := func(filter types.String, value string) bool { return filter.IsNull() || filter.ValueString() == value }
	return passes(l.Owner, r.Mark.Owner) && passes(l.Name, r.Mark.Name) &&
		passes(l.Status, reservation.StatusOf(r.State)) && passes(l.InstanceType, r.InstanceType)
}
