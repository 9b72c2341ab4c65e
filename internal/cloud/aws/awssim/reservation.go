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
	// Failure is what a request fails for that was accepted.
	Failure string `json:"failure,omitempty"`
	// Future is what a future-dated reservation is bound to.
	Future *commitment `json:"future,omitempty"`
	// Undelivered is set until capacity is there for the first time.
	Undelivered bool `json:"undelivered,omitempty"`
}

// Tags that AWS itself sets.
const (
	wantedCountTag = "aws:ec2capacityreservation:incrementalRequestedQuantity"
	blockTag       = "aws:ec2capacityreservation:capacityReservationType"
)

// instancesOf are the counts that a reservation shows: none before its
// capacity is there, none left while it is wound down.
func (r *reservation) instancesOf(obj *sim.Object) (total, available int) {
	if r.Undelivered && !live(obj) {
		return 0, 0
	}
	if obj.Status == stateCancelling {
		return obj.Count, 0
	}
	return obj.Count, max(obj.Count-obj.InUse.Count(), 0)
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

// node renders a reservation (section 4.2).
func (q *query) reservation(name string, obj *sim.Object) (node, *apiError) {
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return node{}, refusal(err)
	}
	total, available := r.instancesOf(obj)
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
		number("totalInstanceCount", total),
		number("availableInstanceCount", available),
		boolean("ebsOptimized", r.EBSOptimized),
		boolean("ephemeralStorage", r.Ephemeral),
		text("state", obj.Status),
		instant("startDate", obj.StartsAt),
		text("endDateType", endType),
		text("instanceMatchCriteria", r.Match),
		instant("createDate", r.Created),
		q.tagSet(obj.Tags),
		text("reservationType", kindOf(obj)),
	)
	if !obj.EndsAt.IsZero() {
		n.kids = append(n.kids, instant("endDate", obj.EndsAt))
	}
	n.kids = append(n.kids, optional("placementGroupArn", r.PlacementGroup)...)
	n.kids = append(n.kids, optional("capacityBlockId", blockID(obj))...)
	n.kids = append(n.kids, r.commitmentNodes(obj)...)
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
