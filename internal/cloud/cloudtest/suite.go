package cloudtest

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// T is what the checks need of a *testing.T.
type T interface {
	Helper()
	Context() context.Context
	Cleanup(f func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	// Fatalf and Skipf end the check.
	Fatalf(format string, args ...any)
	Skipf(format string, args ...any)
	// Run runs a part under its own name, perhaps in parallel with others.
	Run(name string, f func(T))
}

// Harness makes a fresh world for each check; what it starts ends with
// t.Cleanup. It may be called concurrently.
type Harness func(t T) World

// Moment is when an answer is lost, seen from the cloud.
type Moment string

// The moments.
const (
	BeforeCommit Moment = "before"
	AfterCommit  Moment = "after"
)

// World is a cloud with nothing of the suite's in it, and the means to change
// it behind the cloud's back. Every func is optional.
type World struct {
	Cloud cloud.Cloud
	// Wishes holds, for each kind of the cloud, a wish for one instance that is
	// granted as the world is, without tags and, where the kind allows, without
	// end, with room for 16 of them at a time. A wish of a kind that is bought by
	// offer fits two offers or more.
	Wishes map[cloud.Kind]cloud.Spec
	// Elsewhere is a wish outside the List scope of the others; its kind is
	// empty where there is none.
	Elsewhere cloud.Spec
	// TagKey is a user's tag key with marks in it that the cloud takes; "" is
	// "path/with:marks".
	TagKey string
	// SystemTag is a tag key of the cloud's own, "" where there is none.
	SystemTag string
	// Consumers are at least three further accounts that the wishes can be shared
	// with, by names of which AccountID makes other ones; empty where nothing is
	// shared.
	Consumers []string
	// Repeats tells that the cloud under test repeats by itself a call whose
	// answer was lost and that is safe to repeat, as a retrying wrapper does.
	Repeats bool
	// Cancellable are the kinds that can be given up against a charge.
	Cancellable []cloud.Kind
	// ExtendBy is by how much the wish of a kind that can grow longer can be
	// prolonged, twice in a row; zero where it cannot.
	ExtendBy time.Duration
	// Options holds native options that change in place, by name, each with a
	// value that the wishes do not have.
	Options map[string]string
	// OneGroup are wishes of one kind that fit together into one group which is
	// there already, at least two; empty where none can be given.
	OneGroup []cloud.Spec
	// Unmet are wishes that a Preflighter has to find fault with.
	Unmet []Unmet

	// SetCapacity has just so many more instances of a wish's shape free in its
	// place.
	SetCapacity func(wish cloud.Spec, free int)
	// SetQuota has the quota that a wish draws on let just so many more
	// instances through.
	SetQuota func(wish cloud.Spec, free int)
	// SetUsers has n instances run in a reservation.
	SetUsers func(ref cloud.Ref, n int)
	// SetMissing has the cloud never give n of the instances of a reservation that
	// is decided on later.
	SetMissing func(ref cloud.Ref, n int)
	// Unsettle leaves a reservation as a refused growth does that was not set back.
	Unsettle func(ref cloud.Ref)
	// LeaveBehind has the release of a reservation, in a group made with it, begin
	// and not end.
	LeaveBehind func(ref cloud.Ref)
	// SetTag writes a tag of any key as another tool or the cloud itself would.
	SetTag func(ref cloud.Ref, key, value string)
	// RawTags reads all tags, those of the system too.
	RawTags func(ref cloud.Ref) map[string]string
	// Forget has the cloud no longer know a reservation.
	Forget func(ref cloud.Ref)
	// Advance moves the cloud's clock, and the driver's if it has one.
	Advance func(d time.Duration)
	// PaymentTakes has what is bought from now on wait so long for its payment.
	PaymentTakes func(d time.Duration)
	// FailPayment has the payment fail that a reservation waits for.
	FailPayment func(ref cloud.Ref)
	// Lose loses the answer of the next call that changes something, of the
	// methods "Create", "Update", "Release", "Extend" and "Cancel"; "Term" is an
	// Update that buys a term. The connection is closed without an answer.
	Lose func(method string, when Moment)
	// Throttle has every call throttled until it is switched off.
	Throttle func(on bool)
	// PageSize has lists answered in pages of at most n.
	PageSize func(n int)
}

// Unmet is a wish that Check passes and the cloud can never meet as the world is,
// and the attribute that is at fault.
type Unmet struct {
	Attribute cloud.Attribute
	Wish      cloud.Spec
}

// check is one promise.
type check struct {
	name string
	// of: the kinds that the promise is about have these traits.
	of traits
	// once: the promise is not about a kind; it is checked with the first one.
	once bool
	run  func(b *bench)
}

// traits say which kinds a promise is about.
type traits []func(cloud.KindCapabilities) bool

func (all traits) of(k cloud.KindCapabilities) bool {
	return !slices.ContainsFunc(all, func(has func(cloud.KindCapabilities) bool) bool { return !has(k) })
}

func takesToken(k cloud.KindCapabilities) bool { return k.Idempotent }
func free(k cloud.KindCapabilities) bool       { return k.ReleasedFree }
func paid(k cloud.KindCapabilities) bool       { return !k.ReleasedFree }
func byOffer(k cloud.KindCapabilities) bool    { return k.ByOffer }

// prompt kinds are refused by the answer of Create where there is no capacity;
// slow ones are decided on later.
func prompt(k cloud.KindCapabilities) bool { return !slow(k) }
func slow(k cloud.KindCapabilities) bool   { return k.Decided && !k.ByOffer }

// leads: the start of a wish is bound to the present time.
func leads(k cloud.KindCapabilities) bool { return k.MinLead > 0 || k.MaxLead > 0 }

// ends: a reservation of the kind has an end.
func ends(k cloud.KindCapabilities) bool {
	return k.ByOffer || k.Bounded || k.CanChange(cloud.AttrEnd)
}

func bounded(k cloud.KindCapabilities) bool  { return k.Bounded }
func tagged(k cloud.KindCapabilities) bool   { return k.CarriesTags() }
func untagged(k cloud.KindCapabilities) bool { return !k.CarriesTags() }

// amended kinds have a small change, see bench.amendment.
func amended(k cloud.KindCapabilities) bool { return k.CarriesTags() || k.CanChange(cloud.AttrCount) }

// metered kinds draw on a quota; what is bought by offer does not.
func metered(k cloud.KindCapabilities) bool { return !k.ByOffer }

func changes(a cloud.Attribute) func(cloud.KindCapabilities) bool {
	return func(k cloud.KindCapabilities) bool { return k.CanChange(a) }
}

// group is the checks of one capability.
type group struct {
	name   string
	checks []check
}

func groups() []group {
	return []group{
		{"capabilities", capabilityChecks()},
		{"wish", wishChecks()},
		{"account", accountChecks()},
		{"create", createChecks()},
		{"token", tokenChecks()},
		{"lost", lostChecks()},
		{"refused", refusalChecks()},
		{"get", getChecks()},
		{"list", listChecks()},
		{"release", releaseChecks()},
		{"update", updateChecks()},
		{"name", nameChecks()},
		{"shared", sharedChecks()},
		{"grouped", groupChecks()},
		{"regional", regionalChecks()},
		{"unsettled", unsettledChecks()},
		{"remains", remainsChecks()},
		{"preflight", preflightChecks()},
		{"tags", tagChecks()},
		{"claim", claimChecks()},
		{"users", userChecks()},
		{"import", importChecks()},
		{"types", typeChecks()},
		{"quotas", quotaChecks()},
		{"offers", offerChecks()},
		{"commitment", commitmentChecks()},
		{"cancel", cancelChecks()},
		{"extensions", extensionChecks()},
		{"terms", termChecks()},
		{"market", marketChecks()},
		{"clock", clockChecks()},
		{"context", contextChecks()},
		{"concurrent", concurrencyChecks()},
	}
}

// Run holds a cloud to the contract, each check in a world of its own and in
// parallel with the others.
func Run(t *testing.T, h Harness) {
	t.Helper()
	Suite(std{t}, h)
}

// Suite is Run for any T. Checks are named "GROUP/CHECK/KIND", or
// "GROUP/CHECK" where they are not about a kind. What a kind cannot do by its
// capabilities is not checked with it.
func Suite(t T, h Harness) {
	t.Helper()
	first := h(t)
	if first.Cloud == nil || len(first.Wishes) == 0 {
		t.Fatalf("the harness gives no cloud or no wish")
	}
	kinds, can := kindsOf(first), first.Cloud.Capabilities().Kinds
	for _, g := range groups() {
		for _, c := range g.checks {
			if c.once {
				t.Run(g.name+"/"+c.name, func(t T) { c.run(newBench(t, h(t), kinds[0])) })
				continue
			}
			for _, kind := range kinds {
				if c.of.of(can[kind]) {
					t.Run(g.name+"/"+c.name+"/"+string(kind), func(t T) { c.run(newBench(t, h(t), kind)) })
				}
			}
		}
	}
}

// kindsOf are the kinds that the world has a wish of, on-demand first: it can
// do most.
func kindsOf(w World) []cloud.Kind {
	kinds := slices.Sorted(maps.Keys(w.Wishes))
	slices.SortStableFunc(kinds, func(a, b cloud.Kind) int {
		switch {
		case a == b:
			return 0
		case a == cloud.OnDemand:
			return -1
		case b == cloud.OnDemand:
			return 1
		}
		return 0
	})
	return kinds
}

// Wrapped is the harness of the same worlds with interceptors around the cloud,
// to hold a wrapper to the contract.
func Wrapped(h Harness, around ...cloud.Interceptor) Harness {
	return func(t T) World {
		t.Helper()
		w := h(t)
		w.Cloud = cloud.Intercept(w.Cloud, around...)
		return w
	}
}

// std is T on a *testing.T.
type std struct{ *testing.T }

// Run implements T.
func (s std) Run(name string, f func(T)) {
	s.T.Run(name, func(t *testing.T) {
		t.Parallel()
		f(std{t})
	})
}
