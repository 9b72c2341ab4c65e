package main

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func aws(world *sim.World) sim.Named { return awssim.New(world).Named() }
