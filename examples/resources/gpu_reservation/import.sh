# By the resource's own id, <cloud>:<native id>.
terraform import gpu_reservation.train aws:arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0

# Or by a short form.
terraform import gpu_reservation.train aws:us-east-1/cr-0123456789abcdef0

# On Google Cloud by its path, or by a short form, which is always a reservation.
terraform import gpu_reservation.train google:projects/ml-prod/zones/us-central1-a/reservations/train
terraform import gpu_reservation.train google:projects/ml-prod/zones/us-central1-a/futureReservations/train
terraform import gpu_reservation.train google:us-central1-a/train

# On Azure by the id of the capacity reservation, in any casing.
terraform import gpu_reservation.train azure:/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/resourcegroups/ml-prod/providers/microsoft.compute/capacityreservationgroups/train/capacityreservations/train
terraform import gpu_reservation.train azure:/subscriptions/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/resourceGroups/ml-prod/providers/Microsoft.Compute/capacityReservationGroups/train/capacityReservations/train
