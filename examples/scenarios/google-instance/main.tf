# One instance in what is reserved on Google Cloud. Its blocks follow the binding,
# so that the same instance fits a reservation, an open one and a block.
terraform {
  required_providers {
    google = {
      source = "hashicorp/google"
    }
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

provider "google" {
  project = "ml-prod"
}

provider "gpu" {
  owner  = "ml-platform/${terraform.workspace}"
  google = { project = "ml-prod" }
}

variable "image" {
  type = string
}

variable "subnetwork" {
  description = "A subnetwork of the reservation's region."
  type        = string
}

resource "gpu_reservation" "train" {
  name          = "llm-train"
  cloud         = "google"
  kind          = "on_demand"
  zone          = "us-central1-a"
  instance_type = "g2-standard-48"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

locals {
  into = gpu_reservation.train.binding.google
}

resource "google_compute_instance" "train" {
  name         = "llm-train"
  project      = local.into.project
  zone         = local.into.zone
  machine_type = local.into.machine_type

  boot_disk {
    initialize_params {
      image = var.image
    }
  }

  network_interface {
    subnetwork = var.subnetwork
  }

  scheduling {
    on_host_maintenance = "TERMINATE" # instances with GPUs do not migrate
    provisioning_model  = local.into.provisioning_model

    # What is bound to a block ends with it.
    instance_termination_action = local.into.provisioning_model == null ? null : "DELETE"
  }

  reservation_affinity {
    type = local.into.reservation_affinity.type

    # An open reservation cannot be named.
    dynamic "specific_reservation" {
      for_each = local.into.reservation_affinity.key[*]
      content {
        key    = specific_reservation.value
        values = local.into.reservation_affinity.values
      }
    }
  }
}
