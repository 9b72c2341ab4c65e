# A node pool of AKS in what is reserved. The cluster needs a user-assigned identity
# that may use the capacity reservation group: Contributor on its resource group.
terraform {
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
    }
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

provider "azurerm" {
  features {}
  subscription_id = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
}

provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"
  azure = {
    subscription_id = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
    resource_group  = "ml-prod"
  }
}

variable "kubernetes_cluster_id" {
  type = string
}

resource "gpu_reservation" "pool" {
  name           = "inference-pool"
  cloud          = "azure"
  kind           = "on_demand"
  region         = "eastus"
  zone           = "1"
  instance_type  = "Standard_NC24ads_A100_v4"
  instance_count = 4

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

locals {
  into = gpu_reservation.pool.binding.azure
}

resource "azurerm_kubernetes_cluster_node_pool" "inference" {
  name                          = "inference"
  kubernetes_cluster_id         = var.kubernetes_cluster_id
  vm_size                       = local.into.vm_size
  zones                         = local.into.zone[*] # none for a regional reservation
  node_count                    = gpu_reservation.pool.instance_count
  capacity_reservation_group_id = local.into.capacity_reservation_group_id
}
