package google

import (
	"context"
	"errors"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opFutureCancel = "compute.futureReservations.cancel"
	opFutureDelete = "compute.futureReservations.delete"
)

// release gives up what is not locked, and removes what is over. A cancelled
// request is deleted too: it would keep the name and stand in the way of a new one
// like it (Compute Engine, "Cancel or delete future reservation requests").
func (a futureReservations) release(ctx context.Context, t target) error {
	found, err := a.read(ctx, t)
	if err != nil {
		return err
	}
	now, err := a.c.decodeFuture(ctx, t.account, t.name.project, found)
	if err != nil {
		return err
	}
	switch {
	case now.State == cloud.Ended:
		err = a.removeDelivered(ctx, t, found)
	case !now.State.Live() || now.NativeState == stateDrafting:
	case a.c.locked(now):
		return notGiven(t, now)
	default:
		err = a.cancel(ctx, t)
	}
	if err != nil {
		return err
	}
	return a.remove(ctx, t)
}

// notGiven refuses to give up what is locked.
func notGiven(t target, now cloud.Reservation) *cloud.Error {
	return &cloud.Error{
		Code: cloud.Unsupported, Op: opFutureCancel,
		Message: cloud.Clean(t.name.String() + " " + lockText(now) + " and is not given back before its end " + instant(now.EndsAt)),
	}
}

func (a futureReservations) cancel(ctx context.Context, t target) error {
	err := a.c.write(ctx, t, opFutureCancel, func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.futures.Cancel(ctx, &computepb.CancelFutureReservationRequest{
			Project: t.name.project, Zone: t.name.zone, FutureReservation: t.name.id, RequestId: id,
		}, once)
	})
	var e *cloud.Error
	if !errors.As(err, &e) || e.Accepted || busy(err) {
		return err
	}
	switch e.Code {
	case cloud.Invalid, cloud.Conflict, cloud.Unsupported:
		return a.uncancelled(ctx, t, e)
	}
	return err
}

// uncancelled classes a refusal to cancel by the state, for which no code is
// documented. What is cancelled already, by an earlier try, is as wished.
func (a futureReservations) uncancelled(ctx context.Context, t target, refusal *cloud.Error) error {
	now, err := a.get(ctx, t)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return err
	case err != nil:
		return refusal
	case !now.State.Live():
		return nil
	case a.c.locked(now):
		return notGiven(t, now)
	case refusal.Code == cloud.Invalid:
		// The request is well formed: it is the state that is refused.
		refusal.Code = cloud.Unsupported
		refusal.Message = cloud.Clean(t.name.String() + " is " + now.NativeState + " and was not cancelled: " + refusal.Message)
	}
	return refusal
}

// removeDelivered deletes what is left of the reservations that it created: their
// own deletion may be late, and a future reservation goes without them.
func (a futureReservations) removeDelivered(ctx context.Context, t target, f *computepb.FutureReservation) error {
	for _, n := range deliveredBy(t.name.project, f) {
		left := target{account: t.account, name: n, clients: t.clients, api: onDemandReservations(a)}
		if err := left.api.release(ctx, left); err != nil && cloud.CodeOf(err) != cloud.NotFound {
			return err
		}
	}
	return nil
}

func (a futureReservations) remove(ctx context.Context, t target) error {
	return a.c.write(ctx, t, opFutureDelete, func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.futures.Delete(ctx, &computepb.DeleteFutureReservationRequest{
			Project: t.name.project, Zone: t.name.zone, FutureReservation: t.name.id, RequestId: id,
		}, once)
	})
}
