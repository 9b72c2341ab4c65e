package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// googleBench is a workspace over simulated Google Cloud.
func googleBench(t *testing.T, beside map[string]func() (tfprotov6.ProviderServer, error)) *acctest.Bench {
	t.Helper()
	return acctest.NewBench(t, "google", acctest.BenchOptions{Simulated: simulated, Beside: beside})
}

// toGoogle leads a provider block of the examples to the bench's endpoint.
func toGoogle(t *testing.T, b *acctest.Bench, text string) string {
	t.Helper()
	const project = `project = "ml-prod"`
	at := strings.LastIndex(text, project)
	if at < 0 {
		t.Fatal("no google block")
	}
	endpoint := fmt.Sprintf("endpoint = %q", b.URL("google"))
	if strings.Contains(text, "{ "+project+" }") {
		return text[:at] + project + ", " + endpoint + text[at+len(project):]
	}
	return text[:at] + project + "\n    " + endpoint + text[at+len(project):]
}

func TestAccExamples_google(t *testing.T) {
	t.Parallel()
	b := googleBench(t, nil)
	b.Write("provider.tf", toGoogle(t, b, required+example(t, "provider/provider-google.tf")))
	b.Write("main.tf", example(t, "resources/gpu_reservation/resource-google.tf"))
	b.Apply().Success(t)
	if got := len(b.Objects("READY")); got != 2 {
		t.Errorf("%d reservations, want 2", got)
	}
	b.PlanEmpty()
	b.Destroy().Success(t)
	if left := b.Objects("READY"); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

func TestAccExamples_googleBlock(t *testing.T) {
	t.Parallel()
	b := googleBench(t, nil)
	b.Do(b.World.SetClock(time.Date(2031, 4, 19, 0, 0, 0, 0, time.UTC)))
	b.Write("provider.tf", required+b.Provider())
	b.Write("main.tf", example(t, "resources/gpu_reservation/resource-google-block.tf"))
	b.Apply().Success(t)
	b.Do(b.World.Advance(time.Minute))
	if got := applied(t, b, "gpu_reservation.pretrain")["status"]; got != "held" {
		t.Errorf("status = %v, want held", got)
	}
	b.Destroy().Success(t)
}

// googleConsumer stands in for hashicorp/google, by the names of its resource
// google_compute_instance (website/docs/r/compute_instance.html.markdown).
func googleConsumer() map[string]func() (tfprotov6.ProviderServer, error) {
	named := nested(map[string]schema.Attribute{
		"key": schema.StringAttribute{Required: true}, "values": schema.ListAttribute{Required: true, ElementType: types.StringType},
	}, nil)
	stub := acctest.Stub{
		Name:  "google",
		Block: providerschema.Schema{Attributes: map[string]providerschema.Attribute{"project": providerschema.StringAttribute{Optional: true}}},
		Resources: map[string]acctest.StubResource{"google_compute_instance": {Schema: schema.Schema{
			Attributes: arguments("name", "project", "zone", "machine_type"),
			Blocks: map[string]schema.Block{
				"boot_disk":            nested(nil, map[string]schema.Block{"initialize_params": nested(arguments("image"), nil)}),
				"network_interface":    nested(arguments("subnetwork"), nil),
				"scheduling":           nested(arguments("on_host_maintenance", "provisioning_model", "instance_termination_action"), nil),
				"reservation_affinity": nested(arguments("type"), map[string]schema.Block{"specific_reservation": named}),
			},
		}}},
	}
	return map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/google": stub.Server}
}

// One instance fits each sort of reservation: what it needs is known at plan.
func TestAccExamples_googleInstance(t *testing.T) {
	t.Parallel()
	const window = "kind = \"block\"\n  window = { start_at = \"2031-05-10T09:00:00Z\", duration = \"7d\" }\n"
	named := []any{map[string]any{"key": "compute.googleapis.com/reservation-name", "values": []any{"llm-train"}}}
	for name, tc := range map[string]struct {
		edit       *strings.Replacer
		affinity   map[string]any
		scheduling map[string]any
	}{
		"targeted": {
			strings.NewReplacer(),
			map[string]any{"type": "SPECIFIC_RESERVATION", "specific_reservation": named},
			map[string]any{"on_host_maintenance": "TERMINATE", "provisioning_model": nil, "instance_termination_action": nil},
		},
		"open": {
			strings.NewReplacer(`  instance_type = "g2`, "  match_criteria = \"open\"\n  instance_type = \"g2"),
			map[string]any{"type": "ANY_RESERVATION", "specific_reservation": []any{}},
			map[string]any{"on_host_maintenance": "TERMINATE", "provisioning_model": nil, "instance_termination_action": nil},
		},
		"block": {
			strings.NewReplacer(`kind          = "on_demand"`, window, "g2-standard-48", "a3-highgpu-8g", `self.status == "held"`, `contains(["pending", "held"], self.status)`),
			map[string]any{"type": "SPECIFIC_RESERVATION", "specific_reservation": named},
			map[string]any{"on_host_maintenance": "TERMINATE", "provisioning_model": "RESERVATION_BOUND", "instance_termination_action": "DELETE"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := googleBench(t, googleConsumer())
			b.Do(b.World.SetClock(time.Date(2031, 4, 19, 0, 0, 0, 0, time.UTC)))
			b.Write("main.tf", tc.edit.Replace(toGoogle(t, b, example(t, "scenarios/google-instance/main.tf"))))
			b.Write("terraform.tfvars", "image = \"debian\"\nsubnetwork = \"train\"\n")
			plan := planned(t, b.Plan(), "google_compute_instance.train")
			if diff := cmp.Diff([]any{tc.affinity}, plan["reservation_affinity"]); diff != "" {
				t.Errorf("reservation_affinity (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]any{tc.scheduling}, plan["scheduling"]); diff != "" {
				t.Errorf("scheduling (-want +got):\n%s", diff)
			}
			b.Apply().Success(t)
			b.Do(b.World.Advance(time.Minute))
			b.Apply().Success(t)
			b.PlanEmpty()
		})
	}
}

// Every form of an id in the examples finds what it names.
func TestAccExamples_googleImport(t *testing.T) {
	t.Parallel()
	for _, command := range importCommands(t, "google") {
		t.Run(command[2], func(t *testing.T) {
			t.Parallel()
			b := googleBench(t, nil)
			kind := "\"on_demand\""
			if strings.Contains(command[2], "futureReservations") {
				kind = "\"scheduled\"\n  window = { start_at = \"2031-05-10T09:00:00Z\", end_at = \"2031-05-17T09:00:00Z\" }"
			}
			b.Do(b.World.SetClock(time.Date(2031, 4, 19, 0, 0, 0, 0, time.UTC)))
			b.Write("main.tf", toGoogle(t, b, required+example(t, "provider/provider-google.tf"))+fmt.Sprintf(`
resource "gpu_reservation" "train" {
  name          = "train"
  cloud         = "google"
  zone          = "us-central1-a"
  instance_type = "a3-highgpu-8g"
  kind          = %s
}
`, kind))
			b.Apply().Success(t)
			b.Do(b.World.Advance(time.Minute))
			b.Run("state", "rm", command[1]).Success(t)
			b.Import(command[1], command[2]).Success(t)
			b.PlanEmpty()
		})
	}
}

// byHand puts a reservation of the project ml-prod that nobody marked into the
// simulated cloud.
func byHand(t *testing.T, b *acctest.Bench, name string, tags map[string]string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"objects": []map[string]any{{
		"cloud": "google", "type": "reservations", "native_id": "projects/ml-prod/zones/us-central1-a/reservations/" + name,
		"zone": "us-central1-a", "instance_type": "g2-standard-8", "count": 4, "in_use": 1, "tags": tags,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	b.Do(b.World.Load(text))
}

func TestAccExamples_googleDataSource(t *testing.T) {
	t.Parallel()
	b := googleBench(t, nil)
	b.Make(cloud.Spec{
		Account: "ml-prod", Kind: cloud.OnDemand, Zone: "us-central1-b", InstanceType: "g2-standard-8", Count: 3,
	}, cloud.Mark{Owner: "ml-platform/prod", Name: "inference", Type: "gpu_reservation"})
	byHand(t, b, "by-hand", map[string]string{"specific": ""})
	b.Write("main.tf", required+b.Provider()+example(t, "data-sources/gpu_reservation/data-source-google.tf"))
	b.Apply().Success(t)
	want := map[string]any{"inference_left": "3", "affinity": map[string]any{
		"type": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name", "values": []any{"by-hand"},
	}}
	got := b.Output()
	got["inference_left"] = fmt.Sprint(got["inference_left"])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	b.PlanEmpty()
}

func TestAccExamples_googleDataSources(t *testing.T) {
	t.Parallel()
	b := googleBench(t, nil)
	byHand(t, b, "one", nil)
	byHand(t, b, "two", nil)
	b.Write("main.tf", required+b.Provider()+example(t, "data-sources/gpu_reservations/data-source-google.tf"))
	b.Apply().Success(t)
	if got := fmt.Sprint(b.Output()["unused_by_zone"]); got != "map[us-central1-a:[3 3]]" {
		t.Errorf("unused_by_zone = %v", got)
	}
	b.PlanEmpty()
}

func TestAccExamples_googleOffers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit float64
		want  bool
	}{{7, false}, {8, true}} {
		t.Run(fmt.Sprint(tc.limit), func(t *testing.T) {
			t.Parallel()
			b := googleBench(t, nil)
			b.Do(b.World.SetQuota(sim.Quota{Cloud: "google", Region: "us-central1", Quota: "NVIDIA_L4_GPUS", Limit: &tc.limit}))
			b.Write("main.tf", required+b.Provider()+example(t, "data-sources/gpu_offers/data-source-google.tf"))
			b.Apply().Success(t)
			want := map[string]any{
				"zones":        []any{"us-central1-a", "us-central1-b", "us-central1-c"},
				"within_quota": map[string]any{"g2-standard-48": tc.want},
			}
			if diff := cmp.Diff(want, b.Output()); diff != "" {
				t.Errorf("outputs (-want +got):\n%s", diff)
			}
		})
	}
}

// googleReservations stands in for hashicorp/google with its type of reservation.
func googleReservations() map[string]func() (tfprotov6.ProviderServer, error) {
	list := func(attributes map[string]schema.Attribute, blocks map[string]schema.Block) schema.Block {
		return schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes, Blocks: blocks}}
	}
	count := map[string]schema.Attribute{"count": schema.Int64Attribute{Required: true}}
	stub := acctest.Stub{Name: "google", Block: providerschema.Schema{}, Resources: map[string]acctest.StubResource{
		"google_compute_reservation": {Schema: schema.Schema{
			Attributes: arguments("name", "project", "zone"),
			Blocks: map[string]schema.Block{
				"specific_reservation": list(count, map[string]schema.Block{"instance_properties": list(arguments("machine_type"), nil)}),
			},
		}},
	}}
	return map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/google": stub.Server}
}

// A move calls nothing that changes anything, and what it leads to is as it is
// configured.
func TestAccExamples_googleMoved(t *testing.T) {
	t.Parallel()
	b := googleBench(t, googleReservations())
	byHand(t, b, "inference", nil)
	both := strings.Replace(required, "    gpu", "    google = { source = \"hashicorp/google\" }\n    gpu", 1)
	b.Write("main.tf", both+`resource "google_compute_reservation" "inference" {
  name    = "inference"
  project = "ml-prod"
  zone    = "us-central1-a"
  specific_reservation {
    count = 4
    instance_properties {
      machine_type = "g2-standard-8"
    }
  }
}
`)
	b.Apply("-target=google_compute_reservation.inference").Success(t)
	b.Write("main.tf", toGoogle(t, b, both+example(t, "provider/provider-google.tf"))+example(t, "resources/gpu_reservation/moved-google.tf"))
	since := b.Mark()
	b.Apply().Success(t)
	for _, call := range b.Calls(since, "") {
		if !strings.HasSuffix(strings.ToLower(call.Operation), "list") && !strings.HasSuffix(call.Operation, ".get") {
			t.Errorf("the move called %s", call.Operation)
		}
	}
	b.PlanEmpty()
}
