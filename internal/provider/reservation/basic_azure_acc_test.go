package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// What a consumer needs is known before anything is made, and a group comes and
// goes with its reservation.
func TestAccReservation_azureBasic(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "azure", acctest.BenchOptions{})
	b.Spend("1")
	use(b, ablock())
	b.Validate().Success(t).NoDiagnostics(t)
	plan := planned(t, b, tfjson.ActionCreate)
	plan.NoDiagnostics(t)
	unknown(t, plan, acreated()...)
	want := map[string]any{
		"cloud": "azure", "region": acctest.AzureRegion(), "zone": nil, "kind": "on_demand", "instance_count": 1, "match_criteria": "targeted",
		"gpu_model": "T4", "gpus_per_instance": "1", "gpu_count": "1", "estimated_usd_per_hour": 0.526, "owner": b.Owner,
		"account_id": acctest.AzureSubscription(), "simulated": false, "tags": nil, "tags_all": map[string]any{}, "azure": nil,
		"ends_at": nil, "usable_until": nil, "paid_upfront": nil, "binding.cloud": "azure", "binding.region": acctest.AzureRegion(),
		"binding.aws": nil, "binding.google": nil, "binding.azure.location": acctest.AzureRegion(), "binding.azure.zone": nil,
		"binding.azure.vm_size": acctest.AzureType(), "binding.azure.capacity_reservation_group_id": agroup("res-a"),
	}
	values(t, "plan", plan.Change(addr).After, want)
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	awrote(t, b, since, aGroupPut, aPut, aPatch)
	held(t, b, 1)
	want["status"], want["native_id"], want["id"] = "held", apath(), "azure:"+apath()
	state(t, b, want)
	since = b.Mark()
	b.PlanEmpty().NoDiagnostics(t)
	awrote(t, b, since)
	b.Destroy().Success(t).NoDiagnostics(t)
	awrote(t, b, since, aGroupTag, aDelete, aGroupDel)
	none(t, b)
	held(t, b, 0)
	clean(t, b)
}

