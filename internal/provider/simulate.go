package provider

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// defaultWorld is where a simulated world is kept if nothing else is said.
const defaultWorld = "gpu-sim.json"

// worlds are the simulated worlds this process serves, by file. They live as
// long as the process: Terraform ends it.
type worlds struct {
	mu   sync.Mutex
	open map[string]*sim.Server
}

// simulate serves the simulated clouds and leads the drivers there.
func (p *Provider) simulate(ctx context.Context, c config, drivers *all.Config, diags *diag.Diagnostics) {
	var s simulation
	diags.Append(c.Simulation.As(ctx, &s, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return
	}
	state := s.StatePath.ValueString()
	if state == "" {
		state = defaultWorld
	}
	server, err := p.worlds.serve(state, s.ScenarioPath.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("simulation"), "Simulated world not usable", err.Error()+".")
		return
	}
	diags.AddAttributeWarning(path.Root("simulation"), "Simulated clouds", fmt.Sprintf(
		"Nothing real is reserved: every cloud is simulated, and the simulated world is in %s.", state))
	for _, b := range decoded() {
		b.simulate(drivers, server.URL(b.name))
	}
}

func (w *worlds) serve(state, scenario string) (*sim.Server, error) {
	file, err := filepath.Abs(state)
	if err != nil {
		return nil, fmt.Errorf("simulation.state_path: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if server, ok := w.open[file]; ok {
		return server, nil
	}
	world, err := sim.New(sim.Options{StatePath: file})
	if err != nil {
		return nil, err
	}
	// A scenario may name only clouds that the world has.
	endpoints := all.Simulators(world)
	if scenario != "" {
		raw, err := os.ReadFile(scenario)
		if err != nil {
			return nil, fmt.Errorf("simulation.scenario_path: %w", err)
		}
		if err := world.LoadOnce(raw); err != nil {
			return nil, fmt.Errorf("simulation.scenario_path: %w", err)
		}
	}
	server, err := sim.Serve(sim.ServeOptions{}, endpoints...)
	if err != nil {
		return nil, err
	}
	if w.open == nil {
		w.open = map[string]*sim.Server{}
	}
	w.open[file] = server
	return server, nil
}
