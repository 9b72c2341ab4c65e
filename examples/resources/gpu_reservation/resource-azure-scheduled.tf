# A Future reservation: capacity from a date on, without an end. Azure decides on it
# later, and once it is committed it is paid for at least that many days. The start
# must lie a week to six months ahead: put your own date.
resource "gpu_reservation" "season" {
  name           = "season"
  cloud          = "azure"
  region         = "eastus"
  instance_type  = "Standard_NC24ads_A100_v4"
  instance_count = 2

  kind   = "scheduled"
  window = { start_at = "2031-05-10T09:00:00Z" }
  azure  = { minimum_commitment_days = 30 }

  lifecycle {
    postcondition {
      condition     = contains(["pending", "held"], self.status)
      error_message = "The reservation is ${self.status}."
    }
  }
}
