package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const simulated = "examples are applied to simulated clouds"

// required is what an example without a terraform block needs.
const required = `terraform {
  required_providers {
    gpu = { source = "gpulock/gpu" }
  }
}

`

func TestMain(m *testing.M) { acctest.Main(m) }

// example reads a file of the examples.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// served is a workspace with a provider that this process serves.
func served(t *testing.T) *acctest.Bench {
	t.Helper()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: simulated})
	b.Write("provider.tf", required+b.Provider())
	return b
}

// built is a workspace with the built provider, for examples whose simulated
// world is a file beside them.
func built(t *testing.T) *acctest.Bench {
	t.Helper()
	return acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: simulated, Binary: true})
}

// row is a scenario with one reservation of p5.48xlarge.
func row(t *testing.T, id string, tags map[string]string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"objects": []map[string]any{{
		"cloud": "aws", "type": "capacity-reservation", "native_id": id, "region": "us-east-1", "zone": "us-east-1b",
		"instance_type": "p5.48xlarge", "count": 4, "in_use": 1, "tags": tags,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// object puts a reservation into the simulated cloud.
func object(t *testing.T, b *acctest.Bench, id string, tags map[string]string) {
	t.Helper()
	b.Do(b.World.Load(row(t, id, tags)))
}

// lifecycle applies what is in the workspace, plans nothing more, and destroys
// it, so that no live reservation is left.
func lifecycle(t *testing.T, b *acctest.Bench, held int) {
	t.Helper()
	b.Apply().Success(t)
	if got := len(b.Objects("active")); got != held {
		t.Errorf("%d reservations are held, want %d", got, held)
	}
	b.PlanEmpty()
	b.Destroy().Success(t)
	if left := b.Objects("active"); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

func TestAccExamples_resource(t *testing.T) {
	t.Parallel()
	b := served(t)
	b.Write("main.tf", example(t, "resources/gpu_reservation/resource.tf"))
	lifecycle(t, b, 2)
}

// Each provider block of the examples is applied together with a reservation.
func TestAccExamples_provider(t *testing.T) {
	t.Parallel()
	for name, account := range map[string]string{"provider.tf": "", "provider-accounts.tf": "research"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: simulated})
			b.Write("provider.tf", withEndpoint(t, b, complete(example(t, "provider/"+name))))
			b.Write("main.tf", reserve(account))
			lifecycle(t, b, 1)
		})
	}
}

// complete puts the terraform block before a file that leaves it out.
func complete(text string) string {
	if strings.Contains(text, "required_providers") {
		return text
	}
	return required + text
}

func reserve(account string) string {
	if account != "" {
		account = "account = \"" + account + "\""
	}
	return "resource \"gpu_reservation\" \"a\" {\n" + account + `
  name = "a"
  cloud = "aws"
  zone = "us-east-1a"
  instance_type = "g5.xlarge"
}
`
}

