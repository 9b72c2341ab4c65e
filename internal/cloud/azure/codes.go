package azure

import (
	"net/http"
	"regexp"
	"slices"
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
	srcExtensions = "Azure/azure-sdk-for-go-extensions, pkg/errors"
	srcKarpenter  = "Azure/karpenter-provider-azure, errors of a create"
	srcLogs       = "public logs of Azure clients"
	srcDocs       = "Azure docs, troubleshoot common Azure deployment errors"
	srcThrottling = "Azure docs, understand how Azure Resource Manager throttles requests"
	srcRegister   = "azcore v1.24, policy_register_rp.go"
	srcCLI        = "azure-cli, issue 18943"
	srcIdentity   = "Azure Resource Manager, answers to a missing or bad token"
	// srcCommon is a code of Resource Manager's own, the same for every resource.
	srcCommon = "Azure Resource Manager, common error codes"
)

// codes is the table of native codes, which stand in an answer, in the status of an
// operation, or among the details of either. What is not in it is classed by
// status.
var codes = []row{
	{"AllocationFailed", cloud.NoCapacity, srcExtensions + "; operation, or HTTP 409"},
	{"ZonalAllocationFailed", cloud.NoCapacity, srcExtensions + "; operation"},
	{"OverconstrainedAllocationRequest", cloud.NoCapacity, srcExtensions + "; operation"},
	{"OverconstrainedZonalAllocationRequest", cloud.NoCapacity, srcExtensions + "; operation"},

	{"QuotaExceeded", cloud.QuotaExceeded, srcDocs},
	{"ResourceQuotaExceeded", cloud.QuotaExceeded, srcDocs},

	{"TooManyRequests", cloud.Throttled, srcThrottling + "; HTTP 429"},
	{"SubscriptionRequestsThrottled", cloud.Throttled, srcThrottling + "; HTTP 429"},
	{"TenantRequestsThrottled", cloud.Throttled, srcThrottling + "; HTTP 429"},

	{"ResourceNotFound", cloud.NotFound, srcLogs + "; HTTP 404"},
	{codeNoResourceGroup, cloud.NotFound, srcLogs + "; HTTP 404"},
	{codeNoParent, cloud.NotFound, srcLogs + "; HTTP 404"},
	{"NotFound", cloud.NotFound, srcLogs + "; HTTP 404"},

	{"Conflict", cloud.Conflict, srcDocs + "; HTTP 409"},
	{"AnotherOperationInProgress", cloud.Conflict, srcDocs + "; HTTP 409"},
	{"OperationPreempted", cloud.Conflict, srcLogs + "; operation"},
	{codeNested, cloud.Conflict, "terraform-provider-azapi, issue 894; HTTP 409"},
	{"PropertyChangeNotAllowed", cloud.Conflict, srcLogs + "; HTTP 400 or 409"},
	{"InvalidResourceLocation", cloud.Conflict, srcDocs + "; HTTP 409"},
	{"ResourceGroupBeingDeleted", cloud.Conflict, srcLogs + "; HTTP 409"},
	{"ScopeLocked", cloud.Conflict, srcLogs + "; HTTP 409"},
	{"PreconditionFailed", cloud.Conflict, srcCommon + "; HTTP 412"},

	{"AuthorizationFailed", cloud.PermissionDenied, srcDocs + "; HTTP 403"},
	{"LinkedAuthorizationFailed", cloud.PermissionDenied, srcLogs + "; HTTP 403"},
	{"RequestDisallowedByPolicy", cloud.PermissionDenied, srcDocs + "; HTTP 403"},
	{"RequestDisallowedByAzure", cloud.PermissionDenied, srcLogs + "; HTTP 403"},
	{"ReadOnlyDisabledSubscription", cloud.PermissionDenied, srcLogs + "; HTTP 409"},
	{"SubscriptionNotFound", cloud.PermissionDenied, srcDocs + "; HTTP 404"},
	{"AuthenticationFailed", cloud.PermissionDenied, srcIdentity + "; HTTP 401"},
	{"InvalidAuthenticationToken", cloud.PermissionDenied, srcIdentity + "; HTTP 401"},
	{"InvalidAuthenticationTokenTenant", cloud.PermissionDenied, srcIdentity + "; HTTP 401"},
	{"ExpiredAuthenticationToken", cloud.PermissionDenied, srcIdentity + "; HTTP 401"},
	{"MissingSubscriptionRegistration", cloud.PermissionDenied, srcRegister + "; HTTP 409"},
	{"MissingRegistrationForResourceProvider", cloud.PermissionDenied, srcRegister},
	{"Subscription Not Registered", cloud.PermissionDenied, srcRegister},
	{"SubscriptionNotRegistered", cloud.PermissionDenied, srcRegister},
	{"SubscriptionNotRegisteredForFeature", cloud.PermissionDenied, srcLogs},

	// What a place lacks is passed over like one that is full; that SkuNotAvailable
	// is at times a shortage, its text tells.
	{codeNoSKU, cloud.Unsupported, srcKarpenter + "; HTTP 409"},
	{"NotSupported", cloud.Unsupported, srcCLI},
	{"NoRegisteredProviderFound", cloud.Unsupported, srcDocs},
	{"LocationNotAvailableForResourceType", cloud.Unsupported, srcLogs + "; HTTP 400"},
	{"AvailabilityZoneNotSupported", cloud.Unsupported, srcLogs + "; HTTP 400"},
	{"InvalidAvailabilityZone", cloud.Unsupported, srcLogs + "; HTTP 400"},
	{"ResourceTypeNotSupportAvailabilityZones", cloud.Unsupported, srcLogs + "; HTTP 400"},

	// A plain refusal, a limit or something in use: the text tells.
	{codeRefused, cloud.Invalid, srcExtensions + "; HTTP 409, or 403"},

	{"BadRequest", cloud.Invalid, srcCommon + "; HTTP 400"},
	{"InvalidParameter", cloud.Invalid, srcCommon + "; HTTP 400"},
	{"InvalidRequestContent", cloud.Invalid, srcCommon + "; HTTP 400"},
	{"InvalidSubscriptionId", cloud.Invalid, srcCommon + "; HTTP 400"},

	{"InternalServerError", cloud.Internal, srcCommon + "; HTTP 500"},
	{"InternalExecutionError", cloud.Internal, srcLogs + "; operation"},
	{"InternalOperationError", cloud.Internal, srcLogs + "; operation"},
	{"ServerTimeout", cloud.Internal, srcCommon + "; HTTP 503"},
	{"ServiceUnavailable", cloud.Internal, srcCommon + "; HTTP 503"},
	{"OperationTimedOut", cloud.Internal, srcLogs + "; operation"},
}

