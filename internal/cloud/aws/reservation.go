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
	optPlatform   = "platform"
	optTenancy    = "tenancy"
	optPlacement  = "placement_group_arn"
	optCommitment = "commitment"
)

// tagType tells a capacity block (EC2 User Guide, "View Capacity Blocks").
const tagType = "aws:ec2capacityreservation:capacityReservationType"

// tagRequested holds the wanted count of a reservation that shows none before
// it starts (EC2 User Guide, "View Capacity Blocks").
const tagRequested = "aws:ec2capacityreservation:incrementalRequestedQuantity"

// decode reads a native object with the cloud's time at hand.
func (p *place) decode(account string, r ec2types.CapacityReservation) cloud.Reservation {
	now, ok := p.dates.Now()
	if !ok {
		now = time.Time{}
	}
	return decode(account, p.region, now, r)
}

// decode reads a native object. An interruptible reservation or one of a fleet
// is shown like any other: it holds capacity, and no call here changes what is
// special about it. now is zero where the cloud's time is not known.
func decode(account, region string, now time.Time, r ec2types.CapacityReservation) cloud.Reservation {
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
	}
	out.Native = nativeOf(out.Kind, r)
	if r.State == ec2types.CapacityReservationStateActive {
		out.InUse = max(0, out.Count-int(awssdk.ToInt32(r.AvailableInstanceCount)))
	}
	if out.Count == 0 {
		out.Count, out.InUse = wanted(r, tags), 0
	}
	if r.EndDateType != ec2types.EndDateTypeUnlimited {
		out.EndsAt = instant(r.EndDate)
	}
	out.UsableUntil = out.EndsAt
	switch out.Kind {
	case cloud.Block:
		showBlock(&out, r, tags)
	case cloud.Scheduled:
		out.CommittedUntil, out.FreeUntil = commitmentOf(r).bound(r, now)
	}
	if r.State == ec2types.CapacityReservationStateCancelling {
		out.BilledUntil = commitmentOf(r).end
	}
	return out
}

// wanted is the count of one that shows none before it starts.
func wanted(r ec2types.CapacityReservation, tags map[string]string) int {
	if n, err := strconv.Atoi(tags[tagRequested]); err == nil {
		return n
	}
	return commitmentOf(r).count
}

// kindOf tells the kinds apart.
func kindOf(r ec2types.CapacityReservation) cloud.Kind {
	switch {
	case r.ReservationType == ec2types.CapacityReservationTypeCapacityBlock,
		tagsOf(r.Tags)[tagType] == string(ec2types.CapacityReservationTypeCapacityBlock):
		return cloud.Block
	case r.CommitmentInfo != nil, r.DeliveryPreference != "", assessed(r.State):
		return cloud.Scheduled
	}
	return cloud.OnDemand
}

// nativeOf are the options that the object shows. Only one of kind on_demand can
// be in a placement group, so that only there its absence means none.
func nativeOf(kind cloud.Kind, r ec2types.CapacityReservation) map[string]string {
	native := map[string]string{}
	show := func(name, value string) {
		if value != "" {
			native[name] = value
		}
	}
	show(optPlatform, string(r.InstancePlatform))
	show(optTenancy, string(r.Tenancy))
	show(optPlacement, awssdk.ToString(r.PlacementGroupArn))
	if kind == cloud.OnDemand {
		native[optPlacement] = awssdk.ToString(r.PlacementGroupArn)
	}
	if c := commitmentOf(r); c.duration > 0 {
		native[optCommitment] = c.duration.String()
	}
	return native
}

func instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
