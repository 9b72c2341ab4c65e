# On Azure: which zones of a location have the size, and whether both quotas, of the
# family and of the region, leave room.
data "gpu_offers" "a100" {
  cloud          = "azure"
  region         = "eastus"
  instance_types = ["Standard_NC24ads_A100_v4"]
  instance_count = 2
  kinds          = ["on_demand"]
}

output "zones" {
  value = [for s in data.gpu_offers.a100.signals : s.zone if s.offered == true]
}

output "within_quota" {
  value = alltrue([for q in data.gpu_offers.a100.quotas : q.used + q.needed <= q.limit if q.limit != null])
}
