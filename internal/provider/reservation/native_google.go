package reservation

import (
	"cmp"
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/shape"
)

// googleProjectOption is another way to write account.
const googleProjectOption = "project"

// googleDense is the value of deployment_type.
const googleDense = "dense"

var googleOptionTypes = map[string]attr.Type{
	googleProjectOption: types.StringType, "accelerator_type": types.StringType, "accelerator_count": types.Int64Type,
	"min_cpu_platform": types.StringType, "local_ssd_count": types.Int64Type, "local_ssd_interface": types.StringType,
	"placement_policy": types.StringType, "vertex_sharing": types.StringType, "deployment_type": types.StringType,
}

// googleDefaults are the documented defaults of the google attribute; an import
// leaves out what equals them.
func googleDefaults() map[string]string {
	return map[string]string{"accelerator_count": "1", "local_ssd_interface": "scsi", "vertex_sharing": "disallow_all"}
}

func googlePart() part {
	return part{
		cloud: "google", notes: googleNotes,
		attribute: googleAttribute, optionTypes: googleOptionTypes, value: func(m *model) *types.Object { return &m.Google },
		account: googleProjectOption, chosen: []string{"min_cpu_platform"},
		native: model.googleNative, imported: importGoogle, listed: googleListed,
		attached: googleAttached, attachedBy: []string{"accelerator_type", "accelerator_count"},
		shownAttribute: googleShownAttribute, shown: showGoogle, viewed: func(v *View) *types.Object { return &v.Google },
		bindingAttribute: googleBindingAttribute, bindingTypes: googleBindingTypes, binding: googleBinding,
		sources: googleSources,
	}
}

func googleAttribute() schema.Attribute {
	option := func(description string, values ...string) schema.Attribute {
		validators := []validator.String{stringvalidator.LengthAtLeast(1)}
		if len(values) > 0 {
			validators = []validator.String{stringvalidator.OneOf(values...)}
		}
		return schema.StringAttribute{Optional: true, MarkdownDescription: description, Validators: validators}
	}
	count := func(description string) schema.Attribute {
		return schema.Int64Attribute{
			Optional: true, MarkdownDescription: description, Validators: []validator.Int64{int64validator.AtLeast(1)},
		}
	}
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What only Google Cloud has. A change replaces the reservation, but for `vertex_sharing`. An option that " +
			"the kind does not have is an error.",
		Attributes: map[string]schema.Attribute{
			googleProjectOption: option("Id or number of the project to reserve in; another way to write `account`. Default: the provider's."),
			"accelerator_type": option("Type of the GPUs to attach to each instance, such as `nvidia-tesla-t4`. Required for N1 machine " +
				"types; other ones come with their GPUs."),
			"accelerator_count":   count("Number of GPUs to attach to each instance. Default `1`."),
			"min_cpu_platform":    option("CPU platform that the instances must at least have, such as `Intel Ice Lake`. Default: what Google Cloud chooses."),
			"local_ssd_count":     count("Number of local SSD disks to reserve with each instance, where the machine type does not come with them. Default: none."),
			"local_ssd_interface": option("Interface of those disks: `scsi` (default) or `nvme`.", "nvme", "scsi"),
			"placement_policy": option("Resource policy of compact placement to reserve by, its name or self link, for kind `on_demand`. It must be of the " +
				"reservation's project and region. Default: none."),
			"vertex_sharing": option("Whether Vertex AI may consume the reservation, for kind `on_demand`: `disallow_all` (default) or `allow_all`. "+
				"Changes in place.", "allow_all", "disallow_all"),
			"deployment_type": option("`dense`: instances close to each other, as AI Hypercomputer has them, for kinds `scheduled` and `block`. "+
				"Default: not.", googleDense),
		},
	}
}

// googleNative is the attribute as the contract's options.
func (m model) googleNative(context.Context) map[string]string {
	options := setOptions(m.Google)
	delete(options, googleProjectOption)
	return options
}

// googleListed tells whether the catalog's prices are for these options: what is
// attached has a price of its own.
func googleListed(native map[string]string) bool {
	return native["accelerator_type"] == "" && native["local_ssd_count"] == ""
}

// googleAttached are the GPUs that are attached to instances of a type without its
// own: nvidia-tesla-t4, or with a license for workstations nvidia-tesla-t4-vws.
func googleAttached(native map[string]string) (shape.Shape, bool) {
	name := native["accelerator_type"]
	if name == "" {
		return shape.Shape{}, false
	}
	word := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(name, "-vws"), "nvidia-"), "tesla-")
	gpus, err := gpu.ParseFraction(cmp.Or(native["accelerator_count"], googleDefaults()["accelerator_count"]))
	return shape.Shape{Model: strings.ToUpper(word), GPUs: gpus, Known: err == nil}, true
}

// importGoogle is the attribute for an object that was not made from a
// configuration: only what differs from the documented defaults. The project is in
// account.
func importGoogle(r cloud.Reservation) types.Object {
	options, differs := map[string]attr.Value{}, false
	for name, of := range googleOptionTypes {
		value := r.Native[name]
		if value == googleDefaults()[name] {
			value = ""
		}
		options[name] = optionValue(of, value)
		differs = differs || !options[name].IsNull()
	}
	if !differs {
		return types.ObjectNull(googleOptionTypes)
	}
	return types.ObjectValueMust(googleOptionTypes, options)
}

// showGoogle is the attribute of a data source: everything as Google Cloud tells it.
func showGoogle(r cloud.Reservation) types.Object {
	values := map[string]attr.Value{}
	for name, of := range googleOptionTypes {
		values[name] = optionValue(of, r.Native[name])
	}
	values[googleProjectOption] = attribute.TextValue(r.AccountID)
	return types.ObjectValueMust(googleOptionTypes, values)
}

func googleShownAttribute() dataschema.Attribute {
	return dataschema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "What only Google Cloud has; null on other clouds. What a machine type brings along is not shown.",
		Attributes: map[string]dataschema.Attribute{
			googleProjectOption:   viewText("Id of the project that holds the reservation."),
			"accelerator_type":    viewText("Type of the GPUs attached to each instance; null where the machine type comes with them."),
			"accelerator_count":   viewCount("Number of GPUs attached to each instance; null where the machine type comes with them."),
			"min_cpu_platform":    viewText("CPU platform that the instances must at least have; null without one."),
			"local_ssd_count":     viewCount("Number of local SSD disks reserved with each instance; null where the machine type decides."),
			"local_ssd_interface": viewText("Interface of those disks, `scsi` or `nvme`; null without any."),
			"placement_policy":    viewText("Name of the resource policy of compact placement; null without one."),
			"vertex_sharing":      viewText("`allow_all` if Vertex AI may consume the reservation, else `disallow_all`; null for future reservations."),
			"deployment_type":     viewText("`dense` for instances close to each other; null else."),
		},
	}
}
