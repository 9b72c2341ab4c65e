package awssim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	// blockKind is a block's reservationType, and the value of blockTag.
	blockKind = "capacity-block"
	// cutAhead is how long before its end a block's instances are ended
	// (fact aws-5-end).
	cutAhead = 30 * time.Minute
	// maxBlocksInstances is the sum over an account's blocks at any time; AWS
	// counts by organization.
	maxBlocksInstances = 256
)

// blockID is the id of the capacity block that a reservation is of, its second
// alias: a block of instances has one reservation.
func blockID(obj *sim.Object) string {
	if len(obj.Aliases) < 2 {
		return ""
	}
	return obj.Aliases[1]
}

func isBlock(obj *sim.Object) bool { return blockID(obj) != "" }

func kindOf(obj *sim.Object) string {
	if isBlock(obj) {
		return blockKind
	}
	return "default"
}

func cutAt(obj *sim.Object) time.Time { return obj.EndsAt.Add(-cutAhead) }

// blockStays refuses what no block can be; the code is UNVERIFIED.
func blockStays(obj *sim.Object, what string) *apiError {
	return fail(codeUnsupportedOperation, "'%s' is a Capacity Block and cannot be %s", reservationID(obj), what)
}

// makeBlock gives a reservation what a block has beyond others.
func makeBlock(tx *sim.Tx, obj *sim.Object) {
	obj.Aliases = append(obj.Aliases, "cb-"+tx.Hex(17))
	obj.Tags[blockTag], obj.Tags[wantedCountTag] = blockKind, strconv.Itoa(obj.Count)
}

