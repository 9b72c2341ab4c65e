package reservation

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/shape"
)

// part is what one cloud adds to the resource. The list in parts is the only
// one; each cloud's functions are in the file named after it.
type part struct {
	cloud string
	// notes are what it adds to descriptions that clouds share; see Noted.
	notes func() map[string]string
	// attribute is the cloud's nested attribute, value where the model holds it.
	attribute   func() schema.Attribute
	optionTypes map[string]attr.Type
	value       func(*model) *types.Object
	// account is the nested attribute that names the account as well, "" where the
	// cloud has none.
	account string
	// chosen are the options that the cloud chooses where they are left out, so that
	// leaving one out is no change.
	chosen []string
	// provided are those of them that the provider block has a default for.
	provided []string
	// told are the options that a native id tells beside those that are said; nil
	// where it tells none.
	told func(nativeID string, said map[string]string) map[string]string
	// same tells whether two texts of an option mean the same; nil where no two do.
	same func(option, a, b string) bool
	// native reads the attribute as the contract's options; imported fills it
	// from an object.
	native   func(model, context.Context) map[string]string
	imported func(cloud.Reservation) types.Object
	// shown fills the attribute of a data source, where a View holds it.
	shownAttribute func() dataschema.Attribute
	shown          func(cloud.Reservation) types.Object
	viewed         func(*View) *types.Object
	// listed tells whether the catalog's prices are for these options.
	listed func(native map[string]string) bool
	// attached are GPUs that options give to instances of a type without its own;
	// nil where the type decides. attachedBy are these options.
	attached   func(native map[string]string) (shape.Shape, bool)
	attachedBy []string
	// binding is what the cloud's consumers need.
	bindingAttribute func() schema.Attribute
	bindingTypes     map[string]attr.Type
	binding          func(m model, native map[string]string) attr.Value
	// sources are the types of other providers whose state moves here.
	sources func() []source
}

func parts() []part { return []part{awsPart(), googlePart(), azurePart()} }

// partOf is the part of a cloud.
func partOf(cloudName string) (part, bool) {
	for _, p := range parts() {
		if p.cloud == cloudName {
			return p, true
		}
	}
	return part{}, false
}

// setOptions are the options of a nested attribute that are set, as the text that
// the contract has of each.
func setOptions(o types.Object) map[string]string {
	options := map[string]string{}
	for name, value := range o.Attributes() {
		switch v := value.(type) {
		case types.String:
			if v.ValueString() != "" {
				options[name] = v.ValueString()
			}
		case types.Int64:
			if !v.IsNull() && !v.IsUnknown() {
				options[name] = strconv.FormatInt(v.ValueInt64(), 10)
			}
		}
	}
	return options
}

// optionValue is the contract's text of an option as a value of its type, null for
// "" and for what is none.
func optionValue(of attr.Type, text string) attr.Value {
	if of != types.Int64Type {
		return attribute.TextValue(text)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int64Value(n)
	}
	return types.Int64Null()
}

// Noted is a description that clouds share with what each of them adds to it. The
// key is the attribute's path; where a data source needs other words, "view." or
// "offers." stands before it.
func Noted(key, description string) string {
	for _, p := range parts() {
		if note, ok := p.notes()[key]; ok {
			description += " " + note
		}
	}
	return description
}

// CloudNames are the values of an attribute cloud, for a sentence.
func CloudNames() string {
	var names []string
	for _, p := range parts() {
		names = append(names, "`"+p.cloud+"`")
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func cloudAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, p := range parts() {
		attributes[p.cloud] = p.attribute()
	}
	return attributes
}

// native is the cloud's own options as the contract has them.
func (m model) native(ctx context.Context) map[string]string {
	options := map[string]string{}
	for _, p := range parts() {
		if p.cloud == m.Cloud.ValueString() {
			maps.Copy(options, p.native(m, ctx))
		}
	}
	return options
}

// foreignParts are the nested attributes that are set for another cloud.
func (m model) foreignParts() []string {
	var foreign []string
	for _, p := range parts() {
		if p.cloud != m.Cloud.ValueString() && !m.Cloud.IsUnknown() && !p.value(&m).IsNull() {
			foreign = append(foreign, p.cloud)
		}
	}
	return foreign
}

// nativeUnknown tells whether one of the cloud's own options is not known yet.
func (m model) nativeUnknown(name cloud.Attribute) bool {
	root, option, _ := strings.Cut(string(name), ".")
	for _, p := range parts() {
		if p.cloud != root {
			continue
		}
		object := p.value(&m)
		value, ok := object.Attributes()[option]
		return object.IsUnknown() || ok && value.IsUnknown()
	}
	return false
}

// optionsUnknown tells whether any of the cloud's own options is not known yet.
func (m model) optionsUnknown() bool {
	for _, p := range parts() {
		object := p.value(&m)
		if p.cloud == m.Cloud.ValueString() &&
			(object.IsUnknown() || slices.ContainsFunc(slices.Collect(maps.Values(object.Attributes())), attr.Value.IsUnknown)) {
			return true
		}
	}
	return false
}

// attachedUnknown tells whether it is not known yet which GPUs instances have.
func (m model) attachedUnknown() bool {
	p, _ := partOf(m.Cloud.ValueString())
	return slices.ContainsFunc(p.attachedBy, func(option string) bool { return m.nativeUnknown(cloud.Attribute(p.cloud + "." + option)) })
}

func bindingTypes() map[string]attr.Type {
	all := map[string]attr.Type{"cloud": types.StringType, "region": types.StringType}
	for _, p := range parts() {
		all[p.cloud] = types.ObjectType{AttrTypes: p.bindingTypes}
	}
	return all
}

func bindingAttribute() schema.Attribute {
	attributes := map[string]schema.Attribute{
		"cloud":  schema.StringAttribute{Computed: true, MarkdownDescription: "The cloud."},
		"region": schema.StringAttribute{Computed: true, MarkdownDescription: "The region."},
	}
	for _, p := range parts() {
		attributes[p.cloud] = p.bindingAttribute()
	}
	return schema.SingleNestedAttribute{
		Computed: true, Attributes: attributes,
		MarkdownDescription: "What a consumer needs to launch into the reservation, one object per cloud.",
	}
}

// bindingIn is the binding of an object in a zone, which the configuration may
// leave to the cloud.
func (m model) bindingIn(ctx context.Context, zone string) types.Object {
	if zone != "" {
		m.Zone = types.StringValue(zone)
	}
	return m.binding(ctx)
}

// binding is the attribute of that name; what the model does not know yet is
// unknown in it.
func (m model) binding(ctx context.Context) types.Object { return m.bindingOver(ctx, nil) }

// bindingOver is the binding where options that are left out have defaults.
func (m model) bindingOver(ctx context.Context, defaults map[string]string) types.Object {
	values := map[string]attr.Value{"cloud": m.Cloud, "region": m.Region}
	for _, p := range parts() {
		values[p.cloud] = types.ObjectNull(p.bindingTypes)
		if p.cloud == m.Cloud.ValueString() {
			native := map[string]string{}
			maps.Copy(native, defaults)
			maps.Copy(native, m.native(ctx))
			values[p.cloud] = p.binding(m, native)
		}
	}
	return types.ObjectValueMust(bindingTypes(), values)
}
