provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"

  # Credentials are those of the environment, a workload or managed identity, or
  # `az login`. The resource group must exist.
  azure = {
    subscription_id = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
    resource_group  = "ml-prod"
  }
}
