package httpfault_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
)

func TestByStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]cloud.Code{
		400: cloud.Invalid, 401: cloud.PermissionDenied, 403: cloud.PermissionDenied, 404: cloud.Invalid,
		407: cloud.PermissionDenied, 408: cloud.Internal, 409: cloud.Invalid, 412: cloud.Invalid, 429: cloud.Throttled,
		0: cloud.Internal, 500: cloud.Internal, 502: cloud.Internal, 503: cloud.Internal, 200: cloud.Internal, 302: cloud.Internal,
	} {
		if got := httpfault.ByStatus(status); got != want {
			t.Errorf("ByStatus(%d) = %s, want %s", status, got, want)
		}
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for want, header := range map[string]http.Header{
		"the answer is not one of Sky: 502 Bad Gateway, text/html; a proxy may stand between": {"Content-Type": {"text/html"}},
		"the answer is not one of Sky: 502 Bad Gateway; a proxy may stand between":            {},
	} {
		if got := httpfault.Foreign("Sky", 502, header); got != want {
			t.Errorf("%v: %q, want %q", header, got, want)
		}
	}
}

func TestNeverSent(t *testing.T) {
	t.Parallel()
	sent := func(err error) error { return &url.Error{Op: "Put", URL: "https://x", Err: err} }
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"refused":     {sent(&net.OpError{Op: "dial", Err: errors.New("connection refused")}), true},
		"no name":     {sent(&net.DNSError{Name: "x", Err: "no such host"}), true},
		"certificate": {sent(&tls.CertificateVerificationError{Err: errors.New("unknown authority")}), true},
		"reset":       {sent(&net.OpError{Op: "read", Err: errors.New("connection reset")}), false},
		"timeout":     {sent(context.DeadlineExceeded), false},
		"other":       {errors.New("EOF"), false},
	} {
		if got := httpfault.NeverSent(tc.err); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

func TestInnermost(t *testing.T) {
	t.Parallel()
	eof := errors.New("EOF")
	for name, err := range map[string]error{
		"bare": eof, "sent": &url.Error{Op: "Get", URL: "https://x", Err: eof}, "wrapped": fmt.Errorf("op: %w", &url.Error{Err: eof}),
	} {
		if got := httpfault.Innermost(err).Error(); got != "EOF" {
			t.Errorf("%s: %q, want EOF", name, got)
		}
	}
}

// TestCause: what the client gave up by itself must not look like the end of the
// caller's context.
func TestCause(t *testing.T) {
	t.Parallel()
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		got := httpfault.Cause(fmt.Errorf("put: %w", end))
		if errors.Is(got, end) || got.Error() != "put: "+end.Error() {
			t.Errorf("Cause = %v, is it %v: %v", got, end, errors.Is(got, end))
		}
	}
	other := errors.New("other")
	if got := httpfault.Cause(other); !errors.Is(got, other) {
		t.Errorf("Cause = %v, want %v itself", got, other)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2031, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for name, tc := range map[string]struct {
		after, date string
		now         time.Time
		want        time.Duration
	}{
		"none":              {"", "", now, 0},
		"seconds":           {"120", "", time.Time{}, 2 * time.Minute},
		"below zero":        {"-1", "", now, 0},
		"text":              {"soon", at(0), now, 0},
		"date":              {at(time.Minute), at(10 * time.Second), now, 50 * time.Second},
		"date by our clock": {at(time.Minute), "", now, time.Minute},
		"date by no clock":  {at(time.Minute), "", time.Time{}, 0},
		"past":              {at(-time.Minute), at(0), now, 0},
	} {
		header := http.Header{}
		header.Set("Retry-After", tc.after)
		header.Set("Date", tc.date)
		if got := httpfault.RetryAfter(header, tc.now); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
