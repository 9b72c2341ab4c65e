package chaostest

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func text(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

// field is the type of an object's attribute.
func field(form tftypes.Type, name string) tftypes.Type {
	object, ok := form.(tftypes.Object)
	if !ok {
		return tftypes.DynamicPseudoType
	}
	return object.AttributeTypes[name]
}

// blank is an object in which everything is null but what is given.
func blank(form tftypes.Type, given map[string]tftypes.Value) tftypes.Value {
	values := map[string]tftypes.Value{}
	if object, ok := form.(tftypes.Object); ok {
		for name, t := range object.AttributeTypes {
			values[name] = tftypes.NewValue(t, nil)
		}
	}
	maps.Copy(values, given)
	return tftypes.NewValue(form, values)
}

func encode(form tftypes.Type, v tftypes.Value) (*tfprotov6.DynamicValue, error) {
	d, err := tfprotov6.NewDynamicValue(form, v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return &d, nil
}

// config is the wish as a command line sends it.
func (w Wish) config(form tftypes.Type) tftypes.Value { return valueOf(form, w.attributes()) }

// valueOf is a value of an attribute's type; of an object, what is not given is
// null.
func valueOf(form tftypes.Type, given any) tftypes.Value {
	if texts, ok := given.([]string); ok {
		values := make([]tftypes.Value, len(texts))
		for i, s := range texts {
			values[i] = text(s)
		}
		return tftypes.NewValue(form, values)
	}
	fields, ok := given.(map[string]any)
	if !ok {
		return tftypes.NewValue(form, given)
	}
	values := map[string]tftypes.Value{}
	element, isMap := form.(tftypes.Map)
	for name, value := range fields {
		inside := field(form, name)
		if isMap {
			inside = element.ElementType
		}
		values[name] = valueOf(inside, value)
	}
	if isMap {
		return tftypes.NewValue(form, values)
	}
	return blank(form, values)
}

// proposed merges configuration and prior state as a command line does before it
// plans: what is not configured and computed keeps its value.
func proposed(schema *tfprotov6.Schema, config, prior tftypes.Value) (tftypes.Value, error) {
	if prior.IsNull() || config.IsNull() {
		return config, nil
	}
	var want, was map[string]tftypes.Value
	if err := config.As(&want); err != nil {
		return prior, fmt.Errorf("configuration: %w", err)
	}
	if err := prior.As(&was); err != nil {
		return prior, fmt.Errorf("prior state: %w", err)
	}
	want = maps.Clone(want) // As returns the value's own
	for _, attribute := range schema.Block.Attributes {
		if want[attribute.Name].IsNull() && attribute.Computed {
			want[attribute.Name] = was[attribute.Name]
		}
	}
	return tftypes.NewValue(schema.ValueType(), want), nil
}
