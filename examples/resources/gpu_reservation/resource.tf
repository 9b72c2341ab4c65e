# One instance, held until it is destroyed.
resource "gpu_reservation" "notebook" {
  name          = "notebook"
  cloud         = "aws"
  zone          = "us-east-1a"
  instance_type = "g5.xlarge"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

# Four instances for two weeks, asked for again while the zone is full, and not
# at any price.
resource "gpu_reservation" "train" {
  name           = "llm-train"
  cloud          = "aws"
  zone           = "us-east-1b"
  instance_type  = "p5.48xlarge"
  instance_count = 4

  window            = { duration = "14d" }
  wait_for_capacity = "30m"
  max_usd_per_hour  = 300

  on_release_in_use = "refuse"
  tags              = { project = "llm" }
  timeouts          = { create = "45m", delete = "1h" }

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
