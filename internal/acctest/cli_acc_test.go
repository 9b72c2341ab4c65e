package acctest_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// served is a workspace whose provider this process serves, and its world.
func served(t *testing.T) (*acctest.CLI, string) {
	t.Helper()
	dir := t.TempDir()
	return acctest.New(t, acctest.Options{Server: tinyServer(dir)}), dir
}

// binary is a workspace whose provider is this test binary, and its world.
func binary(t *testing.T) (*acctest.CLI, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "terraform-provider-gpu")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return acctest.New(t, acctest.Options{Binary: path, Env: map[string]string{"TINY_DIR": dir, "TINY_ADDRESS": "registry.terraform.io/gpulock/gpu"}}), dir
}

// modes are both ways of running a provider.
func modes() map[string]func(*testing.T) (*acctest.CLI, string) {
	return map[string]func(*testing.T) (*acctest.CLI, string){"served": served, "binary": binary}
}

func file(mode, rest string) string {
	return "resource \"gpu_file\" \"a\" {\n  mode = \"" + mode + "\"\n" + rest + "}\n"
}

func TestAccCLI_lifecycle(t *testing.T) {
	t.Parallel()
	for name, start := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli, dir := start(t)
			cli.Config(file("plain", "") + "output \"id\" {\n  value = gpu_file.a.id\n}\n")
			cli.Validate().Success(t).NoDiagnostics(t)
			plan := cli.Plan()
			if plan.ExitCode != 2 || !plan.Actions("gpu_file.a").Create() || len(plan.Changes()) != 1 {
				t.Fatalf("first plan: exit code %d, %s", plan.ExitCode, plan.NotEmpty())
			}
			cli.Apply().Success(t).NoDiagnostics(t)
			cli.PlanEmpty().NoDiagnostics(t)
			if got := cli.Output()["id"]; got != "file-plain" {
				t.Errorf("output id = %v", got)
			}
			if got := cli.Resource("gpu_file.a"); got == nil || got.AttributeValues["mode"] != "plain" {
				t.Errorf("state of gpu_file.a = %+v", got)
			}
			cli.Destroy().Success(t)
			if cli.Resource("gpu_file.a") != nil {
				t.Error("the resource is still in state")
			}
			if _, err := os.Stat(filepath.Join(dir, "file-plain")); !os.IsNotExist(err) {
				t.Errorf("the file is still there: %v", err)
			}
		})
	}
}

func TestAccCLI_drift(t *testing.T) {
	t.Parallel()
	cli, dir := served(t)
	cli.Config(file("plain", "  lifecycle {\n    ignore_changes = [note]\n  }\n"))
	cli.Apply().Success(t)
	change := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "file-plain"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("from outside")
	plan := cli.Plan()
	if plan.ExitCode != 0 || len(plan.Changes()) != 0 {
		t.Fatalf("exit code %d, changes %d, want none", plan.ExitCode, len(plan.Changes()))
	}
	if len(plan.Drift()) != 1 || !strings.Contains(plan.NotEmpty(), "gpu_file.a changed outside") {
		t.Errorf("drift not seen: %q", plan.NotEmpty())
	}
	cli.Refresh().Success(t)
	cli.PlanEmpty()
	cli.Config(file("plain", ""))
	plan = cli.Plan()
	if plan.ExitCode != 2 || !plan.Actions("gpu_file.a").Update() {
		t.Errorf("exit code %d, %s, want an update", plan.ExitCode, plan.NotEmpty())
	}
}

func TestAccCLI_diagnostics(t *testing.T) {
	t.Parallel()
	for name, start := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli, _ := start(t)
			cli.Config(file("warn", ""))
			applied := cli.Apply().Success(t).Warned(t, "A file with a warning", "asks for a warning")
			at := slices.IndexFunc(applied.Warnings(), func(d tfjson.Diagnostic) bool { return d.Address == "gpu_file.a" })
			if at < 0 {
				t.Fatalf("no warning has the address: %+v", applied.Warnings())
			}
			if snippet := applied.Warnings()[at].Snippet; snippet == nil || !strings.Contains(snippet.Code, `mode = "warn"`) {
				t.Errorf("snippet = %+v", snippet)
			}
			lines := cli.Logs().Warnings()
			if !slices.ContainsFunc(lines, func(l acctest.LogLine) bool { return strings.Contains(l.Message, "refused once") }) {
				t.Errorf("the WARN line is missing: %+v", cli.Logs().Lines(""))
			}
			if slices.ContainsFunc(lines, func(l acctest.LogLine) bool { return strings.Contains(l.Message, "not a warning") }) {
				t.Error("an INFO line counts as a warning")
			}
			cli.Destroy().Success(t)
			cli.Config(file("fail", ""))
			cli.Apply().FailureAt(t, `mode = "fail"`, "No file", "asks for a failure")
		})
	}
}

