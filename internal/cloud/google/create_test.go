package google_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

const (
	insert = "POST reservations"
	read   = "GET reservations/train"
	queue  = "GET operations"
	poll   = "GET operations/op-1"
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

// TestCreateFailures: whatever way an insert fails, the error says how, and says
// that it may have been accepted only where nobody can know.
func TestCreateFailures(t *testing.T) {
	t.Parallel()
	running := operation("op-1", "RUNNING", "")
	for name, tc := range map[string]struct {
		script   map[string][]answer
		code     cloud.Code
		native   string
		accepted bool
	}{
		"stock-out without a status": {
			script: map[string][]answer{insert: {running}, poll: {running, operation("op-1", "DONE", failing("ZONE_RESOURCE_POOL_EXHAUSTED"))}},
			code:   cloud.NoCapacity, native: "ZONE_RESOURCE_POOL_EXHAUSTED",
		},
		"unknown code": {
			script: map[string][]answer{insert: {running}, poll: {operation("op-1", "DONE", failing("SOMETHING_NEW"))}},
			code:   cloud.Internal, native: "SOMETHING_NEW",
		},
		"status without an error": {
			script: map[string][]answer{insert: {running}, poll: {operation("op-1", "DONE", `,"httpErrorStatusCode":400`)}},
			code:   cloud.Invalid,
		},
		"refused at once": {
			script: map[string][]answer{insert: {refusal(400, "invalid", "Invalid value for field")}},
			code:   cloud.Invalid, native: "invalid",
		},
		"throttled": {
			script: map[string][]answer{insert: {refusal(403, "rateLimitExceeded", "Rate Limit Exceeded")}},
			code:   cloud.Throttled, native: "rateLimitExceeded",
		},
		"never answered": {
			script: map[string][]answer{insert: {{drop: true}}},
			code:   cloud.Internal, accepted: true,
		},
		"lost and then refused": {
			script: map[string][]answer{insert: {{drop: true}, refusal(403, "forbidden", "no")}},
			code:   cloud.PermissionDenied, native: "forbidden", accepted: true,
		},
		"no operation in the answer": {
			script: map[string][]answer{insert: {{body: `{}`}}},
			code:   cloud.Internal, accepted: true,
		},
		"operation out of sight": {
			script: map[string][]answer{insert: {running}, poll: {notFound()}},
			code:   cloud.Internal, native: "notFound", accepted: true,
		},
		"not allowed to look": {
			script: map[string][]answer{insert: {running}, poll: {refusal(403, "forbidden", "no")}},
			code:   cloud.PermissionDenied, native: "forbidden", accepted: true,
		},
		"throttled for long": {
			script: map[string][]answer{insert: {running}, poll: {refusal(429, "rateLimitExceeded", "no")}},
			code:   cloud.Throttled, native: "rateLimitExceeded", accepted: true,
		},
		"another operation": {
			script: map[string][]answer{insert: {running}, poll: {operation("op-2", "DONE", "")}},
			code:   cloud.Internal, accepted: true,
		},
		"made and not readable": {
			script: map[string][]answer{insert: {running}, poll: {operation("op-1", "DONE", "")}, read: {refusal(403, "forbidden", "no")}},
			code:   cloud.PermissionDenied, native: "forbidden", accepted: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, tc.script)
			_, err := s.driver().Create(t.Context(), request())
			e := classed(t, err)
			got := []any{e.Code, e.Native, e.Accepted}
			if diff := cmp.Diff([]any{tc.code, tc.native, tc.accepted}, got); diff != "" {
				t.Errorf("%v: class, code, accepted (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestCreateRidesOut: what is throttled or lost while the operation runs is no
// answer about it, and Retry-After wins over the pause between looks.
func TestCreateRidesOut(t *testing.T) {
	t.Parallel()
	slow := refusal(429, "rateLimitExceeded", "no")
	slow.header = map[string]string{"Retry-After": "40"}
	s := newStub(t, map[string][]answer{
		insert: {{drop: true}, {status: 502, body: "<html>"}, operation("op-1", "PENDING", "")},
		poll:   {slow, {drop: true}, operation("op-1", "RUNNING", ""), operation("op-1", "DONE", "")},
		read:   {object("")},
	})
	began := s.jump.Now()
	r, err := s.driver().Create(t.Context(), request())
	if err != nil || r.Ref != trainRef() || r.State != cloud.Held {
		t.Fatalf("Create = %+v, %v", r, err)
	}
	ids := map[string]bool{}
	for _, sent := range s.all(insert) {
		ids[sent.query.Get("requestId")] = true
	}
	if len(ids) != 1 || ids[""] {
		t.Errorf("three tries went out with the request ids %v, want one", ids)
	}
	if took := s.jump.Now().Sub(began); took < 40*time.Second || took > 80*time.Second {
		t.Errorf("Create took %s", took)
	}
}

// TestCreateAfterFailure: the operation that an earlier process saw fail comes
// back under the same request id and is not this try's answer. One that began with
// this try is, however soon it is done; one of an unknown age is stepped over once.
func TestCreateAfterFailure(t *testing.T) {
	t.Parallel()
	full := failing("ZONE_RESOURCE_POOL_EXHAUSTED")
	old := operation("op-old", "DONE", full+`,"insertTime":"2031-02-27T10:00:00.000-08:00"`)
	justNow := operation("op-new", "DONE", full+`,"insertTime":"2031-02-28T15:59:59.000-08:00"`)
	now := operation("op-new", "DONE", full+`,"insertTime":"2031-02-28T16:00:00.250-08:00"`)
	slack := operation("op-new", "DONE", full+`,"insertTime":"2031-02-28T15:59:58.000-08:00"`)
	before := operation("op-old", "DONE", full+`,"insertTime":"2031-02-28T15:59:57.999-08:00"`)
	timeless := operation("op-old", "DONE", full)
	garbled := operation("op-old", "DONE", full+`,"insertTime":"yesterday"`)
	undated := old
	undated.header = map[string]string{"Date": ""}
	fresh := operation("op-1", "RUNNING", "")
	for name, tc := range map[string]struct {
		inserts []answer
		polled  answer
		posts   int
		code    cloud.Code
	}{
		"once":                  {[]answer{old, fresh}, operation("op-1", "DONE", ""), 2, ""},
		"many times":            {[]answer{old, old, old, old, old, old, fresh}, operation("op-1", "DONE", ""), 7, ""},
		"fails again":           {[]answer{old, fresh}, operation("op-1", "DONE", full), 2, cloud.NoCapacity},
		"old, then at once":     {[]answer{old, now}, answer{}, 2, cloud.NoCapacity},
		"within the slack":      {[]answer{slack, fresh}, answer{}, 1, cloud.NoCapacity},
		"before the slack":      {[]answer{before, fresh}, operation("op-1", "DONE", ""), 2, ""},
		"a moment ago":          {[]answer{justNow, fresh}, answer{}, 1, cloud.NoCapacity},
		"at once":               {[]answer{now, fresh}, answer{}, 1, cloud.NoCapacity},
		"of no time":            {[]answer{timeless, fresh}, operation("op-1", "DONE", ""), 2, ""},
		"of no time, each time": {[]answer{timeless}, answer{}, 2, cloud.NoCapacity},
		"of a garbled time":     {[]answer{garbled}, answer{}, 2, cloud.NoCapacity},
		"of no date":            {[]answer{undated}, answer{}, 2, cloud.NoCapacity},
		"old, then of no time":  {[]answer{old, timeless}, answer{}, 3, cloud.NoCapacity},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{insert: tc.inserts, poll: {tc.polled}, read: {object("")}})
			_, err := s.driver().Create(t.Context(), request())
			if got := cloud.CodeOf(err); got != tc.code {
				t.Errorf("Create: %v, want class %q", err, tc.code)
			}
			ids := map[string]bool{}
			for _, sent := range s.all(insert) {
				ids[sent.query.Get("requestId")] = true
			}
			if n := len(s.all(insert)); n != tc.posts || len(ids) != n {
				t.Errorf("%d inserts with %d request ids, want %d of each", n, len(ids), tc.posts)
			}
		})
	}
}

// TestCreateNextAttempt: a driver that saw a try fail does not ask for it again,
// and a new one that did not see it end joins it.
func TestCreateNextAttempt(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		insert: {operation("op-1", "RUNNING", "")},
		poll:   {operation("op-1", "DONE", failing("ZONE_RESOURCE_POOL_EXHAUSTED"))},
	})
	driver := s.driver()
	for range 3 {
		if _, err := driver.Create(t.Context(), request()); cloud.CodeOf(err) != cloud.NoCapacity {
			t.Fatalf("Create: %v", err)
		}
	}
	if _, err := s.driver().Create(t.Context(), request()); cloud.CodeOf(err) != cloud.NoCapacity {
		t.Fatalf("Create of another process: %v", err)
	}
	var ids []string
	for _, sent := range s.all(insert) {
		ids = append(ids, sent.query.Get("requestId"))
	}
	if len(ids) != 4 || ids[0] == ids[1] || ids[1] == ids[2] || ids[0] == ids[2] || ids[3] != ids[0] {
		t.Errorf("request ids are %v, want three and the first again", ids)
	}
}

