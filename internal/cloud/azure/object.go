package azure

import (
	"context"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"
)

const (
	opGet    = "CapacityReservations_Get"
	opPut    = "CapacityReservations_CreateOrUpdate"
	opPatch  = "CapacityReservations_Update"
	opDelete = "CapacityReservations_Delete"
)

// reservation reads a reservation with its instance view.
func (cl *clients) reservation(ctx context.Context, id reservationID) (*armcompute.CapacityReservation, error) {
	found, err := call(ctx, cl, opGet, func(ctx context.Context) (armcompute.CapacityReservationsClientGetResponse, error) {
		return cl.reservations.Get(ctx, id.resourceGroup, id.group, id.name, &armcompute.CapacityReservationsClientGetOptions{
			Expand: to.Ptr(armcompute.CapacityReservationInstanceViewTypesInstanceView),
		})
	})
	if err != nil {
		return nil, err
	}
	return &found.CapacityReservation, answers(opGet, found.Name, id.name)
}

// calm reads a reservation once nothing is done to it any more, whoever began it:
// a write of an interrupted run is taken up so.
func (cl *clients) calm(ctx context.Context, op string, id reservationID) (*armcompute.CapacityReservation, error) {
	for polls := 0; ; polls++ {
		found, err := cl.reservation(ctx, id)
		if err != nil || !busy(found) {
			return found, err
		}
		if err := cl.pause(ctx, op, pollPause(polls)); err != nil {
			return nil, err
		}
	}
}

// provisioning is the provisioning state of a reservation in lower case.
func provisioning(r *armcompute.CapacityReservation) string {
	if r.Properties == nil {
		return ""
	}
	return strings.ToLower(deref(r.Properties.ProvisioningState))
}

// busy tells whether a write is under way.
func busy(r *armcompute.CapacityReservation) bool {
	switch provisioning(r) {
	case "creating", "updating", "deleting":
		return true
	}
	return false
}

// put makes a reservation that was not found, and returns the one that there is then;
// ours tells that it was answered as made.
func (cl *clients) put(
	ctx context.Context, id reservationID, body armcompute.CapacityReservation,
) (found *armcompute.CapacityReservation, ours bool, err error) {
	return making[*armcompute.CapacityReservation]{
		op: opPut,
		put: func(ctx context.Context) error {
			return cl.write(ctx, opPut, func(ctx context.Context) error {
				_, err := cl.reservations.BeginCreateOrUpdate(ctx, id.resourceGroup, id.group, id.name, body, nil)
				return err
			})
		},
		look: func(ctx context.Context) (*armcompute.CapacityReservation, error) { return cl.calm(ctx, opPut, id) },
	}.made(ctx, cl)
}

// patch changes a reservation in one try and waits for what that began. What failed on
// the way, or was in the way, is for the caller to look up: the tags that it sends may
// be others by then.
func (cl *clients) patch(ctx context.Context, id reservationID, body armcompute.CapacityReservationUpdate) error {
	return cl.write(ctx, opPatch, func(ctx context.Context) error {
		_, err := cl.reservations.BeginUpdate(ctx, id.resourceGroup, id.group, id.name, body, nil)
		return err
	})
}

// remove deletes a reservation and returns once it is not found any more. A deletion
// says what shall be, so that it is sent again if it failed on the way.
func (cl *clients) remove(ctx context.Context, id reservationID) error {
	err := cl.rewrite(ctx, opDelete, func(ctx context.Context) error {
		_, err := cl.reservations.BeginDelete(ctx, id.resourceGroup, id.group, id.name, nil)
		return err
	})
	switch {
	case notFound(err):
		return nil
	case err != nil:
		return err
	}
	return cl.disappeared(ctx, opDelete, func() error {
		_, err := cl.reservation(ctx, id)
		return err
	})
}
