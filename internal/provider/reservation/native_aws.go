package reservation

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// awsDefaults are the documented defaults of the aws attribute; an import leaves
// out what equals them. host_maintenance has none: AWS shows it of every host.
func awsDefaults() map[string]string {
	return map[string]string{
		"platform": "Linux/UNIX", "tenancy": "default", "placement_group_arn": "", "commitment": "14d", "host_recovery": hostOff,
	}
}

// The values of host_recovery and host_maintenance.
const (
	hostOn  = "on"
	hostOff = "off"
)

var awsOptionTypes = map[string]attr.Type{
	"platform": types.StringType, "tenancy": types.StringType, "placement_group_arn": types.StringType,
	"commitment": types.StringType, "host_recovery": types.StringType, "host_maintenance": types.StringType,
}

func awsPart() part {
	return part{
		cloud: "aws", notes: awsNotes,
		attribute: awsAttribute, optionTypes: awsOptionTypes, value: func(m *model) *types.Object { return &m.AWS },
		native: model.awsNative, imported: importAWS, listed: awsListed,
		shownAttribute: awsShownAttribute, shown: showAWS, viewed: func(v *View) *types.Object { return &v.AWS },
		bindingAttribute: awsBindingAttribute, bindingTypes: awsBindingTypes, binding: awsBinding,
		sources: awsSources,
	}
}

func awsAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What only AWS has. A change replaces the reservation, but for `host_recovery` and " +
			"`host_maintenance`. An option that the kind does not have is an error.",
		Attributes: map[string]schema.Attribute{
			"platform": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Operating system that launches must match and that is billed for. Default `Linux/UNIX`; " +
					"others are `Red Hat Enterprise Linux`, `SUSE Linux`, `Windows`, `Ubuntu Pro` and the SQL Server and " +
					"HA editions as AWS spells them. Kind `block` takes `Linux/UNIX`, `Red Hat Enterprise Linux`, `RHEL with HA`, " +
					"`SUSE Linux` and `Ubuntu Pro`; hosts have none.",
			},
			"tenancy": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "`default` (the default) or `dedicated`, for kinds `on_demand` and `scheduled`.",
			},
			"placement_group_arn": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "ARN of the cluster placement group to reserve in, for kind `on_demand`. Default: none.",
			},
			"commitment": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How long kind `scheduled` is paid for at least, from its start on, such as `14d` (the default " +
					"and the shortest) or `84d`. Within it `instance_count` does not shrink and giving up costs a charge.",
				Validators: []validator.String{attribute.Duration{Min: time.Second}},
			},
			"host_recovery":    hostSwitch("Whether AWS moves the instances of a failed host to another one: `on` or `off` (default). Only some types can."),
			"host_maintenance": hostSwitch("Whether AWS moves the instances of a host that needs maintenance: `on` or `off`. Default: what AWS does for the type."),
		},
	}
}

// hostSwitch is an option of kinds dedicated_host and term that is on or off.
func hostSwitch(description string) schema.Attribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: description + " For kinds `dedicated_host` and `term`; changes in place.",
		Validators:          []validator.String{stringvalidator.OneOf(hostOn, hostOff)},
	}
}

// awsNative is the attribute as the contract's options.
func (m model) awsNative(context.Context) map[string]string { return setOptions(m.AWS) }

// awsListed tells whether the catalog's prices, which are for Linux without a
// license, are for these options.
func awsListed(native map[string]string) bool {
	platform := native["platform"]
	return platform == "" || platform == awsDefaults()["platform"]
}

// importAWS is the attribute for an object that was not made from a
// configuration: only what differs from the documented defaults.
func importAWS(r cloud.Reservation) types.Object {
	parts, differs := map[string]attr.Value{}, false
	for name := range awsOptionTypes {
		parts[name] = types.StringNull()
		usual, documented := awsDefaults()[name]
		if value := r.Native[name]; value != "" && documented && !sameOption(value, usual) {
			parts[name], differs = types.StringValue(value), true
		}
	}
	if !differs {
		return types.ObjectNull(awsOptionTypes)
	}
	return types.ObjectValueMust(awsOptionTypes, parts)
}

// sameOption tells whether two texts mean the same; a length of time has many.
func sameOption(a, b string) bool {
	x, err := attribute.ParseDuration(a)
	y, other := attribute.ParseDuration(b)
	return a == b || err == nil && other == nil && x == y
}

// showAWS is the attribute of a data source: everything as AWS tells it.
func showAWS(r cloud.Reservation) types.Object {
	values := map[string]attr.Value{}
	for name := range awsOptionTypes {
		values[name] = attribute.TextValue(r.Native[name])
	}
	return types.ObjectValueMust(awsOptionTypes, values)
}

func awsShownAttribute() dataschema.Attribute {
	return dataschema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What only AWS has; null on other clouds.",
		Attributes: map[string]dataschema.Attribute{
			"platform":            viewText("Operating system that launches must match and that is billed for, as AWS spells it."),
			"tenancy":             viewText("`default` or `dedicated`."),
			"placement_group_arn": viewText("ARN of the cluster placement group; null without one."),
			"commitment":          viewText("How long kind `scheduled` is paid for at least, from its start on; null for other kinds."),
			"host_recovery":       viewText("`on` if AWS moves the instances of a failed host to another one, else `off`; null for other kinds than hosts."),
			"host_maintenance":    viewText("`on` if AWS moves the instances of a host that needs maintenance, else `off`; null for other kinds than hosts."),
		},
	}
}
