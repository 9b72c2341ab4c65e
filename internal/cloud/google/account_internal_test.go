package google

import (
	"context"
	"errors"
	"testing"

	"cloud.google.com/go/auth"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// TestDefaultProjectEnds: an interrupted look for the credentials' project is not a
// configuration without one.
func TestDefaultProjectEnds(t *testing.T) {
	t.Setenv("GOOGLE_PROJECT", "")
	t.Setenv("GOOGLE_CLOUD_PROJECT", "")
	ctx, cancel := context.WithCancel(t.Context())
	c := New(Config{})
	c.built = &clients{credentials: credentials{auth.NewCredentials(&auth.CredentialsOptions{
		ProjectIDProvider: auth.CredentialsPropertyFunc(func(ctx context.Context) (string, error) {
			cancel()
			return "", ctx.Err()
		}),
	})}}
	if _, err := c.AccountID(ctx, ""); !errors.Is(err, context.Canceled) || cloud.CodeOf(err) != "" {
		t.Errorf("AccountID: %v", err)
	}
}
