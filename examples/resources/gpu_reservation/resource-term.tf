# A host that is paid for a year. It is held first; then the term is bought.
resource "gpu_reservation" "year" {
  name          = "year"
  cloud         = "aws"
  zone          = "us-east-1a"
  instance_type = "g6.48xlarge"

  kind             = "term"
  term             = { months = 12, payment_option = "no_upfront" }
  max_upfront_usd  = 0
  max_usd_per_hour = 12

  # A term cannot be cancelled, so a destroy leaves the host and forgets it.
  on_destroy = "abandon"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The host is ${self.status}: apply again."
    }
  }
}
