// Package mem is an in-memory cloud: the smallest correct implementation of
// the contract, with every kind (kinds.go). The rules true of every cloud are
// tested against it.
//
// It knows the contract and nothing else: no real cloud, no wire, no Terraform.
// Its world is finite where a test says so, and a test may change it behind the
// caller's back (world.go).
package mem

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Name is the cloud's name in configurations.
const Name = "mem"

// SystemTagPrefix is reserved for the cloud itself, as clouds do.
const SystemTagPrefix = "mem:"

// DefaultAccountID is what the account "" resolves to.
const DefaultAccountID = "000000000001"

// Options are the parts of the world that are set at its start. The zero value
// is a world with one account and plenty of everything.
type Options struct {
	// Clock decides what has started and ended; nil is the machine's.
	Clock clock.Clock
	// Accounts holds further accounts: as configured, and the cloud's id.
	Accounts map[string]string
	// Capacity is how many instances are free; a place that is not named has
	// plenty.
	Capacity map[Place]int
	// Quota is the limit of a scope in vCPUs; one that is not named has
	// DefaultQuota.
	Quota map[cloud.QuotaScope]float64
	// Lag is how long a new on-demand reservation or host stays pending.
	Lag time.Duration
	// Assessment is how long a new scheduled reservation stays pending; it is
	// decided at the next call after that.
	Assessment time.Duration
	// PaymentLag is how long a purchased block and an extension wait for their
	// payment; an extension is paid at the next call after that.
	PaymentLag time.Duration
	// ReleasesInUse are the match criteria with which an on-demand reservation can
	// be released while it is in use.
	ReleasesInUse []cloud.MatchCriteria
	// Native makes it a cloud whose objects are known by their names (native.go):
	//   - the name is the object's own, NativeName, and unique in its zone; the id
	//     is made from it, so that a name that is free again gives the same id;
	//   - what was released is not found any more; what ended by itself or was
	//     refused is shown and keeps its name until it is released;
	//   - there are marks, but no claims and no tags, and a mark never changes;
	//   - reservations are shared, with accounts by their names or their ids; whether
	//     at all is fixed for kind block;
	//   - the kinds are on_demand, and scheduled and block, which are both asked for
	//     with a start and an end. These are decided on after Assessment, can move
	//     and be given up free until LockBefore, and are bound from then to the end.
	//
	// ReleasesInUse does not count: it is open ones of kind on_demand.
	Native bool
	// Grouped makes it a cloud that places reservations in groups (grouped.go):
	//   - names are native, and an account's: the id is made of group and name;
	//   - each reservation has a group of its name, which is made and removed with
	//     it, or is in a given one (AddGroup), with one of each type and zone;
	//   - it is listed by group, and a reservation without a zone is of its region;
	//   - a release removes the group in a second step, and a refused growth sets the
	//     count back in one: see CutShort;
	//   - there are tags and claims, and who it is shared with, but for blocks;
	//   - the kinds are on_demand without end, scheduled with a start alone, and block
	//     with a start and an end, of which nothing but the tags changes.
	//
	// ReleasesInUse does not count: none is released while it is in use.
	Grouped bool
	// Fault, see Cloud.SetFault.
	Fault Fault
}

// Place is where capacity is counted. Zone is the region's name for what is of a
// whole region.
type Place struct{ Zone, InstanceType string }

// PlaceOf is where a wish draws capacity.
func PlaceOf(s cloud.Spec) Place {
	return Place{Zone: cmp.Or(s.Zone, s.Region), InstanceType: s.InstanceType}
}

// Fault decides how one call fails: with before it fails undone, with after it
// is done and its answer lost. It may be called concurrently.
type Fault func(call cloud.Call) (before, after error)

// Cloud implements cloud.Cloud and every optional interface.
type Cloud struct {
	clock         clock.Clock
	accounts      map[string]string
	lag           time.Duration
	assessment    time.Duration
	releasesInUse []cloud.MatchCriteria
	native        bool
	grouped       bool

	mu         sync.Mutex
	fault      Fault
	paymentLag time.Duration
	capacity   map[Place]int
	quota      map[cloud.QuotaScope]float64
	objects    []*object // in the order of their creation
	groups     []group
	cut        map[string]error // by method, see CutShort
	tokens     map[token]made
	offers     []*stocked
	extensions []*stocked // on sale
	quotes     map[string]quoted
	signals    []cloud.Signal
	calls      []cloud.Call
	serial     int
}

// object is one reservation; mark, tags and users are kept apart from r and put
// into it when it is shown.
type object struct {
	r         cloud.Reservation
	tags      map[string]string // the user's, the mark's and the system's
	users     []string
	inputs    string    // what the create was asked for
	heldAfter time.Time // zero once it is no longer pending by itself
	drawn     bool      // it counts against capacity
	bought    []*extension
	term      purchase
}

// token is the place of an idempotency token: it counts within one account.
type token struct{ accountID, token string }

// made is what a create with a token was asked for and what it made.
type made struct {
	inputs string
	object *object
}