// TestCreateRequestID: the id tells apart what may not be taken for the same.
func TestCreateRequestID(t *testing.T) {
	t.Parallel()
	id := func(change func(*cloud.CreateRequest)) string {
		s := newStub(t, map[string][]answer{insert: {refusal(400, "invalid", "no")}})
		req := request()
		change(&req)
		if _, err := s.driver().Create(t.Context(), req); cloud.CodeOf(err) != cloud.Invalid {
			t.Fatalf("Create: %v", err)
		}
		return s.all(insert)[0].query.Get("requestId")
	}
	first := id(func(*cloud.CreateRequest) {})
	for name, tc := range map[string]struct {
		change func(*cloud.CreateRequest)
		same   bool
	}{
		"nothing":  {func(*cloud.CreateRequest) {}, true},
		"claim":    {func(r *cloud.CreateRequest) { r.Mark.Claim = "c0ffee" }, true},
		"token":    {func(r *cloud.CreateRequest) { r.Token = "other" }, false},
		"count":    {func(r *cloud.CreateRequest) { r.Spec.Count = 3 }, false},
		"no token": {func(r *cloud.CreateRequest) { r.Token = "" }, false},
	} {
		if got := id(tc.change); (got == first) != tc.same {
			t.Errorf("%s: request id %s after %s, same: want %v", name, got, first, tc.same)
		}
	}
}

