package awssim

import (
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// reservationType is the tag resource type, which the control API calls type.
const reservationType = "capacity-reservation"

// States of a reservation that an immediate one can have (section 4.3).
const (
	statePending   = "pending"
	stateActive    = "active"
	stateFailed    = "failed"
	stateExpired   = "expired"
	stateCancelled = "cancelled"
)

// failedVisible is how long a failed reservation is shown.
const failedVisible = 60 * time.Minute

// reservation is what the world's header does not know of a reservation.
type reservation struct {
	Platform       string    `json:"platform"`
	Tenancy        string    `json:"tenancy"`
	EBSOptimized   bool      `json:"ebs_optimized,omitempty"`
	Ephemeral      bool      `json:"ephemeral,omitempty"`
	Match          string    `json:"match"`
	PlacementGroup string    `json:"placement_group,omitempty"`
	Created        time.Time `json:"created"`
	ZoneID         string    `json:"zone_id"`
	// Failure is what a pending reservation turns to failed for.
	Failure string `json:"failure,omitempty"`
}

func reservationARN(region, account, id string) string {
	return "arn:aws:ec2:" + region + ":" + account + ":capacity-reservation/" + id
}

// reservationID is the short id, which is the object's alias.
func reservationID(obj *sim.Object) string {
	if len(obj.Aliases) == 0 {
		return obj.NativeID
	}
	return obj.Aliases[0]
}

func placeOf(obj *sim.Object) sim.Place {
	return sim.Place{
		Cloud: cloudName, Account: obj.Account, Region: obj.Region, Zone: obj.Zone, InstanceType: obj.InstanceType,
	}
}

func live(obj *sim.Object) bool { return obj.Status == statePending || obj.Status == stateActive }

// occupied is the number of instances that a reservation keeps from others:
// all of it while it lives, and after that what still runs in it as plain
// on-demand instances.
func occupied(obj *sim.Object) int {
	if obj.Type != reservationType {
		return 0
	}
	if live(obj) {
		return obj.Count
	}
	return obj.InUse.Count()
}

// end moves a reservation out of life and gives its stock back.
func end(tx *sim.Tx, obj *sim.Object, state string) {
	before := occupied(obj)
	obj.Status = state
	tx.Give(placeOf(obj), before-occupied(obj))
}

// dueReservation lets happen what time brings.
func dueReservation(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var r reservation
	// A payload that cannot be read was put there by hand: nothing to do.
	if err := obj.Decode(&r); err != nil {
		return
	}
	switch {
	case obj.Status == stateFailed:
		tx.Remove(obj)
	case obj.Status == statePending && r.Failure != "":
		end(tx, obj, stateFailed)
		obj.Due = at.Add(failedVisible)
	case obj.Status == statePending:
		obj.Status = stateActive
		obj.Due = obj.EndsAt
	case obj.Status == stateActive:
		// AWS says within the hour that follows; here at once.
		end(tx, obj, stateExpired)
	}
}

// node renders a reservation (section 4.2).
func (q *query) reservation(name string, obj *sim.Object) (node, *apiError) {
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return node{}, refusal(err)
	}
	endType := "unlimited"
	if !obj.EndsAt.IsZero() {
		endType = "limited"
	}
	n := el(name,
		text("capacityReservationId", reservationID(obj)),
		text("ownerId", obj.Account),
		text("capacityReservationArn", obj.NativeID),
		text("availabilityZoneId", r.ZoneID),
		text("instanceType", obj.InstanceType),
		text("instancePlatform", r.Platform),
		text("availabilityZone", obj.Zone),
		text("tenancy", r.Tenancy),
		number("totalInstanceCount", obj.Count),
		number("availableInstanceCount", max(obj.Count-obj.InUse.Count(), 0)),
		boolean("ebsOptimized", r.EBSOptimized),
		boolean("ephemeralStorage", r.Ephemeral),
		text("state", obj.Status),
		instant("startDate", obj.StartsAt),
		text("endDateType", endType),
		text("instanceMatchCriteria", r.Match),
		instant("createDate", r.Created),
		q.tagSet(obj.Tags),
		text("reservationType", "default"),
	)
	if !obj.EndsAt.IsZero() {
		n.kids = append(n.kids, instant("endDate", obj.EndsAt))
	}
	n.kids = append(n.kids, optional("placementGroupArn", r.PlacementGroup)...)
	if used := obj.InUse.Count(); used > 0 {
		n.kids = append(n.kids, el("capacityAllocationSet",
			item(text("allocationType", "used"), number("count", used))))
	}
	return n, nil
}

