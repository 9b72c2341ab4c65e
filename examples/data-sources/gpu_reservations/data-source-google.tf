# On Google Cloud a project's reservations in all regions are read at once.
data "gpu_reservations" "project" {
  cloud   = "google"
  account = "ml-prod"
}

# What is paid for by the hour and not used, by zone.
output "unused_by_zone" {
  value = {
    for r in data.gpu_reservations.project.reservations :
    r.zone => r.available_count... if r.available_count > 0
  }
}
