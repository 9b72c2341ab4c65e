package main

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func google(world *sim.World) sim.Named { return googlesim.New(world).Named() }
