package google

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opResize = "compute.reservations.resize"
	opPatch  = "compute.reservations.update"
)

// maxRounds bounds how often a write is repeated that something else stood in
// the way of.
const maxRounds = 5

// Update implements cloud.Updater. What already is as wished is not sent; what
// still runs, of an earlier update that was interrupted or of somebody else, is
// waited for first.
func (c *Cloud) Update(ctx context.Context, ref cloud.Ref, change cloud.Change) (cloud.Reservation, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Reservation{}, err
	}
	for round := 1; ; round++ {
		err := c.update(ctx, t, change)
		if err == nil {
			r, err := t.api.get(ctx, t)
			return r, cloud.AfterWrite(err)
		}
		if cloud.CodeOf(err) == cloud.NotFound {
			return cloud.Reservation{}, c.missing(ctx, t, err)
		}
		if !busy(err) || round >= maxRounds {
			return cloud.Reservation{}, err
		}
		if err := c.makeWay(ctx, t, err); err != nil {
			return cloud.Reservation{}, err
		}
	}
}

// missing tells apart what was not found: the object, or something that the change
// names, such as a project.
func (c *Cloud) missing(ctx context.Context, t target, refusal error) error {
	if _, err := t.api.get(ctx, t); err != nil {
		return err
	}
	return cloud.Misnamed(refusal)
}

// update applies a change once.
func (c *Cloud) update(ctx context.Context, t target, change cloud.Change) error {
	before, err := c.calm(ctx, t)
	if err != nil {
		return err
	}
	if !before.State.Live() {
		return &cloud.Error{Code: cloud.Conflict, Message: t.name.String() + " is " + before.NativeState + " and cannot change any more"}
	}
	if err := c.inPlace(before, change); err != nil {
		return err
	}
	return t.api.update(ctx, t, before, change)
}

// calm reads an object once nothing runs on it.
func (c *Cloud) calm(ctx context.Context, t target) (cloud.Reservation, error) {
	r, err := t.api.get(ctx, t)
	if err != nil || (r.NativeState != "UPDATING" && r.NativeState != "CREATING") {
		return r, err
	}
	if _, err := c.join(ctx, t); err != nil {
		return r, err
	}
	return t.api.get(ctx, t)
}

// notReady is the code of an object on which another operation runs.
const notReady = "resourceNotReady"

// busy tells that another operation stands in the way.
func busy(err error) bool {
	var e *cloud.Error
	return errors.As(err, &e) && (e.Native == notReady || e.Native == "RESOURCE_NOT_READY")
}

// makeWay waits for what stands in the way, for a while where nothing shows; the
// refusal is the error where there is no time for it.
func (c *Cloud) makeWay(ctx context.Context, t target, refusal error) error {
	joined, err := c.join(ctx, t)
	if err != nil || joined {
		return err
	}
	err = clock.Pause(ctx, c.clock, pollEvery)
	if errors.Is(err, clock.ErrNoTime) {
		return refusal
	}
	return err
}

// inPlace refuses the parts of a change that the kind cannot make, and what Check
// would refuse in a wish.
func (c *Cloud) inPlace(before cloud.Reservation, change cloud.Change) error {
	can := c.Capabilities().Kinds[before.Kind]
	for _, a := range partsOf(before, change) {
		if !can.CanChange(a) {
			return &cloud.Error{
				Code: cloud.Unsupported, Message: string(a) + " of a reservation of kind " + string(before.Kind) + " cannot change in place",
			}
		}
	}
	if with := change.ShareWith; with != nil && !can.Reshares(slices.Concat(before.ShareWith, before.Unresolved), *with) {
		return &cloud.Error{
			Code: cloud.Unsupported, Message: "whether a reservation of kind " + string(before.Kind) + " is shared at all is fixed at its creation",
		}
	}
	var p problems
	if change.Count != nil {
		checkCount(*change.Count, forms(before.AccountID)[before.Kind].most, &p)
	}
	if change.ShareWith != nil {
		checkShares(*change.ShareWith, before.AccountID, &p)
	}
	if v, given := change.Native[optVertex]; given && v != vertexAllow && v != vertexDisallow {
		p.add(attrVertex, "%q is none of: %s, %s", v, vertexAllow, vertexDisallow)
	}
	if len(p) > 0 {
		return refuse(opPatch, p)
	}
	return nil
}

