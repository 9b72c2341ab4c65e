package reservation

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// sameText tells whether two texts of an option mean the same.
func (p part) sameText(option, a, b string) bool {
	return a == b || p.same != nil && p.same(option, a, b)
}

// keepOptions keeps the text of options that are only written another way.
func (pl *planning) keepOptions() {
	p, ok := partOf(pl.plan.Cloud.ValueString())
	if pl.prior == nil || !ok || p.same == nil {
		return
	}
	is, was := p.value(&pl.plan), p.value(pl.prior).Attributes()
	if is.IsNull() || is.IsUnknown() {
		return
	}
	options := is.Attributes()
	for name, value := range options {
		now, text := value.(types.String)
		before, _ := was[name].(types.String)
		if text && now.ValueString() != "" && p.sameText(name, before.ValueString(), now.ValueString()) {
			options[name] = before
		}
	}
	*is = types.ObjectValueMust(p.optionTypes, options)
}

// leaveOut takes out what an import wrote and the provider block gives by itself.
func (m *model) leaveOut(defaults map[string]string) {
	p, ok := partOf(m.Cloud.ValueString())
	if !ok || p.value(m).IsNull() {
		return
	}
	options, left := p.value(m).Attributes(), false
	for name, value := range options {
		text, is := value.(types.String)
		if usual, has := defaults[name]; is && has && p.sameText(name, usual, text.ValueString()) {
			options[name] = types.StringNull()
		}
		left = left || !options[name].IsNull()
	}
	*p.value(m) = types.ObjectNull(p.optionTypes)
	if left {
		*p.value(m) = types.ObjectValueMust(p.optionTypes, options)
	}
}

// provides tells whether an attribute is an option that is left out here and that
// the provider block may give.
func (m model) provides(a cloud.Attribute) bool {
	p, _ := partOf(m.Cloud.ValueString())
	for _, option := range p.provided {
		value, set := p.value(&m).Attributes()[option]
		if string(a) == p.cloud+"."+option && (!set || value.IsNull()) {
			return true
		}
	}
	return false
}

// wishAt is the wish of an object that is there: what its id tells and nothing says
// otherwise stays as it is.
func (m model) wishAt(nativeID types.String, spec cloud.Spec) cloud.Spec {
	p, ok := partOf(m.Cloud.ValueString())
	if !ok || p.told == nil || nativeID.ValueString() == "" {
		return spec
	}
	all := p.told(nativeID.ValueString(), spec.Native)
	maps.Copy(all, spec.Native)
	spec.Native = all
	return spec
}
