package cloud

import (
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
	// ShareWith lists the accounts or projects that may consume it.
	ShareWith []string
	// Native holds this cloud's own options by attribute name ("platform").
	Native map[string]string
}

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

// Scope is what List covers. Which fields count is Capabilities.ListedBy.
type Scope struct {
	Account string // as configured
	Region  string
	Group   string
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
}

// Change is what Update applies; nil or empty parts stay as they are.
type Change struct {
	Count *int
	Match *MatchCriteria
	// EndAt moves the end; the zero time removes it.
	EndAt *time.Time
	// SetTags and RemoveTags are the user's tags.
	SetTags    map[string]string
	RemoveTags []string
	// Mark rewrites the mark with its claim.
	Mark *Mark
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
	Match        MatchCriteria
	State        State
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
	Tags      map[string]string
	ShareWith []string
	Native    map[string]string
	// PaidUpfront is what was paid at purchase, nil where nothing was.
	PaidUpfront *money.Money
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
	// Unrecognized is a native state this driver does not know; it counts as
	// pending, with a warning.
	Unrecognized State = "unrecognized"
)

// Live tells whether the object holds or may come to hold capacity.
func (s State) Live() bool { return s == Pending || s == Held || s == Unrecognized }

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
	Upfront        money.Money
}
