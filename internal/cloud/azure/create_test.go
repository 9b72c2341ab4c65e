package azure_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// classed is the error that err has to be.
func classed(t *testing.T, err error) *cloud.Error {
	t.Helper()
	var e *cloud.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want one that is classed", err)
	}
	return e
}

// plain is a request without sharing.
func plain() cloud.CreateRequest {
	req := request()
	req.Spec.ShareWith, req.Spec.Tags = nil, nil
	return req
}

// fresh is the script of a create where nothing is there yet, with these answers to
// the PUT of the reservation and what is read of it then.
func fresh(put []answer, read ...answer) map[string][]answer {
	return map[string][]answer{
		getG: {notFound(), ourGroup()}, putG: {{status: 201, body: ourGroup().body, header: map[string]string{"Azure-AsyncOperation": "HOST/ops/g"}}},
		"GET ops/g": {status("InProgress"), status("Succeeded")}, deleteG: {{status: 200}},
		getR: append([]answer{notFound()}, read...), putR: put,
	}
}

// TestCreate: everything is read before it is made, and the mark goes out with each
// PUT, without the claim.
func TestCreate(t *testing.T) {
	t.Parallel()
	script := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))}, one(ourTags, ""))
	script[poll] = []answer{status("InProgress"), status("Succeeded")}
	s := newStub(t, script)
	req := plain()
	req.Mark.Claim = "not yet"
	r, err := s.driver().Create(t.Context(), req)
	if err != nil || r.Ref != trainRef() || r.State != cloud.Held || r.Count != 2 {
		t.Fatalf("Create: %+v, %v", r, err)
	}
	want := []string{getG, putG, "GET ops/g", "GET ops/g", getG, getR, putR, poll, poll, getR}
	if diff := cmp.Diff(want, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(s.bodies(putR)[0]), &sent); err != nil {
		t.Fatal(err)
	}
	delete(sent, "tags")
	wish := map[string]any{"location": location, "zones": []any{"1"}, "sku": map[string]any{"name": size, "capacity": 2.0}}
	if diff := cmp.Diff(wish, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	for _, key := range []string{putG, putR} {
		if body := s.bodies(key)[0]; !strings.Contains(body, `"gpulock:owner":"team/ml"`) || strings.Contains(body, "not yet") {
			t.Errorf("%s without the mark, or with the claim: %s", key, body)
		}
	}
}

