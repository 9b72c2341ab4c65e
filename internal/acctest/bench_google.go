package acctest

import (
	"fmt"
	"os"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

var liveGoogle = sync.OnceValues(func() (*Live, error) { return NewLive(os.Getenv, "google") })

// Google place, type and project that tests reserve where no particular one
// matters.
const (
	envGoogleZone    = "GPU_ACC_GOOGLE_ZONE"
	envGoogleType    = "GPU_ACC_GOOGLE_TYPE"
	envGoogleProject = "GPU_ACC_GOOGLE_PROJECT"
)

// GoogleZone is the zone for tests that need none in particular.
func GoogleZone() string { return fromEnv(envGoogleZone, "us-central1-a") }

// GoogleType is the machine type for tests that need none in particular: the
// cheapest whole GPU, since a real account pays for it.
func GoogleType() string { return fromEnv(envGoogleType, "g2-standard-4") }

// GoogleProject is the project that tests reserve in. Every project exists in the
// simulator.
func GoogleProject() string { return fromEnv(envGoogleProject, "acctest-project") }

func googleSubject() subject {
	return subject{
		live:  liveGoogle,
		scope: func() cloud.Scope { return cloud.Scope{Account: GoogleProject()} },
		block: func(endpoint string) string {
			if endpoint != "" {
				endpoint = fmt.Sprintf(", endpoint = %q", endpoint)
			}
			return fmt.Sprintf("google = { project = %q%s }", GoogleProject(), endpoint)
		},
		lead: func(cfg *all.Config, endpoint string) {
			cfg.Google = google.Config{Project: GoogleProject(), Endpoint: endpoint, Anonymous: true}
		},
		simulated: simulatedGoogle,
		own:       []string{"GOOGLE_", "CLOUDSDK_", "GCE_METADATA_"},
	}
}

// simulatedGoogle has Google's client find no credentials: a file that holds none
// ends its search, and a simulator wants none.
func simulatedGoogle() map[string]string {
	return map[string]string{
		"GOOGLE_APPLICATION_CREDENTIALS": os.DevNull, "GOOGLE_PROJECT": "", "GOOGLE_CLOUD_PROJECT": "",
	}
}
