# On Azure: one that another configuration made, by the name in its mark.
data "gpu_reservation" "inference" {
  cloud = "azure"
  owner = "ml-platform/prod"
  name  = "inference"
}

# One that nobody marked, by its id in any casing.
data "gpu_reservation" "by_hand" {
  id = "/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/resourceGroups/ml-prod/providers/Microsoft.Compute/capacityReservationGroups/team/capacityReservations/by-hand"
}

output "inference_left" {
  value = data.gpu_reservation.inference.available_count
}

output "launch_into" {
  value = data.gpu_reservation.by_hand.binding.azure.capacity_reservation_group_id
}
