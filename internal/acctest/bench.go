package acctest

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/all"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// OwnerPrefix starts the owner of everything that acceptance tests make, so
// that a sweep of a real account finds what a test left behind.
const OwnerPrefix = "acctest/"

// mainPackage is the provider's program.
const mainPackage = "github.com/gpulock/terraform-provider-gpu"

// Bench is a workspace whose provider talks to simulated clouds of its own, or,
// where that is allowed, to a real account.
type Bench struct {
	*CLI
	// World is the simulated clouds; nil against a real account.
	World *sim.World
	// Clock is the provider's, which never waits and pushes the world's along;
	// nil for a binary and against a real account.
	Clock *clocktest.Jump
	// Owner is this test's own.
	Owner string

	tb      testing.TB
	cloud   string
	subject subject
	server  *sim.Server
	live    *Live
	// driver looks at the cloud past the provider.
	driver cloud.Cloud
}

// BenchOptions choose what differs from the usual: a served provider whose clock
// jumps.
type BenchOptions struct {
	// Binary runs the built provider, on wall time.
	Binary bool
	// Around stands around a simulated cloud's endpoint.
	Around func(http.Handler) http.Handler
	// Simulated keeps the test away from a real account, for the reason given.
	Simulated string
	// NoLog leaves the log off, as a user does: writing it costs more than most
	// commands.
	NoLog bool
	// Env is added to the command line's environment.
	Env map[string]string
	// Beside are further providers, as in [Options].
	Beside map[string]func() (tfprotov6.ProviderServer, error)
}

// NewBench makes the workspace for tests of one cloud.
func NewBench(tb testing.TB, cloudName string, opts BenchOptions) *Bench {
	tb.Helper()
	Require(tb)
	b := &Bench{tb: tb, cloud: cloudName, Owner: OwnerPrefix + strings.ToLower(rand.Text())}
	var ok bool
	if b.subject, ok = subjects()[cloudName]; !ok {
		tb.Fatalf("no bench for %q", cloudName)
	}
	live, err := b.subject.live()
	if err != nil {
		tb.Fatal(err)
	}
	if live != nil {
		if opts.Simulated != "" {
			tb.Skipf("not against a real account: %s", opts.Simulated)
		}
		b.live = live
	} else {
		b.simulate(opts)
	}
	b.driver = b.driverOf()
	cli := Options{Env: opts.Env, NoLog: opts.NoLog, Beside: opts.Beside}
	if opts.Binary {
		cli.Binary, cli.Env = BuildProvider(tb, mainPackage), environment(b.live, opts.Env)
	} else {
		cli.Server = b.serve
	}
	b.CLI = New(tb, cli)
	return b
}

// simulate serves simulated clouds whose clock stands still until it is pushed.
func (b *Bench) simulate(opts BenchOptions) {
	b.tb.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err == nil && !opts.Binary {
		err = world.Freeze(true)
	}
	if err != nil {
		b.tb.Fatal(err)
	}
	b.World = world
	endpoints := all.Simulators(world)
	for i := range endpoints {
		if opts.Around != nil {
			endpoints[i].Handler = opts.Around(endpoints[i].Handler)
		}
	}
	if b.server, err = sim.Serve(sim.ServeOptions{}, endpoints...); err != nil {
		b.tb.Fatal(err)
	}
	b.tb.Cleanup(func() {
		world.Close()
		if err := b.server.Close(); err != nil {
			b.tb.Error(err)
		}
	})
	if !opts.Binary {
		b.startClock()
	}
}

// startClock starts the provider's clock at the world's and lets each jump push
// the world's by as much, so that a test may set that one elsewhere.
func (b *Bench) startClock() {
	reading, err := b.World.Clock()
	if err != nil {
		b.tb.Fatal(err)
	}
	b.Clock = clocktest.NewJump(reading.Now)
	var mu sync.Mutex
	last := reading.Now
	b.Clock.OnJump(func(now time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if now.After(last) {
			if err := b.World.Advance(now.Sub(last)); err != nil {
				b.tb.Errorf("push the world's clock: %v", err)
			}
			last = now
		}
	})
}

func (b *Bench) serve() (tfprotov6.ProviderServer, error) {
	var opts provider.Options
	if b.Clock != nil {
		opts.Clock = b.Clock
	}
	return provider.Server(provider.NewWith("test", opts)())
}

// URL is the endpoint of a simulated cloud.
func (b *Bench) URL(cloudName string) string { return b.server.URL(cloudName) }

// endpoint is the simulated cloud's, "" against a real account.
func (b *Bench) endpoint() string {
	if b.live != nil {
		return ""
	}
	return b.URL(b.cloud)
}

// driverOf is a driver of the test's own, beside the provider's: for the
// simulators with what they accept, else with the process's own credentials. It
// has the provider's clock, without which no operation of a cloud whose clock
// stands still would ever be done.
func (b *Bench) driverOf() cloud.Cloud {
	var cfg all.Config
	if b.Clock != nil {
		cfg.Clock = b.Clock
	}
	if b.live == nil {
		b.subject.lead(&cfg, b.endpoint())
	}
	return all.New(cfg)[b.cloud]
}

