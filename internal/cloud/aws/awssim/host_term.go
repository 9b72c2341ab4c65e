package awssim

import (
	"math/big"
	"regexp"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// hostReservationType is the tag resource type, which the control API calls
// type.
const hostReservationType = "host-reservation"

// stateRetired is a state that only host reservations have (the filter's
// documentation).
const stateRetired = "retired"

// hostReservation is what the world's header does not know of a one- or
// three-year term on hosts.
type hostReservation struct {
	Offer hostOffer `json:"offer"`
	Hosts []string  `json:"hosts"`
	Token string    `json:"token,omitempty"`
	// Failure is what the payment fails for.
	Failure string `json:"failure,omitempty"`
}

func hostReservationARN(region, account, id string) string {
	return "arn:aws:ec2:" + region + ":" + account + ":host-reservation/" + id
}

// dueHostReservation lets payment come through and a term end.
func dueHostReservation(obj *sim.Object) {
	var r hostReservation
	// A payload that cannot be read was put there by hand: nothing to do.
	if err := obj.Decode(&r); err != nil {
		return
	}
	switch {
	case obj.Status == statePaymentPending && r.Failure != "":
		obj.Status = statePaymentFailed
	case obj.Status == statePaymentPending:
		obj.Status, obj.Due = stateActive, obj.EndsAt
	case obj.Status == stateActive:
		obj.Status = stateRetired
	}
}

// coverOf is the id of the term that covers a host now; empty is none.
func (q *query) coverOf(obj *sim.Object) string {
	for _, term := range q.ownOf(hostReservationType) {
		var r hostReservation
		if term.Status != stateActive && term.Status != statePaymentPending {
			continue
		}
		if term.Decode(&r) == nil && slices.ContainsFunc(r.Hosts, obj.Is) {
			return reservationID(term)
		}
	}
	return ""
}

var hostReservationIDForm = regexp.MustCompile(`^hr-[0-9a-f]{17}$`)

func (q *query) findHostReservation(id string) (*sim.Object, *apiError) {
	if !hostReservationIDForm.MatchString(id) {
		return nil, fail("InvalidHostReservationId.Malformed", "The host reservation ID %s is malformed", printable(id))
	}
	obj, ok := q.mine(id)
	if !ok {
		// By analogy to the malformed one, UNVERIFIED.
		return nil, fail("InvalidHostReservationId.NotFound", "The host reservation ID '%s' was not found", id)
	}
	return obj, nil
}

// order is an offering with the hosts it is bought for.
type order struct {
	offer hostOffer
	hosts []string
}

// order reads offering and hosts, and refuses hosts that it cannot cover.
func (q *query) order() (order, *apiError) {
	offer, err := q.namedOffer()
	if err != nil {
		return order{}, err
	}
	ids := q.form.list("HostIdSet")
	if len(ids) == 0 {
		return order{}, missing("HostIdSet")
	}
	for i, id := range ids {
		obj, err := q.findHost(id)
		if err != nil {
			return order{}, err
		}
		if slices.Contains(ids[:i], id) {
			return order{}, invalid("HostIdSet", id, "It is given twice.")
		}
		if err := q.coverable(obj, offer); err != nil {
			return order{}, err
		}
	}
	return order{offer, ids}, nil
}

func (q *query) coverable(obj *sim.Object, offer hostOffer) *apiError {
	switch {
	case obj.Status != hostAvailable:
		return hostState(obj, "reserved")
	case hostFamily(obj.InstanceType) != offer.Family:
		return fail("InvalidHostConfiguration", "Dedicated host '%s' is of the family %s, not of the offering's %s",
			reservationID(obj), hostFamily(obj.InstanceType), offer.Family)
	case q.coverOf(obj) != "":
		return fail("HostAlreadyCoveredByReservation", "Dedicated host '%s' is already covered by the reservation '%s'",
			reservationID(obj), q.coverOf(obj))
	}
	return nil
}

// nodes renders an order; without an id it is a preview.
func (o order) nodes(id string) []node {
	n := int64(len(o.hosts))
	hosts := el("hostIdSet")
	for _, host := range o.hosts {
		hosts.kids = append(hosts.kids, text("item", host))
	}
	purchase := item(append(o.offer.terms(), hosts)...)
	purchase.kids = append(purchase.kids, optional("hostReservationId", id)...)
	return []node{
		text("currencyCode", "USD"), el("purchase", purchase),
		text("totalUpfrontPrice", dollars(o.offer.Upfront*n, 3)), text("totalHourlyPrice", dollars(o.offer.Hourly*n, 3)),
	}
}

// previewHostReservation is GetHostReservationPurchasePreview.
func previewHostReservation(q *query) ([]node, *apiError) {
	o, err := q.order()
	if err != nil {
		return nil, err
	}
	return o.nodes(""), nil
}

// purchaseHostReservation is PurchaseHostReservation. A token is looked up
// first, like that of a reservation.
func purchaseHostReservation(q *query) ([]node, *apiError) {
	token, replay, err := q.replay("")
	if err != nil {
		return nil, err
	}
	if replay != nil {
		return q.purchased(replay)
	}
	o, err := q.order()
	if err != nil {
		return nil, err
	}
	if err := q.checkLimitPrice(o); err != nil {
		return nil, err
	}
	tags, err := q.newTags("TagSpecification", hostReservationType)
	if err != nil {
		return nil, err
	}
	id := "hr-" + q.tx.Hex(17)
	starts := q.tx.Now().Truncate(time.Second)
	ends := starts.Add(time.Duration(o.offer.Seconds) * time.Second)
	obj := &sim.Object{
		Cloud: cloudName, Type: hostReservationType,
		NativeID: hostReservationARN(q.region, q.who.Account, id), Aliases: []string{id},
		Account: q.who.Account, Region: q.region, InstanceType: o.offer.Family, Count: len(o.hosts),
		Status: stateActive, Due: ends, Tags: tags, StartsAt: starts, EndsAt: ends,
	}
	r := hostReservation{Offer: o.offer, Hosts: o.hosts, Token: q.form["ClientToken"]}
	q.pay(obj, &r)
	if err := obj.Encode(r); err != nil {
		return nil, refusal(err)
	}
	q.tx.Insert(obj)
	q.keepToken(token, obj)
	return q.purchased(obj)
}

// pay has the term wait for its payment where a fault asks for that.
func (q *query) pay(obj *sim.Object, r *hostReservation) {
	effects := q.req.Effects
	if effects.OperationTakes == nil && effects.OperationError == nil {
		return
	}
	obj.Status, obj.Due = statePaymentPending, q.tx.Now()
	if effects.OperationTakes != nil {
		obj.Due = obj.Due.Add(*effects.OperationTakes)
	}
	if effects.OperationError != nil {
		r.Failure = effects.OperationError.Code
	}
}

func (q *query) purchased(obj *sim.Object) ([]node, *apiError) {
	var r hostReservation
	if err := obj.Decode(&r); err != nil {
		return nil, refusal(err)
	}
	q.req.NativeID = obj.NativeID
	nodes := order{r.Offer, r.Hosts}.nodes(reservationID(obj))
	return append(nodes, optional("clientToken", r.Token)...), nil
}

var priceForm = regexp.MustCompile(`^\d{1,12}(\.\d{1,6})?$`)

// checkLimitPrice refuses a total up-front cost above LimitPrice. A currency
// alone is fine.
func (q *query) checkLimitPrice(o order) *apiError {
	if _, err := q.form.choice("CurrencyCode", "USD"); err != nil {
		return err
	}
	value, given := q.form["LimitPrice"]
	if !given {
		return nil
	}
	limit, ok := new(big.Rat).SetString(value)
	if !ok || !priceForm.MatchString(value) {
		return invalid("LimitPrice", printable(value), "It is not an amount such as 100.00.")
	}
	total := o.offer.Upfront * int64(len(o.hosts))
	if big.NewRat(total, microsPerDollar).Cmp(limit) > 0 {
		return fail("LimitPriceExceeded", "The total up-front cost of %s USD is above the limit price of %s USD",
			dollars(total, 3), value)
	}
	return nil
}

func hostReservationFilter(obj *sim.Object, name string) ([]string, bool) {
	if obj == nil {
		obj = &sim.Object{}
	}
	if values, ok := tagFilter(obj.Tags, name); ok {
		return values, true
	}
	var r hostReservation
	if len(obj.Payload) > 0 && obj.Decode(&r) != nil {
		return nil, false
	}
	values := map[string]string{
		"instance-family": r.Offer.Family, "payment-option": r.Offer.Payment, "state": obj.Status,
	}
	value, known := values[name]
	return []string{value}, known
}

// describeHostReservations is DescribeHostReservations.
func describeHostReservations(q *query) ([]node, *apiError) {
	if err := checkFilters(q, hostReservationFilter); err != nil {
		return nil, err
	}
	found, err := q.pick(hostReservationType, q.form.list("HostReservationIdSet"), q.findHostReservation)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, obj := range found {
		if !keep(q, obj, hostReservationFilter) {
			continue
		}
		n, err := q.hostReservation(obj)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj.Serial, n})
	}
	return q.page("hostReservationSet", rows, limits{5, 500})
}

func (q *query) hostReservation(obj *sim.Object) (node, *apiError) {
	var r hostReservation
	if err := obj.Decode(&r); err != nil {
		return node{}, refusal(err)
	}
	hosts := el("hostIdSet")
	for _, id := range r.Hosts {
		hosts.kids = append(hosts.kids, text("item", id))
	}
	n := item(append(r.Offer.terms(),
		text("hostReservationId", reservationID(obj)), text("offeringId", r.Offer.ID), text("state", obj.Status),
		number("count", len(r.Hosts)), hosts, instant("start", obj.StartsAt), instant("end", obj.EndsAt), q.tagSet(obj.Tags),
	)...)
	return n, nil
}
