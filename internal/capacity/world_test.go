package capacity_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	zone   = "mem-east-1a"
	region = "mem-east-1"
	whole  = "p1.whole"
	owner  = "team/state"
	kindOf = "gpu_reservation"
)

var start = time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)

// world is one in-memory cloud with a clock that jumps, and the rules on it.
type world struct {
	*testing.T
	jump *clocktest.Jump
	mem  *mem.Cloud
	// cloud is what the rules see: mem, or a wrapper of it.
	cloud    cloud.Cloud
	spending capacity.Spending
	claims   atomic.Int64
	log      lines
}

// lines is a log that is written to concurrently.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), part)
}

func newWorld(t *testing.T, opts mem.Options) *world {
	t.Helper()
	jump := clocktest.NewJump(start)
	opts.Clock = jump
	c := mem.New(opts)
	return &world{T: t, jump: jump, mem: c, cloud: c}
}

// process is the rules as a new process has them: with no memory.
func (w *world) process() *capacity.Manager {
	return capacity.New(capacity.Config{
		Clouds: map[string]cloud.Cloud{mem.Name: w.cloud}, Spending: w.spending, Clock: w.jump, Owner: owner,
		Log:      slog.New(slog.NewTextHandler(&w.log, nil)),
		Jitter:   func(time.Duration) time.Duration { return 0 },
		NewClaim: func() string { return fmt.Sprintf("claim-%d", w.claims.Add(1)) },
	})
}

// wish asks for one instance under a name.
func (w *world) wish(name string, edit ...func(*capacity.Wish)) capacity.Wish {
	w.Helper()
	wish := capacity.Wish{
		Cloud: mem.Name, Mark: cloud.Mark{Owner: owner, Name: name, Type: kindOf}, Timeout: 20 * time.Minute,
		Spec: cloud.Spec{Kind: cloud.OnDemand, Zone: zone, InstanceType: whole, Count: 1, Tags: map[string]string{"team": "ml"}},
	}
	for _, f := range edit {
		f(&wish)
	}
	spec, problems := w.cloud.Check(wish.Spec)
	if len(problems) > 0 {
		w.Fatalf("wish: %v", problems)
	}
	wish.Spec = spec
	return wish
}

// block asks for a prepaid block, whose create takes no token.
func (w *world) block(name string) capacity.Wish {
	w.Helper()
	w.mem.AddOffer(cloud.Offer{
		ID: "offer", Kind: cloud.Block, Region: region, Zone: zone, InstanceType: whole, Count: 1,
		StartAt: start.Add(24 * time.Hour), EndAt: start.Add(48 * time.Hour), Upfront: *usd(500),
	}, 10)
	return w.wish(name, func(wish *capacity.Wish) {
		wish.Spec.Kind, wish.Spec.Zone, wish.Spec.Region, wish.Spec.OfferID = cloud.Block, "", region, "offer"
	})
}

func count(n int) func(*capacity.Wish) { return func(w *capacity.Wish) { w.Spec.Count = n } }

func usd(units int64) *money.Money {
	return &money.Money{Micros: units * money.PerUnit, Currency: "USD"}
}

// create demands a create without an error.
func (w *world) create(wish capacity.Wish) capacity.Result {
	w.Helper()
	result, err := w.process().Create(w.Context(), wish)
	if err != nil {
		w.Fatalf("Create: %v", err)
	}
	return result
}

// holder is the state after a result.
func holder(r capacity.Result) capacity.Holder {
	return capacity.Holder{
		Cloud: mem.Name, Ref: r.Reservation.Ref, AccountID: r.Reservation.AccountID,
		Mark: r.Mark, Status: r.Status, EndsAt: r.Reservation.EndsAt,
		Region: r.Reservation.Region, Kind: r.Reservation.Kind,
	}
}

// all is every object, ended ones too, without a call that is counted as the
// rules' own.
func (w *world) all() []cloud.Reservation {
	w.Helper()
	w.mem.SetFault(nil)
	list, err := w.mem.List(context.Background(), cloud.Scope{Region: region})
	if err != nil {
		w.Fatalf("List: %v", err)
	}
	return list
}

// live is every live object of a name.
func (w *world) live(name string) []cloud.Reservation {
	w.Helper()
	var found []cloud.Reservation
	for _, r := range w.all() {
		if r.State.Live() && r.Mark.Name == name {
			found = append(found, r)
		}
	}
	return found
}

// one demands exactly one live object of a name.
func (w *world) one(name string) cloud.Reservation {
	w.Helper()
	found := w.live(name)
	if len(found) != 1 {
		w.Fatalf("%d live objects are named %q, want 1: %v", len(found), name, found)
	}
	return found[0]
}

