package limit_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/limit"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/retry"
)

func done(context.Context) error { return nil }

// bench is an interceptor on a jumping clock.
type bench struct {
	around cloud.Interceptor
	jump   *clocktest.Jump
}

func newBench(opts limit.Options) bench {
	jump := clocktest.NewJump(memtest.Start())
	opts.Clock = jump
	return bench{around: limit.New(opts), jump: jump}
}

// took is how long n calls take together, by the clock.
func (b bench) took(t *testing.T, n int, call cloud.Call, next func(context.Context) error) time.Duration {
	t.Helper()
	start := b.jump.Now()
	for range n {
		if err := b.around(t.Context(), call, next); err != nil && !errors.As(err, new(*cloud.Error)) {
			t.Fatalf("around: %v", err)
		}
	}
	return b.jump.Now().Sub(start)
}

func TestRates(t *testing.T) {
	t.Parallel()
	opts := limit.Options{
		Reads:  limit.Rate{PerSecond: 10, Burst: 5},
		Writes: limit.Rate{PerSecond: 1},
		Free:   []string{"List"},
	}
	tests := map[string]struct {
		call cloud.Call
		n    int
		want time.Duration
	}{
		"within the burst":      {cloud.Call{Method: "Get"}, 5, 0},
		"after the burst":       {cloud.Call{Method: "Get"}, 15, time.Second},
		"writes on their own":   {cloud.Call{Method: "Create", Writes: true}, 4, 3 * time.Second},
		"answers that are kept": {cloud.Call{Method: "AccountID"}, 100, 0},
		"ids that are parsed":   {cloud.Call{Method: "ParseID"}, 100, 0},
		"the clock":             {cloud.Call{Method: "Now"}, 100, 0},
		"a method set free":     {cloud.Call{Method: "List"}, 100, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if took := newBench(opts).took(t, test.n, test.call, done); took != test.want {
				t.Errorf("%d calls took %v, want %v", test.n, took, test.want)
			}
		})
	}
	t.Run("no rate, no limit", func(t *testing.T) {
		t.Parallel()
		if took := newBench(limit.Options{}).took(t, 1000, cloud.Call{Method: "Get"}, done); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

// TestBuckets: what differs in cloud, account, region or direction does not
// wait for each other.
func TestBuckets(t *testing.T) {
	t.Parallel()
	base := cloud.Call{Cloud: "mem", Method: "Get", Region: "mem-east-1"}
	byID := cloud.Call{Cloud: "mem", Method: "Get", NativeID: "1/mem-east-1/r-1"}
	tests := map[string]struct {
		other cloud.Call
		apart bool
	}{
		"same":                {base, false},
		"another zone":        {cloud.Call{Cloud: "mem", Method: "List", Region: "mem-east-1", Zone: "mem-east-1b"}, false},
		"region by id":        {byID, false},
		"another account":     {cloud.Call{Cloud: "mem", Method: "Get", Region: "mem-east-1", Account: "research"}, true},
		"another region":      {cloud.Call{Cloud: "mem", Method: "Get", Region: "mem-west-1"}, true},
		"another cloud":       {cloud.Call{Cloud: "other", Method: "Get", Region: "mem-east-1"}, true},
		"the other direction": {cloud.Call{Cloud: "mem", Method: "Create", Region: "mem-east-1", Writes: true}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := limit.Rate{PerSecond: 1, Burst: 1}
			b := newBench(limit.Options{Reads: one, Writes: one, Region: func(c cloud.Call) string {
				_, rest, _ := strings.Cut(c.NativeID, "/")
				region, _, _ := strings.Cut(rest, "/")
				return region
			}})
			want := time.Second
			if test.apart {
				want = 0
			}
			b.took(t, 1, base, done)
			if took := b.took(t, 1, test.other, done); took != want {
				t.Errorf("waited %v after another call, want %v", took, want)
			}
		})
	}
}

// TestRefusedWait: a wait past the deadline is not begun, and nothing is sent.
func TestRefusedWait(t *testing.T) {
	t.Parallel()
	b := newBench(limit.Options{Reads: limit.Rate{PerSecond: 0.1}})
	call := cloud.Call{Method: "Get"}
	b.took(t, 1, call, done)
	ctx := clock.Until(t.Context(), memtest.Start().Add(9*time.Second))
	sent := false
	err := b.around(ctx, call, func(context.Context) error { sent = true; return nil })
	var e *cloud.Error
	if !errors.As(err, &e) || e.Code != cloud.Throttled || e.Accepted || e.RetryAfter != 10*time.Second {
		t.Errorf("error %+v, want throttled for 10s", err)
	}
	if sent || !b.jump.Now().Equal(memtest.Start()) {
		t.Errorf("sent %v, waited until %v", sent, b.jump.Now())
	}
	// The token that was not used is still there.
	if took := b.took(t, 1, call, done); took != 10*time.Second {
		t.Errorf("the next call waited %v, want 10s", took)
	}
}

// TestContextEnds: the machine's clock, a deadline and a cancellation.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		around := limit.New(limit.Options{Writes: limit.Rate{PerSecond: 0.1}})
		call := cloud.Call{Method: "Create", Writes: true}
		if err := around(t.Context(), call, done); err != nil {
			t.Fatalf("first call: %v", err)
		}
		start := time.Now()
		short, cancelShort := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancelShort()
		if err := around(short, call, done); cloud.CodeOf(err) != cloud.Throttled || time.Since(start) != 0 {
			t.Errorf("a deadline before the wait's end: %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		err := around(ctx, call, done)
		if !errors.Is(err, context.Canceled) || cloud.MaybeAccepted(err) || time.Since(start) != 3*time.Second {
			t.Errorf("canceled in the wait: %v after %v, want canceled and certainly not sent", err, time.Since(start))
		}
		if err := around(ctx, call, done); !errors.Is(err, context.Canceled) || cloud.CodeOf(err) != "" {
			t.Errorf("canceled before: %v, want the context's own error", err)
		}
	})
}

