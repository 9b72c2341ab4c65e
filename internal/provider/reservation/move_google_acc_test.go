package reservation_test

import (
	"fmt"
	"testing"

	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// otherGoogle stands in for hashicorp/google with as much of its type of
// reservation as a move reads.
func otherGoogle() map[string]func() (tfprotov6.ProviderServer, error) {
	text := func(names ...string) map[string]schema.Attribute {
		all := map[string]schema.Attribute{}
		for _, name := range names {
			all[name] = schema.StringAttribute{Optional: true}
		}
		return all
	}
	list := func(attributes map[string]schema.Attribute, blocks map[string]schema.Block) schema.Block {
		return schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: attributes, Blocks: blocks}}
	}
	sku, top := text(), text("name", "project", "zone", "delete_at_time", "creation_timestamp")
	sku["count"] = schema.Int64Attribute{Required: true}
	top["specific_reservation_required"] = schema.BoolAttribute{Optional: true}
	stub := acctest.Stub{Name: "google", Block: providerschema.Schema{}, Resources: map[string]acctest.StubResource{
		"google_compute_reservation": {Schema: schema.Schema{Attributes: top, Blocks: map[string]schema.Block{
			"specific_reservation": list(sku, map[string]schema.Block{"instance_properties": list(text("machine_type"), nil)}),
			"share_settings":       list(text("share_type"), map[string]schema.Block{"project_map": list(text("id", "project_id"), nil)}),
		}}},
	}}
	return map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/google": stub.Server}
}

// What another provider made is adopted by a moved block: nothing is called but
// reads, the options that it has come with its first one, and from then on it is
// ours to change and release.
func TestAccReservation_googleMoved(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "google", acctest.BenchOptions{Simulated: inMemory, Beside: otherGoogle()})
	byHand(t, b, 1, "")
	share := number(t, b, "proj-one")
	const both = "terraform {\n  required_providers {\n    google = { source = \"hashicorp/google\" }\n    gpu = { source = \"gpulock/gpu\" }\n  }\n}\n"
	b.Write("main.tf", both+fmt.Sprintf(`resource "google_compute_reservation" "old" {
  name    = "by-hand"
  project = %q
  zone    = "us-central1-a"
  specific_reservation_required = true
  specific_reservation {
    count = 2
    instance_properties {
      machine_type = "n1-standard-8"
    }
  }
  share_settings {
    share_type = "SPECIFIC_PROJECTS"
    project_map {
      id         = %q
      project_id = %q
    }
  }
}
`, acctest.GoogleProject(), share, share))
	b.Apply("-target=google_compute_reservation.old").Success(t)

	config := func(count string) {
		b.Write("main.tf", both+b.Provider()+"moved {\n  from = google_compute_reservation.old\n  to   = gpu_reservation.a\n}\n"+
			gblock(`name = "by-hand"`, `instance_type = "n1-standard-8"`, "instance_count = "+count, `share_with = ["proj-one"]`,
				`google = { accelerator_type = "nvidia-tesla-t4" }`))
	}
	config("2")
	since := b.Mark()
	plan := b.Plan()
	if change := plan.Change(addr); change == nil || !change.Actions.NoOp() {
		t.Fatalf("plan of the move: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since)
	state(t, b, map[string]any{
		"native_id": gpath("by-hand"), "status": "held", "account": nil, "owner": nil, "google.accelerator_type": "nvidia-tesla-t4",
		"gpu_model": "T4", "gpu_count": "2", "binding.google.project": acctest.GoogleProject(),
	})
	b.PlanEmpty().NoDiagnostics(t)
	config("3")
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	if left := b.Objects("READY"); len(left) > 0 {
		t.Errorf("still there: %+v", left)
	}
}
