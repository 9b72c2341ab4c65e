package reservation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// DataSource is the data source gpu_reservation.
type DataSource struct{ provider *configured.Provider }

var (
	_ datasource.DataSourceWithConfigure        = (*DataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*DataSource)(nil)
)

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// lookup is the data source as configuration and state hold it.
type lookup struct {
	Account types.String `tfsdk:"account"`

	View
}

// Metadata implements datasource.DataSource.
func (*DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = typeName
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.provider = configured.From(req.ProviderData, &resp.Diagnostics)
}

// Schema implements datasource.DataSource.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := ViewAttributes()
	byID := stringvalidator.ConflictsWith(path.MatchRoot("id"))
	input := func(description string, validators ...validator.String) dataschema.StringAttribute {
		return dataschema.StringAttribute{
			Optional: true, Computed: true, MarkdownDescription: description,
			Validators: append(validators, stringvalidator.LengthAtLeast(1)),
		}
	}
	attributes["id"] = input(Noted("view.id", "Look the reservation up by this id, in any form that import takes: `<cloud>:<native_id>` or a "+
		"short form. Exactly one of `id` and `name` is set. Read back, it is `<cloud>:<native_id>` if it was not set."))
	attributes["name"] = input("Look the reservation up by the name in its mark, together with `cloud`, `region` and `owner`. Read "+
		"back, it is null on a reservation without a mark.", stringvalidator.AlsoRequires(path.MatchRoot("cloud")))
	attributes["cloud"] = input("The cloud: "+CloudNames()+". Required with `name`; with `id` it is part of the id.", byID)
	attributes["region"] = input(Noted("view.region", "Region to look for `name` in. Default: the provider's for that cloud."), byID)
	attributes["owner"] = input("Owner to look for together with `name`. Default: the provider's `owner`. Read back, it is null on a "+
		"reservation without a mark.", byID)
	attributes["status"] = viewText("`pending` (accepted, not yet promised), `held`, `refused` (never promised) or `ended` (came to its end).")
	attributes["account"] = dataschema.StringAttribute{
		Optional:            true,
		MarkdownDescription: Noted("account", "Which configured account to look with. Default: the provider's own."),
		Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
	}
	resp.Schema = dataschema.Schema{
		MarkdownDescription: "One reservation of GPU capacity as its cloud shows it now, whoever made it. What moves by itself, such as " +
			"the number of instances in use, is here and not in the resource. It is an error if there is none; one that was given up " +
			"is none, even while its cloud still shows it.",
		Attributes: attributes,
	}
}

// ConfigValidators implements datasource.DataSourceWithConfigValidators.
func (*DataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name"))}
}

// Read implements datasource.DataSource. It asks the cloud each time.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var q lookup
	resp.Diagnostics.Append(req.Config.Get(ctx, &q)...)
	if resp.Diagnostics.HasError() || !d.provider.Ready(&resp.Diagnostics) {
		return
	}
	search := d.byName
	if !q.ID.IsNull() {
		search = d.byID
	}
	cloudName, found, ok := search(ctx, q, &resp.Diagnostics)
	if !ok {
		return
	}
	view := NewViewer(d.provider, cloudName).View(ctx, found, &resp.Diagnostics)
	if !q.ID.IsNull() {
		view.ID = q.ID
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &lookup{Account: q.Account, View: view})...)
}

func (d *DataSource) byID(ctx context.Context, q lookup, diags *diag.Diagnostics) (string, cloud.Reservation, bool) {
	cloudName, found, err := find(ctx, d.provider, q.Account.ValueString(), q.ID.ValueString())
	if err == nil {
		return cloudName, found, true
	}
	summary, detail := "Cannot read reservation", err.Error()
	var f *capacity.Failure
	if errors.As(err, &f) {
		detail = f.Detail
	}
	if cloud.CodeOf(err) == cloud.NotFound || found.State.GivenUp() {
		summary = "Reservation not found"
	}
	diags.AddAttributeError(path.Root("id"), summary, fmt.Sprintf("Looked for %q: %s", q.ID.ValueString(), detail))
	return "", found, false
}

func (d *DataSource) byName(ctx context.Context, q lookup, diags *diag.Diagnostics) (string, cloud.Reservation, bool) {
	cloudName, region, owner := q.Cloud.ValueString(), q.Region.ValueString(), q.Owner.ValueString()
	if !d.provider.Usable(cloudName, diags) {
		return "", cloud.Reservation{}, false
	}
	if region == "" {
		region = d.provider.Regions[cloudName]
	}
	if owner == "" {
		owner = d.provider.Owner
	}
	if owner == "" {
		diags.AddAttributeError(path.Root("owner"), "No owner",
			"A name is unique per owner, and neither this data source nor the provider has one. Set owner here, or look up by id.")
		return "", cloud.Reservation{}, false
	}
	all, err := d.provider.Manager.List(ctx, cloudName, q.Account.ValueString(), region)
	if err != nil {
		report.Failure(diags, err)
		return "", cloud.Reservation{}, false
	}
	found, err := pick(all, owner, q.Name.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("name"), "Reservation not found", fmt.Sprintf("Looked in %s for name %q of owner %q: %s",
			strings.Join(slices.DeleteFunc([]string{cloudName, q.Account.ValueString(), region}, func(s string) bool { return s == "" }), " "),
			q.Name.ValueString(), owner, err))
		return "", cloud.Reservation{}, false
	}
	return cloudName, found, true
}

// pick is the one reservation with that mark. A live one counts before one that
// ended or was refused; one that was given up is none.
func pick(all []cloud.Reservation, owner, name string) (cloud.Reservation, error) {
	var live, over []cloud.Reservation
	for _, r := range all {
		switch {
		case r.Mark.Owner != owner || r.Mark.Name != name || r.State.GivenUp():
		case r.State.Live():
			live = append(live, r)
		default:
			over = append(over, r)
		}
	}
	if len(live) == 0 {
		live = over
	}
	switch len(live) {
	case 0:
		return cloud.Reservation{}, errors.New("there is none. Reservations that were given up do not count")
	case 1:
		return live[0], nil
	}
	ids := make([]string, len(live))
	for i, r := range live {
		ids[i] = r.Ref.NativeID
	}
	return cloud.Reservation{}, fmt.Errorf("there are %d: %s. Look one up by id", len(ids), strings.Join(ids, ", "))
}