// Provider is the provider block, with more attributes if given.
func (b *Bench) Provider(more ...string) string {
	return fmt.Sprintf("provider \"gpu\" {\n  owner = %q\n  %s\n%s\n}\n",
		b.Owner, b.subject.block(b.endpoint()), strings.Join(more, "\n"))
}

// Live tells whether this is a real account: there Calls and Objects are empty.
func (b *Bench) Live() bool { return b.live != nil }

// Spend takes what a test may cost, in US dollars, from what the run may spend on
// real accounts, before it is spent. Simulated clouds cost nothing.
func (b *Bench) Spend(usd string) {
	b.tb.Helper()
	if b.live == nil {
		return
	}
	amount, err := money.Parse(usd, "USD")
	if err == nil {
		err = b.live.Commit(amount)
	}
	if err != nil {
		b.tb.Fatal(err)
	}
}

// Calls are the requests the simulated clouds saw since a row of their log, of
// one operation or, if that is "", of all.
func (b *Bench) Calls(since int64, operation string) []sim.Call {
	b.tb.Helper()
	if b.World == nil {
		return nil
	}
	calls, err := b.World.Calls(since)
	if err != nil {
		b.tb.Fatal(err)
	}
	var found []sim.Call
	for _, c := range calls {
		if operation == "" || c.Operation == operation {
			found = append(found, c)
		}
	}
	return found
}

// Mark is the last row of the simulated clouds' log so far, for Calls.
func (b *Bench) Mark() int64 {
	calls := b.Calls(0, "")
	if len(calls) == 0 {
		return 0
	}
	return calls[len(calls)-1].Seq
}

// Objects are the simulated clouds' objects whose status is one of those given,
// or all.
func (b *Bench) Objects(statuses ...string) []sim.ObjectRow {
	b.tb.Helper()
	if b.World == nil {
		return nil
	}
	objects, err := b.World.Objects()
	if err != nil {
		b.tb.Fatal(err)
	}
	var found []sim.ObjectRow
	for _, o := range objects {
		if len(statuses) == 0 {
			found = append(found, o)
		}
		for _, s := range statuses {
			if o.Status == s {
				found = append(found, o)
			}
		}
	}
	return found
}

// Held are the live reservations of this test as the cloud lists them, simulated
// or real, where tests reserve.
func (b *Bench) Held() []cloud.Reservation {
	b.tb.Helper()
	list, err := b.driver.List(b.tb.Context(), b.subject.scope())
	if err != nil {
		b.tb.Fatal(err)
	}
	return slices.DeleteFunc(list, func(r cloud.Reservation) bool { return !r.State.Live() || r.Mark.Owner != b.Owner })
}

// Make reserves with the cloud itself, past the provider.
func (b *Bench) Make(spec cloud.Spec, mark cloud.Mark) cloud.Reservation {
	b.tb.Helper()
	r, err := b.driver.Create(b.tb.Context(), cloud.CreateRequest{Spec: spec, Mark: mark, Token: rand.Text()})
	if err != nil {
		b.tb.Fatal(err)
	}
	return r
}

// Sweep releases what tests of this run and earlier ones left in the account.
func (b *Bench) Sweep() {
	b.tb.Helper()
	if err := Sweep(b.tb.Context(), b.driver, b.subject.scope()); err != nil {
		b.tb.Fatal(err)
	}
}

// Offers are what the cloud itself would sell for a wish, past the provider.
func (b *Bench) Offers(spec cloud.Spec) []cloud.Offer {
	b.tb.Helper()
	offerer, ok := cloud.As[cloud.Offerer](b.driver)
	if !ok {
		b.tb.Fatal("the cloud sells nothing by offer")
	}
	offers, err := offerer.Offers(b.tb.Context(), spec)
	if err != nil {
		b.tb.Fatal(err)
	}
	return offers
}

// Alter changes a reservation at the cloud itself, past the provider.
func (b *Bench) Alter(ref cloud.Ref, change cloud.Change) {
	b.tb.Helper()
	updater, ok := cloud.As[cloud.Updater](b.driver)
	if !ok {
		b.tb.Fatal("the cloud changes nothing in place")
	}
	if _, err := updater.Update(b.tb.Context(), ref, change); err != nil {
		b.tb.Fatal(err)
	}
}

// AtJump has f called once, when the provider's clock has come to an instant.
func (b *Bench) AtJump(at time.Time, f func() error) {
	var once sync.Once
	b.Clock.OnJump(func(now time.Time) {
		if now.Before(at) {
			return
		}
		once.Do(func() {
			if err := f(); err != nil {
				b.tb.Errorf("at %s: %v", at, err)
			}
		})
	})
}

// Do fails the test on an error of the world's own.
func (b *Bench) Do(err error) {
	b.tb.Helper()
	if err != nil {
		b.tb.Fatal(err)
	}
}
