package azure

import (
	"context"
	"errors"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// target is one reservation and what reaches it.
type target struct {
	*clients
	// account is as configured.
	account string
	id      reservationID
}

func (c *Cloud) target(ctx context.Context, ref cloud.Ref) (target, error) {
	id, err := nativeID(ref)
	if err != nil {
		return target{}, err
	}
	return c.reach(ctx, ref.Account, id)
}

func (c *Cloud) reach(ctx context.Context, account string, id reservationID) (target, error) {
	cl, err := c.clients(ctx, id.subscription)
	if err != nil {
		return target{}, err
	}
	return target{clients: cl, account: account, id: id}, nil
}

// Get implements cloud.Cloud. The group says of what kind the reservation is.
func (c *Cloud) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	found, err := t.reservation(ctx, t.id)
	if err != nil && cloud.CodeOf(err) != cloud.NotFound {
		return cloud.Reservation{}, err
	}
	g, groupErr := t.group(ctx, t.id.groupID)
	switch {
	case groupErr != nil:
		return cloud.Reservation{}, groupErr
	case err == nil:
		return t.decode(found, g)
	case !isOwn(t.id, g):
		return cloud.Reservation{}, err
	}
	return t.leftover(g), nil
}

// decode reads a reservation in its group at the cloud's present time.
func (t target) decode(r *armcompute.CapacityReservation, g *armcompute.CapacityReservationGroup) (cloud.Reservation, error) {
	now, _ := t.cloud.dates.Now()
	return decode(t.account, r, g, now)
}

// What is left of a reservation, in words for NativeState.
const (
	leftGroup   = "without its reservation: its group is left"
	leftRelease = "given up in part: its group is left"
)

// leftover is a group of our own without its reservation. Only a release that was
// begun says that nobody else took it out.
func (t target) leftover(g *armcompute.CapacityReservationGroup) cloud.Reservation {
	tags := tagsOf(g.Tags)
	r := cloud.Reservation{
		Ref:         cloud.Ref{Account: t.account, NativeID: t.id.String()},
		AccountID:   t.id.subscription,
		Region:      locationOf(deref(g.Location)),
		Zone:        zoneOf(g.Zones),
		State:       cloud.Gone,
		NativeState: leftGroup,
		Mark:        readMark(tags),
		NativeName:  t.id.name,
		Native:      map[string]string{optResourceGroup: t.id.resourceGroup, optGroup: ""},
		Remains:     isReleasing(tags),
	}
	if r.Remains {
		r.NativeState = leftRelease
	}
	return r
}

// notFound tells that an object is not there.
func notFound(err error) bool { return cloud.CodeOf(err) == cloud.NotFound }

// codeIs tells the native code of an error.
func codeIs(err error, native string) bool {
	var e *cloud.Error
	return errors.As(err, &e) && strings.EqualFold(e.Native, native)
}
