package azure

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Native options, by attribute name.
const (
	optResourceGroup  = "resource_group"
	optGroup          = "group_id"
	optCommitmentDays = "minimum_commitment_days"
)

// opRead is the operation whose answers are read here.
const opRead = "CapacityReservations_Get"

// Provisioning states (armcompute v8.4, examples; Azure docs,
// capacity-reservation-modify). The full list is UNVERIFIED.
const (
	stateCreating  = "Creating"
	stateUpdating  = "Updating"
	stateSucceeded = "Succeeded"
	stateFailed    = "Failed"
	stateDeleting  = "Deleting"
)

// decode reads a reservation in its group, at a time of the cloud's; zero is a time
// that is not known. A view that the reservation lacks is taken from the group's.
func decode(account string, r *armcompute.CapacityReservation, g *armcompute.CapacityReservationGroup, now time.Time) (cloud.Reservation, error) {
	id, err := parseID(deref(r.ID))
	if err != nil {
		return cloud.Reservation{}, &cloud.Error{
			Code: cloud.Internal, Op: opRead,
			Message: cloud.Clean("the answer names no capacity reservation: \"" + deref(r.ID) + "\""),
		}
	}
	s := seen{id: id, r: r, p: propertiesOf(r), g: g, gp: groupProperties(g), now: now}
	s.view = s.viewOf()
	s.kind, s.schedule = s.kindOf()
	tags := tagsOf(r.Tags)
	out := cloud.Reservation{
		Ref:          cloud.Ref{Account: account, NativeID: id.String()},
		AccountID:    id.subscription,
		Region:       locationOf(deref(r.Location)),
		Zone:         zoneOf(r.Zones),
		Kind:         s.kind,
		InstanceType: deref(skuOf(r).Name),
		Match:        cloud.Targeted,
		NativeState:  s.nativeState(),
		CreatedAt:    utc(s.p.TimeCreated),
		Mark:         readMark(tags),
		NativeName:   id.name,
		Tags:         userTags(tags),
		Native:       s.native(),
	}
	if strings.EqualFold(string(deref(s.gp.ReservationType)), string(armcompute.ReservationTypeOpen)) {
		out.Match = cloud.Open
	}
	out.StartsAt, out.EndsAt = s.window(out.CreatedAt)
	out.UsableUntil = out.EndsAt
	s.fill(&out)
	out.CommittedUntil = s.committedUntil(out)
	out.Fixed = s.fixed(out)
	if isOwn(id, g) {
		// With whom a group of somebody else's is shared is that one's to say.
		out.ShareWith, out.Unresolved = sharedWith(s.gp.SharingProfile)
	}
	return out, nil
}

// seen is a reservation with what tells of it.
type seen struct {
	id       reservationID
	r        *armcompute.CapacityReservation
	p        armcompute.CapacityReservationProperties
	g        *armcompute.CapacityReservationGroup
	gp       armcompute.CapacityReservationGroupProperties
	view     armcompute.CapacityReservationInstanceView
	kind     cloud.Kind
	schedule armcompute.ScheduleProfile
	now      time.Time
}

func propertiesOf(r *armcompute.CapacityReservation) armcompute.CapacityReservationProperties {
	return deref(r.Properties)
}

func groupProperties(g *armcompute.CapacityReservationGroup) armcompute.CapacityReservationGroupProperties {
	return deref(deref(g).Properties)
}

func skuOf(r *armcompute.CapacityReservation) armcompute.SKU { return deref(r.SKU) }

// viewOf is the instance view, of the group where the reservation has none.
func (s seen) viewOf() armcompute.CapacityReservationInstanceView {
	if s.p.InstanceView != nil {
		return *s.p.InstanceView
	}
	for _, v := range deref(s.gp.InstanceView).CapacityReservations {
		if v != nil && strings.EqualFold(deref(v.Name), s.id.name) {
			return armcompute.CapacityReservationInstanceView{
				ReservationStateInfo: v.ReservationStateInfo, Statuses: v.Statuses, UtilizationInfo: v.UtilizationInfo,
			}
		}
	}
	return armcompute.CapacityReservationInstanceView{}
}

