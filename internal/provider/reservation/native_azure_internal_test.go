package reservation

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	azureSub    = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	azureTeam   = "/subscriptions/" + azureSub + "/resourceGroups/ML-rg/providers/Microsoft.Compute/capacityReservationGroups/Team"
	azureOwn    = "/subscriptions/" + azureSub + "/resourceGroups/ML-rg/providers/Microsoft.Compute/capacityReservationGroups/train"
	azureNative = "/subscriptions/" + azureSub + "/resourcegroups/ml-rg/providers/microsoft.compute/capacityreservationgroups/train/capacityreservations/train"
	azureInTeam = "/subscriptions/" + azureSub + "/resourcegroups/ml-rg/providers/microsoft.compute/capacityreservationgroups/team/capacityreservations/train"
)

// inAzure is the attribute with these options set, the others null.
func inAzure(set map[string]string) types.Object {
	values := map[string]attr.Value{}
	for name, kind := range azureOptionTypes {
		values[name] = optionValue(kind, set[name])
	}
	return types.ObjectValueMust(azureOptionTypes, values)
}

// onAzure is a model of a reservation on Azure with these options.
func onAzure(set map[string]string) model {
	m := model{
		Cloud: types.StringValue("azure"), Name: types.StringValue("train"), Kind: types.StringValue("on_demand"),
		Account: types.StringNull(), Region: types.StringValue("eastus"), Zone: types.StringNull(),
		InstanceType: types.StringValue("Standard_NC24ads_A100_v4"), MatchCriteria: types.StringValue("targeted"),
		AWS: types.ObjectNull(awsOptionTypes), Google: types.ObjectNull(googleOptionTypes), Azure: types.ObjectNull(azureOptionTypes),
	}
	m.AccountID, m.NativeID = types.StringValue(azureSub), types.StringUnknown()
	if set != nil {
		m.Azure = inAzure(set)
	}
	return m
}

