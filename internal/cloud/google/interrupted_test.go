package google_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// sharedRequest is one with a further project.
func sharedRequest() cloud.CreateRequest {
	req := request()
	req.Spec.ShareWith = []string{"consumer-one"}
	return req
}

func holdTrain(t *testing.T, _ *world, c *google.Cloud) {
	t.Helper()
	if made, err := c.Create(t.Context(), sharedRequest()); err != nil || made.Ref != trainRef() {
		t.Fatalf("Create: %+v, %v", made, err)
	}
}

func interruptedCreate(ctx context.Context, c *google.Cloud) error {
	r, err := c.Create(ctx, sharedRequest())
	if err == nil && (r.State != cloud.Held || len(r.ShareWith) != 1) {
		return fmt.Errorf("made %+v", r)
	}
	return err
}

func interruptedUpdate(ctx context.Context, c *google.Cloud) error {
	end := startAt.Add(30 * 24 * time.Hour)
	r, err := c.Update(ctx, trainRef(), cloud.Change{
		Count: ptr(5), EndAt: &end, Native: map[string]string{"vertex_sharing": "allow_all"}, ShareWith: &[]string{"consumer-two", "consumer-three"},
	})
	got := []any{r.Count, r.EndsAt, r.Native["vertex_sharing"], r.ShareWith}
	if diff := cmp.Diff([]any{5, end, "allow_all", []string{"consumer-three", "consumer-two"}}, got); err == nil && diff != "" {
		return fmt.Errorf("updated otherwise:\n%s", diff)
	}
	return err
}

// TestInterrupted: whichever request a call ends with, the same call of another
// process does the rest.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	nothing := func(*testing.T, *world, *google.Cloud) {}
	for name, of := range map[string]interruption{
		"create":  {nothing, interruptedCreate, 1},
		"update":  {holdTrain, interruptedUpdate, 1},
		"release": {holdTrain, func(ctx context.Context, c *google.Cloud) error { return c.Release(ctx, trainRef()) }, 0},
	} {
		for when, after := range map[string]bool{"before": false, "after": true} {
			t.Run(name+"/"+when, func(t *testing.T) {
				t.Parallel()
				n := 1
				for ; interrupt(t, of, n, after); n++ {
					if n > 60 {
						t.Fatal("the call never ends")
					}
				}
				if n < 3 {
					t.Errorf("the call took only %d requests", n-1)
				}
			})
		}
	}
}
