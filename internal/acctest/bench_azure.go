package acctest

import (
	"fmt"
	"os"
	"sync"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
)

var liveAzure = sync.OnceValues(func() (*Live, error) { return NewLive(os.Getenv, "azure") })

// Azure place, size, subscription and resource group that tests reserve where no
// particular one matters.
const (
	envAzureRegion        = "GPU_ACC_AZURE_REGION"
	envAzureType          = "GPU_ACC_AZURE_TYPE"
	envAzureSubscription  = "GPU_ACC_AZURE_SUBSCRIPTION"
	envAzureResourceGroup = "GPU_ACC_AZURE_RESOURCE_GROUP"
)

// AzureRegion is the location for tests that need none in particular.
func AzureRegion() string { return fromEnv(envAzureRegion, "eastus") }

// AzureType is the size for tests that need none in particular: the cheapest
// whole GPU, since a real account pays for it.
func AzureType() string { return fromEnv(envAzureType, "Standard_NC4as_T4_v3") }

// AzureSubscription is the subscription that tests reserve in. Every subscription
// exists in the simulator.
func AzureSubscription() string {
	return fromEnv(envAzureSubscription, "00000000-0000-0000-0000-0000000000ac")
}

// AzureResourceGroup is the resource group that tests reserve in, which must
// exist; the simulator's subscriptions have it.
func AzureResourceGroup() string { return fromEnv(envAzureResourceGroup, "gpu") }

func azureSubject() subject {
	return subject{
		live:  liveAzure,
		scope: func() cloud.Scope { return cloud.Scope{Account: AzureSubscription()} },
		block: func(endpoint string) string {
			if endpoint != "" {
				endpoint = fmt.Sprintf(", endpoint = %q", endpoint)
			}
			return fmt.Sprintf("azure = { subscription_id = %q, resource_group = %q%s }", AzureSubscription(), AzureResourceGroup(), endpoint)
		},
		lead: func(cfg *all.Config, endpoint string) {
			cfg.Azure = azure.Config{
				SubscriptionID: AzureSubscription(), ResourceGroup: AzureResourceGroup(), Endpoint: endpoint, Anonymous: true,
			}
		},
		simulated: simulatedAzure,
		// Settings, service principals and federated tokens; the endpoints of managed
		// identities.
		own: []string{"AZURE_", "ARM_", "IDENTITY_", "MSI_", "IMDS_"},
	}
}

// simulatedAzure has Azure's client find no credentials: a simulator takes any
// token.
func simulatedAzure() map[string]string {
	return map[string]string{
		"AZURE_SUBSCRIPTION_ID": "", "ARM_SUBSCRIPTION_ID": "", "AZURE_TENANT_ID": "", "AZURE_CLIENT_ID": "", "AZURE_CONFIG_DIR": os.DevNull,
	}
}
