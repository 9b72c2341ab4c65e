package azure

import (
	"context"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opGroups    = "CapacityReservationGroups_ListByResourceGroup"
	opAllGroups = "CapacityReservationGroups_ListBySubscription"
)

// indexKey is a resource group of a subscription.
type indexKey struct{ subscription, resourceGroup string }

// index is the groups of a resource group, as one list shows them to many calls.
type index struct {
	// gate holds one token: whoever has it may read, and list.
	gate   chan struct{}
	listed time.Time
	groups map[string]*armcompute.CapacityReservationGroup
	// denied is why there is no list: then each group is read by itself.
	denied error
}

func (c *Cloud) index(key indexKey) *index {
	c.mu.Lock()
	defer c.mu.Unlock()
	ix, ok := c.indexes[key]
	if !ok {
		ix = &index{gate: make(chan struct{}, 1)}
		c.indexes[key] = ix
	}
	return ix
}

// forget has the next call list the groups again, after one of them was written.
func (c *Cloud) forget(id groupID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.indexes, indexKey{id.subscription, id.resourceGroup})
}

// indexed is a group by a list that is not older than that; NotFound where it has
// none of that name. Calls at the same time share one list.
func (cl *clients) indexed(ctx context.Context, id groupID, maxAge time.Duration) (*armcompute.CapacityReservationGroup, error) {
	ix := cl.cloud.index(indexKey{id.subscription, id.resourceGroup})
	select {
	case ix.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-ix.gate }()
	if age := cl.cloud.clock.Now().Sub(ix.listed); ix.listed.IsZero() || age < 0 || age > maxAge {
		if err := cl.reindex(ctx, ix, id.resourceGroup); err != nil {
			return nil, err
		}
	}
	if ix.denied != nil {
		return nil, ix.denied
	}
	if found, ok := ix.groups[id.group]; ok {
		return found, nil
	}
	return nil, &cloud.Error{Code: cloud.NotFound, Op: opGroups, Message: id.String() + " is not in the list of its resource group"}
}

// reindex lists the groups. That it may not, or that there is no such resource
// group, is an answer too.
func (cl *clients) reindex(ctx context.Context, ix *index, resourceGroup string) error {
	began := cl.cloud.clock.Now()
	all, err := cl.groupsIn(ctx, resourceGroup)
	switch cloud.CodeOf(err) {
	case "", cloud.PermissionDenied, cloud.NotFound:
	default:
		return err
	}
	if err != nil && ctx.Err() != nil {
		return err
	}
	ix.listed, ix.denied, ix.groups = began, err, map[string]*armcompute.CapacityReservationGroup{}
	for _, g := range all {
		ix.groups[strings.ToLower(deref(g.Name))] = g
	}
	return nil
}

// groupsIn lists the groups of a resource group.
func (cl *clients) groupsIn(ctx context.Context, resourceGroup string) ([]*armcompute.CapacityReservationGroup, error) {
	type page = armcompute.CapacityReservationGroupsClientListByResourceGroupResponse
	found, err := pages(ctx, cl, listing[page]{
		op:       opGroups,
		begin:    func() pager[page] { return cl.groups.NewListByResourceGroupPager(resourceGroup, nil) },
		next:     func(p page) *string { return p.NextLink },
		complete: func(p page) bool { return p.Value != nil },
	})
	var all []*armcompute.CapacityReservationGroup
	for _, p := range found {
		all = append(all, p.Value...)
	}
	return all, err
}

// allGroups lists the groups of the subscription.
func (cl *clients) allGroups(ctx context.Context) ([]*armcompute.CapacityReservationGroup, error) {
	type page = armcompute.CapacityReservationGroupsClientListBySubscriptionResponse
	found, err := pages(ctx, cl, listing[page]{
		op:       opAllGroups,
		begin:    func() pager[page] { return cl.groups.NewListBySubscriptionPager(nil) },
		next:     func(p page) *string { return p.NextLink },
		complete: func(p page) bool { return p.Value != nil },
	})
	var all []*armcompute.CapacityReservationGroup
	for _, p := range found {
		all = append(all, p.Value...)
	}
	return all, err
}
