package acctest

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The environment that chooses the command line and the provider's address.
// The names are those of terraform-plugin-testing, so that tests written with
// it obey the same choice.
const (
	envEnabled   = "TF_ACC"
	envPath      = "TF_ACC_TERRAFORM_PATH"
	envHost      = "TF_ACC_PROVIDER_HOST"
	envNamespace = "TF_ACC_PROVIDER_NAMESPACE"
)

// Options say how the provider runs. Exactly one of Server and Binary is set.
type Options struct {
	// Server makes the provider that the test process serves. It is called
	// once per command.
	Server func() (tfprotov6.ProviderServer, error)
	// Beside makes further providers that the test process serves, by source:
	// "hashicorp/aws".
	Beside map[string]func() (tfprotov6.ProviderServer, error)
	// Binary is the absolute path of a built provider (see [BuildProvider]).
	Binary string
	// Env is added to the command line's environment, which otherwise holds
	// only PATH, TMPDIR and a HOME inside the workspace. A served provider
	// does not see it: it lives in the test's own process.
	Env map[string]string
	// Log is the lowest level of a binary's log that is kept: "WARN" unless set.
	Log string
	// NoLog keeps nothing of a binary's log.
	NoLog bool
}

// CLI is one workspace and the command line that works in it. Its commands run
// one at a time, and its methods are called from the test's own goroutine.
type CLI struct {
	tb   testing.TB
	opts Options
	path string
	root string
	logs *Log
}

// New makes an empty workspace. The test is skipped unless TF_ACC is set, and
// fails when no command line is found.
func New(tb testing.TB, opts Options) *CLI {
	tb.Helper()
	Require(tb)
	if (opts.Server == nil) == (opts.Binary == "") {
		tb.Fatal("acctest: set exactly one of Options.Server and Options.Binary")
	}
	path, err := find(os.Getenv, exec.LookPath)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		tb.Fatalf("acctest: %v", err)
	}
	c := &CLI{tb: tb, opts: opts, path: path, root: tb.TempDir(), logs: &Log{}}
	for _, dir := range []string{c.Dir(), c.home(), filepath.Join(c.root, "mirror")} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			tb.Fatalf("acctest: %v", err)
		}
	}
	if err := os.WriteFile(c.configFile(), []byte(c.cliConfig()), 0o600); err != nil {
		tb.Fatalf("acctest: %v", err)
	}
	return c
}

// Require skips the test unless acceptance tests are asked for.
func Require(tb testing.TB) {
	tb.Helper()
	if os.Getenv(envEnabled) == "" {
		tb.Skipf("acceptance tests run only with %s=1 (make test)", envEnabled)
	}
}

// find returns the command line to use: the one the environment names, else
// terraform, else tofu from the PATH.
func find(getenv func(string) string, lookPath func(string) (string, error)) (string, error) {
	if path := getenv(envPath); path != "" {
		return lookPath(path)
	}
	if path, err := lookPath("terraform"); err == nil {
		return path, nil
	}
	return lookPath("tofu")
}

// address is the provider's full address for the command line at path: each
// resolves the source "gpulock/gpu" against its own registry.
func address(getenv func(string) string, path string) string {
	host := getenv(envHost)
	if host == "" {
		host = "registry.terraform.io"
		if strings.HasPrefix(filepath.Base(path), "tofu") {
			host = "registry.opentofu.org"
		}
	}
	namespace := getenv(envNamespace)
	if namespace == "" {
		namespace = "gpulock"
	}
	return host + "/" + namespace + "/gpu"
}

// Address is the provider's full address as this command line resolves it.
func (c *CLI) Address() string { return address(os.Getenv, c.path) }

// factories make the providers that this process serves, by full address.
func (c *CLI) factories() map[string]func() (tfprotov6.ProviderServer, error) {
	host, _, _ := strings.Cut(c.Address(), "/")
	all := map[string]func() (tfprotov6.ProviderServer, error){}
	for source, factory := range c.opts.Beside {
		all[host+"/"+source] = factory
	}
	if c.opts.Server != nil {
		all[c.Address()] = c.opts.Server
	}
	return all
}

