package capacity

import (
	"context"
	"fmt"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// steps are the changes that bring an object to the wish, in their order: the
// mark, because it fences others off; then what can be refused, so that a
// refused growth leaves the rest as it was; then the tags.
func (op *operation) steps(r cloud.Reservation, mark cloud.Mark, tagsBefore map[string]string) []cloud.Change {
	var steps []cloud.Change
	if op.caps.Claims && r.Mark != mark {
		steps = append(steps, cloud.Change{Mark: &mark})
	}
	if c := op.wish.changes(op.caps, r); alters(c) {
		steps = append(steps, c)
	}
	if set, remove := tagChange(op.wish.Spec.Tags, tagsBefore, r.Tags); len(set)+len(remove) > 0 {
		steps = append(steps, cloud.Change{SetTags: set, RemoveTags: remove})
	}
	return steps
}

// change makes one change. A refusal for capacity is asked again as long as the
// wish waits for it; a lost answer is looked at.
func (op *operation) change(ctx context.Context, result *Result, change cloud.Change) error {
	updater, ok := cloud.As[cloud.Updater](op.c)
	if !ok {
		return refuse("", "Cannot change in place", "%s changes nothing in place.", op.caps.Title)
	}
	if err := op.mayShrink(ctx, result.Reservation, change); err != nil {
		return err
	}
	giveBack, err := op.growth(result.Reservation, change)
	if err != nil {
		return err
	}
	for {
		r, err := updater.Update(ctx, result.Reservation.Ref, change)
		if err != nil && cloud.MaybeAccepted(err) {
			r, err = op.shown(ctx, result.Reservation.Ref, change, err)
		}
		if err == nil {
			result.Reservation = r
			return nil
		}
		op.record(err)
		if cloud.CodeOf(err) == cloud.NoCapacity && op.wait(ctx, err) {
			continue
		}
		if !cloud.MaybeAccepted(err) {
			giveBack()
		}
		return op.notChanged(result.Reservation, change, err)
	}
}

// growth holds what more instances, or a term, cost to the ceilings and sets it
// aside.
func (op *operation) growth(r cloud.Reservation, change cloud.Change) (giveBack func(), err error) {
	if change.Term != nil {
		return op.afford(op.offer)
	}
	if change.Count == nil || *change.Count <= r.Count {
		return func() {}, nil
	}
	price := op.wish.Price.PerHour
	if err := CheckCeiling("max_usd_per_hour", op.wish.MaxPerHour, price); err != nil {
		return nil, err
	}
	if price != nil {
		more := *price
		// The price is one instance's times the count, so that this is exact.
		more.Micros = more.Micros / int64(*change.Count) * int64(*change.Count-r.Count)
		price = &more
	}
	return op.m.budget.reserve(Price{PerHour: price}, false)
}

// shown reads an object whose change may have been made although it failed. It
// still does when the run was interrupted.
func (op *operation) shown(ctx context.Context, ref cloud.Ref, change cloud.Change, cause error) (cloud.Reservation, error) {
	look, cancel := outlive(ctx)
	defer cancel()
	r, err := op.c.Get(look, ref)
	if err != nil || !r.State.Live() || !shows(r, change) {
		return r, cause
	}
	return r, nil
}

// shows tells whether every part of a change is to be seen on the object.
func shows(r cloud.Reservation, c cloud.Change) bool {
	switch {
	case c.Count != nil && *c.Count != settledCount(r),
		c.Match != nil && *c.Match != r.Match,
		c.StartAt != nil && !sameInstant(*c.StartAt, r.StartsAt),
		c.EndAt != nil && !sameInstant(*c.EndAt, r.EndsAt),
		c.ShareWith != nil && !sharedAs(r, *c.ShareWith),
		c.Mark != nil && *c.Mark != r.Mark,
		c.Term != nil && r.Term == nil,
		!within(c.SetTags, r.Tags), !within(c.Native, r.Native):
		return false
	}
	for _, key := range c.RemoveTags {
		if has(r.Tags, key) {
			return false
		}
	}
	return true
}

// settledCount is the count of an object that can be used, -1 of another one.
func settledCount(r cloud.Reservation) int {
	if r.Unsettled {
		return -1
	}
	return r.Count
}

// within tells whether all of some pairs are among others.
func within(some, all map[string]string) bool {
	for key, value := range some {
		if all[key] != value || !has(all, key) {
			return false
		}
	}
	return true
}

// notChanged says what was asked for and what there is.
func (op *operation) notChanged(r cloud.Reservation, change cloud.Change, cause error) error {
	detail := fmt.Sprintf("%s: %s failed: %s.", r.Ref.NativeID, what(change), describe(op.c, cause))
	var attribute cloud.Attribute
	switch {
	case cloud.MaybeAccepted(cause):
		detail += " It may have been done all the same; plan again to see."
	case change.Count != nil:
		attribute = cloud.AttrCount
		detail += fmt.Sprintf(" It still holds %d × %s. Asked for were %d.", r.Count, r.InstanceType, *change.Count)
	}
	return &Failure{Notice{attribute, "Reservation not changed", detail + op.report()}, cause}
}

// what names a change in words.
func what(c cloud.Change) string {
	switch {
	case c.Mark != nil:
		return "writing its mark"
	case c.SetTags != nil || c.RemoveTags != nil:
		return "writing its tags"
	case c.Term != nil:
		return "buying its term"
	}
	return "changing it"
}

// mayShrink refuses to shrink below what is in use, unless the wish allows it.
func (op *operation) mayShrink(ctx context.Context, r cloud.Reservation, change cloud.Change) error {
	if change.Count == nil || *change.Count >= min(r.Count, r.InUse) || op.wish.ReleaseInUse {
		return nil
	}
	return refuse(cloud.AttrCount, "Reservation is in use",
		"%s has %d of %d instances in use, which is more than the %d asked for. In use by: %s. "+
			"Nothing was changed. Stop them first, or set on_release_in_use = \"release\".",
		r.Ref.NativeID, r.InUse, r.Count, *change.Count, op.m.users(ctx, op.c, r))
}

// users names what runs in a reservation, as far as the cloud tells.
func (m *Manager) users(ctx context.Context, c cloud.Cloud, r cloud.Reservation) string {
	if ids := m.userIDs(ctx, c, r); len(ids) > 0 {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%d instances whose ids the cloud did not tell", r.InUse)
}

// userIDs are the ids of what runs in a reservation, none where the cloud does not
// tell.
func (*Manager) userIDs(ctx context.Context, c cloud.Cloud, r cloud.Reservation) []string {
	lister, ok := cloud.As[cloud.UserLister](c)
	if !ok {
		return nil
	}
	ids, err := lister.Users(ctx, r.Ref)
	if err != nil {
		return nil
	}
	return ids
}
