package azure

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opList = "CapacityReservations_ListByCapacityReservationGroup"

// Group implements cloud.Grouper: the group that was given, else the one that is
// made with the reservation.
func (c *Cloud) Group(spec cloud.Spec, name string) string {
	id, err := c.idOf(spec, name)
	if err != nil {
		return ""
	}
	return id.groupID.String()
}

// GroupOf implements cloud.Grouper.
func (c *Cloud) GroupOf(ref cloud.Ref) string {
	id, err := nativeID(ref)
	if err != nil {
		return ""
	}
	return id.groupID.String()
}

// idOf is the id that a wish for a reservation of that name leads to.
func (c *Cloud) idOf(spec cloud.Spec, name string) (reservationID, error) {
	if given := spec.Native[optGroup]; given != "" {
		id, err := parseGroupID(given)
		return id.member(name), err
	}
	subscription, err := c.subscription(spec.Account)
	if err != nil {
		return reservationID{}, err
	}
	resourceGroup := spec.Native[optResourceGroup]
	if resourceGroup == "" {
		resourceGroup = c.cfg.ResourceGroup
	}
	name = strings.ToLower(name)
	return groupID{subscription, strings.ToLower(resourceGroup), name}.member(name), nil
}

// List implements cloud.Cloud. The list of groups is shared between calls, and each
// group is asked for what it has in as few requests as tell all of it.
func (c *Cloud) List(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
	if scope.Group == "" {
		return c.listAll(ctx, scope)
	}
	id, err := parseGroupID(scope.Group)
	if err != nil {
		return nil, err
	}
	t, err := c.reach(ctx, scope.Account, id.member(id.group))
	if err != nil {
		return nil, err
	}
	found, err := t.within(ctx, scope.MaxAge)
	if notFound(err) {
		return []cloud.Reservation{}, nil
	}
	return found, err
}

// within lists the group as it was within that time.
func (t target) within(ctx context.Context, maxAge time.Duration) ([]cloud.Reservation, error) {
	g, err := t.groupWithin(ctx, maxAge)
	if err != nil {
		return nil, err
	}
	return t.members(ctx, g)
}

// listAll lists every group of the subscription.
func (c *Cloud) listAll(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
	subscription, err := c.subscription(scope.Account)
	if err != nil {
		return nil, err
	}
	cl, err := c.clients(ctx, subscription)
	if err != nil {
		return nil, err
	}
	groups, err := cl.allGroups(ctx)
	if err != nil {
		return nil, cloud.Misnamed(err)
	}
	if scope.Name != "" {
		groups = slices.DeleteFunc(groups, func(g *armcompute.CapacityReservationGroup) bool { return !mayHave(g, scope.Name) })
	}
	all := []cloud.Reservation{}
	for _, g := range groups {
		id, err := parseGroupID(deref(g.ID))
		if err != nil {
			return nil, hollow(opAllGroups, "id of each group")
		}
		found, err := target{clients: cl, account: scope.Account, id: id.member(id.group)}.members(ctx, g)
		if notFound(err) {
			continue // It went meanwhile.
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// mayHave tells whether a group has a reservation of that name, or was made with one.
func mayHave(g *armcompute.CapacityReservationGroup, name string) bool {
	return strings.EqualFold(deref(g.Name), name) || slices.ContainsFunc(groupProperties(g).CapacityReservations,
		func(member *armcompute.SubResourceReadOnly) bool {
			id, err := parseID(deref(deref(member).ID))
			return err == nil && strings.EqualFold(id.name, name)
		})
}

// groupWithin is the group as it was within that time: by the list of its resource
// group, which serves others too, or by itself.
func (t target) groupWithin(ctx context.Context, maxAge time.Duration) (*armcompute.CapacityReservationGroup, error) {
	if maxAge > 0 {
		g, err := t.indexed(ctx, t.id.groupID, maxAge)
		if cloud.CodeOf(err) != cloud.PermissionDenied {
			return g, err
		}
	}
	return t.group(ctx, t.id.groupID)
}

// members are the reservations of a group, and what is left of the one that the
// group was made with. One alone is read by itself, which tells all of it.
func (t target) members(ctx context.Context, g *armcompute.CapacityReservationGroup) ([]cloud.Reservation, error) {
	var found []*armcompute.CapacityReservation
	if name, alone := only(g); alone {
		r, err := t.reservation(ctx, t.id.member(name))
		switch {
		case err == nil:
			found = []*armcompute.CapacityReservation{r}
		case !notFound(err):
			return nil, err
		}
	}
	if len(found) == 0 {
		var err error
		if found, err = t.listed(ctx); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(found, untold) {
		viewed, err := t.viewed(ctx, t.id.groupID)
		if err != nil {
			return nil, err
		}
		g = viewed
	}
	return t.read(found, g)
}

// read reads the reservations of a group.
func (t target) read(found []*armcompute.CapacityReservation, g *armcompute.CapacityReservationGroup) ([]cloud.Reservation, error) {
	all := []cloud.Reservation{}
	namesake := false
	for _, r := range found {
		decoded, err := t.decode(r, g)
		if err != nil {
			return nil, err
		}
		namesake = namesake || decoded.Ref.NativeID == t.id.String()
		all = append(all, decoded)
	}
	if !namesake && isOwn(t.id, g) {
		all = append(all, t.leftover(g))
	}
	return all, nil
}

// only is the name of the one reservation of a group, if it has just one.
func only(g *armcompute.CapacityReservationGroup) (string, bool) {
	if g.Properties == nil || len(g.Properties.CapacityReservations) != 1 {
		return "", false
	}
	id, err := parseID(deref(deref(g.Properties.CapacityReservations[0]).ID))
	return id.name, err == nil
}

// untold tells an entry of a list: it does not say how many instances use it, what a
// failed one really holds, nor the state of one for a date.
func untold(r *armcompute.CapacityReservation) bool { return propertiesOf(r).InstanceView == nil }

// listed are the reservations of a group by its list, which has no instance views.
func (t target) listed(ctx context.Context) ([]*armcompute.CapacityReservation, error) {
	type page = armcompute.CapacityReservationsClientListByCapacityReservationGroupResponse
	found, err := pages(ctx, t.clients, listing[page]{
		op: opList,
		begin: func() pager[page] {
			return t.reservations.NewListByCapacityReservationGroupPager(t.id.resourceGroup, t.id.group, nil)
		},
		next:     func(p page) *string { return p.NextLink },
		complete: func(p page) bool { return p.Value != nil },
	})
	var all []*armcompute.CapacityReservation
	for _, p := range found {
		all = append(all, p.Value...)
	}
	return all, err
}
