// Package providertest drives Terraform types in process, through the protocol
// server that the command lines talk to, with whatever provider data a test
// gives them. It knows the protocol and no type of this provider.
package providertest

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Types are what a test serves.
type Types struct {
	Resources   []func() resource.Resource
	DataSources []func() datasource.DataSource
	Functions   []func() function.Function
	// Data is the provider data that the types are configured with.
	Data any
}

// Server answers requests for a set of types.
type Server struct {
	tb      testing.TB
	inner   tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
}

// Serve starts answering for the types.
func Serve(tb testing.TB, types Types) *Server {
	tb.Helper()
	s := Of(tb, providerserver.NewProtocol6(served{types})())
	s.must(nil, s.Configure(nil))
	return s
}

// Of asks a server that exists, with its own configuration.
func Of(tb testing.TB, inner tfprotov6.ProviderServer) *Server {
	tb.Helper()
	s := &Server{tb: tb, inner: inner}
	schemas, err := inner.GetProviderSchema(tb.Context(), &tfprotov6.GetProviderSchemaRequest{})
	s.must(err, schemas.Diagnostics)
	s.schemas = schemas
	return s
}

// Configure configures the provider with the given attributes of its block and
// returns what it says.
func (s *Server) Configure(config map[string]any) Diagnostics {
	s.tb.Helper()
	resp, err := s.inner.ConfigureProvider(s.tb.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: s.encode(s.schemas.Provider, config),
	})
	s.must(err, nil)
	return Diagnostics(resp.Diagnostics)
}

// Schemas are the schemas of what is served.
func (s *Server) Schemas() *tfprotov6.GetProviderSchemaResponse { return s.schemas }

// ValidateResource validates a configuration of a resource.
func (s *Server) ValidateResource(name string, config map[string]any) Diagnostics {
	s.tb.Helper()
	schema, ok := s.schemas.ResourceSchemas[name]
	if !ok {
		s.tb.Fatalf("resource %s is not served", name)
	}
	resp, err := s.inner.ValidateResourceConfig(s.tb.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: name, Config: s.encode(schema, config),
	})
	s.must(err, nil)
	return Diagnostics(resp.Diagnostics)
}

// ImportByIdentity imports a resource by its identity and reads it, as a command
// line does. The state is nil where something failed.
func (s *Server) ImportByIdentity(name string, identity map[string]any) (map[string]any, Diagnostics) {
	s.tb.Helper()
	schemas, err := s.inner.GetResourceIdentitySchemas(s.tb.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	s.must(err, schemas.Diagnostics)
	schema, ok := schemas.IdentitySchemas[name]
	if !ok {
		s.tb.Fatalf("resource %s has no identity", name)
	}
	value, err := tfprotov6.NewDynamicValue(schema.ValueType(), encode(s.tb, schema.ValueType(), identity))
	s.must(err, nil)
	resp, err := s.inner.ImportResourceState(s.tb.Context(), &tfprotov6.ImportResourceStateRequest{
		TypeName: name, Identity: &tfprotov6.ResourceIdentityData{IdentityData: &value},
	})
	s.must(err, nil)
	if d := Diagnostics(resp.Diagnostics); len(d.Errors()) > 0 {
		return nil, d
	}
	imported := resp.ImportedResources[0]
	read, err := s.inner.ReadResource(s.tb.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: imported.State, CurrentIdentity: imported.Identity, Private: imported.Private,
	})
	s.must(err, nil)
	if d := Diagnostics(read.Diagnostics); len(d.Errors()) > 0 {
		return nil, d
	}
	return s.decode(read.NewState, s.schemas.ResourceSchemas[name].ValueType()), Diagnostics(read.Diagnostics)
}

// Source is the state of another provider's resource.
type Source struct {
	// Provider is the full address, "registry.terraform.io/hashicorp/aws".
	Provider, Type string
	Version        int64
	State          string // as JSON
}

