# One instance in what is reserved. Its blocks follow the binding, so that the
# same instance fits a capacity reservation, a capacity block and a host.
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

provider "aws" {
  region = "us-east-1"
}

provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"
  aws   = { region = "us-east-1" }
}

variable "ami" {
  type = string
}

variable "subnet_id" {
  description = "A subnet of the reservation's zone."
  type        = string
}

resource "gpu_reservation" "train" {
  name          = "llm-train"
  cloud         = "aws"
  kind          = "on_demand"
  zone          = "us-east-1a"
  instance_type = "g6.48xlarge"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

locals {
  into = gpu_reservation.train.binding.aws
}

resource "aws_instance" "train" {
  ami               = var.ami
  subnet_id         = var.subnet_id
  instance_type     = local.into.instance_type
  availability_zone = local.into.availability_zone
  tenancy           = local.into.tenancy
  host_id           = local.into.host_id

  dynamic "instance_market_options" {
    for_each = local.into.market_type[*]
    content {
      market_type = instance_market_options.value
    }
  }

  # A host is named by host_id alone.
  dynamic "capacity_reservation_specification" {
    for_each = local.into.tenancy == "host" ? [] : [local.into]
    content {
      capacity_reservation_preference = capacity_reservation_specification.value.capacity_reservation_preference

      # An open reservation is met by preference; AWS refuses an id beside it.
      dynamic "capacity_reservation_target" {
        for_each = local.into.capacity_reservation_preference == null ? [local.into.capacity_reservation_id] : []
        content {
          capacity_reservation_id = capacity_reservation_target.value
        }
      }
    }
  }
}
