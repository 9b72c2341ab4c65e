package googlesim

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Reasons of errors, with the HTTP status each goes with. Sources: facts.go.
const (
	reasonAlreadyExists   = "alreadyExists"
	reasonBackend         = "backendError"
	reasonCondition       = "conditionNotMet"
	reasonForbidden       = "forbidden"
	reasonInUse           = "resourceInUseByAnotherResource"
	reasonInvalid         = "invalid"
	reasonMethodNotFound  = "notFoundMethod"
	reasonNotFound        = "notFound"
	reasonNotReady        = "resourceNotReady"
	reasonQuotaExceeded   = "quotaExceeded"
	reasonRateLimit       = "rateLimitExceeded"
	reasonRequired        = "required"
	reasonTooManyRequests = "tooManyRequests"
)

// apiError is a refusal on its way to the wire.
type apiError struct {
	status  int
	reason  string
	message string
	// canonical is the code of google.rpc.Code, which errors of the common
	// front end carry and those of Compute Engine itself do not.
	canonical string
	details   []any
	// location is the parameter that is wrong, where the error says it.
	location string
}

// Error implements error.
func (e *apiError) Error() string { return e.reason + ": " + e.message }

// fail makes a refusal with the status its reason goes with.
func fail(reason, format string, args ...any) *apiError {
	return &apiError{status: statusOf(reason), reason: reason, message: fmt.Sprintf(format, args...)}
}

func statusOf(reason string) int {
	switch reason {
	case reasonAlreadyExists:
		return http.StatusConflict
	case reasonBackend:
		return http.StatusInternalServerError
	case reasonCondition:
		return http.StatusPreconditionFailed
	case reasonForbidden, reasonQuotaExceeded, reasonRateLimit:
		return http.StatusForbidden
	case reasonNotFound, reasonMethodNotFound:
		return http.StatusNotFound
	case reasonTooManyRequests:
		return http.StatusTooManyRequests
	}
	return http.StatusBadRequest
}

// internal is what should not happen.
func internal(err error) *apiError { return fail(reasonBackend, "Internal error: %v", err) }

// invalid refuses a field's value (fact google-4-invalid).
func invalid(field, value, why string) *apiError {
	return fail(reasonInvalid, "Invalid value for field '%s': '%s'. %s", field, printable(value), why)
}

// required refuses a body without a field. That Compute Engine words it so is
// seen for the whole resource (google-api-python-client#608); for single
// fields UNVERIFIED.
func required(field string) *apiError {
	return fail(reasonRequired, "Required field '%s' not specified", field)
}

func notFound(path string) *apiError {
	return fail(reasonNotFound, "The resource '%s' was not found", path)
}

// printable makes a text safe to show, and short.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return '?'
		}
		return r
	}, s)
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}

// envelope is the body of an error.
type envelope struct {
	Error envelopeBody `json:"error"`
}

type envelopeBody struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Errors  []envelopeItem `json:"errors,omitempty"`
	Status  string         `json:"status,omitempty"`
	Details []any          `json:"details,omitempty"`
}

type envelopeItem struct {
	Message      string `json:"message"`
	Domain       string `json:"domain"`
	Reason       string `json:"reason"`
	Location     string `json:"location,omitempty"`
	LocationType string `json:"locationType,omitempty"`
}

// domainOf is "global" but for what a project uses up.
func domainOf(reason string) string {
	switch reason {
	case reasonRateLimit, reasonQuotaExceeded:
		return "usageLimits"
	}
	return "global"
}

// computeError is an error as Compute Engine words it (fact google-4-error).
func computeError(e *apiError) any {
	item := envelopeItem{Message: e.message, Domain: domainOf(e.reason), Reason: e.reason}
	if e.location != "" {
		item.Location, item.LocationType = e.location, "parameter"
	}
	return envelope{envelopeBody{
		Code: e.status, Message: e.message, Status: e.canonical, Details: e.details, Errors: []envelopeItem{item},
	}}
}

// plainError is an error of the newer APIs, which have no errors[].
func plainError(e *apiError) any {
	status := e.canonical
	if status == "" {
		status = canonicalOf(e.status)
	}
	return envelope{envelopeBody{Code: e.status, Message: e.message, Status: status, Details: e.details}}
}

// canonicalOf is the usual google.rpc.Code of an HTTP status (google/rpc/code.proto).
func canonicalOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "INVALID_ARGUMENT"
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusConflict:
		return "ABORTED"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	}
	return "INTERNAL"
}

var upperCode = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)

// Refuse implements sim.Cloud. A code in capitals is the reason of an
// ErrorInfo in the details, under the reason that goes with the status.
func (s *Simulator) Refuse(req *sim.Request, r sim.Refusal) sim.Answer {
	e := &apiError{status: r.Status, reason: r.Code, message: r.Message}
	if upperCode.MatchString(r.Code) {
		e.reason = reasonOf(r.Status)
		e.details = []any{errorInfo{
			Type: errorInfoType, Reason: r.Code, Domain: "compute.googleapis.com",
		}}
	}
	answer := refuse(serviceOf(req), e)
	answer.Code = r.Code
	if c, ok := req.Detail.(*call); ok {
		return c.form.wrap(answer)
	}
	return answer
}

func reasonOf(status int) string {
	switch status {
	case http.StatusForbidden:
		return reasonRateLimit
	case http.StatusTooManyRequests:
		return reasonRateLimit
	case http.StatusNotFound:
		return reasonNotFound
	case http.StatusConflict:
		return reasonAlreadyExists
	case http.StatusBadRequest:
		return reasonInvalid
	}
	return reasonBackend
}

const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo"

// errorInfo is google.rpc.ErrorInfo as a detail of a synchronous error.
type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func refuse(s service, e *apiError) sim.Answer {
	if e.reason == reasonMethodNotFound {
		return sim.Answer{
			Status: e.status, Code: reasonNotFound, Body: []byte(e.message),
			Header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}},
		}
	}
	// An error is indented, whatever prettyPrint says (fact google-2-pretty).
	body, err := form{}.encode(s.envelope(e))
	if err != nil {
		body = []byte("{\"error\":{\"code\":500}}\n")
	}
	return sim.Answer{Status: e.status, Code: e.reason, Body: body, Header: jsonHeader()}
}

func jsonHeader() http.Header {
	return http.Header{"Content-Type": {"application/json; charset=UTF-8"}, "Vary": {"Origin, X-Origin, Referer"}}
}
