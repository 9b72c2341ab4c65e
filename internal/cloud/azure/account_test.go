package azure_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
)

// TestAccountID: a subscription by any spelling, else that of the provider block,
// else of the environment, all without a call.
func TestAccountID(t *testing.T) {
	const env, other = "00000000-0000-0000-0000-0000000000e0", "00000000-0000-0000-0000-0000000000e1"
	for name, tc := range map[string]struct {
		configured, arm, azure, account, want string
		code                                  cloud.Code
	}{
		"named":        {home, env, other, away, away, ""},
		"path":         {"", "", "", "/subscriptions/" + strings.ToUpper(away), away, ""},
		"configured":   {"/subscriptions/" + home, env, other, "", home, ""},
		"environment":  {"", env, other, "", env, ""},
		"Azure's":      {"", "", other, "", other, ""},
		"none":         {"", "", "", "", "", cloud.Invalid},
		"another form": {home, "", "", "my subscription", "", cloud.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("ARM_SUBSCRIPTION_ID", tc.arm)
			t.Setenv("AZURE_SUBSCRIPTION_ID", tc.azure)
			c := azure.New(azure.Config{SubscriptionID: tc.configured, Transport: transport(nil)})
			if got, err := c.AccountID(t.Context(), tc.account); got != tc.want || cloud.CodeOf(err) != tc.code {
				t.Errorf("AccountID = %q, %v", got, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := azure.New(azure.Config{}).AccountID(ctx, home); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end of the context: %v", err)
	}
}
