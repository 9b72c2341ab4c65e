package mem_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem/memtest"
)

func newNative() *mem.Cloud {
	return mem.New(memtest.NativeOptions(clocktest.NewJump(memtest.Start())))
}

// request is a create of the harness's wish, marked and with a token.
func request(t *testing.T, kind cloud.Kind, owner, name string, generation int) cloud.CreateRequest {
	t.Helper()
	req := cloud.CreateRequest{
		Spec: memtest.NativeWishes()[kind], Mark: cloud.Mark{Owner: owner, Name: name, Type: "gpu_reservation"},
	}
	var err error
	if req.Token, err = cloud.Token(req.Mark, req.Spec, generation); err != nil {
		t.Fatalf("token: %v", err)
	}
	return req
}

func send(t *testing.T, c *mem.Cloud, req cloud.CreateRequest) cloud.Reservation {
	t.Helper()
	r, err := c.Create(t.Context(), req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return r
}

// TestNativeName: an object is its name, as long as it is there.
func TestNativeName(t *testing.T) {
	t.Parallel()
	c := newNative()
	req := request(t, cloud.OnDemand, "us", "train", 0)
	r := send(t, c, req)
	want := cloud.Ref{NativeID: mem.DefaultAccountID + "/mem-east-1a/train"}
	if r.Ref != want || r.NativeName != "train" {
		t.Errorf("made %+v with the name %q, want %+v", r.Ref, r.NativeName, want)
	}
	if again := send(t, c, request(t, cloud.OnDemand, "us", "train", 1)); again.CreatedAt != r.CreatedAt {
		t.Errorf("the same wish in another generation made a second object")
	}
	if err := c.Release(t.Context(), r.Ref); err != nil {
		t.Fatalf("Release: %v", err)
	}
	if _, err := c.Get(t.Context(), r.Ref); cloud.CodeOf(err) != cloud.NotFound {
		t.Errorf("Get of what was released: %v", err)
	}
	if ended := send(t, c, req); ended.State != cloud.Gone || ended.Ref != want {
		t.Errorf("the token of what was released gave %s, %s", ended.Ref.NativeID, ended.State)
	}
	if next := send(t, c, request(t, cloud.OnDemand, "them", "train", 0)); next.Ref != want {
		t.Errorf("the free name gave %s", next.Ref.NativeID)
	}
}

// TestNativeNameTaken: who has a name keeps it, live or ended.
func TestNativeNameTaken(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		owner    string
		change   func(*cloud.CreateRequest)
		code     cloud.Code
		mismatch bool
	}{
		"same":         {"us", func(*cloud.CreateRequest) {}, "", false},
		"other count":  {"us", func(r *cloud.CreateRequest) { r.Spec.Count = 2 }, cloud.Conflict, true},
		"no token":     {"us", func(r *cloud.CreateRequest) { r.Spec.Count, r.Token = 2, "" }, cloud.Conflict, true},
		"other mark":   {"them", func(*cloud.CreateRequest) {}, cloud.Conflict, false},
		"other kind":   {"us", func(r *cloud.CreateRequest) { r.Spec = memtest.NativeWishes()[cloud.Block] }, cloud.Conflict, true},
		"other zone":   {"them", func(r *cloud.CreateRequest) { r.Spec.Zone = "mem-east-1b" }, "", false},
		"not a name":   {"us", func(r *cloud.CreateRequest) { r.Mark.Name = "Train" }, cloud.Invalid, false},
		"without name": {"us", func(r *cloud.CreateRequest) { r.Mark.Name = "" }, cloud.Invalid, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, state := range []cloud.State{cloud.Held, cloud.Ended, cloud.Refused} {
				c := newNative()
				r := send(t, c, request(t, cloud.Scheduled, "us", "train", 0))
				c.SetState(r.Ref.NativeID, state)
				req := request(t, cloud.Scheduled, test.owner, "train", 1)
				test.change(&req)
				_, err := c.Create(t.Context(), req)
				var e *cloud.Error
				if cloud.CodeOf(err) != test.code || errors.As(err, &e) && e.TokenMismatch != test.mismatch {
					t.Errorf("the name of a %s one: %v, want class %q, mismatch %t", state, err, test.code, test.mismatch)
				}
			}
		})
	}
}

// TestNativeLock: what is ahead moves until it is locked, and not before it is
// decided.
func TestNativeLock(t *testing.T) {
	t.Parallel()
	jump := clocktest.NewJump(memtest.Start())
	opts := memtest.NativeOptions(jump)
	opts.Assessment = 24 * time.Hour
	c := mem.New(opts)
	r := send(t, c, request(t, cloud.Scheduled, "us", "train", 0))
	lock := r.StartsAt.Add(-mem.LockBefore)
	start, early := r.StartsAt.Add(time.Hour), memtest.Start().Add(time.Hour)
	steps := []struct {
		name   string
		at     time.Time
		change cloud.Change
		code   cloud.Code
	}{
		{"pending", memtest.Start().Add(23 * time.Hour), cloud.Change{StartAt: &start}, cloud.Conflict},
		{"decided", memtest.Start().Add(25 * time.Hour), cloud.Change{StartAt: &start}, ""},
		{"too near", memtest.Start().Add(25 * time.Hour), cloud.Change{StartAt: &early}, cloud.Invalid},
		{"start after the end", memtest.Start().Add(25 * time.Hour), cloud.Change{StartAt: &r.EndsAt}, cloud.Invalid},
		{"no end", memtest.Start().Add(25 * time.Hour), cloud.Change{EndAt: &time.Time{}}, cloud.Invalid},
		{"shorter", memtest.Start().Add(25 * time.Hour), cloud.Change{EndAt: ptr(r.EndsAt.Add(-time.Hour))}, ""},
		{"just before the lock", lock.Add(time.Hour - time.Second), cloud.Change{StartAt: &r.StartsAt}, ""},
		{"locked", lock.Add(time.Hour), cloud.Change{StartAt: &r.StartsAt}, cloud.Conflict},
		{"locked, shared", lock.Add(time.Hour), cloud.Change{ShareWith: &[]string{"lab"}}, cloud.Conflict},
	}
	for _, step := range steps {
		jump.Advance(step.at.Sub(jump.Now()))
		if _, err := c.Update(t.Context(), r.Ref, step.change); cloud.CodeOf(err) != step.code {
			t.Errorf("%s: %v, want class %q", step.name, err, step.code)
		}
	}
	got := get(t, c, r.Ref)
	if diff := cmp.Diff([]time.Time{got.CommittedUntil, got.FreeUntil}, []time.Time{got.EndsAt, lock}); diff != "" {
		t.Errorf("committed until and free until (-got +want):\n%s", diff)
	}
	if err := c.Release(t.Context(), r.Ref); cloud.CodeOf(err) != cloud.Unsupported {
		t.Errorf("Release of what is locked: %v", err)
	}
}

