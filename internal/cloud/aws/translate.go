package aws

import (
	"errors"
	"regexp"
	"slices"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
)

// noCode is what the SDK calls an answer in which it found no code.
const noCode = "UnknownError"

// translate turns an error of the SDK into a classed one. Accepted speaks of the
// one try that the error is about.
func translate(op string, err error) *cloud.Error {
	var own *cloud.Error
	if errors.As(err, &own) {
		same := *own
		return &same
	}
	e := &cloud.Error{Op: op, Cause: httpfault.Cause(err), RetryAfter: retryAfter(err, time.Time{})}
	var answer *awshttp.ResponseError
	if errors.As(err, &answer) {
		e.RequestID = answer.RequestID
	}
	var raw *smithyhttp.ResponseError
	if errors.As(err, &raw) {
		e.HTTPStatus = raw.HTTPStatusCode()
	}
	var refusal smithy.APIError
	switch {
	case errors.As(err, &refusal) && refusal.ErrorCode() != noCode:
		refused(e, refusal)
	case e.HTTPStatus != 0:
		e.Code = httpfault.ByStatus(e.HTTPStatus)
		e.Message = httpfault.Foreign("AWS", e.HTTPStatus, raw.Response.Header)
		e.Accepted = e.Code == cloud.Internal
	default:
		e.Code = cloud.Internal
		e.Message = cloud.Clean("no answer: " + innermost(err).Error())
		e.Accepted = !httpfault.NeverSent(err)
	}
	return e
}

// refused fills in an answer with a code of its own.
func refused(e *cloud.Error, refusal smithy.APIError) {
	e.Native = cloud.Clean(refusal.ErrorCode())
	if refusal.ErrorMessage() != noCode {
		e.Message = cloud.Clean(refusal.ErrorMessage())
		e.ZoneHints = zonesIn(refusal.ErrorMessage())
	}
	code, known := lookUp(refusal.ErrorCode())
	if !known {
		code = httpfault.ByStatus(e.HTTPStatus)
	}
	e.Code = code
	if code != cloud.NoCapacity {
		e.ZoneHints = nil
	}
	e.Authenticated = slices.Contains(authorizationCodes(), refusal.ErrorCode())
	e.TokenMismatch = code == cloud.Conflict && refusal.ErrorCode() == "IdempotentParameterMismatch"
	e.Accepted = code == cloud.Internal
}

// authorizationCodes refuse what a known caller may do: EC2's (API Reference,
// "Common client error codes"), and those of STS and Service Quotas (botocore's
// service models name AccessDeniedException; STS answers AccessDenied).
func authorizationCodes() []string {
	return []string{"UnauthorizedOperation", "AccessDenied", "AccessDeniedException"}
}

// innermost skips the layers that repeat the address and the operation.
func innermost(err error) error {
	var op *smithy.OperationError
	if errors.As(err, &op) {
		err = op.Err
	}
	return httpfault.Innermost(err)
}

// zoneName finds zones of every sort in running text.
var zoneName = regexp.MustCompile(`\b[a-z]{2,4}(?:-[a-z]+){1,2}-\d+(?:[a-z]|-[a-z]{3}-\d+[a-z]|-wl\d+-[a-z]{3}-wlz-?\d+)\b`)

// zonesIn are the zones that a message names, in its order.
func zonesIn(message string) []string {
	var zones []string
	for _, zone := range zoneName.FindAllString(message, -1) {
		if !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	return zones
}

// without leaves out the zone that was asked for.
func without(zones []string, asked string) []string {
	return slices.DeleteFunc(slices.Clone(zones), func(z string) bool { return z == asked })
}
