// Package httpfault tells what became of an HTTP request that failed: whether it
// can have arrived, what class its status alone gives, how long to wait. It knows
// no cloud and no client library.
package httpfault

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// ByStatus classes an answer whose code says nothing. Neither NotFound nor
// Conflict can come of it, each of which promises a cause that nobody stated.
func ByStatus(status int) cloud.Code {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return cloud.PermissionDenied
	case http.StatusTooManyRequests:
		return cloud.Throttled
	case http.StatusRequestTimeout:
		return cloud.Internal
	}
	if status >= 400 && status < 500 {
		return cloud.Invalid
	}
	return cloud.Internal
}

// Foreign describes an answer that is not one of the cloud of this title, without
// quoting it.
func Foreign(title string, status int, header http.Header) string {
	text := "the answer is not one of " + title + ": " + strconv.Itoa(status) + " " + http.StatusText(status)
	if kind := header.Get("Content-Type"); kind != "" {
		text += ", " + kind
	}
	return cloud.Clean(text + "; a proxy may stand between")
}

// NeverSent tells that no byte of a request can have reached the cloud.
func NeverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	return (errors.As(err, &op) && op.Op == "dial") || errors.As(err, &dns) || errors.As(err, &certificate)
}

// Innermost skips the layer of net/http that repeats the address.
func Innermost(err error) error {
	var sent *url.Error
	if errors.As(err, &sent) {
		return sent.Err
	}
	return err
}

// Cause keeps the client's error, except that a time-out of the client's own must
// not pass for the end of the caller's context.
func Cause(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return errors.New(cloud.Clean(err.Error()))
	}
	return err
}

// RetryAfter is the wait that an answer asks for (RFC 9110): seconds or a date,
// held against the answer's own, else against now. Without either there is none.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	if now.IsZero() {
		return 0
	}
	return max(0, until.Sub(now))
}
