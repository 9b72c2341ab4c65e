# On Google Cloud: which zones have the type, and what is left of the quota.
data "gpu_offers" "l4" {
  cloud          = "google"
  region         = "us-central1"
  instance_types = ["g2-standard-48"]
  instance_count = 2
  kinds          = ["on_demand"]
}

output "zones" {
  value = [for s in data.gpu_offers.l4.signals : s.zone if s.offered == true]
}

# H100 and newer GPUs have no quota that Compute Engine tells: theirs is null.
output "within_quota" {
  value = { for q in data.gpu_offers.l4.quotas : q.instance_type => q.used + q.needed <= q.limit if q.limit != null }
}
