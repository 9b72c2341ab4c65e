package main

import (
	"encoding/json"
	"errors"
	"fmt"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// formatVersion is that of "terraform providers schema -json".
const formatVersion = "1.0"

// convert turns what a provider answers to a command line into the form in
// which a command line would print it. Empty kinds are left out, as there.
func convert(schemas *tfprotov6.GetProviderSchemaResponse, identities *tfprotov6.GetResourceIdentitySchemasResponse) (*tfjson.ProviderSchema, error) {
	c := converter{}
	out := &tfjson.ProviderSchema{
		ConfigSchema:             c.schema(schemas.Provider),
		ResourceSchemas:          each(schemas.ResourceSchemas, c.schema),
		DataSourceSchemas:        each(schemas.DataSourceSchemas, c.schema),
		EphemeralResourceSchemas: each(schemas.EphemeralResourceSchemas, c.schema),
		ListResourceSchemas:      each(schemas.ListResourceSchemas, c.schema),
		StateStoreSchemas:        each(schemas.StateStoreSchemas, c.schema),
		ActionSchemas:            each(schemas.ActionSchemas, c.action),
		Functions:                each(schemas.Functions, c.function),
		ResourceIdentitySchemas:  each(identities.IdentitySchemas, c.identity),
	}
	return out, errors.Join(append(c.errs,
		failed("schema", schemas.Diagnostics), failed("identity", identities.Diagnostics))...)
}

// failed is the first error that a provider answered, nil if there was none.
func failed(what string, diagnostics []*tfprotov6.Diagnostic) error {
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return fmt.Errorf("the provider gives no %s: %s: %s", what, d.Summary, d.Detail)
		}
	}
	return nil
}

// each converts every value of a map; an empty one becomes nil.
func each[In, Out any](in map[string]In, convert func(In) *Out) map[string]*Out {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]*Out, len(in))
	for name, value := range in {
		out[name] = convert(value)
	}
	return out
}

// converter collects what cannot be converted, so that one run names it all.
type converter struct{ errs []error }

func (c *converter) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func (c *converter) schema(in *tfprotov6.Schema) *tfjson.Schema {
	if in == nil {
		return nil
	}
	return &tfjson.Schema{Version: c.count("schema version", in.Version), Block: c.block(in.Block)}
}

func (c *converter) action(in *tfprotov6.ActionSchema) *tfjson.ActionSchema {
	if in.Schema == nil {
		return &tfjson.ActionSchema{}
	}
	return &tfjson.ActionSchema{Block: c.block(in.Schema.Block)}
}

func (c *converter) block(in *tfprotov6.SchemaBlock) *tfjson.SchemaBlock {
	if in == nil {
		return nil
	}
	out := &tfjson.SchemaBlock{
		Attributes:      c.attributes(in.Attributes),
		Description:     in.Description,
		DescriptionKind: kind(in.DescriptionKind),
		Deprecated:      in.Deprecated,
	}
	for _, nested := range in.BlockTypes {
		if out.NestedBlocks == nil {
			out.NestedBlocks = map[string]*tfjson.SchemaBlockType{}
		}
		out.NestedBlocks[nested.TypeName] = &tfjson.SchemaBlockType{
			NestingMode: c.blockNesting(nested),
			Block:       c.block(nested.Block),
			MinItems:    c.count("min_items", nested.MinItems),
			MaxItems:    c.count("max_items", nested.MaxItems),
		}
	}
	return out
}

func (c *converter) attributes(in []*tfprotov6.SchemaAttribute) map[string]*tfjson.SchemaAttribute {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]*tfjson.SchemaAttribute, len(in))
	for _, attribute := range in {
		out[attribute.Name] = c.attribute(attribute)
	}
	return out
}

func (c *converter) attribute(in *tfprotov6.SchemaAttribute) *tfjson.SchemaAttribute {
	out := &tfjson.SchemaAttribute{
		Description:     in.Description,
		DescriptionKind: kind(in.DescriptionKind),
		Deprecated:      in.Deprecated,
		Required:        in.Required,
		Optional:        in.Optional,
		Computed:        in.Computed,
		Sensitive:       in.Sensitive,
		WriteOnly:       in.WriteOnly,
	}
	if in.NestedType != nil {
		out.AttributeNestedType = &tfjson.SchemaNestedAttributeType{
			Attributes:  c.attributes(in.NestedType.Attributes),
			NestingMode: c.objectNesting(in),
		}
		return out
	}
	c.copyType(in.Name, in.Type, &out.AttributeType)
	return out
}