const (
	codeNoResourceGroup = "ResourceGroupNotFound"
	codeNoParent        = "ParentResourceNotFound"
	codeNested          = "CannotDeleteResource"
	codeNoSKU           = "SkuNotAvailable"
	codeRefused         = "OperationNotAllowed"
)

// wrappers are codes that only say that something inside failed (Azure docs,
// troubleshoot common Azure deployment errors): their details tell.
var wrappers = []string{"ResourceDeploymentFailure", "DeploymentFailed", "InvalidTemplateDeployment", "Conflict", "BadRequest", "QuotaExceeded"}

// lookUp finds a code. Clients compare them without regard to case (azcore v1.24,
// policy_register_rp.go).
func lookUp(native string) (cloud.Code, bool) {
	for _, r := range codes {
		if strings.EqualFold(r.native, native) {
			return r.code, true
		}
	}
	return "", false
}

// wraps tells whether a code is one of them.
func wraps(native string) bool {
	return slices.ContainsFunc(wrappers, func(w string) bool { return strings.EqualFold(w, native) })
}

// texts tell apart what one code stands for, where a known sentence does.
var texts = []struct {
	from   []cloud.Code
	has    *regexp.Regexp
	code   cloud.Code
	source string
}{
	{
		[]cloud.Code{cloud.Conflict, cloud.PermissionDenied, cloud.Invalid, cloud.Throttled},
		regexp.MustCompile(`(?i)exceeding approved .* quota|\b(?:family|regional) cores quota\b|\bsubmit a request for quota increase\b`),
		cloud.QuotaExceeded, srcExtensions,
	},
	{
		[]cloud.Code{cloud.Unsupported},
		regexp.MustCompile(`(?i)failed for capacity restrictions`),
		cloud.NoCapacity, srcLogs,
	},
	{
		[]cloud.Code{cloud.Conflict, cloud.Invalid},
		regexp.MustCompile(`(?i)capacity reservation is not supported for vm size`),
		cloud.Unsupported, srcCLI,
	},
}

// associated tells of machines that stand in the way. That a reservation with
// machines is refused stands in its documentation, but not how (armcompute v8.4,
// CapacityReservationsClient.BeginDelete): the sentence, and the code that comes with
// it, are UNVERIFIED.
var associated = regexp.MustCompile(`(?is)\bmachines?\b.*\bassociated\b|\bassociated\b.*\bmachines?\b`)

// machinesBlock tells whether a refusal of a class is one because of machines: any code of
// HTTP 409 may come with that, or of an operation that failed, but for those that
// another time or place helps with.
func machinesBlock(code cloud.Code, message string, status int) bool {
	switch code {
	case cloud.NoCapacity, cloud.QuotaExceeded, cloud.Throttled:
		return false
	case cloud.Conflict, cloud.Invalid:
		return associated.MatchString(message)
	}
	return (status == http.StatusConflict || status == http.StatusOK) && associated.MatchString(message)
}

// classify is the class of an answer by its code, its text and its status. A code
// that is not in the table is never capacity, whatever its text.
func classify(native, message string, status int) cloud.Code {
	code, known := lookUp(native)
	if !known {
		code = httpfault.ByStatus(status)
		if status < http.StatusMultipleChoices {
			// The failure of an operation, whose status is that of the answer that told it.
			code = cloud.Internal
		}
	}
	if status == http.StatusUnauthorized {
		return cloud.PermissionDenied
	}
	if status == http.StatusTooManyRequests && code != cloud.QuotaExceeded {
		code = cloud.Throttled
	}
	code = byText(code, message)
	if machinesBlock(code, message, status) {
		return cloud.InUse
	}
	return code
}

// byText is the class that a known sentence makes of another one.
func byText(code cloud.Code, message string) cloud.Code {
	for _, t := range texts {
		if slices.Contains(t.from, code) && t.has.MatchString(message) {
			return t.code
		}
	}
	return code
}
