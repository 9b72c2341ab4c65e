package cloud

import (
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Spec is a wish for one reservation. A zero field is "not given".
type Spec struct {
	Kind         Kind
	Account      string // as configured; "" is the default account
	Region, Zone string
	InstanceType string
	Count        int
	Match        MatchCriteria
	StartAt      time.Time
	EndAt        time.Time // zero: no end, or Duration tells
	// Duration is how long, where the end is not given as an instant. Before a
	// create of a kind that starts at once, the caller turns it into EndAt.
	Duration time.Duration
	// OfferID names what to buy, for kinds bought by offer.
	OfferID string
	// Tags are the user's; the mark is not among them.
	Tags map[string]string
	// ShareWith lists the further accounts that may consume it, by any name that
	// AccountID resolves.
	ShareWith []string
	// Term is what is bought for months or years, nil for kinds without.
	Term *TermPlan
	// Native holds this cloud's own options by attribute name ("platform").
	Native map[string]string
}

// TermPlan is capacity bought for months or years.
type TermPlan struct {
	Months int
	// Payment is a payment option as configurations spell it: "no_upfront",
	// "partial_upfront" or "all_upfront".
	Payment string
}

// String is the term in words.
func (t TermPlan) String() string { return fmt.Sprintf("%d months, %s", t.Months, t.Payment) }

// Problem is something wrong with a wish.
type Problem struct {
	// Attribute is the path in the configuration: "instance_count",
	// "aws.platform", "tags[\"aws:x\"]".
	Attribute Attribute
	// Detail says what is wrong and what would be right.
	Detail string
}

// Ref finds one native object: the account whose credentials reach it, and its
// id. The id carries the place.
type Ref struct {
	Account  string // as configured
	NativeID string
}

// Scope is what List covers. Which of region and group count is
// Capabilities.ListedBy.
type Scope struct {
	Account string // as configured
	// Region is "" where the cloud does not list by region.
	Region string
	// Group is one as a Grouper names it, "" is every one.
	Group string
	// Name asks, without a Group, only for what has that native name, in whatever
	// group: the rest is left out where that saves a call. PermissionDenied where
	// the account as a whole may not be looked through.
	Name string
	// MaxAge is how old an answer may be that tells of a whole account or region
	// and serves many scopes; zero reads everything now.
	MaxAge time.Duration
	// Kind leaves out what cannot be of this kind where that saves a call; ""
	// is every kind.
	Kind Kind
}

// Realm is the world in which the absence of an object means something.
type Realm struct {
	Cloud     string
	AccountID string
	Simulated bool
}

// CreateRequest is one wish, marked.
type CreateRequest struct {
	Spec Spec
	Mark Mark
	// Token makes the create idempotent; see Token. A driver cuts it to the
	// form its API takes.
	Token string
	// Offer is the one that Spec.OfferID names, as Offers returned it; nil has
	// the driver look it up.
	Offer *Offer
}

// Change is what Update applies; nil or empty parts stay as they are.
type Change struct {
	Count *int
	Match *MatchCriteria
	// StartAt moves the start.
	StartAt *time.Time
	// EndAt moves the end; the zero time removes it.
	EndAt *time.Time
	// ShareWith are all the accounts it shall be shared with, by any name that
	// AccountID resolves.
	ShareWith *[]string
	// SetTags and RemoveTags are the user's tags.
	SetTags    map[string]string
	RemoveTags []string
	// Mark rewrites the mark with its claim.
	Mark *Mark
	// Native holds the cloud's own options to write.
	Native map[string]string
	// Term buys a term on a reservation of the kind's Base.
	Term *TermPurchase
}

// TermPurchase is a term to buy.
type TermPurchase struct {
	Term TermPlan
	// Limit is the most that may be paid at once; nil is no limit.
	Limit *money.Money
	// Token makes the purchase idempotent; see Token.
	Token string
	// Tags go on what is bought, where it is an object of its own.
	Tags map[string]string
}

// Reservation is one native object as the cloud shows it now.
type Reservation struct {
	Ref          Ref
	AccountID    string
	Region, Zone string
	Kind         Kind
	InstanceType string
	// Count is how many instances are promised, InUse how many of them run.
	Count, InUse int
	// Missing is how many of them the cloud will never give.
	Missing int
	Match   MatchCriteria
	State   State
	// NativeState is the cloud's own word for State.
	NativeState string
	CreatedAt   time.Time
	StartsAt    time.Time
	// EndsAt is when the promise ends, zero without an end; UsableUntil is when
	// work really stops, which some kinds do earlier.
	EndsAt, UsableUntil time.Time
	// BilledUntil is set when the object is gone but is paid for until then.
	BilledUntil time.Time
	Mark        Mark
	// NativeName is the object's own name or display name, if it has one.
	NativeName string
	// Tags are those that are neither mark nor the cloud's own.
	Tags map[string]string
	// ShareWith are the accounts it is shared with, as AccountID names them,
	// sorted. Unresolved are those that the cloud shows by a name of which it does
	// not tell the account.
	ShareWith, Unresolved []string
	// Native holds the cloud's own options; one that the cloud does not show of
	// this object is left out, one that it shows as not set is "".
	Native map[string]string
	// PaidUpfront is what was paid at purchase, nil where nothing was or the
	// cloud does not tell.
	PaidUpfront *money.Money
	// CommittedUntil is until when giving up is not free, zero where it is free
	// now; FreeUntil is until when it still is, all the same, zero for never.
	CommittedUntil, FreeUntil time.Time
	// Locked tells that nothing of it can be changed in place any more, although it
	// is live: Update refuses any change as Conflict. What only waits for a decision
	// is not locked.
	Locked bool
	// Fixed are attributes that cannot be changed in place any more, although the
	// kind's capabilities name them, sorted: Update refuses a change of one as
	// Conflict. The cloud's other attributes of the kind still change.
	Fixed []Attribute
	// Unsettled tells that a refused change left a live object unusable until its
	// count is written again; Count is what it really holds.
	Unsettled bool
	// Remains tells of an object that is gone that a release was begun and did not
	// end: something that NativeState names is left for Release to remove. What is
	// not known of it any more is empty, but for ids, place, mark and NativeName.
	Remains bool
	// Length is how long a prepaid window was bought for, extensions apart; zero
	// where it is not known. Clouds round its instants, not its length.
	Length time.Duration
	// Term is the term that runs on it, nil without one.
	Term *TermPlan
}

// State is what a native state means for who holds the reservation.
type State string

// The states of a reservation.
const (
	// Pending is accepted and not yet promised.
	Pending State = "pending"
	// Held is promised.
	Held State = "held"
	// Refused will never be promised.
	Refused State = "refused"
	// Ended came to its planned end.
	Ended State = "ended"
	// Gone was given up before its end.
	Gone State = "gone"
	// Leaving is being given up: it no longer counts as held, and is held again if
	// that fails.
	Leaving State = "leaving"
	// Unrecognized is a native state this driver does not know; it counts as
	// pending, with a warning.
	Unrecognized State = "unrecognized"
)

// Live tells whether the object holds or may come to hold capacity.
func (s State) Live() bool { return s == Pending || s == Held || s == Unrecognized }

// GivenUp tells whether the object was given up, or is being given up.
func (s State) GivenUp() bool { return s == Gone || s == Leaving }

// InstanceType is a shape that can be reserved, as the cloud describes it.
type InstanceType struct {
	Name     string
	VCPUs    int
	GPUModel string // the cloud's own word, "H100"
	// GPUs is how many whole or partial GPUs an instance has, exact: "8", "1/8".
	GPUs         string
	GPUMemoryMiB int64 // over all GPUs of an instance
	MemoryMiB    int64
}

// QuotaScope names one limit: two wishes that draw on the same scope fail
// together.
type QuotaScope struct {
	AccountID string
	Region    string // "" where the limit is global
	Quota     string // the cloud's code or family
}

// Quota is one limit and what a wish needs of it, in the limit's own unit.
type Quota struct {
	Scope QuotaScope
	Unit  string // "vCPU"
	Limit float64
	// Used is what counts against it now; nil where the cloud does not tell.
	Used *float64
	Need float64
}

// Offer is something that could be bought now.
type Offer struct {
	ID             string
	Kind           Kind
	Region, Zone   string
	InstanceType   string
	Count          int
	StartAt, EndAt time.Time
	// Length is what it is sold as; start and end may be a little off.
	Length time.Duration
	// Upfront is paid at purchase, PerHour as long as it lasts.
	Upfront money.Money
	PerHour *money.Money
	// Term is set for an offer of a term.
	Term *TermPlan
}

// Extension is one prolongation that was bought.
type Extension struct {
	OfferID string
	By      time.Duration
	// State is Pending until it is paid, then Held; Refused if it was not.
	State       State
	PurchasedAt time.Time
	// EndsAt is when the reservation ends with it.
	EndsAt  time.Time
	Upfront money.Money
}

// Quote is what giving up would cost.
type Quote struct {
	ID string
	// InstanceHours are charged at the price of an hour of one instance.
	InstanceHours int64
	// BilledUntil is when the charge ends, zero where it is paid at once.
	BilledUntil time.Time
	// ExpiresAt is until when the quote holds.
	ExpiresAt time.Time
}

// MarketQuery asks for signals of one region.
type MarketQuery struct {
	Account, Region string
	// Zones are those to tell of; none given means all that offer the type.
	Zones         []string
	InstanceTypes []string
	// Count is how many instances are meant to be had together.
	Count int
}

// Signal is what is known now of one type in one zone. Prices are of one
// instance.
type Signal struct {
	Region, Zone, InstanceType string
	// Offered tells whether the zone has the type at all.
	Offered *bool
	// OnDemand is the list price.
	OnDemand *money.Money
	// Spot is the last spot price, SpotAt when it was set.
	Spot   *money.Money
	SpotAt time.Time
	// SpotScore is the cloud's own estimate from 1 to 10 of getting Count
	// instances as spot.
	SpotScore *int
	// Unknown holds, for each field that is nil, why.
	Unknown map[SignalField]string
}

// SignalField names a field of Signal.
type SignalField string

// The fields of Signal that may be unknown.
const (
	SignalOffered   SignalField = "offered"
	SignalOnDemand  SignalField = "on_demand"
	SignalSpot      SignalField = "spot"
	SignalSpotScore SignalField = "spot_score"
)
