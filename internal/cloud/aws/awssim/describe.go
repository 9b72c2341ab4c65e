package awssim

import (
	"strconv"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// describeReservations is DescribeCapacityReservations. Of known and unknown
// ids together none is answered; UNVERIFIED for this operation.
func describeReservations(q *query) ([]node, *apiError) {
	if err := checkFilters(q, reservationFilter); err != nil {
		return nil, err
	}
	found, err := q.reservations(q.form.list("CapacityReservationId"))
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, obj := range found {
		if !keep(q, obj, reservationFilter) {
			continue
		}
		n, err := q.reservation("item", obj)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj.Serial, n})
	}
	return q.page("capacityReservationSet", rows, limits{1, 1000})
}

// reservations are those named, or all of the caller's account and region.
func (q *query) reservations(ids []string) ([]*sim.Object, *apiError) {
	if q.req.Effects.Empty {
		return nil, nil
	}
	if len(ids) == 0 {
		return q.own(), nil
	}
	var found []*sim.Object
	seen := map[string]bool{}
	for _, id := range ids {
		obj, err := q.find(id)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			found = append(found, obj)
		}
		seen[id] = true
	}
	return found, nil
}

func (q *query) own() []*sim.Object { return q.ownOf(reservationType) }

// ownOf are the objects of a type of the caller's account and region.
func (q *query) ownOf(kind string) []*sim.Object {
	var own []*sim.Object
	for _, obj := range q.tx.Objects(cloudName, kind) {
		if obj.Account == q.who.Account && obj.Region == q.region {
			own = append(own, obj)
		}
	}
	return own
}

// reservationFilter reads the filters of section 4.7.
func reservationFilter(obj *sim.Object, name string) ([]string, bool) {
	if obj == nil {
		obj = &sim.Object{}
	}
	if values, ok := tagFilter(obj.Tags, name); ok {
		return values, true
	}
	var r reservation
	if len(obj.Payload) > 0 && obj.Decode(&r) != nil {
		return nil, false
	}
	values := map[string]string{
		"instance-type": obj.InstanceType, "owner-id": obj.Account, "availability-zone": obj.Zone, "state": obj.Status,
		"instance-platform": r.Platform, "tenancy": r.Tenancy, "instance-match-criteria": r.Match,
		"start-date": stamp(obj.StartsAt), "end-date": "", "end-date-type": "unlimited", "outpost-arn": "",
		"placement-group-arn": r.PlacementGroup,
	}
	if !obj.EndsAt.IsZero() {
		values["end-date"], values["end-date-type"] = stamp(obj.EndsAt), "limited"
	}
	value, known := values[name]
	return []string{value}, known
}

// reservationUsage is GetCapacityReservationUsage. Nothing is shared with
// other accounts, so the owner is the only user.
func reservationUsage(q *query) ([]node, *apiError) {
	obj, err := q.named()
	if err != nil {
		return nil, err
	}
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return nil, refusal(err)
	}
	total, available := r.instancesOf(obj)
	used := obj.InUse.Count()
	var rows []row
	if used > 0 {
		rows = append(rows, row{1, item(text("accountId", obj.Account), number("usedInstanceCount", used))})
	}
	set, err := q.page("instanceUsageSet", rows, limits{1, 1000})
	if err != nil {
		return nil, err
	}
	return append(set,
		text("capacityReservationId", reservationID(obj)),
		text("instanceType", obj.InstanceType),
		number("totalInstanceCount", total),
		number("availableInstanceCount", available),
		text("state", obj.Status),
	), nil
}

// instance is a user of a reservation or of a host.
type instance struct {
	id      string
	machine string // its type
	key     int64
	in      *sim.Object
}

// instances makes the users of a reservation or host. Where only their number is
// known, the ids are made of the reservation's and stay the same.
func (q *query) instances(obj *sim.Object) []instance {
	machine := q.sim.catalog.launchType(obj)
	var all []instance
	for n := range obj.InUse.Count() {
		id := "i-" + hexHash([]byte(obj.NativeID + strconv.Itoa(n)))[:17]
		if obj.InUse.Users != nil {
			id = obj.InUse.Users[n]
		}
		all = append(all, instance{id: id, machine: machine, key: obj.Serial*maxUsers + int64(n), in: obj})
	}
	return all
}

// maxUsers is above any reservation's use, so that keys of two do not meet.
const maxUsers = 1 << 20

// describeInstances is DescribeInstances, as far as it lists the users of
// reservations and hosts: no other instances exist here.
func describeInstances(q *query) ([]node, *apiError) {
	if err := checkFilters(q, instanceFilter); err != nil {
		return nil, err
	}
	wanted := q.form.list("InstanceId")
	missing := map[string]bool{}
	for _, id := range wanted {
		missing[id] = true
	}
	var rows []row
	for _, obj := range append(q.own(), q.ownOf(hostType)...) {
		for _, i := range q.instances(obj) {
			if len(wanted) > 0 && !missing[i.id] {
				continue
			}
			delete(missing, i.id)
			if keep(q, i, instanceFilter) {
				rows = append(rows, row{i.key, i.node(q.who.Account)})
			}
		}
	}
	for _, id := range wanted {
		if missing[id] && !q.req.Effects.Empty {
			return nil, fail("InvalidInstanceID.NotFound", "The instance ID %s does not exist", printable(id))
		}
	}
	return q.page("reservationSet", rows, limits{5, 1000})
}

// reservationOf is empty once the reservation ended: the instance goes on as a
// plain one.
func (i instance) reservationOf() string {
	if i.in.Type != reservationType || !live(i.in) {
		return ""
	}
	return reservationID(i.in)
}

// hostOf is empty for an instance that runs on shared hardware.
func (i instance) hostOf() string {
	if i.in.Type != hostType {
		return ""
	}
	return reservationID(i.in)
}

func (i instance) tenancy() string {
	if i.hostOf() != "" {
		return "host"
	}
	return "default"
}

func instanceFilter(i instance, name string) ([]string, bool) {
	if i.in == nil {
		i.in = &sim.Object{}
	}
	values := map[string]string{
		"capacity-reservation-id": i.reservationOf(), "instance-state-name": "running", "instance-state-code": "16",
		"instance-id": i.id, "instance-type": i.machine, "availability-zone": i.in.Zone, "owner-id": i.in.Account,
		"host-id": i.hostOf(), "tenancy": i.tenancy(),
	}
	value, known := values[name]
	return []string{value}, known
}

// node renders an instance within the reservation (in the old sense, one
// launch) that DescribeInstances groups by.
func (i instance) node(account string) node {
	placement := append([]node{text("availabilityZone", i.in.Zone), text("tenancy", i.tenancy())},
		optional("hostId", i.hostOf())...)
	details := item(
		text("instanceId", i.id),
		el("instanceState", number("code", 16), text("name", "running")),
		text("instanceType", i.machine),
		instant("launchTime", i.in.StartsAt),
		el("placement", placement...),
	)
	if id := i.reservationOf(); id != "" {
		details.kids = append(details.kids, text("capacityReservationId", id),
			el("capacityReservationSpecification", el("capacityReservationTarget",
				text("capacityReservationId", id))))
	}
	return item(
		text("reservationId", "r-"+hexHash([]byte(i.id))[:17]),
		text("ownerId", account),
		el("groupSet"),
		el("instancesSet", details),
	)
}
