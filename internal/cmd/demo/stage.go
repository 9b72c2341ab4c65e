package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// The environment that make sets: the built provider and the command line.
const (
	envProvider = "GPU_DEMO_PROVIDER"
	envCLI      = "GPU_DEMO_CLI"
)

// example is what the demo applies, relative to the project's root.
const example = "examples/scenarios/demo/main.tf"

// mirrorVersion is the version that the mirror offers the provider as.
const mirrorVersion = "0.0.1"

// stage is a workspace beside simulated clouds.
type stage struct {
	command string
	dir     string
	env     []string
	world   *sim.World
	server  *sim.Server
}

func newStage() (*stage, error) {
	provider, command := os.Getenv(envProvider), os.Getenv(envCLI)
	if provider == "" || command == "" {
		return nil, fmt.Errorf("%s and %s are not set; run it by make demo", envProvider, envCLI)
	}
	dir, err := os.MkdirTemp("", "gpu-demo-")
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	s := &stage{command: command, dir: dir}
	if err := s.prepare(provider); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) prepare(provider string) error {
	config, err := os.ReadFile(example)
	if err != nil {
		return fmt.Errorf("example: %w", err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "main.tf"), config, 0o600); err != nil {
		return fmt.Errorf("example: %w", err)
	}
	if err := s.mirror(provider); err != nil {
		return err
	}
	if s.world, err = sim.New(sim.Options{}); err != nil {
		return fmt.Errorf("simulated world: %w", err)
	}
	if s.server, err = sim.Serve(sim.ServeOptions{}, all.Simulators(s.world)...); err != nil {
		return fmt.Errorf("simulators: %w", err)
	}
	s.env = s.environment()
	return nil
}

// mirror lays the built provider where the command line looks for it, for the
// registries of both.
func (s *stage) mirror(provider string) error {
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		dir := filepath.Join(s.dir, "mirror", host, "gpulock", "gpu", mirrorVersion, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("mirror: %w", err)
		}
		if err := os.Symlink(provider, filepath.Join(dir, "terraform-provider-gpu_v"+mirrorVersion)); err != nil {
			return fmt.Errorf("mirror: %w", err)
		}
	}
	config := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.Join(s.dir, "mirror"))
	return os.WriteFile(filepath.Join(s.dir, "cli.tfrc"), []byte(config), 0o600)
}

// environment is the user's, less what would lead to a real cloud.
func (s *stage) environment() []string {
	var env []string
	for _, e := range os.Environ() {
		if !leadsAway(e) {
			env = append(env, e)
		}
	}
	return append(env,
		"TF_CLI_CONFIG_FILE="+filepath.Join(s.dir, "cli.tfrc"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1",
		"AWS_ENDPOINT_URL="+s.server.URL("aws"), "AWS_ACCESS_KEY_ID=simulated", "AWS_SECRET_ACCESS_KEY=simulated",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE=/dev/null", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
		// The clients of the others take no endpoint from the environment, so the example
		// has variables for them; plain HTTP is asked without credentials.
		"TF_VAR_google_endpoint="+s.server.URL("google"), "TF_VAR_azure_endpoint="+s.server.URL("azure"),
	)
}

// leadsAway tells the variables of the user's that would lead a command to a real
// cloud, or change what it does.
func leadsAway(variable string) bool {
	for _, prefix := range []string{"AWS_", "GOOGLE_", "CLOUDSDK_", "AZURE_", "ARM_", "TF_", "GPU_"} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}

// cli runs one command in the workspace and returns its exit code.
func (s *stage) cli(ctx context.Context, args ...string) (int, error) {
	fmt.Printf("$ %s %s\n", filepath.Base(s.command), strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, s.command, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// close ends the simulators and removes the workspace.
func (s *stage) close() error {
	var err error
	if s.server != nil {
		err = s.server.Close()
	}
	if s.world != nil {
		s.world.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
