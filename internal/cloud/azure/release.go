package azure

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Release implements cloud.Cloud. A group of our own goes with its reservation; it is
// tagged first, so that what an interrupted release leaves is known for it.
func (c *Cloud) Release(ctx context.Context, ref cloud.Ref) error {
	t, err := c.target(ctx, ref)
	if err != nil {
		return err
	}
	done, err := c.hold(ctx, t.id.String())
	if err != nil {
		return err
	}
	defer done()
	defer c.forget(t.id.groupID)
	g, err := t.group(ctx, t.id.groupID)
	if notFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.release(ctx, g); err != nil && !notFound(err) {
		return err
	}
	if !isOwn(t.id, g) {
		return nil
	}
	// The reservation is gone by now, whatever becomes of its group.
	return cloud.AfterWrite(t.dissolve(ctx, readMark(tagsOf(g.Tags))))
}

// release gives up the reservation in its group.
func (t target) release(ctx context.Context, g *armcompute.CapacityReservationGroup) error {
	found, err := t.calm(ctx, opDelete, t.id)
	if notFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := t.decode(found, g)
	if err != nil {
		return err
	}
	if err := t.bound(r, found); err != nil {
		return err
	}
	if !isOwn(t.id, g) {
		return t.undeleted(t.remove(ctx, t.id), found)
	}
	return t.undeleted(t.removeTagged(ctx, readMark(tagsOf(g.Tags))), found)
}

// removeTagged removes the reservation of a group of our own, under the tag that says
// so. One that is refused is as it was; what the refusal says matters more than a tag
// that stays.
func (t target) removeTagged(ctx context.Context, mark cloud.Mark) error {
	if err := t.retagGroup(ctx, mark, releasing); err != nil {
		return err
	}
	err := t.remove(ctx, t.id)
	if err == nil || cloud.MaybeAccepted(err) {
		return err
	}
	if undone := t.retagGroup(ctx, mark, unreleasing); undone != nil && ctx.Err() != nil {
		return undone
	}
	return err
}

// bound refuses what costs something to give up, or is in use: a reservation with
// machines cannot be deleted, also while none of them runs (armcompute v8.4,
// CapacityReservationsClient.BeginDelete). Whether an open one can, to which none is
// bound by name, is not documented: it is not asked for.
func (t target) bound(r cloud.Reservation, found *armcompute.CapacityReservation) error {
	now, told := t.cloud.dates.Now()
	if !r.CommittedUntil.IsZero() && (!told || now.Before(r.CommittedUntil)) {
		return &cloud.Error{
			Code: cloud.Unsupported, Op: opDelete,
			Message: r.Ref.NativeID + " is bound until " + instant(r.CommittedUntil) + " and cannot be deleted before",
		}
	}
	if users := usersOf(found); len(users) > 0 || r.InUse > 0 {
		return &cloud.Error{
			Code: cloud.InUse, Op: opDelete, Users: users, Message: "virtual machines use " + r.Ref.NativeID + " or are associated with it",
		}
	}
	return nil
}

// undeleted completes a refusal to delete with the machines that were there.
func (t target) undeleted(refusal error, found *armcompute.CapacityReservation) error {
	var e *cloud.Error
	if errors.As(refusal, &e) && e.Code == cloud.InUse && len(e.Users) == 0 {
		e.Users = usersOf(found)
	}
	return refusal
}

// dissolve removes a group of our own, with that mark, that has no reservation any
// more. One that others put reservations into, or made theirs, stays, also where that
// is seen only before a further try.
func (t target) dissolve(ctx context.Context, mark cloud.Mark) error {
	again := t.retries(opGroupDelete)
	for {
		g, err := t.group(ctx, t.id.groupID)
		switch {
		case notFound(err):
			return nil
		case err != nil && again.lost > 0:
			return cloud.AfterWrite(err)
		case err != nil:
			return err
		case !t.owns(g, mark):
			return nil
		case slices.ContainsFunc(groupProperties(g).CapacityReservations, t.another):
			return t.retagGroup(ctx, mark, unreleasing)
		}
		err = t.deleteGroup(ctx, t.id.groupID)
		if err == nil || notFound(err) {
			return nil
		}
		if stop := again.after(ctx, err); stop != nil {
			return t.stuck(ctx, mark, stop)
		}
	}
}

// stuck tags a group that could not be removed, so that it is known for ours to
// remove also where nothing was in it. What the refusal says matters more than a tag
// that fails.
func (t target) stuck(ctx context.Context, mark cloud.Mark, refusal error) error {
	if err := t.retagGroup(ctx, mark, releasing); err != nil && ctx.Err() != nil {
		return err
	}
	return refusal
}

// another tells a reservation of the group that is not the target; the list of a
// group may still show what is gone.
func (t target) another(member *armcompute.SubResourceReadOnly) bool {
	return !strings.EqualFold(deref(deref(member).ID), t.id.String())
}

// unreleasing are the tags of a group whose release does not go on.
func unreleasing(tags map[string]string) map[string]string {
	all := retagged(tags, cloud.Change{})
	drop(all, tagReleasing)
	return all
}
