package azure

import (
	"context"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Users implements cloud.UserLister: the ids of the virtual machines that are
// associated with the reservation, whether they run or not, since all of them stand
// in the way of its deletion. An open reservation is used without.
func (c *Cloud) Users(ctx context.Context, ref cloud.Ref) ([]string, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return nil, err
	}
	found, err := t.reservation(ctx, t.id)
	if err != nil {
		return nil, err
	}
	return append([]string{}, usersOf(found)...), nil
}

// usersOf are the ids of the machines that are associated with a reservation or use
// it, sorted.
func usersOf(r *armcompute.CapacityReservation) []string {
	ids := slices.Concat(machinesOf(r), allocatedOf(r))
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.CompactFunc(ids, strings.EqualFold)
}
