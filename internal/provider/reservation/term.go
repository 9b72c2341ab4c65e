package reservation

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// term is the decoded attribute of that name.
type term struct {
	Months        types.Int64  `tfsdk:"months"`
	PaymentOption types.String `tfsdk:"payment_option"`
}

var termTypes = map[string]attr.Type{"months": types.Int64Type, "payment_option": types.StringType}

// term decodes the attribute; null and unknown give null and unknown parts.
func (m model) term(ctx context.Context) term {
	var t term
	if m.Term.IsUnknown() {
		return term{types.Int64Unknown(), types.StringUnknown()}
	}
	if m.Term.IsNull() || m.Term.As(ctx, &t, basetypes.ObjectAsOptions{}).HasError() {
		return term{types.Int64Null(), types.StringNull()}
	}
	return t
}

// plan is the term as the contract has it, nil without one.
func (t term) plan() *cloud.TermPlan {
	if t.Months.IsNull() && t.PaymentOption.IsNull() {
		return nil
	}
	return &cloud.TermPlan{Months: int(t.Months.ValueInt64()), Payment: t.PaymentOption.ValueString()}
}

// termValue is the attribute for a term that runs.
func termValue(t *cloud.TermPlan) types.Object {
	if t == nil {
		return types.ObjectNull(termTypes)
	}
	return types.ObjectValueMust(termTypes, map[string]attr.Value{
		"months": types.Int64Value(int64(t.Months)), "payment_option": attribute.TextValue(t.Payment),
	})
}

func termAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"term": schema.SingleNestedAttribute{
			Optional: true,
			MarkdownDescription: Noted("term", "What is bought for months or years. Required for kind `term`, and for no other. One that "+
				"runs cannot change. Before it is bought, and once it is over, another `term` is bought in place, and `kind` goes "+
				"back to `dedicated_host`."),
			Attributes: map[string]schema.Attribute{
				"months": schema.Int64Attribute{
					Required:            true,
					MarkdownDescription: Noted("term.months", "Length in months."),
					Validators:          []validator.Int64{int64validator.AtLeast(1)},
				},
				"payment_option": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "What is paid at purchase: `no_upfront`, `partial_upfront` or `all_upfront`. The rest is " +
						"paid by the hour.",
					Validators: []validator.String{stringvalidator.OneOf("no_upfront", "partial_upfront", "all_upfront")},
				},
			},
		},
	}
}

func termShownAttribute() dataschema.Attribute {
	return dataschema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: "The term that runs on the reservation; null without one.",
		Attributes: map[string]dataschema.Attribute{
			"months":         viewCount("Length in months."),
			"payment_option": viewText("What was paid at purchase: `no_upfront`, `partial_upfront` or `all_upfront`."),
		},
	}
}
