# Blocks of two instances for two days, and what the zones tell meanwhile.
data "gpu_offers" "p5" {
  cloud          = "aws"
  region         = "us-east-1"
  instance_types = ["p5.48xlarge"]
  instance_count = 2
  window         = { start_at = "2031-05-10T00:00:00Z", duration = "2d" }
}

locals {
  # Offers are sorted, so the first block is the cheapest.
  blocks = [for o in data.gpu_offers.p5.offers : o if o.kind == "block"]
}

resource "gpu_reservation" "finetune" {
  name           = "finetune"
  cloud          = "aws"
  region         = "us-east-1"
  instance_type  = "p5.48xlarge"
  instance_count = 2

  kind            = "block"
  window          = { start_at = "2031-05-10T00:00:00Z", duration = "2d" }
  offer_id        = try(local.blocks[0].offer_id, null)
  max_upfront_usd = 4000

  lifecycle {
    # Offers come and go; what was bought stays.
    ignore_changes = [offer_id]

    postcondition {
      condition     = contains(["pending", "held"], self.status)
      error_message = "The reservation is ${self.status}."
    }
  }
}

output "on_demand_usd_per_hour" {
  value = { for s in data.gpu_offers.p5.signals : s.zone => s.on_demand_usd_per_hour if s.offered != false }
}

# What could not be known, and why.
output "unknown" {
  value = concat(
    [for s in data.gpu_offers.p5.signals : s.unknown],
    [for u in data.gpu_offers.p5.unsearched : { (u.kind) = u.reason }],
  )
}
