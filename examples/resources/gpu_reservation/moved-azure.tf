moved {
  from = azurerm_capacity_reservation.tune
  to   = gpu_reservation.tune
}

resource "gpu_reservation" "tune" {
  name           = "tune"
  cloud          = "azure"
  region         = "eastus"
  zone           = "1"
  instance_type  = "Standard_NC24ads_A100_v4"
  instance_count = 2

  # The group stays a resource of azurerm: write its id as that has it.
  azure = {
    group_id = "/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/resourceGroups/ml-prod/providers/Microsoft.Compute/capacityReservationGroups/team"
  }

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
