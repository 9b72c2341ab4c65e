# An EKS managed node group in the reservation. The group's capacity type follows
# the kind; the reservation itself is named by the launch template.
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

variable "cluster_name" {
  type = string
}

variable "node_role_arn" {
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
  instance_count = 2

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

resource "aws_launch_template" "train" {
  name_prefix   = "llm-train-"
  instance_type = gpu_reservation.train.binding.aws.instance_type

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

resource "aws_eks_node_group" "train" {
  cluster_name    = var.cluster_name
  node_group_name = "llm-train"
  node_role_arn   = var.node_role_arn
  subnet_ids      = [var.subnet_id]
  ami_type        = "AL2023_x86_64_NVIDIA"
  capacity_type   = gpu_reservation.train.binding.aws.eks_capacity_type

  launch_template {
    id      = aws_launch_template.train.id
    version = aws_launch_template.train.latest_version
  }

  scaling_config {
    min_size     = 0
    desired_size = gpu_reservation.train.instance_count
    max_size     = gpu_reservation.train.instance_count
  }
}