// TestLearns: throttled answers lower the rate once a second, others raise it.
func TestLearns(t *testing.T) {
	t.Parallel()
	throttled := func(context.Context) error { return &cloud.Error{Code: cloud.Throttled} }
	lost := func(context.Context) error { return &cloud.Error{Code: cloud.Internal} }
	full := func(context.Context) error { return &cloud.Error{Code: cloud.NoCapacity} }
	call := cloud.Call{Method: "Get"}
	opts := limit.Options{Reads: limit.Rate{PerSecond: 16, Burst: 16}}
	t.Run("halved, without burst", func(t *testing.T) {
		t.Parallel()
		b := newBench(opts)
		b.took(t, 3, call, throttled) // at once: they count as one
		b.jump.Advance(10 * time.Second)
		if took := b.took(t, 9, call, lost); took != time.Second {
			t.Errorf("9 calls at half the rate took %v, want 1s", took)
		}
	})
	t.Run("a sixteenth at least", func(t *testing.T) {
		t.Parallel()
		b := newBench(opts)
		for range 20 {
			b.took(t, 1, call, throttled)
			b.jump.Advance(10 * time.Second)
		}
		if took := b.took(t, 4, call, lost); took != 3*time.Second {
			t.Errorf("4 calls at a sixteenth of the rate took %v, want 3s", took)
		}
	})
	t.Run("back to the full rate and burst", func(t *testing.T) {
		t.Parallel()
		b := newBench(opts)
		b.took(t, 1, call, throttled)
		b.took(t, 10, call, full) // a refusal of stock is an answer too
		b.jump.Advance(10 * time.Second)
		if took := b.took(t, 16+16, call, done); took != time.Second {
			t.Errorf("32 calls after the recovery took %v, want 1s", took)
		}
	})
}

func TestParallelCallsKeepTheRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		around := limit.New(limit.Options{Reads: limit.Rate{PerSecond: 5, Burst: 1}})
		var sent atomic.Int32
		for range 50 {
			go func() {
				_ = around(t.Context(), cloud.Call{Method: "Get"}, func(context.Context) error {
					sent.Add(1)
					return nil
				})
			}()
		}
		time.Sleep(4*time.Second + time.Millisecond)
		if got := sent.Load(); got != 21 {
			t.Errorf("%d calls in 4 s at 5/s, want 21", got)
		}
		time.Sleep(10 * time.Second)
	})
}

// TestConformance: a limited cloud keeps the contract, alone and inside retries.
func TestConformance(t *testing.T) {
	t.Parallel()
	slow := limit.Rate{PerSecond: 2, Burst: 2}
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		cloudtest.Run(t, func(t cloudtest.T) cloudtest.World {
			t.Helper()
			jump := clocktest.NewJump(memtest.Start())
			return cloudtest.Wrapped(memtest.Harness, limit.New(limit.Options{Clock: jump, Reads: slow, Writes: slow}))(t)
		})
	})
	t.Run("inside retries", func(t *testing.T) {
		t.Parallel()
		cloudtest.Run(t, func(t cloudtest.T) cloudtest.World {
			t.Helper()
			jump := clocktest.NewJump(memtest.Start())
			w := cloudtest.Wrapped(memtest.Harness,
				retry.New(retry.Options{Clock: jump}),
				limit.New(limit.Options{Clock: jump, Reads: slow, Writes: slow}))(t)
			w.Repeats = true
			return w
		})
	})
}
