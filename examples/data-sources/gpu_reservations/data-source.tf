data "gpu_reservations" "held" {
  cloud  = "aws"
  region = "us-east-1"
  status = "held"
}

# What is paid for and not used.
output "unused" {
  value = {
    for r in data.gpu_reservations.held.reservations :
    r.id => r.available_count if r.available_count > 0
  }
}
