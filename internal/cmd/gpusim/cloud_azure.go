package main

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func azure(world *sim.World) sim.Named { return azuresim.New(world).Named() }
