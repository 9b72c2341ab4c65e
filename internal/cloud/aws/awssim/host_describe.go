package awssim

import (
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// describeHosts is DescribeHosts. Of known and unknown ids together none is
// answered; UNVERIFIED.
func describeHosts(q *query) ([]node, *apiError) {
	ids := q.form.list("HostId")
	if len(ids) > 0 && q.form.has("MaxResults") {
		return nil, fail(codeInvalidCombination, "MaxResults and HostId are given together")
	}
	filter := func(obj *sim.Object, name string) ([]string, bool) { return q.hostFilter(obj, name) }
	if err := checkFilters(q, filter); err != nil {
		return nil, err
	}
	hosts, err := q.pick(hostType, ids, q.findHost)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, obj := range hosts {
		if !keep(q, obj, filter) {
			continue
		}
		n, err := q.host(obj)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj.Serial, n})
	}
	return q.page("hostSet", rows, limits{5, 500})
}

// pick are the objects named, or all of a type; all or an error.
func (q *query) pick(kind string, ids []string, find func(string) (*sim.Object, *apiError)) ([]*sim.Object, *apiError) {
	if q.req.Effects.Empty {
		return nil, nil
	}
	if len(ids) == 0 {
		return q.ownOf(kind), nil
	}
	var found []*sim.Object
	for _, id := range ids {
		obj, err := find(id)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, obj) {
			found = append(found, obj)
		}
	}
	return found, nil
}

// hostFilter reads the filters that the model names: there is tag-key, but no
// tag:KEY.
func (q *query) hostFilter(obj *sim.Object, name string) ([]string, bool) {
	if obj == nil {
		obj = &sim.Object{}
	}
	if name == "tag-key" {
		return tagFilter(obj.Tags, name)
	}
	var h host
	if len(obj.Payload) > 0 && obj.Decode(&h) != nil {
		return nil, false
	}
	values := map[string]string{
		"auto-placement": h.AutoPlacement, "availability-zone": obj.Zone, "client-token": h.ClientToken,
		"host-reservation-id": q.coverOf(obj), "instance-type": obj.InstanceType, "state": obj.Status,
	}
	if takesFamily(obj) {
		values["instance-type"] = ""
	}
	value, known := values[name]
	return []string{value}, known
}

// host renders a host (section 6).
func (q *query) host(obj *sim.Object) (node, *apiError) {
	var h host
	if err := obj.Decode(&h); err != nil {
		return node{}, refusal(err)
	}
	several := "off"
	if takesFamily(obj) {
		several = "on"
	}
	n := item(
		text("hostId", reservationID(obj)),
		text("state", obj.Status),
		text("ownerId", obj.Account),
		text("availabilityZone", obj.Zone),
		text("availabilityZoneId", h.ZoneID),
		text("autoPlacement", h.AutoPlacement),
		text("hostRecovery", h.Recovery),
		text("hostMaintenance", h.Maintenance),
		text("allowsMultipleInstanceTypes", several),
		boolean("memberOfServiceLinkedResourceGroup", false),
		instant("allocationTime", obj.StartsAt),
		q.hostProperties(obj),
		q.hostCapacity(obj),
		q.hostInstances(obj),
		q.tagSet(obj.Tags),
	)
	n.kids = append(n.kids, optional("clientToken", h.ClientToken)...)
	n.kids = append(n.kids, optional("hostReservationId", q.coverOf(obj))...)
	if !h.Released.IsZero() {
		n.kids = append(n.kids, instant("releaseTime", h.Released))
	}
	return n, nil
}

func (q *query) hostProperties(obj *sim.Object) node {
	m := q.sim.catalog.hostMachine(hostFamily(obj.InstanceType))
	n := el("hostProperties",
		number("cores", m.cores), text("instanceFamily", hostFamily(obj.InstanceType)),
		number("sockets", m.sockets), number("totalVCpus", m.vcpus))
	if !takesFamily(obj) {
		n.kids = append(n.kids, text("instanceType", obj.InstanceType))
	}
	return n
}

// hostCapacity is what is left for further instances: of the host's size, or
// of each size of its family.
func (q *query) hostCapacity(obj *sim.Object) node {
	c, used := q.sim.catalog, obj.InUse.Count()
	launched := c.launchType(obj)
	free := max(c.hostMachine(hostFamily(obj.InstanceType)).vcpus-used*c.vcpus(launched), 0)
	sizes := []string{launched}
	if takesFamily(obj) {
		sizes = c.hostTypes(obj.InstanceType)
	}
	set := el("availableInstanceCapacity")
	for _, size := range sizes {
		left := min(free/max(c.vcpus(size), 1), c.perHost(size))
		if size == launched {
			left = max(c.perHost(size)-used, 0)
		}
		set.kids = append(set.kids, item(
			number("availableCapacity", left), text("instanceType", size), number("totalCapacity", c.perHost(size))))
	}
	return el("availableCapacity", set, number("availableVCpus", free))
}

func (q *query) hostInstances(obj *sim.Object) node {
	set := el("instances")
	for _, i := range q.instances(obj) {
		set.kids = append(set.kids, item(text("instanceId", i.id), text("instanceType", i.machine), text("ownerId", obj.Account)))
	}
	q.shuffle(set.kids)
	return set
}
