package google_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	resize = "POST reservations/train/resize"
	patch  = "PATCH reservations/train"
	remove = "DELETE reservations/train"
)

func ptr[V any](v V) *V { return &v }

func done() answer { return operation("op-1", "DONE", "") }

// wire leaves out the blanks that the encoder puts in at random.
func wire(body string) string { return strings.ReplaceAll(body, " ", "") }

// TestUpdateOrder: a growth that is refused leaves everything else as it was.
func TestUpdateOrder(t *testing.T) {
	t.Parallel()
	end := time.Date(2031, 5, 1, 0, 0, 0, 0, time.UTC)
	change := cloud.Change{Count: ptr(5), EndAt: &end, Native: map[string]string{"vertex_sharing": "allow_all"}, ShareWith: &[]string{"consumer-one", "consumer-two"}}
	running := operation("op-1", "RUNNING", "")
	s := newStub(t, map[string][]answer{
		read: {shared("consumer-two")}, resize: {running}, poll: {operation("op-1", "DONE", failing("ZONE_RESOURCE_POOL_EXHAUSTED"))},
	})
	_, err := s.driver().Update(t.Context(), trainRef(), change)
	if e := classed(t, err); e.Code != cloud.NoCapacity || e.Accepted {
		t.Errorf("Update: %+v", e)
	}
	if diff := cmp.Diff([]string{read, resize, poll}, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	s = newStub(t, map[string][]answer{read: {shared("consumer-two")}, resize: {running}, patch: {running}, poll: {done()}})
	if _, err := s.driver().Update(t.Context(), trainRef(), change); err != nil {
		t.Fatalf("Update: %v", err)
	}
	got := []string{wire(s.all(resize)[0].body)}
	for _, r := range s.all(patch) {
		got = append(got, r.query.Get("paths")+r.query.Get("updateMask")+" "+wire(r.body))
	}
	want := []string{
		`{"specificSkuCount":"5"}`,
		`deleteAtTime {"deleteAtTime":"2031-05-01T00:00:00Z","name":"train"}`,
		`reservationSharingPolicy.serviceShareType {"name":"train","reservationSharingPolicy":{"serviceShareType":"ALLOW_ALL"}}`,
		`shareSettings.projectMap.consumer-one {"name":"train","shareSettings":{"projectMap":{"consumer-one":{"projectId":"consumer-one"}},"shareType":"SPECIFIC_PROJECTS"}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what was sent (-want +got):\n%s", diff)
	}
}

// TestUpdateEnd: instants are compared as they are kept, and an end is removed by
// its path alone.
func TestUpdateEnd(t *testing.T) {
	t.Parallel()
	kept := time.Date(2031, 4, 1, 0, 0, 0, 500e6, time.UTC)
	for name, tc := range map[string]struct {
		to   time.Time
		want []string
	}{
		"same":         {kept, nil},
		"same, finer":  {kept.Add(7 * time.Microsecond), nil},
		"other offset": {kept.In(time.FixedZone("", 7200)), nil},
		"later":        {kept.Add(time.Second), []string{`{"deleteAtTime":"2031-04-01T00:00:01.500Z","name":"train"}`}},
		"removed":      {time.Time{}, []string{`{"name":"train"}`}},
	} {
		s := newStub(t, map[string][]answer{read: {object(`"deleteAtTime":"2031-04-01T00:00:00.500Z"`)}, patch: {done()}})
		if _, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{EndAt: &tc.to}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, r := range s.all(patch) {
			got = append(got, wire(r.body))
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestUpdateFailures: every way that a change fails.
func TestUpdateFailures(t *testing.T) {
	t.Parallel()
	running := operation("op-1", "RUNNING", "")
	failed := []answer{operation("op-1", "DONE", failing("ZONE_RESOURCE_POOL_EXHAUSTED"))}
	busy := refusal(400, "resourceNotReady", "The resource 'train' is not ready")
	lower := refusal(400, "somethingNew", "no")
	for name, tc := range map[string]struct {
		script   map[string][]answer
		change   cloud.Change
		code     cloud.Code
		accepted bool
	}{
		"resize, without a status": {map[string][]answer{resize: {running}, poll: failed}, cloud.Change{Count: ptr(3)}, cloud.NoCapacity, false},
		"resize, done at once":     {map[string][]answer{resize: failed}, cloud.Change{Count: ptr(3)}, cloud.NoCapacity, false},
		"patch, without a status":  {map[string][]answer{patch: {running}, poll: failed}, cloud.Change{EndAt: ptr(time.Unix(2e9, 0))}, cloud.NoCapacity, false},
		"resize, lost":             {map[string][]answer{resize: {{drop: true}}}, cloud.Change{Count: ptr(3)}, cloud.Internal, true},
		"below use":                {map[string][]answer{read: {object(`"specificReservation":{"count":"5","inUseCount":"4","instanceProperties":{"machineType":"a2-highgpu-1g"}}`)}, resize: {lower}}, cloud.Change{Count: ptr(3)}, cloud.InUse, false},
		"shrink, otherwise":        {map[string][]answer{resize: {lower}}, cloud.Change{Count: ptr(1)}, cloud.Invalid, false},
		"always busy":              {map[string][]answer{resize: {busy}, queue: {{body: `{}`}}}, cloud.Change{Count: ptr(3)}, cloud.Conflict, false},
		"gone":                     {map[string][]answer{read: {notFound()}}, cloud.Change{Count: ptr(3)}, cloud.NotFound, false},
		"on its way out":           {map[string][]answer{read: {object(`"status":"DELETING"`)}}, cloud.Change{Count: ptr(3)}, cloud.Conflict, false},
		"match":                    {nil, cloud.Change{Match: ptr(cloud.Open)}, cloud.Unsupported, false},
		"option":                   {nil, cloud.Change{Native: map[string]string{"min_cpu_platform": "Intel Skylake"}}, cloud.Unsupported, false},
		"tags":                     {nil, cloud.Change{SetTags: map[string]string{"a": "b"}}, cloud.Unsupported, false},
		"mark":                     {nil, cloud.Change{Mark: &cloud.Mark{Owner: "x", Name: "train", Type: "gpu_reservation"}}, cloud.Unsupported, false},
		"count":                    {nil, cloud.Change{Count: ptr(0)}, cloud.Invalid, false},
		"vertex":                   {nil, cloud.Change{Native: map[string]string{"vertex_sharing": "some"}}, cloud.Invalid, false},
		"project":                  {map[string][]answer{read: {shared("consumer-two")}}, cloud.Change{ShareWith: &[]string{"No such project!"}}, cloud.Invalid, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := map[string][]answer{read: {object("")}}
			for key, answers := range tc.script {
				script[key] = answers
			}
			s := newStub(t, script)
			_, err := s.driver().Update(t.Context(), trainRef(), tc.change)
			if e := classed(t, err); e.Code != tc.code || e.Accepted != tc.accepted {
				t.Errorf("Update: %v: class %q, accepted %v; want %q, %v", err, e.Code, e.Accepted, tc.code, tc.accepted)
			}
		})
	}
}

// TestUpdateResumed: what an interrupted update began is waited for before the
// object is compared, and what stands in the way is waited for too.
func TestUpdateResumed(t *testing.T) {
	t.Parallel()
	grown := object(`"specificReservation":{"count":"3","inUseCount":"1","instanceProperties":{"machineType":"a2-highgpu-1g"}}`)
	running := answer{body: `{"items":[` + operation("op-1", "RUNNING", "").body + `]}`}
	busy := refusal(400, "resourceNotReady", "The resource 'train' is not ready")
	for name, tc := range map[string]struct {
		script map[string][]answer
		want   []string
	}{
		"shown": {
			map[string][]answer{read: {object(`"status":"UPDATING"`), grown}, queue: {running}, poll: {done()}},
			[]string{read, queue, poll, read, read},
		},
		"not shown": {
			map[string][]answer{read: {object(""), grown}, resize: {busy}, queue: {running}, poll: {done()}},
			[]string{read, resize, queue, poll, read, read},
		},
		"nothing to be seen of it": {
			map[string][]answer{read: {object(""), object(""), grown}, resize: {busy, done()}, queue: {{body: `{}`}}},
			[]string{read, resize, queue, read, resize, read},
		},
		"a mark that is there": {map[string][]answer{read: {grown}}, []string{read, read}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, tc.script)
			mark := cloud.Mark{Owner: "team/ml", Name: "train", Type: "gpu_reservation", Claim: "c0ffee"}
			r, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{Count: ptr(3), Mark: &mark})
			if err != nil || r.Count != 3 {
				t.Fatalf("Update = %+v, %v", r, err)
			}
			if diff := cmp.Diff(tc.want, s.keys()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRelease: every way that a release ends.
func TestRelease(t *testing.T) {
	t.Parallel()
	running := operation("op-1", "RUNNING", "")
	queued := answer{body: `{"items":[` + running.body + `]}`}
	busy := refusal(400, "resourceNotReady", "The resource 'train' is not ready")
	strange := refusal(400, "somethingNew", "no")
	for name, tc := range map[string]struct {
		script   map[string][]answer
		code     cloud.Code
		accepted bool
	}{
		"done":                      {map[string][]answer{remove: {running}, poll: {running, done()}}, "", false},
		"gone already":              {map[string][]answer{remove: {notFound()}}, "", false},
		"gone meanwhile":            {map[string][]answer{remove: {running}, poll: {operation("op-1", "DONE", failing("RESOURCE_NOT_FOUND"))}}, "", false},
		"lost and done":             {map[string][]answer{remove: {{drop: true}, notFound()}}, "", false},
		"lost for good":             {map[string][]answer{remove: {{drop: true}}}, cloud.Internal, true},
		"failed without a status":   {map[string][]answer{remove: {running}, poll: {operation("op-1", "DONE", failing("PERMISSIONS_ERROR"))}}, cloud.PermissionDenied, false},
		"in use, by the operation":  {map[string][]answer{remove: {running}, poll: {operation("op-1", "DONE", failing("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE"))}}, cloud.InUse, false},
		"in use, by the object":     {map[string][]answer{remove: {strange}, read: {object("")}}, cloud.InUse, false},
		"refused for another cause": {map[string][]answer{remove: {strange}, read: {object(`"specificReservationRequired":false`)}}, cloud.Invalid, false},
		"refused, and gone":         {map[string][]answer{remove: {strange}, read: {notFound()}}, "", false},
		"refused, and not readable": {map[string][]answer{remove: {strange}, read: {refusal(403, "forbidden", "no")}}, cloud.Invalid, false},
		"deletion under way":        {map[string][]answer{remove: {busy, notFound()}, queue: {queued}, poll: {done()}}, "", false},
		"deletion shown":            {map[string][]answer{remove: {strange, notFound()}, read: {object(`"status":"DELETING"`)}, queue: {queued}, poll: {done()}}, "", false},
		"deletion of its own shown": {
			map[string][]answer{
				remove: {strange, notFound()}, read: {object(`"status":"DELETING","deleteAtTime":"2031-02-28T00:00:00Z"`)},
				queue: {queued}, poll: {done()},
			}, "", false,
		},
		"resize under way, failing": {map[string][]answer{remove: {busy, done()}, queue: {queued}, poll: {operation("op-1", "DONE", failing("QUOTA_EXCEEDED"))}}, "", false},
		"throttled":                 {map[string][]answer{remove: {refusal(429, "rateLimitExceeded", "no")}}, cloud.Throttled, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, tc.script)
			err := s.driver().Release(t.Context(), trainRef())
			if cloud.CodeOf(err) != tc.code {
				t.Fatalf("Release: %v, want class %q", err, tc.code)
			}
			if err != nil && classed(t, err).Accepted != tc.accepted {
				t.Errorf("Release: %v: accepted is not %v", err, tc.accepted)
			}
		})
	}
}
