package google

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opFutureGet = "compute.futureReservations.get"

// Values of a future reservation (discovery document, FutureReservation).
const (
	planned      = "SUBMITTED"
	modeDefault  = "DEFAULT"
	modeCalendar = "CALENDAR"
	dense        = "DENSE"
)

// Procurement states that more than the table of states looks at.
const (
	stateDrafting  = "DRAFTING"
	statePending   = "PENDING_APPROVAL"
	stateAmending  = "PENDING_AMENDMENT_APPROVAL"
	stateCancelled = "CANCELLED"
	statePartial   = "FAILED_PARTIALLY_FULFILLED"
)

// futureReservations is the api of the collection futureReservations. One and
// the reservation that it creates at its start are one cloud.Reservation: the
// future one, with the use that is made of the other.
type futureReservations struct{ c *Cloud }

func (a futureReservations) get(ctx context.Context, t target) (cloud.Reservation, error) {
	found, err := a.read(ctx, t)
	if err != nil {
		return cloud.Reservation{}, err
	}
	r, err := a.c.decodeFuture(ctx, t.account, t.name.project, found)
	if err != nil {
		return cloud.Reservation{}, err
	}
	for _, n := range deliveredBy(t.name.project, found) {
		delivered, err := onDemandReservations(a).read(ctx, target{name: n, clients: t.clients})
		switch {
		case cloud.CodeOf(err) == cloud.NotFound:
		case err != nil:
			return cloud.Reservation{}, err
		default:
			r.InUse += int(delivered.GetSpecificReservation().GetInUseCount())
		}
	}
	return r, nil
}

// read reads the future reservation alone.
func (a futureReservations) read(ctx context.Context, t target) (*computepb.FutureReservation, error) {
	found, err := call(ctx, a.c, opFutureGet, func(ctx context.Context) (*computepb.FutureReservation, error) {
		return t.clients.futures.Get(ctx, &computepb.GetFutureReservationRequest{
			Project: t.name.project, Zone: t.name.zone, FutureReservation: t.name.id,
		}, once)
	})
	if err != nil {
		return nil, err
	}
	return found, answers(opFutureGet, t.name, found)
}

// deliveredBy are the reservations that a future one created. The links may name
// the project by its number; it is that of the future reservation.
func deliveredBy(project string, f *computepb.FutureReservation) []name {
	var all []name
	for _, link := range f.GetStatus().GetAutoCreatedReservations() {
		if match := pathForm.FindStringSubmatch(link); match != nil && collection(match[3]) == reservations {
			all = append(all, name{project: project, zone: match[2], collection: reservations, id: match[4]})
		}
	}
	return all
}

// decodeFuture reads a future reservation, without the use that is made of it.
func (c *Cloud) decodeFuture(ctx context.Context, account, project string, f *computepb.FutureReservation) (cloud.Reservation, error) {
	zone := last(f.GetZone())
	n := name{project: project, zone: zone, collection: futures, id: f.GetName()}
	properties := f.GetSpecificSkuProperties().GetInstanceProperties()
	native := f.GetStatus().GetProcurementStatus()
	out := cloud.Reservation{
		Ref:          cloud.Ref{Account: account, NativeID: n.String()},
		AccountID:    project,
		Region:       n.region(),
		Zone:         zone,
		Kind:         cloud.Scheduled,
		InstanceType: last(properties.GetMachineType()),
		Count:        int(f.GetSpecificSkuProperties().GetTotalCount()),
		Match:        cloud.Open,
		NativeState:  native,
		CreatedAt:    parseTime(f.GetCreationTimestamp()),
		Mark:         readMark(f.GetDescription()),
		NativeName:   f.GetName(),
		Native:       nativeOf(properties),
	}
	if f.GetReservationMode() == modeCalendar {
		out.Kind = cloud.Block
	}
	if f.GetSpecificReservationRequired() {
		out.Match = cloud.Targeted
	}
	out.StartsAt, out.EndsAt = windowOf(f.GetTimeWindow())
	out.UsableUntil = out.EndsAt
	out.Native[optDeployment] = strings.ToLower(f.GetDeploymentType())
	out.State = c.futureState(native, out.EndsAt)
	if native == statePartial {
		out.Missing = max(0, out.Count-int(f.GetStatus().GetFulfilledCount()))
	}
	if out.State.Live() {
		out.CommittedUntil, out.FreeUntil = commitmentOf(native, parseTime(f.GetStatus().GetLockTime()), out.EndsAt)
		out.Locked = c.locked(out)
	}
	var err error
	out.ShareWith, out.Unresolved, err = c.sharedWith(ctx, f.GetShareSettings())
	return out, err
}

// windowOf is a window as start and end, to what can be asked for: the service
// converts a duration, with nanoseconds.
func windowOf(w *computepb.FutureReservationTimeWindow) (start, end time.Time) {
	start, end = sendable(parseTime(w.GetStartTime())), sendable(parseTime(w.GetEndTime()))
	if length := w.GetDuration().GetSeconds(); end.IsZero() && length > 0 && !start.IsZero() {
		end = start.Add(time.Duration(length) * time.Second)
	}
	return start, end
}

// futureState is what a state means (discovery document,
// FutureReservationStatus.procurementStatus). There is none for what came to its
// end: the cloud's time tells.
func (c *Cloud) futureState(native string, end time.Time) cloud.State {
	state := stateOfFuture(native)
	if state.Live() && c.over(end) {
		return cloud.Ended
	}
	return state
}

func stateOfFuture(native string) cloud.State {
	switch native {
	case stateDrafting, statePending:
		return cloud.Pending
	case "APPROVED", "COMMITTED", "PROCURING", "PROVISIONING", "FULFILLED",
		// What was approved stays promised while more is asked for.
		stateAmending,
		// What was delivered is held; the rest will never come.
		statePartial:
		return cloud.Held
	case "DECLINED", "FAILED":
		return cloud.Refused
	case stateCancelled:
		return cloud.Gone
	}
	return cloud.Unrecognized
}

// lockedStates come after the lock (discovery document, the same).
var lockedStates = []string{"PROCURING", "PROVISIONING", "FULFILLED", statePartial}

// commitmentOf is until when giving up is not free, and until when it still is all the
// same: a request can be cancelled until it locks (Compute Engine, "Cancel or
// delete future reservation requests").
func commitmentOf(native string, lock, end time.Time) (committed, free time.Time) {
	if lock.IsZero() && !slices.Contains(lockedStates, native) {
		return time.Time{}, time.Time{}
	}
	return end, lock
}

// locked tells whether a live reservation can no longer be changed or given up.
func (c *Cloud) locked(r cloud.Reservation) bool {
	if slices.Contains(lockedStates, r.NativeState) {
		return true
	}
	now, ok := c.dates.Now()
	return ok && !r.FreeUntil.IsZero() && !now.Before(r.FreeUntil)
}

// lockText says since when, as far as it is known.
func lockText(r cloud.Reservation) string {
	if r.FreeUntil.IsZero() {
		return "is locked (" + r.NativeState + ")"
	}
	return "is locked since " + instant(r.FreeUntil) + " (" + r.NativeState + ")"
}
