package awssim

import (
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// extensionType is that of the hidden objects that stand for the extensions
// that were bought.
const extensionType = "capacity-block-extension"

// statePaymentSucceeded is an extension's; the others it shares with blocks.
const statePaymentSucceeded = "payment-succeeded"

// The window in which a block can be extended, before its end, and until when
// an extension must be paid (fact aws-5-extend-window).
const (
	extendEarliest = 8 * week
	extendLatest   = time.Hour
	extendPaid     = 35 * time.Minute
)

// extension is what the header of an extension does not know.
type extension struct {
	Offering  string    `json:"offering"`
	Extends   string    `json:"extends"`
	Fee       string    `json:"fee"`
	Purchased time.Time `json:"purchased"`
	Failure   string    `json:"failure,omitempty"`
}

func extensionOperations() map[string]operation {
	return map[string]operation{
		"DescribeCapacityBlockExtensionOfferings": {
			params: []string{"CapacityBlockExtensionDurationHours", "CapacityReservationId", "DryRun", "MaxResults", "NextToken"},
			bucket: blockBucket(), read: true, run: extensionOffers,
		},
		"PurchaseCapacityBlockExtension": {
			params: []string{"CapacityBlockExtensionOfferingId", "CapacityReservationId", "DryRun"},
			bucket: blockBucket(), run: purchaseExtension,
		},
		"DescribeCapacityBlockExtensionHistory": {
			params: filterParams("CapacityReservationId.N", "MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: extensionHistory,
		},
	}
}

// extendable finds the block of a request and refuses one that cannot be
// extended now. The codes are UNVERIFIED.
func (q *query) extendable() (*sim.Object, *apiError) {
	obj, err := q.named()
	if err != nil {
		return nil, err
	}
	if !isBlock(obj) {
		return nil, invalid("CapacityReservationId", reservationID(obj), "It is not a Capacity Block.")
	}
	if obj.Status != stateActive && obj.Status != stateScheduled {
		return nil, incorrectState(obj, "extended")
	}
	for _, e := range q.ownOf(extensionType) {
		var details extension
		if e.Status == statePaymentPending && e.Decode(&details) == nil && details.Extends == reservationID(obj) {
			return nil, fail(codeIncorrectState, "The Capacity Block '%s' has an extension whose payment is pending", reservationID(obj))
		}
	}
	if left := obj.EndsAt.Sub(q.tx.Now()); left <= extendLatest || left > extendEarliest {
		return nil, fail(codeIncorrectState, "The Capacity Block '%s' can be extended from 56 days to 1 hour before its end, which is at %s",
			reservationID(obj), stamp(obj.EndsAt))
	}
	return obj, nil
}

// extensionOffers is DescribeCapacityBlockExtensionOfferings. The instances
// are the block's own, so there is one offer, whatever else is in stock; that
// AWS may have none is what the fault "empty" is for.
func extensionOffers(q *query) ([]node, *apiError) {
	length, err := q.blockLength("CapacityBlockExtensionDurationHours")
	if err != nil {
		return nil, err
	}
	block, err := q.extendable()
	if err != nil {
		return nil, err
	}
	ends := block.EndsAt.Add(length)
	// Started soon, a block may be up to a day longer than was asked for.
	if ends.Sub(block.StartsAt) >= longestBlock+day {
		return nil, invalid("CapacityBlockExtensionDurationHours", strconv.Itoa(int(length/time.Hour)),
			"A Capacity Block has at most 182 days, its extensions included.")
	}
	fee := q.sim.catalog.BlockRates.fee(block.InstanceType, q.region, block.Count, length, surcharge(block.Zone, block.EndsAt))
	obj, err := q.remember(sim.Object{
		Type: extensionOfferType, Zone: block.Zone, InstanceType: block.InstanceType, Count: block.Count,
		StartsAt: block.EndsAt, EndsAt: ends,
	}, offer{Fee: fee, Extends: reservationID(block)}, block.EndsAt.Add(-extendLatest))
	if err != nil {
		return nil, err
	}
	n := item(append(q.extensionNodes(obj, obj.NativeID, fee), instant("startDate", block.StartsAt), text("tenancy", "default"))...)
	return q.page("capacityBlockExtensionOfferingSet", []row{{obj.Serial, n}}, limits{1, 1000})
}

// extensionNodes are what an offer and an extension show alike.
func (q *query) extensionNodes(obj *sim.Object, offering, fee string) []node {
	_, zoneID, _ := q.sim.catalog.zone(q.region, obj.Zone)
	return []node{
		text("capacityBlockExtensionOfferingId", offering),
		text("instanceType", obj.InstanceType),
		number("instanceCount", obj.Count),
		text("availabilityZone", obj.Zone),
		text("availabilityZoneId", zoneID),
		instant("capacityBlockExtensionStartDate", obj.StartsAt),
		instant("capacityBlockExtensionEndDate", obj.EndsAt),
		number("capacityBlockExtensionDurationHours", int(obj.EndsAt.Sub(obj.StartsAt)/time.Hour)),
		text("upfrontFee", fee),
		text("currencyCode", currency),
		text("zoneType", "availability-zone"),
	}
}

// purchaseExtension is PurchaseCapacityBlockExtension; no token here either.
func purchaseExtension(q *query) ([]node, *apiError) {
	offered, terms, err := q.offered(extensionOfferType, "CapacityBlockExtensionOfferingId")
	if err != nil {
		return nil, err
	}
	block, err := q.extendable()
	if err != nil {
		return nil, err
	}
	if terms.Extends != reservationID(block) {
		return nil, fail(codeOfferNotFound, "The Capacity Block offering ID '%s' was not found", offered.NativeID)
	}
	if !offered.StartsAt.Equal(block.EndsAt) {
		return nil, offerExpired(offered.NativeID)
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	now := q.tx.Now()
	details := extension{
		Offering: offered.NativeID, Extends: terms.Extends, Fee: terms.Fee, Purchased: now.Truncate(time.Millisecond),
	}
	bought := &sim.Object{
		Cloud: cloudName, Type: extensionType, NativeID: "extension-" + q.tx.Hex(17), Account: q.who.Account, Region: q.region,
		Zone: block.Zone, InstanceType: block.InstanceType, Count: block.Count, Hidden: true,
		StartsAt: offered.StartsAt, EndsAt: offered.EndsAt, Status: statePaymentPending,
	}
	bought.Due, details.Failure = q.payment(earlier(now.Add(paymentTime), block.EndsAt.Add(-extendPaid)))
	if err := bought.Encode(details); err != nil {
		return nil, refusal(err)
	}
	q.tx.Insert(bought)
	return []node{el("capacityBlockExtensionSet", q.extensionNode(bought, details))}, nil
}

func (q *query) extensionNode(obj *sim.Object, details extension) node {
	return item(append(q.extensionNodes(obj, details.Offering, details.Fee),
		text("capacityReservationId", details.Extends),
		text("capacityBlockExtensionStatus", obj.Status),
		instant("capacityBlockExtensionPurchaseDate", details.Purchased))...)
}

// dueExtension decides a payment; only then the block's end moves.
func dueExtension(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var details extension
	if err := obj.Decode(&details); err != nil {
		return
	}
	block, ok := tx.Object(cloudName, details.Extends)
	if !ok || details.Failure != "" || (block.Status != stateActive && block.Status != stateScheduled) {
		obj.Status = statePaymentFailed
		return
	}
	obj.Status, block.EndsAt = statePaymentSucceeded, obj.EndsAt
	plan(block, at)
}

func extensionFilter(obj *sim.Object, name string) ([]string, bool) {
	var details extension
	if obj == nil {
		obj = &sim.Object{}
	}
	if len(obj.Payload) > 0 && obj.Decode(&details) != nil {
		return nil, false
	}
	values := map[string]string{
		"availability-zone": obj.Zone, "capacity-block-extension-offering-id": details.Offering,
		"capacity-block-extension-status": obj.Status, "capacity-reservation-id": details.Extends, "instance-type": obj.InstanceType,
	}
	value, known := values[name]
	return []string{value}, known
}

// extensionHistory is DescribeCapacityBlockExtensionHistory.
func extensionHistory(q *query) ([]node, *apiError) {
	if err := checkFilters(q, extensionFilter); err != nil {
		return nil, err
	}
	ids := q.form.list("CapacityReservationId")
	if _, err := q.reservations(ids); err != nil {
		return nil, err
	}
	var rows []row
	for _, obj := range q.ownOf(extensionType) {
		var details extension
		if err := obj.Decode(&details); err != nil {
			return nil, refusal(err)
		}
		if named(ids, details.Extends) && keep(q, obj, extensionFilter) {
			rows = append(rows, row{obj.Serial, q.extensionNode(obj, details)})
		}
	}
	return q.page("capacityBlockExtensionSet", rows, limits{1, 1000})
}
