package google_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google/googlesim"
)

// cut ends the context with the nth request, before or after it is done.
type cut struct {
	cancel context.CancelFunc
	left   int
	after  bool
}

// RoundTrip implements http.RoundTripper.
func (c *cut) RoundTrip(req *http.Request) (*http.Response, error) {
	if c.left--; c.left != 0 {
		return http.DefaultTransport.RoundTrip(req)
	}
	if !c.after {
		c.cancel()
		return nil, context.Canceled
	}
	// The request goes on without the context that ends.
	resp, err := http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
	if err != nil {
		return nil, err
	}
	c.cancel()
	return nil, errors.Join(context.Canceled, resp.Body.Close())
}

// interruption is a call to cut short.
type interruption struct {
	// before prepares the world.
	before func(*testing.T, *world, *google.Cloud)
	call   func(context.Context, *google.Cloud) error
	// left is how many reservations there are after it.
	left int
}

func interruptions() map[string]interruption {
	release := func(ctx context.Context, c *google.Cloud) error { return c.Release(ctx, futureRef()) }
	return map[string]interruption{
		"create": {func(*testing.T, *world, *google.Cloud) {}, func(ctx context.Context, c *google.Cloud) error {
			_, err := c.Create(ctx, interruptedRequest())
			return err
		}, 1},
		"update": {makeFuture, func(ctx context.Context, c *google.Cloud) error {
			r, err := c.Update(ctx, futureRef(), cloud.Change{Count: ptr(3), EndAt: ptr(endAt.Add(time.Hour))})
			if err == nil && (r.Count != 3 || !r.EndsAt.Equal(endAt.Add(time.Hour))) {
				return fmt.Errorf("updated to %+v", r)
			}
			return err
		}, 1},
		"release": {makeFuture, release, 0},
		"release after the end": {func(t *testing.T, w *world, c *google.Cloud) {
			t.Helper()
			makeFuture(t, w, c)
			w.jump.Advance(startAt.Add(time.Hour).Sub(w.jump.Now()))
			w.jump.Advance(endAt.Add(time.Second).Sub(w.jump.Now()))
		}, release, 0},
	}
}

func interruptedRequest() cloud.CreateRequest {
	req := futureRequest(cloud.Scheduled)
	req.Spec.InstanceType = "a2-highgpu-1g"
	return req
}

// makeFuture makes one and has it be approved.
func makeFuture(t *testing.T, w *world, c *google.Cloud) {
	t.Helper()
	made, err := c.Create(t.Context(), interruptedRequest())
	if err != nil || made.Ref != futureRef() {
		t.Fatalf("Create: %+v, %v", made, err)
	}
	w.jump.Advance(time.Hour)
}

// TestFutureInterrupted: whichever request a call ends with, the same call of
// another process does the rest.
func TestFutureInterrupted(t *testing.T) {
	t.Parallel()
	for name, of := range interruptions() {
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

// interrupt plays a call that ends with its nth request, then all of it, and
// tells whether it had as many.
func interrupt(t *testing.T, of interruption, n int, after bool) bool {
	t.Helper()
	w := newWorld(t)
	server := httptest.NewServer(googlesim.New(w.sim))
	defer server.Close()
	driver := func(transport http.RoundTripper) *google.Cloud {
		return google.New(google.Config{Project: home, Endpoint: server.URL, Clock: w.jump, Transport: transport})
	}
	of.before(t, w, driver(nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := of.call(ctx, driver(&cut{cancel: cancel, left: n, after: after}))
	if err := of.call(t.Context(), driver(nil)); err != nil {
		t.Fatalf("after an end at request %d (%v): %v", n, first, err)
	}
	left, err := driver(nil).List(t.Context(), cloud.Scope{})
	if err != nil || len(left) != of.left {
		t.Fatalf("after an end at request %d (%v) there are %+v, %v", n, first, left, err)
	}
	return ctx.Err() != nil
}
