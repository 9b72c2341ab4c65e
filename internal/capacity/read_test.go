package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

func (w *world) read(h capacity.Holder) capacity.Reading {
	w.Helper()
	reading, err := w.process().Read(w.Context(), h)
	if err != nil {
		w.Fatalf("Read: %v", err)
	}
	return reading
}

// TestC06_canceledElsewhere: what is gone leaves the state with a warning; what
// came to its end stays.
func TestC06_canceledElsewhere(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		happen  func(*mem.Cloud, string)
		finding capacity.Finding
		notice  string
	}{
		"nothing":  {func(*mem.Cloud, string) {}, capacity.Present, ""},
		"unknown":  {(*mem.Cloud).Forget, capacity.Vanished, "does not know it"},
		"canceled": {func(c *mem.Cloud, id string) { c.SetState(id, cloud.Gone) }, capacity.Vanished, "GONE"},
		"ended":    {func(c *mem.Cloud, id string) { c.SetState(id, cloud.Ended) }, capacity.Kept, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			test.happen(w.mem, h.Ref.NativeID)
			reading := w.read(h)
			want(t, "finding", reading.Finding, test.finding)
			if test.notice == "" {
				want(t, "notices", len(reading.Notices), 0)
				return
			}
			noticed(t, reading.Notices, "gone", h.Ref.NativeID, test.notice)
		})
	}
}

// TestC06_emptyOnce: an empty listing is no proof; the id decides.
func TestC06_emptyOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	hidden := &blind{Cloud: w.mem}
	hidden.looks.Store(1)
	w.cloud = hidden
	want(t, "finding", w.read(h).Finding, capacity.Present)
}

// TestC06_readingRefused: an error is an error, never an absence.
func TestC06_readingRefused(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"List", "Get"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			w.mem.Forget(h.Ref.NativeID)
			w.refuseAll(method, &cloud.Error{Code: cloud.PermissionDenied, Op: method, HTTPStatus: 403, Message: "no"})
			_, err := w.process().Read(t.Context(), h)
			failure(t, err, "403", `"a"`, "takes no credentials")
		})
	}
}

// TestRule17_absentAfterItsEnd: what the cloud forgot after its end stays in the
// state; before the end it was given up.
func TestRule17_absentAfterItsEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		at   time.Duration
		want capacity.Finding
	}{
		"before": {59 * time.Minute, capacity.Vanished},
		"at":     {time.Hour, capacity.Kept},
		"after":  {2 * time.Hour, capacity.Kept},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a", lasting(time.Hour))))
			w.mem.Forget(h.Ref.NativeID)
			w.jump.Advance(test.at)
			want(t, "finding", w.read(h).Finding, test.want)
		})
	}
}

func TestRule17_absentAndNoTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a", lasting(time.Hour))))
	w.mem.Forget(h.Ref.NativeID)
	w.refuseAll("Now", &cloud.Error{Code: cloud.Throttled, Op: "Now", Message: "slow down"})
	_, err := w.process().Read(t.Context(), h)
	failure(t, err, "slow down")
}

func TestRule17_billedUntil(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetState(h.Ref.NativeID, cloud.Gone)
	w.cloud = listsNothing{billed{w.mem}}
	reading := w.read(h)
	want(t, "finding", reading.Finding, capacity.Vanished)
	noticed(t, reading.Notices, "paid for until 2031-03-01T01:00:00Z")
}

// TestRule17_anotherRealm: absence elsewhere means nothing, for each operation.
func TestRule17_anotherRealm(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		edit func(*capacity.Holder)
		text string
	}{
		"account":    {func(h *capacity.Holder) { h.AccountID = "000000000007" }, "000000000007"},
		"simulation": {func(h *capacity.Holder) { h.Simulated = true }, "simulated"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			test.edit(&h)
			gets, m := w.calls("Get"), w.process()
			_, err := m.Read(t.Context(), h)
			failure(t, err, test.text)
			_, _, err = m.Live(t.Context(), h)
			failure(t, err, test.text)
			_, err = m.Update(t.Context(), h, w.wish("a"), nil)
			failure(t, err, test.text)
			_, err = m.Delete(t.Context(), h, release())
			failure(t, err, test.text)
			want(t, "reads", w.calls("Get")-gets, 0)
			w.one("a")
		})
	}
}

func TestRule17_accountNotKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.refuseAll("AccountID", &cloud.Error{Code: cloud.PermissionDenied, Op: "AccountID", Message: "no"})
	_, err := w.process().Read(t.Context(), h)
	failure(t, err, "which account", "takes no credentials")
	_, err = w.process().AccountID(t.Context(), mem.Name, "")
	failure(t, err, "takes no credentials")
	h.AccountID = "" // before any account was known there is nothing to compare
	w.mem.SetFault(nil)
	want(t, "finding", w.read(h).Finding, capacity.Present)
}

