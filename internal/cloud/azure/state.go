package azure

import (
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// fill completes what follows from the state: what is really held is in the
// instance view, and the SKU has what was last asked for (Azure docs,
// capacity-reservation-modify).
func (s seen) fill(out *cloud.Reservation) {
	used := deref(s.view.UtilizationInfo)
	out.Count, out.InUse = int(deref(skuOf(s.r).Capacity)), usedOf(used)
	out.State = s.state()
	if out.State == cloud.Held {
		s.hold(out, used)
	}
	if s.over(*out) {
		out.State = cloud.Ended
	}
}

// hold is what a reservation that is held holds in fact.
func (s seen) hold(out *cloud.Reservation, used armcompute.CapacityReservationUtilization) {
	has := int(deref(used.CurrentCapacity))
	switch state := deref(s.p.ProvisioningState); {
	case strings.EqualFold(state, stateFailed):
		out.Unsettled = true
		if has > 0 || s.kind == cloud.OnDemand && used.CurrentCapacity != nil {
			// Before its start one for a date has nothing that would tell.
			out.Count = has
		}
	case strings.EqualFold(state, stateUpdating) && has > 0:
		out.Count = has
	case s.reservationState() == armcompute.ReservationStatePartiallyFulfilled && used.CurrentCapacity != nil:
		out.Missing = max(0, out.Count-has)
	}
}

// over tells a block that came to its end, by the cloud's time. One that is being
// deleted then is on its way out all the same.
func (s seen) over(out cloud.Reservation) bool {
	lasted := out.Kind == cloud.Block && out.State != cloud.Refused && out.State != cloud.Leaving
	return lasted && !s.now.IsZero() && !out.EndsAt.IsZero() && !s.now.Before(out.EndsAt)
}

// state is what the native states mean.
func (s seen) state() cloud.State {
	if !s.known() {
		return cloud.Unrecognized
	}
	switch strings.ToLower(deref(s.p.ProvisioningState)) {
	case strings.ToLower(stateCreating):
		return cloud.Pending
	case strings.ToLower(stateDeleting):
		return cloud.Leaving
	case strings.ToLower(stateFailed):
		if s.neverHeld() {
			return cloud.Refused
		}
		return s.promised()
	case strings.ToLower(stateSucceeded), strings.ToLower(stateUpdating):
		return s.promised()
	}
	return cloud.Unrecognized
}

// neverHeld tells a failure at creation: nothing is held, and no write ever
// succeeded (azure-cli recording test_capacity_reservation_operations, 2026-09:
// provisioningTime is absent until the first one does).
func (s seen) neverHeld() bool {
	return s.p.ProvisioningTime == nil && deref(deref(s.view.UtilizationInfo).CurrentCapacity) == 0
}

// promised is what the state of a reservation for a date means; others have none
// (armcompute v8.4, CapacityReservationStateInfo).
func (s seen) promised() cloud.State {
	switch state := s.reservationState(); state {
	case "":
		return cloud.Held
	case armcompute.ReservationStatePending:
		return cloud.Pending
	case armcompute.ReservationStateApproved, armcompute.ReservationStateCommitted, armcompute.ReservationStateLive,
		armcompute.ReservationStatePartiallyFulfilled:
		return cloud.Held
	case armcompute.ReservationStateDeclined, armcompute.ReservationStateFulfillmentFailed:
		return cloud.Refused
	}
	return cloud.Unrecognized
}

// committedUntil is until when giving up is not free: a block that was allocated
// until its end, a reservation for a date from its commitment on (armcompute v8.4,
// CapacityReservationsClient.BeginDelete).
func (s seen) committedUntil(out cloud.Reservation) time.Time {
	if !out.State.Live() {
		return time.Time{}
	}
	switch {
	case out.Kind == cloud.Block && (out.State == cloud.Held || out.State == cloud.Unrecognized):
		return out.EndsAt
	case out.Kind == cloud.Scheduled && s.committed() && !out.StartsAt.IsZero():
		until := out.StartsAt.AddDate(0, 0, int(deref(s.schedule.MinimumCommitmentDays)))
		if s.now.IsZero() || s.now.Before(until) {
			return until
		}
	}
	return time.Time{}
}

// fixed is what a reservation for a date does not take any more: it can change until
// the instant that it names, which a near start has none of, and again when its
// commitment is over, but for the start (armcompute v8.4, ScheduleProfile;
// azure-powershell, pull request 30118). That the count of a near one can change
// until the commitment is UNVERIFIED.
func (s seen) fixed(out cloud.Reservation) []cloud.Attribute {
	if out.Kind != cloud.Scheduled || !out.State.Live() {
		return nil
	}
	until := utc(s.schedule.ModifiableUntil)
	late := !until.IsZero() && !s.now.IsZero() && !s.now.Before(until)
	var fixed []cloud.Attribute
	if !out.CommittedUntil.IsZero() || late && !s.committed() {
		fixed = append(fixed, cloud.AttrCount)
	}
	if s.committed() || late || until.IsZero() {
		fixed = append(fixed, cloud.AttrStart)
	}
	return fixed
}

// committed tells a reservation for a date that cannot be changed any more.
func (s seen) committed() bool {
	switch s.reservationState() {
	case armcompute.ReservationStateCommitted, armcompute.ReservationStateLive, armcompute.ReservationStatePartiallyFulfilled:
		return true
	}
	return false
}
