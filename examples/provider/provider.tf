terraform {
  required_providers {
    gpu = {
      source = "gpulock/gpu"
    }
  }
}

provider "gpu" {
  # Unique per state: it marks what belongs to this configuration.
  owner = "ml-platform/${terraform.workspace}"

  aws = {
    region = "us-east-1"
  }
}
