package retry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/cloudtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/retry"
)

var (
	throttled    = &cloud.Error{Code: cloud.Throttled, Op: "Op"}
	broken       = &cloud.Error{Code: cloud.Internal, Op: "Op", HTTPStatus: 502}
	lost         = &cloud.Error{Code: cloud.Internal, Op: "Op", Accepted: true}
	full         = &cloud.Error{Code: cloud.NoCapacity, Op: "Op"}
	errUnclassed = errors.New("surprise")
)

// script answers calls one after the other, the last answer for ever.
type script struct {
	answers []error
	tries   int
}

func (s *script) next(context.Context) error {
	s.tries++
	return s.answers[min(s.tries, len(s.answers))-1]
}

// bench is an interceptor on a jumping clock that notes its waits.
type bench struct {
	around cloud.Interceptor
	jump   *clocktest.Jump
	waits  []time.Duration
}

// newBench makes one without jitter: each wait is as long as it may be.
func newBench(change func(*retry.Options)) *bench {
	b := &bench{jump: clocktest.NewJump(memtest.Start())}
	opts := retry.Options{
		Clock: b.jump, Rand: func() float64 { return 1 }, Base: time.Second, Max: 8 * time.Second,
		OnWait: func(_ context.Context, w retry.Wait) { b.waits = append(b.waits, w.Delay) },
	}
	if change != nil {
		change(&opts)
	}
	b.around = retry.New(opts)
	return b
}

func TestWhatIsRepeated(t *testing.T) {
	t.Parallel()
	again := cloud.Call{Method: "Get", Repeatable: true}
	once := cloud.Call{Method: "Create", Writes: true}
	lostThrottled := &cloud.Error{Code: cloud.Throttled, Accepted: true}
	tests := map[string]struct {
		call    cloud.Call
		answers []error
		tries   int
		code    cloud.Code
		maybe   bool // may have been accepted
	}{
		"success":                               {again, []error{nil}, 1, "", false},
		"throttled, then done":                  {again, []error{throttled, throttled, nil}, 3, "", false},
		"throttled more often than tries":       {again, []error{throttled, throttled, throttled, throttled, throttled, nil}, 6, "", false},
		"throttled, not repeatable":             {once, []error{throttled, nil}, 1, cloud.Throttled, false},
		"throttled, maybe done, not repeatable": {once, []error{lostThrottled, nil}, 1, cloud.Throttled, true},
		"internal, then done":                   {again, []error{broken, broken, broken, nil}, 4, "", false},
		"internal for ever":                     {again, []error{broken}, 4, cloud.Internal, false},
		"internal, not repeatable":              {once, []error{broken, nil}, 1, cloud.Internal, false},
		"lost, repeatable":                      {again, []error{lost, nil}, 2, "", false},
		"lost, not repeatable":                  {once, []error{lost, nil}, 1, cloud.Internal, true},
		"lost, then refused":                    {again, []error{lost, full}, 2, cloud.NoCapacity, true},
		"lost, then throttled, then broken":     {again, []error{lost, throttled, broken}, 5, cloud.Internal, true},
		"throttled, then unclassed":             {again, []error{throttled, errUnclassed, nil}, 2, cloud.Internal, true},
		"unclassed":                             {again, []error{errUnclassed, nil}, 1, cloud.Internal, true},
		"ended context":                         {again, []error{context.Canceled, nil}, 1, "", true},
		"throttled, then ended context":         {again, []error{throttled, context.Canceled}, 2, cloud.Throttled, true},
	}
	for _, code := range []cloud.Code{
		cloud.NotFound, cloud.Conflict, cloud.InUse, cloud.Invalid, cloud.NoCapacity, cloud.QuotaExceeded,
		cloud.PermissionDenied, cloud.Unsupported,
	} {
		tests["an answer: "+string(code)] = struct {
			call    cloud.Call
			answers []error
			tries   int
			code    cloud.Code
			maybe   bool
		}{again, []error{&cloud.Error{Code: code, RetryAfter: time.Second}, nil}, 1, code, false}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{answers: test.answers}
			err := newBench(nil).around(t.Context(), test.call, s.next)
			if s.tries != test.tries || cloud.CodeOf(err) != test.code || cloud.MaybeAccepted(err) != test.maybe {
				t.Errorf("%d tries, class %q, maybe accepted %v (%v); want %d, %q, %v", s.tries,
					cloud.CodeOf(err), cloud.MaybeAccepted(err), err, test.tries, test.code, test.maybe)
			}
			if last := test.answers[min(s.tries, len(test.answers))-1]; s.tries == 1 && !errors.Is(err, last) {
				t.Errorf("a single try's error %v became %v", last, err)
			}
		})
	}
}

