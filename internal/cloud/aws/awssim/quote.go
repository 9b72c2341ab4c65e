package awssim

import (
	"regexp"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// quoteType is the tag resource type of cancellation quotes; they are hidden
// objects.
const quoteType = "capacity-reservation-cancellation-quote"

// States of a quote. One that was used counts as expired, UNVERIFIED.
const (
	quotePending = "pending"
	quoteActive  = "active"
	quoteExpired = "expired"
)

const (
	// quoteGood is how long a quote can be used (fact aws-4.6-quote).
	quoteGood = 24 * time.Hour
	// quoteShown is how long after that it is listed, UNVERIFIED.
	quoteShown = 7 * day
)

// quote is what cancelling a reservation comes to.
type quote struct {
	Reservation string    `json:"reservation"`
	Created     time.Time `json:"created"`
	Expires     time.Time `json:"expires"`
	// Quoted is the reservation's state at that time.
	Quoted string `json:"quoted"`
	Count  int    `json:"count"`
	// State is the reservation's after the cancellation.
	State       string    `json:"state"`
	ChargeHours int       `json:"charge_hours"`
	ChargeEnds  time.Time `json:"charge_ends,omitzero"`
}

func quoteOperations() map[string]operation {
	return map[string]operation{
		"CreateCapacityReservationCancellationQuote": {
			params:  []string{"CapacityReservationId", "ClientToken", "DryRun"},
			refused: []string{"TagSpecification"},
			bucket:  mutateBucket(), run: createQuote,
		},
		"DescribeCapacityReservationCancellationQuotes": {
			params: filterParams("CapacityReservationCancellationQuoteId.N", "MaxResults", "NextToken"),
			bucket: describeBucket(), read: true, run: describeQuotes,
		},
		"CreateCapacityReservationDateChangeQuote": {
			params:  []string{"CapacityReservationId", "ClientToken", "DryRun", "NewStartDate"},
			refused: []string{"TagSpecification"},
			bucket:  mutateBucket(), run: noDateChange,
		},
	}
}

func noDateChange(*query) ([]node, *apiError) {
	return nil, fail(codeUnsupportedOperation, "Changes of the start date are not offered by this simulation")
}

// charge is the part of a commitment that a cancellation costs (fact
// aws-4.6-charges), in whole hours, upwards.
func charge(status string, starts time.Time, c *commitment, now time.Time) int {
	total := time.Duration(c.Seconds) * time.Second
	ahead := starts.Sub(now)
	owed := total / 2
	switch {
	case status == stateActive:
		owed = c.Ends.Sub(now) / 2
	case ahead >= 8*week:
		owed = 0
	case ahead >= 2*week:
		owed = total / 4
	}
	return int((owed + time.Hour - 1) / time.Hour)
}

// createQuote is CreateCapacityReservationCancellationQuote. What needs no
// quote gets none; the code of that is UNVERIFIED.
func createQuote(q *query) ([]node, *apiError) {
	obj, err := q.named()
	if err != nil {
		return nil, err
	}
	key, replay, err := q.replay("")
	if err != nil {
		return nil, err
	}
	if replay != nil {
		return q.quotes("capacityReservationCancellationQuote", replay)
	}
	var r reservation
	if err := obj.Decode(&r); err != nil {
		return nil, refusal(err)
	}
	now := q.tx.Now()
	if (obj.Status != stateScheduled && obj.Status != stateActive) || !r.Future.binds(now) {
		return nil, incorrectState(obj, "quoted: its cancellation is free or not possible")
	}
	if err := q.dry(); err != nil {
		return nil, err
	}
	quoted, err := q.newQuote(obj, r.Future)
	if err != nil {
		return nil, err
	}
	if key != "" {
		q.tx.PutToken(cloudName, key, sim.Token{Digest: q.digest(notCompared()...), NativeID: quoted.NativeID, At: now})
	}
	return q.quotes("capacityReservationCancellationQuote", quoted)
}

func (q *query) newQuote(of *sim.Object, c *commitment) (*sim.Object, *apiError) {
	now := q.tx.Now().Truncate(time.Millisecond)
	terms := quote{
		Reservation: reservationID(of), Created: now, Expires: now.Add(quoteGood), Quoted: of.Status, Count: c.Count,
		State: stateCancelled, ChargeHours: charge(of.Status, of.StartsAt, c, now),
	}
	if terms.ChargeHours > 0 {
		terms.State, terms.ChargeEnds = stateCancelling, now.Add(time.Duration(terms.ChargeHours)*time.Hour)
	}
	quoted := &sim.Object{
		Cloud: cloudName, Type: quoteType, NativeID: "crcq-" + q.tx.Hex(17), Account: q.who.Account, Region: q.region,
		Zone: of.Zone, InstanceType: of.InstanceType, Count: of.Count, Hidden: true,
		Status: quoteActive, Due: terms.Expires,
	}
	if takes := q.req.Effects.OperationTakes; takes != nil {
		quoted.Status, quoted.Due = quotePending, now.Add(*takes)
	}
	if err := quoted.Encode(terms); err != nil {
		return nil, refusal(err)
	}
	q.tx.Insert(quoted)
	return quoted, nil
}

// dueQuote moves a quote from pending to active to expired to gone.
func dueQuote(tx *sim.Tx, obj *sim.Object, at time.Time) {
	var terms quote
	if err := obj.Decode(&terms); err != nil {
		return
	}
	shown := terms.Expires.Add(quoteShown)
	switch {
	case !at.Before(shown):
		tx.Remove(obj)
	case !at.Before(terms.Expires):
		obj.Status, obj.Due = quoteExpired, shown
	case obj.Status == quotePending:
		obj.Status, obj.Due = quoteActive, terms.Expires
	}
}

var quoteIDForm = regexp.MustCompile(`^crcq-[0-9a-f]{17}$`)

// findQuote gets a quote of the caller. The codes are UNVERIFIED.
func (q *query) findQuote(id, parameter string) (*sim.Object, quote, *apiError) {
	var terms quote
	obj, ok := q.tx.Object(cloudName, id)
	if !quoteIDForm.MatchString(id) || !ok || obj.Account != q.who.Account || obj.Region != q.region {
		return nil, terms, invalid(parameter, printable(id), "There is no such cancellation quote.")
	}
	if err := obj.Decode(&terms); err != nil {
		return nil, terms, refusal(err)
	}
	return obj, terms, nil
}

func (q *query) quotes(name string, obj *sim.Object) ([]node, *apiError) {
	_, terms, err := q.findQuote(obj.NativeID, "")
	if err != nil {
		return nil, err
	}
	q.req.NativeID = reservationARN(q.region, q.who.Account, terms.Reservation)
	return []node{terms.node(name, obj)}, nil
}

func (terms quote) node(name string, obj *sim.Object) node {
	term := item(
		text("cancellationType", windDown),
		text("reservationState", terms.State),
		number("committedInstanceCount", terms.Count),
		number("chargeCommitmentDurationHours", terms.ChargeHours),
	)
	if !terms.ChargeEnds.IsZero() {
		term.kids = append(term.kids, instant("chargeEndDate", terms.ChargeEnds))
	}
	return el(name,
		text("capacityReservationCancellationQuoteId", obj.NativeID),
		text("capacityReservationId", terms.Reservation),
		instant("createTime", terms.Created),
		instant("expirationTime", terms.Expires),
		text("quoteState", obj.Status),
		el("currentConfiguration", number("instanceCount", obj.Count), text("reservationState", terms.Quoted)),
		el("cancellationTermSet", term),
		el("tagSet"),
	)
}

// quoteFilter reads the filters of quotes, whose names are not published:
// those here are UNVERIFIED.
func quoteFilter(obj *sim.Object, name string) ([]string, bool) {
	var terms quote
	if obj == nil {
		obj = &sim.Object{}
	}
	if len(obj.Payload) > 0 && obj.Decode(&terms) != nil {
		return nil, false
	}
	values := map[string]string{"capacity-reservation-id": terms.Reservation, "quote-state": obj.Status}
	value, known := values[name]
	return []string{value}, known
}

// describeQuotes is DescribeCapacityReservationCancellationQuotes.
func describeQuotes(q *query) ([]node, *apiError) {
	if err := checkFilters(q, quoteFilter); err != nil {
		return nil, err
	}
	ids := q.form.list("CapacityReservationCancellationQuoteId")
	for _, id := range ids {
		if _, _, err := q.findQuote(id, "CapacityReservationCancellationQuoteId"); err != nil {
			return nil, err
		}
	}
	var rows []row
	for _, obj := range q.ownOf(quoteType) {
		if !named(ids, obj.NativeID) || !keep(q, obj, quoteFilter) {
			continue
		}
		_, terms, err := q.findQuote(obj.NativeID, "")
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{obj.Serial, terms.node("item", obj)})
	}
	return q.page("capacityReservationCancellationQuoteSet", rows, limits{1, 1000})
}
