package cloud_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	classed := &cloud.Error{Code: cloud.Throttled}
	tests := map[string]struct {
		err  error
		want cloud.Code
	}{
		"nil":                          {nil, ""},
		"classed":                      {fmt.Errorf("create: %w", classed), cloud.Throttled},
		"context":                      {fmt.Errorf("create: %w", context.Canceled), ""},
		"deadline":                     {context.DeadlineExceeded, ""},
		"classed, then context":        {errors.Join(classed, context.DeadlineExceeded), cloud.Throttled},
		"client's timeout as a cause":  {&cloud.Error{Code: cloud.Internal, Cause: context.DeadlineExceeded}, cloud.Internal},
		"not classed by any driver":    {errors.New("surprise"), cloud.Internal},
		"canceled, then a classed one": {errors.Join(context.Canceled, classed), cloud.Throttled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := cloud.CodeOf(test.err); got != test.want {
				t.Errorf("CodeOf(%v) = %q, want %q", test.err, got, test.want)
			}
		})
	}
}