// MoveResource moves such a state into a resource. The provider need not be
// configured. State and identity are nil where something failed.
func (s *Server) MoveResource(name string, from Source) (state, identity map[string]any, _ Diagnostics) {
	s.tb.Helper()
	resp, err := s.inner.MoveResourceState(s.tb.Context(), &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: from.Provider, SourceTypeName: from.Type, SourceSchemaVersion: from.Version,
		SourceState: &tfprotov6.RawState{JSON: []byte(from.State)}, TargetTypeName: name,
	})
	s.must(err, nil)
	d := Diagnostics(resp.Diagnostics)
	if len(d.Errors()) > 0 {
		return nil, nil, d
	}
	schemas, err := s.inner.GetResourceIdentitySchemas(s.tb.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	s.must(err, schemas.Diagnostics)
	return s.decode(resp.TargetState, s.schemas.ResourceSchemas[name].ValueType()),
		s.decode(resp.TargetIdentity.IdentityData, schemas.IdentitySchemas[name].ValueType()), d
}

// ReadDataSource validates a configuration and, if it is valid, reads it. The
// state is nil where something failed. A nil attribute, and one that is left
// out, is null; Unknown is unknown.
func (s *Server) ReadDataSource(name string, config map[string]any) (map[string]any, Diagnostics) {
	s.tb.Helper()
	schema, ok := s.schemas.DataSourceSchemas[name]
	if !ok {
		s.tb.Fatalf("data source %s is not served", name)
	}
	encoded := s.encode(schema, config)
	validated, err := s.inner.ValidateDataResourceConfig(s.tb.Context(), &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: name, Config: encoded,
	})
	s.must(err, nil)
	if d := Diagnostics(validated.Diagnostics); len(d.Errors()) > 0 {
		return nil, d
	}
	resp, err := s.inner.ReadDataSource(s.tb.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: encoded})
	s.must(err, nil)
	d := Diagnostics(resp.Diagnostics)
	if len(d.Errors()) > 0 {
		return nil, d
	}
	return s.decode(resp.State, schema.ValueType()), d
}

// Call calls a function; nil arguments are null. The error is nil on success.
func (s *Server) Call(name string, arguments ...any) (any, *tfprotov6.FunctionError) {
	s.tb.Helper()
	f, ok := s.schemas.Functions[name]
	if !ok {
		s.tb.Fatalf("function %s is not served", name)
	}
	req := &tfprotov6.CallFunctionRequest{Name: name}
	for i, argument := range arguments {
		value, err := tfprotov6.NewDynamicValue(f.Parameters[i].Type, encode(s.tb, f.Parameters[i].Type, argument))
		s.must(err, nil)
		req.Arguments = append(req.Arguments, &value)
	}
	resp, err := s.inner.CallFunction(s.tb.Context(), req)
	s.must(err, nil)
	if resp.Error != nil {
		return nil, resp.Error
	}
	result, err := resp.Result.Unmarshal(f.Return.Type)
	s.must(err, nil)
	return decode(s.tb, result), nil
}

func (s *Server) encode(schema *tfprotov6.Schema, config map[string]any) *tfprotov6.DynamicValue {
	s.tb.Helper()
	if config == nil {
		config = map[string]any{}
	}
	t := schema.ValueType()
	value, err := tfprotov6.NewDynamicValue(t, encode(s.tb, t, config))
	s.must(err, nil)
	return &value
}

func (s *Server) decode(value *tfprotov6.DynamicValue, t tftypes.Type) map[string]any {
	s.tb.Helper()
	object, err := value.Unmarshal(t)
	s.must(err, nil)
	decoded, ok := decode(s.tb, object).(map[string]any)
	if !ok {
		s.tb.Fatalf("%s is not an object", object)
	}
	return decoded
}

func (s *Server) must(err error, diags []*tfprotov6.Diagnostic) {
	s.tb.Helper()
	if err != nil {
		s.tb.Fatal(err)
	}
	if errors := Diagnostics(diags).Errors(); len(errors) > 0 {
		s.tb.Fatal(errors)
	}
}

// Unknown is a value that is not known yet.
const Unknown = unknown("unknown")

type unknown string

// served is a provider with an empty block.
type served struct{ types Types }

// Metadata implements provider.Provider.
func (served) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "gpu"
}

// Schema implements provider.Provider.
func (served) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure implements provider.Provider.
func (p served) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.DataSourceData, resp.ResourceData = p.types.Data, p.types.Data
}

// DataSources implements provider.Provider.
func (p served) DataSources(context.Context) []func() datasource.DataSource {
	return p.types.DataSources
}

// Resources implements provider.Provider.
func (p served) Resources(context.Context) []func() resource.Resource { return p.types.Resources }

// Functions implements provider.ProviderWithFunctions.
func (p served) Functions(context.Context) []func() function.Function { return p.types.Functions }
