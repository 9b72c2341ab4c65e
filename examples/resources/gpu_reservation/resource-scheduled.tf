# Two instances from a date on. AWS assesses the request for days: a create ends
# at "pending", and what became of it shows at a later refresh. The start must lie
# 5 to 120 days ahead: put your own date.
resource "gpu_reservation" "season" {
  name           = "season"
  cloud          = "aws"
  zone           = "us-east-1a"
  instance_type  = "g6.12xlarge"
  instance_count = 2

  kind   = "scheduled"
  window = { start_at = "2031-05-10T09:00:00Z" }
  aws    = { commitment = "14d" }

  # Giving it up later than eight weeks before the start is charged.
  on_destroy           = "cancel_with_charge"
  max_cancellation_usd = 1600

  lifecycle {
    postcondition {
      condition     = contains(["pending", "held"], self.status)
      error_message = "The reservation is ${self.status}."
    }
  }
}
