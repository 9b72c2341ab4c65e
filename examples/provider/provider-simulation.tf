provider "gpu" {
  owner = "module-tests"

  # No account, no cost, no credentials: the clouds are simulated.
  simulation = {
    state_path = "gpu-sim.json"
  }
}
