# A group that is there already takes reservations of several sizes; it is neither
# changed nor removed.
variable "capacity_reservation_group_id" {
  description = "Group of type Targeted, in zone 1 of eastus."
  type        = string
}

resource "gpu_reservation" "pool" {
  for_each = { small = "Standard_NC24ads_A100_v4", large = "Standard_NC96ads_A100_v4" }

  name          = "pool-${each.key}"
  cloud         = "azure"
  region        = "eastus"
  zone          = "1"
  instance_type = each.value

  azure = { group_id = var.capacity_reservation_group_id }

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
