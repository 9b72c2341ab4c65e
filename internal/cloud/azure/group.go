package azure

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opGroupGet    = "CapacityReservationGroups_Get"
	opGroupPut    = "CapacityReservationGroups_CreateOrUpdate"
	opGroupPatch  = "CapacityReservationGroups_Update"
	opGroupDelete = "CapacityReservationGroups_Delete"
)

// group reads a group.
func (cl *clients) group(ctx context.Context, id groupID) (*armcompute.CapacityReservationGroup, error) {
	found, err := call(ctx, cl, opGroupGet, func(ctx context.Context) (armcompute.CapacityReservationGroupsClientGetResponse, error) {
		return cl.groups.Get(ctx, id.resourceGroup, id.group, nil)
	})
	if err != nil {
		return nil, err
	}
	return &found.CapacityReservationGroup, answers(opGroupGet, found.Name, id.group)
}

// viewed reads a group with the instance views of all its reservations.
func (cl *clients) viewed(ctx context.Context, id groupID) (*armcompute.CapacityReservationGroup, error) {
	found, err := call(ctx, cl, opGroupGet, func(ctx context.Context) (armcompute.CapacityReservationGroupsClientGetResponse, error) {
		return cl.groups.Get(ctx, id.resourceGroup, id.group, &armcompute.CapacityReservationGroupsClientGetOptions{
			Expand: to.Ptr(armcompute.CapacityReservationGroupInstanceViewTypesInstanceView),
		})
	})
	if err != nil {
		return nil, err
	}
	return &found.CapacityReservationGroup, answers(opGroupGet, found.Name, id.group)
}

// answers is an error where an answer is not of the object that was asked for: what
// it lacks must not pass for nothing.
func answers(op string, name *string, asked string) error {
	if !strings.EqualFold(deref(name), asked) {
		return hollow(op, "name")
	}
	return nil
}

// makeGroup makes a group that was not found, and returns the one that there is then.
func (cl *clients) makeGroup(ctx context.Context, id groupID, body armcompute.CapacityReservationGroup) (*armcompute.CapacityReservationGroup, error) {
	found, _, err := making[*armcompute.CapacityReservationGroup]{
		op: opGroupPut,
		put: func(ctx context.Context) error {
			return cloud.Misnamed(cl.write(ctx, opGroupPut, func(ctx context.Context) error {
				_, err := cl.groups.CreateOrUpdate(ctx, id.resourceGroup, id.group, body, nil)
				return err
			}))
		},
		look: func(ctx context.Context) (*armcompute.CapacityReservationGroup, error) { return cl.group(ctx, id) },
	}.made(ctx, cl)
	return found, err
}

// editGroup reads a group and writes what the edit makes of it: tags, sharing, both or
// nothing. It is read again before each try, because a PATCH replaces all tags, and
// others write some too.
func (cl *clients) editGroup(
	ctx context.Context, id groupID, edit func(*armcompute.CapacityReservationGroup) armcompute.CapacityReservationGroupUpdate,
) error {
	again := cl.retries(opGroupPatch)
	for {
		g, err := cl.group(ctx, id)
		if err != nil {
			if again.lost > 0 {
				err = cloud.AfterWrite(err)
			}
			return err
		}
		body := edit(g)
		if unchanged(body) {
			return nil
		}
		err = cl.write(ctx, opGroupPatch, func(ctx context.Context) error {
			_, err := cl.groups.Update(ctx, id.resourceGroup, id.group, body, nil)
			return err
		})
		if err == nil {
			return nil
		}
		if err := again.after(ctx, err); err != nil {
			return err
		}
	}
}

// unchanged tells an edit that writes nothing.
func unchanged(body armcompute.CapacityReservationGroupUpdate) bool {
	return body.Tags == nil && body.Properties == nil
}

// retagGroup writes the tags of a group of our own, with that mark, as a function of
// those that it has; one that became another's stays as it is.
func (t target) retagGroup(ctx context.Context, mark cloud.Mark, retag func(map[string]string) map[string]string) error {
	return t.editGroup(ctx, t.id.groupID, func(g *armcompute.CapacityReservationGroup) (body armcompute.CapacityReservationGroupUpdate) {
		have := tagsOf(g.Tags)
		if want := retag(have); t.owns(g, mark) && !maps.Equal(have, want) {
			body.Tags = sendable(want)
		}
		return body
	})
}

// owns tells a group of our own that has one of these marks.
func (t target) owns(g *armcompute.CapacityReservationGroup, marks ...cloud.Mark) bool {
	return isOwn(t.id, g) && slices.ContainsFunc(marks, readMark(tagsOf(g.Tags)).Identifies)
}

// deleteGroup removes a group in one try and returns once it is not found any more.
func (cl *clients) deleteGroup(ctx context.Context, id groupID) error {
	err := cl.write(ctx, opGroupDelete, func(ctx context.Context) error {
		_, err := cl.groups.Delete(ctx, id.resourceGroup, id.group, nil)
		return err
	})
	if err != nil {
		return err
	}
	return cl.disappeared(ctx, opGroupDelete, func() error {
		_, err := cl.group(ctx, id)
		return err
	})
}

// disappeared looks until an object is not found any more.
func (cl *clients) disappeared(ctx context.Context, op string, look func() error) error {
	for polls := 0; ; polls++ {
		err := look()
		switch {
		case cloud.CodeOf(err) == cloud.NotFound:
			return nil
		case err != nil:
			return cloud.AfterWrite(err)
		}
		if err := cl.pause(ctx, op, pollPause(polls)); err != nil {
			return err
		}
	}
}

// sharing is the profile of a group that is shared with these, or with nobody.
func sharing(names []string) *armcompute.ResourceSharingProfile {
	profile := &armcompute.ResourceSharingProfile{SubscriptionIDs: []*armcompute.SubResource{}}
	for _, id := range shareList(names) {
		profile.SubscriptionIDs = append(profile.SubscriptionIDs, &armcompute.SubResource{ID: to.Ptr("/subscriptions/" + id)})
	}
	return profile
}
