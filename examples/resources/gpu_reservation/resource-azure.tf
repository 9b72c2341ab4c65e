# On Azure a capacity reservation in a group of the same name, both made and removed
# together. Without a zone it is for the whole region.
resource "gpu_reservation" "inference" {
  name           = "inference"
  cloud          = "azure"
  region         = "eastus"
  zone           = "1"
  instance_type  = "Standard_NC24ads_A100_v4"
  instance_count = 4

  tags = { team = "inference" }

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

# Machines that fit consume an open one by themselves, in this subscription and in
# those that it is shared with.
resource "gpu_reservation" "render" {
  name          = "render"
  cloud         = "azure"
  region        = "eastus"
  instance_type = "Standard_NV36ads_A10_v5"

  match_criteria = "open"
  share_with     = ["1f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f1"]

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
