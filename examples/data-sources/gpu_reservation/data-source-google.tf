# On Google Cloud: one that another configuration made, by the name in its mark.
data "gpu_reservation" "inference" {
  cloud   = "google"
  account = "ml-prod"
  owner   = "ml-platform/prod"
  name    = "inference"
}

# One that nobody marked, by project, zone and name.
data "gpu_reservation" "by_hand" {
  id = "google:ml-prod/us-central1-a/by-hand"
}

output "inference_left" {
  value = data.gpu_reservation.inference.available_count
}

output "affinity" {
  value = data.gpu_reservation.by_hand.binding.google.reservation_affinity
}