// TestCreateTaken: a name that is taken is ours, another's or on its way.
func TestCreateTaken(t *testing.T) {
	t.Parallel()
	taken := refusal(http.StatusConflict, "alreadyExists", "The resource '"+train+"' already exists")
	inOperation := []answer{operation("op-2", "RUNNING", "")}
	running := answer{body: `{"items":[` + operation("op-1", "RUNNING", "").body + `]}`}
	none := answer{body: `{"items":[]}`}
	done := operation("op-1", "DONE", "")
	strange := object(`,"description":"made by hand"`)
	for name, tc := range map[string]struct {
		script   map[string][]answer
		code     cloud.Code
		mismatch bool
		posts    int
	}{
		"ours": {map[string][]answer{insert: {taken}, read: {object("")}}, "", false, 1},
		"ours, told by the operation": {
			map[string][]answer{
				insert: inOperation, "GET operations/op-2": {operation("op-2", "DONE", failing("RESOURCE_ALREADY_EXISTS"))}, read: {object("")},
			}, "", false, 1,
		},
		"ours with other inputs": {
			map[string][]answer{insert: {taken}, read: {object(`,"deleteAtTime":"2031-04-01T00:00:00Z"`)}}, cloud.Conflict, true, 1,
		},
		"another's": {map[string][]answer{insert: {taken}, read: {strange}}, cloud.Conflict, false, 1},
		"being made, not shown": {
			map[string][]answer{insert: {taken}, read: {notFound(), object("")}, queue: {running}, poll: {done}}, "", false, 1,
		},
		"being made, shown": {
			map[string][]answer{insert: {taken}, read: {object(`,"status":"CREATING"`), object("")}, queue: {running}, poll: {done}}, "", false, 1,
		},
		"being made and failed": {
			map[string][]answer{
				insert: {taken, operation("op-3", "RUNNING", "")}, read: {notFound(), notFound(), object("")}, queue: {running},
				poll: {operation("op-1", "DONE", failing("ZONE_RESOURCE_POOL_EXHAUSTED"))}, "GET operations/op-3": {operation("op-3", "DONE", "")},
			}, "", false, 2,
		},
		"being deleted": {
			map[string][]answer{
				insert: {taken, operation("op-3", "RUNNING", "")}, read: {object(`,"status":"DELETING"`), notFound(), object("")},
				queue: {running}, poll: {done}, "GET operations/op-3": {operation("op-3", "DONE", "")},
			}, "", false, 2,
		},
		"gone meanwhile": {
			map[string][]answer{
				insert: {taken, operation("op-3", "RUNNING", "")}, read: {notFound(), notFound(), object("")},
				queue: {none}, "GET operations/op-3": {operation("op-3", "DONE", "")},
			}, "", false, 2,
		},
		"not to be found out": {map[string][]answer{insert: {taken}, read: {refusal(403, "forbidden", "no")}}, cloud.PermissionDenied, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, tc.script)
			r, err := s.driver().Create(t.Context(), request())
			if got := cloud.CodeOf(err); got != tc.code {
				t.Fatalf("Create: %v, want class %q", err, tc.code)
			}
			if err == nil && r.Ref != trainRef() {
				t.Errorf("Create = %+v", r)
			}
			// Who has the name is known, but for where it cannot be read.
			if e := new(cloud.Error); errors.As(err, &e) && (e.TokenMismatch != tc.mismatch || e.Accepted != (e.Code == cloud.PermissionDenied)) {
				t.Errorf("%v: TokenMismatch is %v, want %v; Accepted is %v", err, e.TokenMismatch, tc.mismatch, e.Accepted)
			}
			if n := len(s.all(insert)); n != tc.posts {
				t.Errorf("%d inserts, want %d", n, tc.posts)
			}
		})
	}
}

