# Two instances for one day, paid at once. A longer duration extends the block;
# nothing gives it back. Its start must lie within eight weeks: put your own date.
resource "gpu_reservation" "finetune" {
  name           = "finetune"
  cloud          = "aws"
  region         = "us-east-1"
  instance_type  = "p5.48xlarge"
  instance_count = 2

  kind            = "block"
  window          = { start_at = "2031-05-10T00:00:00Z", duration = "24h" }
  max_upfront_usd = 2000

  lifecycle {
    postcondition {
      condition     = contains(["pending", "held"], self.status)
      error_message = "The reservation is ${self.status}."
    }
  }
}
