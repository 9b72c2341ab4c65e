package azure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Update implements cloud.Updater. What already is as wished is not sent; what still
// runs, of an earlier update that was interrupted or of somebody else, is waited for
// first.
func (c *Cloud) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	done, err := c.hold(ctx, t.id.String())
	if err != nil {
		return cloud.Reservation{}, err
	}
	defer done()
	defer c.forget(t.id.groupID)
	now, err := t.look(ctx)
	if err != nil {
		return cloud.Reservation{}, err
	}
	if err := c.inPlace(now, change); err != nil {
		return cloud.Reservation{}, err
	}
	now, err = t.apply(ctx, now, change)
	return now.r, err
}

// sight is an object as it is read, and what it means.
type sight struct {
	found *armcompute.CapacityReservation
	group *armcompute.CapacityReservationGroup
	r     cloud.Reservation
}

// look reads the reservation, once nothing is done to it any more, and its group.
func (t target) look(ctx context.Context) (sight, error) {
	found, err := t.calm(ctx, opPatch, t.id)
	if err != nil {
		return sight{}, err
	}
	g, err := t.group(ctx, t.id.groupID)
	if err != nil {
		return sight{}, err
	}
	r, err := t.decode(found, g)
	return sight{found, g, r}, err
}

// apply writes a change to the reservation, then to a group of our own: where a
// growth is refused, nothing of the group has changed.
func (t target) apply(ctx context.Context, now sight, change cloud.Change) (sight, error) {
	now, err := t.amend(ctx, now, change)
	if err != nil || !isOwn(t.id, now.group) {
		return now, err
	}
	was := readMark(tagsOf(now.group.Tags))
	edit := func(g *armcompute.CapacityReservationGroup) armcompute.CapacityReservationGroupUpdate {
		return t.regrouped(g, was, change)
	}
	if unchanged(edit(now.group)) {
		return now, nil
	}
	if err := t.editGroup(ctx, t.id.groupID, edit); err != nil {
		return sight{}, cloud.Misnamed(err)
	}
	if now, err = t.look(ctx); err != nil {
		return now, cloud.AfterWrite(err)
	}
	if !unchanged(edit(now.group)) {
		return now, unshown(opGroupPatch)
	}
	return now, nil
}

// unshown is the error of a write that was answered as done and is not to be seen.
func unshown(op string) *cloud.Error {
	return &cloud.Error{Code: cloud.Internal, Op: op, Accepted: true, Message: "it was accepted, and what it wrote is not to be seen"}
}

// regrouped is what a change makes of a group of our own: with whom it is shared, and
// whose it is. One that is another's by now stays as it is.
func (t target) regrouped(
	g *armcompute.CapacityReservationGroup, was cloud.Mark, change cloud.Change,
) (body armcompute.CapacityReservationGroupUpdate) {
	if !t.owns(g, was, deref(change.Mark)) {
		return body
	}
	if with := change.ShareWith; with != nil {
		body.Properties = reshared(g, *with)
	}
	if change.Mark != nil {
		mark := *change.Mark
		mark.Claim = ""
		have := tagsOf(g.Tags)
		if want := retagged(have, cloud.Change{Mark: &mark}); !maps.Equal(have, want) {
			body.Tags = sendable(want)
		}
	}
	return body
}

// reshared is what shares a group with these, nil where it is so.
func reshared(g *armcompute.CapacityReservationGroup, with []string) *armcompute.CapacityReservationGroupProperties {
	have, unresolved := sharedWith(groupProperties(g).SharingProfile)
	if len(unresolved) == 0 && slices.Equal(have, shareList(with)) {
		return nil
	}
	return &armcompute.CapacityReservationGroupProperties{SharingProfile: sharing(with)}
}

// amend writes what of the change is on the reservation itself, in one request, and
// returns how it is then. What failed on the way, or was in the way, is looked up and,
// where it is still missing, sent again.
func (t target) amend(ctx context.Context, now sight, change cloud.Change) (sight, error) {
	before := now.r.Count
	again := t.retries(opPatch)
	for {
		body, differs := patchOf(now, change)
		if !differs {
			return now, nil
		}
		after, err := t.patched(ctx, now, body, change)
		if err == nil || notFound(err) {
			return after, err
		}
		if stop := again.after(ctx, err); stop != nil {
			return sight{}, t.setBack(ctx, change, before, t.explain(stop, now.r.Region))
		}
		if now, err = t.look(ctx); err != nil {
			return sight{}, cloud.AfterWrite(err)
		}
	}
}

// patched sends the request once, and looks at what it led to: an answer of success
// is none of the object that should show it.
func (t target) patched(ctx context.Context, before sight, body armcompute.CapacityReservationUpdate, change cloud.Change) (sight, error) {
	if err := t.patch(ctx, t.id, body); err != nil {
		return sight{}, err
	}
	after, err := t.applied(ctx, before.r, change)
	if err != nil {
		return after, err
	}
	if _, missing := patchOf(after, change); missing {
		return after, unshown(opPatch)
	}
	return after, nil
}

