package mem

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Update implements cloud.Updater. It applies all of a change or nothing.
func (c *Cloud) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	call := cloud.Call{Method: "Update", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true, Writes: true}
	return do(ctx, c, call, func() (cloud.Reservation, error) {
		o, err := c.reach("Update", ref)
		if err != nil {
			return cloud.Reservation{}, err
		}
		if err := c.allow(o, change); err != nil {
			return cloud.Reservation{}, err
		}
		if change, err = c.resolved(o, change); err != nil {
			return cloud.Reservation{}, err
		}
		term, err := c.termOffer(o, change.Term)
		if err != nil {
			return cloud.Reservation{}, err
		}
		if err := c.resize(o, change.Count); err != nil {
			return cloud.Reservation{}, err
		}
		o.apply(change)
		if term != nil {
			o.startTerm(term, change.Term.Token, c.clock.Now())
		}
		return c.show(o, ref.Account), nil
	})
}

// allow refuses what cannot be applied, before anything is.
func (c *Cloud) allow(o *object, change cloud.Change) error {
	if !o.r.State.Live() {
		return wrongState("Update", o)
	}
	kind := c.kinds()[o.r.Kind]
	if m := change.Mark; m != nil && (c.native || c.grouped && m.Name != o.r.NativeName) {
		return unsupported("Update", "a name never changes, nor a mark that has no claim")
	}
	for _, a := range touched(change) {
		if !kind.CanChange(a) {
			return unsupported("Update", fmt.Sprintf("%s of a %s reservation cannot change", a, o.r.Kind))
		}
	}
	if found := c.problems(o, change); len(found) > 0 {
		return invalid("Update", found)
	}
	if err := cmp.Or(c.unlocked(o), c.unfixed(o, change)); err != nil {
		return err
	}
	return o.open(change)
}

// resolved is a change that names accounts by their ids.
func (c *Cloud) resolved(o *object, change cloud.Change) (cloud.Change, error) {
	if change.ShareWith == nil {
		return change, nil
	}
	ids, err := c.shares("Update", o.r.AccountID, *change.ShareWith)
	if err == nil && o.r.Native[InGroup] != "" {
		err = unsupported("Update", "whom a given group is shared with is not the reservation's to say")
	}
	if err == nil && !c.kinds()[o.r.Kind].Reshares(slices.Concat(o.r.ShareWith, o.r.Unresolved), ids) {
		err = unsupported("Update", fmt.Sprintf("whether a %s reservation is shared is fixed", o.r.Kind))
	}
	change.ShareWith = &ids
	return change, err
}

// open refuses what the object is not open to now: a request that is not yet
// decided is not changed, and users are not cut off.
func (o *object) open(change cloud.Change) error {
	if o.r.Kind == cloud.Scheduled && o.r.State == cloud.Pending && (change.Count != nil || change.EndAt != nil) {
		return wrongState("Update", o)
	}
	shrinks := change.Count != nil && *change.Count < len(o.users)
	rematches := change.Match != nil && *change.Match != o.r.Match && len(o.users) > 0
	if shrinks || rematches {
		return o.inUse("Update")
	}
	return nil
}

// wrongState is the refusal of what an object's state does not allow.
func wrongState(op string, o *object) error {
	return &cloud.Error{
		Code: cloud.Conflict, Op: op, Native: "WrongState", Message: fmt.Sprintf("%s is %s", o.r.Ref.NativeID, o.r.State),
	}
}

// unsupported is the refusal of what a kind cannot do.
func unsupported(op, message string) error {
	return &cloud.Error{Code: cloud.Unsupported, Op: op, Native: "NotSupported", Message: message}
}

// touched names the attributes that a change is about.
func touched(change cloud.Change) []cloud.Attribute {
	var all []cloud.Attribute
	for a, given := range map[cloud.Attribute]bool{
		cloud.AttrCount: change.Count != nil,
		cloud.AttrMatch: change.Match != nil,
		cloud.AttrStart: change.StartAt != nil,
		cloud.AttrEnd:   change.EndAt != nil,
		cloud.AttrShare: change.ShareWith != nil,
		cloud.AttrTags:  len(change.SetTags) > 0 || len(change.RemoveTags) > 0,
	} {
		if given {
			all = append(all, a)
		}
	}
	for key := range change.Native {
		all = append(all, option{name: key}.attribute())
	}
	slices.Sort(all)
	return all
}

func (c *Cloud) problems(o *object, change cloud.Change) []cloud.Problem {
	var p problems
	if n := change.Count; n != nil && (*n < 1 || *n > maxCount) {
		p.add(cloud.AttrCount, "must be between 1 and %d, is %d", maxCount, *n)
	}
	if m := change.Match; m != nil && *m != cloud.Targeted && *m != cloud.Open {
		p.add(cloud.AttrMatch, "must be %s or %s, is %q", cloud.Targeted, cloud.Open, *m)
	}
	switch at, kind := change.EndAt, c.kinds()[o.r.Kind]; {
	case kind.Bounded, change.StartAt != nil:
		p.moved(o.r, change, kind, c.clock.Now())
	case at != nil && !at.IsZero():
		until, _ := c.commitment(o)
		p.newEnd(*at, c.clock.Now(), until)
	}
	p.native(c.kinds()[o.r.Kind].options, change.Native)
	p.tags(change.SetTags)
	for _, key := range change.RemoveTags {
		p.tags(map[string]string{key: ""})
	}
	return p
}

func (p *problems) newEnd(at, now, committed time.Time) {
	switch {
	case !at.After(now):
		p.add(cloud.AttrEnd, "is past")
	case at.Before(committed):
		p.add(cloud.AttrEnd, "is inside the commitment")
	}
}

// resize draws on capacity for growth and gives it back for shrinking.
func (c *Cloud) resize(o *object, count *int) error {
	if count == nil {
		return nil
	}
	more := *count - o.r.Count
	if more > 0 {
		if err := c.draw("Update", o.r.AccountID, specOf(o.r), more); err != nil {
			return c.setBack(o, err)
		}
	} else {
		c.give(placeOf(o.r), -more)
	}
	o.r.Count, o.r.Unsettled = *count, false
	return nil
}

// apply does the parts that can no longer be refused.
func (o *object) apply(change cloud.Change) {
	if change.Match != nil {
		o.r.Match = *change.Match
	}
	if change.StartAt != nil {
		o.r.StartsAt = change.StartAt.UTC()
	}
	if change.ShareWith != nil {
		o.r.ShareWith, o.r.Unresolved = *change.ShareWith, nil
	}
	if change.EndAt != nil {
		o.r.EndsAt, o.r.UsableUntil = change.EndAt.UTC(), change.EndAt.UTC()
	}
	maps.Copy(o.r.Native, change.Native)
	maps.Copy(o.tags, change.SetTags)
	for _, key := range change.RemoveTags {
		delete(o.tags, key)
	}
	if change.Mark != nil {
		maps.DeleteFunc(o.tags, func(key, _ string) bool { return strings.HasPrefix(key, cloud.TagPrefix) })
		maps.Copy(o.tags, change.Mark.Tags())
	}
}

func (o *object) inUse(op string) error {
	return &cloud.Error{
		Code: cloud.InUse, Op: op, Native: "InUse", Users: slices.Clone(o.users),
		Message: fmt.Sprintf("%s is used by %s", o.r.Ref.NativeID, strings.Join(o.users, ", ")),
	}
}
