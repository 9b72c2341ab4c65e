output "phase" {
  value = provider::gpu::phase("2031-05-10T09:00:00Z", "2031-05-24T09:00:00Z", plantimestamp())
}

# A reservation that started already and has no end.
output "open_ended" {
  value = provider::gpu::phase(null, null, plantimestamp())
}
