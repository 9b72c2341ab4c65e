package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// tiny has one of each kind that a framework provider of ours has.
type tiny struct{}

func (tiny) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "gpu"
}

func (tiny) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerschema.Schema{
		MarkdownDescription: "Locks <GPUs>.",
		Attributes:          map[string]providerschema.Attribute{"owner": providerschema.StringAttribute{Optional: true}},
	}
}

func (tiny) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (tiny) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (tiny) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return thing{} }}
}

func (tiny) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return phase{} }}
}

type thing struct{ resource.Resource }

func (thing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "gpu_thing"
}

func (thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version:             2,
		MarkdownDescription: "A thing.",
		Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "The id."},
			"tags": schema.MapAttribute{ElementType: types.StringType, Optional: true},
			"window": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
				"end_at": schema.StringAttribute{Required: true},
			}},
			"zones": schema.ListNestedAttribute{Optional: true, DeprecationMessage: "Use zone.", NestedObject: schema.NestedAttributeObject{
				Attributes: map[string]schema.Attribute{"count": schema.Int64Attribute{Required: true}},
			}},
			"key_wo": schema.StringAttribute{Optional: true, Sensitive: true, WriteOnly: true},
		},
		Blocks: map[string]schema.Block{"timeouts": schema.SingleNestedBlock{
			Attributes: map[string]schema.Attribute{"create": schema.StringAttribute{Optional: true}},
		}},
	}
}

func (thing) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"cloud": identityschema.StringAttribute{RequiredForImport: true, Description: "The cloud."},
	}}
}

type phase struct{ function.Function }

func (phase) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "phase"
}

func (phase) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Phase of a window.",
		MarkdownDescription: "Says where an instant lies.",
		Parameters:          []function.Parameter{function.StringParameter{Name: "starts_at", AllowNullValue: true}},
		VariadicParameter:   function.Float64Parameter{Name: "rest"},
		Return:              function.StringReturn{},
	}
}

