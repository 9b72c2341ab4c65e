package azuresim

import (
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func foldEqual(a, b string) bool { return strings.EqualFold(a, b) }

// Values of $expand of lists (armcompute v8.4).
const (
	expandMachines = "virtualMachines/$ref"
	expandScaleSet = "virtualMachineScaleSetVMs/$ref"
)

// aboutGroup has a list of reservations be about their group.
func aboutGroup(c *call, tx *sim.Tx, req *sim.Request) {
	id := c.groupID()
	req.NativeID, req.Names = nativeID(id), []string{id}
	if obj, known := tx.Object(cloudName, req.NativeID); known {
		req.Region = obj.Region
		req.Names = append(req.Names, obj.Aliases...)
	}
}

func listReservations(q *query) (result, *apiError) {
	machines, err := q.expand(expandMachines, expandScaleSet)
	if err != nil {
		return result{}, err
	}
	of, _, err := q.findGroup()
	if err != nil {
		return result{}, err
	}
	return q.page(q.children(of), func(obj *sim.Object) (any, *apiError) {
		return q.reservationJSON(obj, view{machines: machines, listed: true})
	})
}

// listGroups is ListByResourceGroup.
func listGroups(q *query) (result, *apiError) {
	of, err := q.resourceGroup()
	if err != nil {
		return result{}, err
	}
	return q.groups(of.NativeID + "/")
}

// groups lists the groups whose id starts so.
func (q *query) groups(prefix string) (result, *apiError) {
	machines, err := q.expand(expandMachines, expandScaleSet)
	if err != nil {
		return result{}, err
	}
	var found []*sim.Object
	for _, obj := range q.tx.Objects(cloudName, groupType) {
		if strings.HasPrefix(obj.NativeID, prefix) && !obj.Hidden {
			found = append(found, obj)
		}
	}
	return q.page(found, func(obj *sim.Object) (any, *apiError) {
		return q.groupJSON(obj, view{machines: machines, listed: true})
	})
}

// Values of resourceIdsOnly (armcompute v8.4,
// ResourceIDOptionsForGetCapacityReservationGroups).
const (
	idsCreated = "CreatedInSubscription"
	idsShared  = "SharedWithSubscription"
	idsAll     = "All"
)

// listAllGroups is ListBySubscription. With resourceIdsOnly it also finds what other
// subscriptions share with this one.
func listAllGroups(q *query) (result, *apiError) {
	only := q.param("resourceIdsOnly")
	if only == "" {
		return q.groups("/subscriptions/" + q.subscription + "/")
	}
	if !slices.ContainsFunc([]string{idsCreated, idsShared, idsAll}, func(s string) bool { return foldEqual(s, only) }) {
		return result{}, fail(codeInvalidParameter, "The value '%s' of parameter 'resourceIdsOnly' is invalid.", printable(only)).at("resourceIdsOnly")
	}
	var found []*sim.Object
	for _, obj := range q.tx.Objects(cloudName, groupType) {
		own := obj.Account == q.subscription
		if (own && !foldEqual(only, idsShared)) || (!own && !foldEqual(only, idsCreated) && sharedWith(obj, q.subscription)) {
			found = append(found, obj)
		}
	}
	return q.page(found, func(obj *sim.Object) (any, *apiError) {
		var g group
		if err := obj.Decode(&g); err != nil {
			return nil, internal(err)
		}
		return groupWire{ID: g.Path, Type: "Microsoft.Compute/capacityReservationGroups", Location: obj.Region}, nil
	})
}

func sharedWith(obj *sim.Object, subscription string) bool {
	var g group
	return obj.Decode(&g) == nil && slices.ContainsFunc(g.Sharing, func(id string) bool { return foldEqual(lastSegment(id), subscription) })
}
