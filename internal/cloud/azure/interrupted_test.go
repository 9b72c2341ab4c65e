package azure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const trainID = "/subscriptions/" + home + "/resourcegroups/gpu/providers/microsoft.compute/capacityreservationgroups/train/capacityreservations/train"

func trainRef() cloud.Ref { return cloud.Ref{NativeID: trainID} }

func trainMark() cloud.Mark {
	return cloud.Mark{Owner: "team/ml", Name: "train", Type: "gpu_reservation"}
}

func request() cloud.CreateRequest {
	return cloud.CreateRequest{
		Spec: cloud.Spec{
			Kind: cloud.OnDemand, Region: location, Zone: "1", InstanceType: size, Count: 2, Tags: map[string]string{"team": "ml"},
			ShareWith: []string{away},
		},
		Mark: trainMark(), Token: "token",
	}
}

// cut ends its context with the nth request that it sends, before or after the
// cloud has it.
type cut struct {
	cancel context.CancelFunc
	after  bool
	mu     sync.Mutex
	left   int
}

// RoundTrip implements http.RoundTripper.
func (c *cut) RoundTrip(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.left--
	now := c.left == 0
	c.mu.Unlock()
	if !now {
		return http.DefaultTransport.RoundTrip(req)
	}
	defer c.cancel()
	if !c.after {
		return nil, context.Canceled
	}
	resp, err := http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(context.Canceled, resp.Body.Close())
}

// interruption is a call to cut short.
type interruption struct {
	// before prepares the world.
	before func(*testing.T, *world, *azure.Cloud)
	call   func(context.Context, *world, *azure.Cloud) error
	// again is what the next run does, the same call if it is nil.
	again func(context.Context, *world, *azure.Cloud) error
	// left is how many reservations there are after it.
	left int
}

func nothing(*testing.T, *world, *azure.Cloud) {}

func holdTrain(t *testing.T, _ *world, c *azure.Cloud) {
	t.Helper()
	if made, err := c.Create(t.Context(), request()); err != nil || made.Ref != trainRef() {
		t.Fatalf("Create: %+v, %v", made, err)
	}
}

func createTrain(ctx context.Context, _ *world, c *azure.Cloud) error {
	r, err := c.Create(ctx, request())
	if err == nil && (r.State != cloud.Held || r.Count != 2 || len(r.ShareWith) != 1) {
		return fmt.Errorf("made %+v", r)
	}
	return err
}

func releaseTrain(ctx context.Context, _ *world, c *azure.Cloud) error {
	return c.Release(ctx, trainRef())
}

func updateTrain(ctx context.Context, _ *world, c *azure.Cloud) error {
	mark := trainMark()
	mark.Claim = "ours"
	r, err := c.Update(ctx, trainRef(), cloud.Change{
		Count: ptr(5), SetTags: map[string]string{"team": "sre"}, Mark: &mark, ShareWith: &[]string{home[:len(home)-2] + "cc"},
	})
	if err != nil {
		return err
	}
	want := []any{5, map[string]string{"team": "sre"}, mark, []string{home[:len(home)-2] + "cc"}, false}
	if diff := cmp.Diff(want, []any{r.Count, r.Tags, r.Mark, r.ShareWith, r.Unsettled}); diff != "" {
		return fmt.Errorf("updated otherwise:\n%s", diff)
	}
	return nil
}

// createOf makes one of another kind.
func createOf(kind cloud.Kind) func(context.Context, *world, *azure.Cloud) error {
	return func(ctx context.Context, _ *world, c *azure.Cloud) error {
		req := plain()
		req.Spec = wishesAt(start)[kind]
		r, err := c.Create(ctx, req)
		if err == nil && (!r.State.Live() || r.Kind != kind || !r.StartsAt.Equal(req.Spec.StartAt)) {
			return fmt.Errorf("made %+v", r)
		}
		return err
	}
}

func givenGroup(t *testing.T, w *world, _ *azure.Cloud) {
	t.Helper()
	w.put(trainGroup, `{"location":"eastus","zones":["1"],"tags":{"whose":"theirs"}}`)
	w.jump.Advance(time.Minute)
}