// calls is how often a method was called.
func (w *world) calls(method string) int {
	n := 0
	for _, call := range w.mem.Calls() {
		if call.Method == method {
			n++
		}
	}
	return n
}

// lost is the error of an answer that never came.
func lost(method string) error {
	return &cloud.Error{Code: cloud.Internal, Op: method, Message: "connection closed without an answer", Accepted: true}
}

// fail has the next call of a method fail, before or after it is done.
func (w *world) fail(method string, before, after error) {
	var seen atomic.Int64
	w.mem.SetFault(func(call cloud.Call) (error, error) {
		if call.Method != method || seen.Add(1) != 1 {
			return nil, nil
		}
		return before, after
	})
}

// refuseAll has every call of a method fail.
func (w *world) refuseAll(method string, err error) {
	w.mem.SetFault(func(call cloud.Call) (error, error) {
		if call.Method == method {
			return err, nil
		}
		return nil, nil
	})
}

// failure demands a Failure whose text has every part.
func failure(t *testing.T, err error, parts ...string) capacity.Notice {
	t.Helper()
	var f *capacity.Failure
	if !errors.As(err, &f) {
		t.Fatalf("error is %v (%T), want a Failure", err, err)
	}
	for _, part := range parts {
		if !strings.Contains(f.Error(), part) {
			t.Errorf("the failure lacks %q: %s", part, f.Error())
		}
	}
	return f.Notice
}

// noticed demands a notice whose summary and detail have the parts.
func noticed(t *testing.T, notices []capacity.Notice, parts ...string) {
	t.Helper()
	for _, n := range notices {
		text, all := n.Summary+": "+n.Detail, true
		for _, part := range parts {
			all = all && strings.Contains(text, part)
		}
		if all {
			return
		}
	}
	t.Errorf("no notice has %q: %v", parts, notices)
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// named is mem as a cloud whose names are native and whose objects take no claim.
type named struct {
	*mem.Cloud
	// creates takes the creates.
	creates cloud.Cloud

	mu sync.Mutex
	// names are native names that differ from the mark's.
	names map[string]string
	// released is how releases fail, removed what they removed.
	released error
	removed  map[string]bool
}

func newNamed(c *mem.Cloud) *named {
	return &named{Cloud: c, creates: c, names: map[string]string{}, removed: map[string]bool{}}
}

func (c *named) Capabilities() cloud.Capabilities {
	caps := c.Cloud.Capabilities()
	caps.NativeName, caps.Claims = true, false
	k := caps.Kinds[cloud.OnDemand]
	k.InPlace = []cloud.Attribute{cloud.AttrCount, cloud.AttrTags}
	caps.Kinds[cloud.OnDemand] = k
	return caps
}

func (c *named) show(r cloud.Reservation) cloud.Reservation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name := c.names[r.Ref.NativeID]; name != "" {
		r.NativeName = name
	} else {
		r.NativeName = r.Mark.Name
	}
	return r
}

func (c *named) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	r, err := c.creates.Create(ctx, req)
	return c.show(r), err
}

func (c *named) Get(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
	r, err := c.Cloud.Get(ctx, ref)
	return c.show(r), err
}

func (c *named) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	list, err := c.Cloud.List(ctx, s)
	for i := range list {
		list[i] = c.show(list[i])
	}
	return list, err
}

func (c *named) Release(ctx context.Context, ref cloud.Ref) error {
	c.mu.Lock()
	err := c.released
	c.removed[ref.NativeID] = err == nil
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.Cloud.Release(ctx, ref)
}

// blind is mem whose first listings show nothing, as an index that is behind.
type blind struct {
	*mem.Cloud
	looks atomic.Int64
}

func (c *blind) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	list, err := c.Cloud.List(ctx, s)
	if c.looks.Add(-1) >= 0 {
		return nil, err
	}
	return list, err
}

// refusing is mem that accepts and at once refuses what it is asked for.
type refusing struct {
	*mem.Cloud
	times atomic.Int64
}

func (c *refusing) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	r, err := c.Cloud.Create(ctx, req)
	if err != nil || !r.State.Live() || c.times.Add(-1) < 0 {
		return r, err
	}
	c.SetState(r.Ref.NativeID, cloud.Refused)
	return c.Get(ctx, r.Ref)
}

// basic is mem without its optional interfaces.
type basic struct{ cloud.Cloud }

// listsNothing is a cloud whose listings are empty, without optional interfaces.
type listsNothing struct{ cloud.Cloud }

func (listsNothing) List(context.Context, cloud.Scope) ([]cloud.Reservation, error) { return nil, nil }
