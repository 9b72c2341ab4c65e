package google

import (
	"context"
	"slices"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opInstances = "compute.instances.list"

// Users implements cloud.UserLister: the names of the instances that say that they
// consume the reservation. A method that lists them is in the alpha API only
// (reservationConsumedInstances). Instances of a project that the reservation is
// shared with are counted by Compute Engine but stand in that project's list, which
// is not read: the count may be more than the names.
func (c *Cloud) Users(ctx context.Context, ref cloud.Ref) ([]string, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return nil, err
	}
	from, err := t.api.consumed(ctx, t)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, n := range from {
		found, err := c.consumers(ctx, t, n)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// consumed is the reservation itself.
func (a onDemandReservations) consumed(ctx context.Context, t target) ([]name, error) {
	_, err := a.read(ctx, t)
	return []name{t.name}, err
}

// consumed are the reservations that the future one created.
func (a futureReservations) consumed(ctx context.Context, t target) ([]name, error) {
	found, err := a.read(ctx, t)
	return deliveredBy(t.name.project, found), err
}

// consumers are the instances of the reservation's own project that use it.
func (c *Cloud) consumers(ctx context.Context, t target, of name) ([]string, error) {
	var names []string
	err := pages(opInstances, func(token string) (string, error) {
		page, err := c.instances(ctx, t, of, token)
		if err != nil {
			return "", err
		}
		for _, vm := range page.GetItems() {
			uses, err := c.consumes(ctx, vm, of)
			if err != nil {
				return "", err
			}
			if uses {
				names = append(names, vm.GetName())
			}
		}
		return page.GetNextPageToken(), nil
	})
	return names, err
}

// instances is one page of those of the zone that name the reservation. Nested
// fields can be filtered (discovery document, filter), and Compute Engine's page on
// viewing reservations lists the consumers of one; that this field can be is
// UNVERIFIED. The expression leaves open how the project is named.
func (c *Cloud) instances(ctx context.Context, t target, of name, token string) (*computepb.InstanceList, error) {
	filter := `resourceStatus.reservationConsumptionInfo.consumedReservation eq ".*/zones/` + of.zone + `/reservations/` + of.id + `"`
	page, err := call(ctx, c, opInstances, func(ctx context.Context) (*computepb.InstanceList, error) {
		client, err := compute.NewInstancesRESTClient(ctx, t.clients.options(t.clients.bound(ctx))...)
		if err != nil {
			return nil, cloud.Misnamed(err)
		}
		it := client.List(ctx, &computepb.ListInstancesRequest{
			Project: of.project, Zone: of.zone, MaxResults: proto.Uint32(pageSize), Filter: proto.String(filter),
		}, once)
		if _, _, err := it.InternalFetch(0, token); err != nil {
			return nil, cloud.Misnamed(err)
		}
		return response[*computepb.InstanceList](opInstances, it.Response)
	})
	switch {
	case err != nil:
		return nil, cloud.Misnamed(err)
	case page.GetKind() == "" && page.GetId() == "" && page.Items == nil:
		return nil, hollow(opInstances, "kind")
	}
	return page, incomplete(opInstances, nil, page.GetWarning())
}

// idle are the states of an instance that occupies nothing: stopped and suspended
// ones do not consume (Compute Engine, "Consume reservations").
var idle = []string{"STOPPED", "SUSPENDED", "TERMINATED"}

// consumes tells whether an instance uses just this reservation: a shared one of
// another project may have the same name in the same zone. A project's number that
// Resource Manager does not tell the id of is taken for the reservation's own.
func (c *Cloud) consumes(ctx context.Context, vm *computepb.Instance, of name) (bool, error) {
	link := vm.GetResourceStatus().GetReservationConsumptionInfo().GetConsumedReservation()
	match := pathForm.FindStringSubmatch(link)
	if match == nil || vm.GetName() == "" || slices.Contains(idle, vm.GetStatus()) ||
		match[2] != of.zone || collection(match[3]) != reservations || match[4] != of.id {
		return false, nil
	}
	project, err := c.known(ctx, match[1])
	return project == of.project || project == "", err
}