// createGiven makes one in a given group, and leaves that as it is.
func createGiven(ctx context.Context, w *world, c *azure.Cloud) error {
	req := plain()
	req.Spec.Native = map[string]string{"group_id": trainGroup}
	r, err := c.Create(ctx, req)
	if err == nil && (r.State != cloud.Held || r.Native["group_id"] != trainGroup) {
		return fmt.Errorf("made %+v", r)
	}
	if group := w.rawTags(cloud.Ref{NativeID: trainGroup}); len(group) != 1 {
		return fmt.Errorf("the group has %v", group)
	}
	return err
}

// scarce has too little for a growth.
func scarce(t *testing.T, w *world, c *azure.Cloud) {
	t.Helper()
	holdTrain(t, w, c)
	w.setCapacity(cloud.Spec{Region: location, Zone: "1", InstanceType: size}, 1)
}

// growTrain is a growth that is refused.
func growTrain(ctx context.Context, _ *world, c *azure.Cloud) error {
	_, err := c.Update(ctx, trainRef(), cloud.Change{Count: ptr(9)})
	if cloud.CodeOf(err) == cloud.NoCapacity {
		return nil
	}
	return fmt.Errorf("growth: %w", err)
}

// keepTrain writes the count that the reservation holds, as a next run does.
func keepTrain(ctx context.Context, _ *world, c *azure.Cloud) error {
	r, err := c.Get(ctx, trainRef())
	if err != nil {
		return err
	}
	if r.State == cloud.Held && r.Unsettled {
		r, err = c.Update(ctx, trainRef(), cloud.Change{Count: &r.Count})
	}
	if err == nil && r.NativeState == "Updating" {
		r, err = c.Update(ctx, trainRef(), cloud.Change{Count: ptr(2)})
	}
	if err == nil && (r.Count != 2 || r.Unsettled) {
		return fmt.Errorf("kept as %+v", r)
	}
	return err
}

// refusedTrain is a create that is refused; nothing is left of it.
func refusedTrain(ctx context.Context, w *world, c *azure.Cloud) error {
	w.setCapacity(cloud.Spec{Region: location, Zone: "1", InstanceType: size}, 0)
	_, err := c.Create(ctx, request())
	if cloud.CodeOf(err) == cloud.NoCapacity && !cloud.MaybeAccepted(err) {
		return nil
	}
	return fmt.Errorf("create: %w", err)
}

// TestInterrupted: whichever request a call ends with, the next run does the rest.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]interruption{
		"create":         {nothing, createTrain, nil, 1},
		"create refused": {nothing, refusedTrain, nil, 0},
		"update":         {holdTrain, updateTrain, nil, 1},
		"growth":         {scarce, growTrain, keepTrain, 1},
		"release":        {holdTrain, releaseTrain, nil, 0},
		"scheduled":      {nothing, createOf(cloud.Scheduled), nil, 1},
		"block":          {nothing, createOf(cloud.Block), nil, 1},
		"given group":    {givenGroup, createGiven, nil, 1},
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

// interrupt plays a call that ends with its nth request, then the next run, and
// tells whether it had as many.
func interrupt(t *testing.T, of interruption, n int, after bool) bool {
	t.Helper()
	w := newWorld(t)
	w.serve(azuresim.Options{})
	of.before(t, w, w.driver(nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := of.call(ctx, w, w.driver(&cut{cancel: cancel, left: n, after: after}))
	again := of.again
	if again == nil {
		again = of.call
	}
	if err := again(t.Context(), w, w.driver(nil)); err != nil {
		t.Fatalf("after an end at request %d (%v): %v", n, first, err)
	}
	left, err := w.driver(nil).List(t.Context(), cloud.Scope{})
	if err != nil || len(left) != of.left {
		t.Fatalf("after an end at request %d (%v) there are %+v, %v", n, first, left, err)
	}
	if rows := w.rows(); len(rows) != 2*of.left {
		t.Fatalf("after an end at request %d (%v) the world has %+v", n, first, rows)
	}
	return ctx.Err() != nil
}

// rows are the groups and reservations of the world.
func (w *world) rows() []sim.ObjectRow {
	w.t.Helper()
	rows, err := w.sim.Objects()
	w.must(err)
	var found []sim.ObjectRow
	for _, row := range rows {
		if row.Type == "capacityReservations" || row.Type == "capacityReservationGroups" {
			found = append(found, row)
		}
	}
	return found
}

func ptr[T any](v T) *T { return &v }
