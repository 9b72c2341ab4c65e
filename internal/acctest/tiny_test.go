package acctest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// TestMain serves the tiny provider when a command line starts this test
// binary as a plugin, so that the binary mode is tested without a build.
func TestMain(m *testing.M) {
	if os.Getenv("TF_PLUGIN_MAGIC_COOKIE") == "" {
		os.Exit(m.Run())
	}
	serve := func() provider.Provider { return tinyProvider{dir: os.Getenv("TINY_DIR")} }
	err := providerserver.Serve(context.Background(), serve, providerserver.ServeOpts{
		Address:         os.Getenv("TINY_ADDRESS"),
		ProtocolVersion: 6,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tinyServer serves the tiny provider over dir in process.
func tinyServer(dir string) func() (tfprotov6.ProviderServer, error) {
	return providerserver.NewProtocol6WithError(tinyProvider{dir: dir})
}

// tinyProvider has one resource whose objects are files of a directory: the
// smallest world that a test can change behind the provider's back.
type tinyProvider struct{ dir string }

func (tinyProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "gpu"
}

func (tinyProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (tinyProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (tinyProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p tinyProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return tinyFile(p) }}
}

type tinyFile struct{ dir string }

type tinyModel struct {
	ID   types.String `tfsdk:"id"`
	Mode types.String `tfsdk:"mode"`
	Note types.String `tfsdk:"note"`
}

func (tinyFile) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "gpu_file"
}

func (tinyFile) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Computed:      true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		"mode": schema.StringAttribute{Required: true},
		"note": schema.StringAttribute{Optional: true},
	}}
}

// Create obeys mode: "warn" and "fail" end so, "wait" waits for an interrupt.
func (f tinyFile) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model tinyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	mode := model.Mode.ValueString()
	switch mode {
	case "fail":
		resp.Diagnostics.AddAttributeError(path.Root("mode"), "No file", "The mode asks for a failure.")
		return
	case "warn":
		resp.Diagnostics.AddAttributeWarning(path.Root("mode"), "A file with a warning", "The mode asks for a warning.")
		tflog.Warn(ctx, "refused once", map[string]any{"mode": mode})
		tflog.Info(ctx, "not a warning")
	case "wait":
		if err := os.WriteFile(filepath.Join(f.dir, "waiting"), nil, 0o600); err != nil {
			resp.Diagnostics.AddError("No mark", err.Error())
		}
		<-ctx.Done()
		resp.Diagnostics.AddWarning("Interrupted", "The wait was cut short.")
	}
	model.ID = types.StringValue("file-" + mode)
	f.write(ctx, model, &resp.State, resp.Diagnostics.AddError)
}

// write puts the object on disk and into state.
func (f tinyFile) write(ctx context.Context, model tinyModel, state *tfsdk.State, fail func(summary, detail string)) {
	err := os.WriteFile(filepath.Join(f.dir, model.ID.ValueString()), []byte(model.Note.ValueString()), 0o600)
	if err != nil {
		fail("No file", err.Error())
		return
	}
	if diags := state.Set(ctx, model); diags.HasError() {
		fail("No state", fmt.Sprint(diags))
	}
}

func (f tinyFile) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model tinyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	note, err := os.ReadFile(filepath.Join(f.dir, model.ID.ValueString()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		resp.Diagnostics.AddError("No read", err.Error())
		return
	}
	if len(note) > 0 {
		model.Note = types.StringValue(string(note))
	}
	if model.Mode.IsNull() {
		model.Mode = types.StringValue("plain")
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func (f tinyFile) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model tinyModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	f.write(ctx, model, &resp.State, resp.Diagnostics.AddError)
}

func (f tinyFile) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model tinyModel
	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	if err := os.Remove(filepath.Join(f.dir, model.ID.ValueString())); err != nil {
		resp.Diagnostics.AddError("No delete", err.Error())
	}
}

func (tinyFile) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
}
