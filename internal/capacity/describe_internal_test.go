package capacity

import (
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// TestDescribe_hint: credentials are only advised where the cloud knew none.
func TestDescribe_hint(t *testing.T) {
	t.Parallel()
	c := hinted{mem.New(mem.Options{})}
	for name, test := range map[string]struct {
		err  *cloud.Error
		want bool
	}{
		"no credentials":      {&cloud.Error{Code: cloud.PermissionDenied}, true},
		"not accepted":        {&cloud.Error{Code: cloud.PermissionDenied, HTTPStatus: 403}, true},
		"not allowed":         {&cloud.Error{Code: cloud.PermissionDenied, HTTPStatus: 403, Authenticated: true}, false},
		"something else":      {&cloud.Error{Code: cloud.NoCapacity, HTTPStatus: 500}, false},
		"said by the message": {&cloud.Error{Code: cloud.PermissionDenied, Message: "log in first"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := strings.Count(describe(c, test.err), "log in first"); (n == 1) != test.want || n > 1 {
				t.Errorf("%q", describe(c, test.err))
			}
		})
	}
}

type hinted struct{ cloud.Cloud }

func (h hinted) Capabilities() cloud.Capabilities {
	c := h.Cloud.Capabilities()
	c.CredentialsHint = "log in first"
	return c
}
