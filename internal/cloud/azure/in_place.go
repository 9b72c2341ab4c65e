package azure

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// inPlace refuses what is not live, and the parts of a change that the kind cannot
// make, or that are of somebody else's group.
func (c *Cloud) inPlace(now sight, change cloud.Change) error {
	if !now.r.State.Live() || now.r.Locked {
		return &cloud.Error{
			Code: cloud.Conflict, Op: opPatch, Message: now.r.Ref.NativeID + " is " + now.r.NativeState + " and cannot change any more",
		}
	}
	can := c.Capabilities().Kinds[now.r.Kind]
	for _, a := range partsOf(now.r, change) {
		if !can.CanChange(a) {
			return &cloud.Error{
				Code: cloud.Unsupported, Op: opPatch,
				Message: string(a) + " of a reservation of kind " + string(now.r.Kind) + " cannot change in place",
			}
		}
	}
	return c.changeable(now, change)
}

// changeable refuses what Check would refuse in a wish, and what the object does not
// take any more.
func (c *Cloud) changeable(now sight, change cloud.Change) error {
	var p problems
	f := forms()[now.r.Kind]
	if change.Count != nil {
		f.count(*change.Count, &p)
	}
	if change.StartAt != nil {
		checkTick(*change.StartAt, &p)
	}
	if change.ShareWith != nil {
		c.checkShares(cloud.Spec{
			Kind: now.r.Kind, Account: now.r.AccountID, ShareWith: *change.ShareWith, Native: now.r.Native,
		}, f, &p)
	}
	if len(p) > 0 {
		return refuse(opPatch, p)
	}
	return modifiable(now, change)
}

// modifiable refuses to change what is fixed by now; what it has already is no change.
func modifiable(now sight, change cloud.Change) error {
	for _, part := range []struct {
		differs bool
		of      cloud.Attribute
	}{
		{change.Count != nil && *change.Count != now.r.Count, cloud.AttrCount},
		{change.StartAt != nil && !change.StartAt.Equal(now.r.StartsAt), cloud.AttrStart},
	} {
		if part.differs && slices.Contains(now.r.Fixed, part.of) {
			return &cloud.Error{Code: cloud.Conflict, Op: opPatch, Message: string(part.of) + " of " + now.r.Ref.NativeID + " " + whyFixed(now, part.of)}
		}
	}
	return nil
}

// whyFixed says since when or until when an attribute is.
func whyFixed(now sight, a cloud.Attribute) string {
	until := utc(deref(propertiesOf(now.found).ScheduleProfile).ModifiableUntil)
	switch {
	case a == cloud.AttrCount && !now.r.CommittedUntil.IsZero():
		return "cannot change before " + instant(now.r.CommittedUntil) + ": it is committed until then"
	case !until.IsZero():
		return "could change until " + instant(until)
	}
	return "cannot change: it has been too near since it was set"
}

// partsOf are the attributes that a change is about.
func partsOf(before cloud.Reservation, change cloud.Change) []cloud.Attribute {
	var parts []cloud.Attribute
	add := func(given bool, a cloud.Attribute) {
		if given {
			parts = append(parts, a)
		}
	}
	add(change.Count != nil, cloud.AttrCount)
	add(change.Match != nil, cloud.AttrMatch)
	add(change.StartAt != nil, cloud.AttrStart)
	add(change.EndAt != nil, cloud.AttrEnd)
	add(change.ShareWith != nil, cloud.AttrShare)
	add(len(change.SetTags)+len(change.RemoveTags) > 0, cloud.AttrTags)
	add(change.Term != nil, cloud.AttrTerm)
	add(change.Mark != nil && !strings.EqualFold(change.Mark.Name, before.NativeName), cloud.AttrName)
	for _, option := range slices.Sorted(maps.Keys(change.Native)) {
		add(true, attrOption(option))
	}
	return parts
}
