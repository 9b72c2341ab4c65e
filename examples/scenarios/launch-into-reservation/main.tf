# Reserve in one configuration and hand what a launch needs to others: as an
# output here, or by a look-up of the name there.
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
  name           = "llm-train"
  cloud          = "aws"
  zone           = "us-east-1a"
  instance_type  = "p5.48xlarge"
  instance_count = 2

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

# The arguments of an aws_launch_template, by their names there.
output "launch_template" {
  value = {
    instance_type = gpu_reservation.train.binding.aws.instance_type
    placement = {
      availability_zone = gpu_reservation.train.binding.aws.availability_zone
      tenancy           = gpu_reservation.train.binding.aws.tenancy
    }
    capacity_reservation_specification = {
      capacity_reservation_preference = gpu_reservation.train.binding.aws.capacity_reservation_preference
      capacity_reservation_target = {
        capacity_reservation_id = gpu_reservation.train.binding.aws.capacity_reservation_id
      }
    }
  }
}
