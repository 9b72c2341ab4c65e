terraform {
  required_providers {
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

variable "google_endpoint" {
  description = "Where Google Cloud answers, if not at Google: the demo's simulator."
  type        = string
  default     = null
}

variable "azure_endpoint" {
  description = "Where Azure answers, if not at Microsoft: the demo's simulator."
  type        = string
  default     = null
}

provider "gpu" {
  owner  = "demo"
  aws    = { region = "us-east-1" }
  google = { project = "demo-project", endpoint = var.google_endpoint }
  azure = {
    subscription_id = "00000000-0000-0000-0000-0000000000de"
    resource_group  = "gpu"
    endpoint        = var.azure_endpoint
  }
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

resource "gpu_reservation" "serve" {
  name           = "serve"
  cloud          = "google"
  zone           = "us-central1-a"
  instance_type  = "g2-standard-48"
  instance_count = 1

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

resource "gpu_reservation" "tune" {
  name           = "tune"
  cloud          = "azure"
  region         = "eastus"
  instance_type  = "Standard_NC96ads_A100_v4"
  instance_count = 1

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

output "gpus" {
  value = [for r in [gpu_reservation.train, gpu_reservation.serve, gpu_reservation.tune] :
  "${r.gpu_count} × ${r.gpu_model} on ${r.cloud} for about ${r.estimated_usd_per_hour} USD per hour"]
}

output "launch_with" {
  value = {
    aws    = gpu_reservation.train.binding.aws.capacity_reservation_id
    google = gpu_reservation.serve.binding.google.reservation_affinity
    azure  = gpu_reservation.tune.binding.azure.capacity_reservation_group_id
  }
}
