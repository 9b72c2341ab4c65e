package main

import "github.com/gpulock/terraform-provider-gpu/internal/sim"

// clouds adds each cloud to the world, in the order in which they are printed.
// A new one adds a line here and a file of its own.
func clouds(world *sim.World) []sim.Named {
	return []sim.Named{
		aws(world),
		google(world),
		azure(world),
	}
}
