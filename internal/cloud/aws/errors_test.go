package aws_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

// classed is a copy of the error as a driver must give it.
func classed(t *testing.T, err error) cloud.Error {
	t.Helper()
	var e *cloud.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an error of the contract", err)
	}
	return *e
}

// wantError demands an error of a class whose text says something.
func wantError(t *testing.T, err error, code cloud.Code, says string) {
	t.Helper()
	if e := classed(t, err); e.Code != code || !strings.Contains(e.Error(), says) {
		t.Errorf("got %v (%s), want %s that says %q", err, e.Code, code, says)
	}
}

func TestRetryAfterIsHonored(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header         map[string]string
		atLeast, below time.Duration
	}{
		"none":     {nil, 0, 2 * time.Second},
		"seconds":  {map[string]string{"Retry-After": "30"}, 30 * time.Second, 31 * time.Second},
		"a date":   {map[string]string{"Retry-After": start.Add(45 * time.Second).Format(http.TimeFormat)}, 45 * time.Second, 46 * time.Second},
		"nonsense": {map[string]string{"Retry-After": "soon"}, 0, 2 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			throttled := refused(503, "RequestLimitExceeded", "Request limit exceeded.")
			throttled.header = test.header
			s.on("DescribeCapacityReservations", throttled, described("", object("active")))
			if _, err := s.cloud().Get(t.Context(), ref()); err != nil {
				t.Fatal(err)
			}
			if waited := s.clock.Now().Sub(start); waited < test.atLeast || waited >= test.below {
				t.Errorf("waited %v, want %v to %v", waited, test.atLeast, test.below)
			}
		})
	}
}

// TestDeadlineOfTheClock: a pause that would outlast it is not begun, and the
// error is what was last heard.
func TestDeadlineOfTheClock(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	throttled := refused(503, "RequestLimitExceeded", "Request limit exceeded.")
	throttled.header = map[string]string{"Retry-After": "30"}
	s.on(create, throttled)
	ctx := clock.Until(t.Context(), start.Add(45*time.Second))
	_, err := s.cloud().Create(ctx, cloud.CreateRequest{Spec: wish(), Token: "t"})
	if e := classed(t, err); e.Code != cloud.Throttled || e.Accepted || e.RetryAfter != 30*time.Second {
		t.Errorf("got %+v", e)
	}
	s.wantActions(create, create)
	if now := s.clock.Now(); now.After(start.Add(45 * time.Second)) {
		t.Errorf("the clock is at %v, after the deadline", now)
	}
}

// stop is a client that ends a context when a request is sent.
type stop struct{ end context.CancelFunc }

// Do implements aws.HTTPClient.
func (s stop) Do(*http.Request) (*http.Response, error) {
	s.end()
	return nil, context.Canceled
}

func TestContextEndsDuringACall(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := newStub(t).cloud(func(cfg *aws.Config) { cfg.HTTPClient = stop{cancel} })
	_, err := c.Create(ctx, cloud.CreateRequest{Spec: wish(), Token: "t"})
	if !errors.Is(err, context.Canceled) || cloud.CodeOf(err) != "" || !cloud.MaybeAccepted(err) {
		t.Errorf("got %v, class %q, maybe accepted %v", err, cloud.CodeOf(err), cloud.MaybeAccepted(err))
	}
}

// impatient is a client with a time-out of its own.
type impatient struct{}

// Do implements aws.HTTPClient.
func (impatient) Do(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded }

func TestTimeoutOfTheClientIsNotTheContexts(t *testing.T) {
	t.Parallel()
	c := newStub(t).cloud(func(cfg *aws.Config) { cfg.HTTPClient = impatient{} })
	_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"})
	e := classed(t, err)
	if errors.Is(err, context.DeadlineExceeded) || e.Code != cloud.Internal || !e.Accepted {
		t.Errorf("got %+v", e)
	}
}

func TestRefusedConnectionIsNotAccepted(t *testing.T) {
	t.Parallel()
	c := newStub(t).cloud(func(cfg *aws.Config) { cfg.Endpoint = "http://127.0.0.1:1" })
	_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: wish(), Token: "t"})
	e := classed(t, err)
	if e.Code != cloud.Internal || e.Accepted || !strings.Contains(e.Message, "no answer") {
		t.Errorf("got %+v", e)
	}
}