func (c *converter) identity(in *tfprotov6.ResourceIdentitySchema) *tfjson.IdentitySchema {
	out := &tfjson.IdentitySchema{
		Version:    c.count("identity version", in.Version),
		Attributes: make(map[string]*tfjson.IdentityAttribute, len(in.IdentityAttributes)),
	}
	for _, attribute := range in.IdentityAttributes {
		converted := &tfjson.IdentityAttribute{
			Description:       attribute.Description,
			RequiredForImport: attribute.RequiredForImport,
			OptionalForImport: attribute.OptionalForImport,
		}
		c.copyType(attribute.Name, attribute.Type, &converted.IdentityType)
		out.Attributes[attribute.Name] = converted
	}
	return out
}

func (c *converter) function(in *tfprotov6.Function) *tfjson.FunctionSignature {
	out := &tfjson.FunctionSignature{
		Description:        in.Description,
		Summary:            in.Summary,
		DeprecationMessage: in.DeprecationMessage,
	}
	if in.Return == nil {
		c.fail("function %q has no return type", in.Summary)
		return out
	}
	c.copyType("return", in.Return.Type, &out.ReturnType)
	for _, parameter := range in.Parameters {
		out.Parameters = append(out.Parameters, c.parameter(parameter))
	}
	if in.VariadicParameter != nil {
		out.VariadicParameter = c.parameter(in.VariadicParameter)
	}
	return out
}

func (c *converter) parameter(in *tfprotov6.FunctionParameter) *tfjson.FunctionParameter {
	out := &tfjson.FunctionParameter{
		Name:        in.Name,
		Description: in.Description,
		IsNullable:  in.AllowNullValue,
	}
	c.copyType(in.Name, in.Type, &out.Type)
	return out
}

// copyType carries a type over by its JSON form, which both libraries share.
func (c *converter) copyType(name string, from, to any) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		c.fail("type of %s: %w", name, err)
	}
}

// count takes a number that is never negative in a well-formed schema.
func (c *converter) count(what string, n int64) uint64 {
	if n < 0 {
		c.fail("%s is negative: %d", what, n)
		return 0
	}
	return uint64(n)
}

func kind(in tfprotov6.StringKind) tfjson.SchemaDescriptionKind {
	if in == tfprotov6.StringKindMarkdown {
		return tfjson.SchemaDescriptionKindMarkdown
	}
	return tfjson.SchemaDescriptionKindPlain
}

func (c *converter) blockNesting(in *tfprotov6.SchemaNestedBlock) tfjson.SchemaNestingMode {
	switch in.Nesting {
	case tfprotov6.SchemaNestedBlockNestingModeSingle:
		return tfjson.SchemaNestingModeSingle
	case tfprotov6.SchemaNestedBlockNestingModeList:
		return tfjson.SchemaNestingModeList
	case tfprotov6.SchemaNestedBlockNestingModeSet:
		return tfjson.SchemaNestingModeSet
	case tfprotov6.SchemaNestedBlockNestingModeMap:
		return tfjson.SchemaNestingModeMap
	case tfprotov6.SchemaNestedBlockNestingModeGroup:
		return tfjson.SchemaNestingModeGroup
	}
	c.fail("block %s has the unknown nesting mode %d", in.TypeName, in.Nesting)
	return ""
}

func (c *converter) objectNesting(in *tfprotov6.SchemaAttribute) tfjson.SchemaNestingMode {
	switch in.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle:
		return tfjson.SchemaNestingModeSingle
	case tfprotov6.SchemaObjectNestingModeList:
		return tfjson.SchemaNestingModeList
	case tfprotov6.SchemaObjectNestingModeSet:
		return tfjson.SchemaNestingModeSet
	case tfprotov6.SchemaObjectNestingModeMap:
		return tfjson.SchemaNestingModeMap
	}
	c.fail("attribute %s has the unknown nesting mode %d", in.Name, in.NestedType.Nesting)
	return ""
}
