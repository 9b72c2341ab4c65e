provider "gpu" {
  owner = "ml-platform/${terraform.workspace}"

  aws = {
    region = "us-east-1"

    # A resource says account = "research" to reserve there.
    accounts = {
      research = {
        assume_role = { role_arn = "arn:aws:iam::222233334444:role/gpu-reservations" }
      }
    }
  }

  # What one apply may newly commit.
  spending = {
    max_usd_per_hour = 500
  }

  default_tags = {
    team = "ml-platform"
  }
}