func (q *query) tagSet(tags map[string]string) node {
	set := el("tagSet")
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		set.kids = append(set.kids, item(text("key", key), text("value", tags[key])))
	}
	q.shuffle(set.kids)
	return set
}

var reservationIDForm = regexp.MustCompile(`^cr-[0-9a-f]{17}$`)

// find gets a reservation of the caller's account and region by its short id.
// Those of others are not found: nothing is shared here.
func (q *query) find(id string) (*sim.Object, *apiError) {
	if !reservationIDForm.MatchString(id) {
		return nil, fail(codeMalformed, "The capacity reservation ID %s is malformed", printable(id))
	}
	obj, ok := q.tx.Object(cloudName, id)
	if !ok || obj.Account != q.who.Account || obj.Region != q.region {
		return nil, fail(codeNotFound, "The capacity reservation ID '%s' was not found", id)
	}
	return obj, nil
}

// named gets the reservation that a request is about.
func (q *query) named() (*sim.Object, *apiError) {
	id, given := q.form["CapacityReservationId"]
	if !given || id == "" {
		return nil, missing("CapacityReservationId")
	}
	return q.find(id)
}

// Seed implements sim.Cloud: a reservation of a scenario. Its account is the
// ARN's, or the one of static keys.
func (s *Simulator) Seed(tx *sim.Tx, obj *sim.Object) error {
	if obj.Type != reservationType {
		return fail(codeInvalidValue, "type %q: this simulator keeps %q only", obj.Type, reservationType)
	}
	_, zoneID, known := s.catalog.zone(obj.Region, obj.Zone)
	if !known || s.catalog.Types[obj.InstanceType] == nil {
		return fail(codeInvalidValue, "no such place: %s %s %s", obj.Region, obj.Zone, obj.InstanceType)
	}
	if obj.Count < 1 || obj.InUse.Count() > obj.Count {
		return fail(codeInvalidValue, "count must be at least 1 and not below in_use")
	}
	if err := seedNames(tx, obj); err != nil {
		return err
	}
	if obj.Status == "" {
		obj.Status = stateActive
	}
	if obj.StartsAt.IsZero() {
		obj.StartsAt = tx.Now()
	}
	if obj.Status == stateActive {
		obj.Due = obj.EndsAt
	}
	return obj.Encode(reservation{
		Platform: "Linux/UNIX", Tenancy: "default", Match: "targeted", Created: obj.StartsAt, ZoneID: zoneID,
	})
}

var reservationARNForm = regexp.MustCompile(`^arn:aws:ec2:([a-z0-9-]+):(\d{12}):capacity-reservation/(cr-[0-9a-f]{17})$`)

// seedNames completes native id and alias from an ARN, a short id or nothing.
func seedNames(tx *sim.Tx, obj *sim.Object) error {
	obj.Account = staticAccount
	id := obj.NativeID
	if m := reservationARNForm.FindStringSubmatch(id); m != nil && m[1] == obj.Region {
		obj.Account, id = m[2], m[3]
	}
	if id == "" {
		id = "cr-" + tx.Hex(17)
	}
	if !reservationIDForm.MatchString(id) {
		return fail(codeMalformed, "native_id %s is neither an ARN of %s nor cr- and 17 digits", printable(obj.NativeID), obj.Region)
	}
	obj.NativeID, obj.Aliases = reservationARN(obj.Region, obj.Account, id), []string{id}
	return nil
}
