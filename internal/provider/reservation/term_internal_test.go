package reservation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestTerm(t *testing.T) {
	t.Parallel()
	three := &cloud.TermPlan{Months: 36, Payment: "all_upfront"}
	later := types.ObjectValueMust(termTypes, map[string]attr.Value{
		"months": types.Int64Unknown(), "payment_option": types.StringValue("no_upfront"),
	})
	for name, tc := range map[string]struct {
		attribute types.Object
		want      *cloud.TermPlan
		unknown   []cloud.Attribute
	}{
		"none":      {types.ObjectNull(termTypes), nil, nil},
		"three":     {termValue(three), three, nil},
		"months":    {later, &cloud.TermPlan{Payment: "no_upfront"}, []cloud.Attribute{"term.months"}},
		"all of it": {types.ObjectUnknown(termTypes), &cloud.TermPlan{}, []cloud.Attribute{"term", "term.months", "term.payment_option"}},
		"none runs": {termValue(nil), nil, nil},
	} {
		m := model{Term: tc.attribute}
		if diff := cmp.Diff(tc.want, m.spec(t.Context(), nil).Term); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
		var unknown []cloud.Attribute
		for _, a := range []cloud.Attribute{"term", "term.months", "term.payment_option"} {
			if m.unknown(t.Context(), a) {
				unknown = append(unknown, a)
			}
		}
		if diff := cmp.Diff(tc.unknown, unknown); diff != "" {
			t.Errorf("%s: unknown (-want +got):\n%s", name, diff)
		}
	}
}
