provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"

  # Credentials are the Application Default Credentials.
  google = {
    project = "ml-prod"
  }
}
