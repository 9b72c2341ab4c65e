package cloud

import (
	"context"
	"time"
)

// Cloud is what every driver must do. All methods may be called concurrently,
// block until answered or ctx ends, and pass ctx's own error through. Every
// other error is an *Error; the codes a method can return are named with it.
// Throttled, PermissionDenied and Internal are always possible, and so is
// Invalid for an account, a place or an id of a form that the cloud does not
// have.
type Cloud interface {
	// Capabilities tells what this cloud can do. Pure: no I/O, the same answer
	// every time.
	Capabilities() Capabilities

	// Check completes a wish with what follows from it (the region of a zone,
	// default options) and names everything wrong with it. Pure: no I/O. A zero
	// field is "not given"; a problem names the attribute it is about, so that
	// a caller that does not know that attribute yet can leave it out.
	Check(Spec) (Spec, []Problem)

	// AccountID resolves the configured account ("" is the default one), or
	// another name that the cloud has for one, to the cloud's own id. Answers are kept for the life of the driver.
	AccountID(ctx context.Context, account string) (string, error)

	// Create asks for one reservation and returns what was accepted, which may
	// still be pending. The mark is on the object from its first instant, the
	// claim is not. Idempotent by Token where the kind's capabilities say so:
	// the same token and inputs give the same object, in its present state,
	// even if that is an ended one; the same token with other inputs is
	// Conflict with TokenMismatch. Where names are native, a name that an object
	// of another mark has is Conflict, and a token may be of no use any more once
	// nothing is left of its object. An error says in Accepted whether the cloud
	// may have accepted it all the same. Codes: NoCapacity, QuotaExceeded,
	// Invalid, Unsupported, Conflict.
	Create(ctx context.Context, req CreateRequest) (Reservation, error)

	// Get reads one reservation by id, from the cloud and never from memory.
	// NotFound when the cloud does not know the id; an object that ended but is
	// still shown is returned with its state.
	Get(ctx context.Context, ref Ref) (Reservation, error)

	// List returns every reservation of the scope, or an error: never a part.
	// Ended ones, and what a release left, are included as far as Get shows them. A
	// group that is not there has none.
	List(ctx context.Context, scope Scope) ([]Reservation, error)

	// Release gives the reservation up and returns once the cloud confirmed
	// that it no longer counts as held. It never costs anything: what can be
	// given up only against a charge, or not at all, is Unsupported. Idempotent:
	// what is gone or ended is success; where names are native, what is left of it
	// is removed, so that the name is free again. One that ends half-way leaves the
	// object as it was, or gone with Remains, or nothing. Codes: InUse, Conflict,
	// Unsupported.
	Release(ctx context.Context, ref Ref) error
}

// Updater changes a live reservation in place.
type Updater interface {
	// Update applies every part of the change and returns the object after it.
	// Idempotent. After an error any part may have been applied: read again; a
	// refused growth leaves the count as it was. Codes: NotFound, NoCapacity,
	// QuotaExceeded, InUse, Invalid, Conflict (not in this state, or Fixed), Unsupported
	// (a part that the kind's InPlace does not name). A count is written again even
	// if it is the present one, where the object is Unsettled.
	Update(ctx context.Context, ref Ref, change Change) (Reservation, error)
}

// Grouper places reservations in groups, for clouds that list by group.
type Grouper interface {
	// Group is the part of the account that a listing must cover to hold what this
	// wish creates under that name. Pure; "" is the whole account.
	Group(spec Spec, name string) string
	// GroupOf is the same of what exists. Pure.
	GroupOf(ref Ref) string
}

// Preflighter asks the cloud whether a wish could be met at all.
type Preflighter interface {
	// Preflight names what is wrong with a completed wish for a reservation of that
	// name which only the cloud can tell: a type that cannot be reserved there, a
	// group of another make. It creates nothing, and no problem promises nothing:
	// only a conclusive no is one, and that a place is full now is none. What may not
	// be read is left out, and so is what is not there to read, since it may be made
	// before the reservation. The reservation of that name itself is in nobody's way.
	Preflight(ctx context.Context, spec Spec, name string) ([]Problem, error)
}

