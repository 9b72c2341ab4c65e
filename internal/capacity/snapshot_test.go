package capacity_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// several makes n reservations and returns their states.
func (w *world) several(n int) []capacity.Holder {
	w.Helper()
	holders := make([]capacity.Holder, n)
	for i := range holders {
		holders[i] = holder(w.create(w.wish(fmt.Sprintf("n%d", i))))
	}
	return holders
}

// TestRule23_refreshSharesAListing: n reads at once cost one listing and no read
// by id; another region is another listing.
func TestRule23_refreshSharesAListing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	holders := w.several(30)
	elsewhere := holder(w.create(w.wish("west", func(w *capacity.Wish) { w.Spec.Zone = "mem-west-1a" })))
	lists, gets, m := w.calls("List"), w.calls("Get"), w.process()
	var wait sync.WaitGroup
	for _, h := range holders {
		wait.Go(func() {
			reading, err := m.Read(t.Context(), h)
			if err != nil || reading.Finding != capacity.Present || reading.Reservation.Ref != h.Ref {
				t.Errorf("Read = %+v, %v", reading, err)
			}
		})
	}
	wait.Wait()
	want(t, "listings", w.calls("List")-lists, 1)
	want(t, "reads by id", w.calls("Get")-gets, 0)
	if _, err := m.Read(t.Context(), elsewhere); err != nil {
		t.Error(err)
	}
	want(t, "listings of two regions", w.calls("List")-lists, 2)
}

// TestListingIsRenewed: it answers for a minute, counted from when it began.
func TestListingIsRenewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := w.several(1)[0]
	m := w.process()
	read := func(listings int) {
		t.Helper()
		before := w.calls("List")
		if _, err := m.Read(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		want(t, "listings", w.calls("List")-before, listings)
	}
	read(1)
	w.jump.Advance(59 * time.Second)
	read(0)
	w.jump.Advance(time.Second)
	read(1)
}

// TestListIsMadeNow: who asks for everything gets what is there now, sorted.
func TestListIsMadeNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := w.several(3)[0]
	m := w.process()
	if _, err := m.Read(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	w.create(w.wish("later"))
	list, err := m.List(t.Context(), mem.Name, "", region)
	want(t, "error", err, nil)
	want(t, "objects", len(list), 4)
	for i := range len(list) - 1 {
		if list[i].Ref.NativeID >= list[i+1].Ref.NativeID {
			t.Errorf("not sorted: %v", list)
		}
	}
	w.refuseAll("List", &cloud.Error{Code: cloud.Throttled, Op: "List", Message: "slow down"})
	_, err = m.List(t.Context(), mem.Name, "", region)
	failure(t, err, "Cannot list", "slow down")
}

// TestFailedListingIsNotKept: the next read lists again.
func TestFailedListingIsNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := w.several(1)[0]
	m := w.process()
	w.fail("List", &cloud.Error{Code: cloud.Throttled, Op: "List", Message: "slow down"}, nil)
	_, err := m.Read(t.Context(), h)
	failure(t, err, "slow down", h.Ref.NativeID)
	_, err = m.Read(t.Context(), h)
	want(t, "error of the second read", err, nil)
}

// TestFirstCallerCanceled: its listing goes on for the others, and with none of
// its deadlines.
func TestFirstCallerCanceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, mem.Options{})
		h := w.several(1)[0]
		gate := gated{Cloud: w.mem, open: make(chan struct{}), clock: w.jump}
		w.cloud = &gate
		m := w.process()
		first, cancel := context.WithCancel(clock.Until(t.Context(), start.Add(time.Second)))
		firstErr, secondErr := make(chan error, 1), make(chan error, 1)
		go func() { _, err := m.Read(first, h); firstErr <- err }()
		synctest.Wait()
		go func() { _, err := m.Read(t.Context(), h); secondErr <- err }()
		synctest.Wait()
		cancel()
		if err := <-firstErr; !errors.Is(err, context.Canceled) {
			t.Errorf("the first Read = %v, want canceled", err)
		}
		close(gate.open)
		want(t, "the second Read's error", <-secondErr, nil)
		want(t, "the listing was limited by the first caller's clock", gate.limited, false)
		want(t, "its own context's limit is set", gate.deadline, true)
		want(t, "listings", w.calls("List"), 2) // one by the create
	})
}

// gated is mem whose listings wait, and tell what limits them.
type gated struct {
	*mem.Cloud
	open              chan struct{}
	clock             clock.Clock
	limited, deadline bool
}

func (c *gated) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	left, _ := clock.Left(ctx, c.clock)
	c.limited = left <= time.Second
	_, c.deadline = ctx.Deadline()
	select {
	case <-c.open:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return c.Cloud.List(ctx, s)
}

// byAccount is mem as a cloud that lists a whole account at once.
type byAccount struct{ *mem.Cloud }

func (c byAccount) Capabilities() cloud.Capabilities {
	caps := c.Cloud.Capabilities()
	caps.ListedBy = cloud.ByAccount
	return caps
}

func (c byAccount) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	if s.Region != "" {
		return nil, &cloud.Error{Code: cloud.Invalid, Op: "List", Message: "no region is taken"}
	}
	var all []cloud.Reservation
	for _, r := range []string{region, "mem-west-1"} {
		list, err := c.Cloud.List(ctx, cloud.Scope{Account: s.Account, Region: r})
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// TestScopeOfAnAccount: where a listing covers the account, two regions share it.
func TestScopeOfAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.cloud = byAccount{w.mem}
	east := holder(w.create(w.wish("east")))
	west := holder(w.create(w.wish("west", func(w *capacity.Wish) { w.Spec.Zone = "mem-west-1a" })))
	lists, m := w.calls("List"), w.process()
	for _, h := range []capacity.Holder{east, west} {
		reading, err := m.Read(t.Context(), h)
		want(t, "error", err, nil)
		want(t, "finding", reading.Finding, capacity.Present)
	}
	want(t, "listings of regions", w.calls("List")-lists, 2) // one of the account
}
