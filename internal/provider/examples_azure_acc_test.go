package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The subscription, the group and the reservation of the examples.
const (
	exampleSubscription = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
	exampleResources    = "/subscriptions/" + exampleSubscription + "/resourceGroups/ml-prod"
	exampleGroups       = exampleResources + "/providers/Microsoft.Compute/capacityReservationGroups/"
)

// azureBench is a bench of Azure that has the examples' resource group.
func azureBench(t *testing.T, beside map[string]func() (tfprotov6.ProviderServer, error)) *acctest.Bench {
	t.Helper()
	b := acctest.NewBench(t, "azure", acctest.BenchOptions{Simulated: simulated, Beside: beside})
	put(t, b, exampleResources, `{"location": "eastus"}`)
	return b
}

// put makes something at simulated Azure, past the provider.
func put(t *testing.T, b *acctest.Bench, id, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, b.URL("azure")+id+"?api-version=2026-04-01", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close() // only its status is of interest
	if resp.StatusCode >= http.StatusBadRequest {
		t.Fatalf("PUT %s: %d", id, resp.StatusCode)
	}
	b.Do(b.World.Advance(time.Minute))
}

// team makes the group team of zone 1.
func team(t *testing.T, b *acctest.Bench) string {
	t.Helper()
	put(t, b, exampleGroups+"team", `{"location": "eastus", "zones": ["1"]}`)
	return exampleGroups + "team"
}

// member makes a reservation of two in the group team.
func member(t *testing.T, b *acctest.Bench, name, size string) {
	t.Helper()
	put(t, b, exampleGroups+"team/capacityReservations/"+name, fmt.Sprintf(`{"location": "eastus", "zones": ["1"], "sku": {"name": %q, "capacity": 2}}`, size))
}

// toAzure leads a configuration's block for Azure to the simulator.
func toAzure(t *testing.T, b *acctest.Bench, text string) string {
	t.Helper()
	const name = `resource_group  = "ml-prod"`
	if strings.Count(text, name) != 1 {
		t.Fatalf("no azure block:\n%s", text)
	}
	return strings.Replace(text, name, fmt.Sprintf("%s\n    endpoint        = %q", name, b.URL("azure")), 1)
}

func onExampleProvider(t *testing.T, b *acctest.Bench) string {
	t.Helper()
	return toAzure(t, b, required+example(t, "provider/provider-azure.tf"))
}

// standing are the reservations of simulated Azure.
func standing(b *acctest.Bench) []sim.ObjectRow {
	var found []sim.ObjectRow
	for _, o := range b.Objects() {
		if o.Type == "capacityReservations" {
			found = append(found, o)
		}
	}
	return found
}

func TestAccExamples_azure(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		want  int
		given bool
	}{"resources/gpu_reservation/resource-azure.tf": {2, false}, "resources/gpu_reservation/resource-azure-group.tf": {2, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := azureBench(t, nil)
			b.Write("provider.tf", onExampleProvider(t, b))
			b.Write("main.tf", example(t, name))
			if tc.given {
				b.Write("terraform.tfvars", fmt.Sprintf("capacity_reservation_group_id = %q\n", team(t, b)))
			}
			b.Apply().Success(t)
			if got := len(standing(b)); got != tc.want {
				t.Errorf("%d reservations, want %d", got, tc.want)
			}
			b.PlanEmpty()
			b.Destroy().Success(t)
			if left := standing(b); len(left) > 0 {
				t.Errorf("left behind: %+v", left)
			}
		})
	}
}

// What Azure decides later ends a create too, and is held once it did.
func TestAccExamples_azureLater(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"resources/gpu_reservation/resource-azure-scheduled.tf": "gpu_reservation.season",
		"resources/gpu_reservation/resource-azure-block.tf":     "gpu_reservation.pretrain",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := azureBench(t, nil)
			b.Do(b.World.SetClock(time.Date(2031, 4, 19, 0, 0, 0, 0, time.UTC)))
			b.Write("provider.tf", onExampleProvider(t, b))
			b.Write("main.tf", example(t, name))
			b.Apply().Success(t)
			approved := "Approved"
			if strings.Contains(name, "scheduled") {
				b.Do(b.World.Patch(sim.ObjectPatch{NativeID: standing(b)[0].NativeID, Status: &approved}))
			}
			b.Do(b.World.Advance(time.Minute))
			if got := applied(t, b, address)["status"]; got != "held" {
				t.Errorf("status = %v, want held", got)
			}
		})
	}
}