// UserLister names what runs in a reservation.
type UserLister interface {
	// Users lists the ids of the instances that use the reservation now.
	// NotFound when the reservation is unknown.
	Users(ctx context.Context, ref Ref) ([]string, error)
}

// Importer turns what a person types into a native id.
type Importer interface {
	// ParseID accepts every form of an id of this cloud, without the cloud's
	// prefix, and returns the native id it stands for. It may ask the cloud for
	// the account, not for the object. Invalid when the form is not one of ours.
	ParseID(ctx context.Context, account, id string) (Ref, error)
}

// TypeDescriber reads the shapes that can be reserved.
type TypeDescriber interface {
	// InstanceTypes describes the named types in a region, or every type with an
	// accelerator when no name is given. A name that the cloud does not know is
	// left out of the answer.
	InstanceTypes(ctx context.Context, account, region string, names ...string) ([]InstanceType, error)
}

// QuotaReader reads the limits that a create counts against.
type QuotaReader interface {
	// Quotas returns the limits that a reservation of this shape draws on.
	// PermissionDenied and NotFound mean "not known", never "none left".
	Quotas(ctx context.Context, spec Spec) ([]Quota, error)
}

// Timekeeper tells the cloud's own time, which decides what is past.
type Timekeeper interface {
	// Now is the cloud's clock as its last answer told it.
	Now(ctx context.Context, account, region string) (time.Time, error)
}

// Offerer lists what could be bought now, for kinds that are bought by offer and
// for terms.
type Offerer interface {
	// Offers returns the offers that fit the wish, cheapest first, then the
	// earliest. Start and end of a wish bound the search, its duration is the
	// exact length. None is an empty list. With an OfferID it returns just that
	// one, or an error: the cloud's own for an offer that cannot be bought,
	// Invalid for one of another shape than the wish.
	Offers(ctx context.Context, spec Spec) ([]Offer, error)
}

// Extender prolongs what was bought for a fixed time.
type Extender interface {
	// ExtensionOffers returns what would prolong the reservation by exactly that
	// long, cheapest first. Codes: NotFound, Conflict (not in this state).
	ExtensionOffers(ctx context.Context, ref Ref, by time.Duration) ([]Offer, error)

	// Extensions returns every extension of the reservation that the cloud still
	// knows, oldest first, whatever became of it; never a part.
	Extensions(ctx context.Context, ref Ref) ([]Extension, error)

	// Extend buys an offer of ExtensionOffers and returns once it is accepted,
	// not paid. It is not idempotent: each call may buy. Codes: NotFound,
	// NoCapacity, Conflict, Invalid.
	Extend(ctx context.Context, ref Ref, offer Offer) (Extension, error)
}

// Canceller gives up against a charge what cannot be given up free.
type Canceller interface {
	// Quote asks what giving up now would cost. It commits to nothing. Codes:
	// NotFound, Conflict (this state has no quote), Unsupported (nor has this
	// kind, ever).
	Quote(ctx context.Context, ref Ref) (Quote, error)

	// Cancel gives the reservation up at the terms of a quote and returns like
	// Release. Idempotent. Codes: InUse, Conflict (the quote is stale),
	// Unsupported.
	Cancel(ctx context.Context, ref Ref, quote Quote) error
}

// MarketReader tells what places charge and how likely they have capacity, apart
// from what is bought by offer.
type MarketReader interface {
	// Market returns one signal for each zone and type of the query, by the
	// query's types, then by zone. What cannot be known is nil, and why stands in
	// Signal.Unknown; only what leaves nothing to tell is an error.
	Market(ctx context.Context, query MarketQuery) ([]Signal, error)
}

// As returns c as one of the optional interfaces. A wrapper offers it only if
// the cloud inside does.
func As[T any](c Cloud) (T, bool) {
	if w, ok := c.(interface{ Inner() Cloud }); ok {
		if _, ok := As[T](w.Inner()); !ok {
			var none T
			return none, false
		}
	}
	t, ok := c.(T)
	return t, ok
}
