package google

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/api/googleapi"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
)

// translate classes what a request failed with; err is not nil. An *cloud.Error
// inside err, as credentials give it, is returned as it is. Accepted is set where
// no answer came or a server failed.
func translate(op string, err error) *cloud.Error {
	var own *cloud.Error
	if errors.As(err, &own) {
		same := *own
		return &same
	}
	e := &cloud.Error{Op: op, Cause: httpfault.Cause(err)}
	var answer *googleapi.Error
	if !errors.As(err, &answer) {
		e.Code = cloud.Internal
		e.Message = cloud.Clean("no answer: " + httpfault.Innermost(err).Error())
		e.Accepted = !httpfault.NeverSent(err)
		return e
	}
	e.HTTPStatus = answer.Code
	e.RetryAfter = httpfault.RetryAfter(answer.Header, time.Time{})
	refused(e, answer, infoOf(answer))
	return e
}

// info is what an answer says in an ErrorInfo.
type info struct {
	reason    string
	metadatas map[string]string
}

// infoOf reads the details by hand: the client library looks for them in answers
// of another form than Compute Engine's.
func infoOf(answer *googleapi.Error) info {
	for _, detail := range answer.Details {
		fields, ok := detail.(map[string]any)
		if !ok || !strings.HasSuffix(text(fields, "@type"), ".ErrorInfo") {
			continue
		}
		of := info{reason: text(fields, "reason"), metadatas: map[string]string{}}
		metadata, _ := fields["metadata"].(map[string]any)
		for key := range metadata {
			of.metadatas[key] = text(metadata, key)
		}
		return of
	}
	return info{}
}

func text(fields map[string]any, key string) string {
	value, _ := fields[key].(string)
	return value
}

// statusOf is the status in a body of the form that Google's other services have
// (AIP-193), of which the client library keeps the rest only.
func statusOf(body string) string {
	var answer struct {
		Error struct {
			Status string `json:"status"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		return ""
	}
	return answer.Error.Status
}

// refused fills in an answer. Compute Engine gives its reason in the first of the
// errors, other services in an ErrorInfo; the latter is the finer one where it is
// known.
func refused(e *cloud.Error, answer *googleapi.Error, of info) {
	native, message := of.reason, answer.Message
	if len(answer.Errors) > 0 {
		if _, known := lookUp(native); !known {
			native = answer.Errors[0].Reason
		}
		if message == "" {
			message = answer.Errors[0].Message
		}
	}
	if native == "" {
		native = statusOf(answer.Body)
	}
	if native == "" && message == "" {
		e.Code, e.Message = httpfault.ByStatus(answer.Code), httpfault.Foreign("Google Cloud", answer.Code, answer.Header)
		e.Accepted = e.Code == cloud.Internal
		return
	}
	fill(e, native, message, of.metadatas)
	e.Accepted = e.Code == cloud.Internal
	e.Authenticated = e.Code == cloud.PermissionDenied && e.HTTPStatus != http.StatusUnauthorized
}

// fill classes a native code and its text.
func fill(e *cloud.Error, native, message string, metadatas map[string]string) {
	e.Native, e.Message = cloud.Clean(native), cloud.Clean(message)
	e.Code = classify(native, message, e.HTTPStatus)
	switch e.Code {
	case cloud.NoCapacity:
		e.ZoneHints = zonesIn(metadatas)
	case cloud.QuotaExceeded:
		e.Quota = quotaIn(message)
	}
}

// zonesIn are the zones with capacity that the details of a stock-out name, but
// for the one that has none.
func zonesIn(metadatas map[string]string) []string {
	var zones []string
	for _, zone := range strings.Split(metadatas["zonesAvailable"], ",") {
		zone = strings.TrimSpace(zone)
		if regionOf(zone) != "" && zone != metadatas["zone"] && !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	return zones
}

// failure classes what a finished operation failed with, nil if it did not. The
// status may be missing, and the client library then reports a success. It is an
// outcome that is known, of whatever code: Accepted stays unset, because a failed
// insert leaves nothing (googleapis/nodejs-compute, issue 377, for instances; for
// reservations, and for what other methods change, UNVERIFIED). An operation of
// several errors has the worst one decide: what is not known to be capacity or
// quota must not pass for it.
func failure(op string, o *computepb.Operation) *cloud.Error {
	failed := o.GetError().GetErrors()
	if len(failed) == 0 && o.GetError() == nil && o.GetHttpErrorStatusCode() < 300 {
		return nil
	}
	e := &cloud.Error{
		Code: httpfault.ByStatus(int(o.GetHttpErrorStatusCode())), Op: op, HTTPStatus: int(o.GetHttpErrorStatusCode()),
		Message: cloud.Clean(o.GetHttpErrorMessage()),
	}
	for i, f := range failed {
		// The code alone tells: the status is at times missing.
		one := &cloud.Error{Op: op}
		metadatas := map[string]string{}
		for _, d := range f.GetErrorDetails() {
			for key, value := range d.GetErrorInfo().GetMetadatas() {
				metadatas[key] = value
			}
		}
		fill(one, f.GetCode(), f.GetMessage(), metadatas)
		one.HTTPStatus = int(o.GetHttpErrorStatusCode())
		if one.Code == cloud.QuotaExceeded {
			one.Quota = quotaOf(f, one.Quota)
		}
		if i == 0 || rank(one.Code) > rank(e.Code) {
			e = one
		}
	}
	return e
}

// rank puts what another place would help with below what it would not.
func rank(code cloud.Code) int {
	switch code {
	case cloud.NoCapacity:
		return 0
	case cloud.QuotaExceeded:
		return 1
	}
	return 2
}

// quotaOf is the limit of a failed operation: the one that its text names, with
// what the details add to it. The limit on a family is not that on another.
func quotaOf(f *computepb.Errors, named *cloud.QuotaScope) *cloud.QuotaScope {
	for _, d := range f.GetErrorDetails() {
		told := d.GetQuotaInfo()
		if told == nil {
			continue
		}
		scope := cloud.QuotaScope{Quota: metricOf(told.GetMetricName())}
		if named != nil {
			scope = *named
		}
		if region := told.GetDimensions()["region"]; region != "" {
			scope.Region = region
		}
		if family := told.GetDimensions()["gpu_family"]; family != "" {
			scope.Quota += " of " + family
		}
		return &scope
	}
	return named
}
