package attribute

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Strings are the known strings of a set, sorted.
func Strings(set types.Set) []string {
	var out []string
	for _, e := range set.Elements() {
		if s, ok := e.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			out = append(out, s.ValueString())
		}
	}
	slices.Sort(out)
	return out
}

// StringMap is the known part of a map.
func StringMap(m types.Map) map[string]string {
	out := map[string]string{}
	for key, e := range m.Elements() {
		if s, ok := e.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			out[key] = s.ValueString()
		}
	}
	return out
}

// Known tells whether a map and all its elements are known.
func Known(m types.Map) bool {
	return !m.IsUnknown() && !slices.ContainsFunc(slices.Collect(maps.Values(m.Elements())), attr.Value.IsUnknown)
}

// KnownSet tells whether a set and all its elements are known.
func KnownSet(s types.Set) bool {
	return !s.IsUnknown() && !slices.ContainsFunc(s.Elements(), attr.Value.IsUnknown)
}

// MapValue is a map of strings; an empty one is null where it was null before,
// and so are the keys that were null before and have no value: a configuration
// may spell out that it leaves a key unset.
func MapValue(m map[string]string, before types.Map) types.Map {
	if len(m) == 0 && before.IsNull() {
		return types.MapNull(types.StringType)
	}
	elements := make(map[string]attr.Value, len(m))
	for key, value := range before.Elements() {
		if value.IsNull() {
			elements[key] = types.StringNull()
		}
	}
	for key, value := range m {
		elements[key] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, elements)
}
