package google

import (
	"context"
	"errors"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opDelete = "compute.reservations.delete"

// Release implements cloud.Cloud. A deletion that already runs is waited for, and
// so is whatever else stands in the way.
func (c *Cloud) Release(ctx context.Context, ref cloud.Ref) error {
	t, err := c.target(ctx, ref)
	if err != nil {
		return err
	}
	for round := 1; ; round++ {
		err := t.api.release(ctx, t)
		if cloud.CodeOf(err) == cloud.NotFound {
			return nil
		}
		if err == nil || !busy(err) || round >= maxRounds {
			return err
		}
		if err := c.makeWay(ctx, t, err); err != nil {
			return err
		}
	}
}

func (a onDemandReservations) release(ctx context.Context, t target) error {
	err := a.c.write(ctx, t, opDelete, func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.reservations.Delete(ctx, &computepb.DeleteReservationRequest{
			Project: t.name.project, Zone: t.name.zone, Reservation: t.name.id, RequestId: id,
		}, once)
	})
	var e *cloud.Error
	if !errors.As(err, &e) || e.Accepted || busy(err) {
		return err
	}
	switch e.Code {
	case cloud.Invalid, cloud.Conflict:
		return a.undeleted(ctx, t, e)
	}
	return err
}

// undeleted classes a refusal to delete by the object: no code is documented for
// what is in use, or already on its way out.
func (a onDemandReservations) undeleted(ctx context.Context, t target, refusal *cloud.Error) error {
	now, err := a.get(ctx, t)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return nil
	case err != nil:
	case now.NativeState == stateDeleting:
		refusal.Native = notReady
	case now.InUse > 0 && now.Match == cloud.Targeted:
		refusal.Code = cloud.InUse
	}
	return refusal
}
