# An Auto Scaling group that fills the reservation, and never more than it.
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
  name           = "llm-train"
  cloud          = "aws"
  zone           = "us-east-1a"
  instance_type  = "p5.48xlarge"
  instance_count = 4

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

resource "aws_launch_template" "train" {
  name_prefix   = "llm-train-"
  image_id      = var.ami
  instance_type = gpu_reservation.train.binding.aws.instance_type

  placement {
    availability_zone = gpu_reservation.train.binding.aws.availability_zone
    tenancy           = gpu_reservation.train.binding.aws.tenancy
  }

  capacity_reservation_specification {
    capacity_reservation_target {
      capacity_reservation_id = gpu_reservation.train.binding.aws.capacity_reservation_id
    }
  }

  # Capacity blocks are a market of their own.
  dynamic "instance_market_options" {
    for_each = gpu_reservation.train.binding.aws.market_type[*]
    content {
      market_type = instance_market_options.value
    }
  }
}

resource "aws_autoscaling_group" "train" {
  name_prefix         = "llm-train-"
  min_size            = 0
  desired_capacity    = gpu_reservation.train.instance_count
  max_size            = gpu_reservation.train.instance_count
  vpc_zone_identifier = [var.subnet_id]

  launch_template {
    id      = aws_launch_template.train.id
    version = aws_launch_template.train.latest_version
  }
}