// TestCreateOfEarlierLife: what an earlier operation made and is gone is shown as
// gone; what another one has made since under the name is another's.
func TestCreateOfEarlierLife(t *testing.T) {
	t.Parallel()
	done := operation("op-1", "DONE", `,"insertTime":"2031-02-27T10:00:00.000-08:00"`)
	s := newStub(t, map[string][]answer{insert: {done}, read: {notFound()}})
	r, err := s.driver().Create(t.Context(), request())
	if err != nil || r.State != cloud.Gone || r.Ref != trainRef() || !r.CreatedAt.Equal(time.Date(2031, 2, 27, 18, 0, 0, 0, time.UTC)) {
		t.Errorf("Create = %+v, %v", r, err)
	}
	s = newStub(t, map[string][]answer{insert: {done}, read: {object(`,"description":""`)}})
	if _, err := s.driver().Create(t.Context(), request()); cloud.CodeOf(err) != cloud.Conflict {
		t.Errorf("Create over another's object: %v", err)
	}
}

// TestCreateCutShort: a create that ends while its operation runs may have been
// accepted, and the same create joins it.
func TestCreateCutShort(t *testing.T) {
	t.Parallel()
	t.Run("context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		running := operation("op-1", "RUNNING", "")
		running.then = cancel
		s := newStub(t, map[string][]answer{insert: {operation("op-1", "RUNNING", "")}, poll: {running, operation("op-1", "DONE", "")}, read: {object("")}})
		_, err := s.driver().Create(ctx, request())
		if !errors.Is(err, context.Canceled) || cloud.CodeOf(err) != "" || !cloud.MaybeAccepted(err) {
			t.Errorf("Create: %v", err)
		}
		if _, err := s.driver().Create(t.Context(), request()); err != nil {
			t.Errorf("Create again: %v", err)
		}
		posts := s.all(insert)
		if len(posts) != 2 || posts[0].query.Get("requestId") != posts[1].query.Get("requestId") {
			t.Errorf("%d inserts, of different request ids", len(posts))
		}
	})
	t.Run("deadline", func(t *testing.T) {
		t.Parallel()
		s := newStub(t, map[string][]answer{insert: {operation("op-1", "RUNNING", "")}, poll: {operation("op-1", "RUNNING", "")}})
		began := s.jump.Now()
		ctx := clock.Until(t.Context(), began.Add(time.Minute))
		_, err := s.driver().Create(ctx, request())
		if e := classed(t, err); e.Code != cloud.Internal || !e.Accepted {
			t.Errorf("Create: %+v", e)
		}
		if took := s.jump.Now().Sub(began); took > time.Minute || took < 50*time.Second {
			t.Errorf("Create waited %s of a minute", took)
		}
	})
}

