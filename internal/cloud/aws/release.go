package aws

import (
	"context"
	"errors"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opCancel = "CancelCapacityReservation"

// statePending is the word for it of capacity reservations and of hosts.
const statePending = "pending"

// pendingPauses cover the five minutes for which a reservation may show as
// pending (EC2 User Guide, "View a Capacity Reservation"), a state in which it
// cannot be cancelled, with a minute to spare.
func pendingPauses() []time.Duration {
	pauses := make([]time.Duration, 72)
	for i := range pauses {
		pauses[i] = 5 * time.Second
	}
	return pauses
}

// Release implements cloud.Cloud. One that is still pending is cancelled as soon
// as EC2 lets it be.
func (c *Cloud) Release(ctx context.Context, ref cloud.Ref) error {
	t, err := c.target(ctx, ref)
	if err != nil {
		return err
	}
	var refused error
	err = c.settle(ctx, pendingPauses(), func() error {
		state, err := t.api.giveUp(ctx, t)
		if err != nil && state == statePending {
			refused = err
			return errPending
		}
		return err
	})
	if errors.Is(err, errPending) {
		return refused
	}
	return err
}

// cancellation asks to give up at no cost.
func (t target) cancellation() *ec2.CancelCapacityReservationInput {
	return &ec2.CancelCapacityReservationInput{CapacityReservationId: awssdk.String(t.name.id)}
}

// giveUp cancels at no cost, by a quote where that takes one.
func (a reservations) giveUp(ctx context.Context, t target) (string, error) {
	now, err := a.c.cancel(ctx, t, t.cancellation())
	switch {
	case err == nil || now == nil:
		return "", err
	case now.NativeState == statePending:
		return statePending, stillHeld(*now, t.name.id, err)
	}
	return now.NativeState, a.c.giveUpFree(ctx, t, *now, err)
}

// cancel asks once and is nil if the reservation is no longer held. AWS publishes
// no code for what cannot be cancelled, so that after a refusal the state
// decides: what is still held comes with the refusal.
func (c *Cloud) cancel(ctx context.Context, t target, in *ec2.CancelCapacityReservationInput) (*cloud.Reservation, error) {
	out, err := call(ctx, opCancel, func(ctx context.Context) (*ec2.CancelCapacityReservationOutput, error) {
		return t.place.ec2.CancelCapacityReservation(ctx, in)
	})
	switch {
	case err == nil && awssdk.ToBool(out.Return):
		return nil, c.confirm(ctx, opCancel, t)
	case err == nil:
		err = hollow(opCancel, "return")
	}
	return c.unreleased(ctx, t, err)
}

// unreleased reads what became of an object whose release failed: what is not
// there or not live any more is released all the same, what is still held comes
// with the failure.
func (c *Cloud) unreleased(ctx context.Context, t target, failure error) (*cloud.Reservation, error) {
	switch cloud.CodeOf(failure) {
	case cloud.NotFound:
		if !c.isFresh(t.name.id) {
			return nil, nil
		}
	case cloud.Throttled, cloud.PermissionDenied, "":
		return nil, failure
	}
	now, readErr := c.read(ctx, t)
	switch {
	case cloud.CodeOf(readErr) == cloud.NotFound:
		return nil, nil
	case readErr != nil:
		return nil, failure
	case !now.State.Live():
		return nil, nil
	}
	return &now, failure
}

// stillHeld classes the refusal to release what is there and live.
func stillHeld(now cloud.Reservation, id string, refusal error) error {
	var e *cloud.Error
	if !errors.As(refusal, &e) {
		return refusal
	}
	switch e.Code {
	case cloud.Invalid:
		// The id was good enough to read with: it is the state that is refused.
		e.Code = cloud.Unsupported
		e.Message = cloud.Clean(id + " is " + now.NativeState + " and was not released: " + e.Message)
	case cloud.NotFound:
		// One part of EC2 denied what another one shows.
		e.Code = cloud.Conflict
	}
	return refusal
}

// confirm waits until a reader knows of the release.
func (c *Cloud) confirm(ctx context.Context, op string, t target) error {
	var shown string
	pauses := []time.Duration{shortPause, longPause, longPause, longPause, longPause, longPause}
	err := c.settle(ctx, pauses, func() error {
		now, err := c.read(ctx, t)
		switch {
		case cloud.CodeOf(err) == cloud.NotFound:
			return nil
		case err != nil:
			return err
		case now.State.Live():
			shown = now.NativeState
			return errPending
		}
		return nil
	})
	if errors.Is(err, errPending) {
		return &cloud.Error{
			Code: cloud.Conflict, Op: op, Accepted: true,
			Message: "the release of " + t.name.id + " was accepted, but it is still " + shown,
		}
	}
	return err
}