func TestDump(t *testing.T) {
	t.Parallel()
	server, err := providerserver.NewProtocol6WithError(tiny{})()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := dump(t.Context(), server, &out); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "format_version": "1.0",
  "provider_schemas": {"gpu": {
    "provider": {"version": 0, "block": {
      "attributes": {"owner": {"type": "string", "description_kind": "plain", "optional": true}},
      "description": "Locks <GPUs>.", "description_kind": "markdown"}},
    "resource_schemas": {"gpu_thing": {"version": 2, "block": {
      "description": "A thing.", "description_kind": "markdown",
      "attributes": {
        "id": {"type": "string", "description": "The id.", "description_kind": "markdown", "computed": true},
        "key_wo": {"type": "string", "description_kind": "plain", "optional": true, "sensitive": true, "write_only": true},
        "tags": {"type": ["map", "string"], "description_kind": "plain", "optional": true},
        "window": {"description_kind": "plain", "optional": true, "nested_type": {"nesting_mode": "single",
          "attributes": {"end_at": {"type": "string", "description_kind": "plain", "required": true}}}},
        "zones": {"description_kind": "plain", "optional": true, "deprecated": true, "nested_type": {"nesting_mode": "list",
          "attributes": {"count": {"type": "number", "description_kind": "plain", "required": true}}}}},
      "block_types": {"timeouts": {"nesting_mode": "single", "block": {"description_kind": "plain",
        "attributes": {"create": {"type": "string", "description_kind": "plain", "optional": true}}}}}}}},
    "functions": {"phase": {
      "summary": "Phase of a window.", "description": "Says where an instant lies.", "return_type": "string",
      "parameters": [{"name": "starts_at", "is_nullable": true, "type": "string"}],
      "variadic_parameter": {"name": "rest", "type": "number"}}},
    "resource_identity_schemas": {"gpu_thing": {"version": 0, "attributes": {
      "cloud": {"type": "string", "description": "The cloud.", "required_for_import": true}}}}
  }}
}`
	if diff := cmp.Diff(tree(t, want), tree(t, out.String())); diff != "" {
		t.Errorf("dump (-want +got):\n%s", diff)
	}
	var back tfjson.ProviderSchemas
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil {
		t.Errorf("the library cannot read the dump back: %v", err)
	}
}

func tree(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return out
}

// TestConvertKinds covers what a framework provider of ours does not have yet.
func TestConvertKinds(t *testing.T) {
	t.Parallel()
	one := &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Description: "one", Deprecated: true}}
	got, err := convert(&tfprotov6.GetProviderSchemaResponse{
		DataSourceSchemas:        map[string]*tfprotov6.Schema{"gpu_data": one},
		EphemeralResourceSchemas: map[string]*tfprotov6.Schema{"gpu_token": one},
		ListResourceSchemas:      map[string]*tfprotov6.Schema{"gpu_list": one},
		StateStoreSchemas:        map[string]*tfprotov6.Schema{"gpu_store": one},
		ActionSchemas:            map[string]*tfprotov6.ActionSchema{"gpu_act": {Schema: one}, "gpu_bare": {}},
	}, &tfprotov6.GetResourceIdentitySchemasResponse{})
	if err != nil {
		t.Fatal(err)
	}
	block := &tfjson.SchemaBlock{Description: "one", DescriptionKind: tfjson.SchemaDescriptionKindPlain, Deprecated: true}
	schema := func(name string) map[string]*tfjson.Schema {
		return map[string]*tfjson.Schema{name: {Block: block}}
	}
	want := &tfjson.ProviderSchema{
		DataSourceSchemas:        schema("gpu_data"),
		EphemeralResourceSchemas: schema("gpu_token"),
		ListResourceSchemas:      schema("gpu_list"),
		StateStoreSchemas:        schema("gpu_store"),
		ActionSchemas:            map[string]*tfjson.ActionSchema{"gpu_act": {Block: block}, "gpu_bare": {}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("convert (-want +got):\n%s", diff)
	}
}

func TestConvertNesting(t *testing.T) {
	t.Parallel()
	blocks := map[tfprotov6.SchemaNestedBlockNestingMode]tfjson.SchemaNestingMode{
		tfprotov6.SchemaNestedBlockNestingModeSingle: tfjson.SchemaNestingModeSingle,
		tfprotov6.SchemaNestedBlockNestingModeList:   tfjson.SchemaNestingModeList,
		tfprotov6.SchemaNestedBlockNestingModeSet:    tfjson.SchemaNestingModeSet,
		tfprotov6.SchemaNestedBlockNestingModeMap:    tfjson.SchemaNestingModeMap,
		tfprotov6.SchemaNestedBlockNestingModeGroup:  tfjson.SchemaNestingModeGroup,
	}
	for mode, want := range blocks {
		c := converter{}
		got := c.block(&tfprotov6.SchemaBlock{BlockTypes: []*tfprotov6.SchemaNestedBlock{{TypeName: "b", Nesting: mode, MinItems: 1, MaxItems: 3}}})
		b := got.NestedBlocks["b"]
		if b.NestingMode != want || b.MinItems != 1 || b.MaxItems != 3 || len(c.errs) > 0 {
			t.Errorf("block mode %d: %+v, %v, want %s", mode, b, c.errs, want)
		}
	}
	objects := map[tfprotov6.SchemaObjectNestingMode]tfjson.SchemaNestingMode{
		tfprotov6.SchemaObjectNestingModeSingle: tfjson.SchemaNestingModeSingle,
		tfprotov6.SchemaObjectNestingModeList:   tfjson.SchemaNestingModeList,
		tfprotov6.SchemaObjectNestingModeSet:    tfjson.SchemaNestingModeSet,
		tfprotov6.SchemaObjectNestingModeMap:    tfjson.SchemaNestingModeMap,
	}
	for mode, want := range objects {
		c := converter{}
		got := c.attribute(&tfprotov6.SchemaAttribute{Name: "a", NestedType: &tfprotov6.SchemaObject{Nesting: mode}})
		if got.AttributeNestedType.NestingMode != want || len(c.errs) > 0 {
			t.Errorf("object mode %d: %+v, %v, want %s", mode, got.AttributeNestedType, c.errs, want)
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	refusal := []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "broken"}}
	block := func(nested *tfprotov6.SchemaNestedBlock, attributes ...*tfprotov6.SchemaAttribute) *tfprotov6.GetProviderSchemaResponse {
		b := &tfprotov6.SchemaBlock{Attributes: attributes}
		if nested != nil {
			b.BlockTypes = []*tfprotov6.SchemaNestedBlock{nested}
		}
		return &tfprotov6.GetProviderSchemaResponse{Provider: &tfprotov6.Schema{Block: b}}
	}
	for name, tc := range map[string]struct {
		schemas    *tfprotov6.GetProviderSchemaResponse
		identities []*tfprotov6.Diagnostic
		want       string
	}{
		"schema error":   {schemas: &tfprotov6.GetProviderSchemaResponse{Diagnostics: refusal}, want: "no schema: broken"},
		"identity error": {schemas: block(nil), identities: refusal, want: "no identity: broken"},
		"block mode":     {schemas: block(&tfprotov6.SchemaNestedBlock{TypeName: "b"}), want: "block b"},
		"object mode":    {schemas: block(nil, &tfprotov6.SchemaAttribute{Name: "a", NestedType: &tfprotov6.SchemaObject{}}), want: "attribute a"},
		"negative":       {schemas: &tfprotov6.GetProviderSchemaResponse{Provider: &tfprotov6.Schema{Version: -1}}, want: "negative"},
		"no type":        {schemas: block(nil, &tfprotov6.SchemaAttribute{Name: "a"}), want: "type of a"},
		"no return": {schemas: &tfprotov6.GetProviderSchemaResponse{
			Functions: map[string]*tfprotov6.Function{"f": {Summary: "F", Parameters: []*tfprotov6.FunctionParameter{{Type: tftypes.String}}}},
		}, want: "no return type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := convert(tc.schemas, &tfprotov6.GetResourceIdentitySchemasResponse{Diagnostics: tc.identities})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want %q", err, tc.want)
			}
		})
	}
}