// New makes a cloud with nothing in it.
func New(opts Options) *Cloud {
	c := &Cloud{
		clock: opts.Clock, lag: opts.Lag, assessment: opts.Assessment, paymentLag: opts.PaymentLag,
		releasesInUse: opts.ReleasesInUse, native: opts.Native, grouped: opts.Grouped, fault: opts.Fault, quotes: map[string]quoted{},
		cut:      map[string]error{},
		accounts: map[string]string{"": DefaultAccountID},
		capacity: map[Place]int{}, quota: map[cloud.QuotaScope]float64{}, tokens: map[token]made{},
	}
	if c.clock == nil {
		c.clock = clock.Wall{}
	}
	for name, id := range opts.Accounts {
		c.accounts[name] = id
	}
	for place, n := range opts.Capacity {
		c.capacity[place] = n
	}
	for scope, limit := range opts.Quota {
		c.quota[scope] = limit
	}
	return c
}

// do runs one call in the world as it is at this instant.
func do[T any](ctx context.Context, c *Cloud, call cloud.Call, f func() (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	call.Cloud = Name
	before, after := c.meet(call)
	if before != nil {
		return none, before
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	result, err := f()
	if err == nil {
		err = after
	}
	if err != nil {
		return none, err
	}
	return result, nil
}

// meet notes the call and asks the fault hook, which runs without the lock so
// that it may change the world.
func (c *Cloud) meet(call cloud.Call) (before, after error) {
	c.mu.Lock()
	c.calls = append(c.calls, call)
	fault := c.fault
	c.mu.Unlock()
	if fault == nil {
		return nil, nil
	}
	return fault(call)
}

// settle lets happen what falls due by the clock.
func (c *Cloud) settle() {
	now := c.clock.Now()
	for _, o := range c.objects {
		if !o.heldAfter.IsZero() && !now.Before(o.heldAfter) {
			c.decide(o)
		}
		o.settleExtensions(now)
		if o.r.State.Live() && !o.r.EndsAt.IsZero() && !now.Before(o.r.EndsAt) {
			c.end(o, cloud.Ended)
		}
		o.settleTerm(now)
	}
}

// decide promises what was pending, or refuses what there is no room for.
func (c *Cloud) decide(o *object) {
	o.heldAfter = time.Time{}
	if kind := c.kinds()[o.r.Kind]; kind.Decided && !kind.ByOffer {
		if err := c.take("Create", specOf(o.r), o.r.Count); err != nil {
			c.end(o, cloud.Refused)
			return
		}
		o.drawn = true
	}
	o.r.State = cloud.Held
}

// end lets go of what an object holds.
func (c *Cloud) end(o *object, state cloud.State) {
	o.r.State, o.heldAfter, o.users, o.r.Unsettled = state, time.Time{}, nil, false
	if o.drawn {
		o.drawn = false
		c.give(placeOf(o.r), o.r.Count)
	}
}

// give adds free instances where they are counted.
func (c *Cloud) give(p Place, n int) {
	if _, counted := c.capacity[p]; counted {
		c.capacity[p] += n
	}
}

// find is the object of an id, nil where there is none.
func (c *Cloud) find(nativeID string) *object {
	for _, o := range c.objects {
		if o.r.Ref.NativeID == nativeID {
			return o
		}
	}
	return nil
}

// reach is the object of a ref as its account sees it: another account's object
// is not found.
func (c *Cloud) reach(op string, ref cloud.Ref) (*object, error) {
	id, err := c.accountID(ref.Account)
	if err != nil {
		return nil, err
	}
	o := c.find(ref.NativeID)
	if o == nil || o.r.AccountID != id {
		return nil, &cloud.Error{
			Code: cloud.NotFound, Op: op, Native: "NoSuchReservation",
			Message: fmt.Sprintf("there is no reservation %q", ref.NativeID),
		}
	}
	return o, nil
}

// show is the object as account sees it; nothing in it is shared with the world.
func (c *Cloud) show(o *object, account string) cloud.Reservation {
	r := o.r
	r.Ref.Account = account
	r.InUse = len(o.users)
	r.NativeState = strings.ToUpper(string(r.State))
	if r.Remains {
		r.NativeState += ", and its group is left"
	}
	r.Mark = cloud.MarkFromTags(o.tags)
	r.Tags = map[string]string{}
	for key, value := range o.tags {
		if !reservedTag(key) && !c.native {
			r.Tags[key] = value
		}
	}
	r.Native = maps.Clone(o.r.Native)
	r.ShareWith, r.Unresolved = slices.Clone(r.ShareWith), slices.Clone(r.Unresolved)
	r.PaidUpfront, r.Term = copied(r.PaidUpfront), copied(r.Term)
	r.CommittedUntil, r.FreeUntil = c.commitment(o)
	r.Locked, r.Fixed = c.locked(o), c.fixed(o)
	return r
}

// copied is a pointer to a value of its own, nil for nil.
func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func (c *Cloud) accountID(account string) (string, error) {
	id, ok := c.accounts[account]
	if !ok && c.named() && slices.Contains(slices.Collect(maps.Values(c.accounts)), account) {
		id, ok = account, true
	}
	if !ok {
		return "", &cloud.Error{
			Code: cloud.Invalid, Op: "AccountID", Native: "NoSuchAccount",
			Message: fmt.Sprintf("there is no account %q", account),
		}
	}
	return id, nil
}

// specOf is as much of a wish as decides on capacity and quota.
func specOf(r cloud.Reservation) cloud.Spec {
	return cloud.Spec{Region: r.Region, Zone: r.Zone, InstanceType: r.InstanceType}
}

func placeOf(r cloud.Reservation) Place { return PlaceOf(specOf(r)) }

func reservedTag(key string) bool {
	return strings.HasPrefix(key, cloud.TagPrefix) || strings.HasPrefix(key, SystemTagPrefix)
}
