# A Block reservation: eight H100 machines for exactly this week, which cannot be
# given back. Its days run from 12:00 to 11:30 UTC, and it starts at most 56 days
# ahead: put your own date.
resource "gpu_reservation" "pretrain" {
  name           = "pretrain"
  cloud          = "azure"
  region         = "eastus"
  instance_type  = "Standard_ND96isr_H100_v5"
  instance_count = 8

  kind   = "block"
  window = { start_at = "2031-05-10T12:00:00Z", duration = "7d" }

  lifecycle {
    postcondition {
      condition     = contains(["pending", "held"], self.status)
      error_message = "The reservation is ${self.status}."
    }
  }
}
