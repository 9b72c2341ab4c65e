package mem

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// LockBefore is how long before its start a scheduled reservation or a block of a
// native cloud is locked: from then on it neither changes nor is free to give up.
const LockBefore = 7 * 24 * time.Hour

// NativeBlockMaxLead is how far ahead a block of a native cloud can start.
const NativeBlockMaxLead = 60 * 24 * time.Hour

// nativeKinds is all that the kinds of a native cloud differ in.
func (c *Cloud) nativeKinds() map[cloud.Kind]rules {
	ahead := rules{
		KindCapabilities: cloud.KindCapabilities{
			Idempotent: true, Decided: true, Bounded: true, MinLead: MinLead, MaxLead: MaxLead,
			InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrStart, cloud.AttrEnd, cloud.AttrShare},
		},
		most: maxCount, targeted: true, options: []option{tenancy()}, window: boundedWindow,
		make: (*Cloud).schedule, committed: lockedUntil,
	}
	block := ahead
	block.MaxLead, block.SharedAtCreation = NativeBlockMaxLead, true
	return map[cloud.Kind]rules{
		cloud.OnDemand: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, ReleasedFree: true, ReleasedInUse: []cloud.MatchCriteria{cloud.Open},
				InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrEnd, cloud.AttrShare},
			},
			most: maxCount, options: []option{tenancy()}, window: onDemandWindow, make: (*Cloud).reserve,
		},
		cloud.Scheduled: ahead,
		cloud.Block:     block,
	}
}

// boundedWindow: it has a start and an end.
func boundedWindow(p *problems, s cloud.Spec) {
	if s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a %s reservation needs a start", s.Kind)
	}
	if s.EndAt.IsZero() && s.Duration == 0 {
		p.add(cloud.AttrEnd, "a %s reservation needs an end or a duration", s.Kind)
	}
}

// lockedUntil: committed from the promise to the end, and free all the same until
// it is locked.
func lockedUntil(o *object, _ time.Time) (until, free time.Time) {
	if o.r.State != cloud.Held {
		return time.Time{}, time.Time{}
	}
	return o.r.EndsAt, o.r.StartsAt.Add(-LockBefore)
}

// unlocked refuses to change what is not yet decided or already locked.
func (c *Cloud) unlocked(o *object) error {
	if !c.native || !c.kinds()[o.r.Kind].Bounded {
		return nil
	}
	if o.r.State == cloud.Pending {
		return wrongState("Update", o)
	}
	if at := o.r.StartsAt.Add(-LockBefore); c.locked(o) {
		return &cloud.Error{
			Code: cloud.Conflict, Op: "Update", Native: "Locked",
			Message: fmt.Sprintf("%s is locked since %s", o.r.Ref.NativeID, at.Format(time.RFC3339)),
		}
	}
	return nil
}

// locked tells whether a decided one of a native cloud can no longer change.
func (c *Cloud) locked(o *object) bool {
	return c.native && c.kinds()[o.r.Kind].Bounded && o.r.State == cloud.Held &&
		!c.clock.Now().Before(o.r.StartsAt.Add(-LockBefore))
}

// moved checks a window as a change would have it.
func (p *problems) moved(r cloud.Reservation, change cloud.Change, kind rules, now time.Time) {
	start, end := r.StartsAt, r.EndsAt
	if change.StartAt != nil {
		start = *change.StartAt
		p.lead(start.Sub(now), kind)
	}
	if change.EndAt != nil {
		end = *change.EndAt
	}
	switch {
	case end.IsZero() && kind.Bounded:
		p.add(cloud.AttrEnd, "a %s reservation has an end", r.Kind)
	case !end.IsZero() && !end.After(start):
		p.add(cloud.AttrEnd, "must be after window.start_at")
	}
}

// nativeName is the form of a name.
const nativeName = `[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?`

var nativeNameForm = regexp.MustCompile(`^` + nativeName + `$`)

// nativeID is made from the name, so that a name has the same id each time it is
// used.
func (c *Cloud) nativeID(accountID string, req cloud.CreateRequest) string {
	if c.grouped {
		return fmt.Sprintf("%s/%s/%s", accountID, c.Group(req.Spec, req.Mark.Name), req.Mark.Name)
	}
	return fmt.Sprintf("%s/%s/%s", accountID, req.Spec.Zone, req.Mark.Name)
}

// namesake is the object that has the name of a create, nil where the name is
// free. It is in the way unless this very create made it.
func (c *Cloud) namesake(accountID string, req cloud.CreateRequest, inputs string) (*object, error) {
	if !nativeNameForm.MatchString(req.Mark.Name) {
		return nil, invalid("Create", []cloud.Problem{{
			Attribute: cloud.AttrName, Detail: fmt.Sprintf("%q is not a name: it must match %s", req.Mark.Name, nativeName),
		}})
	}
	o := c.find(c.nativeID(accountID, req))
	switch {
	case o == nil:
		return nil, nil
	case !cloud.MarkFromTags(o.tags).Identifies(req.Mark):
		return nil, nameTaken(req.Mark.Name)
	case o.inputs != inputs:
		return nil, tokenMismatch("Create")
	}
	return o, nil
}

func nameTaken(name string) error {
	return &cloud.Error{Code: cloud.Conflict, Op: "Create", Native: "NameTaken", Message: fmt.Sprintf("the name %q is taken there", name)}
}

// drop removes what is left of an object where that would keep its name taken.
func (c *Cloud) drop(o *object) {
	if c.named() {
		c.objects = slices.DeleteFunc(c.objects, func(other *object) bool { return other == o })
	}
}

// shares are the ids of the accounts to share with, sorted.
func (c *Cloud) shares(op, owner string, accounts []string) ([]string, error) {
	var p problems
	ids := map[string]bool{}
	for _, account := range accounts {
		id, err := c.accountID(account)
		switch {
		case err != nil:
			p.add(cloud.AttrShare, "there is no account %q", account)
		case id == owner:
			p.add(cloud.AttrShare, "%q is the account that it belongs to", account)
		}
		ids[id] = true
	}
	if len(p) > 0 {
		return nil, invalid(op, p)
	}
	return slices.Sorted(maps.Keys(ids)), nil
}

// sharing checks as much of share_with as needs no look at the accounts.
func (c *Cloud) sharing(p *problems, s cloud.Spec) {
	kind, known := c.kinds()[s.Kind]
	switch {
	case len(s.ShareWith) == 0, !known && c.named():
	case !kind.CanChange(cloud.AttrShare):
		p.add(cloud.AttrShare, "%s", cmp.Or(c.Capabilities().ShareHint, "a reservation of this kind is not shared"))
	case s.Native[InGroup] != "":
		p.add(cloud.AttrShare, "whom a given group is shared with is not the reservation's to say")
	case slices.Contains(s.ShareWith, ""):
		p.add(cloud.AttrShare, "an account has no name")
	}
}

// tagged checks the tags of a wish.
func (c *Cloud) tagged(p *problems, s cloud.Spec) {
	p.tags(s.Tags)
	if len(s.Tags) > 0 && c.native {
		p.add(cloud.AttrTags, "a %s reservation carries no tags", s.Kind)
	}
}
