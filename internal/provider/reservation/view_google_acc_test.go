package reservation_test

import "testing"

// An import takes the GPUs that are attached, and counts them; what a machine type
// brings along is no option.
func TestAccReservation_googleImportAttached(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	byHand(t, b, 2, "gpulock/v1 type=gpu_reservation owner="+b.Owner+" name=by-hand")
	use(b, gblock(`name = "by-hand"`, `instance_type = "n1-standard-8"`, "instance_count = 2", `share_with = ["proj-one"]`,
		`google = { accelerator_type = "nvidia-tesla-t4", accelerator_count = 2 }`))
	b.Import(addr, gpath("by-hand")).Success(t)
	state(t, b, map[string]any{
		"google.accelerator_type": "nvidia-tesla-t4", "google.accelerator_count": 2, "gpu_model": "T4", "gpu_count": "4", "owner": b.Owner,
	})
	b.PlanEmpty().NoDiagnostics(t)
}

// Data sources find what is there, by name over the whole project.
func TestAccReservation_googleDataSources(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	use(b, gblock(), `
data "gpu_reservation" "a" {
  cloud = "google"
  name  = gpu_reservation.a.name
}

data "gpu_reservations" "all" {
  cloud      = "google"
  depends_on = [gpu_reservation.a]
}

data "gpu_offers" "l4" {
  cloud          = "google"
  zones          = ["us-central1-a"]
  instance_types = ["g2-standard-4"]
}

output "found" {
  value = {
    id    = data.gpu_reservation.a.id
    count = length(data.gpu_reservations.all.reservations)
    gpu   = data.gpu_offers.l4.offers[0].gpu_model
    quota = data.gpu_offers.l4.quotas[0].quota
  }
}
`)
	b.Apply().Success(t)
	found, _ := b.Output()["found"].(map[string]any)
	values(t, "found", found, map[string]any{"id": "google:" + gpath("res-a"), "count": 1, "gpu": "L4", "quota": "NVIDIA_L4_GPUS"})
	b.PlanEmpty()
}