// A simulated world is the provider's own, in a file beside the configuration.
func TestAccExamples_simulation(t *testing.T) {
	t.Parallel()
	b := built(t)
	b.Write("provider.tf", complete(example(t, "provider/provider-simulation.tf")))
	b.Write("main.tf", reserve(""))
	b.Apply().Success(t).Warned(t, "Simulated clouds", "gpu-sim.json")
	b.PlanEmpty()
	state := b.Resource("gpu_reservation.a")
	if state == nil || state.AttributeValues["simulated"] != true {
		t.Errorf("state = %+v, want a simulated reservation", state)
	}
	info, err := os.Stat(filepath.Join(b.Dir(), "gpu-sim.json"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the world's file has mode %v", info.Mode())
	}
	b.Destroy().Success(t)
	if calls := b.Calls(0, ""); len(calls) > 0 {
		t.Errorf("the endpoint of the environment was asked: %+v", calls)
	}
}

func TestAccExamples_dataSource(t *testing.T) {
	t.Parallel()
	b := served(t)
	b.Write("main.tf", example(t, "data-sources/gpu_reservation/data-source.tf"))
	object(t, b, "cr-0123456789abcdef0", map[string]string{
		cloud.TagOwner: "ml-platform/prod", cloud.TagName: "llm-train", cloud.TagManagedBy: "gpu_reservation",
	})
	object(t, b, "cr-0fedcba9876543210", nil)
	b.Apply().Success(t)
	got := b.Output()
	if got["instances_left"] != json.Number("3") && got["instances_left"] != 3.0 || got["launch_into"] != "cr-0fedcba9876543210" {
		t.Errorf("outputs = %v", got)
	}
	b.PlanEmpty()
}

func TestAccExamples_dataSources(t *testing.T) {
	t.Parallel()
	b := served(t)
	b.Write("main.tf", example(t, "data-sources/gpu_reservations/data-source.tf"))
	object(t, b, "cr-0123456789abcdef0", nil)
	b.Apply().Success(t)
	unused, ok := b.Output()["unused"].(map[string]any)
	if !ok || len(unused) != 1 {
		t.Errorf("unused = %v", b.Output()["unused"])
	}
	b.PlanEmpty()
}

func TestAccExamples_function(t *testing.T) {
	t.Parallel()
	b := served(t)
	b.Write("main.tf", example(t, "functions/phase/function.tf"))
	b.Apply().Success(t)
	if got := b.Output(); got["phase"] != "scheduled" || got["open_ended"] != "active" {
		t.Errorf("outputs = %v", got)
	}
	b.PlanEmpty()
	if calls := b.Calls(0, ""); len(calls) > 0 {
		t.Errorf("the cloud was asked: %+v", calls)
	}
}

// imported is the configuration of what object made.
const imported = `resource "gpu_reservation" "train" {
  name           = "llm-train"
  cloud          = "aws"
  zone           = "us-east-1b"
  instance_type  = "p5.48xlarge"
  instance_count = 4
}
`

var importCommand = regexp.MustCompile(`(?m)^terraform import (\S+) (\S+)$`)

// importCommands are those of the examples that import from a cloud.
func importCommands(t *testing.T, cloudName string) [][]string {
	t.Helper()
	commands := importCommand.FindAllStringSubmatch(example(t, "resources/gpu_reservation/import.sh"), -1)
	commands = slices.DeleteFunc(commands, func(c []string) bool { return !strings.HasPrefix(c[2], cloudName+":") })
	if len(commands) < 2 {
		t.Fatalf("commands = %v", commands)
	}
	return commands
}

func TestAccExamples_importCommand(t *testing.T) {
	t.Parallel()
	for _, command := range importCommands(t, "aws") {
		t.Run(command[2], func(t *testing.T) {
			t.Parallel()
			b := served(t)
			object(t, b, "cr-0123456789abcdef0", map[string]string{"Name": "llm-train"})
			b.Write("main.tf", imported)
			b.Import(command[1], command[2]).Success(t)
			if got := b.Plan(); len(got.Changes()) > 0 && !got.Actions("gpu_reservation.train").Update() {
				t.Errorf("the plan after the import: %s", got.NotEmpty())
			}
		})
	}
}

func TestAccExamples_importBlock(t *testing.T) {
	t.Parallel()
	b := served(t)
	object(t, b, "cr-0123456789abcdef0", map[string]string{"Name": "llm-train"})
	b.Write("main.tf", imported)
	b.Write("import.tf", example(t, "resources/gpu_reservation/import-by-string-id.tf"))
	plan := b.Plan()
	if change := plan.Change("gpu_reservation.train"); change == nil || change.Importing == nil || change.Actions.Create() || change.Actions.Replace() {
		t.Errorf("plan = %+v, want an import", change)
	}
	b.Apply().Success(t)
	if got := len(b.Objects("active")); got != 1 {
		t.Errorf("%d reservations, want 1", got)
	}
	b.PlanEmpty()
}

var identityPart = regexp.MustCompile(`(?m)^    (\w+) += "([^"]*)"$`)

// Identities are imported in process: not every command line can.
func TestExamples_importIdentity(t *testing.T) {
	t.Parallel()
	identity := map[string]any{}
	for _, part := range identityPart.FindAllStringSubmatch(example(t, "resources/gpu_reservation/import-by-identity.tf"), -1) {
		identity[part[1]] = part[2]
	}
	server := serve(t)
	aws := map[string]any{"region": "us-east-1", "endpoint": simulator(t, "cr-0123456789abcdef0")}
	if d := server.Configure(map[string]any{"aws": aws}); len(d) > 0 {
		t.Fatal(d.Errors(), d.Warnings())
	}
	state, diags := server.ImportByIdentity("gpu_reservation", identity)
	if len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}
	want := map[string]any{"native_id": identity["native_id"], "cloud": "aws", "instance_count": "4", "zone": "us-east-1b"}
	got := map[string]any{}
	for name := range want {
		got[name] = state[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

// simulator serves a simulated AWS with one reservation, and returns its URL.
func simulator(t *testing.T, id string) string {
	t.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.Serve(sim.ServeOptions{}, all.Simulators(world)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		world.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := world.Load(row(t, id, nil)); err != nil {
		t.Fatal(err)
	}
	return server.URL("aws")
}

// Capacity arrives while the create waits; the provider's clock jumps.
func TestAccExamples_waitForCapacity(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: simulated})
	b.Write("main.tf", withEndpoint(t, b, example(t, "scenarios/wait-for-capacity/main.tf")))
	stock := func(available int) error {
		return b.World.SetCapacity(sim.Capacity{
			Cloud: "aws", Region: "us-east-1", Zone: "us-east-1a", InstanceType: "p5.48xlarge", Available: &available,
		})
	}
	b.Do(stock(0))
	began := b.Clock.Now()
	b.Clock.OnJump(func(now time.Time) {
		if now.Sub(began) > time.Hour {
			b.Do(stock(2))
		}
	})
	b.Apply().Success(t)
	refused := func(l acctest.LogLine) bool { return strings.Contains(fmt.Sprint(l), "InsufficientInstanceCapacity") }
	if lines := b.Logs().Warnings(); !slices.ContainsFunc(lines, refused) {
		t.Errorf("no refusal is logged: %+v", lines)
	}
	if got := len(b.Objects("active")); got != 1 {
		t.Errorf("%d reservations are held, want 1", got)
	}
	if waited := b.Clock.Now().Sub(began); waited < time.Hour || waited > 2*time.Hour {
		t.Errorf("waited %v", waited)
	}
}

var awsBlock = regexp.MustCompile(`(?m)^  aws +=  *\{( |\n)`)

// withEndpoint leads an example's own provider block to the bench's simulator,
// for a provider that is served with a clock of its own.
func withEndpoint(t *testing.T, b *acctest.Bench, text string) string {
	t.Helper()
	at := awsBlock.FindStringSubmatchIndex(text)
	if at == nil {
		t.Fatalf("the example has no aws block:\n%s", text)
	}
	separator := "\n"
	if text[at[2]:at[3]] == " " {
		separator = ", "
	}
	return text[:at[3]] + `endpoint = "` + b.URL("aws") + `"` + separator + text[at[3]:]
}

func TestAccExamples_launch(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Simulated: simulated})
	b.Write("main.tf", withEndpoint(t, b, example(t, "scenarios/launch-into-reservation/main.tf")))
	plan := b.Plan()
	if plan.ExitCode != 2 {
		t.Fatal(plan.Text())
	}
	b.Apply().Success(t)
	template, ok := b.Output()["launch_template"].(map[string]any)
	if !ok {
		t.Fatalf("launch_template = %v", b.Output()["launch_template"])
	}
	id := b.Objects("active")[0].NativeID
	want := map[string]any{
		"instance_type": "p5.48xlarge",
		"placement":     map[string]any{"availability_zone": "us-east-1a", "tenancy": "default"},
		"capacity_reservation_specification": map[string]any{
			"capacity_reservation_preference": nil,
			"capacity_reservation_target":     map[string]any{"capacity_reservation_id": id[strings.LastIndex(id, "/")+1:]},
		},
	}
	if diff := cmp.Diff(want, template); diff != "" {
		t.Errorf("launch_template (-want +got):\n%s", diff)
	}
	b.PlanEmpty()
	b.Destroy().Success(t)
}

