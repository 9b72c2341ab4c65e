package awssim

import (
	"fmt"
	"net/http"
)

// Error codes, with the HTTP status each goes with. Sources: facts.go.
const (
	codeAuthFailure          = "AuthFailure"
	codeCapacity             = "InsufficientInstanceCapacity"
	codeDryRun               = "DryRunOperation"
	codeHostCapacity         = "InsufficientHostCapacity"
	codeHostLimit            = "HostLimitExceeded"
	codeHostNotFound         = "InvalidHostID.NotFound"
	codeHostOccupied         = "InvalidHost.Occupied"
	codeHostState            = "InvalidHostState"
	codeHostUnsupported      = "UnsupportedHostConfiguration"
	codeIdempotentMismatch   = "IdempotentParameterMismatch"
	codeIncorrectState       = "IncorrectState"
	codeInstanceLimit        = "InstanceLimitExceeded"
	codeInternal             = "InternalError"
	codeInvalidAction        = "InvalidAction"
	codeInvalidCharacter     = "InvalidCharacter"
	codeInvalidCombination   = "InvalidParameterCombination"
	codeInvalidFilter        = "InvalidFilter"
	codeInvalidID            = "InvalidID"
	codeInvalidInstanceType  = "InvalidInstanceType"
	codeInvalidRequest       = "InvalidRequest"
	codeInvalidValue         = "InvalidParameterValue"
	codeMalformed            = "InvalidCapacityReservationId.Malformed"
	codeMalformedQuery       = "MalformedQueryString"
	codeMissing              = "MissingParameter"
	codeNoSuchVersion        = "NoSuchVersion"
	codeNotFound             = "InvalidCapacityReservationId.NotFound"
	codeOfferExpired         = "InvalidCapacityBlockOfferingIdExpired"
	codeOfferMalformed       = "InvalidCapacityBlockOfferingIdMalformed"
	codeOfferNotFound        = "InvalidCapacityBlockOfferingIdNotFound"
	codeRequestExpired       = "RequestExpired"
	codeRequestLimit         = "RequestLimitExceeded"
	codeTagLimit             = "TagLimitExceeded"
	codeUnknownParameter     = "UnknownParameter"
	codeUnsupported          = "Unsupported"
	codeUnsupportedOperation = "UnsupportedOperation"
	codeValidation           = "ValidationError"
	codeVCPULimit            = "VcpuLimitExceeded"
)

// apiError is a refusal on its way to the wire.
type apiError struct {
	status  int
	code    string
	message string
}

// Error implements error.
func (e *apiError) Error() string { return e.code + ": " + e.message }

// fail makes a refusal with the status its code goes with.
func fail(code, format string, args ...any) *apiError {
	return &apiError{status: statusOf(code), code: code, message: fmt.Sprintf(format, args...)}
}

// statusOf is the status of section 7: 4xx is the client's fault, 5xx the
// service's. Stock-outs count as the service's.
func statusOf(code string) int {
	switch code {
	case codeCapacity, codeHostCapacity, codeInternal:
		return http.StatusInternalServerError
	case codeRequestLimit:
		return http.StatusServiceUnavailable
	case codeAuthFailure:
		return http.StatusUnauthorized
	case codeDryRun:
		return http.StatusPreconditionFailed
	}
	return http.StatusBadRequest
}

func invalid(parameter, value, why string) *apiError {
	return fail(codeInvalidValue, "Value (%s) for parameter %s is invalid. %s", value, parameter, why)
}

func missing(parameter string) *apiError {
	return fail(codeMissing, "The request must contain the parameter %s", parameter)
}