// azureConsumers stand in for hashicorp/azurerm with the types that launch into a
// reservation (website/docs/r/linux_virtual_machine.html.markdown and
// kubernetes_cluster_node_pool.html.markdown).
func azureConsumers() map[string]func() (tfprotov6.ProviderServer, error) {
	list := func(name string) map[string]schema.Attribute {
		return map[string]schema.Attribute{name: schema.ListAttribute{Optional: true, ElementType: types.StringType}}
	}
	pool := with(arguments("name", "kubernetes_cluster_id", "vm_size", "capacity_reservation_group_id"), list("zones"))
	pool["node_count"] = schema.Int64Attribute{Optional: true}
	stub := acctest.Stub{
		Name: "azurerm",
		Block: providerschema.Schema{
			Attributes: map[string]providerschema.Attribute{"subscription_id": providerschema.StringAttribute{Optional: true}},
			Blocks:     map[string]providerschema.Block{"features": providerschema.ListNestedBlock{}},
		},
		Resources: map[string]acctest.StubResource{
			"azurerm_linux_virtual_machine": {Schema: schema.Schema{
				Attributes: with(arguments("name", "resource_group_name", "location", "zone", "size", "admin_username", "source_image_id",
					"capacity_reservation_group_id"), list("network_interface_ids")),
				Blocks: map[string]schema.Block{
					"admin_ssh_key": nested(arguments("username", "public_key"), nil),
					"os_disk":       nested(arguments("caching", "storage_account_type"), nil),
				},
			}},
			"azurerm_kubernetes_cluster_node_pool": {Schema: schema.Schema{Attributes: pool}},
		},
	}
	return map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/azurerm": stub.Server}
}

// A machine and a node pool follow the binding: the group, and the zone where there
// is one; an open reservation is not named.
func TestAccExamples_azureLaunch(t *testing.T) {
	t.Parallel()
	const machine, pool = "azurerm_linux_virtual_machine.train", "azurerm_kubernetes_cluster_node_pool.inference"
	for name, tc := range map[string]struct {
		scenario, variables, address string
		edit                         *strings.Replacer
		want                         map[string]any
	}{
		"machine": {
			"scenarios/azure-machine/main.tf", "network_interface_id = \"nic\"\nssh_public_key = \"ssh-rsa x\"\nimage_id = \"image\"\n", machine, strings.NewReplacer(),
			map[string]any{"location": "eastus", "zone": "1", "size": "Standard_NC24ads_A100_v4", "capacity_reservation_group_id": exampleGroups + "llm-train"},
		},
		"machine, regional": {
			"scenarios/azure-machine/main.tf", "network_interface_id = \"nic\"\nssh_public_key = \"ssh-rsa x\"\nimage_id = \"image\"\n", machine,
			strings.NewReplacer("  zone          = \"1\"\n", ""),
			map[string]any{"zone": nil, "capacity_reservation_group_id": exampleGroups + "llm-train"},
		},
		"machine, open": {
			"scenarios/azure-machine/main.tf", "network_interface_id = \"nic\"\nssh_public_key = \"ssh-rsa x\"\nimage_id = \"image\"\n", machine,
			strings.NewReplacer(`kind          = "on_demand"`, `match_criteria = "open"`),
			map[string]any{"zone": "1", "capacity_reservation_group_id": nil},
		},
		"node pool": {
			"scenarios/aks-node-pool/main.tf", "kubernetes_cluster_id = \"cluster\"\n", pool, strings.NewReplacer(),
			map[string]any{"zones": []any{"1"}, "vm_size": "Standard_NC24ads_A100_v4", "capacity_reservation_group_id": exampleGroups + "inference-pool"},
		},
		"node pool, regional": {
			"scenarios/aks-node-pool/main.tf", "kubernetes_cluster_id = \"cluster\"\n", pool, strings.NewReplacer("  zone           = \"1\"\n", ""),
			map[string]any{"zones": []any{}, "capacity_reservation_group_id": exampleGroups + "inference-pool"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := azureBench(t, azureConsumers())
			b.Write("main.tf", tc.edit.Replace(toAzure(t, b, example(t, tc.scenario))))
			b.Write("terraform.tfvars", tc.variables)
			got := planned(t, b.Plan(), tc.address)
			for attribute, want := range tc.want {
				if diff := cmp.Diff(want, got[attribute]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", attribute, diff)
				}
			}
			b.Apply().Success(t)
			b.PlanEmpty()
			b.Destroy().Success(t)
		})
	}
}

