package awssim

import (
	"regexp"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Types of the hidden objects that stand for what was offered.
const (
	blockOfferType     = "capacity-block-offering"
	extensionOfferType = "capacity-block-extension-offering"
)

const (
	stateOffered = "offered"
	// offerGood is how long an offer can be bought after it was last listed;
	// it ends with its start too. AWS does not say, UNVERIFIED.
	offerGood = time.Hour
	// offerKnown is how long after that its id is still known as expired,
	// UNVERIFIED.
	offerKnown = day
	// currency is that of every fee.
	currency = "USD"
)

// offer is what the header of an offer does not know.
type offer struct {
	Fee string `json:"fee"`
	// Extends is the reservation that an extension is offered for.
	Extends string `json:"extends,omitempty"`
}

// remember keeps an offer, so that its id means the same in later requests. An
// offer that stands already keeps its id and is good for longer.
func (q *query) remember(want sim.Object, details offer, last time.Time) (*sim.Object, *apiError) {
	want.Cloud, want.Account, want.Region, want.Hidden = cloudName, q.who.Account, q.region, true
	until := earlier(q.tx.Now().Add(offerGood), last)
	for _, obj := range q.ownOf(want.Type) {
		var known offer
		if obj.Status == stateOffered && sameOffer(obj, &want) && obj.Decode(&known) == nil && known == details {
			obj.Due = until
			return obj, nil
		}
	}
	prefix := "cb-"
	if want.Type == extensionOfferType {
		prefix = "cbe-"
	}
	want.NativeID, want.Status, want.Due = prefix+q.tx.Hex(17), stateOffered, until
	if err := want.Encode(details); err != nil {
		return nil, refusal(err)
	}
	q.tx.Insert(&want)
	return &want, nil
}

func sameOffer(a, b *sim.Object) bool {
	return placeOf(a) == placeOf(b) && a.Count == b.Count && a.StartsAt.Equal(b.StartsAt) && a.EndsAt.Equal(b.EndsAt)
}

// dueOffer lets an offer expire, and later be forgotten.
func dueOffer(tx *sim.Tx, obj *sim.Object, at time.Time) {
	if obj.Status != stateOffered {
		tx.Remove(obj)
		return
	}
	obj.Status, obj.Due = stateExpired, at.Add(offerKnown)
}

var offerIDForm = regexp.MustCompile(`^cbe?-[0-9a-f]{17}$`)

// offered finds the offer that a request wants to buy. AWS names these codes
// for blocks; that they hold for extensions is UNVERIFIED.
func (q *query) offered(kind, parameter string) (*sim.Object, offer, *apiError) {
	var details offer
	id := q.form[parameter]
	if id == "" {
		return nil, details, missing(parameter)
	}
	if !offerIDForm.MatchString(id) {
		return nil, details, fail(codeOfferMalformed, "The Capacity Block offering ID %s is malformed", printable(id))
	}
	obj, ok := q.tx.Object(cloudName, id)
	if !ok || obj.Type != kind || obj.Account != q.who.Account || obj.Region != q.region {
		return nil, details, fail(codeOfferNotFound, "The Capacity Block offering ID '%s' was not found", id)
	}
	if obj.Status != stateOffered {
		return nil, details, offerExpired(id)
	}
	if err := obj.Decode(&details); err != nil {
		return nil, details, refusal(err)
	}
	return obj, details, nil
}

func offerExpired(id string) *apiError {
	return fail(codeOfferExpired, "The Capacity Block offering ID '%s' is no longer available", id)
}

// payment is when a payment is decided that begins now, and what it fails for:
// operation_takes and operation_error say so, and one that is not made by the
// deadline fails then.
func (q *query) payment(deadline time.Time) (time.Time, string) {
	due := q.tx.Now().Add(q.takes())
	if e := q.req.Effects.OperationError; e != nil {
		return earlier(due, deadline), e.Code
	}
	if due.After(deadline) {
		return deadline, "unpaid"
	}
	return due, ""
}

// paymentTime is how long a payment may take (fact aws-5-payment).
const paymentTime = 12 * time.Hour
