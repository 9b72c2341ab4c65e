package cloud

import (
	"maps"
	"slices"
	"time"
)

// Kind is how capacity is promised.
type Kind string

// The kinds of reservation.
const (
	OnDemand      Kind = "on_demand"
	Scheduled     Kind = "scheduled"
	Block         Kind = "block"
	DedicatedHost Kind = "dedicated_host"
	Term          Kind = "term"
)

// MatchCriteria says which launches consume a reservation.
type MatchCriteria string

// The match criteria.
const (
	Targeted MatchCriteria = "targeted"
	Open     MatchCriteria = "open"
)

// Capabilities is what a cloud can do, as data.
type Capabilities struct {
	// Cloud is the name in configurations: "aws".
	Cloud string
	// Title is the name in sentences: "AWS".
	Title string
	// Kinds holds the kinds this cloud has; another kind is a plan error.
	Kinds map[Kind]KindCapabilities
	// ListedBy is the grain of List.
	ListedBy Grain
	// Claims tells whether a mark with its claim can be written on an existing
	// object. Where not, the mark stays as the create wrote it, and has no claim.
	Claims bool
	// NativeName tells that the name is the native object's own, so that it
	// cannot change in place and is unique in its place. An object that ended
	// keeps its name taken for as long as the cloud shows it.
	NativeName bool
	// Regional tells that a reservation without a zone is one of the whole region,
	// so that a wish without one asks for that.
	Regional bool
	// ShareHint is how to share with another account where share_with is not
	// supported; empty where it is.
	ShareHint string
	// CredentialsHint is how to give this cloud credentials.
	CredentialsHint string
}

// KindCapabilities is what can be done with one kind.
type KindCapabilities struct {
	// Idempotent tells that Create takes a token.
	Idempotent bool
	// ByOffer tells that Create needs the id of an offer; see Offerer.
	ByOffer bool
	// InPlace holds the attributes that can change on a live reservation.
	InPlace []Attribute
	// ReleasedFree tells that a live reservation can be given back at no cost at
	// any time. Where it cannot, each reservation tells in CommittedUntil.
	ReleasedFree bool
	// Cancellable tells that what is bound can be given up against a charge; see
	// Canceller.
	Cancellable bool
	// ReleasedInUse holds the match criteria of the reservations that the cloud
	// would release while they are in use; their users keep running.
	ReleasedInUse []MatchCriteria
	// Decided tells that acceptance is followed by a decision of a person or a
	// later date, so that a create ends at pending.
	Decided bool
	// Base is the kind that a reservation of this kind begins as, before
	// Change.Term makes it one of this kind; empty where a create makes it at
	// once.
	Base Kind
	// SharedAtCreation tells that whether a reservation is shared at all is fixed
	// at its creation; with whom then changes in place where AttrShare does.
	SharedAtCreation bool
	// Bounded tells that every reservation of the kind has an end.
	Bounded bool
	// MinLead and MaxLead are how far after the cloud's present time the start
	// of a new wish may lie; zero is no bound.
	MinLead, MaxLead time.Duration
}

// Attribute names what can differ between a wish and an object, as the
// configuration spells it.
type Attribute string

// Attributes that some cloud can change in place.
const (
	AttrCount Attribute = "instance_count"
	AttrMatch Attribute = "match_criteria"
	AttrEnd   Attribute = "window.end_at"
	AttrTags  Attribute = "tags"
	AttrName  Attribute = "name"
	// AttrDuration can grow, by an Extender.
	AttrDuration Attribute = "window.duration"
	AttrTerm     Attribute = "term"
	AttrShare    Attribute = "share_with"
	AttrStart    Attribute = "window.start_at"
)

// Attributes that no cloud changes in place.
const (
	AttrZone         Attribute = "zone"
	AttrRegion       Attribute = "region"
	AttrInstanceType Attribute = "instance_type"
	AttrKind         Attribute = "kind"
	AttrAccount      Attribute = "account"
)

// Grain is how finely List is cut.
type Grain int

// The grains of List: the fields of Scope that a cloud looks at. A cloud that
// lists by group is a Grouper.
const (
	ByRegion Grain = iota
	ByAccount
	ByGroup
)

// KindNames are the kinds the cloud has, sorted.
func (c Capabilities) KindNames() []string {
	names := make([]string, 0, len(c.Kinds))
	for k := range maps.Keys(c.Kinds) {
		names = append(names, string(k))
	}
	slices.Sort(names)
	return names
}

// CanChange tells whether the attribute of a live reservation changes in place.
func (k KindCapabilities) CanChange(a Attribute) bool { return slices.Contains(k.InPlace, a) }

// CarriesTags tells whether reservations of the kind carry the user's tags.
func (k KindCapabilities) CarriesTags() bool { return k.CanChange(AttrTags) }

// Reshares tells whether a live reservation that is shared with some accounts can
// be shared with some others in place.
func (k KindCapabilities) Reshares(before, after []string) bool {
	return k.CanChange(AttrShare) && (!k.SharedAtCreation || (len(before) == 0) == (len(after) == 0))
}

// GoesInUse tells whether the cloud releases a reservation that is in use.
func (k KindCapabilities) GoesInUse(m MatchCriteria) bool { return slices.Contains(k.ReleasedInUse, m) }
