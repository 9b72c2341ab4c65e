package aws

import (
	"maps"
	"slices"
	"time"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// inPlace refuses the parts of a change that the kind never lets change.
func inPlace(kind cloud.Kind, change cloud.Change) error {
	can := kinds()[kind]
	var p problems
	fixed := func(given bool, a cloud.Attribute) {
		if given && !can.CanChange(a) {
			p.add(a, "cannot change on a reservation of kind %s", kind)
		}
	}
	fixed(change.Count != nil, cloud.AttrCount)
	fixed(change.Match != nil, cloud.AttrMatch)
	fixed(change.StartAt != nil, cloud.AttrStart)
	fixed(change.EndAt != nil, cloud.AttrEnd)
	fixed(change.ShareWith != nil, cloud.AttrShare)
	fixed(change.Term != nil && !hosted(kind), cloud.AttrTerm)
	for _, name := range slices.Sorted(maps.Keys(change.Native)) {
		fixed(true, attrOption(name))
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
