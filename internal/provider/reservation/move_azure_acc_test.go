package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// otherAzure stands in for hashicorp/azurerm with as much of its type of
// reservation as a move reads; its id comes from made, and its state has that identity.
func otherAzure(made, identity map[string]string) map[string]func() (tfprotov6.ProviderServer, error) {
	text := func(names ...string) map[string]schema.Attribute {
		all := map[string]schema.Attribute{}
		for _, name := range names {
			all[name] = schema.StringAttribute{Optional: true}
		}
		return all
	}
	sku, top := text("name"), text("name", "capacity_reservation_group_id", "zone")
	sku["capacity"] = schema.Int64Attribute{Required: true}
	top["id"] = schema.StringAttribute{Computed: true}
	top["tags"] = schema.MapAttribute{Optional: true, ElementType: types.StringType}
	stub := acctest.Stub{Name: "azurerm", Block: providerschema.Schema{}, Resources: map[string]acctest.StubResource{
		"azurerm_capacity_reservation": {Made: made, Identity: identity, Schema: schema.Schema{Attributes: top, Blocks: map[string]schema.Block{
			"sku": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: sku}},
		}}},
	}}
	return map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/azurerm": stub.Server}
}

// azurermIdentity is the identity that hashicorp/azurerm writes (that provider's
// GenerateIdentitySchema of a CapacityReservationId).
func azurermIdentity() map[string]string {
	return map[string]string{
		"subscription_id": acctest.AzureSubscription(), "resource_group_name": "gpu", "capacity_reservation_group_name": "team", "name": "by-hand",
	}
}

const bothAzure = "terraform {\n  required_providers {\n    azurerm = { source = \"hashicorp/azurerm\" }\n    gpu = { source = \"gpulock/gpu\" }\n  }\n}\n"

// besideAzure is a bench with a reservation of another provider, whose state has that
// identity, and writes the configuration that takes it over with a block.
func besideAzure(t *testing.T, identity map[string]string) (b *acctest.Bench, take func(block, count string)) {
	t.Helper()
	made := map[string]string{}
	b = acctest.NewBench(t, "azure", acctest.BenchOptions{Simulated: inMemory, Beside: otherAzure(made, identity)})
	giveGroup(t, b, agroup("team"), `"1"`)
	made["id"] = agroup("team") + "/capacityReservations/by-hand"
	giveMember(t, b, made["id"])
	b.Write("main.tf", bothAzure+fmt.Sprintf(`resource "azurerm_capacity_reservation" "old" {
  name                          = "by-hand"
  capacity_reservation_group_id = %q
  zone                          = "1"
  tags                          = { team = "ml" }
  sku {
    name     = %q
    capacity = 2
  }
}
`, agroup("team"), acctest.AzureType()))
	b.Apply("-target=azurerm_capacity_reservation.old").Success(t)
	return b, func(block, count string) {
		b.Write("main.tf", bothAzure+b.Provider()+block+inTeam(`name = "by-hand"`, "instance_count = "+count, `tags = { team = "ml" }`))
	}
}

const movedAzure = "moved {\n  from = azurerm_capacity_reservation.old\n  to   = gpu_reservation.a\n}\n"

// takenOver wants a plan that changes nothing, an apply that calls nothing but reads,
// and a reservation that is ours to change and release, in a group that stays the
// other's and has that id in the state.
func takenOver(t *testing.T, b *acctest.Bench, block, group string, take func(block, count string)) {
	t.Helper()
	take(block, "2")
	since := b.Mark()
	plan := b.Plan()
	if change := plan.Change(addr); change == nil || !change.Actions.NoOp() {
		t.Fatalf("plan of the move: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	// Without a look at Azure the region is not known, which is no other one.
	if change := b.Plan("-refresh=false").Change(addr); change == nil || change.Actions.Replace() {
		t.Errorf("plan of the move without a look: %+v", change)
	}
	b.Apply().Success(t)
	awrote(t, b, since)
	state(t, b, map[string]any{
		"native_id": apathIn(agroup("team"), "by-hand"), "status": "held", "account": nil, "owner": nil, "region": "eastus", "zone": "1",
		"azure.group_id": group, "gpu_model": "T4", "gpu_count": "2", "binding.azure.capacity_reservation_group_id": agroup("team"),
	})
	b.PlanEmpty().NoDiagnostics(t)
	take(block, "3")
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy("-target=" + addr).Success(t)
	if left := amembers(b); len(left) > 0 || len(agroups(b)) != 1 {
		t.Errorf("still there: %+v, groups %+v", left, agroups(b))
	}
}

// What another provider made is adopted by a moved block, although its state tells no
// region.
func TestAccReservation_azureMoved(t *testing.T) {
	t.Parallel()
	b, take := besideAzure(t, nil)
	takenOver(t, b, movedAzure, agroup("team"), take)
}

// Where its state has an identity, Terraform moves it too. OpenTofu (1.12) takes that
// for the identity of the new type and stops; there it is forgotten and imported.
func TestAccReservation_azureMovedIdentity(t *testing.T) {
	t.Parallel()
	b, take := besideAzure(t, azurermIdentity())
	if b.Name() == "terraform" {
		takenOver(t, b, movedAzure, agroup("team"), take)
		return
	}
	take(movedAzure, "2")
	b.Plan().Failure(t, `attributes "cloud" and "native_id" are required`)
	takenOver(t, b, fmt.Sprintf(`removed {
  from = azurerm_capacity_reservation.old

  lifecycle {
    destroy = false
  }
}

import {
  to = gpu_reservation.a
  id = %q
}
`, "azure:"+agroup("team")+"/capacityReservations/by-hand"), strings.ToLower(agroup("team")), take)
}