// Name is "terraform" or "tofu", for the few messages in which they differ.
func (c *CLI) Name() string {
	if strings.HasPrefix(c.Address(), "registry.opentofu.org/") {
		return "tofu"
	}
	return "terraform"
}

// SetEnv changes the environment of the commands from now on.
func (c *CLI) SetEnv(name, value string) {
	env := maps.Clone(c.opts.Env)
	if env == nil {
		env = map[string]string{}
	}
	env[name] = value
	c.opts.Env = env
}

// Dir is the directory that holds the configuration and the state.
func (c *CLI) Dir() string { return filepath.Join(c.root, "work") }

// Logs is the provider's log over every command so far.
func (c *CLI) Logs() *Log { return c.logs }

// Write puts a file, named relative to [CLI.Dir], into the workspace.
func (c *CLI) Write(name, content string) {
	c.tb.Helper()
	path := filepath.Join(c.Dir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		c.tb.Fatalf("acctest: %v", err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.tb.Fatalf("acctest: %v", err)
	}
}

// Config writes main.tf: the required_providers block, then body.
func (c *CLI) Config(body string) {
	c.tb.Helper()
	c.Write("main.tf", `terraform {
  required_providers {
    gpu = { source = "gpulock/gpu" }
  }
}

`+body)
}

// Remove deletes a file of the workspace.
func (c *CLI) Remove(name string) {
	c.tb.Helper()
	if err := os.Remove(filepath.Join(c.Dir(), filepath.FromSlash(name))); err != nil {
		c.tb.Fatalf("acctest: %v", err)
	}
}

func (c *CLI) home() string       { return filepath.Join(c.root, "home") }
func (c *CLI) configFile() string { return filepath.Join(c.root, "cli.tfrc") }
func (c *CLI) logFile() string    { return filepath.Join(c.root, "provider.log") }

// cliConfig shields the run from the user's own settings: an empty mirror
// stands in place of every registry, so nothing can be downloaded.
func (c *CLI) cliConfig() string {
	var b strings.Builder
	b.WriteString("disable_checkpoint = true\nprovider_installation {\n")
	if c.opts.Binary != "" {
		b.WriteString("  dev_overrides {\n    \"" + c.Address() + "\" = \"" + filepath.Dir(c.opts.Binary) + "\"\n  }\n")
	}
	b.WriteString("  filesystem_mirror {\n    path = \"" + filepath.Join(c.root, "mirror") + "\"\n  }\n}\n")
	return b.String()
}

// environment is what the command line sees. Everything that could steer it
// from outside (TF_*, cloud credentials) is left behind.
func (c *CLI) environment(reattach string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(),
		"HOME=" + c.home(),
		"CHECKPOINT_DISABLE=1",
		"TF_IN_AUTOMATION=1",
		"TF_INPUT=0",
		"TF_CLI_CONFIG_FILE=" + c.configFile(),
	}
	if reattach != "" {
		env = append(env, "TF_REATTACH_PROVIDERS="+reattach)
	}
	if c.opts.Binary != "" && !c.opts.NoLog {
		level := c.opts.Log
		if level == "" {
			level = "WARN"
		}
		env = append(env, "TF_LOG_PROVIDER="+level, "TF_LOG_PATH="+c.logFile())
	}
	for key, value := range c.opts.Env {
		env = append(env, key+"="+value)
	}
	return env
}

// BuildProvider builds the main package at pkg into a temporary directory and
// returns the binary's path. When GPU_ACC_PROVIDER_BINARY names a built
// provider (make test sets it), that one is used.
func BuildProvider(tb testing.TB, pkg string) string {
	tb.Helper()
	if path := os.Getenv("GPU_ACC_PROVIDER_BINARY"); path != "" {
		return path
	}
	path := filepath.Join(tb.TempDir(), "terraform-provider-gpu")
	cmd := exec.CommandContext(tb.Context(), "go", "build", "-o", path, pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("acctest: build %s: %v\n%s", pkg, err, out)
	}
	return path
}
