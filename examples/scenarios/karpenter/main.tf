# Karpenter nodes in the reservation and nowhere else. Karpenter looks at
# reservations with its feature gate ReservedCapacity: from version 1.3 at
# capacity reservations, from 1.6 at capacity blocks.
terraform {
  required_providers {
    gpu = {
      source = "gpulock/gpu"
    }
    kubernetes = {
      source = "hashicorp/kubernetes"
    }
  }
}

provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"
  aws   = { region = "us-east-1" }
}

provider "kubernetes" {
  config_path = "~/.kube/config"
}

variable "cluster_name" {
  type = string
}

variable "node_role" {
  description = "Name of the nodes' IAM role."
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

locals {
  into = gpu_reservation.train.binding.aws
}

resource "kubernetes_manifest" "node_class" {
  manifest = {
    apiVersion = "karpenter.k8s.aws/v1"
    kind       = "EC2NodeClass"
    metadata   = { name = "llm-train" }
    spec = {
      role                             = var.node_role
      amiSelectorTerms                 = [{ alias = "al2023@latest" }]
      subnetSelectorTerms              = [{ tags = { "karpenter.sh/discovery" = var.cluster_name } }]
      securityGroupSelectorTerms       = [{ tags = { "karpenter.sh/discovery" = var.cluster_name } }]
      capacityReservationSelectorTerms = [{ id = local.into.karpenter.capacity_reservation_id }]
    }
  }
}

resource "kubernetes_manifest" "node_pool" {
  manifest = {
    apiVersion = "karpenter.sh/v1"
    kind       = "NodePool"
    metadata   = { name = "llm-train" }
    spec = {
      template = {
        spec = {
          nodeClassRef = {
            group = "karpenter.k8s.aws"
            kind  = "EC2NodeClass"
            name  = kubernetes_manifest.node_class.manifest.metadata.name
          }
          requirements = [
            { key = "karpenter.sh/capacity-type", operator = "In", values = [local.into.karpenter.capacity_type] },
            { key = "node.kubernetes.io/instance-type", operator = "In", values = [local.into.instance_type] },
            { key = "topology.kubernetes.io/zone", operator = "In", values = [local.into.availability_zone] },
          ]
        }
      }
    }
  }
}