// kindOf tells a block by its group and a reservation for a date by its schedule.
func (s seen) kindOf() (cloud.Kind, armcompute.ScheduleProfile) {
	schedule := deref(s.p.ScheduleProfile)
	group := string(deref(s.gp.ReservationType))
	switch {
	case strings.EqualFold(group, string(armcompute.ReservationTypeBlock)), deref(schedule.End) != "":
		return cloud.Block, schedule
	case deref(schedule.Start) != "":
		return cloud.Scheduled, schedule
	}
	return cloud.OnDemand, schedule
}

// known tells whether the group is of a type that this package knows: the
// specification speaks of more to come (azure-rest-api-specs, pull request 42648).
func (s seen) known() bool {
	group := string(deref(s.gp.ReservationType))
	return group == "" || slices.ContainsFunc(armcompute.PossibleReservationTypeValues(), func(t armcompute.ReservationType) bool {
		return strings.EqualFold(string(t), group)
	})
}

// reservationState is that of a reservation for a date, "" where there is none.
func (s seen) reservationState() armcompute.ReservationState {
	return deref(deref(s.view.ReservationStateInfo).ReservationState)
}

// nativeState is the finest of the cloud's own words.
func (s seen) nativeState() string {
	state := deref(s.p.ProvisioningState)
	switch {
	case !s.known():
		return string(deref(s.gp.ReservationType)) + " " + state
	case strings.EqualFold(state, stateFailed):
		if why := failureOf(opRead, s.view.Statuses); why != nil && why.Native != "" {
			return state + ": " + why.Native
		}
	case s.reservationState() != "":
		return string(s.reservationState())
	}
	return state
}

// window is when it starts and ends.
func (s seen) window(created time.Time) (starts, ends time.Time) {
	switch s.kind {
	case cloud.Block:
		return blockStart(deref(s.schedule.Start)), blockEnd(deref(s.schedule.End))
	case cloud.Scheduled:
		return instantOf(deref(s.schedule.Start)), time.Time{}
	}
	return created, time.Time{}
}

// native are the options that it shows.
func (s seen) native() map[string]string {
	native := map[string]string{optResourceGroup: s.id.resourceGroup, optGroup: ""}
	if !isOwn(s.id, s.g) {
		native[optGroup] = s.id.groupID.String()
	}
	if s.kind == cloud.Scheduled && s.schedule.MinimumCommitmentDays != nil {
		native[optCommitmentDays] = strconv.Itoa(int(*s.schedule.MinimumCommitmentDays))
	}
	return native
}

// isOwn tells a group that was made with the reservation and goes with it: it has
// its name and our mark, complete.
func isOwn(id reservationID, g *armcompute.CapacityReservationGroup) bool {
	mark := readMark(tagsOf(deref(g).Tags))
	return id.namesake() && mark.Owner != "" && mark.Type != "" && mark.Name == id.name
}

// sharedWith are the subscriptions that a group is shared with, sorted, and what is
// named there and is none.
func sharedWith(profile *armcompute.ResourceSharingProfile) (with, unresolved []string) {
	for _, s := range deref(profile).SubscriptionIDs {
		text := deref(deref(s).ID)
		if id, ok := subscriptionID(text); ok {
			with = append(with, id)
			continue
		}
		unresolved = append(unresolved, text)
	}
	slices.Sort(with)
	return slices.Compact(with), unresolved
}

// zoneOf is the one zone, "" of a regional reservation.
func zoneOf(zones []*string) string {
	if len(zones) == 0 {
		return ""
	}
	return deref(zones[0])
}

func utc(t *time.Time) time.Time { return deref(t).UTC() }

// usedOf is how many instances use it. What an open reservation is used for is told
// by subscription only.
func usedOf(u armcompute.CapacityReservationUtilization) int {
	shared := 0
	for _, n := range u.UsedReservedCountBySubscription {
		shared += int(deref(n))
	}
	return max(len(u.VirtualMachinesAllocated), shared)
}

// machinesOf are the ids of machines that are associated with it, also of those
// that are not running.
func machinesOf(r *armcompute.CapacityReservation) []string {
	var ids []string
	for _, m := range propertiesOf(r).VirtualMachinesAssociated {
		ids = append(ids, deref(deref(m).ID))
	}
	return ids
}

// allocatedOf are the ids of machines that use its capacity now.
func allocatedOf(r *armcompute.CapacityReservation) []string {
	var ids []string
	for _, m := range deref(deref(propertiesOf(r).InstanceView).UtilizationInfo).VirtualMachinesAllocated {
		ids = append(ids, deref(deref(m).ID))
	}
	return ids
}
