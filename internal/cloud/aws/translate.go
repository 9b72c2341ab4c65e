package aws

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
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
	e := &cloud.Error{Op: op, Cause: cause(err), RetryAfter: retryAfter(err, time.Time{})}
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
		e.Code = byStatus(e.HTTPStatus)
		e.Message = unreadable(raw)
		e.Accepted = e.Code == cloud.Internal
	default:
		e.Code = cloud.Internal
		e.Message = cloud.Clean("no answer: " + innermost(err).Error())
		e.Accepted = !neverSent(err)
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
		code = byStatus(e.HTTPStatus)
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

// unreadable describes an answer that is not one of AWS, without quoting it.
func unreadable(answer *smithyhttp.ResponseError) string {
	text := "the answer is not one of AWS: " + strconv.Itoa(answer.HTTPStatusCode()) + " " +
		http.StatusText(answer.HTTPStatusCode())
	if kind := answer.Response.Header.Get("Content-Type"); kind != "" {
		text += ", " + kind
	}
	return cloud.Clean(text + "; a proxy may stand between")
}

// neverSent tells that no byte of a request can have reached the cloud.
func neverSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	return (errors.As(err, &op) && op.Op == "dial") || errors.As(err, &dns) || errors.As(err, &certificate)
}

// innermost skips the layers that repeat the address and the operation.
func innermost(err error) error {
	var sent *url.Error
	if errors.As(err, &sent) {
		return sent.Err
	}
	var op *smithy.OperationError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// cause keeps the client's error, except that a time-out of the client's own
// must not pass for the end of the caller's context.
func cause(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return errors.New(cloud.Clean(err.Error()))
	}
	return err
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
