package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// What is wrong with the configuration alone is told by plan, at its attribute, and
// nothing is written.
func TestAccReservation_azureBadInput(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	const other = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	for _, tc := range []struct {
		lines []string // the first is the wrong one
		texts []string
	}{
		{[]string{`region =`}, []string{"region", "such as eastus"}},
		{[]string{`region = "East US"`}, []string{"region", "eastus"}},
		{[]string{`region = "east-us!"`}, []string{"region", "not a location"}},
		{[]string{`zone = "eastus-1"`}, []string{"zone", "number: 1"}},
		{[]string{`zone = "a"`}, []string{"zone", "1, 2 and 3"}},
		{[]string{`instance_type = "Standard_D4s_v5"`}, []string{"instance_type", "have no GPU"}},
		{[]string{`instance_type = "NC24ads_A100_v4"`}, []string{"instance_type", "Standard_NC24ads_A100_v4"}},
		{[]string{`instance_type = "standard_nc24ads_a100_v4"`}, []string{"instance_type", "spelled as Azure does"}},
		{[]string{`name = "Res_A"`}, []string{"name", "lower-case"}},
		{[]string{`name = "res-a-"`}, []string{"name", "lower-case"}},
		{[]string{"instance_count = 0"}, []string{"instance_count", "at least 1"}},
		{[]string{`kind = "dedicated_host"`}, []string{"kind", "block, on_demand, scheduled"}},
		{[]string{`offer_id = "x"`}, []string{"offer_id", "by offer"}},
		{[]string{`account = "x"`}, []string{"account", "a GUID"}},
		{[]string{`azure = { subscription_id = "x" }`}, []string{"azure.subscription_id", "a GUID"}},
		{[]string{fmt.Sprintf("azure = { subscription_id = %q }", other), fmt.Sprintf("account = %q", other)}, []string{"Two accounts", "azure.subscription_id and account"}},
		{[]string{`azure = { resource_group = "rg." }`}, []string{"azure.resource_group", "period"}},
		{[]string{`azure = { resource_group = "a/b" }`}, []string{"azure.resource_group", "path"}},
		{[]string{`azure = { group_id = "team" }`}, []string{"azure.group_id", "capacityReservationGroups/GROUP"}},
		{[]string{fmt.Sprintf("azure = { group_id = %q }", agroupIn(other, "gpu", "team"))}, []string{"azure.group_id", other}},
		{[]string{fmt.Sprintf("azure = { group_id = %q, resource_group = \"rg\" }", agroup("team"))}, []string{"azure.resource_group", "leave this out"}},
		{[]string{"azure = { minimum_commitment_days = 30 }"}, []string{"azure.minimum_commitment_days", "not an option of Azure"}},
		{[]string{"azure = { minimum_commitment_days = 0 }"}, []string{"minimum_commitment_days", "at least 1"}},
		{[]string{`share_with = ["x"]`}, []string{"share_with", "a GUID"}},
		{[]string{fmt.Sprintf("share_with = [%q]", acctest.AzureSubscription())}, []string{"share_with", "itself"}},
		{[]string{`tags = { "gpulock:x" = "1" }`}, []string{"tags", "this provider's own"}},
		{[]string{`tags = { Team = "1", team = "2" }`}, []string{"tags", "differ in case only"}},
		{[]string{`tags = { "a/b" = "1" }`}, []string{"tags", "cannot have"}},
		{[]string{`window = { end_at = "2041-01-01T00:00:00Z" }`}, []string{"window.end_at", "no end"}},
		{[]string{`window = { duration = "7d" }`}, []string{"window.duration", "no end"}},
		{[]string{`window = { start_at = "2041-01-01T00:00:00Z" }`}, []string{"window.start_at", "starts at once"}},
		{[]string{`kind = "scheduled"`}, []string{"window.start_at", "needs start_at"}},
		{[]string{`match_criteria = "open"`, `kind = "scheduled"`, `window = { start_at = "2041-01-01T00:00:00Z" }`}, []string{"match_criteria", "targeted"}},
		{[]string{`aws = { tenancy = "default" }`}, []string{"Options of another cloud", "aws"}},
	} {
		use(b, ablock(tc.lines...))
		plan := b.Plan().Failure(t, tc.texts...)
		key, value, _ := strings.Cut(tc.lines[0], " = ")
		if value != "" && value[0] != '{' && key == tc.texts[0] {
			plan.FailureAt(t, key, tc.texts...)
		}
	}
	awrote(t, b, 0)
	none(t, b)
}