// The mark stands on both objects, the claim on the reservation alone, and the
// user's tags too.
func TestAccReservation_azureMark(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	b.Config(b.Provider(`  default_tags = { team = "ml" }`) + ablock(`zone = "1"`, `tags = { run = "one", empty = "" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	got := state(t, b, map[string]any{
		"zone": "1", "binding.azure.zone": "1", "tags": map[string]any{"run": "one", "empty": ""},
		"tags_all": map[string]any{"run": "one", "empty": "", "team": "ml"},
	})
	claim, _ := got["claim_id"].(string)
	mark := map[string]string{cloud.TagOwner: b.Owner, cloud.TagName: "res-a", cloud.TagManagedBy: "gpu_reservation"}
	if group := agroups(b)[0]; fmt.Sprint(group.Tags) != fmt.Sprint(mark) {
		t.Errorf("tags of the group: %v, want %v", group.Tags, mark)
	}
	mark[cloud.TagClaim], mark["run"], mark["empty"], mark["team"] = claim, "one", "", "ml"
	if o := amember(t, b); claim == "" || fmt.Sprint(o.Tags) != fmt.Sprint(mark) || o.Zone != "1" {
		t.Errorf("the reservation: %+v, want the tags %v", o, mark)
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// An open reservation is consumed by itself, so that consumers name none.
func TestAccReservation_azureOpen(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	const one, two = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "1f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f1"
	use(b, ablock(`match_criteria = "open"`, fmt.Sprintf("share_with = [%q, %q]", one, "/subscriptions/"+strings.ToUpper(two))))
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{"binding.azure.capacity_reservation_group_id": nil, "binding.azure.vm_size": acctest.AzureType()})
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"match_criteria": "open", "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, ablock(`match_criteria = "open"`, fmt.Sprintf("share_with = [%q, %q]", two, one)))
	b.PlanEmpty().NoDiagnostics(t)

	use(b, ablock(`match_criteria = "open"`, fmt.Sprintf("share_with = [%q]", two)))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	awrote(t, b, since, aGroupTag)
	b.PlanEmpty().NoDiagnostics(t)
	use(b, ablock(`match_criteria = "open"`))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t).NoDiagnostics(t)
	clean(t, b)
}

// A resource says whose and where it is, in any spelling, and the binding has the
// spelling of the first plan.
func TestAccReservation_azurePlace(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	const other = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	in := func(account, group string) string {
		return ablock(fmt.Sprintf("azure = { subscription_id = %q, resource_group = %q }", account, group))
	}
	use(b, in("/subscriptions/"+strings.ToUpper(other), "RG"))
	group := agroupIn(other, "RG", "res-a")
	values(t, "plan", planned(t, b, tfjson.ActionCreate).Change(addr).After, map[string]any{
		"account": nil, "account_id": other, "binding.azure.capacity_reservation_group_id": group,
	})
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"native_id": apathIn(group, "res-a"), "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
	use(b, in(other, "rg"))
	b.PlanEmpty().NoDiagnostics(t)
	use(b, ablock(fmt.Sprintf("account = %q", other), `azure = { resource_group = "rg" }`))
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	awrote(t, b, since)
	state(t, b, map[string]any{"account": other, "binding.azure.capacity_reservation_group_id": group})
	// Leaving it out is no move, naming another one is.
	use(b, ablock(fmt.Sprintf("account = %q", other)))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	use(b, ablock(fmt.Sprintf("account = %q", other), `azure = { resource_group = "gpu" }`))
	b.Plan().Failure(t, "Change would release a live reservation", "azure.resource_group cannot be changed", `"rg"`, `"gpu"`)
	use(b, ablock())
	b.Plan().Failure(t, "Change would release a live reservation", "account cannot be changed", other)
	awrote(t, b, since)
	use(b)
	b.Apply().Success(t).NoDiagnostics(t)
	clean(t, b)
}

// Without a zone it is the region's, and there is no way in place between the two.
func TestAccReservation_azureRegional(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	for from, to := range map[string]string{`zone =`: `zone = "2"`, `zone = "2"`: `zone =`} {
		use(b, ablock(from))
		b.Apply().Success(t).NoDiagnostics(t)
		use(b, ablock(to))
		b.Plan().Failure(t, "Change would release a live reservation", "zone cannot be changed", apath())
		use(b, ablock(to, "allow_replacement = true"))
		planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate).Warned(t, "Live reservation will be replaced", "(zone)")
		b.Apply().Success(t)
		b.PlanEmpty().NoDiagnostics(t)
		b.Destroy().Success(t)
		clean(t, b)
	}
}

// Credentials are missed only by what needs them, with the way to get some.
func TestAccReservation_azureNoCredentials(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "azure", acctest.BenchOptions{Binary: true, Simulated: inMemory, Env: map[string]string{
		"AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential", // the others take their time to be missed
	}})
	there := strings.Replace(b.Provider(), fmt.Sprintf(", endpoint = %q", b.URL("azure")), "", 1)
	if strings.Contains(there, "endpoint") {
		t.Fatalf("the endpoint is still there: %s", there)
	}
	b.Config(there)
	b.PlanEmpty().NoDiagnostics(t)
	b.Config(there + ablock())
	b.Apply().Failure(t, "az login", "AZURE_CLIENT_ID")
	none(t, b)
	if n := len(b.Calls(0, "")); n != 0 {
		t.Errorf("%d calls without credentials", n)
	}
}

// Two hundred reservations in forty groups cost one index and a look at each group,
// or at each reservation where a group has one.
func TestAccReservation_azureGroups(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "azure", acctest.BenchOptions{Binary: true, Simulated: inMemory, NoLog: true})
	b.Do(b.World.SetRate(sim.Rate{Cloud: "azure", PerSecond: 100_000, Burst: 100_000}))
	const sizes = 5
	const groups = 40
	for i := range groups {
		giveGroup(t, b, agroup(fmt.Sprintf("team-%d", i)))
	}
	use(b, `locals {
  sizes = ["Standard_NC4as_T4_v3", "Standard_NC8as_T4_v3", "Standard_NC16as_T4_v3", "Standard_NC64as_T4_v3", "Standard_NC24ads_A100_v4"]
}
`, ablock(fmt.Sprintf("count = %d", groups*sizes), `name = "res-${count.index}"`, "instance_type = local.sizes[count.index % 5]",
		fmt.Sprintf(`azure = { group_id = "%s${floor(count.index / 5)}" }`, agroup("team-"))))
	b.Apply("-parallelism=50").Success(t)
	since := b.Mark()
	b.PlanEmpty("-parallelism=50").NoDiagnostics(t)
	counted := map[string]int{}
	for _, c := range b.Calls(since, "") {
		counted[c.Operation]++
	}
	total := 0
	for _, n := range counted {
		total += n
	}
	if counted[aIndex] < 1 || counted[aIndex] > 2 || total > 2+2*groups {
		t.Errorf("a plan of 200 cost %d calls: %v", total, counted)
	}
}