// patchOf is the part of a change that an object does not have yet, if any. The SKU goes
// with its name, as the client of Azure's own sends it (azure-cli recording
// test_capacity_reservation_operations, 2026-09).
func patchOf(now sight, change cloud.Change) (body armcompute.CapacityReservationUpdate, differs bool) {
	if n := change.Count; n != nil && (*n != now.r.Count || now.r.Unsettled) {
		body.SKU = &armcompute.SKU{Name: to.Ptr(now.r.InstanceType), Capacity: to.Ptr(int64(*n))}
	}
	if retags(change) {
		have := tagsOf(now.found.Tags)
		if want := retagged(have, change); !maps.Equal(have, want) {
			body.Tags = sendable(want)
		}
	}
	if start := change.StartAt; start != nil && !sendableTime(*start).Equal(now.r.StartsAt) {
		body.Properties = planned(armcompute.ScheduleProfile{Start: to.Ptr(instant(*start))})
	}
	return body, body.SKU != nil || body.Tags != nil || body.Properties != nil
}

// applied looks at what a change led to that seemed to end well: an operation that
// could not be seen may have failed.
func (t target) applied(ctx context.Context, before cloud.Reservation, change cloud.Change) (sight, error) {
	now, err := t.look(ctx)
	if err != nil {
		return now, cloud.AfterWrite(err)
	}
	if !strings.EqualFold(provisioning(now.found), stateFailed) || (change.Count == nil && before.Unsettled) {
		return now, nil
	}
	if why := failureOf(opPatch, deref(propertiesOf(now.found).InstanceView).Statuses); why != nil {
		return now, why
	}
	return now, &cloud.Error{Code: cloud.Internal, Op: opPatch, HTTPStatus: 200, Message: "the change failed, and the reservation does not say why"}
}

// setBack gives an object that a refused growth left unusable the count that it
// really holds, or had before where it holds nothing yet, and returns the refusal
// (Azure docs, capacity-reservation-modify: a failed one stays so until its quantity
// is reset). Where that fails, the refusal says so.
func (t target) setBack(ctx context.Context, change cloud.Change, before int, refusal error) error {
	if change.Count == nil || ctx.Err() != nil {
		return refusal
	}
	again, written := t.retries(opPatch), false
	for {
		now, err := t.look(ctx)
		if err != nil {
			return adding(refusal, fmt.Sprintf(
				"what became of the reservation could not be read (%v): if it is Failed, it cannot be used until the next apply writes its count", err,
			))
		}
		if !now.r.Unsettled {
			return refusal
		}
		if has := currentCapacity(now.found); has > 0 {
			before = has
		}
		err = t.patch(ctx, t.id, armcompute.CapacityReservationUpdate{
			SKU: &armcompute.SKU{Name: to.Ptr(now.r.InstanceType), Capacity: to.Ptr(int64(before))},
		})
		if err == nil && !written {
			written = true
			continue
		}
		if err == nil {
			err = unshown(opPatch)
		}
		if err := again.after(ctx, err); err != nil {
			return stuck(refusal, now, err)
		}
	}
}

// stuck adds to a refused growth that the object could not be set back.
func stuck(refusal error, now sight, why error) error {
	return adding(refusal, fmt.Sprintf(
		"the reservation is Failed with the count %d, of which it holds %d, and cannot be used until the next apply writes its count: setting it back failed too (%v)",
		deref(skuOf(now.found).Capacity), now.r.Count, why,
	))
}

// adding adds words to the message of an error, whose class stays.
func adding(err error, words string) error {
	var e *cloud.Error
	if errors.As(err, &e) {
		e.Message = cloud.Clean(strings.TrimSuffix(e.Message, ".") + "; " + words)
	}
	return err
}

// currentCapacity is what is really reserved, 0 where nothing is or that is not told.
func currentCapacity(r *armcompute.CapacityReservation) int {
	return int(deref(deref(deref(propertiesOf(r).InstanceView).UtilizationInfo).CurrentCapacity))
}

// explain adds to a refusal what only the place tells: whose limit it was.
func (t target) explain(err error, region string) error {
	var e *cloud.Error
	if errors.As(err, &e) && e.Code == cloud.QuotaExceeded {
		e.Quota = t.completed(e, region)
	}
	return err
}

// completed is the quota of a refusal with what it does not say itself.
func (t target) completed(e *cloud.Error, region string) *cloud.QuotaScope {
	scope := cloud.QuotaScope{}
	if e.Quota != nil {
		scope = *e.Quota
	}
	if scope.Quota == "" {
		scope.Quota = e.Native
	}
	if scope.Region == "" {
		scope.Region = region
	}
	scope.AccountID = t.id.subscription
	return &scope
}
