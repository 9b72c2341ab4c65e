package reservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

const azureProvider = "registry.terraform.io/hashicorp/azurerm"

// azureGroupPath is a group as azurerm spells its id, azureMember the native id of a
// reservation in it.
const (
	azureGroupPath = "/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/resourceGroups/ML-rg/providers/Microsoft.Compute/capacityReservationGroups/Team"
	azureMember    = "/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/resourcegroups/ml-rg/providers/microsoft.compute/capacityreservationgroups/team/capacityreservations/train"
)

// capacityReservation is a state of azurerm_capacity_reservation as that provider
// writes it, with more or other attributes.
func capacityReservation(more string) string {
	return `{"capacity_reservation_group_id": "` + azureGroupPath + `", "id": "` + azureGroupPath + `/capacityReservations/train",
		"name": "train", "sku": [{"capacity": 2, "name": "Standard_NC24ads_A100_v4"}], "tags": {"team": "ml"}, "timeouts": null,
		"zone": "1"` + more + `}`
}

// movedMember is what becomes of it; the region is only read.
func movedMember() map[string]any {
	state := movedODCR()
	for name, value := range map[string]any{
		"id": "azure:" + azureMember, "native_id": azureMember, "account_id": "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "name": "train",
		"cloud": "azure", "region": nil, "zone": "1", "instance_type": "Standard_NC24ads_A100_v4", "starts_at": nil,
		"tags": map[string]any{"team": "ml"}, "tags_all": map[string]any{"team": "ml"},
		"azure": map[string]any{
			"subscription_id": nil, "resource_group": nil, "group_id": azureGroupPath, "minimum_commitment_days": nil,
		},
	} {
		state[name] = value
	}
	return state
}

// The state moves without a call, into the group that it is in.
func TestMove_azure(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		more    string
		differs map[string]any
	}{
		"usual":    {"", nil},
		"regional": {`, "zone": ""`, map[string]any{"zone": nil}},
		"untagged": {`, "tags": null`, map[string]any{"tags": nil, "tags_all": map[string]any{}}},
	} {
		got, identity, diags := serveResource(t).MoveResource(typeName, providertest.Source{
			Provider: azureProvider, Type: "azurerm_capacity_reservation", State: capacityReservation(tc.more),
		})
		if len(diags) > 0 {
			t.Fatalf("%s: %q %q", name, diags.Errors(), diags.Warnings())
		}
		want := movedMember()
		for attribute, value := range tc.differs {
			want[attribute] = value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: state (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(map[string]any{"cloud": "azure", "native_id": azureMember}, identity); diff != "" {
			t.Errorf("%s: identity (-want +got):\n%s", name, diff)
		}
	}
}

// What is no reservation, or is told only in part, is not moved, and the way out is
// named.
func TestMove_azureRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string][2]string{
		"no id":          {`, "id": ""`, "is not that of a capacity reservation"},
		"a group":        {`, "id": "` + azureGroupPath + `"`, "is not that of a capacity reservation"},
		"another group":  {`, "capacity_reservation_group_id": "` + azureGroupPath + `s"`, "is not that of its id"},
		"no size":        {`, "sku": []`, "does not tell the size"},
		"another schema": {`, "sku": "x"`, "sku"},
	} {
		_, _, diags := serveResource(t).MoveResource(typeName, providertest.Source{
			Provider: azureProvider, Type: "azurerm_capacity_reservation", State: capacityReservation(tc[0]),
		})
		said := strings.Join(diags.Errors(), "\n")
		if !strings.Contains(said, tc[1]) || !strings.Contains(said, "import it here") {
			t.Errorf("%s: %q, want %q", name, said, tc[1])
		}
	}
}