// The command line's own test command runs the module's tests.
func TestAccExamples_testAModule(t *testing.T) {
	t.Parallel()
	b := built(t)
	for _, name := range []string{"main.tf", "tests/reserve.tftest.hcl", "tests/scarce.json"} {
		b.Write(name, example(t, "scenarios/test-a-module/"+name))
	}
	result := b.Run("test", "-no-color")
	if result.ExitCode != 0 || !strings.Contains(result.Text(), "3 passed, 0 failed") {
		t.Fatal(result.Text())
	}
	if calls := b.Calls(0, ""); len(calls) > 0 {
		t.Errorf("the endpoint of the environment was asked: %+v", calls)
	}
}

// ownTests is the source of the tests of the examples.
func ownTests(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("examples*_acc_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// Every file of the examples is used by a test here or by the demo.
func TestExamples_allTested(t *testing.T) {
	t.Parallel()
	self := ownTests(t)
	root := filepath.Join("..", "..", "examples")
	var names []string
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "README.md" {
			return err
		}
		name, err := filepath.Rel(root, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil || len(names) < 10 {
		t.Fatal(err, names)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "scenarios/demo/") {
			continue // applied by internal/cmd/demo
		}
		base := []string{name, strings.TrimPrefix(name, "provider/"), strings.TrimPrefix(name, "scenarios/test-a-module/")}
		if !slices.ContainsFunc(base, func(part string) bool { return strings.Contains(self, part+`"`) }) {
			t.Errorf("%s is not applied by any test", name)
		}
	}
}
