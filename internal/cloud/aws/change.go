package aws

import (
	"time"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// inPlace refuses the parts of a change that the kind never lets change. A part
// that already is as wished is no change.
func inPlace(before cloud.Reservation, change cloud.Change) error {
	can := kinds()[before.Kind]
	var p problems
	fixed := func(differs bool, a cloud.Attribute) {
		if differs && !can.CanChange(a) {
			p.add(a, "cannot change on a reservation of kind %s", before.Kind)
		}
	}
	fixed(change.Count != nil && *change.Count != before.Count, cloud.AttrCount)
	fixed(change.Match != nil && *change.Match != before.Match, cloud.AttrMatch)
	fixed(change.EndAt != nil && !sendable(*change.EndAt).Equal(before.EndsAt), cloud.AttrEnd)
	fixed(change.Term != nil, cloud.AttrTerm)
	for name, value := range change.Native {
		fixed(value != before.Native[name], cloud.Attribute("aws."+name))
	}
	if len(p) == 0 {
		return nil
	}
	e := refuse(opModify, p)
	e.Code = cloud.Unsupported
	return e
}

// immovable tells why the state does not let a change be made; "" if it does
// (EC2 User Guide, "Modify a Capacity Reservation"). The commitment binds its
// count and its time.
func immovable(now cloud.Reservation, change cloud.Change) string {
	switch ec2types.CapacityReservationState(now.NativeState) {
	case ec2types.CapacityReservationStateActive:
		return insideCommitment(now, change)
	case ec2types.CapacityReservationStateScheduled:
		if change.Count != nil && *change.Count != now.Count {
			return "the count of what is scheduled does not change before it starts"
		}
		return insideCommitment(now, change)
	}
	return "what is " + now.NativeState + " takes no change but of its tags"
}

func insideCommitment(now cloud.Reservation, change cloud.Change) string {
	until := now.CommittedUntil
	shrinks := change.Count != nil && *change.Count < now.Count
	ends := change.EndAt != nil && !change.EndAt.IsZero() && change.EndAt.Before(until)
	if until.IsZero() || (!shrinks && !ends) {
		return ""
	}
	return "committed until " + until.Format(time.RFC3339)
}
