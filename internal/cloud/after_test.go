package cloud_test

import (
	"context"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestAfterWrite(t *testing.T) {
	t.Parallel()
	if err := cloud.AfterWrite(&cloud.Error{Code: cloud.Throttled}); !cloud.MaybeAccepted(err) || cloud.CodeOf(err) != cloud.Throttled {
		t.Errorf("got %+v", err)
	}
	for _, err := range []error{nil, context.Canceled} {
		if got := cloud.AfterWrite(err); got != err { //nolint:errorlint // the very same.
			t.Errorf("AfterWrite(%v) = %v", err, got)
		}
	}
}

func TestMisnamed(t *testing.T) {
	t.Parallel()
	for code, want := range map[cloud.Code]cloud.Code{cloud.NotFound: cloud.Invalid, cloud.Throttled: cloud.Throttled} {
		if got := cloud.CodeOf(cloud.Misnamed(&cloud.Error{Code: code})); got != want {
			t.Errorf("Misnamed(%s) = %s, want %s", code, got, want)
		}
	}
	if err := cloud.Misnamed(nil); err != nil {
		t.Errorf("Misnamed(nil) = %v", err)
	}
}
