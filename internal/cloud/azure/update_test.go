package azure_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// TestUpdateInOne: count, tags and mark of one change go in one request, which
// carries what others wrote too; the group is written where it has to be.
func TestUpdateInOne(t *testing.T) {
	t.Parallel()
	before := ourTags + `,"team":"ml","other-tool":"its own","hidden-title":"x"`
	after := ourTags + `,"gpulock:claim":"ours","Team":"sre","other-tool":"its own","hidden-title":"x"`
	s := newStub(t, map[string][]answer{
		getG: {ourGroup(), ourGroup(), ourGroup(), group(ourTags, `,"sharingProfile":{"subscriptionIds":[{"id":"/subscriptions/`+strings.ToUpper(away)+`"}]}`)},
		getR: {one(before, ""), sized(5, after, "")}, patchR: {begins(200, one(before, `"provisioningState":"Updating"`))}, poll: {status("Succeeded")},
		patchG: {ourGroup()},
	})
	mark := trainMark()
	mark.Claim = "ours"
	r, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{
		Count: ptr(5), SetTags: map[string]string{"Team": "sre"}, Mark: &mark, ShareWith: &[]string{"/subscriptions/" + away},
	})
	if err != nil || r.Count != 5 || len(r.ShareWith) != 1 || r.ShareWith[0] != away {
		t.Fatalf("Update: %+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{patchR, patchG}, s.writes()); diff != "" {
		t.Fatalf("writes (-want +got):\n%s", diff)
	}
	var sent struct {
		SKU  map[string]any
		Tags map[string]string
	}
	if err := json.Unmarshal([]byte(s.bodies(patchR)[0]), &sent); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{
		"gpulock:owner": "team/ml", "gpulock:name": "train", "gpulock:managed-by": "gpu_reservation", "gpulock:claim": "ours",
		"Team": "sre", "other-tool": "its own", "hidden-title": "x",
	}
	if diff := cmp.Diff([]any{map[string]any{"name": size, "capacity": 5.0}, tags}, []any{sent.SKU, sent.Tags}); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if body := s.bodies(patchG)[0]; strings.Contains(body, "tags") || !strings.Contains(body, "/subscriptions/"+away) {
		t.Errorf("sent to the group: %s", body)
	}
}

// TestUpdateUnshown: an answer of success is not believed of an object that does not
// show it; the request is sent again.
func TestUpdateUnshown(t *testing.T) {
	t.Parallel()
	tagged := one(ourTags+`,"team":"ml"`, "")
	for name, tc := range map[string]struct {
		reads  []answer
		writes int
		fails  bool
	}{
		"once":     {[]answer{one(ourTags, ""), one(ourTags, ""), one(ourTags, ""), tagged}, 2, false},
		"for ever": {[]answer{one(ourTags, "")}, 5, true},
	} {
		s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: tc.reads, patchR: {{status: 200}}})
		r, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{SetTags: map[string]string{"team": "ml"}})
		if (err != nil) != tc.fails || cloud.MaybeAccepted(err) != tc.fails || len(s.writes()) != tc.writes {
			t.Errorf("%s: %+v, %v after %v", name, r, err, s.writes())
		}
	}
}

// TestUpdateNothing: what is as wished is not written.
func TestUpdateNothing(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: {one(ourTags+`,"team":"ml"`, "")}})
	mark := trainMark()
	change := cloud.Change{Count: ptr(2), SetTags: map[string]string{"team": "ml"}, RemoveTags: []string{"never"}, Mark: &mark, ShareWith: &[]string{}}
	if _, err := s.driver().Update(t.Context(), trainRef(), change); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{getR, getG}, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestUpdateGrowth: a refused growth is set back in the same call to what is really
