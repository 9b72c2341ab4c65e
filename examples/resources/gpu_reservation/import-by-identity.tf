import {
  to = gpu_reservation.train
  identity = {
    cloud     = "aws"
    native_id = "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0"
  }
}
