package google

import (
	"context"

	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opGet = "compute.reservations.get"

// target is one native object and what reaches it.
type target struct {
	// account is as configured.
	account string
	name    name
	clients *clients
	api     api
}

// ref is the target's.
func (t target) ref() cloud.Ref { return cloud.Ref{Account: t.account, NativeID: t.name.String()} }

// api is what Compute Engine offers for one collection.
type api interface {
	// get reads one object.
	get(ctx context.Context, t target) (cloud.Reservation, error)
	// consumed are the reservations that instances can run in; NotFound when the
	// object is unknown.
	consumed(ctx context.Context, t target) ([]name, error)
	// update changes what differs, in the order that keeps a refused growth from
	// leaving anything else changed.
	update(ctx context.Context, t target, before cloud.Reservation, change cloud.Change) error
	// release asks once for the end of it and waits for that.
	release(ctx context.Context, t target) error
}

// onDemandReservations is the api of the collection reservations.
type onDemandReservations struct{ c *Cloud }

func (c *Cloud) target(ctx context.Context, ref cloud.Ref) (target, error) {
	n, err := parseName(ref.NativeID)
	if err != nil {
		return target{}, err
	}
	cl, err := c.clients(ctx)
	if err != nil {
		return target{}, err
	}
	return target{account: ref.Account, name: n, clients: cl, api: c.api(n.collection)}, nil
}

// api is the one of a collection.
func (c *Cloud) api(of collection) api {
	if of == futures {
		return futureReservations{c}
	}
	return onDemandReservations{c}
}

// Get implements cloud.Cloud.
func (c *Cloud) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	return t.api.get(ctx, t)
}

func (a onDemandReservations) get(ctx context.Context, t target) (cloud.Reservation, error) {
	found, err := a.read(ctx, t)
	if err != nil {
		return cloud.Reservation{}, err
	}
	return a.c.decode(ctx, t.account, t.name.project, found)
}

// read reads the reservation as it is answered.
func (a onDemandReservations) read(ctx context.Context, t target) (*computepb.Reservation, error) {
	found, err := call(ctx, a.c, opGet, func(ctx context.Context) (*computepb.Reservation, error) {
		return t.clients.reservations.Get(ctx, &computepb.GetReservationRequest{
			Project: t.name.project, Zone: t.name.zone, Reservation: t.name.id,
		}, once)
	})
	if err != nil {
		return nil, err
	}
	return found, answers(opGet, t.name, found)
}

// located is an object that says what and where it is.
type located interface {
	GetName() string
	GetZone() string
}

// answers is an error where an answer is not of the object that was asked for: what
// it lacks must not pass for nothing.
func answers(op string, n name, found located) error {
	switch {
	case found.GetName() != n.id:
		return hollow(op, "name")
	case last(found.GetZone()) != n.zone:
		return hollow(op, "zone")
	}
	return nil
}

// identified is an error where an entry of a list has no id.
func identified(op string, found located) error {
	if found.GetName() == "" || found.GetZone() == "" {
		return hollow(op, "name and zone of each entry")
	}
	return nil
}