// TestCreatePlaced: a policy goes by name or by link, and is the project's own.
func TestCreatePlaced(t *testing.T) {
	t.Parallel()
	own := "projects/" + home + "/regions/us-central1/resourcePolicies/near"
	for policy, want := range map[string]cloud.Code{
		"near": cloud.Invalid,
		"https://www.googleapis.com/compute/v1/" + own:                   cloud.Invalid,
		"projects/4711/regions/us-central1/resourcePolicies/near":        cloud.Invalid,
		"projects/other-project/regions/us-central1/resourcePolicies/ne": cloud.Invalid,
	} {
		s := newStub(t, map[string][]answer{insert: {notFound()}})
		req := request()
		req.Spec.Native = map[string]string{"placement_policy": policy}
		_, err := s.driver().Create(t.Context(), req)
		if cloud.CodeOf(err) != want {
			t.Errorf("%s: %v, want class %q", policy, err, want)
		}
		if own := strings.HasSuffix(policy, "near") && !strings.Contains(policy, "4711"); own != (len(s.all(insert)) == 1) {
			t.Errorf("%s: sent %v", policy, s.keys())
		}
		for _, sent := range s.all(insert) {
			if !strings.Contains(wire(sent.body), `"resourcePolicies":{"policy":"`+own+`"}`) {
				t.Errorf("%s: sent %s", policy, sent.body)
			}
		}
	}
}

// TestCreatePlacedElsewhere: where only the environment names the project, Create
// compares it.
func TestCreatePlacedElsewhere(t *testing.T) {
	t.Setenv("GOOGLE_PROJECT", home)
	s := newStub(t, map[string][]answer{"GET projects/4711": {resourceManager("other-project", "4711")}})
	c := google.New(google.Config{Endpoint: s.url, Clock: s.jump})
	for _, project := range []string{"other-project", "4711"} {
		req := request()
		req.Spec.Native = map[string]string{"placement_policy": "projects/" + project + "/regions/us-central1/resourcePolicies/near"}
		if _, err := c.Create(t.Context(), req); cloud.CodeOf(err) != cloud.Invalid {
			t.Errorf("%s: %v", project, err)
		}
	}
}
