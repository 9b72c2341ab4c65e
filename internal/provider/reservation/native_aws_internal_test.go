package reservation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// aws is the attribute with these options set, the others null.
func aws(set map[string]string) types.Object {
	values := map[string]attr.Value{}
	for name := range awsOptionTypes {
		values[name] = types.StringNull()
	}
	for name, value := range set {
		values[name] = types.StringValue(value)
	}
	return types.ObjectValueMust(awsOptionTypes, values)
}

// An option goes to the cloud as it was written; one that is empty, null or not
// known yet does not go at all.
func TestAWSNative(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"platform": "Windows", "tenancy": "dedicated", "placement_group_arn": "arn:aws:ec2:us-east-1:111122223333:placement-group/a",
		"commitment": "2w", "host_recovery": "off", "host_maintenance": "on",
	}
	if len(all) != len(awsOptionTypes) {
		t.Errorf("%d options are tested, there are %d", len(all), len(awsOptionTypes))
	}
	unknown := aws(nil).Attributes()
	unknown["commitment"], unknown["tenancy"] = types.StringUnknown(), types.StringValue("default")
	for name, tc := range map[string]struct {
		attribute types.Object
		want      map[string]string
	}{
		"all":     {aws(all), all},
		"null":    {types.ObjectNull(awsOptionTypes), map[string]string{}},
		"unknown": {types.ObjectUnknown(awsOptionTypes), map[string]string{}},
		"empty":   {aws(map[string]string{"platform": ""}), map[string]string{}},
		"partly":  {types.ObjectValueMust(awsOptionTypes, unknown), map[string]string{"tenancy": "default"}},
	} {
		if diff := cmp.Diff(tc.want, model{AWS: tc.attribute}.awsNative(t.Context())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An import takes what differs from the documented defaults, and nothing that
// has none.
func TestImportAWS(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		shown map[string]string
		want  types.Object
	}{
		"capacity reservation": {map[string]string{"platform": "Linux/UNIX", "tenancy": "default"}, types.ObjectNull(awsOptionTypes)},
		"in a placement group": {
			map[string]string{"platform": "Linux/UNIX", "placement_group_arn": "arn"}, aws(map[string]string{"placement_group_arn": "arn"}),
		},
		"usual commitment, another text": {map[string]string{"commitment": "336h0m0s"}, types.ObjectNull(awsOptionTypes)},
		"longer commitment":              {map[string]string{"commitment": "84d"}, aws(map[string]string{"commitment": "84d"})},
		"usual host":                     {map[string]string{"host_recovery": "off", "host_maintenance": "on"}, types.ObjectNull(awsOptionTypes)},
		"host with recovery":             {map[string]string{"host_recovery": "on"}, aws(map[string]string{"host_recovery": "on"})},
		"shown as not set":               {map[string]string{"commitment": "", "host_recovery": ""}, types.ObjectNull(awsOptionTypes)},
	} {
		if got := importAWS(cloud.Reservation{Native: tc.shown}); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// A kind that is not known yet leaves the whole binding so.
func TestAWSBinding_unknownKind(t *testing.T) {
	t.Parallel()
	m := model{Cloud: types.StringValue("aws"), Kind: types.StringUnknown(), AWS: types.ObjectNull(awsOptionTypes)}
	if got := m.binding(t.Context()).Attributes()["aws"]; !got.IsUnknown() {
		t.Errorf("binding = %s", got)
	}
}
