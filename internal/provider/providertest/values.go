package providertest

import (
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// encode is a Go value as a value of the type: nil is null, and attributes that
// a map leaves out are null.
func encode(tb testing.TB, t tftypes.Type, value any) tftypes.Value {
	tb.Helper()
	if value == nil {
		return tftypes.NewValue(t, nil)
	}
	if value == Unknown {
		return tftypes.NewValue(t, tftypes.UnknownValue)
	}
	switch t := t.(type) {
	case tftypes.Object:
		given, ok := value.(map[string]any)
		if !ok {
			tb.Fatalf("%v is not an object", value)
		}
		return tftypes.NewValue(t, encodeObject(tb, t, given))
	case tftypes.Map:
		given, ok := value.(map[string]any)
		if !ok {
			tb.Fatalf("%v is not a map", value)
		}
		elements := map[string]tftypes.Value{}
		for key, element := range given {
			elements[key] = encode(tb, t.ElementType, element)
		}
		return tftypes.NewValue(t, elements)
	case tftypes.Set:
		return tftypes.NewValue(t, encodeSet(tb, t, value))
	}
	if n, ok := value.(int); ok {
		value = int64(n)
	}
	return tftypes.NewValue(t, value)
}

func encodeSet(tb testing.TB, t tftypes.Set, value any) []tftypes.Value {
	tb.Helper()
	given, ok := value.([]any)
	if !ok {
		tb.Fatalf("%v is not a set", value)
	}
	elements := []tftypes.Value{}
	for _, element := range given {
		elements = append(elements, encode(tb, t.ElementType, element))
	}
	return elements
}

func encodeObject(tb testing.TB, t tftypes.Object, given map[string]any) map[string]tftypes.Value {
	tb.Helper()
	attributes := map[string]tftypes.Value{}
	for name, attribute := range t.AttributeTypes {
		attributes[name] = encode(tb, attribute, given[name])
	}
	for name := range given {
		if _, ok := attributes[name]; !ok {
			tb.Fatalf("there is no attribute %q", name)
		}
	}
	return attributes
}

// decode is a value in Go: nil for null, a number as its shortest text.
func decode(tb testing.TB, value tftypes.Value) any {
	tb.Helper()
	if !value.IsKnown() {
		return Unknown
	}
	if value.IsNull() {
		return nil
	}
	switch t := value.Type(); {
	case t.Is(tftypes.String):
		return as[string](tb, value)
	case t.Is(tftypes.Bool):
		return as[bool](tb, value)
	case t.Is(tftypes.Number):
		number := as[big.Float](tb, value)
		return number.Text('f', -1)
	}
	return decodeMany(tb, value)
}

func decodeMany(tb testing.TB, value tftypes.Value) any {
	tb.Helper()
	switch value.Type().(type) {
	case tftypes.Object, tftypes.Map:
		all := map[string]any{}
		for key, element := range as[map[string]tftypes.Value](tb, value) {
			all[key] = decode(tb, element)
		}
		return all
	}
	all := []any{}
	for _, element := range as[[]tftypes.Value](tb, value) {
		all = append(all, decode(tb, element))
	}
	return all
}

func as[T any](tb testing.TB, value tftypes.Value) T {
	tb.Helper()
	var into T
	if err := value.As(&into); err != nil {
		tb.Fatal(err)
	}
	return into
}

// Diagnostics are what a request was answered with.
type Diagnostics []*tfprotov6.Diagnostic

// Errors are the errors, each as "path: summary: detail".
func (d Diagnostics) Errors() []string { return d.texts(tfprotov6.DiagnosticSeverityError) }

// Warnings are the warnings, in the form of Errors.
func (d Diagnostics) Warnings() []string { return d.texts(tfprotov6.DiagnosticSeverityWarning) }

func (d Diagnostics) texts(severity tfprotov6.DiagnosticSeverity) []string {
	var all []string
	for _, one := range d {
		if one.Severity != severity {
			continue
		}
		text := one.Summary + ": " + one.Detail
		if one.Attribute != nil {
			text = one.Attribute.String() + ": " + text
		}
		all = append(all, text)
	}
	return all
}
