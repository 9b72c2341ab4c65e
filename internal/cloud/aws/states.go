package aws

import (
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// stateOf maps a native state (EC2 API, CapacityReservation.state). The SDK
// passes words through that it does not know.
func stateOf(native ec2types.CapacityReservationState) cloud.State {
	switch native {
	case ec2types.CapacityReservationStatePending,
		ec2types.CapacityReservationStateAssessing,
		ec2types.CapacityReservationStatePaymentPending:
		return cloud.Pending
	case ec2types.CapacityReservationStateActive,
		ec2types.CapacityReservationStateScheduled,
		// Late, but still promised.
		ec2types.CapacityReservationStateDelayed:
		return cloud.Held
	case ec2types.CapacityReservationStateFailed,
		ec2types.CapacityReservationStateUnsupported,
		ec2types.CapacityReservationStatePaymentFailed:
		return cloud.Refused
	case ec2types.CapacityReservationStateExpired:
		return cloud.Ended
	case ec2types.CapacityReservationStateCancelled,
		// The capacity is gone, the bill runs on.
		ec2types.CapacityReservationStateCancelling:
		return cloud.Gone
	default:
		// "unavailable" is in the enumeration without a word on its meaning.
		return cloud.Unrecognized
	}
}

// assessed tells a future-dated reservation, which passes through states of its
// own and may lack its commitment while it does.
func assessed(native ec2types.CapacityReservationState) bool {
	switch native {
	case ec2types.CapacityReservationStateAssessing,
		ec2types.CapacityReservationStateScheduled,
		ec2types.CapacityReservationStateDelayed,
		ec2types.CapacityReservationStateUnsupported,
		ec2types.CapacityReservationStateCancelling:
		return true
	default:
		return false
	}
}
