# On Google Cloud the name is the reservation's own. Two further projects may
# consume it; they name it as projects/PROJECT/reservations/NAME.
resource "gpu_reservation" "inference" {
  name           = "inference"
  cloud          = "google"
  zone           = "us-central1-a"
  instance_type  = "g2-standard-8"
  instance_count = 4

  share_with = ["ml-serving", "ml-staging"]

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}

# N1 machine types have the GPUs that are attached to them.
resource "gpu_reservation" "render" {
  name          = "render"
  cloud         = "google"
  zone          = "us-central1-a"
  instance_type = "n1-standard-8"

  google = {
    accelerator_type  = "nvidia-tesla-t4"
    accelerator_count = 2
  }

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
