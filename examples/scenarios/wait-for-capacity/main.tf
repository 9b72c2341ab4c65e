# The zone is full now. Ask again for up to two hours, then give up with every
# refusal listed.
terraform {
  required_providers {
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"
  aws   = { region = "us-east-1" }
}

resource "gpu_reservation" "train" {
  name              = "llm-train"
  cloud             = "aws"
  zone              = "us-east-1a"
  instance_type     = "p5.48xlarge"
  instance_count    = 2
  wait_for_capacity = "2h"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