// partsOf are the attributes that a change is about. A mark that is already
// there is none: nothing writes a claim.
func partsOf(before cloud.Reservation, change cloud.Change) []cloud.Attribute {
	var parts []cloud.Attribute
	add := func(given bool, a cloud.Attribute) {
		if given {
			parts = append(parts, a)
		}
	}
	add(change.Count != nil, cloud.AttrCount)
	add(change.Match != nil, cloud.AttrMatch)
	add(change.StartAt != nil, cloud.AttrStart)
	add(change.EndAt != nil, cloud.AttrEnd)
	add(change.ShareWith != nil, cloud.AttrShare)
	add(len(change.SetTags)+len(change.RemoveTags) > 0, cloud.AttrTags)
	add(change.Term != nil, cloud.AttrTerm)
	if change.Mark != nil {
		want := *change.Mark
		want.Claim = ""
		add(want != before.Mark, cloud.AttrName)
	}
	for _, option := range slices.Sorted(maps.Keys(change.Native)) {
		add(true, attrOption(option))
	}
	return parts
}

// update resizes first: where that is refused, nothing else has changed.
func (a onDemandReservations) update(ctx context.Context, t target, before cloud.Reservation, change cloud.Change) error {
	if change.Count != nil && *change.Count != before.Count {
		if err := a.resize(ctx, t, before, *change.Count); err != nil {
			return err
		}
	}
	if end := change.EndAt; end != nil && !sendable(*end).Equal(before.EndsAt) {
		if err := a.moveEnd(ctx, t, instant(*end)); err != nil {
			return err
		}
	}
	if vertex, given := change.Native[optVertex]; given && vertex != before.Native[optVertex] {
		body := &computepb.Reservation{Name: proto.String(t.name.id), ReservationSharingPolicy: sharingPolicy(vertex)}
		if err := a.patch(ctx, t, body, "reservationSharingPolicy.serviceShareType"); err != nil {
			return err
		}
	}
	if change.ShareWith == nil {
		return nil
	}
	return a.reshare(ctx, t, before, *change.ShareWith)
}

// resize changes the count. What a shrinking below use is refused with is not
// documented, so that the object tells.
func (a onDemandReservations) resize(ctx context.Context, t target, before cloud.Reservation, count int) error {
	err := a.c.write(ctx, t, opResize, func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.reservations.Resize(ctx, &computepb.ResizeReservationRequest{
			Project: t.name.project, Zone: t.name.zone, Reservation: t.name.id, RequestId: id,
			ReservationsResizeRequestResource: &computepb.ReservationsResizeRequest{SpecificSkuCount: proto.Int64(int64(count))},
		}, once)
	})
	var e *cloud.Error
	if !errors.As(err, &e) || e.Accepted || busy(err) {
		return err
	}
	switch {
	case e.Code == cloud.QuotaExceeded:
		e.Quota = completed(e, t.name)
	case count < before.Count && (e.Code == cloud.Invalid || e.Code == cloud.Conflict):
		if now, readErr := a.get(ctx, t); readErr == nil && count < now.InUse {
			e.Code = cloud.InUse
		}
	}
	return err
}

// moveEnd sets the end; without one in the body it is removed (gcloud compute
// reservations update, --disable-auto-delete).
func (a onDemandReservations) moveEnd(ctx context.Context, t target, end string) error {
	body := &computepb.Reservation{Name: proto.String(t.name.id)}
	if end != "" {
		body.DeleteAtTime = proto.String(end)
	}
	return a.patch(ctx, t, body, "deleteAtTime")
}

// patch writes the paths of a reservation. One goes out as the recorded clients
// send it, several as a mask: the client library takes no list of paths.
func (a onDemandReservations) patch(ctx context.Context, t target, body *computepb.Reservation, paths ...string) error {
	return a.c.write(ctx, t, opPatch, func(ctx context.Context, id *string) (*compute.Operation, error) {
		req := &computepb.UpdateReservationRequest{
			Project: t.name.project, Zone: t.name.zone, Reservation: t.name.id, RequestId: id, ReservationResource: body,
		}
		if len(paths) == 1 {
			req.Paths = proto.String(paths[0])
		} else {
			req.UpdateMask = proto.String(strings.Join(paths, ","))
		}
		return t.clients.reservations.Update(ctx, req, once)
	})
}
