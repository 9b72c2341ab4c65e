package acctest

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
)

// A built provider finds the variables of the account that is allowed, and of no
// other.
func TestEnvironment(t *testing.T) {
	t.Setenv("AWS_PROFILE", "mine")
	t.Setenv("CLOUDSDK_CONFIG", "mine")
	t.Setenv("AZURE_CLIENT_ID", "mine")
	t.Setenv("SECRET", "mine")
	for live, want := range map[string][3]string{"": {}, "aws": {"mine", "", ""}, "google": {"", "mine", ""}, "azure": {"", "", "mine"}} {
		var permission *Live
		if live != "" {
			permission = newLive(live, 1)
		}
		env := environment(permission, map[string]string{"MORE": "x"})
		if got := [3]string{env["AWS_PROFILE"], env["CLOUDSDK_CONFIG"], env["AZURE_CLIENT_ID"]}; got != want || env["MORE"] != "x" {
			t.Errorf("allowed %q: %v", live, env)
		}
		if _, ok := env["SECRET"]; ok {
			t.Errorf("allowed %q: the environment holds what no cloud's client reads", live)
		}
	}
}

// Every cloud has a bench: a line for the provider block that names the endpoint
// only where there is one, and the settings that lead its driver there.
func TestSubjects(t *testing.T) {
	t.Parallel()
	subjects := subjects()
	for name := range all.New(all.Config{}) {
		s, ok := subjects[name]
		if !ok {
			t.Errorf("no bench for %s", name)
			continue
		}
		const url = "http://127.0.0.1:1"
		if block := s.block(url); !strings.HasPrefix(block, name) || !strings.Contains(block, url) {
			t.Errorf("%s: block with an endpoint: %s", name, block)
		}
		if block := s.block(""); strings.Contains(block, "endpoint") {
			t.Errorf("%s: block of a real account: %s", name, block)
		}
		var cfg all.Config
		if s.lead(&cfg, url); cfg.AWS.Endpoint != url && cfg.Google.Endpoint != url && cfg.Azure.Endpoint != url {
			t.Errorf("%s: the driver is not led to the simulator: %+v", name, cfg)
		}
		if len(s.simulated()) == 0 || len(s.own) == 0 {
			t.Errorf("%s: no environment", name)
		}
	}
}