// TestWhatCostsMoney: an extension whose outcome is not known is never tried
// again, whatever else of its reservation is.
func TestWhatCostsMoney(t *testing.T) {
	t.Parallel()
	ref, spec := cloud.Ref{NativeID: "r-1"}, cloud.Spec{Kind: cloud.Block, Region: "mem-east-1"}
	purchase := cloud.Change{Term: &cloud.TermPurchase{Token: "t"}}
	tests := map[string]struct {
		call  func(context.Context, *testing.T, cloud.Cloud) error
		tries int
	}{
		"Extend": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			_, err := as[cloud.Extender](t, c).Extend(ctx, ref, cloud.Offer{})
			return err
		}, 1},
		"Create": {func(ctx context.Context, _ *testing.T, c cloud.Cloud) error {
			_, err := c.Create(ctx, cloud.CreateRequest{Spec: spec, Token: "t"})
			return err
		}, 1},
		"Extensions": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			_, err := as[cloud.Extender](t, c).Extensions(ctx, ref)
			return err
		}, retry.DefaultTries},
		"ExtensionOffers": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			_, err := as[cloud.Extender](t, c).ExtensionOffers(ctx, ref, time.Hour)
			return err
		}, retry.DefaultTries},
		"Quote": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			_, err := as[cloud.Canceller](t, c).Quote(ctx, ref)
			return err
		}, retry.DefaultTries},
		"Cancel": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			return as[cloud.Canceller](t, c).Cancel(ctx, ref, cloud.Quote{})
		}, retry.DefaultTries},
		"Update": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			_, err := as[cloud.Updater](t, c).Update(ctx, ref, purchase)
			return err
		}, retry.DefaultTries},
		"Market": {func(ctx context.Context, t *testing.T, c cloud.Cloud) error {
			t.Helper()
			_, err := as[cloud.MarketReader](t, c).Market(ctx, cloud.MarketQuery{Region: "mem-east-1"})
			return err
		}, retry.DefaultTries},
	}
	for method, test := range tests {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			world := mem.New(mem.Options{Fault: func(cloud.Call) (before, after error) { return lost, nil }})
			err := test.call(t.Context(), t, cloud.Intercept(world, newBench(nil).around))
			calls := world.Calls()
			if len(calls) != test.tries || calls[0].Method != method || !cloud.MaybeAccepted(err) {
				t.Errorf("%d tries %+v, %v; want %d", len(calls), calls, err, test.tries)
			}
		})
	}
}

// as is a cloud as one of the optional interfaces.
func as[C any](t *testing.T, c cloud.Cloud) C {
	t.Helper()
	found, ok := cloud.As[C](c)
	if !ok {
		t.Fatalf("the cloud has lost an interface")
	}
	return found
}

func TestWaits(t *testing.T) {
	t.Parallel()
	soon := &cloud.Error{Code: cloud.Throttled, RetryAfter: 100 * time.Millisecond}
	late := &cloud.Error{Code: cloud.Throttled, RetryAfter: time.Minute}
	tests := map[string]struct {
		rand    float64
		answers []error
		want    []time.Duration
	}{
		"doubled up to the most": {
			1,
			[]error{throttled, throttled, throttled, throttled, throttled, nil},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second},
		},
		"a random part of it": {0.25, []error{throttled, throttled, nil}, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}},
		"none at all":         {0, []error{throttled, nil}, []time.Duration{0}},
		"as asked for":        {0, []error{soon, late, nil}, []time.Duration{100 * time.Millisecond, time.Minute}},
		"longer than asked":   {1, []error{soon, nil}, []time.Duration{time.Second}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(func(o *retry.Options) { o.Rand = func() float64 { return test.rand } })
			s := &script{answers: test.answers}
			if err := b.around(t.Context(), cloud.Call{Repeatable: true}, s.next); err != nil {
				t.Fatalf("around: %v", err)
			}
			if diff := cmp.Diff(test.want, b.waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			var sum time.Duration
			for _, d := range b.waits {
				sum += d
			}
			if took := b.jump.Now().Sub(memtest.Start()); took != sum {
				t.Errorf("waited %v by the clock, reported %v", took, sum)
			}
		})
	}
}