// Every form of an id in the examples finds what it names.
func TestAccExamples_azureImport(t *testing.T) {
	t.Parallel()
	for _, command := range importCommands(t, "azure") {
		t.Run(command[2], func(t *testing.T) {
			t.Parallel()
			b := azureBench(t, nil)
			b.Write("main.tf", onExampleProvider(t, b)+`
resource "gpu_reservation" "train" {
  name          = "train"
  cloud         = "azure"
  region        = "eastus"
  instance_type = "Standard_NC24ads_A100_v4"
}
`)
			b.Apply().Success(t)
			b.Run("state", "rm", command[1]).Success(t)
			b.Import(command[1], command[2]).Success(t)
			b.PlanEmpty()
		})
	}
}

func TestAccExamples_azureDataSource(t *testing.T) {
	t.Parallel()
	b := azureBench(t, nil)
	team(t, b)
	member(t, b, "by-hand", "Standard_NC24ads_A100_v4")
	where := strings.Replace(onExampleProvider(t, b), `"ml-platform/${terraform.workspace}"`, `"ml-platform/prod"`, 1)
	b.Write("provider.tf", where)
	b.Write("main.tf", example(t, "resources/gpu_reservation/resource-azure.tf"))
	b.Apply().Success(t)
	b.Write("looks.tf", example(t, "data-sources/gpu_reservation/data-source-azure.tf")+example(t, "data-sources/gpu_reservations/data-source-azure.tf"))
	b.Apply().Success(t)
	got := b.Output()
	got["inference_left"], got["unused_by_location"] = fmt.Sprint(got["inference_left"]), len(fmt.Sprint(got["unused_by_location"]))
	want := map[string]any{"inference_left": "4", "launch_into": exampleGroups + "team", "unused_by_location": len("map[eastus:[1 2 4]]")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	b.PlanEmpty()
}

func TestAccExamples_azureOffers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit float64
		want  bool
	}{{47, false}, {48, true}} {
		t.Run(fmt.Sprint(tc.limit), func(t *testing.T) {
			t.Parallel()
			b := azureBench(t, nil)
			b.Do(b.World.SetQuota(sim.Quota{
				Cloud: "azure", Account: exampleSubscription, Region: "eastus", Quota: "StandardNCADSA100v4Family", Limit: &tc.limit,
			}))
			b.Write("main.tf", onExampleProvider(t, b)+example(t, "data-sources/gpu_offers/data-source-azure.tf"))
			b.Apply().Success(t)
			got := b.Output()
			if zones, ok := got["zones"].([]any); !ok || len(zones) == 0 {
				t.Errorf("zones = %v", got["zones"])
			}
			if got["within_quota"] != tc.want {
				t.Errorf("within_quota = %v, want %v", got["within_quota"], tc.want)
			}
		})
	}
}

// A move calls nothing that changes anything, and what it leads to is as it is
// configured.
func TestAccExamples_azureMoved(t *testing.T) {
	t.Parallel()
	attributes := arguments("name", "capacity_reservation_group_id", "zone")
	attributes["id"] = schema.StringAttribute{Computed: true}
	sku := arguments("name")
	sku["capacity"] = schema.Int64Attribute{Required: true}
	stub := acctest.Stub{Name: "azurerm", Block: providerschema.Schema{}, Resources: map[string]acctest.StubResource{
		"azurerm_capacity_reservation": {
			Schema: schema.Schema{Attributes: attributes, Blocks: map[string]schema.Block{"sku": nested(sku, nil)}},
			Made:   map[string]string{"id": exampleGroups + "team/capacityReservations/tune"},
		},
	}}
	b := azureBench(t, map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/azurerm": stub.Server})
	team(t, b)
	member(t, b, "tune", "Standard_NC24ads_A100_v4")
	both := strings.Replace(required, "    gpu", "    azurerm = { source = \"hashicorp/azurerm\" }\n    gpu", 1)
	b.Write("main.tf", both+fmt.Sprintf(`resource "azurerm_capacity_reservation" "tune" {
  name                          = "tune"
  capacity_reservation_group_id = %q
  zone                          = "1"
  sku {
    name     = "Standard_NC24ads_A100_v4"
    capacity = 2
  }
}
`, exampleGroups+"team"))
	b.Apply("-target=azurerm_capacity_reservation.tune").Success(t)
	b.Write("main.tf", toAzure(t, b, both+example(t, "provider/provider-azure.tf"))+example(t, "resources/gpu_reservation/moved-azure.tf"))
	since := b.Mark()
	b.Apply().Success(t)
	for _, call := range b.Calls(since, "") {
		if !strings.Contains(call.Operation, "_List") && !strings.HasSuffix(call.Operation, "_Get") {
			t.Errorf("the move called %s", call.Operation)
		}
	}
	b.PlanEmpty()
}
