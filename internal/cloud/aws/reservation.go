package aws

import (
	"strconv"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Native options of a reservation, by attribute name.
const (
	optPlatform  = "platform"
	optTenancy   = "tenancy"
	optPlacement = "placement_group_arn"
)

// tagRequested holds the wanted count of a reservation that shows none before
// it starts (EC2 User Guide, "View Capacity Blocks").
const tagRequested = "aws:ec2capacityreservation:incrementalRequestedQuantity"

// blockWindDown is how long before its end a capacity block stops its instances
// (EC2 User Guide, "Capacity Blocks for ML").
const blockWindDown = 30 * time.Minute

// decode reads a native object. An interruptible reservation or one of a fleet
// is shown like any other: it holds capacity, and no call here changes what is
// special about it.
func decode(account, region string, r ec2types.CapacityReservation) cloud.Reservation {
	tags := tagsOf(r.Tags)
	out := cloud.Reservation{
		Ref:          cloud.Ref{Account: account, NativeID: arnOf(region, r)},
		AccountID:    awssdk.ToString(r.OwnerId),
		Region:       region,
		Zone:         awssdk.ToString(r.AvailabilityZone),
		Kind:         kindOf(r),
		InstanceType: awssdk.ToString(r.InstanceType),
		Count:        int(awssdk.ToInt32(r.TotalInstanceCount)),
		Match:        cloud.MatchCriteria(r.InstanceMatchCriteria),
		State:        stateOf(r.State),
		NativeState:  string(r.State),
		CreatedAt:    instant(r.CreateDate),
		StartsAt:     instant(r.StartDate),
		Mark:         cloud.MarkFromTags(tags),
		NativeName:   tags["Name"],
		Tags:         userTags(tags),
		Native:       nativeOf(r),
	}
	if out.State == cloud.Held {
		out.InUse = max(0, out.Count-int(awssdk.ToInt32(r.AvailableInstanceCount)))
	}
	if wanted, err := strconv.Atoi(tags[tagRequested]); err == nil && out.Count == 0 {
		out.Count, out.InUse = wanted, 0
	}
	if r.EndDateType != ec2types.EndDateTypeUnlimited {
		out.EndsAt = instant(r.EndDate)
	}
	out.UsableUntil = out.EndsAt
	if out.Kind == cloud.Block && !out.EndsAt.IsZero() {
		out.UsableUntil = out.EndsAt.Add(-blockWindDown)
	}
	if r.State == ec2types.CapacityReservationStateCancelling && r.CommitmentInfo != nil {
		out.BilledUntil = instant(r.CommitmentInfo.CommitmentEndDate)
	}
	return out
}

// kindOf tells apart what this driver makes from what it only shows.
func kindOf(r ec2types.CapacityReservation) cloud.Kind {
	switch {
	case r.ReservationType == ec2types.CapacityReservationTypeCapacityBlock:
		return cloud.Block
	case r.CommitmentInfo != nil, r.DeliveryPreference != "", assessed(r.State):
		return cloud.Scheduled
	}
	return cloud.OnDemand
}

func nativeOf(r ec2types.CapacityReservation) map[string]string {
	native := map[string]string{}
	for name, value := range map[string]string{
		optPlatform:  string(r.InstancePlatform),
		optTenancy:   string(r.Tenancy),
		optPlacement: awssdk.ToString(r.PlacementGroupArn),
	} {
		if value != "" {
			native[name] = value
		}
	}
	return native
}

func instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
