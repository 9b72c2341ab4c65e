# A module that is tested without an account: see tests/reserve.tftest.hcl.
terraform {
  required_providers {
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

variable "zone" {
  type = string
}

variable "instances" {
  type    = number
  default = 1
}

resource "gpu_reservation" "this" {
  name           = "module"
  cloud          = "aws"
  zone           = var.zone
  instance_type  = "g5.xlarge"
  instance_count = var.instances

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

output "gpu_count" {
  value = gpu_reservation.this.gpu_count
}

output "usd_per_hour" {
  value = gpu_reservation.this.estimated_usd_per_hour
}
