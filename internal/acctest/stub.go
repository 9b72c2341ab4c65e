package acctest

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Stub stands in for another provider, of which a test needs a few resource types.
// Their objects are nowhere but in the state. It is as strict as the schemas it is
// given: an argument that is not in them is an error.
type Stub struct {
	// Name is the provider's, "aws".
	Name string
	// Block is the provider block.
	Block providerschema.Schema
	// Resources are the types, each with a name that starts with the provider's.
	Resources map[string]StubResource
}

// StubResource is one type of a Stub.
type StubResource struct {
	Schema schema.Schema
	// Made holds the text values of computed attributes; "made" where none is.
	Made map[string]string
	// Identity holds the attributes of its state's identity, all of them texts, and
	// their values; none for a type without an identity.
	Identity map[string]string
}

// Server serves the stub; see [Options].
func (s Stub) Server() (tfprotov6.ProviderServer, error) {
	return providerserver.NewProtocol6WithError(stubProvider{s})()
}

type stubProvider struct{ stub Stub }

// Metadata implements provider.Provider.
func (p stubProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = p.stub.Name
}

// Schema implements provider.Provider.
func (p stubProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = p.stub.Block
}

// Configure implements provider.Provider.
func (stubProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

// DataSources implements provider.Provider.
func (stubProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources implements provider.Provider.
func (p stubProvider) Resources(context.Context) []func() resource.Resource {
	var all []func() resource.Resource
	for name, r := range p.stub.Resources {
		all = append(all, func() resource.Resource {
			if len(r.Identity) > 0 {
				return stubIdentified{stubResource{name, r}}
			}
			return stubResource{name, r}
		})
	}
	return all
}

type stubResource struct {
	name string
	StubResource
}

// Metadata implements resource.Resource.
func (r stubResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

// Schema implements resource.Resource.
func (r stubResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.StubResource.Schema
}

// Create implements resource.Resource.
func (r stubResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	raw, err := r.make(req.Plan.Raw)
	if err != nil {
		resp.Diagnostics.AddError("No object", err.Error())
		return
	}
	resp.State.Raw = raw
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity)...)
}

// Read implements resource.Resource: the object is as the state has it.
func (r stubResource) Read(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity)...)
}

// Update implements resource.Resource.
func (r stubResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	raw, err := r.make(req.Plan.Raw)
	if err != nil {
		resp.Diagnostics.AddError("No object", err.Error())
		return
	}
	resp.State.Raw = raw
	resp.Diagnostics.Append(r.identify(ctx, resp.Identity)...)
}

// Delete implements resource.Resource.
func (stubResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// identify writes the identity.
func (r stubResource) identify(ctx context.Context, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, value := range r.Identity {
		diags.Append(identity.SetAttribute(ctx, path.Root(name), value)...)
	}
	return diags
}

// stubIdentified is a stubResource whose state has an identity.
type stubIdentified struct{ stubResource }

// IdentitySchema implements resource.ResourceWithIdentity.
func (r stubIdentified) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	for name := range r.Identity {
		resp.IdentitySchema.Attributes[name] = identityschema.StringAttribute{RequiredForImport: true}
	}
}

// make gives a value to whatever a plan leaves open: to a text what Made has for
// it, to a number 1.
func (r stubResource) make(plan tftypes.Value) (tftypes.Value, error) {
	return tftypes.Transform(plan, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		switch {
		case v.IsKnown():
			return v, nil
		case v.Type().Is(tftypes.Number):
			return tftypes.NewValue(tftypes.Number, 1), nil
		case !v.Type().Is(tftypes.String):
			return v, fmt.Errorf("%s of %s is unknown, and neither text nor number", at, r.name)
		}
		text := "made"
		if name, ok := at.LastStep().(tftypes.AttributeName); ok && r.Made[string(name)] != "" {
			text = r.Made[string(name)]
		}
		return tftypes.NewValue(tftypes.String, text), nil
	})
}
