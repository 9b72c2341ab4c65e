# One virtual machine in what is reserved on Azure. It follows the binding, so that
# the same machine fits a zonal or regional reservation, an open one and a block.
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

variable "network_interface_id" {
  description = "A network interface in the reservation's region."
  type        = string
}

variable "ssh_public_key" {
  type = string
}

variable "image_id" {
  type = string
}

resource "gpu_reservation" "train" {
  name          = "llm-train"
  cloud         = "azure"
  kind          = "on_demand"
  region        = "eastus"
  zone          = "1"
  instance_type = "Standard_NC24ads_A100_v4"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

locals {
  into = gpu_reservation.train.binding.azure
}

resource "azurerm_linux_virtual_machine" "train" {
  name                  = "llm-train"
  resource_group_name   = "ml-prod"
  location              = local.into.location
  zone                  = local.into.zone
  size                  = local.into.vm_size
  admin_username        = "ml"
  network_interface_ids = [var.network_interface_id]
  source_image_id       = var.image_id

  # Null for an open reservation, which a machine that fits consumes by itself.
  capacity_reservation_group_id = local.into.capacity_reservation_group_id

  admin_ssh_key {
    username   = "ml"
    public_key = var.ssh_public_key
  }

  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Premium_LRS"
  }
}