// TestDeadlines: no wait outlives the deadline, whoever set it.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		until, patience, want time.Duration
	}{
		"the clock's":           {20 * time.Second, time.Hour, 15 * time.Second}, // 1+2+4+8, the next would end at 23 s
		"patience without one":  {0, 8 * time.Second, 7 * time.Second},
		"longer than patience":  {40 * time.Second, 2 * time.Second, 39 * time.Second},
		"too short for any":     {time.Second, time.Hour, 0},
		"default patience ends": {0, 0, 9*time.Minute + 59*time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(func(o *retry.Options) { o.Patience = test.patience })
			ctx := t.Context()
			if test.until != 0 {
				ctx = clock.Until(ctx, memtest.Start().Add(test.until))
			}
			err := b.around(ctx, cloud.Call{Repeatable: true}, (&script{answers: []error{throttled}}).next)
			if cloud.CodeOf(err) != cloud.Throttled {
				t.Errorf("class %q (%v), want the last seen", cloud.CodeOf(err), err)
			}
			if took := b.jump.Now().Sub(memtest.Start()); took != test.want {
				t.Errorf("gave up after %v, want %v", took, test.want)
			}
		})
	}
}

// TestContextDeadline: with the machine's clock, a context's own deadline counts.
func TestContextDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		around := retry.New(retry.Options{Rand: func() float64 { return 1 }, Base: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		s := &script{answers: []error{throttled}}
		err := around(ctx, cloud.Call{Repeatable: true}, s.next)
		if took := time.Since(start); took != 7*time.Second || s.tries != 4 {
			t.Errorf("%d tries in %v, want 4 in 7s", s.tries, took)
		}
		if cloud.CodeOf(err) != cloud.Throttled {
			t.Errorf("class %q (%v)", cloud.CodeOf(err), err)
		}
	})
}

// TestCanceledInWait: the end of the context and the last error are both there.
func TestCanceledInWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		around := retry.New(retry.Options{Rand: func() float64 { return 1 }, Base: time.Minute, Max: time.Minute})
		time.AfterFunc(90*time.Second, cancel)
		err := around(ctx, cloud.Call{Repeatable: true}, (&script{answers: []error{lost, throttled}}).next)
		var e *cloud.Error
		if !errors.As(err, &e) || e.Code != cloud.Throttled || !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want throttled and canceled", err)
		}
		if !cloud.MaybeAccepted(err) {
			t.Errorf("%v forgot that the first try may have been accepted", err)
		}
		if throttled.Accepted {
			t.Errorf("the driver's own error was changed")
		}
		if text := err.Error(); !strings.Contains(text, "tries: 2, in 1m30s") {
			t.Errorf("%q does not tell how often and how long", text)
		}
	})
}

// TestEndedBeforeWait: a call that comes back with a class after the context
// ended is not waited for.
func TestEndedBeforeWait(t *testing.T) {
	t.Parallel()
	b := newBench(nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := b.around(ctx, cloud.Call{Repeatable: true}, func(context.Context) error {
		cancel()
		return throttled
	})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, throttled) || len(b.waits) != 0 {
		t.Errorf("error %v after waits %v, want both errors and none", err, b.waits)
	}
}

func TestDefaultsWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []error{broken}}
		err := retry.New(retry.Options{})(t.Context(), cloud.Call{Repeatable: true}, s.next)
		if s.tries != retry.DefaultTries || cloud.CodeOf(err) != cloud.Internal {
			t.Errorf("%d tries, %v", s.tries, err)
		}
	})
}

func TestLogWaits(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	b := newBench(func(o *retry.Options) { o.OnWait = retry.LogWaits(slog.New(slog.NewTextHandler(&out, nil))) })
	call := cloud.Call{Cloud: "mem", Method: "Get", Region: "mem-east-1", Repeatable: true}
	secretive := &cloud.Error{Code: cloud.Throttled, Message: "hunter2"}
	if err := b.around(t.Context(), call, (&script{answers: []error{secretive, nil}}).next); err != nil {
		t.Fatalf("around: %v", err)
	}
	for _, want := range []string{"level=WARN", "cloud=mem", "method=Get", "region=mem-east-1", "tries=1", "delay=1s", "code=throttled"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %q", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "hunter2") {
		t.Errorf("%q shows the cloud's text", out.String())
	}
}

// TestConformance: a cloud with retries keeps the contract, and heals what it
// may repeat.
func TestConformance(t *testing.T) {
	t.Parallel()
	cloudtest.Run(t, func(t cloudtest.T) cloudtest.World {
		t.Helper()
		around := retry.New(retry.Options{Clock: clocktest.NewJump(memtest.Start())})
		w := cloudtest.Wrapped(memtest.Harness, around)(t)
		w.Repeats = true
		return w
	})
}