// held, whatever way the refusal comes, and is the error.
func TestUpdateGrowth(t *testing.T) {
	t.Parallel()
	updating := begins(200, one(ourTags, `"provisioningState":"Updating"`))
	broken, whole := failed(9, 2, ""), one(ourTags, "")
	for name, tc := range map[string]struct {
		reads, patches, polls []answer
		code                  cloud.Code
		counts                []int
	}{
		"in the operation": {
			reads: []answer{whole, broken, whole}, patches: []answer{updating},
			polls: []answer{failing("no"), status("Succeeded")}, code: cloud.NoCapacity, counts: []int{9, 2},
		},
		"at once": {
			reads: []answer{whole}, patches: []answer{refusal(409, "AllocationFailed", "no")}, code: cloud.NoCapacity, counts: []int{9},
		},
		"out of sight": {
			reads: []answer{whole, broken, broken, whole}, patches: []answer{updating}, polls: []answer{notFound(), status("Succeeded")},
			code: cloud.NoCapacity, counts: []int{9, 2},
		},
		"the answer lost": {
			reads: []answer{whole, broken, broken, whole}, patches: []answer{{drop: true}, updating},
			polls: []answer{failing("no"), status("Succeeded")}, code: cloud.NoCapacity, counts: []int{9, 9, 2},
		},
		"the set-back lost": {
			reads: []answer{whole, broken, broken, whole}, patches: []answer{updating, {drop: true}},
			polls: []answer{failing("no"), status("Succeeded")}, code: cloud.NoCapacity, counts: []int{9, 2, 2},
		},
		"the set-back refused": {
			reads: []answer{whole, broken}, patches: []answer{updating, refusal(403, "AuthorizationFailed", "no")},
			polls: []answer{failing("no")}, code: cloud.NoCapacity, counts: []int{9, 2},
		},
		"quota": {
			reads:   []answer{whole},
			patches: []answer{refusal(409, "OperationNotAllowed", "exceeding approved "+family+" Cores quota.")},
			code:    cloud.QuotaExceeded, counts: []int{9},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: tc.reads, patchR: tc.patches, poll: tc.polls})
			_, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{Count: ptr(9)})
			e := classed(t, err)
			if e.Code != tc.code {
				t.Errorf("error is %+v, want %s", e, tc.code)
			}
			if e.Code == cloud.QuotaExceeded && (e.Quota == nil || e.Quota.Region != location || e.Quota.AccountID != home) {
				t.Errorf("quota is %+v", e.Quota)
			}
			var counts []int
			for _, body := range s.bodies(patchR) {
				var sent struct{ SKU struct{ Capacity int } }
				if err := json.Unmarshal([]byte(body), &sent); err != nil {
					t.Fatal(err)
				}
				counts = append(counts, sent.SKU.Capacity)
			}
			if diff := cmp.Diff(tc.counts, counts); diff != "" {
				t.Errorf("counts sent (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpdateRefused: what cannot change in place is refused before anything is
// written.
func TestUpdateRefused(t *testing.T) {
	t.Parallel()
	future := func(state, more string) answer {
		return one(ourTags, `"scheduleProfile":{"start":"2031-06-01T00:00:00Z","minimumCommitmentDays":30`+more+`},
			"instanceView":{"reservationStateInfo":{"reservationState":"`+state+`"}}`)
	}
	given := group(`"gpulock:owner":"other"`, "")
	at := time.Date(2031, 7, 1, 0, 0, 0, 0, time.UTC)
	renamed := trainMark()
	renamed.Name = "other"
	for name, tc := range map[string]struct {
		g, r   answer
		change cloud.Change
		code   cloud.Code
	}{
		"match":                {ourGroup(), one(ourTags, ""), cloud.Change{Match: ptr(cloud.Open)}, cloud.Unsupported},
		"end":                  {ourGroup(), one(ourTags, ""), cloud.Change{EndAt: &at}, cloud.Unsupported},
		"name":                 {ourGroup(), one(ourTags, ""), cloud.Change{Mark: &renamed}, cloud.Unsupported},
		"option":               {ourGroup(), one(ourTags, ""), cloud.Change{Native: map[string]string{"resource_group": "x"}}, cloud.Unsupported},
		"no count":             {ourGroup(), one(ourTags, ""), cloud.Change{Count: ptr(0)}, cloud.Invalid},
		"sharing of a given":   {given, one(ourTags, ""), cloud.Change{ShareWith: &[]string{away}}, cloud.Invalid},
		"sharing with itself":  {ourGroup(), one(ourTags, ""), cloud.Change{ShareWith: &[]string{home}}, cloud.Invalid},
		"refused":              {ourGroup(), failed(2, 0, `,"provisioningTime":null`), cloud.Change{Count: ptr(3)}, cloud.Conflict},
		"start, fixed by now":  {ourGroup(), future("Approved", `,"modifiableUntil":"2031-02-01T00:00:00Z"`), cloud.Change{StartAt: &at}, cloud.Conflict},
		"count, committed":     {ourGroup(), future("Committed", ""), cloud.Change{Count: ptr(3)}, cloud.Conflict},
		"not there":            {ourGroup(), notFound(), cloud.Change{Count: ptr(3)}, cloud.NotFound},
		"group that is denied": {refusal(403, "AuthorizationFailed", "no"), one(ourTags, ""), cloud.Change{Count: ptr(3)}, cloud.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: {tc.g}, getR: {tc.r}})
			_, err := s.driver().Update(t.Context(), trainRef(), tc.change)
			if e := classed(t, err); e.Code != tc.code || e.Accepted || len(s.writes()) != 0 {
				t.Errorf("error is %+v after %v, want %s", e, s.writes(), tc.code)
			}
		})
	}
}

// TestUpdateStart: only the start is sent.
func TestUpdateStart(t *testing.T) {
	t.Parallel()
	future := func(start string) answer {
		return one(ourTags, `"scheduleProfile":{"start":"`+start+`","minimumCommitmentDays":30,"modifiableUntil":"2031-04-01T00:00:00Z"},
			"instanceView":{"reservationStateInfo":{"reservationState":"Approved"}}`)
	}
	s := newStub(t, map[string][]answer{
		getG: {ourGroup()}, getR: {future("2031-06-01T00:00:00Z"), future("2031-07-01T00:00:00Z")}, patchR: {{body: future("2031-07-01T00:00:00Z").body}},
	})
	at := time.Date(2031, 7, 1, 2, 0, 0, 0, time.FixedZone("", 7200))
	r, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{StartAt: &at})
	if err != nil || !r.StartsAt.Equal(at) {
		t.Fatalf("Update: %+v, %v", r, err)
	}
	if diff := cmp.Diff([]string{`{"properties":{"scheduleProfile":{"start":"2031-07-01T00:00:00Z"}}}`}, s.bodies(patchR)); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}
