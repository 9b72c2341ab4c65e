package azure_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// TestGet: what is left of a reservation is told by its group, and only by one of our
// own.
func TestGet(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		g, r    answer
		state   cloud.State
		remains bool
		code    cloud.Code
	}{
		"both":               {ourGroup(), one(ourTags, ""), cloud.Held, false, ""},
		"given group":        {group("", ""), one(ourTags, ""), cloud.Held, false, ""},
		"group alone":        {ourGroup(), notFound(), cloud.Gone, false, ""},
		"release half done":  {group(releasingTags, ""), notFound(), cloud.Gone, true, ""},
		"given group alone":  {group("", ""), notFound(), "", false, cloud.NotFound},
		"neither":            {notFound(), notFound(), "", false, cloud.NotFound},
		"no resource group":  {refusal(404, "ResourceGroupNotFound", "no"), refusal(404, "ResourceGroupNotFound", "no"), "", false, cloud.NotFound},
		"another name":       {ourGroup(), answer{body: `{"name":"other"}`}, "", false, cloud.Internal},
		"denied":             {ourGroup(), refusal(403, "AuthorizationFailed", "no"), "", false, cloud.PermissionDenied},
		"group denied":       {refusal(403, "AuthorizationFailed", "no"), one(ourTags, ""), "", false, cloud.PermissionDenied},
		"not Azure's answer": {ourGroup(), answer{body: "<html>"}, "", false, cloud.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: {tc.g}, getR: {tc.r}})
			r, err := s.driver().Get(t.Context(), trainRef())
			if cloud.CodeOf(err) != tc.code || r.State != tc.state || r.Remains != tc.remains {
				t.Errorf("Get: %+v, %v", r, err)
			}
			if err != nil {
				return
			}
			want := []any{trainRef(), home, location, "1", "train", trainMark()}
			if diff := cmp.Diff(want, []any{r.Ref, r.AccountID, r.Region, r.Zone, r.NativeName, r.Mark}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestGetAgain: what failed on the way is read again, on our clock; what was refused
// is not.
func TestGetAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answers []answer
		code    cloud.Code
		reads   int
		took    time.Duration
	}{
		"dropped":     {[]answer{{drop: true}, {drop: true}, one(ourTags, "")}, "", 3, 3 * time.Second},
		"unavailable": {[]answer{refusal(503, "ServerTimeout", "later"), one(ourTags, "")}, "", 2, time.Second},
		"asked to wait": {
			[]answer{{status: 503, body: "{}", header: map[string]string{"Retry-After": "90"}}, one(ourTags, "")}, "", 2, 90 * time.Second,
		},
		"never":     {[]answer{refusal(500, "InternalServerError", "no")}, cloud.Internal, 5, 15 * time.Second},
		"throttled": {[]answer{refusal(429, "TooManyRequests", "no")}, cloud.Throttled, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: tc.answers})
			start := s.jump.Now()
			_, err := s.driver().Get(t.Context(), trainRef())
			if cloud.CodeOf(err) != tc.code || (err != nil && cloud.MaybeAccepted(err)) {
				t.Errorf("Get: %v, want %q", err, tc.code)
			}
			// The transport itself may repeat a read whose connection was closed.
			if got := len(s.bodies(getR)); got < tc.reads || s.jump.Now().Sub(start) != tc.took {
				t.Errorf("%d reads in %v, want %d in %v", got, s.jump.Now().Sub(start), tc.reads, tc.took)
			}
		})
	}
}

// TestUsers: machines that are associated and those that run, each once.
func TestUsers(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{getR: {one(ourTags, `"virtualMachinesAssociated":[{"id":"/b"},{"id":"/A"}],
		"instanceView":{"utilizationInfo":{"currentCapacity":2,"virtualMachinesAllocated":[{"id":"/a"},{"id":"/c"}]}}`)}})
	got, err := s.driver().Users(t.Context(), trainRef())
	if diff := cmp.Diff([]string{"/A", "/b", "/c"}, got); err != nil || diff != "" {
		t.Errorf("Users: %v (-want +got):\n%s", err, diff)
	}
}

// TestNow: the cloud's time is that of the last answer, or of one more.
func TestNow(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{getGs: {{body: `{"value":[]}`}}, getG: {ourGroup()}, getR: {one(ourTags, "")}})
	c := s.driver()
	for _, wait := range []time.Duration{0, 10 * time.Second, 2 * time.Minute} {
		s.jump.Advance(wait)
		if now, err := c.Now(t.Context(), "", ""); err != nil || !now.Equal(s.jump.Now()) {
			t.Errorf("Now = %v, %v, want %v", now, err, s.jump.Now())
		}
	}
	if got := len(s.keys()); got != 2 {
		t.Errorf("it took %d requests, want 2: %v", got, s.keys())
	}
}

// TestNowRefused: any answer of Azure's own tells the time, also a refusal.
func TestNowRefused(t *testing.T) {
	t.Parallel()
	for code, a := range map[string]answer{
		"may not": refusal(403, "AuthorizationFailed", "no"), "is not there": refusal(404, "ResourceGroupNotFound", "no"),
		"slow down": refusal(429, "TooManyRequests", "no"),
	} {
		s := newStub(t, map[string][]answer{getGs: {a}})
		if now, err := s.driver().Now(t.Context(), "", ""); err != nil || !now.Equal(s.jump.Now()) {
			t.Errorf("%s: %v, %v", code, now, err)
		}
	}
	s := newStub(t, map[string][]answer{getGs: {refusal(503, "ServiceUnavailable", "no")}})
	if now, err := s.driver().Now(t.Context(), "", ""); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("a server error: %v, %v", now, err)
	}
}
