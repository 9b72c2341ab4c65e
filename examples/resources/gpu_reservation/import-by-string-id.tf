import {
  to = gpu_reservation.train
  id = "aws:us-east-1/cr-0123456789abcdef0"
}
