package azuresim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Codes of errors. Sources: facts.go.
const (
	codeAllocation         = "AllocationFailed"
	codeAPIVersion         = "InvalidApiVersionParameter"
	codeAuthentication     = "AuthenticationFailed"
	codeBadRequest         = "BadRequest"
	codeCannotDelete       = "CannotDeleteResource"
	codeConflict           = "Conflict"
	codeGroupLeaving       = "ResourceGroupBeingDeleted"
	codeInternal           = "InternalServerError"
	codeInvalidContent     = "InvalidRequestContent"
	codeInvalidLocation    = "InvalidResourceLocation"
	codeInvalidNamespace   = "InvalidResourceNamespace"
	codeInvalidParameter   = "InvalidParameter"
	codeInvalidName        = "InvalidResourceName"
	codeInvalidSub         = "InvalidSubscriptionId"
	codeInvalidType        = "InvalidResourceType"
	codeLocationRequired   = "LocationRequired"
	codeNotAllowed         = "OperationNotAllowed"
	codeNotSupported       = "NotSupported"
	codeNotFound           = "ResourceNotFound"
	codeOverconstrained    = "OverconstrainedAllocationRequest"
	codeOverconstrainedIn  = "OverconstrainedZonalAllocationRequest"
	codeParentNotFound     = "ParentResourceNotFound"
	codePropertyChange     = "PropertyChangeNotAllowed"
	codeResourceGroup      = "ResourceGroupNotFound"
	codeSKU                = "SkuNotAvailable"
	codeThrottled          = "SubscriptionRequestsThrottled"
	codeThrottledByCompute = "TooManyRequests"
	codeVersionMissing     = "MissingApiVersionParameter"
	codeZonalAllocation    = "ZonalAllocationFailed"
)

// apiError is a refusal on its way to the wire.
type apiError struct {
	status  int
	code    string
	message string
	target  string
	details []detail
	// header goes with the answer.
	header http.Header
}

// detail is an entry of error.details.
type detail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Target  string `json:"target,omitempty"`
}

// Error implements error.
func (e *apiError) Error() string { return e.code + ": " + e.message }

// fail makes a refusal with the status its code goes with.
func fail(code, format string, args ...any) *apiError {
	return &apiError{status: statusOf(code), code: code, message: fmt.Sprintf(format, args...)}
}

func (e *apiError) at(target string) *apiError {
	e.target = target
	return e
}

// statusOf is the HTTP status of a code. NotSupported was seen without its status
// (azure-cli#18943); 409 is UNVERIFIED.
func statusOf(code string) int {
	switch code {
	case codeAuthentication:
		return http.StatusUnauthorized
	case codeInternal:
		return http.StatusInternalServerError
	case codeNotFound, codeParentNotFound, codeResourceGroup, codeInvalidType, codeInvalidNamespace:
		return http.StatusNotFound
	case codeAllocation, codeZonalAllocation, codeOverconstrained, codeOverconstrainedIn, codeCannotDelete, codeConflict, codeGroupLeaving,
		codeInvalidLocation, codeNotAllowed, codeNotSupported, codePropertyChange, codeSKU:
		return http.StatusConflict
	case codeThrottled, codeThrottledByCompute:
		return http.StatusTooManyRequests
	}
	return http.StatusBadRequest
}

// internal is what should not happen.
func internal(err error) *apiError { return fail(codeInternal, "Internal error: %v", err) }

// missing refuses a body without a field that must be there, as Compute words it.
func missing(field string) *apiError {
	return fail(codeInvalidParameter, "Required parameter '%s' is missing (null).", field).at(field)
}

// notFound is the answer for a resource that is not there.
func (c *call) notFound() *apiError {
	return fail(codeNotFound, "The Resource '%s' under resource group '%s' was not found. For more details please go to "+
		"https://aka.ms/ARMResourceNotFoundFix", c.typeAndName(), printable(c.vars[varResourceGroup]))
}

// changed refuses a change of what is fixed. 409 is UNVERIFIED beside 400.
func changed(property string) *apiError {
	return fail(codePropertyChange, "Changing property '%s' is not allowed.", property).at(property)
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

type envelope struct {
	Error envelopeBody `json:"error"`
}

type envelopeBody struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Target  string   `json:"target,omitempty"`
	Details []detail `json:"details,omitempty"`
}

// plainError is an error as Azure Resource Manager words it (fact azure-6-error).
func plainError(e *apiError) any {
	return envelope{envelopeBody{e.code, e.message, e.target, e.details}}
}

// Refuse implements sim.Cloud.
func (s *Simulator) Refuse(req *sim.Request, r sim.Refusal) sim.Answer {
	c, ok := req.Detail.(*call)
	if !ok {
		c = &call{}
	}
	e := &apiError{status: r.Status, code: r.Code, message: r.Message}
	if c.throttled {
		e.header = http.Header{"Retry-After": {throttleWait}}
	}
	return c.refuse(e)
}

// refuse writes an error.
func (c *call) refuse(e *apiError) sim.Answer {
	word := c.method.word
	if word == nil {
		word = plainError
	}
	answer := sim.Answer{Status: e.status, Header: c.headers(), Code: e.code}
	maps.Copy(answer.Header, e.header)
	if e.code != "" && c.method.word == nil {
		answer.Header.Set("x-ms-error-code", e.code)
	}
	if c.method.verb == http.MethodHead {
		return answer
	}
	answer.Header.Set("Content-Type", jsonType)
	answer.Body = encode(word(e))
	return answer
}

const jsonType = "application/json; charset=utf-8"

// encode writes JSON without escapes for HTML.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return []byte(`{"error":{"code":"InternalServerError","message":"The answer cannot be written."}}`)
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// detailsOf are the details of a fault, in order of their codes.
func detailsOf(m map[string]string) []detail {
	var all []detail
	for _, code := range slices.Sorted(maps.Keys(m)) {
		all = append(all, detail{Code: code, Message: m[code]})
	}
	return all
}
