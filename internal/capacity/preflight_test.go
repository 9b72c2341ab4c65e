package capacity_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// asked is a cloud that answers preflights.
type asked struct {
	cloud.Cloud
	answer func(cloud.Spec, string) ([]cloud.Problem, error)
}

func (c asked) Preflight(_ context.Context, spec cloud.Spec, name string) ([]cloud.Problem, error) {
	return c.answer(spec, name)
}

// TestPreflight: the cloud is asked with wish and name, through every wrapper; one
// that cannot be asked has no problem.
func TestPreflight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	wish := w.wish("a")
	w.cloud = basic{w.mem}
	problems, err := w.process().Preflight(t.Context(), mem.Name, wish.Spec, "a")
	want(t, "error of a cloud that cannot be asked", err, nil)
	want(t, "problems of a cloud that cannot be asked", len(problems), 0)

	told := []cloud.Problem{{Attribute: cloud.AttrInstanceType, Detail: "not there"}}
	w.cloud = cloud.Intercept(asked{w.mem, func(spec cloud.Spec, name string) ([]cloud.Problem, error) {
		want(t, "name", name, "a")
		want(t, "type", spec.InstanceType, whole)
		return told, nil
	}}, func(ctx context.Context, call cloud.Call, next func(context.Context) error) error {
		want(t, "method", call.Method, "Preflight")
		return next(ctx)
	})
	problems, err = w.process().Preflight(t.Context(), mem.Name, wish.Spec, "a")
	want(t, "error", err, nil)
	if diff := cmp.Diff(told, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}

	w.cloud = asked{w.mem, func(cloud.Spec, string) ([]cloud.Problem, error) { return nil, lost("Preflight") }}
	_, err = w.process().Preflight(t.Context(), mem.Name, wish.Spec, "a")
	failure(t, err, "Cannot ask", "closed without an answer")
}
