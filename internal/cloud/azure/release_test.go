package azure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const releasingTags = ourTags + `,"gpulock:releasing":"true"`

// TestRelease: the group is tagged, the reservation goes, then the group, which is
// refused for a while; an answer of 202 is none of a failure.
func TestRelease(t *testing.T) {
	t.Parallel()
	nested := refusal(409, "CannotDeleteResource", "Cannot delete resource while nested resources exist.")
	tagged := group(releasingTags, "")
	accepted := answer{status: 202, header: map[string]string{"Azure-AsyncOperation": "HOST/ops/g", "Location": "HOST/ops/g?monitor=true"}}
	s := newStub(t, map[string][]answer{
		getG: {ourGroup(), ourGroup(), tagged, tagged, tagged, tagged, notFound()}, patchG: {group(releasingTags, "")},
		getR:    {one(ourTags, ""), one(ourTags, `"provisioningState":"Deleting"`), notFound()},
		deleteR: {{status: 202, header: map[string]string{"Azure-AsyncOperation": "HOST/ops/1", "Location": "HOST/ops/1?monitor=true"}}},
		poll:    {status("InProgress"), status("Succeeded")},
		deleteG: {nested, nested, accepted}, "GET ops/g": {status("InProgress"), status("Succeeded")},
	})
	if err := s.driver().Release(t.Context(), trainRef()); err != nil {
		t.Fatalf("Release: %v", err)
	}
	want := []string{getG, getR, getG, patchG, deleteR, poll, poll, getR, getR, getG, deleteG, getG, deleteG, getG, deleteG, "GET ops/g", "GET ops/g", getG, getG}
	if diff := cmp.Diff(want, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if body := s.bodies(patchG)[0]; !strings.Contains(body, `"gpulock:releasing":"true"`) || !strings.Contains(body, `"gpulock:owner":"team/ml"`) {
		t.Errorf("tagged with %s", body)
	}
}

// TestReleaseRefused: what is refused is as it was, and names who uses it.
func TestReleaseRefused(t *testing.T) {
	t.Parallel()
	const vm = "/subscriptions/" + home + "/resourceGroups/x/providers/Microsoft.Compute/virtualMachines/vm-1"
	future := `"scheduleProfile":{"start":"2031-02-20T00:00:00Z","minimumCommitmentDays":30},
		"instanceView":{"reservationStateInfo":{"reservationState":"Live"}}`
	for name, tc := range map[string]struct {
		groups, reads, deletes []answer
		code                   cloud.Code
		users                  []string
		writes                 []string
	}{
		"associated": {
			[]answer{ourGroup()}, []answer{one(ourTags, `"virtualMachinesAssociated":[{"id":"`+vm+`"}]`)}, nil, cloud.InUse, []string{vm}, nil,
		},
		"associated meanwhile": {
			[]answer{ourGroup(), ourGroup(), group(releasingTags, "")},
			[]answer{one(ourTags, "")},
			[]answer{refusal(409, "OperationNotAllowed", "Virtual machines are associated with it: '"+vm+"'.")},
			cloud.InUse,
			[]string{vm},
			[]string{patchG, deleteR, patchG},
		},
		"committed": {[]answer{ourGroup()}, []answer{one(ourTags, future)}, nil, cloud.Unsupported, nil, nil},
		"denied": {
			[]answer{ourGroup(), ourGroup(), group(releasingTags, "")},
			[]answer{one(ourTags, "")},
			[]answer{refusal(403, "AuthorizationFailed", "no")},
			cloud.PermissionDenied, nil,
			[]string{patchG, deleteR, patchG},
		},
		"given group, denied": {
			[]answer{group("", "")},
			[]answer{one(ourTags, "")},
			[]answer{refusal(403, "AuthorizationFailed", "no")},
			cloud.PermissionDenied, nil,
			[]string{deleteR},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: tc.groups, getR: tc.reads, deleteR: tc.deletes, patchG: {ourGroup()}})
			e := classed(t, s.driver().Release(t.Context(), trainRef()))
			if e.Code != tc.code || e.Accepted || cmp.Diff(tc.users, e.Users) != "" {
				t.Errorf("error is %+v, want %s, users %v", e, tc.code, tc.users)
			}
			if diff := cmp.Diff(tc.writes, append([]string(nil), s.writes()...)); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if tags := s.bodies(patchG); len(tags) == 2 && strings.Contains(tags[1], "releasing") {
				t.Errorf("the group stays tagged: %s", tags[1])
			}
		})
	}
}

// TestReleaseGroup: only a group of our own goes, only when it is empty, and only
// what is ours of the tags is taken back.
func TestReleaseGroup(t *testing.T) {
	t.Parallel()
	const other = `,"capacityReservations":[{"id":"/subscriptions/` + home +
		`/resourceGroups/gpu/providers/Microsoft.Compute/capacityReservationGroups/train/capacityReservations/other"}]`
	stale := strings.ReplaceAll(other, "/other", "/TRAIN")
	nested := refusal(409, "CannotDeleteResource", "nested resources exist")
	gone := notFound()
	for name, tc := range map[string]struct {
		groups, deletes []answer
		code            cloud.Code
		writes          []string
	}{
		"gone already":     {[]answer{gone}, nil, "", nil},
		"begun before":     {[]answer{group(releasingTags, ""), group(releasingTags, ""), gone}, []answer{{status: 200}}, "", []string{deleteG}},
		"gone meanwhile":   {[]answer{group(releasingTags, ""), gone}, nil, "", nil},
		"listed still":     {[]answer{group(releasingTags, stale), group(releasingTags, stale), gone}, []answer{{status: 204}}, "", []string{deleteG}},
		"with another one": {[]answer{group(releasingTags, other)}, nil, "", []string{patchG}},
		"given":            {[]answer{group("", "")}, nil, "", nil},
		"denied":           {[]answer{group(releasingTags, "")}, []answer{refusal(403, "AuthorizationFailed", "no")}, cloud.PermissionDenied, []string{deleteG}},
		"nested for ever": {
			[]answer{group(releasingTags, "")}, []answer{nested}, cloud.Conflict, slicesRepeat(deleteG, 13),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: tc.groups, getR: {gone}, deleteG: tc.deletes, patchG: {ourGroup()}})
			start := s.jump.Now()
			err := s.driver().Release(t.Context(), trainRef())
			if cloud.CodeOf(err) != tc.code || cloud.MaybeAccepted(err) != (tc.code != "") {
				t.Errorf("Release: %v, want %q", err, tc.code)
			}
			if diff := cmp.Diff(tc.writes, append([]string(nil), s.writes()...)); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if took := s.jump.Now().Sub(start); took > time.Minute {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func slicesRepeat(key string, n int) []string {
	var all []string
	for range n {
		all = append(all, key)
	}
	return all
}