// TestRule11_claims: equal, or absent on one side with our own mark.
func TestRule11_claims(t *testing.T) {
	t.Parallel()
	none := cloud.Mark{}
	mine := cloud.Mark{Owner: owner, Name: "a", Type: kindOf}
	claimed := cloud.Mark{Owner: owner, Name: "a", Type: kindOf, Claim: "mine"}
	tests := map[string]struct {
		state, object cloud.Mark
		ours          bool
	}{
		"equal":                               {claimed, claimed, true},
		"another claim":                       {claimed, cloud.Mark{Owner: owner, Name: "a", Type: kindOf, Claim: "other"}, false},
		"no mark on the object":               {claimed, none, true},
		"no mark at all":                      {none, none, true},
		"no claim on the object":              {claimed, mine, true},
		"no claim on another's":               {claimed, cloud.Mark{Owner: "someone", Name: "a", Type: kindOf}, false},
		"no claim on another type's":          {claimed, cloud.Mark{Owner: owner, Name: "a", Type: "gpu_lock"}, false},
		"no claim in the state":               {mine, claimed, true},
		"no claim in the state, another's":    {mine, cloud.Mark{Owner: "someone", Name: "a", Type: kindOf, Claim: "other"}, false},
		"no owner in the state, this run's":   {cloud.Mark{Name: "a", Type: kindOf}, claimed, true},
		"no owner in the state, another's":    {cloud.Mark{Name: "a", Type: kindOf}, cloud.Mark{Owner: "someone", Name: "a", Type: kindOf}, false},
		"renamed elsewhere, the claim stayed": {claimed, cloud.Mark{Owner: "new/owner", Name: "b", Type: kindOf, Claim: "mine"}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			h.Mark = test.state
			updater, _ := cloud.As[cloud.Updater](w.mem)
			if _, err := updater.Update(t.Context(), h.Ref, cloud.Change{Mark: &test.object}); err != nil {
				t.Fatal(err)
			}
			reading := w.read(h)
			want(t, "ours", reading.Finding == capacity.Present, test.ours)
			if !test.ours {
				want(t, "finding", reading.Finding, capacity.Kept)
				noticed(t, reading.Notices, "taken over", test.object.Owner, test.object.Claim, test.state.Claim)
			}
		})
	}
}

// TestStatusOnRead: it changes only from pending to held, or with an action.
func TestStatusOnRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		was  capacity.Status
		is   cloud.State
		want capacity.Status
	}{
		{capacity.Pending, cloud.Pending, capacity.Pending},
		{capacity.Pending, cloud.Held, capacity.Held},
		{capacity.Pending, cloud.Refused, capacity.Refused},
		{capacity.Pending, cloud.Unrecognized, capacity.Pending},
		{capacity.Held, cloud.Pending, capacity.Held},
		{capacity.Held, cloud.Held, capacity.Held},
		{capacity.Held, cloud.Refused, capacity.Refused},
		{capacity.Held, cloud.Unrecognized, capacity.Held},
		{capacity.Degraded, cloud.Held, capacity.Degraded},
		{capacity.Degraded, cloud.Refused, capacity.Refused},
		{"", cloud.Held, capacity.Held},
		{"", cloud.Pending, capacity.Pending},
	}
	for _, test := range tests {
		t.Run(string(test.was)+" "+string(test.is), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			h.Status = test.was
			w.mem.SetState(h.Ref.NativeID, test.is)
			reading := w.read(h)
			want(t, "status", reading.Status, test.want)
			want(t, "finding", reading.Finding, capacity.Present)
			want(t, "warned", len(reading.Notices), map[bool]int{true: 1}[test.is == cloud.Unrecognized])
		})
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	m := w.process()
	demand := func(want bool) {
		t.Helper()
		_, live, err := m.Live(t.Context(), h)
		if err != nil || live != want {
			t.Errorf("Live = %v, %v, want %v", live, err, want)
		}
	}
	demand(true)
	w.mem.SetState(h.Ref.NativeID, cloud.Gone)
	demand(false)
	w.mem.Forget(h.Ref.NativeID)
	demand(false)
	w.refuseAll("Get", &cloud.Error{Code: cloud.Throttled, Op: "Get", Message: "slow down"})
	_, _, err := m.Live(t.Context(), h)
	failure(t, err, "slow down", `"a"`)
}

func TestUnknownClouds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	h.Cloud = "nowhere"
	m := w.process()
	_, err := m.Read(t.Context(), h)
	failure(t, err, "nowhere")
	_, _, err = m.Live(t.Context(), h)
	failure(t, err, "nowhere")
	_, err = m.Update(t.Context(), h, w.wish("a"), nil)
	failure(t, err, "nowhere")
	_, err = m.Delete(t.Context(), h, release())
	failure(t, err, "nowhere")
	_, err = m.Import(t.Context(), "nowhere", "", "x")
	failure(t, err, "nowhere")
	_, err = m.List(t.Context(), "nowhere", "", region)
	failure(t, err, "nowhere")
	_, err = m.Now(t.Context(), "nowhere", "", region)
	failure(t, err, "nowhere")
	_, err = m.AccountID(t.Context(), "nowhere", "")
	failure(t, err, "nowhere")
	_, _, err = m.InstanceType(t.Context(), "nowhere", "", region, whole)
	failure(t, err, "nowhere")
	_, _, err = m.Check("nowhere", cloud.Spec{})
	failure(t, err, "nowhere")
}
