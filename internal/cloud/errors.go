package cloud

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Code is the class of an error: what to do about it follows from the class
// alone.
type Code string

// The error classes. NoCapacity, QuotaExceeded and Throttled are never merged:
// failover treats each differently.
const (
	NotFound         Code = "not_found"
	Conflict         Code = "conflict"
	InUse            Code = "in_use"
	Invalid          Code = "invalid"
	NoCapacity       Code = "capacity"
	QuotaExceeded    Code = "quota"
	Throttled        Code = "throttled"
	PermissionDenied Code = "permission"
	Unsupported      Code = "unsupported"
	Internal         Code = "internal"
)

// Error is a classed refusal or failure of a cloud.
type Error struct {
	Code Code
	// Op is the cloud's own operation name.
	Op string
	// Native and Message are the cloud's words, cleaned by Clean.
	Native, Message string
	// HTTPStatus is 0 where no answer came; RequestID the cloud's own.
	HTTPStatus int
	RequestID  string
	// RetryAfter is the cloud's request to wait, 0 where it made none.
	RetryAfter time.Duration
	// Accepted tells that the cloud may have done what it was asked although
	// this error came back: an answer lost or not understood.
	Accepted bool
	// Authenticated tells of a PermissionDenied that the cloud knew who asked, and
	// refused what that one may do.
	Authenticated bool
	// TokenMismatch tells that the idempotency token was used before with other
	// inputs.
	TokenMismatch bool
	// Quota is the limit that refused; what is not known of it is empty.
	Quota *QuotaScope
	// ZoneHints are zones that the cloud named as having capacity.
	ZoneHints []string
	// Users are the ids that keep the object in use.
	Users []string
	// Cause is the client's error.
	Cause error
}

// Error is one line: operation, native code, message, status.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op + ": ")
	}
	switch {
	case e.Native != "" && e.Message != "":
		b.WriteString(e.Native + ": " + e.Message)
	case e.Native != "" || e.Message != "":
		b.WriteString(e.Native + e.Message)
	default:
		b.WriteString(string(e.Code))
	}
	if e.HTTPStatus != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.HTTPStatus)
	}
	return b.String()
}

// Unwrap is the client's error.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf is the class of err: "" for nil and for a context's bare end, Internal
// for an error no driver classed. A class counts before a context's end: a
// client's own timeout inside an *Error also looks like a deadline.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ""
	}
	return Internal
}

// MaybeAccepted tells whether what failed with err may have happened all the
// same. An error that no driver classed may have, and so may a call that was
// cut short.
func MaybeAccepted(err error) bool {
	var e *Error
	if errors.As(err, &e) {
		return e.Accepted
	}
	return err != nil
}

// maxText is how much of a cloud's message is shown, in characters.
const maxText = 500

// AfterWrite marks the error of a read that follows what was done: that happened,
// whatever the read says.
func AfterWrite(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Accepted = true
	}
	return err
}

// Misnamed is the error where what was not found is no reservation, but something
// that the request names: to a caller NotFound means that the reservation is gone.
func Misnamed(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Code == NotFound {
		e.Code = Invalid
	}
	return err
}

var (
	blank   = regexp.MustCompile(`[\s\p{Cc}\p{Cf}]+`)
	secrets = regexp.MustCompile(`(?i)((?:authorization["']?\s*[=:]\s*["']?)?bearer\s+|authorization["']?\s*[=:]\s*["']?(?:basic\s+)?|(?:security|session|access)[-_]?token["']?\s*[=:]\s*["']?|` +
		`secret[-_a-z]*["']?\s*[=:]\s*["']?|signature=|\bsig=|encoded authorization failure message:\s*)[^\s"',&<]+`)
	keyIDs = regexp.MustCompile(`\b(?:(?:AKIA|ASIA)[0-9A-Z]{12,}\b|ya29\.[-\w.]+|AIza[-\w]{30,}|eyJ[-\w]+\.[-\w]+\.[-\w]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----.*`)
)

// Clean makes a cloud's text fit to show: one line, at most 500 characters, no
// tokens.
func Clean(text string) string {
	text = strings.TrimSpace(blank.ReplaceAllString(text, " "))
	text = secrets.ReplaceAllString(text, "${1}(hidden)")
	text = keyIDs.ReplaceAllString(text, "(hidden)")
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}
