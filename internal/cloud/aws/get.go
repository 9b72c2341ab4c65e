package aws

import (
	"context"
	"errors"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opDescribe = "DescribeCapacityReservations"

// second and later looks at what may only be late.
const (
	shortPause = time.Second
	longPause  = 2 * time.Second
)

// api is what EC2 offers for one sort of native object.
type api interface {
	// list reads all of them in a place.
	list(ctx context.Context, account string, p *place) ([]cloud.Reservation, error)
	// look asks for one, once; empty tells an answer without it and without a
	// refusal.
	look(ctx context.Context, t target) (r cloud.Reservation, empty bool, err error)
	// users are the ids of the instances on one that is known to be there.
	users(ctx context.Context, t target) ([]string, error)
	// differs tells whether anything but tags is not yet as the change wants it.
	differs(now cloud.Reservation, change cloud.Change) bool
	// modify changes what differs, tags apart.
	modify(ctx context.Context, t target, before cloud.Reservation, change cloud.Change) error
	// giveUp asks once for the release and is nil if nothing is held any more; the
	// native state comes with a refusal because of it.
	giveUp(ctx context.Context, t target) (state string, err error)
}

// reservations is the api of capacity reservations.
type reservations struct{ c *Cloud }

// api is the one for a sort of object.
func (c *Cloud) api(of resource) api {
	if of == resourceHost {
		return hosts{c}
	}
	return reservations{c}
}

// target is one native object and what reaches it.
type target struct {
	ref   cloud.Ref
	name  name
	place *place
	api   api
}

func (c *Cloud) target(ctx context.Context, ref cloud.Ref) (target, error) {
	n, err := parseName(ref.NativeID)
	if err != nil {
		return target{}, err
	}
	p, err := c.place(ctx, ref.Account, n.region)
	if err != nil {
		return target{}, err
	}
	return target{ref: ref, name: n, place: p, api: c.api(n.resource())}, nil
}

// Get implements cloud.Cloud. EC2 answers an unknown id with a refusal, so an
// empty set is no proof: it is asked for once more. An id that this process made
// a moment ago is asked for a few times whatever the answer.
func (c *Cloud) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	return c.read(ctx, t)
}

func (c *Cloud) read(ctx context.Context, t target) (cloud.Reservation, error) {
	for looks := 1; ; looks++ {
		r, empty, err := t.api.look(ctx, t)
		patience := 1
		if empty {
			patience = 2
		}
		if c.isFresh(t.name.id) {
			patience = 5
		}
		if cloud.CodeOf(err) != cloud.NotFound || looks >= patience {
			return r, err
		}
		if pauseErr := c.pause(ctx, shortPause); pauseErr != nil {
			return cloud.Reservation{}, undecided(pauseErr, err)
		}
	}
}

// undecided is the error of a read that could not ask again: an absence that
// would have been asked for again is not NotFound.
func undecided(pauseErr, absent error) error {
	if !errors.Is(pauseErr, errPending) {
		return pauseErr
	}
	return &cloud.Error{
		Code: cloud.Internal, HTTPStatus: 200,
		Message: cloud.Clean("no time left to ask again after: " + absent.Error()),
	}
}

func (reservations) look(ctx context.Context, t target) (r cloud.Reservation, empty bool, err error) {
	out, err := call(ctx, opDescribe, func(ctx context.Context) (*ec2.DescribeCapacityReservationsOutput, error) {
		return t.place.ec2.DescribeCapacityReservations(ctx, &ec2.DescribeCapacityReservationsInput{
			CapacityReservationIds: []string{t.name.id},
		})
	})
	if err != nil {
		return cloud.Reservation{}, false, err
	}
	found := out.CapacityReservations
	switch {
	case found == nil:
		return cloud.Reservation{}, false, hollow(opDescribe, "capacityReservationSet")
	case len(found) == 0:
		return cloud.Reservation{}, true, absent(opDescribe, t.name.id)
	case len(found) > 1 || awssdk.ToString(found[0].CapacityReservationId) != t.name.id:
		return cloud.Reservation{}, false, elsewhere(opDescribe, t.name.id)
	}
	return t.place.decode(t.ref.Account, found[0]), false, nil
}

// absent is the error of an answer that has no object.
func absent(op, id string) error {
	return &cloud.Error{Code: cloud.NotFound, Op: op, HTTPStatus: 200, Message: "the answer for " + id + " is empty"}
}

// elsewhere is the error of an answer that has other objects.
func elsewhere(op, id string) error {
	return &cloud.Error{Code: cloud.Internal, Op: op, HTTPStatus: 200, Message: "the answer for " + id + " is about something else"}
}