// Every option but the subscription goes to the cloud as it was written.
func TestAzureNative(t *testing.T) {
	t.Parallel()
	all := map[string]string{
		azureSubscription: azureSub, azureResourceGroup: "ML-rg", azureGroup: azureTeam, azureCommitmentDays: "30",
	}
	if len(all) != len(azureOptionTypes) {
		t.Errorf("%d options are tested, there are %d", len(all), len(azureOptionTypes))
	}
	want := map[string]string{azureResourceGroup: "ML-rg", azureGroup: azureTeam, azureCommitmentDays: "30"}
	for name, tc := range map[string]struct {
		attribute types.Object
		want      map[string]string
	}{
		"all":     {inAzure(all), want},
		"null":    {types.ObjectNull(azureOptionTypes), map[string]string{}},
		"unknown": {types.ObjectUnknown(azureOptionTypes), map[string]string{}},
	} {
		if diff := cmp.Diff(tc.want, model{Azure: tc.attribute}.azureNative(t.Context())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	m := onAzure(all)
	if spec := m.spec(t.Context(), nil); spec.Account != azureSub || cmp.Diff(want, spec.Native) != "" {
		t.Errorf("the wish is for %q with %v", spec.Account, spec.Native)
	}
	m.Account = types.StringValue(azureSub)
	var diags diag.Diagnostics
	if m.checkAccount(&diags); !diags.HasError() {
		t.Error("two accounts are not refused")
	}
}

// An account that changes is named where the configuration says it now.
func TestAzureAccountAttribute(t *testing.T) {
	t.Parallel()
	nested := func(id string) types.Object { return inAzure(map[string]string{azureSubscription: id}) }
	none, x, y := types.ObjectNull(azureOptionTypes), types.StringValue("x"), types.StringValue("y")
	for name, tc := range map[string]struct {
		was, is model
		want    cloud.Attribute
	}{
		"account changes":             {model{Account: x, Azure: none}, model{Account: y, Azure: none}, cloud.AttrAccount},
		"nested, then account":        {model{Azure: nested("x")}, model{Account: y, Azure: none}, cloud.AttrAccount},
		"account, then nested":        {model{Account: x, Azure: none}, model{Azure: nested("y")}, "azure.subscription_id"},
		"nested changes":              {model{Azure: nested("x")}, model{Azure: nested("y")}, "azure.subscription_id"},
		"nested, then nothing at all": {model{Azure: nested("x")}, model{Azure: none}, "azure"},
	} {
		tc.was.Cloud, tc.is.Cloud = types.StringValue("azure"), types.StringValue("azure")
		pl := planning{prior: &tc.was, plan: tc.is}
		if at := pl.accountAttribute(); at != tc.want {
			t.Errorf("%s: %s, want %s", name, at, tc.want)
		}
	}
}

// An import takes what says where it is, and leaves out what the provider block
// says.
func TestImportAzure(t *testing.T) {
	t.Parallel()
	own := map[string]string{azureResourceGroup: "ml-rg", azureGroup: ""}
	for name, tc := range map[string]struct {
		shown map[string]string
		usual string
		want  types.Object
	}{
		"usual resource group":   {own, "ML-rg", types.ObjectNull(azureOptionTypes)},
		"another resource group": {own, "gpu", inAzure(map[string]string{azureResourceGroup: "ml-rg"})},
		"no usual one":           {own, "", inAzure(map[string]string{azureResourceGroup: "ml-rg"})},
		"given group": {
			map[string]string{azureResourceGroup: "ml-rg", azureGroup: azureTeam}, "gpu", inAzure(map[string]string{azureGroup: azureTeam}),
		},
		"committed": {
			map[string]string{azureResourceGroup: "ml-rg", azureCommitmentDays: "30"}, "ml-rg", inAzure(map[string]string{azureCommitmentDays: "30"}),
		},
	} {
		m := onAzure(nil)
		m.Azure = importAzure(cloud.Reservation{AccountID: azureSub, Native: tc.shown})
		m.leaveOut(map[string]string{azureResourceGroup: tc.usual})
		if !m.Azure.Equal(tc.want) {
			t.Errorf("%s: %s, want %s", name, m.Azure, tc.want)
		}
	}
}

// Another casing of the same option stays as it was, anything else does not.
func TestKeepOptions_azure(t *testing.T) {
	t.Parallel()
	lower := map[string]string{azureGroup: azureInTeam[:len(azureInTeam)-len("/capacityreservations/train")], azureSubscription: azureSub}
	same := map[string]string{azureGroup: azureTeam, azureSubscription: "/subscriptions/" + azureSub}
	for name, tc := range map[string]struct{ was, is, want map[string]string }{
		"casing and spelling": {lower, same, lower},
		"another group":       {lower, map[string]string{azureGroup: azureOwn}, map[string]string{azureGroup: azureOwn}},
		"left out":            {lower, map[string]string{azureCommitmentDays: "3"}, map[string]string{azureCommitmentDays: "3"}},
		"added":               {nil, same, same},
		"removed":             {lower, nil, nil},
	} {
		was, diags := onAzure(tc.was), diag.Diagnostics{}
		pl := planning{prior: &was, plan: onAzure(tc.is), diags: &diags}
		pl.keepOptions()
		want := onAzure(tc.want).Azure
		if diags.HasError() || !pl.plan.Azure.Equal(want) {
			t.Errorf("%s: %s, want %s", name, pl.plan.Azure, want)
		}
	}
}

// A native id tells the resource group of what is there, unless a group says it.
func TestWishAt_azure(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		id   types.String
		said map[string]string
		want map[string]string
	}{
		"left out":    {types.StringValue(azureNative), map[string]string{}, map[string]string{azureResourceGroup: "ml-rg"}},
		"said":        {types.StringValue(azureNative), map[string]string{azureResourceGroup: "other"}, map[string]string{azureResourceGroup: "other"}},
		"given group": {types.StringValue(azureInTeam), map[string]string{azureGroup: azureTeam}, map[string]string{azureGroup: azureTeam}},
		"new":         {types.StringUnknown(), map[string]string{}, map[string]string{}},
		"no id":       {types.StringValue("x"), map[string]string{}, map[string]string{}},
	} {
		if got := onAzure(nil).wishAt(tc.id, cloud.Spec{Native: tc.said}); cmp.Diff(tc.want, got.Native) != "" {
			t.Errorf("%s: %v, want %v", name, got.Native, tc.want)
		}
	}
	for path, want := range map[cloud.Attribute]bool{"azure.resource_group": true, "azure.group_id": false, "zone": false} {
		if got := onAzure(nil).provides(path); got != want {
			t.Errorf("the provider block may give %s: %t", path, got)
		}
	}
	if onAzure(map[string]string{azureResourceGroup: "x"}).provides("azure.resource_group") {
		t.Error("what is said is not the provider block's to give")
	}
}

// What consumers take is known at plan, has the fixed parts as azurerm spells them,
// and keeps the casing that it had.
func TestAzureBinding(t *testing.T) {
	t.Parallel()
	const other = "/subscriptions/" + azureSub + "/resourceGroups/gpu/providers/Microsoft.Compute/capacityReservationGroups/train"
	team := map[string]string{azureGroup: azureTeam}
	for name, tc := range map[string]struct {
		set      map[string]string
		defaults map[string]string
		edit     func(*model)
		want     attr.Value
	}{
		"own":              {map[string]string{azureResourceGroup: "ML-rg"}, nil, nil, types.StringValue(azureOwn)},
		"the provider's":   {nil, map[string]string{azureResourceGroup: "gpu"}, nil, types.StringValue(other)},
		"given":            {team, nil, nil, types.StringValue(azureTeam)},
		"given, lower":     {map[string]string{azureGroup: azureInTeam[:len(azureInTeam)-len("/capacityreservations/train")]}, nil, nil, types.StringValue("/subscriptions/" + azureSub + "/resourceGroups/ml-rg/providers/Microsoft.Compute/capacityReservationGroups/team")},
		"made":             {map[string]string{azureResourceGroup: "ML-rg"}, nil, func(m *model) { m.NativeID = types.StringValue(azureNative) }, types.StringValue(azureOwn)},
		"read":             {nil, nil, func(m *model) { m.NativeID = types.StringValue(azureNative) }, types.StringValue("/subscriptions/" + azureSub + "/resourceGroups/ml-rg/providers/Microsoft.Compute/capacityReservationGroups/train")},
		"read in a group":  {team, nil, func(m *model) { m.NativeID = types.StringValue(azureInTeam) }, types.StringValue(azureTeam)},
		"open":             {team, nil, func(m *model) { m.MatchCriteria = types.StringValue("open") }, types.StringNull()},
		"match not known":  {team, nil, func(m *model) { m.MatchCriteria = types.StringUnknown() }, types.StringUnknown()},
		"name not known":   {nil, map[string]string{azureResourceGroup: "gpu"}, func(m *model) { m.Name = types.StringUnknown() }, types.StringUnknown()},
		"account unknown":  {nil, map[string]string{azureResourceGroup: "gpu"}, func(m *model) { m.AccountID = types.StringUnknown() }, types.StringUnknown()},
		"nothing said":     {nil, nil, nil, types.StringUnknown()},
		"no group":         {map[string]string{azureGroup: "x"}, map[string]string{azureResourceGroup: "gpu"}, nil, types.StringUnknown()},
		"options unknown":  {nil, map[string]string{azureResourceGroup: "gpu"}, func(m *model) { m.Azure = types.ObjectUnknown(azureOptionTypes) }, types.StringUnknown()},
		"group not known":  {nil, map[string]string{azureResourceGroup: "gpu"}, func(m *model) { m.Azure = azureWith(azureGroup, types.StringUnknown()) }, types.StringUnknown()},
		"resource unknown": {nil, map[string]string{azureResourceGroup: "gpu"}, func(m *model) { m.Azure = azureWith(azureResourceGroup, types.StringUnknown()) }, types.StringUnknown()},
	} {
		m := onAzure(tc.set)
		if tc.edit != nil {
			tc.edit(&m)
		}
		all := m.bindingOver(t.Context(), tc.defaults).Attributes()
		object, ok := all["azure"].(types.Object)
		if !ok || !object.Attributes()[azureGroupOption].Equal(tc.want) || !all["aws"].IsNull() {
			t.Errorf("%s: %s, want the group %s", name, all["azure"], tc.want)
		}
		if got := object.Attributes(); !got["location"].Equal(m.Region) || !got["zone"].Equal(m.Zone) || !got["vm_size"].Equal(m.InstanceType) {
			t.Errorf("%s: %s", name, object)
		}
	}
	// The casing of the first plan stays, also where the configuration's changes.
	m := onAzure(map[string]string{azureResourceGroup: "ML-rg"})
	m.Binding, m.NativeID = m.binding(t.Context()), types.StringValue(azureNative)
	m.Azure = inAzure(map[string]string{azureResourceGroup: "ml-RG"})
	if again := m.binding(t.Context()); !again.Equal(m.Binding) {
		t.Errorf("%s became %s", m.Binding, again)
	}
}

// azureWith is the attribute with one option set to a value.
func azureWith(option string, value attr.Value) types.Object {
	values := inAzure(nil).Attributes()
	values[option] = value
	return types.ObjectValueMust(azureOptionTypes, values)
}

// A view shows everything as Azure tells it, counts as numbers.
func TestShowAzure(t *testing.T) {
	t.Parallel()
	got := showAzure(cloud.Reservation{AccountID: azureSub, Native: map[string]string{
		azureResourceGroup: "ml-rg", azureGroup: "", azureCommitmentDays: strconv.Itoa(30),
	}}).Attributes()
	want := map[string]attr.Value{
		azureSubscription: types.StringValue(azureSub), azureResourceGroup: types.StringValue("ml-rg"), azureGroup: types.StringNull(),
		azureCommitmentDays: types.Int64Value(30),
	}
	for name, value := range want {
		if !value.Equal(got[name]) {
			t.Errorf("%s = %s, want %s", name, got[name], value)
		}
	}
}