func blockOperations() map[string]operation {
	return map[string]operation{
		"DescribeCapacityBlockOfferings": {
			params: []string{
				"AllAvailabilityZones", "CapacityDurationHours", "DryRun", "EndDateRange", "InstanceCount", "InstanceType",
				"MaxResults", "NextToken", "StartDateRange",
			},
			refused: []string{"UltraserverCount", "UltraserverType"},
			bucket:  blockBucket(), read: true, run: blockOffers,
		},
		"PurchaseCapacityBlock": {
			params: []string{
				"CapacityBlockOfferingId", "DryRun", "InstancePlatform", "TagSpecification.N.ResourceType",
				"TagSpecification.N.Tag.N.Key", "TagSpecification.N.Tag.N.Value",
			},
			bucket: blockBucket(), run: purchaseBlock,
		},
		"DescribeCapacityBlocks": {
			params: filterParams("CapacityBlockId.N", "MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: describeBlocks,
		},
		"DescribeCapacityBlockStatus": {
			params: filterParams("CapacityBlockId.N", "MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: blockStatus,
		},
	}
}

// blockPlatforms are those that a block can be bought for.
func blockPlatforms() []string {
	return []string{"Linux/UNIX", "Red Hat Enterprise Linux", "RHEL with HA", "SUSE Linux", "Ubuntu Pro"}
}

// purchaseBlock is PurchaseCapacityBlock. There is no token: each call buys.
// What is wanted by another by now is refused like any lack of stock; that
// code is UNVERIFIED.
func purchaseBlock(q *query) ([]node, *apiError) {
	obj, r, err := q.boughtBlock()
	if err != nil {
		return nil, err
	}
	if err := q.checkBlockLimit(obj); err != nil {
		return nil, err
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	if !q.tx.Take(placeOf(obj), obj.Count) {
		return nil, fail(codeCapacity, "Insufficient capacity.")
	}
	obj.Due, r.Failure = q.payment(q.tx.Now().Add(paymentTime))
	if err := obj.Encode(r); err != nil {
		return nil, refusal(err)
	}
	q.tx.Insert(obj)
	q.req.NativeID = obj.NativeID
	nodes, err := q.created(obj)
	if err != nil {
		return nil, err
	}
	return append(nodes, el("capacityBlockSet", q.blockNode(obj, r))), nil
}

// boughtBlock makes the reservation of what a purchase asks for.
func (q *query) boughtBlock() (*sim.Object, *reservation, *apiError) {
	offered, _, err := q.offered(blockOfferType, "CapacityBlockOfferingId")
	if err != nil {
		return nil, nil, err
	}
	platform := q.form["InstancePlatform"]
	if platform == "" {
		return nil, nil, missing("InstancePlatform")
	}
	if !slices.Contains(blockPlatforms(), platform) {
		return nil, nil, invalid("InstancePlatform", printable(platform), "Valid values: "+strings.Join(blockPlatforms(), ", ")+".")
	}
	tags, err := q.newTags("TagSpecification", reservationType, blockKind)
	if err != nil {
		return nil, nil, err
	}
	_, zoneID, _ := q.sim.catalog.zone(q.region, offered.Zone)
	obj := q.newReservation(sim.Object{
		Zone: offered.Zone, InstanceType: offered.InstanceType, Count: offered.Count, Tags: tags,
		StartsAt: offered.StartsAt, EndsAt: offered.EndsAt, Status: statePaymentPending,
	})
	makeBlock(q.tx, obj)
	return obj, &reservation{
		Created: q.tx.Now().Truncate(time.Millisecond), Platform: platform, Tenancy: "default", Match: "targeted",
		ZoneID: zoneID, Undelivered: true,
	}, nil
}

// checkBlockLimit refuses more instances in blocks than an account may have at
// a time. The code is UNVERIFIED.
func (q *query) checkBlockLimit(wanted *sim.Object) *apiError {
	sum := wanted.Count
	for _, obj := range q.own() {
		if isBlock(obj) && occupied(obj) > 0 && obj.StartsAt.Before(wanted.EndsAt) && wanted.StartsAt.Before(obj.EndsAt) {
			sum += obj.Count
		}
	}
	if sum > maxBlocksInstances {
		return fail(codeInstanceLimit, "Capacity Blocks of one date have at most %d instances together; these would be %d",
			maxBlocksInstances, sum)
	}
	return nil
}

func (q *query) blockNode(obj *sim.Object, r *reservation) node {
	return item(
		text("capacityBlockId", blockID(obj)),
		text("availabilityZone", obj.Zone),
		text("availabilityZoneId", r.ZoneID),
		el("capacityReservationIdSet", text("item", reservationID(obj))),
		instant("startDate", obj.StartsAt),
		instant("endDate", obj.EndsAt),
		instant("createDate", r.Created),
		text("state", obj.Status),
		q.tagSet(obj.Tags),
	)
}

// blocks are those named, or all of the caller's account and region. The code
// for an unknown one is UNVERIFIED.
func (q *query) blocks() ([]*sim.Object, *apiError) {
	ids := q.form.list("CapacityBlockId")
	unknown := map[string]bool{}
	for _, id := range ids {
		unknown[id] = true
	}
	var found []*sim.Object
	for _, obj := range q.own() {
		if isBlock(obj) && named(ids, blockID(obj)) {
			found = append(found, obj)
			delete(unknown, blockID(obj))
		}
	}
	if len(unknown) > 0 && !q.req.Effects.Empty {
		return nil, invalid("CapacityBlockId", printable(slices.Sorted(maps.Keys(unknown))[0]), "There is no such Capacity Block.")
	}
	return found, nil
}

// blockFilter reads the filters of DescribeCapacityBlocks.
func blockFilter(obj *sim.Object, name string) ([]string, bool) {
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
		"capacity-block-id": blockID(obj), "ultraserver-type": "instances", "availability-zone": obj.Zone,
		"start-date": stamp(obj.StartsAt), "end-date": stamp(obj.EndsAt), "create-date": stamp(r.Created), "state": obj.Status,
	}
	value, known := values[name]
	return []string{value}, known
}

// describeBlocks is DescribeCapacityBlocks.
func describeBlocks(q *query) ([]node, *apiError) {
	return listBlocks(q, "capacityBlockSet", blockFilter, func(obj *sim.Object) (node, *apiError) {
		var r reservation
		if err := obj.Decode(&r); err != nil {
			return node{}, refusal(err)
		}
		return q.blockNode(obj, &r), nil
	})
}

func listBlocks(q *query, name string, filter filters[*sim.Object], show func(*sim.Object) (node, *apiError)) ([]node, *apiError) {
	if err := checkFilters(q, filter); err != nil {
		return nil, err
	}
	found, err := q.blocks()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, obj := range found {
		if !keep(q, obj, filter) {
			continue
		}
		n, err := show(obj)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj.Serial, n})
	}
	return q.page(name, rows, limits{1, 1000})
}

// interconnect is known while there are instances that could report.
func interconnect(obj *sim.Object) string {
	if obj.Status == stateActive {
		return "ok"
	}
	return "insufficient-data"
}

func interconnectFilter(obj *sim.Object, name string) ([]string, bool) {
	if obj == nil {
		obj = &sim.Object{}
	}
	return []string{interconnect(obj)}, name == "interconnect-status"
}

// blockStatus is DescribeCapacityBlockStatus. No hardware breaks here, so
// nothing is unavailable.
func blockStatus(q *query) ([]node, *apiError) {
	return listBlocks(q, "capacityBlockStatusSet", interconnectFilter, func(obj *sim.Object) (node, *apiError) {
		total := 0
		if obj.Status == stateActive {
			total = obj.Count
		}
		counts := []node{
			number("totalCapacity", total), number("totalAvailableCapacity", max(total-obj.InUse.Count(), 0)),
			number("totalUnavailableCapacity", 0),
		}
		inside := item(append([]node{text("capacityReservationId", reservationID(obj))}, counts...)...)
		return item(append([]node{
			text("capacityBlockId", blockID(obj)), text("interconnectStatus", interconnect(obj)),
			el("capacityReservationStatusSet", inside),
		}, counts...)...), nil
	})
}
