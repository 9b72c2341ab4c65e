package capacity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Intervals that the rules name.
const (
	// pollEvery is how often a pending object or a full zone is asked again,
	// unless the cloud asks for more.
	pollEvery = 5 * time.Second
	// settle is how far apart two empty listings must be to mean that nothing
	// is there, where a repeated create would not be recognized by the cloud.
	settle = 60 * time.Second
	// maxJitter is how much longer at most.
	maxJitter = 10 * time.Second
	// grace is what an interrupted run still spends on leaving things findable.
	grace = 10 * time.Second
)

// Config is what a Manager works with.
type Config struct {
	// Clouds holds the drivers by name.
	Clouds map[string]cloud.Cloud
	// Simulated tells that the clouds are simulated ones.
	Simulated bool
	Spending  Spending
	Clock     clock.Clock
	Log       *slog.Logger
	// Owner is whose a state is that does not say so: one of an import, before
	// its first change.
	Owner string
	// NewClaim returns a fresh random id.
	NewClaim func() string
	// Jitter returns a random length of time below another; nil draws one.
	Jitter func(below time.Duration) time.Duration
}

// Manager runs the rules for one configured provider. It is safe for
// concurrent use.
type Manager struct {
	cfg      Config
	names    names
	adopted  names
	listings *shared[listing]
	offers   *shared[[]cloud.Offer]
	budget   *budget
}

// New returns a manager. It makes no call.
func New(cfg Config) *Manager {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Jitter == nil {
		cfg.Jitter = rand.N[time.Duration]
	}
	return &Manager{
		cfg: cfg, listings: newShared[listing](cfg.Clock), offers: newShared[[]cloud.Offer](cfg.Clock),
		budget: &budget{limit: cfg.Spending},
	}
}

// Cloud is the driver of that name.
func (m *Manager) Cloud(name string) (cloud.Cloud, error) {
	c, ok := m.cfg.Clouds[name]
	if !ok {
		return nil, refuse("cloud", "Cloud not available", "%q is not one of the clouds this provider can use: %s.",
			name, strings.Join(slices.Sorted(maps.Keys(m.cfg.Clouds)), ", "))
	}
	return c, nil
}

// Clouds are the names of the clouds that can be used, sorted.
func (m *Manager) Clouds() []string { return slices.Sorted(maps.Keys(m.cfg.Clouds)) }

// Simulated tells whether the clouds are simulated ones.
func (m *Manager) Simulated() bool { return m.cfg.Simulated }

// Holder is a reservation as a state remembers it.
type Holder struct {
	Cloud string
	Ref   cloud.Ref
	// AccountID and Simulated are the realm it was made in.
	AccountID string
	Simulated bool
	// Region and Kind say where to look for it.
	Region string
	Kind   cloud.Kind
	// Mark is who holds it; without a claim it was never claimed.
	Mark   cloud.Mark
	Status Status
	EndsAt time.Time
	// TermMonths is how long the term is that was bought, 0 without one.
	TermMonths int
}

func (h Holder) String() string { return fmt.Sprintf("%q (%s)", h.Mark.Name, h.Ref.NativeID) }

// Status is how a reservation stands.
type Status string

// The statuses.
const (
	// Pending is accepted, not yet promised.
	Pending Status = "pending"
	// Held is promised and complete.
	Held Status = "held"
	// Degraded is promised, but a late step is missing.
	Degraded Status = "degraded"
	// Refused will never be promised.
	Refused Status = "refused"
)

// realm checks that the holder's world is the one this run talks to: only
// there does absence mean anything.
func (m *Manager) realm(ctx context.Context, c cloud.Cloud, h Holder) error {
	title := c.Capabilities().Title
	if h.Simulated != m.cfg.Simulated {
		return refuse("", "Reservation belongs to another world",
			"%s was made %s, and this provider works %s. Nothing was read or changed. "+
				"Restore the provider's simulation setting, or remove the object from this state with a removed block.",
			h, world(h.Simulated), world(m.cfg.Simulated))
	}
	if h.AccountID == "" {
		return nil
	}
	id, err := c.AccountID(ctx, h.Ref.Account)
	if err != nil {
		return failed(err, "Cannot tell which account this is", "%s: %s", title, describe(c, err))
	}
	if id != h.AccountID {
		return refuse("", "Reservation belongs to another account",
			"%s was made in %s account %s, and the credentials in use belong to account %s. Its absence there "+
				"would mean nothing, so nothing was read or changed. Use credentials of account %s.",
			h, title, h.AccountID, id, h.AccountID)
	}
	return nil
}

