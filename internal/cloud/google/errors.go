package google

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
)

// row says what a native code means.
type row struct {
	native string
	code   cloud.Code
	source string
}

// Sources of the rows.
const (
	srcRecorded = "recorded traffic of a public client's tests"
	srcLogs     = "public logs of Compute Engine clients"
	srcBulk     = "Compute Engine, troubleshooting bulk VM creation"
	srcReserve  = "Compute Engine, troubleshooting reservation creation"
	srcGlobal   = "Google APIs, standard error reasons of the domain global"
	srcStatus   = "AIP-193, status of an error of Resource Manager"
	srcPolicy   = "public logs; organization policies and stale fingerprints"
	srcProvider = "retry predicates of Google's Terraform provider"
	// srcAlike is a code that other resources of Compute Engine are seen to
	// answer; for reservations UNVERIFIED.
	srcAlike = "Compute Engine operations on other resources; UNVERIFIED for reservations"
)

// codes is the table of native codes: the reason of an answer, the reason of its
// ErrorInfo and the code of an operation's error. What is not in it is classed by
// status.
var codes = []row{
	// What a reservation is short of comes without a code of its own, see shortage.
	{"ZONE_RESOURCE_POOL_EXHAUSTED", cloud.NoCapacity, srcLogs + "; operation, HTTP 503"},
	{"ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", cloud.NoCapacity, srcLogs + "; operation, HTTP 503"},
	{"insufficientCapacity", cloud.NoCapacity, srcBulk + "; HTTP 503"},

	{"QUOTA_EXCEEDED", cloud.QuotaExceeded, srcReserve + "; operation, HTTP 403 or 429"},
	{"quotaExceeded", cloud.QuotaExceeded, srcBulk + "; HTTP 403"},
	// The limit of a day is told from that of a minute by the text.
	{"dailyLimitExceeded", cloud.QuotaExceeded, srcGlobal},

	{"rateLimitExceeded", cloud.Throttled, srcBulk + "; HTTP 403 or 429"},
	{"userRateLimitExceeded", cloud.Throttled, srcGlobal},
	{"RATE_LIMIT_EXCEEDED", cloud.Throttled, srcProvider + ", ErrorInfo"},
	{"RESOURCE_EXHAUSTED", cloud.Throttled, srcStatus + "; HTTP 429"},
	{concurrentOperations, cloud.Throttled, srcProvider + ", ErrorInfo; HTTP 403"},

	{"notFound", cloud.NotFound, srcRecorded + "; HTTP 404"},
	{"RESOURCE_NOT_FOUND", cloud.NotFound, srcAlike},
	{"NOT_FOUND", cloud.NotFound, srcStatus},

	{"alreadyExists", cloud.Conflict, srcLogs + "; HTTP 409"},
	{"RESOURCE_ALREADY_EXISTS", cloud.Conflict, srcAlike},
	{"resourceNotReady", cloud.Conflict, srcAlike + "; HTTP 400"},
	{"RESOURCE_NOT_READY", cloud.Conflict, srcAlike},
	{conditionNotMet, cloud.Conflict, srcPolicy + "; HTTP 412"},
	{"CONDITION_NOT_MET", cloud.Conflict, srcPolicy},

	{"resourceInUseByAnotherResource", cloud.InUse, srcLogs + "; HTTP 400"},
	{"RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", cloud.InUse, srcRecorded + "; operation, HTTP 400"},

	{"forbidden", cloud.PermissionDenied, srcGlobal + "; HTTP 403"},
	{"insufficientPermissions", cloud.PermissionDenied, srcGlobal},
	{"IAM_PERMISSION_DENIED", cloud.PermissionDenied, srcGlobal + ", ErrorInfo"},
	{"accessNotConfigured", cloud.PermissionDenied, srcGlobal + ", the API is not enabled"},
	{"SERVICE_DISABLED", cloud.PermissionDenied, srcGlobal + ", ErrorInfo"},
	{"authError", cloud.PermissionDenied, srcGlobal + "; HTTP 401"},
	{"PERMISSIONS_ERROR", cloud.PermissionDenied, srcAlike},
	{"PERMISSION_DENIED", cloud.PermissionDenied, srcStatus},

	{"UNSUPPORTED_OPERATION", cloud.Unsupported, srcAlike},

	{"invalid", cloud.Invalid, srcLogs + "; HTTP 400"},
	{"required", cloud.Invalid, srcGlobal + "; HTTP 400"},
	{"badRequest", cloud.Invalid, srcGlobal},
	{"parseError", cloud.Invalid, srcGlobal},
	{"invalidParameter", cloud.Invalid, srcGlobal},
	{"invalidUsage", cloud.Invalid, srcAlike},
	{"INVALID_USAGE", cloud.Invalid, srcAlike},
	{"INVALID_FIELD_VALUE", cloud.Invalid, srcAlike},

	{"backendError", cloud.Internal, srcGlobal + "; HTTP 503"},
	{"internalError", cloud.Internal, srcGlobal + "; HTTP 500"},
	{"INTERNAL_ERROR", cloud.Internal, srcAlike},
}