func ptr[V any](v V) *V { return &v }

// TestNativeSharing: accounts go by name or id, order and repetition mean nothing.
func TestNativeSharing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		with []string
		want []string
		code cloud.Code
	}{
		"none":     {[]string{}, nil, ""},
		"names":    {[]string{"serving", "research"}, []string{"000000000002", "000000000003"}, ""},
		"ids":      {[]string{"000000000003", "000000000002"}, []string{"000000000002", "000000000003"}, ""},
		"twice":    {[]string{"lab", "000000000004"}, []string{"000000000004"}, ""},
		"unknown":  {[]string{"lab", "nobody"}, nil, cloud.Invalid},
		"itself":   {[]string{mem.DefaultAccountID}, nil, cloud.Invalid},
		"no name":  {[]string{""}, nil, cloud.Invalid},
		"bad form": {[]string{"000000000009"}, nil, cloud.Invalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newNative()
			req := request(t, cloud.OnDemand, "us", "made", 0)
			req.Spec.ShareWith = test.with
			made, err := c.Create(t.Context(), req)
			if cloud.CodeOf(err) != test.code {
				t.Errorf("Create: %v, want class %q", err, test.code)
			}
			changed := send(t, c, request(t, cloud.OnDemand, "us", "changed", 0))
			c.SetUnresolved(changed.Ref.NativeID, "412")
			changed, err = c.Update(t.Context(), changed.Ref, cloud.Change{ShareWith: &test.with})
			if cloud.CodeOf(err) != test.code {
				t.Errorf("Update: %v, want class %q", err, test.code)
			}
			if diff := cmp.Diff([][]string{test.want, test.want, nil}, [][]string{made.ShareWith, changed.ShareWith, changed.Unresolved}); diff != "" {
				t.Errorf("shared with, after Create and Update, and unresolved (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNativeRefuses: what objects cannot carry is refused, never dropped.
func TestNativeRefuses(t *testing.T) {
	t.Parallel()
	c := newNative()
	r := send(t, c, request(t, cloud.OnDemand, "us", "train", 0))
	for name, change := range map[string]cloud.Change{
		"mark": {Mark: &cloud.Mark{Owner: "us", Name: "train", Type: "gpu_reservation", Claim: "ours"}},
		"tags": {SetTags: map[string]string{"team": "ml"}}, "start": {StartAt: ptr(memtest.Start())}, "match": {Match: ptr(cloud.Open)},
	} {
		if _, err := c.Update(t.Context(), r.Ref, change); cloud.CodeOf(err) != cloud.Unsupported {
			t.Errorf("Update of the %s: %v", name, err)
		}
	}
	if diff := cmp.Diff(r, get(t, c, r.Ref)); diff != "" {
		t.Errorf("after refused updates (-want +got):\n%s", diff)
	}
}

// TestNativeBehindItsBack: what is missing and who is not resolved are set from
// outside.
func TestNativeBehindItsBack(t *testing.T) {
	t.Parallel()
	c := newNative()
	want := send(t, c, request(t, cloud.OnDemand, "us", "train", 0))
	c.SetMissing(want.Ref.NativeID, 1)
	c.SetUnresolved(want.Ref.NativeID, "412", "413")
	want.Missing, want.Unresolved = 1, []string{"412", "413"}
	if diff := cmp.Diff(want, get(t, c, want.Ref)); diff != "" {
		t.Errorf("reservation (-want +got):\n%s", diff)
	}
}

func TestNativeParseID(t *testing.T) {
	t.Parallel()
	c := newNative()
	full := mem.DefaultAccountID + "/mem-east-1a/train"
	for id, want := range map[string]string{
		full: full, "mem-east-1a/train": full, "mem-east-1/r-000001": "", "mem-east-9a/train": "", "000000000002/mem-east-1a/train": "",
		"mem-east-1a/Train": "",
	} {
		ref, err := c.ParseID(t.Context(), "", id)
		if ref.NativeID != want || (want == "") != (cloud.CodeOf(err) == cloud.Invalid) {
			t.Errorf("ParseID(%q) = %+v, %v; want %q", id, ref, err, want)
		}
	}
	if ref, err := c.ParseID(t.Context(), "research", "mem-west-1b/train"); err != nil || ref.NativeID != "000000000002/mem-west-1b/train" {
		t.Errorf("ParseID of another account = %+v, %v", ref, err)
	}
	if id, err := c.AccountID(t.Context(), "000000000003"); id != "000000000003" || err != nil {
		t.Errorf("AccountID of an id = %q, %v", id, err)
	}
}
