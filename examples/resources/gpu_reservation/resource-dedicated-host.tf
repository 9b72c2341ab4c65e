# A whole host, held until it is destroyed. One reservation is one host.
resource "gpu_reservation" "host" {
  name          = "host"
  cloud         = "aws"
  zone          = "us-east-1a"
  instance_type = "g6.48xlarge"

  kind = "dedicated_host"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The host is ${self.status}, not held yet: apply again."
    }
  }
}
