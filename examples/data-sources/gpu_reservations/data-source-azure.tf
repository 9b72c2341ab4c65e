# On Azure a subscription's reservations in all locations are read at once.
data "gpu_reservations" "subscription" {
  cloud   = "azure"
  account = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
}

# What is paid for by the hour and not used, by location.
output "unused_by_location" {
  value = {
    for r in data.gpu_reservations.subscription.reservations :
    r.region => r.available_count... if r.available_count > 0
  }
}
