# A future reservation in calendar mode: eight H100 instances for exactly this
# week. It is free to give up until Google locks it, and from then on paid for to
# its end. The start must lie at most 60 days ahead: put your own date.
resource "gpu_reservation" "pretrain" {
  name           = "pretrain"
  cloud          = "google"
  zone           = "us-central1-a"
  instance_type  = "a3-highgpu-8g"
  instance_count = 8

  kind   = "block"
  window = { start_at = "2031-05-10T09:00:00Z", duration = "7d" }

  lifecycle {
    postcondition {
      condition     = contains(["pending", "held"], self.status)
      error_message = "The reservation is ${self.status}."
    }
  }
}
