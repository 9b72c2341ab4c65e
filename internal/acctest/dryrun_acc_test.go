package acctest_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// leftovers are what an earlier run left behind, and what is none of ours.
const leftovers = `{"objects": [
  {"cloud": "aws", "type": "capacity-reservation", "native_id": "cr-0000000000000000a", "region": "us-east-1", "zone": "us-east-1a",
   "instance_type": "g4dn.xlarge", "count": 1, "tags": {"gpulock:owner": "acctest/killed", "gpulock:name": "left", "gpulock:managed-by": "gpu_reservation"}},
  {"cloud": "aws", "type": "capacity-reservation", "native_id": "cr-0000000000000000b", "region": "us-east-1", "zone": "us-east-1a",
   "instance_type": "g4dn.xlarge", "count": 1, "tags": {"gpulock:owner": "someone", "gpulock:name": "left", "gpulock:managed-by": "gpu_reservation"}}
]}`

// The tests for a real account run as they would there, against the simulator as a
// program of its own that they take for AWS: the ceiling and the sweep included.
func TestAccDryRun(t *testing.T) {
	t.Parallel()
	acctest.Require(t)
	if os.Getenv("GPU_ACC_AWS") != "" {
		t.Skip("the run is against a real account already")
	}
	if os.Getenv("TF_ACC_PROVIDER_HOST") == "registry.terraform.io" {
		t.Skip("make test does it once, with the pinned OpenTofu")
	}
	urls := startSimulator(t)
	live := func(ceiling, pattern string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-p=1", "-run="+pattern,
			"github.com/gpulock/terraform-provider-gpu/internal/provider/reservation")
		cmd.Env = liveEnvironment(urls["aws"], ceiling)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	out, err := live("0.5", "^TestAccReservation_basic$")
	if err == nil || !strings.Contains(out, "this test may cost") {
		t.Errorf("a test above the ceiling ran: %v\n%s", err, out)
	}
	if n := count(t, urls["control"], "CreateCapacityReservation"); n != 0 {
		t.Errorf("%d creates above the ceiling", n)
	}

	out, err = live("", "^TestAccReservation_")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ranLive(t, out)
	if n := count(t, urls["control"], "CreateCapacityReservation"); n == 0 {
		t.Error("nothing was created: the tests did not reach the program")
	}
	if active := activeObjects(t, urls["control"]); !slices.Equal(active, []string{"someone"}) {
		t.Errorf("owners of what is still held: %q, want only someone else", active)
	}
}

// ranLive wants the tests for a real account to have run, and no other one.
func ranLive(t *testing.T, out string) {
	t.Helper()
	for _, name := range []string{"basic", "open", "update", "import", "importBlock"} {
		if !strings.Contains(out, "--- PASS: TestAccReservation_"+name+" ") {
			t.Errorf("%s did not run against the account", name)
		}
	}
	if !strings.Contains(out, "--- SKIP: TestAccReservation_disappears ") {
		t.Error("a test that needs the simulator's own controls ran")
	}
}

// startSimulator builds and starts the program, and gives its URLs by name.
func startSimulator(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	program, scenario := filepath.Join(dir, "gpusim"), filepath.Join(dir, "scenario.json")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/gpulock/terraform-provider-gpu/internal/cmd/gpusim")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the simulator: %v\n%s", err, out)
	}
	if err := os.WriteFile(scenario, []byte(leftovers), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-scenario", scenario)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the simulator: %v", err)
		}
	})
	urls := map[string]string{}
	for lines := bufio.NewScanner(stdout); lines.Scan() && lines.Text() != "ready"; {
		if name, url, ok := strings.Cut(lines.Text(), "="); ok {
			urls[name] = url
		}
	}
	return urls
}

// liveEnvironment is this process's, with an account that is the simulator.
func liveEnvironment(url, ceiling string) []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "AWS_") || strings.HasPrefix(e, "GPU_ACC_MAX_USD=")
	})
	env = append(env, "GPU_ACC_AWS=1", "AWS_ENDPOINT_URL="+url, "AWS_ACCESS_KEY_ID=simulated", "AWS_SECRET_ACCESS_KEY=simulated",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull)
	if ceiling != "" {
		env = append(env, "GPU_ACC_MAX_USD="+ceiling)
	}
	return env
}

// control reads a list of the control API.
func control(t *testing.T, url string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// count is how often an operation was asked for.
func count(t *testing.T, url, operation string) int {
	t.Helper()
	var log struct {
		Calls []sim.Call `json:"calls"`
	}
	control(t, url+"/calls", &log)
	n := 0
	for _, c := range log.Calls {
		if c.Operation == operation {
			n++
		}
	}
	return n
}

// activeObjects are the owners of what is held.
func activeObjects(t *testing.T, url string) []string {
	t.Helper()
	var list struct {
		Objects []sim.ObjectRow `json:"objects"`
	}
	control(t, url+"/objects", &list)
	var owners []string
	for _, o := range list.Objects {
		if o.Status == "active" {
			owners = append(owners, o.Tags["gpulock:owner"])
		}
	}
	return owners
}
