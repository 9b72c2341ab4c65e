package acctest

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

var liveAWS = sync.OnceValues(func() (*Live, error) { return NewLive(os.Getenv, "aws") })

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

// awsRegion is the region of AWSZone.
func awsRegion() string { return strings.TrimRight(AWSZone(), "abcdefghijklmnopqrstuvwxyz") }

func awsSubject() subject {
	return subject{
		live:  liveAWS,
		scope: func() cloud.Scope { return cloud.Scope{Region: awsRegion()} },
		block: func(endpoint string) string {
			if endpoint != "" {
				endpoint = fmt.Sprintf(", endpoint = %q", endpoint)
			}
			return fmt.Sprintf("aws   = { region = %q%s }", awsRegion(), endpoint)
		},
		lead: func(cfg *all.Config, endpoint string) {
			cfg.AWS = aws.Config{
				Endpoint: endpoint, Credentials: &aws.Credentials{AccessKeyID: "simulated", SecretAccessKey: "simulated"},
			}
		},
		simulated: simulatedAWS,
		own:       []string{"AWS_"},
	}
}

// simulatedAWS has the AWS SDK find static keys.
func simulatedAWS() map[string]string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": "simulated", "AWS_SECRET_ACCESS_KEY": "simulated", "AWS_SESSION_TOKEN": "",
		"AWS_PROFILE": "", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_CA_BUNDLE": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_ENDPOINT_URL": "",
		"AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "",
	}
}
