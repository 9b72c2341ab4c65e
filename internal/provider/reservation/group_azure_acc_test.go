package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// inTeam is block "a" in the given group team, in a zone.
func inTeam(lines ...string) string {
	return ablock(append([]string{`zone = "1"`, fmt.Sprintf("azure = { group_id = %q }", agroup("team"))}, lines...)...)
}

// A given group is never changed and never removed, whatever its casing in the
// configuration.
func TestAccReservation_azureGivenGroup(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	giveGroup(t, b, agroup("team"), `"1"`, `"2"`)
	before := fmt.Sprint(agroups(b))
	use(b, inTeam())
	values(t, "plan", planned(t, b, tfjson.ActionCreate).Change(addr).After, map[string]any{
		"binding.azure.capacity_reservation_group_id": agroup("team"), "binding.azure.zone": "1",
	})
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	awrote(t, b, since, aPut, aPatch)
	state(t, b, map[string]any{"native_id": apathIn(agroup("team"), "res-a"), "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, strings.Replace(inTeam(), agroup("team"), strings.ToUpper(agroup("team")), 1))
	b.PlanEmpty().NoDiagnostics(t)
	use(b, inTeam("instance_count = 2"))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	use(b, inTeam("instance_count = 2", `share_with = ["0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"]`))
	b.Plan().FailureAt(t, "share_with", "azure.group_id")
	use(b, ablock(`zone = "1"`, "instance_count = 2"))
	b.Plan().Failure(t, "Change would release a live reservation", "azure.group_id cannot be changed")
	use(b, inTeam("instance_count = 2"))
	since = b.Mark()
	b.Destroy().Success(t).NoDiagnostics(t)
	awrote(t, b, since, aDelete)
	if after := fmt.Sprint(agroups(b)); after != before {
		t.Errorf("the group was %s and is %s", before, after)
	}
}

// Two sizes share a group; what one group cannot hold is told by the plan.
func TestAccReservation_azureSharedGroup(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	giveGroup(t, b, agroup("team"), `"1"`)
	use(b, inTeam(), strings.Replace(inTeam(`name = "res-b"`, `instance_type = "Standard_NC8as_T4_v3"`), `"a"`, `"b"`, 1))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	third := func(lines ...string) {
		t.Helper()
		use(b, inTeam(), strings.Replace(inTeam(append([]string{`name = "res-c"`}, lines...)...), `"a"`, `"c"`, 1))
	}
	third()
	b.Plan().Failure(t, "instance_type", acctest.AzureType(), "res-a")
	third(`instance_type = "Standard_NC16as_T4_v3"`, `zone = "2"`)
	b.Plan().Failure(t, "zone", "team")
	third(`instance_type = "Standard_NC16as_T4_v3"`, `region = "westus3"`)
	b.Plan().Failure(t, "azure.group_id", "is in eastus, the reservation in westus3")
	third(`instance_type = "Standard_NC16as_T4_v3"`, `match_criteria = "open"`)
	b.Plan().Failure(t, "azure.group_id", "type Targeted", "one of type Open")
	third(`instance_type = "Standard_NC16as_T4_v3"`, fmt.Sprintf("azure = { group_id = %q }", agroup("nobody")))
	// It may be made in the same run, so that it is for the apply to tell.
	b.Apply().Failure(t, "azure.group_id", "nobody")
}

// Imports take the id in any casing, with or without the cloud's name, and then
// there is nothing to do.
func TestAccReservation_azureImport(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	giveGroup(t, b, agroup("Team"), `"1"`)
	id := agroup("Team") + "/capacityReservations/By-Hand"
	giveMember(t, b, id)
	native := strings.ToLower(id)
	config := inTeam(`name = "by-hand"`, "instance_count = 2", `tags = { team = "ml" }`)
	for _, form := range []string{
		"azure:" + native, id, "azure:" + strings.ToUpper(id), "https://management.azure.com" + id,
	} {
		use(b, config)
		since := b.Mark()
		b.Import(addr, form).Success(t)
		state(t, b, map[string]any{
			"name": "by-hand", "native_id": native, "id": "azure:" + native, "instance_count": 2, "zone": "1", "region": "eastus", "account": nil,
			"azure.group_id": strings.ToLower(agroup("team")), "azure.resource_group": nil, "owner": nil, "claim_id": nil, "status": "held",
			"gpu_count": "2", "tags": map[string]any{"team": "ml"}, "binding.azure.capacity_reservation_group_id": agroup("team"),
		})
		b.PlanEmpty().NoDiagnostics(t)
		awrote(t, b, since)
		forget(t, b)
	}
	b.Import(addr, agroup("team")+"/capacityReservations/made-up").Failure(t, "Cannot import, not found", "made-up")
	b.Import(addr, "azure:"+agroup("team")).Failure(t, "capacityReservations/NAME")
}

// What this provider made is imported with its mark and its own group, from another
// subscription too.
func TestAccReservation_azureImportOwn(t *testing.T) {
	t.Parallel()
	const other = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	for name, tc := range map[string]struct {
		line string
		want map[string]any
	}{
		"here": {"", map[string]any{"account": nil, "azure": nil}},
		"in another resource group": {
			`azure = { resource_group = "rg" }`, map[string]any{"account": nil, "azure.resource_group": "rg", "azure.group_id": nil},
		},
		"in another subscription": {
			fmt.Sprintf("account = %q", other), map[string]any{"account": other, "account_id": other, "azure": nil},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := onAzure(t)
			use(b, ablock(tc.line, `tags = { a = "b" }`))
			b.Apply().Success(t)
			before := state(t, b, nil)
			forget(t, b)
			since := b.Mark()
			b.Import(addr, fmt.Sprint(before["native_id"])).Success(t)
			after := state(t, b, tc.want)
			for _, attribute := range []string{"owner", "claim_id", "name", "tags", "native_id", "binding"} {
				if fmt.Sprint(after[attribute]) != fmt.Sprint(before[attribute]) {
					t.Errorf("%s is %v, and was %v", attribute, after[attribute], before[attribute])
				}
			}
			b.PlanEmpty().NoDiagnostics(t)
			awrote(t, b, since)
			b.Destroy().Success(t)
			clean(t, b)
		})
	}
}
