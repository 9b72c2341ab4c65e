terraform {
  required_providers {
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

provider "gpu" {
  owner = "demo"
  aws   = { region = "us-east-1" }
}

resource "gpu_reservation" "train" {
  name           = "train"
  cloud          = "aws"
  zone           = "us-east-1a"
  instance_type  = "p5.48xlarge"
  instance_count = 2
  tags           = { team = "research" }

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

output "gpus" {
  value = "${gpu_reservation.train.gpu_count} × ${gpu_reservation.train.gpu_model} for about ${gpu_reservation.train.estimated_usd_per_hour} USD per hour"
}

output "launch_with" {
  value = gpu_reservation.train.binding.aws.capacity_reservation_id
}