// A resource group is named somewhere, and which it is only the provider block and
// the resource together tell.
func TestAccReservation_azureNoResourceGroup(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	none := strings.Replace(b.Provider(), fmt.Sprintf("resource_group = %q, ", acctest.AzureResourceGroup()), "", 1)
	b.Config(none + ablock())
	b.Validate().Success(t)
	b.Plan().Failure(t, "azure.resource_group", "Name a resource group that exists")
	b.Config(none + ablock(`azure = { resource_group = "rg" }`))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	// What is there stays where it is.
	b.Config(none + ablock("instance_count = 2"))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Config(b.Provider() + ablock("instance_count = 3"))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	state(t, b, map[string]any{"binding.azure.capacity_reservation_group_id": agroupIn(acctest.AzureSubscription(), "rg", "res-a")})
}

// What only Azure knows to be wrong is told by plan too, with its reason.
func TestAccReservation_azureRefused(t *testing.T) {
	t.Parallel()
	b := inSpring(t)
	for _, tc := range []struct {
		lines []string
		texts []string
	}{
		{[]string{`instance_type = "Standard_ND96isr_H100_v5"`}, []string{"instance_type", "Standard_ND96isr_H100_v5"}},
		{[]string{`instance_type = "Standard_NC5as_T4_v9"`}, []string{"instance_type", "Standard_NC5as_T4_v9"}},
		{[]string{`kind = "block"`, `window = { start_at = "2031-03-10T12:00:00Z", duration = "7d" }`}, []string{"instance_type", acctest.AzureType()}},
	} {
		use(b, ablock(tc.lines...))
		b.Plan().Failure(t, tc.texts...)
	}
	// A resource group may be made in the same run, so that it is for the apply to tell.
	use(b, ablock(`azure = { resource_group = "nobody" }`))
	b.Apply().Failure(t, "azure.resource_group", "nobody")
	none(t, b)
	awrote(t, b, 0)
	// Where Azure may not be asked, the apply tells.
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "azure", Operation: "ResourceSkus_List", Status: 403, Code: "AuthorizationFailed", Message: "no"}))
	use(b, ablock(`instance_type = "Standard_ND96isr_H100_v5"`))
	if plan := b.Plan(); plan.ExitCode != 2 {
		t.Errorf("plan: %s", plan.Text())
	}
	b.Apply().Failure(t, "No reservation of 1 × Standard_ND96isr_H100_v5", "NotSupported")
	none(t, b)
	clean(t, b)
}

// What is refused for capacity or quota is told with its code, and leaves nothing.
func TestAccReservation_azureNoCapacity(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	available := 1
	b.Do(b.World.SetCapacity(sim.Capacity{Cloud: "azure", Region: "eastus", InstanceType: acctest.AzureType(), Available: &available}))
	use(b, ablock("instance_count = 2"))
	b.Apply().Failure(t, "No reservation of 2 × "+acctest.AzureType(), "capacity", "AllocationFailed")
	none(t, b)
	clean(t, b)
	limit := 4.0
	b.Do(b.World.SetQuota(sim.Quota{Cloud: "azure", Region: "eastus", Quota: "Standard NCASv3_T4 Family", Limit: &limit}))
	b.Apply().Failure(t, "No reservation of 2 × "+acctest.AzureType(), "quota")
	none(t, b)
	clean(t, b)
}
