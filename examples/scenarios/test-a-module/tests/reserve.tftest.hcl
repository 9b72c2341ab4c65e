provider "gpu" {
  owner = "module-tests"

  simulation = {
    state_path    = "gpu-sim.json"
    scenario_path = "tests/scarce.json"
  }
}

variables {
  zone = "us-east-1a"
}

run "price_is_known_at_plan" {
  command = plan

  assert {
    condition     = output.usd_per_hour > 0
    error_message = "The plan has no price."
  }
}

run "reserves" {
  variables {
    instances = 2
  }

  assert {
    condition     = output.gpu_count == "2"
    error_message = "Two g5.xlarge have 2 GPUs, not ${output.gpu_count}."
  }
}

# The simulated zone has four.
run "grows" {
  variables {
    instances = 4
  }

  assert {
    condition     = gpu_reservation.this.status == "held" && output.gpu_count == "4"
    error_message = "Four were asked for, and ${output.gpu_count} are ${gpu_reservation.this.status}."
  }
}
