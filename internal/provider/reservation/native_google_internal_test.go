package reservation

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// google is the attribute with these options set, the others null.
func google(set map[string]string) types.Object {
	values := map[string]attr.Value{}
	for name, kind := range googleOptionTypes {
		value, ok := set[name]
		if kind == types.Int64Type {
			values[name] = types.Int64Null()
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				values[name] = types.Int64Value(n)
			}
			continue
		}
		values[name] = types.StringNull()
		if ok {
			values[name] = types.StringValue(value)
		}
	}
	return types.ObjectValueMust(googleOptionTypes, values)
}

// onGoogle is a model of a reservation on Google Cloud, with more or other options.
func onGoogle(set map[string]string) model {
	m := model{
		Cloud: types.StringValue("google"), Name: types.StringValue("train"), Kind: types.StringValue("on_demand"),
		Account: types.StringNull(), Zone: types.StringValue("us-central1-a"), InstanceType: types.StringValue("a3-highgpu-8g"),
		MatchCriteria: types.StringValue("targeted"), AWS: types.ObjectNull(awsOptionTypes), Google: types.ObjectNull(googleOptionTypes),
	}
	m.AccountID = types.StringValue("ml-prod")
	if set != nil {
		m.Google = google(set)
	}
	return m
}

// Every option but the project goes to the cloud as it was written.
func TestGoogleNative(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "2", "min_cpu_platform": "Intel Skylake", "local_ssd_count": "1",
		"local_ssd_interface": "nvme", "placement_policy": "close", "vertex_sharing": "allow_all", "deployment_type": "dense",
	}
	with := maps.Clone(all)
	with["project"] = "ml-prod"
	if len(with) != len(googleOptionTypes) {
		t.Errorf("%d options are tested, there are %d", len(with), len(googleOptionTypes))
	}
	for name, tc := range map[string]struct {
		attribute types.Object
		want      map[string]string
	}{
		"all":     {google(with), all},
		"null":    {types.ObjectNull(googleOptionTypes), map[string]string{}},
		"unknown": {types.ObjectUnknown(googleOptionTypes), map[string]string{}},
		"project": {google(map[string]string{"project": "ml-prod"}), map[string]string{}},
	} {
		if diff := cmp.Diff(tc.want, model{Google: tc.attribute}.googleNative(t.Context())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Counts are numbers in a configuration and in a state.
func TestGoogleCounts(t *testing.T) {
	t.Parallel()
	native := map[string]string{"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "4", "local_ssd_count": "2"}
	r := cloud.Reservation{Native: native}
	for name, object := range map[string]types.Object{"imported": importGoogle(r), "shown": showGoogle(r)} {
		for option, want := range map[string]int64{"accelerator_count": 4, "local_ssd_count": 2} {
			if got := object.Attributes()[option]; !types.Int64Value(want).Equal(got) {
				t.Errorf("%s: %s = %#v, want %d", name, option, got, want)
			}
		}
	}
	m := model{Cloud: types.StringValue("google"), Google: importGoogle(r)}
	if diff := cmp.Diff(native, m.googleNative(t.Context())); diff != "" {
		t.Errorf("to the cloud again (-want +got):\n%s", diff)
	}
	if got := showGoogle(cloud.Reservation{}).Attributes()["accelerator_count"]; !types.Int64Null().Equal(got) {
		t.Errorf("none is shown as %#v", got)
	}
}

// The account stands in one of two places, and in both it is one too many.
func TestGoogleAccount(t *testing.T) {
	t.Parallel()
	in := func(account types.String, object types.Object) model {
		m := onGoogle(nil)
		m.Account, m.Google = account, object
		return m
	}
	some, none := types.StringValue("ml-test"), types.StringNull()
	unknown := google(nil).Attributes()
	unknown["project"] = types.StringUnknown()
	for name, tc := range map[string]struct {
		m       model
		want    types.String
		refused bool
	}{
		"nowhere":        {in(none, types.ObjectNull(googleOptionTypes)), none, false},
		"account":        {in(some, types.ObjectNull(googleOptionTypes)), some, false},
		"beside options": {in(some, google(map[string]string{"vertex_sharing": "allow_all"})), some, false},
		"project":        {in(none, google(map[string]string{"project": "ml-prod"})), types.StringValue("ml-prod"), false},
		"both":           {in(some, google(map[string]string{"project": "ml-prod"})), types.StringValue("ml-prod"), true},
		"both, the same": {in(some, google(map[string]string{"project": "ml-test"})), some, true},
		"not known":      {in(none, types.ObjectUnknown(googleOptionTypes)), types.StringUnknown(), false},
		"part not known": {in(none, types.ObjectValueMust(googleOptionTypes, unknown)), types.StringUnknown(), false},
	} {
		var diags diag.Diagnostics
		tc.m.checkAccount(&diags)
		if got := tc.m.account(); !got.Equal(tc.want) || diags.HasError() != tc.refused {
			t.Errorf("%s: %s, %v; want %s, refused %v", name, got, diags, tc.want, tc.refused)
		}
		if spec := tc.m.spec(t.Context(), nil); spec.Account != tc.want.ValueString() || tc.m.holder().Ref.Account != spec.Account {
			t.Errorf("%s: the wish is for %q, the holder's is %q", name, spec.Account, tc.m.holder().Ref.Account)
		}
	}
	// What is wrong with an account is said where it stands.
	wrong := []cloud.Problem{{Attribute: "account", Detail: "no"}, {Attribute: "zone", Detail: "no"}}
	there := in(none, google(map[string]string{"project": "Ml"})).located(wrong)
	if there[0].Attribute != "google.project" || there[1].Attribute != "zone" || in(some, types.ObjectNull(googleOptionTypes)).located(wrong)[0].Attribute != "account" {
		t.Errorf("located at %v", there)
	}
}

// An import takes what differs from the documented defaults.
func TestImportGoogle(t *testing.T) {
	t.Parallel()
	usual := map[string]string{"vertex_sharing": "disallow_all", "min_cpu_platform": "", "placement_policy": ""}
	for name, tc := range map[string]struct {
		shown map[string]string
		want  types.Object
	}{
		"usual":            {usual, types.ObjectNull(googleOptionTypes)},
		"for Vertex AI":    {map[string]string{"vertex_sharing": "allow_all"}, google(map[string]string{"vertex_sharing": "allow_all"})},
		"one T4":           {map[string]string{"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "1"}, google(map[string]string{"accelerator_type": "nvidia-tesla-t4"})},
		"four T4":          {map[string]string{"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "4"}, google(map[string]string{"accelerator_type": "nvidia-tesla-t4", "accelerator_count": "4"})},
		"SCSI disks":       {map[string]string{"local_ssd_count": "2", "local_ssd_interface": "scsi"}, google(map[string]string{"local_ssd_count": "2"})},
		"NVMe disks":       {map[string]string{"local_ssd_count": "2", "local_ssd_interface": "nvme"}, google(map[string]string{"local_ssd_count": "2", "local_ssd_interface": "nvme"})},
		"no disks":         {map[string]string{"local_ssd_count": "", "local_ssd_interface": ""}, types.ObjectNull(googleOptionTypes)},
		"no number":        {map[string]string{"local_ssd_count": "many"}, types.ObjectNull(googleOptionTypes)},
		"dense":            {map[string]string{"deployment_type": "dense"}, google(map[string]string{"deployment_type": "dense"})},
		"never a project":  {map[string]string{"placement_policy": "close"}, google(map[string]string{"placement_policy": "close"})},
		"chosen by Google": {map[string]string{"min_cpu_platform": "Intel Skylake"}, google(map[string]string{"min_cpu_platform": "Intel Skylake"})},
	} {
		if got := importGoogle(cloud.Reservation{AccountID: "ml-prod", Native: tc.shown}); !got.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// GPUs that are attached are counted, those of the machine type are not asked for
// here, and no list price is for what is attached.
func TestGoogleAttached(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		native      map[string]string
		model, gpus string
		listed      bool
	}{
		"none":         {map[string]string{"vertex_sharing": "allow_all"}, "", "0", true},
		"one":          {map[string]string{"accelerator_type": "nvidia-tesla-t4"}, "T4", "1", false},
		"four":         {map[string]string{"accelerator_type": "nvidia-tesla-v100", "accelerator_count": "4"}, "V100", "4", false},
		"workstations": {map[string]string{"accelerator_type": "nvidia-tesla-p100-vws", "accelerator_count": "2"}, "P100", "2", false},
		"disks":        {map[string]string{"local_ssd_count": "1"}, "", "0", false},
	} {
		got, has := googleAttached(tc.native)
		if got.Model != tc.model || got.GPUs.String() != tc.gpus || has != (tc.model != "") || googleListed(tc.native) != tc.listed {
			t.Errorf("%s: %s × %q, attached %v, listed %v", name, got.GPUs, got.Model, has, googleListed(tc.native))
		}
	}
}

// An option that was there and is left out is a difference, but for what Google
// chooses by itself.
func TestOptionsBeside(t *testing.T) {
	t.Parallel()
	before := cloud.Spec{Kind: cloud.OnDemand, Native: map[string]string{"min_cpu_platform": "a", "placement_policy": "close", "vertex_sharing": "x"}}
	after := cloud.Spec{Kind: cloud.OnDemand, Native: map[string]string{"vertex_sharing": "x", "local_ssd_count": "1"}}
	want := map[string][2]string{"placement_policy": {"close", ""}, "vertex_sharing": {"x", "x"}, "local_ssd_count": {"", "1"}}
	if diff := cmp.Diff(want, optionsBeside(before, after, "google")); diff != "" {
		t.Errorf("of one kind (-want +got):\n%s", diff)
	}
	after.Kind = cloud.Scheduled
	if diff := cmp.Diff(map[string][2]string{"vertex_sharing": {"x", "x"}}, optionsBeside(before, after, "google")); diff != "" {
		t.Errorf("of two kinds (-want +got):\n%s", diff)
	}
}

func TestGoogleBinding(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		edit func(*model)
		want string
	}{
		"targeted": {func(*model) {}, `ml-prod us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name ["train"] <null>`},
		"open":     {func(m *model) { m.MatchCriteria = types.StringValue("open") }, `ml-prod us-central1-a a3-highgpu-8g ANY_RESERVATION <null> [] <null>`},
		"block": {
			func(m *model) { m.Kind = types.StringValue("block") },
			`ml-prod us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name ["train"] RESERVATION_BOUND`,
		},
		"dense": {func(m *model) {
			m.Kind, m.Google = types.StringValue("scheduled"), google(map[string]string{"deployment_type": "dense"})
		}, `ml-prod us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name ["train"] RESERVATION_BOUND`},
		"scheduled": {
			func(m *model) { m.Kind = types.StringValue("scheduled") },
			`ml-prod us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name ["train"] <null>`,
		},
		"name not known": {
			func(m *model) { m.Name = types.StringUnknown() },
			`ml-prod us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name [<unknown>] <null>`,
		},
		"match not known":   {func(m *model) { m.MatchCriteria = types.StringUnknown() }, `ml-prod us-central1-a a3-highgpu-8g <unknown> <null>`},
		"options not known": {func(m *model) { m.Google = types.ObjectUnknown(googleOptionTypes) }, `ml-prod us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name ["train"] <unknown>`},
		"project not known": {func(m *model) { m.AccountID = types.StringUnknown() }, `<unknown> us-central1-a a3-highgpu-8g SPECIFIC_RESERVATION compute.googleapis.com/reservation-name ["train"] <null>`},
		"kind not known":    {func(m *model) { m.Kind = types.StringUnknown() }, `<unknown>`},
	} {
		m := onGoogle(nil)
		tc.edit(&m)
		all := m.binding(t.Context()).Attributes()
		if got := flat(all["google"]); got != tc.want || !all["aws"].IsNull() {
			t.Errorf("%s: %s, aws %s; want %s", name, got, all["aws"], tc.want)
		}
	}
}

// flat is a binding in one line.
func flat(value attr.Value) string {
	object, ok := value.(types.Object)
	if !ok || object.IsUnknown() {
		return value.String()
	}
	var texts []string
	for _, name := range []string{"project", "zone", "machine_type", "reservation_affinity", "provisioning_model", "type", "key", "values"} {
		if part, ok := object.Attributes()[name]; ok && name == "reservation_affinity" {
			texts = append(texts, flat(part))
		} else if ok {
			text := part.String()
			if name != "values" {
				text = strings.Trim(text, `"`)
			}
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}
