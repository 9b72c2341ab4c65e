package capacity

import (
	"fmt"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Notice is one thing to tell the user.
type Notice struct {
	// Attribute is what it is about, "" where it is the object as a whole.
	Attribute       cloud.Attribute
	Summary, Detail string
}

// Failure is an error fit to show: what failed, why, and what to do next.
type Failure struct {
	Notice
	// Cause is what a cloud or the context said, nil where a rule refused.
	Cause error
}

// Error is the failure in one line.
func (f *Failure) Error() string { return f.Summary + ": " + f.Detail }

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// refuse is a failure that a rule decided.
func refuse(attribute cloud.Attribute, summary, format string, args ...any) *Failure {
	return &Failure{Notice: Notice{attribute, summary, fmt.Sprintf(format, args...)}}
}

// failed is a failure that a cloud or the context caused.
func failed(cause error, summary, format string, args ...any) *Failure {
	return &Failure{Notice: Notice{"", summary, fmt.Sprintf(format, args...)}, Cause: cause}
}
