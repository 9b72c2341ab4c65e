moved {
  from = google_compute_reservation.inference
  to   = gpu_reservation.inference
}

resource "gpu_reservation" "inference" {
  name           = "inference"
  cloud          = "google"
  zone           = "us-central1-a"
  instance_type  = "g2-standard-8"
  instance_count = 4

  # Of specific_reservation_required = false, which is the default there.
  match_criteria = "open"

  lifecycle {
    postcondition {
      condition     = self.status == "held"
      error_message = "The reservation is ${self.status}, not held yet: apply again."
    }
  }
}
