package aws

import (
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// row says what a native code means.
type row struct {
	native string
	code   cloud.Code
	source string
}

// Sources of the rows.
const (
	// srcReference is the EC2 API Reference, "Error codes for the Amazon EC2 API".
	srcReference = "EC2 API Reference, error codes"
	// srcCommon is "Common Errors" of the API Reference of every AWS service.
	srcCommon = "AWS common errors"
	// srcThrottle is the SDK's own list of throttle codes (aws/retry).
	srcThrottle = "aws-sdk-go-v2 aws/retry, throttle codes"
	// srcSTS is the STS API Reference.
	srcSTS = "STS API Reference"
	// srcQuotas is the Service Quotas API Reference.
	srcQuotas = "Service Quotas API Reference"
	// srcPricing is the Price List API Reference.
	srcPricing = "Price List API Reference, errors of GetProducts"
	// srcScores is the EC2 User Guide, "Spot placement score".
	srcScores = "EC2 User Guide, spot placement score, limitations"
)

// codes is the table of native codes. What is not in it is classed by status.
var codes = []row{
	{"InsufficientInstanceCapacity", cloud.NoCapacity, srcReference + "; HTTP 500"},
	{"ReservationCapacityExceeded", cloud.NoCapacity, srcReference},

	{"InstanceLimitExceeded", cloud.QuotaExceeded, srcReference + ", names capacity reservations"},
	{"VcpuLimitExceeded", cloud.QuotaExceeded, srcReference + ", names instances"},

	{"RequestLimitExceeded", cloud.Throttled, srcReference + "; HTTP 503"},
	// The offers of blocks have a bucket of their own.
	{"CapacityBlockDescribeLimitExceeded", cloud.Throttled, srcReference},
	{"Throttling", cloud.Throttled, srcCommon},
	{"ThrottlingException", cloud.Throttled, srcCommon},
	{"ThrottledException", cloud.Throttled, srcThrottle},
	{"RequestThrottled", cloud.Throttled, srcThrottle},
	{"RequestThrottledException", cloud.Throttled, srcThrottle},
	{"EC2ThrottledException", cloud.Throttled, srcThrottle},
	{"BandwidthLimitExceeded", cloud.Throttled, srcThrottle},
	{"SlowDown", cloud.Throttled, srcThrottle},
	{"TooManyRequestsException", cloud.Throttled, srcQuotas},

	{"InvalidCapacityReservationId.NotFound", cloud.NotFound, srcReference},
	// The id cannot belong to anything: for a reader that is the same.
	{"InvalidCapacityReservationId.Malformed", cloud.NotFound, srcReference},
	{"InvalidReservationID.NotFound", cloud.NotFound, srcReference},
	{"NoSuchResourceException", cloud.NotFound, srcQuotas},

	{"IdempotentParameterMismatch", cloud.Conflict, srcReference},
	{"IncorrectState", cloud.Conflict, srcReference},
	{"InvalidState", cloud.Conflict, srcReference},
	{"InvalidCapacityReservationState", cloud.Conflict, srcReference},
	{"InvalidCapacityReservationState.PendingActivation", cloud.Conflict, srcReference},

	{"AuthFailure", cloud.PermissionDenied, srcReference + "; HTTP 401 or 400"},
	{"UnauthorizedOperation", cloud.PermissionDenied, srcReference + "; HTTP 403"},
	{"OptInRequired", cloud.PermissionDenied, srcReference},
	{"PendingVerification", cloud.PermissionDenied, srcReference},
	{"Blocked", cloud.PermissionDenied, srcReference},
	{"RequestExpired", cloud.PermissionDenied, srcReference + "; clock off by more than 15 min"},
	{"AccessDenied", cloud.PermissionDenied, srcSTS},
	{"AccessDeniedException", cloud.PermissionDenied, srcCommon},
	{"NotAuthorized", cloud.PermissionDenied, srcCommon},
	{"ExpiredToken", cloud.PermissionDenied, srcSTS},
	{"ExpiredTokenException", cloud.PermissionDenied, srcSTS},
	{"RegionDisabledException", cloud.PermissionDenied, srcSTS},
	{"InvalidClientTokenId", cloud.PermissionDenied, srcCommon},
	{"UnrecognizedClientException", cloud.PermissionDenied, srcCommon},
	{"IncompleteSignature", cloud.PermissionDenied, srcCommon},
	{"MissingAuthenticationToken", cloud.PermissionDenied, srcCommon},
	{"SignatureDoesNotMatch", cloud.PermissionDenied, srcCommon},
	{"InvalidSignatureException", cloud.PermissionDenied, srcCommon},

	{"Unsupported", cloud.Unsupported, srcReference + ", type not offered in the zone"},
	{"UnsupportedException", cloud.Unsupported, srcReference + ", no reservations in the region"},
	{"UnsupportedOperation", cloud.Unsupported, srcReference},

	{"InvalidParameterValue", cloud.Invalid, srcReference},
	{"InvalidParameterCombination", cloud.Invalid, srcReference},
	{"InvalidParameter", cloud.Invalid, srcReference},
	{"MissingParameter", cloud.Invalid, srcReference},
	{"UnknownParameter", cloud.Invalid, srcReference},
	{"InvalidInstanceType", cloud.Invalid, srcReference},
	// An offer is what a wish names, not what is read: none of these is NotFound.
	{"InvalidCapacityBlockOfferingIdExpired", cloud.Invalid, srcReference},
	{"InvalidCapacityBlockOfferingIdMalformed", cloud.Invalid, srcReference},
	{"InvalidCapacityBlockOfferingIdNotFound", cloud.Invalid, srcReference},
	// What a dry run answers that would have succeeded; it is no refusal of
	// anything else.
	{dryRunPassed, cloud.Invalid, srcReference},
	{"InvalidPaginationToken", cloud.Invalid, srcReference},
	{"InvalidNextToken", cloud.Invalid, srcReference},
	{"InvalidMaxResults", cloud.Invalid, srcReference},
	{"InvalidFilter", cloud.Invalid, srcReference},
	{"FilterLimitExceeded", cloud.Invalid, srcReference},
	// The limits on tags are not limits on capacity: another place has them too.
	{"TagLimitExceeded", cloud.Invalid, srcReference},
	{"TagPolicyViolation", cloud.Invalid, srcReference},

	{"InternalError", cloud.Internal, srcReference + "; HTTP 500"},
	{"InternalFailure", cloud.Internal, srcReference + "; HTTP 500"},
	{"Unavailable", cloud.Internal, srcReference + "; HTTP 503"},
	{"ServiceUnavailable", cloud.Internal, srcReference + "; HTTP 503"},
	{"ServiceException", cloud.Internal, srcQuotas},
	// The SDK repeats these two: the request may be under way.
	{"RequestTimeout", cloud.Internal, "aws-sdk-go-v2 aws/retry, retryable codes"},
	{"RequestTimeoutException", cloud.Internal, "aws-sdk-go-v2 aws/retry, retryable codes"},

	// Dedicated hosts and what is bought for them.
	{"InsufficientHostCapacity", cloud.NoCapacity, srcReference + "; HTTP 500"},
	{"HostLimitExceeded", cloud.QuotaExceeded, srcReference},
	{"InvalidHostID.NotFound", cloud.NotFound, srcReference},
	{"InvalidHostId.NotFound", cloud.NotFound, srcReference},
	{"InvalidHostID.Malformed", cloud.NotFound, srcReference},
	{"InvalidHostId.Malformed", cloud.NotFound, srcReference},
	{"InvalidHostId", cloud.NotFound, srcReference},
	{"InvalidHost.Occupied", cloud.InUse, "EC2 API Reference, ReleaseHosts, example"},
	{"InvalidHostState", cloud.Conflict, srcReference + ", not available"},
	{"HostAlreadyCoveredByReservation", cloud.Conflict, srcReference},
	{"InvalidHostConfiguration", cloud.Invalid, srcReference},
	{"UnsupportedHostConfiguration", cloud.Unsupported, srcReference},
	{"InvalidAutoPlacement", cloud.Invalid, srcReference},
	{"InvalidInstanceFamily", cloud.Invalid, srcReference + ", family of offering and hosts differ"},
	{"InvalidHostReservationOfferingId.Malformed", cloud.Invalid, srcReference},
	{"InvalidHostReservationOfferingId.NotFound", cloud.Invalid, "seen in a public client's test against EC2's API"},
	{"InvalidHostReservationId.Malformed", cloud.Invalid, srcReference},

	// Market signals. The limit is on what an account has asked scores for in a
	// day: another try within seconds is refused too.
	{"MaxConfigLimitExceededException", cloud.QuotaExceeded, srcScores},
	{"TargetCapacityLimitExceededException", cloud.Invalid, srcScores},
	{"InvalidParameterException", cloud.Invalid, srcPricing},
	{"InvalidNextTokenException", cloud.Invalid, srcPricing},
	{"ExpiredNextTokenException", cloud.Invalid, srcPricing},
	{"NotFoundException", cloud.NotFound, srcPricing},
	{"ResourceNotFoundException", cloud.NotFound, srcPricing},
	{"InternalErrorException", cloud.Internal, srcPricing},
}

// lookUp finds a code. Some answers of EC2 carry the fault before it.
func lookUp(native string) (cloud.Code, bool) {
	native = strings.TrimPrefix(strings.TrimPrefix(native, "Client."), "Server.")
	for _, r := range codes {
		if r.native == native {
			return r.code, true
		}
	}
	return "", false
}
