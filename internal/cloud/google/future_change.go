package google

import (
	"context"
	"errors"
	"slices"
	"strings"

	compute "cloud.google.com/go/compute/apiv1"
	"cloud.google.com/go/compute/apiv1/computepb"
	"google.golang.org/protobuf/proto"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opFuturePatch = "compute.futureReservations.update"

// Paths of the mask of an update, as recorded traffic of a public client's tests
// spells them.
const (
	pathCount       = "specific_sku_properties.total_count"
	pathStart       = "time_window.start_time"
	pathEnd         = "time_window.end_time"
	pathShares      = "share_settings"
	pathDescription = "description"
)

// update changes everything that differs in one request, so that one amendment is
// decided on. The description goes along: an update without it blanks it.
func (a futureReservations) update(ctx context.Context, t target, _ cloud.Reservation, change cloud.Change) error {
	found, err := a.read(ctx, t)
	if err != nil {
		return err
	}
	before, err := a.c.decodeFuture(ctx, t.account, t.name.project, found)
	if err != nil {
		return err
	}
	want, paths, err := a.amended(ctx, before, change)
	if err != nil || len(paths) == 0 {
		return err
	}
	if why := a.c.immovable(before); why != "" {
		return &cloud.Error{Code: cloud.Conflict, Op: opFuturePatch, Message: cloud.Clean(t.name.String() + " " + why)}
	}
	body := futureBody(t.name, want)
	body.Description = proto.String(found.GetDescription())
	// The name of what it creates is not ours to change.
	body.ReservationName, body.NamePrefix = found.ReservationName, found.NamePrefix
	return a.patch(ctx, t, append(paths, pathDescription), body)
}

// amended is what is wanted, as a wish, and the paths in which it differs.
func (a futureReservations) amended(ctx context.Context, before cloud.Reservation, change cloud.Change) (cloud.Spec, []string, error) {
	want := cloud.Spec{
		Kind: before.Kind, InstanceType: before.InstanceType, Count: before.Count, Match: before.Match, StartAt: before.StartsAt,
		EndAt: before.EndsAt, ShareWith: slices.Concat(before.ShareWith, before.Unresolved), Native: before.Native,
	}
	var paths []string
	differs := func(is bool, path string) {
		if is {
			paths = append(paths, path)
		}
	}
	if change.Count != nil {
		differs(*change.Count != want.Count, pathCount)
		want.Count = *change.Count
	}
	if change.StartAt != nil {
		differs(!sendable(*change.StartAt).Equal(want.StartAt), pathStart)
		want.StartAt = *change.StartAt
	}
	if change.EndAt != nil {
		differs(!sendable(*change.EndAt).Equal(want.EndAt), pathEnd)
		want.EndAt = *change.EndAt
	}
	if change.ShareWith != nil {
		list, err := a.c.shareList(ctx, *change.ShareWith)
		if err != nil {
			return want, nil, err
		}
		differs(!sameProjects(list, before), pathShares)
		want.ShareWith = list
	}
	return want, paths, checkAmended(&want, paths)
}

// checkAmended holds a new window to what Check would say of it.
func checkAmended(want *cloud.Spec, paths []string) error {
	if !slices.Contains(paths, pathStart) && !slices.Contains(paths, pathEnd) {
		return nil
	}
	var p problems
	checkWindow(want, &p)
	forms(want.Account)[want.Kind].check(want, &p)
	p = slices.DeleteFunc(p, func(w cloud.Problem) bool { return !strings.HasPrefix(string(w.Attribute), "window.") })
	if len(p) > 0 {
		return refuse(opFuturePatch, p)
	}
	return nil
}

// immovable tells why the state lets nothing be changed; "" if it does (Compute
// Engine, "Modify future reservation requests").
func (c *Cloud) immovable(r cloud.Reservation) string {
	switch {
	case c.locked(r):
		return lockText(r) + " and cannot change any more"
	case r.NativeState == statePending || r.NativeState == stateAmending:
		why := "is " + r.NativeState + " and cannot change before Google Cloud has decided"
		if !r.FreeUntil.IsZero() {
			why += "; it locks at " + instant(r.FreeUntil)
		}
		return why
	}
	return ""
}

func (a futureReservations) patch(ctx context.Context, t target, paths []string, body *computepb.FutureReservation) error {
	err := a.c.write(ctx, t, opFuturePatch, func(ctx context.Context, id *string) (*compute.Operation, error) {
		return t.clients.futures.Update(ctx, &computepb.UpdateFutureReservationRequest{
			Project: t.name.project, Zone: t.name.zone, FutureReservation: t.name.id, RequestId: id,
			UpdateMask: proto.String(strings.Join(paths, ",")), FutureReservationResource: body,
		}, once)
	})
	var e *cloud.Error
	if !errors.As(err, &e) || e.Accepted || busy(err) {
		return err
	}
	switch e.Code {
	case cloud.QuotaExceeded:
		e.Quota = completed(e, t.name)
	case cloud.Invalid, cloud.Conflict, cloud.Unsupported:
		// It may have locked meanwhile, for which no code is documented.
		if now, readErr := a.get(ctx, t); readErr == nil && a.c.immovable(now) != "" {
			e.Code = cloud.Conflict
			e.Message = cloud.Clean(t.name.String() + " " + a.c.immovable(now) + ": " + e.Message)
		}
	}
	return err
}
