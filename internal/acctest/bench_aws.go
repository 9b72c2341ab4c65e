package acctest

import (
	"maps"
	"os"
	"strings"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

// liveAWS is the permission to use a real AWS account, asked once per process so
// that every test draws on one ceiling.
var liveAWS = sync.OnceValues(func() (*Live, error) { return NewLive(os.Getenv, "aws") })

// liveOf is the permission to use a cloud's real account, nil for none.
func liveOf(cloudName string) (*Live, error) {
	if cloudName == "aws" {
		return liveAWS()
	}
	return nil, nil
}

// AWS place and type that tests reserve where no particular one matters.
const (
	envAWSZone = "GPU_ACC_AWS_ZONE"
	envAWSType = "GPU_ACC_AWS_TYPE"
)

// AWSZone is the zone for tests that need none in particular.
func AWSZone() string { return fromEnv(envAWSZone, "us-east-1a") }

// AWSType is the instance type for tests that need none in particular: the
// cheapest whole GPU, since a real account pays for it.
func AWSType() string { return fromEnv(envAWSType, "g4dn.xlarge") }

func fromEnv(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}

// simulatedAWS is the environment in which the AWS SDK finds static keys, which
// every simulator accepts, and nothing else.
func simulatedAWS() map[string]string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": "simulated", "AWS_SECRET_ACCESS_KEY": "simulated", "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CA_BUNDLE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_ENDPOINT_URL": "",
		"AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "",
	}
}

// environment is what a built provider finds: static keys for the simulators, or
// the process's own for a real account.
func (b *Bench) environment(more map[string]string) map[string]string {
	env := map[string]string{}
	if b.live == nil {
		maps.Copy(env, simulatedAWS())
	} else {
		for _, e := range os.Environ() {
			if name, value, ok := strings.Cut(e, "="); ok && strings.HasPrefix(name, "AWS_") {
				env[name] = value
			}
		}
	}
	maps.Copy(env, more)
	return env
}

// driverOf is a driver of the test's own, beside the provider's: for the
// simulators with their keys, else with the process's own credentials.
func driverOf(b *Bench, cloudName string) cloud.Cloud {
	var cfg aws.Config
	if b.live == nil {
		cfg.Endpoint = b.URL("aws")
		cfg.Credentials = &aws.Credentials{AccessKeyID: "simulated", SecretAccessKey: "simulated"}
	}
	return all.New(all.Config{AWS: cfg})[cloudName]
}