func world(simulated bool) string {
	if simulated {
		return "in a simulated cloud"
	}
	return "in a real cloud"
}

// ours tells whether the claim on the object is the holder's: equal, or absent
// on either side with no other's mark on the object.
func (m *Manager) ours(h Holder, r cloud.Reservation) bool {
	if r.Mark.Empty() {
		return true
	}
	if r.Mark.Claim == "" || h.Mark.Claim == "" {
		return r.Mark.Owner == cmp.Or(h.Mark.Owner, m.cfg.Owner) && r.Mark.Type == h.Mark.Type
	}
	return r.Mark.Claim == h.Mark.Claim
}

// within is a context with the operation's one deadline, on the injected clock
// for every wait and on the machine's for every call.
func (m *Manager) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx = clock.Until(ctx, m.cfg.Clock.Now().Add(limit))
	return context.WithTimeout(ctx, limit)
}

// scopeOf is the part of a cloud that a listing must cover to hold the place; no
// group is every group. The kind is for what a listing may leave out, which a
// group is too small for.
func scopeOf(c cloud.Cloud, account, region, group string, kind cloud.Kind) cloud.Scope {
	switch c.Capabilities().ListedBy {
	case cloud.ByAccount:
		return cloud.Scope{Account: account, Kind: kind}
	case cloud.ByGroup:
		return cloud.Scope{Account: account, Group: group}
	}
	return cloud.Scope{Account: account, Region: region, Kind: kind}
}

// scope is where a holder's object is listed.
func (h Holder) scope(c cloud.Cloud) cloud.Scope {
	group := ""
	if g, ok := cloud.As[cloud.Grouper](c); ok {
		group = g.GroupOf(h.Ref)
	}
	return scopeOf(c, h.Ref.Account, h.Region, group, h.Kind)
}

// scope is where what the wish makes in a region is listed, of whatever kind.
func (w Wish) scope(c cloud.Cloud, region string) cloud.Scope {
	group := ""
	if g, ok := cloud.As[cloud.Grouper](c); ok {
		group = g.Group(w.Spec, w.Mark.Name)
	}
	return scopeOf(c, w.Spec.Account, region, group, "")
}

// describe is the error with the way to mend it, where one is known: how to give
// credentials, unless the cloud knew them and refused what they may do.
func describe(c cloud.Cloud, err error) string {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return cloud.Clean(err.Error())
	}
	text, hint := err.Error(), c.Capabilities().CredentialsHint
	if e.Code != cloud.PermissionDenied || e.Authenticated || hint == "" || strings.Contains(text, hint) {
		return text
	}
	return text + "; " + hint
}

// Now is the cloud's time, or this machine's where the cloud does not tell.
func (m *Manager) Now(ctx context.Context, cloudName, account, region string) (time.Time, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return time.Time{}, err
	}
	keeper, ok := cloud.As[cloud.Timekeeper](c)
	if !ok {
		return m.cfg.Clock.Now(), nil
	}
	now, err := keeper.Now(ctx, account, region)
	if err != nil {
		return time.Time{}, failed(err, "Cannot tell the time of "+c.Capabilities().Title, "%s", describe(c, err))
	}
	return now, nil
}

// AccountID is the cloud's own id of a configured account.
func (m *Manager) AccountID(ctx context.Context, cloudName, account string) (string, error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return "", err
	}
	id, err := c.AccountID(ctx, account)
	if err != nil {
		return "", failed(err, "Cannot use "+c.Capabilities().Title, "%s", describe(c, err))
	}
	return id, nil
}

// InstanceType describes a type as the cloud does; found tells whether it knows
// it.
func (m *Manager) InstanceType(
	ctx context.Context, cloudName, account, region, name string,
) (t cloud.InstanceType, found bool, err error) {
	c, err := m.Cloud(cloudName)
	if err != nil {
		return t, false, err
	}
	describer, ok := cloud.As[cloud.TypeDescriber](c)
	if !ok {
		return t, false, nil
	}
	types, err := describer.InstanceTypes(ctx, account, region, name)
	if err != nil {
		return t, false, err
	}
	for _, t := range types {
		if t.Name == name {
			return t, true, nil
		}
	}
	return t, false, nil
}
