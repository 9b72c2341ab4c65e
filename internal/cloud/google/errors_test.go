package google

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/compute/apiv1/computepb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/googleapis/gax-go/v2/apierror"
	"google.golang.org/api/googleapi"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func TestTableOfCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range codes {
		if seen[r.native] {
			t.Errorf("%s is in the table twice", r.native)
		}
		seen[r.native] = true
		if r.source == "" || r.code == "" {
			t.Errorf("%s has no source or no class", r.native)
		}
	}
	if _, ok := lookUp("SOMETHING_NEW"); ok {
		t.Error("an unknown code is known")
	}
	for _, text := range texts {
		if text.source == "" || text.from == text.code {
			t.Errorf("the text %s has no source or changes nothing", text.has)
		}
	}
}

// answer is what the client library makes of an answer.
func answer(status int, header http.Header, body string) error {
	resp := &http.Response{StatusCode: status, Header: header, Body: http.NoBody}
	if header == nil {
		resp.Header = http.Header{}
	}
	err := googleapi.CheckResponseWithBody(resp, []byte(body))
	if api, ok := apierror.FromError(err); ok {
		return fmt.Errorf("googleapi: %w", api)
	}
	return err
}

func body(status int, reason, message string, details ...string) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"errors":[{"domain":"global","reason":%q,"message":%q}],"details":[%s]}}`,
		status, message, reason, message, strings.Join(details, ","))
}

func errorInfo(reason string) string {
	return `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"compute.googleapis.com","reason":"` + reason + `"}`
}

// The sentence as GoogleCloudPlatform/gsutil, issue 1000 has it.
const (
	shortOf = `Reservation does not have enough resources for the request: specific reservation "train" is insufficient for ` +
		`node pool "np" at zone "us-central1-c": required 1 and short of 1 VM count of machine type a2-highgpu-1g.`
	shortageText = "Reservation does not have enough resources for the request: required 1 and short of 1 VM count."
)

func TestTranslate(t *testing.T) {
	t.Parallel()
	const perMinute = "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of service 'compute.googleapis.com' for consumer 'project_number:1'."
	const daily = "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'compute.googleapis.com' for consumer 'project_number:1'."
	tests := map[string]struct {
		status        int
		body          string
		native        string
		code          cloud.Code
		accepted      bool
		authenticated bool
		quota         *cloud.QuotaScope
	}{
		"not found":      {404, body(404, "notFound", "The resource 'x' was not found"), "notFound", cloud.NotFound, false, false, nil},
		"bare 404":       {404, `<html>no route</html>`, "", cloud.Invalid, false, false, nil},
		"exists":         {409, body(409, "alreadyExists", "The resource 'x' already exists"), "alreadyExists", cloud.Conflict, false, false, nil},
		"in use":         {400, body(400, "resourceInUseByAnotherResource", "The reservation resource 'x' is already being used by 'y'"), "resourceInUseByAnotherResource", cloud.InUse, false, false, nil},
		"below use":      {400, body(400, "invalid", "The resize instance count cannot be lower than the in use count for a specific reservation."), "invalid", cloud.InUse, false, false, nil},
		"before its end": {400, body(400, "invalid", "Auto-created reservations cannot be deleted before future reservation end time."), "invalid", cloud.Unsupported, false, false, nil},
		"invalid":        {400, body(400, "invalid", "Invalid value for field 'resource.name': 'X'."), "invalid", cloud.Invalid, false, false, nil},
		"no such type":   {400, body(400, "invalid", "Invalid value for field 'resource.specificReservation.instanceProperties.machineType': 'x'. Machine type with name 'x' does not exist in zone 'us-central1-b'."), "invalid", cloud.Unsupported, false, false, nil},
		"missing field":  {400, body(400, "required", "Required field 'resource.name' not specified"), "required", cloud.Invalid, false, false, nil},
		"missing login":  {401, body(401, "required", "Login Required."), "required", cloud.PermissionDenied, false, false, nil},
		"forbidden":      {403, body(403, "forbidden", "Required 'compute.reservations.create' permission for 'projects/p'"), "forbidden", cloud.PermissionDenied, false, true, nil},
		"policy":         {412, body(412, "conditionNotMet", "Constraint constraints/compute.sharedReservationsOwnerProjects violated for project 1."), "conditionNotMet", cloud.PermissionDenied, false, true, nil},
		"condition":      {412, body(412, "conditionNotMet", "Invalid fingerprint."), "conditionNotMet", cloud.Conflict, false, false, nil},
		"quota": {
			403, body(403, "quotaExceeded", "Quota 'NVIDIA_L4_GPUS' exceeded.  Limit: 8.0 in region us-central1."), "quotaExceeded", cloud.QuotaExceeded, false, false,
			&cloud.QuotaScope{Region: "us-central1", Quota: "NVIDIA_L4_GPUS"},
		},
		"quota of a zone": {
			403, body(403, "quotaExceeded", "Quota 'NVIDIA_L4_GPUS' exceeded.  Limit: 8.0 in zone us-central1-b."), "quotaExceeded", cloud.QuotaExceeded, false, false,
			&cloud.QuotaScope{Region: "us-central1", Quota: "NVIDIA_L4_GPUS in us-central1-b"},
		},
		"quota of all regions": {
			403, body(403, "quotaExceeded", "Quota 'GPUS_ALL_REGIONS' exceeded.  Limit: 0.0 globally."), "quotaExceeded", cloud.QuotaExceeded, false, false,
			&cloud.QuotaScope{Quota: "GPUS_ALL_REGIONS"},
		},
		"rate":                        {403, body(403, "rateLimitExceeded", perMinute), "rateLimitExceeded", cloud.Throttled, false, false, nil},
		"rate as quota":               {403, body(403, "quotaExceeded", perMinute), "quotaExceeded", cloud.Throttled, false, false, nil},
		"rate as 403":                 {403, body(403, "somethingNew", perMinute), "somethingNew", cloud.Throttled, false, false, nil},
		"day":                         {403, body(403, "rateLimitExceeded", daily), "rateLimitExceeded", cloud.QuotaExceeded, false, false, nil},
		"429":                         {429, `{"error":{"code":429,"message":"Too many requests","status":"RESOURCE_EXHAUSTED"}}`, "RESOURCE_EXHAUSTED", cloud.Throttled, false, false, nil},
		"operations":                  {403, body(403, "rateLimitExceeded", "Too many operations", errorInfo(concurrentOperations)), concurrentOperations, cloud.Throttled, false, false, nil},
		"operations only":             {403, body(403, "somethingNew", "Too many operations", errorInfo(concurrentOperations)), concurrentOperations, cloud.Throttled, false, false, nil},
		"capacity":                    {503, body(503, "insufficientCapacity", "The zone does not have enough resources"), "insufficientCapacity", cloud.NoCapacity, false, false, nil},
		"shortage":                    {429, body(429, "rateLimitExceeded", shortOf), "rateLimitExceeded", cloud.NoCapacity, false, false, nil},
		"shortage without errors":     {429, `{"error":{"code":429,"message":"` + shortageText + `","status":"RESOURCE_EXHAUSTED"}}`, "RESOURCE_EXHAUSTED", cloud.NoCapacity, false, false, nil},
		"shortage without a reason":   {429, `{"error":{"code":429,"message":"` + shortageText + `"}}`, "", cloud.NoCapacity, false, false, nil},
		"shortage as reason":          {429, body(429, "RESOURCE_EXHAUSTED", shortOf), "RESOURCE_EXHAUSTED", cloud.NoCapacity, false, false, nil},
		"shortage as 403":             {403, body(403, "forbidden", shortOf), "forbidden", cloud.NoCapacity, false, false, nil},
		"shortage as quota":           {403, body(403, "quotaExceeded", shortOf), "quotaExceeded", cloud.NoCapacity, false, false, nil},
		"shortage of an unknown code": {429, body(429, "somethingNew", shortOf), "somethingNew", cloud.Throttled, false, false, nil},
		"shortage of an unknown 403":  {403, body(403, "somethingNew", shortOf), "somethingNew", cloud.PermissionDenied, false, true, nil},
		"shortage, without the login": {401, body(401, "authError", shortOf), "authError", cloud.PermissionDenied, false, false, nil},
		"unknown 503":                 {503, body(503, "somethingNew", "no capacity in this zone"), "somethingNew", cloud.Internal, true, false, nil},
		"unknown 400":                 {400, body(400, "SOMETHING_NEW", "out of stock"), "SOMETHING_NEW", cloud.Invalid, false, false, nil},
		"unknown 403":                 {403, body(403, "somethingNew", "no"), "somethingNew", cloud.PermissionDenied, false, true, nil},
		"proxy 502":                   {502, `<html>bad gateway</html>`, "", cloud.Internal, true, false, nil},
		"proxy 403":                   {403, ``, "", cloud.PermissionDenied, false, false, nil},
		"manager":                     {403, `{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}`, "PERMISSION_DENIED", cloud.PermissionDenied, false, true, nil},
		"no project":                  {404, `{"error":{"code":404,"message":"Project not found","status":"NOT_FOUND"}}`, "NOT_FOUND", cloud.NotFound, false, false, nil},
		"status of a 503":             {503, `{"error":{"code":503,"message":"Later","status":"UNAVAILABLE"}}`, "UNAVAILABLE", cloud.Internal, true, false, nil},
	}
	for name, tt := range tests {
		got := translate("op", answer(tt.status, nil, tt.body))
		want := &cloud.Error{
			Code: tt.code, Op: "op", Native: tt.native, HTTPStatus: tt.status, Accepted: tt.accepted,
			Authenticated: tt.authenticated, Quota: tt.quota,
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(cloud.Error{}, "Message", "Cause")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got.Message == "" {
			t.Errorf("%s has no message", name)
		}
	}
}

func TestTranslateShowsVerbatim(t *testing.T) {
	t.Parallel()
	got := translate("compute.reservations.insert", answer(400, nil, body(400, "SOMETHING_NEW", "first line\nsecond")))
	const want = "compute.reservations.insert: SOMETHING_NEW: first line second (HTTP 400)"
	if got.Error() != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	if got := translate("op", answer(502, http.Header{"Content-Type": {"text/html"}}, "<html>secret</html>")); strings.Contains(got.Message, "secret") ||
		!strings.Contains(got.Message, "text/html") {
		t.Errorf("an answer of a proxy is shown as %q", got.Message)
	}
}

func TestTranslateWithoutAnswer(t *testing.T) {
	t.Parallel()
	sent := func(err error) error { return &url.Error{Op: "Get", URL: "https://secret.example", Err: err} }
	tests := map[string]struct {
		err      error
		accepted bool
	}{
		"refused":     {sent(&net.OpError{Op: "dial", Err: errors.New("connection refused")}), false},
		"no name":     {sent(&net.DNSError{Err: "no such host"}), false},
		"certificate": {sent(&tls.CertificateVerificationError{Err: errors.New("expired")}), false},
		"reset":       {sent(&net.OpError{Op: "read", Err: errors.New("connection reset")}), true},
		"hung up":     {sent(errors.New("EOF")), true},
		"own timeout": {sent(context.DeadlineExceeded), true},
		"not JSON":    {errors.New("proto: syntax error"), true},
	}
	for name, tt := range tests {
		got := translate("op", tt.err)
		if got.Code != cloud.Internal || got.Accepted != tt.accepted || got.HTTPStatus != 0 {
			t.Errorf("%s: %+v, want accepted %v", name, got, tt.accepted)
		}
		if strings.Contains(got.Message, "secret") || errors.Is(got, context.DeadlineExceeded) {
			t.Errorf("%s: %v shows an address or passes for the caller's deadline", name, got)
		}
	}
	own := &cloud.Error{Code: cloud.PermissionDenied, Op: "Credentials", Message: "none"}
	if diff := cmp.Diff(own, translate("op", sent(own))); diff != "" {
		t.Errorf("an error of ours inside (-want +got):\n%s", diff)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Tue, 01 Dec 2026 12:00:00 GMT"
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "Tue, 01 Dec 2026 12:00:30 GMT": 30 * time.Second, "Tue, 01 Dec 2026 11:59:00 GMT": 0,
	} {
		err := answer(429, http.Header{"Retry-After": {value}, "Date": {date}}, body(429, "rateLimitExceeded", "slow down"))
		if got := translate("op", err).RetryAfter; got != want {
			t.Errorf("Retry-After %q is %s, want %s", value, got, want)
		}
	}
}

func operation(status int32, errs ...*computepb.Errors) *computepb.Operation {
	o := &computepb.Operation{Error: &computepb.Error{Errors: errs}}
	if status != 0 {
		o.HttpErrorStatusCode = proto.Int32(status)
	}
	return o
}

func failed(code, message string, details ...*computepb.ErrorDetails) *computepb.Errors {
	return &computepb.Errors{Code: proto.String(code), Message: proto.String(message), ErrorDetails: details}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	if got := failure("op", &computepb.Operation{HttpErrorStatusCode: proto.Int32(200)}); got != nil {
		t.Errorf("a finished operation failed with %v", got)
	}
	hints := &computepb.ErrorDetails{ErrorInfo: &computepb.ErrorInfo{
		Reason:    proto.String("resource_availability"),
		Metadatas: map[string]string{"zone": "us-central1-b", "zonesAvailable": "us-central1-a, us-central1-c,us-central1-b,us-central1-a,x"},
	}}
	family := &computepb.ErrorDetails{QuotaInfo: &computepb.QuotaExceededInfo{
		MetricName: proto.String("compute.googleapis.com/gpus_per_gpu_family"),
		Dimensions: map[string]string{"region": "us-east4", "gpu_family": "NVIDIA_H100"},
	}}
	const stockOut = "The zone 'projects/p/zones/us-central1-b' does not have enough resources available to fulfill the request."
	tests := map[string]struct {
		o    *computepb.Operation
		want cloud.Error
	}{
		"stock-out": {
			operation(503, failed("ZONE_RESOURCE_POOL_EXHAUSTED", stockOut)),
			cloud.Error{Code: cloud.NoCapacity, Native: "ZONE_RESOURCE_POOL_EXHAUSTED", HTTPStatus: 503},
		},
		"stock-out with details": {
			operation(503, failed("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", stockOut, hints)),
			cloud.Error{
				Code: cloud.NoCapacity, Native: "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", HTTPStatus: 503,
				ZoneHints: []string{"us-central1-a", "us-central1-c"},
			},
		},
		"stock-out without a status": {
			operation(0, failed("ZONE_RESOURCE_POOL_EXHAUSTED", stockOut)),
			cloud.Error{Code: cloud.NoCapacity, Native: "ZONE_RESOURCE_POOL_EXHAUSTED"},
		},
		"quota by text": {
			operation(403, failed("QUOTA_EXCEEDED", "Quota 'NVIDIA_L4_GPUS' exceeded.  Limit: 8.0 in region us-central1.")),
			cloud.Error{
				Code: cloud.QuotaExceeded, Native: "QUOTA_EXCEEDED", HTTPStatus: 403,
				Quota: &cloud.QuotaScope{Region: "us-central1", Quota: "NVIDIA_L4_GPUS"},
			},
		},
		"quota by details": {
			operation(429, failed("QUOTA_EXCEEDED", "no more", family)),
			cloud.Error{
				Code: cloud.QuotaExceeded, Native: "QUOTA_EXCEEDED", HTTPStatus: 429,
				Quota: &cloud.QuotaScope{Region: "us-east4", Quota: "GPUS_PER_GPU_FAMILY of NVIDIA_H100"},
			},
		},
		"shortage": {
			operation(429, failed("RESOURCE_EXHAUSTED", shortOf)),
			cloud.Error{Code: cloud.NoCapacity, Native: "RESOURCE_EXHAUSTED", HTTPStatus: 429},
		},
		"shortage without a status": {
			operation(0, failed("RESOURCE_EXHAUSTED", shortOf)),
			cloud.Error{Code: cloud.NoCapacity, Native: "RESOURCE_EXHAUSTED"},
		},
		"shortage as quota": {
			operation(0, failed("QUOTA_EXCEEDED", shortOf)), cloud.Error{Code: cloud.NoCapacity, Native: "QUOTA_EXCEEDED"},
		},
		"shortage as rate": {
			operation(403, failed("RATE_LIMIT_EXCEEDED", shortOf)),
			cloud.Error{Code: cloud.NoCapacity, Native: "RATE_LIMIT_EXCEEDED", HTTPStatus: 403},
		},
		"shortage without a code": {operation(0, failed("", shortOf)), cloud.Error{Code: cloud.NoCapacity}},
		"exhausted, unsaid of what": {
			operation(0, failed("RESOURCE_EXHAUSTED", "Too many requests")), cloud.Error{Code: cloud.Throttled, Native: "RESOURCE_EXHAUSTED"},
		},
		"in use": {
			operation(400, failed("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "The reservation resource 'x' is already being used by 'y'")),
			cloud.Error{Code: cloud.InUse, Native: "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", HTTPStatus: 400},
		},
		"unknown": {
			operation(503, failed("SOMETHING_NEW", "no capacity")),
			cloud.Error{Code: cloud.Internal, Native: "SOMETHING_NEW", HTTPStatus: 503},
		},
		"unknown beside a stock-out": {
			operation(400, failed("ZONE_RESOURCE_POOL_EXHAUSTED", stockOut), failed("SOMETHING_NEW", "no")),
			cloud.Error{Code: cloud.Internal, Native: "SOMETHING_NEW", HTTPStatus: 400},
		},
		"no error, only a status": {operation(500), cloud.Error{Code: cloud.Internal, HTTPStatus: 500}},
	}
	for name, tt := range tests {
		got := failure("op", tt.o)
		tt.want.Op = "op"
		if diff := cmp.Diff(&tt.want, got, cmpopts.IgnoreFields(cloud.Error{}, "Message")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
