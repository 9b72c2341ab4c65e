package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

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
	var answer *azcore.ResponseError
	if !errors.As(err, &answer) {
		e.Code = cloud.Internal
		e.Message = cloud.Clean("no answer: " + httpfault.Innermost(err).Error())
		e.Accepted = !httpfault.NeverSent(err)
		return e
	}
	e.HTTPStatus = answer.StatusCode
	header := http.Header{}
	if answer.RawResponse != nil {
		header = answer.RawResponse.Header
	}
	e.RetryAfter, e.RequestID = retryAfter(header), cloud.Clean(header.Get("x-ms-request-id"))
	refused(e, answer, header)
	// The failure of an operation comes in an answer of status 200: it is an outcome
	// that is known, of whatever code.
	e.Accepted = e.Code == cloud.Internal && answer.StatusCode >= http.StatusMultipleChoices
	e.Authenticated = e.Code == cloud.PermissionDenied && answer.StatusCode != http.StatusUnauthorized
	return e
}

// fault is an error as Azure Resource Manager writes it (armcompute v8.4,
// APIError), at the top of a body, in it, or among the details of another.
type fault struct {
	Code       string  `json:"code"`
	Message    string  `json:"message"`
	Details    []fault `json:"details"`
	InnerError struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Detail  string `json:"errordetail"`
	} `json:"innererror"`
}

// faultIn is what an answer says. The code in a header counts where the body has
// none (azcore v1.24, response_error.go).
func faultIn(answer *azcore.ResponseError) fault {
	var told struct {
		fault
		Error fault `json:"error"`
	}
	if answer.RawResponse != nil {
		if body, err := runtime.Payload(answer.RawResponse); err == nil {
			// Another body than ours says nothing.
			_ = json.Unmarshal(body, &told)
		}
	}
	f := told.Error
	if f.Code == "" && f.Message == "" {
		f = told.fault
	}
	if f.Code == "" {
		f.Code = answer.ErrorCode
	}
	if f.Message == "" {
		f.Message = f.InnerError.Message + f.InnerError.Detail
	}
	return f
}

// refused fills in an answer.
func refused(e *cloud.Error, answer *azcore.ResponseError, header http.Header) {
	f := faultIn(answer)
	if f.Code == "" && f.Message == "" {
		e.Code, e.Message = httpfault.ByStatus(answer.StatusCode), httpfault.Foreign("Azure", answer.StatusCode, header)
		return
	}
	f = telling(f, answer.StatusCode)
	fill(e, f.Code, f.Message)
}

// telling is the fault that says why: a wrapper's own code says nothing that its
// details do not say better. Of several the worst one decides: what is not known to
// be capacity or quota must not pass for it.
func telling(f fault, status int) fault {
	_, known := lookUp(f.Code)
	if inner := f.InnerError; !known && inner.Code != "" {
		f.Details = append(slices.Clone(f.Details), fault{Code: inner.Code, Message: inner.Message})
	}
	if known && !wraps(f.Code) {
		return f
	}
	best, found := f, false
	for _, d := range f.Details {
		d = telling(d, status)
		if _, known := lookUp(d.Code); !known {
			continue
		}
		if !found || rank(classify(d.Code, d.Message, status)) > rank(classify(best.Code, best.Message, status)) {
			best, found = d, true
		}
	}
	return best
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

// fill classes a native code and its text.
func fill(e *cloud.Error, native, message string) {
	e.Native, e.Message = shown(native), cloud.Clean(message)
	e.Code = classify(native, message, e.HTTPStatus)
	switch e.Code {
	case cloud.QuotaExceeded:
		e.Quota = quotaIn(message)
	case cloud.InUse:
		e.Users = machinesIn(message)
	case cloud.PermissionDenied:
		if todo := registration(native, message); todo != "" {
			e.Message = cloud.Clean(strings.TrimSuffix(e.Message, ".") + "; " + todo)
		}
	}
}

// codeForm is a code of Azure's: a word, which holds no secret even where it is
// AuthorizationFailed.
var codeForm = regexp.MustCompile(`^[A-Za-z0-9_.]{1,80}$`)

// shown is a code that is fit to show.
func shown(native string) string {
	if codeForm.MatchString(native) {
		return native
	}
	return cloud.Clean(native)
}

// told classes what an object says of its own failure.
func told(op, native, message string) *cloud.Error {
	e := &cloud.Error{Op: op, HTTPStatus: http.StatusOK}
	fill(e, native, message)
	return e
}

// failedCode is the code of a status that tells of a failure (documentation of
// virtual machines' instance views; for reservations UNVERIFIED).
var failedCode = regexp.MustCompile(`(?i)^ProvisioningState/failed(?:/(.+))?$`)

// failureOf is what the instance view of a reservation says of its failure, nil
// where it says nothing.
func failureOf(op string, statuses []*armcompute.InstanceViewStatus) *cloud.Error {
	for _, s := range statuses {
		if s == nil {
			continue
		}
		if match := failedCode.FindStringSubmatch(deref(s.Code)); match != nil && (match[1] != "" || deref(s.Message) != "") {
			return told(op, match[1], deref(s.Message))
		}
	}
	return nil
}

// The parts of a refusal by a limit: "Operation could not be completed as it results
// in exceeding approved standardNVSv3Family Cores quota. Additional details -
// Deployment Model: Resource Manager, Location: eastus, …" (public logs of Azure
// clients).
var (
	quotaText    = regexp.MustCompile(`(?i)exceeding approved (.+?) quota\b`)
	locationText = regexp.MustCompile(`(?i)\bLocation: ([a-z0-9 ]+?)[,.]`)
)

// quotaIn is the limit that a message names, nil where it names none.
func quotaIn(message string) *cloud.QuotaScope {
	match := quotaText.FindStringSubmatch(message)
	if match == nil {
		return nil
	}
	scope := &cloud.QuotaScope{Quota: quotaName(cloud.Clean(match[1]))}
	if place := locationText.FindStringSubmatch(message); place != nil {
		scope.Region = locationOf(place[1])
	}
	return scope
}

// quotaCores is the limit on all cores of a region, as usages name it (ARO-RP,
// quota tests).
const quotaCores = "cores"

// quotaName is a limit by one name. SKUs, usages and errors spell a family in
// different casings, and errors add the word Cores to it.
func quotaName(text string) string {
	name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), " cores")
	if name == "total regional" {
		return quotaCores
	}
	return strings.ReplaceAll(name, " ", "")
}

var (
	namespaceText = regexp.MustCompile(`(?i)\bnamespace '?([a-z0-9]+(?:\.[a-z0-9]+)+)`)
	notRegistered = regexp.MustCompile(`(?i)^Missing(?:Subscription)?Registration|^Subscription ?Not ?Registered$`)
)

// registration says what to register where that is what is missing: this provider
// registers nothing by itself.
func registration(native, message string) string {
	if !notRegistered.MatchString(native) {
		return ""
	}
	namespace := "Microsoft.Compute"
	if match := namespaceText.FindStringSubmatch(message); match != nil {
		namespace = match[1]
	}
	return fmt.Sprintf("register it: az provider register --namespace %s", namespace)
}

// retryAfter is the wait that an answer asks for, in the order in which Azure's own
// clients look (azcore v1.24, internal/shared).
func retryAfter(header http.Header) time.Duration {
	for _, name := range []string{"retry-after-ms", "x-ms-retry-after-ms"} {
		if wait, err := time.ParseDuration(header.Get(name) + "ms"); err == nil && wait > 0 {
			return wait
		}
	}
	return httpfault.RetryAfter(header, time.Time{})
}