const (
	concurrentOperations = "CONCURRENT_OPERATIONS_QUOTA_EXCEEDED"
	conditionNotMet      = "conditionNotMet"
)

// lookUp finds a code.
func lookUp(native string) (cloud.Code, bool) {
	for _, r := range codes {
		if r.native == native {
			return r.code, true
		}
	}
	return "", false
}

// texts tell apart what one code stands for, where a documented sentence does.
var texts = []struct {
	from   cloud.Code
	has    *regexp.Regexp
	code   cloud.Code
	source string
}{
	{
		cloud.Invalid, regexp.MustCompile(`cannot be lower than the in use count`), cloud.InUse,
		"Compute Engine, troubleshooting reservation updates",
	},
	{cloud.Invalid, regexp.MustCompile(`is already being used by`), cloud.InUse, srcLogs},
	{
		cloud.Invalid, regexp.MustCompile(`cannot be deleted before future reservation end time`), cloud.Unsupported,
		"Compute Engine, troubleshooting future reservations",
	},
	// A zone that lacks the type is passed over like one that is full; the
	// sentences are those for instances, for reservations UNVERIFIED.
	{cloud.Invalid, regexp.MustCompile(`[Mm]achine type .*does not exist in zone`), cloud.Unsupported, srcLogs},
	{
		cloud.Invalid, regexp.MustCompile(`machineTypes?\b.*The referenced resource does not exist`), cloud.Unsupported, srcLogs,
	},
	{cloud.Conflict, regexp.MustCompile(`\bconstraints/`), cloud.PermissionDenied, srcPolicy},
	{cloud.QuotaExceeded, perMoment, cloud.Throttled, srcProvider},
	{cloud.PermissionDenied, perMoment, cloud.Throttled, srcProvider},
	{cloud.Throttled, perDay, cloud.QuotaExceeded, srcProvider},
	{cloud.PermissionDenied, perDay, cloud.QuotaExceeded, srcProvider},
}

// The limits on requests speak of a quota metric and of a time; only that of a
// short time is over soon.
var (
	perMoment = regexp.MustCompile(`(?i)quota exceeded for quota metric .* per (?:minute|second|100 seconds)\b`)
	perDay    = regexp.MustCompile(`(?i)quota exceeded for quota metric .* per day\b`)
)

// shortage is the sentence of a reservation that holds too few machines
// (GoogleCloudPlatform/gsutil, issue 1000: HTTP 429). It comes under the codes of
// limits and rates, but waiting does not help.
var shortage = regexp.MustCompile(`(?i)\breservation does not have enough resources for the request\b`)

// short tells a shortage from the limits whose code it has. A code that is
// unknown is never capacity, whatever its text.
func short(code cloud.Code, named bool, message string) bool {
	switch code {
	case cloud.Throttled, cloud.QuotaExceeded, cloud.PermissionDenied, cloud.Internal:
		return named && shortage.MatchString(message)
	}
	return false
}

// classify is the class of an answer by its code, its text and its status. A code
// that is not in the table is never capacity, and quota only by the text of a
// daily limit.
func classify(native, message string, status int) cloud.Code {
	code, known := lookUp(native)
	if !known {
		code = httpfault.ByStatus(status)
	}
	// "required" stands for a missing field and for a missing login.
	if status == http.StatusUnauthorized {
		return cloud.PermissionDenied
	}
	if short(code, known || native == "", message) {
		return cloud.NoCapacity
	}
	for _, t := range texts {
		if t.from == code && t.has.MatchString(message) {
			return t.code
		}
	}
	return code
}

// quotaText finds a limit in a message: "Quota 'NVIDIA_L4_GPUS' exceeded.  Limit:
// 8.0 in region us-central1." (protobuf of the client, QuotaExceededInfo; the
// form with a zone is of the page on troubleshooting reservations).
var quotaText = regexp.MustCompile(`Quota '([^']+)' exceeded\.(?:.*? in (region|zone) ([-a-z0-9]+))?`)

// quotaIn is the limit that a message names, nil where it names none. The limit
// of a zone is not that of its region, so that the zone stays part of it.
func quotaIn(message string) *cloud.QuotaScope {
	match := quotaText.FindStringSubmatch(message)
	if match == nil {
		return nil
	}
	scope := &cloud.QuotaScope{Quota: cloud.Clean(match[1]), Region: match[3]}
	if match[2] == "zone" {
		scope.Quota, scope.Region = scope.Quota+" in "+match[3], regionOf(match[3])
	}
	return scope
}

// metricOf is a quota's metric as the regions' list spells it: that of an error
// comes as compute.googleapis.com/nvidia_l4_gpus.
func metricOf(metricName string) string {
	return strings.ToUpper(metricName[strings.LastIndex(metricName, "/")+1:])
}
