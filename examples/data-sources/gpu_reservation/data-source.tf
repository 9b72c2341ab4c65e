# One that another configuration made, by the name in its mark.
data "gpu_reservation" "train" {
  cloud  = "aws"
  region = "us-east-1"
  owner  = "ml-platform/prod"
  name   = "llm-train"
}

# One that nobody marked, by its id.
data "gpu_reservation" "console" {
  id = "aws:us-east-1/cr-0fedcba9876543210"
}

output "instances_left" {
  value = data.gpu_reservation.train.available_count
}

output "launch_into" {
  value = data.gpu_reservation.console.binding.aws.capacity_reservation_id
}
