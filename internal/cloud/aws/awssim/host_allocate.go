package awssim

import (
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// maxHosts bounds Quantity; AWS's bound is the limit of the family, so this
// one is UNVERIFIED.
const maxHosts = 100

func hostOperations() map[string]operation {
	specification := []string{
		"TagSpecification.N.ResourceType", "TagSpecification.N.Tag.N.Key", "TagSpecification.N.Tag.N.Value",
	}
	filter := []string{"Filter.N.Name", "Filter.N.Value.N", "MaxResults", "NextToken"}
	return map[string]operation{
		"AllocateHosts": {
			params: append([]string{
				"AutoPlacement", "AvailabilityZone", "AvailabilityZoneId", "ClientToken", "HostMaintenance", "HostRecovery",
				"InstanceFamily", "InstanceType", "Quantity",
			}, specification...),
			refused: []string{"AssetId", "CpuOptions", "OutpostArn"},
			bucket:  mutateBucket(), run: allocateHosts,
		},
		"DescribeHosts": {
			params: append([]string{"HostId.N"}, filter...),
			bucket: describeBucket(), read: true, run: describeHosts,
		},
		"ModifyHosts": {
			params: []string{"AutoPlacement", "HostId.N", "HostMaintenance", "HostRecovery", "InstanceFamily", "InstanceType"},
			bucket: mutateBucket(), run: modifyHosts,
		},
		"ReleaseHosts": {params: []string{"HostId.N"}, bucket: mutateBucket(), run: releaseHosts},
		"DescribeHostReservationOfferings": {
			params: append([]string{"MaxDuration", "MinDuration", "OfferingId"}, filter...),
			bucket: describeBucket(), read: true, run: describeHostOfferings,
		},
		"GetHostReservationPurchasePreview": {
			params: []string{"HostIdSet.N", "OfferingId"},
			bucket: describeBucket(), read: true, run: previewHostReservation,
		},
		"PurchaseHostReservation": {
			params: append([]string{"ClientToken", "CurrencyCode", "HostIdSet.N", "LimitPrice", "OfferingId"}, specification...),
			bucket: mutateBucket(), run: purchaseHostReservation,
		},
		"DescribeHostReservations": {
			params: append([]string{"HostReservationIdSet.N"}, filter...),
			bucket: describeBucket(), read: true, run: describeHostReservations,
		},
	}
}

// allocateHosts is AllocateHosts: all hosts or none.
func allocateHosts(q *query) ([]node, *apiError) {
	zone, zoneID, err := q.zone()
	if err != nil {
		return nil, err
	}
	token, replay, err := q.replay(zone)
	if err != nil {
		return nil, err
	}
	if replay != nil {
		return q.allocated(q.batch(replay)), nil
	}
	wanted, count, err := q.wantedHosts(zone)
	if err != nil {
		return nil, err
	}
	h, err := q.hostSettings(host{AutoPlacement: "off", Recovery: "off", Maintenance: "off"}, wanted)
	if err != nil {
		return nil, err
	}
	h.ZoneID, h.ClientToken = zoneID, q.form["ClientToken"]
	tags, err := q.newTags("TagSpecification", hostType)
	if err != nil {
		return nil, err
	}
	if err := q.checkHostQuota(hostFamily(wanted), count); err != nil {
		return nil, err
	}
	place := sim.Place{Cloud: cloudName, Account: q.who.Account, Region: q.region, Zone: zone, InstanceType: wanted}
	if !q.tx.Take(place, count) {
		return nil, fail(codeHostCapacity, "There is not enough capacity to fulfill your Dedicated Host request.")
	}
	hosts, err := q.insertHosts(place, count, h, tags)
	if err != nil {
		return nil, err
	}
	q.keepToken(token, hosts[0])
	return q.allocated(hosts), nil
}

// wantedHosts reads what kind of host is asked for, a size or a family, and
// how many.
func (q *query) wantedHosts(zone string) (string, int, *apiError) {
	wanted, err := q.typeOrFamily()
	if err != nil {
		return "", 0, err
	}
	if wanted == "" {
		return "", 0, missing("InstanceType or InstanceFamily")
	}
	if err := q.checkHostType(wanted); err != nil {
		return "", 0, err
	}
	if !q.sim.catalog.hostOffered(q.region, zone, wanted) {
		return "", 0, fail(codeHostUnsupported, "Dedicated Hosts of %s are not supported in %s.", wanted, zone)
	}
	count, given, err := q.form.whole("Quantity")
	if err != nil {
		return "", 0, err
	}
	if !given {
		return "", 0, missing("Quantity")
	}
	if count < 1 || count > maxHosts {
		return "", 0, invalid("Quantity", strconv.Itoa(count), "It must be between 1 and "+strconv.Itoa(maxHosts)+".")
	}
	return wanted, count, nil
}

// typeOrFamily reads the one of the two that is given; neither is empty.
func (q *query) typeOrFamily() (string, *apiError) {
	if q.form.has("InstanceType") && q.form.has("InstanceFamily") {
		return "", fail(codeInvalidCombination, "InstanceType and InstanceFamily are given together")
	}
	return q.form["InstanceType"] + q.form["InstanceFamily"], nil
}

// checkHostType refuses what does not exist and what hosts do not take
// (fact aws-6-types). A type where a family is asked for does not exist.
func (q *query) checkHostType(wanted string) *apiError {
	c := q.sim.catalog
	if q.form.has("InstanceType") {
		if c.Types[wanted] == nil {
			return invalid("InstanceType", printable(wanted), "There is no such instance type.")
		}
		if !c.onHosts(wanted) {
			return fail(codeHostUnsupported, "The instance type %s is not supported on Dedicated Hosts.", wanted)
		}
		return nil
	}
	if wanted != hostFamily(wanted) || c.hostMachine(wanted).vcpus == 0 {
		return invalid("InstanceFamily", printable(wanted), "There is no such instance family.")
	}
	if len(c.hostTypes(wanted)) == 0 {
		return fail(codeHostUnsupported, "The instance family %s is not supported on Dedicated Hosts.", wanted)
	}
	return nil
}

// hostOffered tells whether a zone offers a size, or any host size of a family.
func (c *catalog) hostOffered(region, zone, wanted string) bool {
	if c.Types[wanted] != nil {
		return c.offered(region, zone, wanted)
	}
	for _, name := range c.hostTypes(wanted) {
		if c.offered(region, zone, name) {
			return true
		}
	}
	return false
}

// hostSettings are settings with what the request says of them. What is absent
// is as it was.
func (q *query) hostSettings(h host, wanted string) (host, *apiError) {
	for name, at := range map[string]*string{
		"AutoPlacement": &h.AutoPlacement, "HostRecovery": &h.Recovery, "HostMaintenance": &h.Maintenance,
	} {
		if !q.form.has(name) {
			continue
		}
		value, err := q.form.choice(name, "off", "on")
		if err != nil {
			return host{}, err
		}
		*at = value
	}
	if family := hostFamily(wanted); h.Recovery == "on" && !q.sim.catalog.recoverable(family) {
		return host{}, fail(codeHostUnsupported, "Host recovery is not supported for %s.", family)
	}
	return h, nil
}

// insertHosts makes the hosts. By default they are available at once;
// operation_takes makes them pending first.
func (q *query) insertHosts(at sim.Place, count int, h host, tags map[string]string) ([]*sim.Object, *apiError) {
	status, due := hostAvailable, time.Time{}
	if effects := q.req.Effects; effects.OperationTakes != nil || effects.OperationError != nil {
		status, due = statePending, q.tx.Now()
		if effects.OperationTakes != nil {
			due = due.Add(*effects.OperationTakes)
		}
		if effects.OperationError != nil {
			h.Failure = effects.OperationError.Code
		}
	}
	var hosts []*sim.Object
	for range count {
		id := "h-" + q.tx.Hex(17)
		own, err := merge(tags, nil)
		if err != nil {
			return nil, err
		}
		obj := &sim.Object{
			Cloud: cloudName, Type: hostType, NativeID: hostARN(q.region, q.who.Account, id), Aliases: []string{id},
			Account: at.Account, Region: at.Region, Zone: at.Zone, InstanceType: at.InstanceType, Count: 1,
			Status: status, Due: due, Tags: own, StartsAt: q.tx.Now().Truncate(time.Millisecond),
		}
		hosts = append(hosts, obj)
		h.Batch = hosts[0].NativeID
		if err := obj.Encode(h); err != nil {
			return nil, refusal(err)
		}
		q.tx.Insert(obj)
	}
	return hosts, nil
}

// batch lists the hosts that came of one request with a host.
func (q *query) batch(first *sim.Object) []*sim.Object {
	var all []*sim.Object
	for _, obj := range q.ownOf(hostType) {
		var h host
		if obj.Decode(&h) == nil && h.Batch == first.NativeID {
			all = append(all, obj)
		}
	}
	return all
}

func (q *query) allocated(hosts []*sim.Object) []node {
	if len(hosts) > 0 {
		q.req.NativeID = hosts[0].NativeID
	}
	set := el("hostIdSet")
	for _, obj := range hosts {
		set.kids = append(set.kids, text("item", reservationID(obj)))
	}
	q.shuffle(set.kids)
	return []node{set}
}
