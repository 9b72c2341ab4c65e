package acctest

import (
	"maps"
	"os"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
)

// subject is what a bench has to know of one cloud.
type subject struct {
	// live is the permission to use a real account, asked once per process so
	// that every test draws on one ceiling.
	live func() (*Live, error)
	// scope is where what tests made is listed.
	scope func() cloud.Scope
	// block is the cloud's line in the provider block; endpoint is "" for the
	// cloud's own.
	block func(endpoint string) string
	// lead leads a driver to a simulator and away from real credentials.
	lead func(cfg *all.Config, endpoint string)
	// simulated is the environment in which the cloud's client finds what every
	// simulator accepts, and nothing else.
	simulated func() map[string]string
	// own are the prefixes of the variables that lead the cloud's client to a
	// real account.
	own []string
}

// subjects are the clouds that tests can be made for, by name.
func subjects() map[string]subject {
	return map[string]subject{"aws": awsSubject(), "google": googleSubject(), "azure": azureSubject()}
}

// owns tells whether a variable is one of the cloud's.
func (s subject) owns(name string) bool {
	for _, prefix := range s.own {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// environment is what a built provider finds: what simulators accept, and of the
// process's own what the real account needs that live is the permission for.
func environment(live *Live, more map[string]string) map[string]string {
	env := map[string]string{}
	for name, s := range subjects() {
		if live == nil || live.Cloud != name {
			maps.Copy(env, s.simulated())
			continue
		}
		for _, e := range os.Environ() {
			if variable, value, ok := strings.Cut(e, "="); ok && s.owns(variable) {
				env[variable] = value
			}
		}
	}
	maps.Copy(env, more)
	return env
}

func fromEnv(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}