// TestCreateFailures: whatever way a create fails, the error says how, says that it
// may have been accepted only where nobody can know, and what was made is removed
// where it was refused.
func TestCreateFailures(t *testing.T) {
	t.Parallel()
	creating := begins(201, one(ourTags, `"provisioningState":"Creating"`))
	broken := failed(2, 0, `,"provisioningTime":null`)
	for name, tc := range map[string]struct {
		put, read, polls []answer
		code             cloud.Code
		native           string
		accepted         bool
		// writes are those after the PUT.
		writes []string
	}{
		"stock-out in the operation": {
			put: []answer{creating}, polls: []answer{failing("Allocation failed.")}, read: []answer{broken, notFound()},
			code: cloud.NoCapacity, native: "AllocationFailed", writes: []string{deleteR, deleteG},
		},
		"stock-out at once": {
			put: []answer{refusal(409, "AllocationFailed", "Allocation failed.")}, read: []answer{notFound()},
			code: cloud.NoCapacity, native: "AllocationFailed", writes: []string{deleteG},
		},
		"quota": {
			put:  []answer{refusal(409, "OperationNotAllowed", "Operation could not be completed as it results in exceeding approved "+family+" Cores quota.")},
			read: []answer{notFound()}, code: cloud.QuotaExceeded, native: "OperationNotAllowed", writes: []string{deleteG},
		},
		"operation out of sight, and the object tells": {
			put: []answer{creating}, polls: []answer{notFound()}, read: []answer{broken, broken, notFound()},
			code: cloud.NoCapacity, native: "AllocationFailed", writes: []string{deleteR, deleteG},
		},
		"no operation in the answer": {
			put: []answer{{status: 201, body: "<html>"}}, read: []answer{broken, broken, notFound()},
			code: cloud.NoCapacity, native: "AllocationFailed", writes: []string{deleteR, deleteG},
		},
		"throttled": {
			put: []answer{{
				status: 429, body: `{"error":{"code":"TooManyRequests","message":"slow down"}}`, header: map[string]string{"Retry-After": "120"},
			}},
			read: []answer{notFound()}, code: cloud.Throttled, native: "TooManyRequests",
		},
		"polls throttled": {
			put: []answer{creating}, polls: []answer{refusal(429, "TooManyRequests", "slow down")},
			code: cloud.Throttled, native: "TooManyRequests", accepted: true,
		},
		"never answered": {
			put: []answer{{drop: true}}, read: []answer{notFound()},
			code: cloud.Internal, accepted: true, writes: []string{putR, putR, putR, putR},
		},
		"denied": {
			put: []answer{refusal(403, "AuthorizationFailed", "no")}, read: []answer{notFound()},
			code: cloud.PermissionDenied, native: "AuthorizationFailed", writes: []string{deleteG},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := fresh(tc.put, tc.read...)
			script[getG] = []answer{notFound(), ourGroup(), ourGroup(), notFound()}
			script[deleteR], script[poll] = []answer{{status: 204}}, tc.polls
			s := newStub(t, script)
			_, err := s.driver().Create(t.Context(), plain())
			e := classed(t, err)
			if e.Code != tc.code || e.Native != tc.native || e.Accepted != tc.accepted {
				t.Errorf("error is %+v, want %s, %q, accepted %v", e, tc.code, tc.native, tc.accepted)
			}
			if tc.code == cloud.QuotaExceeded {
				want := &cloud.QuotaScope{AccountID: home, Region: location, Quota: strings.ToLower(family)}
				if diff := cmp.Diff(want, e.Quota); diff != "" {
					t.Errorf("quota (-want +got):\n%s", diff)
				}
			}
			if tc.code == cloud.Throttled && !tc.accepted && e.RetryAfter != 2*time.Minute {
				t.Errorf("the wait that was asked for is %v", e.RetryAfter)
			}
			want := append([]string{putG, putR}, tc.writes...)
			if diff := cmp.Diff(want, s.writes()); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreateLost: a lost answer is looked up before anything is sent again.
func TestCreateLost(t *testing.T) {
	t.Parallel()
	var late []answer
	for range 20 {
		late = append(late, notFound())
	}
	for name, tc := range map[string]struct {
		read []answer
		puts int
	}{
		"the last arrived": {append(late, one(ourTags, "")), 5},
		"arrived":          {[]answer{one(ourTags, `"provisioningState":"Creating"`), one(ourTags, "")}, 1},
		"did not arrive":   {[]answer{notFound(), notFound(), notFound(), notFound(), notFound(), one(ourTags, "")}, 2},
		"shows up slowly":  {[]answer{notFound(), notFound(), one(ourTags, "")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			puts := []answer{{drop: true}, {status: 200, body: one(ourTags, "").body}}
			if tc.puts > 2 {
				puts = puts[:1]
			}
			s := newStub(t, fresh(puts, tc.read...))
			r, err := s.driver().Create(t.Context(), plain())
			if err != nil || r.State != cloud.Held {
				t.Errorf("Create: %+v, %v", r, err)
			}
			if got := len(s.bodies(putR)); got != tc.puts {
				t.Errorf("%d PUTs, want %d", got, tc.puts)
			}
		})
	}
}

// TestCreateFound: what is there already is taken up, waited for or refused, and
// never written over.
func TestCreateFound(t *testing.T) {
	t.Parallel()
	const theirs = `"gpulock:owner":"team/sre","gpulock:name":"train","gpulock:managed-by":"gpu_reservation"`
	releasing := ourTags + `,"gpulock:releasing":"true"`
	for name, tc := range map[string]struct {
		groups, reads []answer
		code          cloud.Code
		mismatch      bool
		writes        []string
	}{
		"ours, done":           {[]answer{ourGroup()}, []answer{one(ourTags, "")}, "", false, nil},
		"ours, under way":      {[]answer{ourGroup()}, []answer{one(ourTags, `"provisioningState":"Creating"`), one(ourTags, "")}, "", false, nil},
		"ours, with claim":     {[]answer{ourGroup()}, []answer{one(ourTags+`,"gpulock:claim":"c"`, "")}, "", false, nil},
		"ours, of another way": {[]answer{ourGroup()}, []answer{sized(3, ourTags, "")}, cloud.Conflict, true, nil},
		"a group alone":        {[]answer{ourGroup()}, []answer{notFound(), one(ourTags, "")}, "", false, []string{putR}},
		"a release half done":  {[]answer{group(releasing, "")}, []answer{notFound(), one(ourTags, "")}, "", false, []string{patchG, putR}},
		"another's group":      {[]answer{group(theirs, "")}, nil, cloud.Conflict, false, nil},
		"nobody's group":       {[]answer{group("", "")}, nil, cloud.Conflict, false, nil},
		"another's":            {[]answer{ourGroup()}, []answer{one(theirs, "")}, cloud.Conflict, false, nil},
		"nobody's":             {[]answer{ourGroup()}, []answer{one("", "")}, cloud.Conflict, false, nil},
		"a group of another type": {
			[]answer{group(ourTags, `,"reservationType":"Open"`)}, nil, cloud.Conflict, true, nil,
		},
		"no resource group": {[]answer{refusal(404, "ResourceGroupNotFound", "no")}, nil, cloud.Invalid, false, nil},
		"unreadable group":  {[]answer{refusal(403, "AuthorizationFailed", "no")}, nil, cloud.PermissionDenied, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{
				getG: tc.groups, getR: tc.reads, putR: {{status: 200, body: one(ourTags, "").body}}, patchG: {ourGroup()},
			})
			r, err := s.driver().Create(t.Context(), plain())
			if tc.code == "" {
				if err != nil || r.State != cloud.Held {
					t.Errorf("Create: %+v, %v", r, err)
				}
			} else if e := classed(t, err); e.Code != tc.code || e.TokenMismatch != tc.mismatch || e.Accepted {
				t.Errorf("error is %+v, want %s, mismatch %v", e, tc.code, tc.mismatch)
			}
			if diff := cmp.Diff(tc.writes, append([]string(nil), s.writes()...)); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreateStuck: what a refused create made and cannot remove is the answer: it
// keeps the name, and a release is due.
func TestCreateStuck(t *testing.T) {
	t.Parallel()
	script := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))}, failed(2, 0, `,"provisioningTime":null`))
	script[poll] = []answer{failing("Allocation failed.")}
	script[deleteR] = []answer{refusal(403, "AuthorizationFailed", "no right to delete")}
	r, err := newStub(t, script).driver().Create(t.Context(), plain())
	if err != nil || r.Ref != trainRef() || r.State != cloud.Refused || r.Mark != trainMark() {
		t.Fatalf("Create: %+v, %v", r, err)
	}
	for _, part := range []string{"AllocationFailed", "no right to delete"} {
		if !strings.Contains(r.NativeState, part) {
			t.Errorf("%q does not tell of %s", r.NativeState, part)
		}
	}
}

// TestCreateStuckGroup: a group that a refused create cannot remove is tagged like what
// a release leaves, so that the next destroy removes it.
func TestCreateStuckGroup(t *testing.T) {
	t.Parallel()
	script := fresh([]answer{refusal(409, "AllocationFailed", "full")})
	script[deleteG] = []answer{refusal(403, "AuthorizationFailed", "no right to delete")}
	script[patchG] = []answer{ourGroup()}
	s := newStub(t, script)
	r, err := s.driver().Create(t.Context(), plain())
	if err != nil || r.Ref != trainRef() || r.State != cloud.Refused {
		t.Fatalf("Create: %+v, %v", r, err)
	}
	if sent := s.bodies(patchG); len(sent) != 1 || !strings.Contains(sent[0], `"gpulock:releasing":"true"`) {
		t.Errorf("sent to the group: %v", sent)
	}
}

// TestCreateUnmakeThrottled: a refused create whose removal is throttled leaves it to
// the next try, which finds it.
func TestCreateUnmakeThrottled(t *testing.T) {
	t.Parallel()
	script := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))}, failed(2, 0, `,"provisioningTime":null`))
	script[poll] = []answer{failing("Allocation failed."), status("Succeeded")}
	script[deleteR] = []answer{refusal(429, "TooManyRequests", "slow down"), {status: 204}}
	s := newStub(t, script)
	_, err := s.driver().Create(t.Context(), plain())
	if e := classed(t, err); e.Code != cloud.Throttled || !e.Accepted {
		t.Fatalf("first: %+v", e)
	}
	s.mu.Lock()
	s.script[getR] = []answer{failed(2, 0, `,"provisioningTime":null`), failed(2, 0, `,"provisioningTime":null`), failed(2, 0, `,"provisioningTime":null`), notFound()}
	s.script[getG] = []answer{ourGroup(), ourGroup(), notFound()}
	s.mu.Unlock()
	_, err = s.driver().Create(t.Context(), plain())
	if e := classed(t, err); e.Code != cloud.NoCapacity || e.Accepted {
		t.Errorf("second: %+v", e)
	}
	if diff := cmp.Diff([]string{putG, putR, deleteR, deleteR, deleteG}, s.writes()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// TestCreateEnds: a deadline or the caller's end leaves open what becomes of it.
func TestCreateEnds(t *testing.T) {
	t.Parallel()
	script := func() map[string][]answer {
		s := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))})
		s[poll] = []answer{status("InProgress")}
		return s
	}
	s := newStub(t, script())
	start := s.jump.Now()
	_, err := s.driver().Create(clock.Until(t.Context(), start.Add(time.Minute)), plain())
	if e := classed(t, err); e.Code != cloud.Internal || !e.Accepted || !strings.Contains(e.Message, "under way") || s.jump.Now().Sub(start) > time.Minute {
		t.Errorf("at the deadline: %+v after %v", e, s.jump.Now().Sub(start))
	}
	s = newStub(t, script())
	ctx, cancel := context.WithCancel(t.Context())
	s.jump.OnJump(func(now time.Time) {
		if now.Sub(start) > time.Minute {
			cancel()
		}
	})
	if _, err = s.driver().Create(ctx, plain()); !errors.Is(err, context.Canceled) || !cloud.MaybeAccepted(err) {
		t.Errorf("at the end of the context: %v", err)
	}
}