func TestAccCLI_import(t *testing.T) {
	t.Parallel()
	cli, dir := served(t)
	if err := os.WriteFile(filepath.Join(dir, "file-found"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cli.Config(file("plain", ""))
	cli.Import("gpu_file.a", "file-missing").Failure(t, "Cannot import non-existent remote object")
	cli.Import("gpu_file.a", "file-found").Success(t)
	cli.PlanEmpty()
}

// waitFor polls for the mark that a create has begun: it comes from another
// process, so there is no channel to wait on.
func waitFor(t *testing.T, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		case <-ticker.C:
		}
	}
}

func TestAccCLI_interrupt(t *testing.T) {
	t.Parallel()
	for name, start := range modes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli, dir := start(t)
			cli.Config(file("wait", ""))
			run := cli.Start(acctest.ApplyArgs()...)
			waitFor(t, filepath.Join(dir, "waiting"))
			run.SignalCLI(os.Interrupt)
			run.Wait().Warned(t, "Interrupted", "cut short")
			if got := cli.Resource("gpu_file.a"); got == nil || got.AttributeValues["id"] != "file-wait" {
				t.Errorf("state of gpu_file.a = %+v", got)
			}
		})
	}
}

func TestAccCLI_kill(t *testing.T) {
	t.Parallel()
	cli, dir := binary(t)
	cli.Config(file("wait", ""))
	run := cli.Start(acctest.ApplyArgs()...)
	waitFor(t, filepath.Join(dir, "waiting"))
	run.KillGroup()
	if result := run.Wait(); result.ExitCode != -1 {
		t.Errorf("exit code %d, want -1 for a killed run", result.ExitCode)
	}
	run.KillGroup() // a group that is gone is not an error
	if _, err := os.Stat(filepath.Join(dir, "file-wait")); !os.IsNotExist(err) {
		t.Errorf("the provider survived its group: %v", err)
	}
}

// A provider outlives its killed command line and ends what it has in hand.
func TestAccCLI_killAlone(t *testing.T) {
	t.Parallel()
	cli, dir := binary(t)
	cli.Config(file("wait", ""))
	run := cli.Start(acctest.ApplyArgs()...)
	waitFor(t, filepath.Join(dir, "waiting"))
	run.SignalCLI(syscall.SIGKILL)
	run.Wait()
	waitFor(t, filepath.Join(dir, "file-wait"))
	run.KillGroup()
	if cli.Resource("gpu_file.a") != nil {
		t.Error("a killed command line wrote state")
	}
}

// The served provider's requests end with the command line, and Wait returns
// only after they did.
func TestAccCLI_killServed(t *testing.T) {
	t.Parallel()
	cli, dir := served(t)
	cli.Config(file("wait", ""))
	run := cli.Start(acctest.ApplyArgs()...)
	waitFor(t, filepath.Join(dir, "waiting"))
	run.SignalCLI(syscall.SIGKILL)
	run.Wait()
	if _, err := os.Stat(filepath.Join(dir, "file-wait")); err != nil {
		t.Errorf("the create had not returned when Wait did: %v", err)
	}
}

// A second provider is served beside the one under test.
func TestAccCLI_beside(t *testing.T) {
	t.Parallel()
	stub := acctest.Stub{Name: "other", Resources: map[string]acctest.StubResource{"other_thing": {
		Schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true}, "label": schema.StringAttribute{Required: true},
		}},
		Made: map[string]string{"id": "made-here"},
	}}}
	cli := acctest.New(t, acctest.Options{
		Server: tinyServer(t.TempDir()), Beside: map[string]func() (tfprotov6.ProviderServer, error){"some/other": stub.Server},
	})
	config := func(more string) {
		cli.Write("main.tf", `terraform {
  required_providers {
    gpu   = { source = "gpulock/gpu" }
    other = { source = "some/other" }
  }
}
resource "other_thing" "a" {
  label = "a"
`+more+"}\n"+file("plain", "  note = other_thing.a.id\n"))
	}
	config("")
	cli.Apply().Success(t).NoDiagnostics(t)
	if got := cli.Resource("gpu_file.a").AttributeValues["note"]; got != "made-here" {
		t.Errorf("note = %v", got)
	}
	cli.PlanEmpty()
	config("  unheard_of = 1\n")
	cli.Plan().Failure(t, "Unsupported argument", "unheard_of")
	config("")
	cli.Destroy().Success(t)
}
