package azure_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// theirTags are the mark of somebody else.
const theirTags = `"gpulock:owner":"team/sre","gpulock:name":"train","gpulock:managed-by":"gpu_reservation","gpulock:claim":"theirs"`

// inTheWay is a refusal because of another write.
func inTheWay() answer { return refusal(409, "anotherOperationInProgress", "wait") }

// TestCreateMeanwhile: what appears after nothing was found is judged by its mark,
// whatever the PUT was answered; it is never written over, and never removed.
func TestCreateMeanwhile(t *testing.T) {
	t.Parallel()
	full := refusal(409, "AllocationFailed", "Allocation failed.")
	created := begins(201, one(ourTags, `"provisioningState":"Creating"`))
	claimed := ourTags + `,"gpulock:claim":"of another run"`
	for name, tc := range map[string]struct {
		put, read []answer
		code      cloud.Code
		mismatch  bool
	}{
		"theirs, ours in the way":         {[]answer{inTheWay()}, []answer{one(theirTags, "")}, cloud.Conflict, false},
		"theirs, ours refused":            {[]answer{full}, []answer{one(theirTags, "")}, cloud.Conflict, false},
		"theirs, being made":              {[]answer{full}, []answer{one(theirTags, `"provisioningState":"Creating"`), one(theirTags, "")}, cloud.Conflict, false},
		"theirs, refused as well":         {[]answer{full}, []answer{refusedOf(theirTags)}, cloud.Conflict, false},
		"theirs, ours lost":               {[]answer{{drop: true}}, []answer{notFound(), one(theirTags, "")}, cloud.Conflict, false},
		"theirs, ours failed":             {[]answer{created}, []answer{one(theirTags, "")}, cloud.Conflict, false},
		"nobody's, ours refused":          {[]answer{full}, []answer{one("", "")}, cloud.Conflict, false},
		"ours by another run, in the way": {[]answer{inTheWay()}, []answer{one(claimed, "")}, "", false},
		"ours by another run, refused":    {[]answer{full}, []answer{one(ourTags, "")}, "", false},
		"ours of another count":           {[]answer{inTheWay()}, []answer{sized(3, ourTags, "")}, cloud.Conflict, true},
		"ours of another count, refused":  {[]answer{full}, []answer{sized(3, ourTags, "")}, cloud.Conflict, true},
	} {
		for where, g := range map[string]answer{"own": ourGroup(), "given": group("", "")} {
			t.Run(name+"/"+where, func(t *testing.T) {
				t.Parallel()
				req := plain()
				if where == "given" {
					req.Spec.Native = map[string]string{"group_id": trainGroup}
				}
				s := newStub(t, map[string][]answer{
					getG: {g}, putR: tc.put, getR: append([]answer{notFound()}, tc.read...), poll: {failing("Allocation failed.")},
				})
				r, err := s.driver().Create(t.Context(), req)
				if tc.code == "" {
					if err != nil || r.State != cloud.Held || r.Ref != trainRef() {
						t.Errorf("Create: %+v, %v", r, err)
					}
				} else if e := classed(t, err); e.Code != tc.code || e.TokenMismatch != tc.mismatch {
					t.Errorf("error is %+v, want %s, mismatch %v", e, tc.code, tc.mismatch)
				}
				if diff := cmp.Diff([]string{putR}, s.writes()); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// refusedOf is a create of two that was refused.
func refusedOf(tags string) answer {
	return one(tags, `"provisioningState":"Failed","provisioningTime":null,"instanceView":{"utilizationInfo":{"currentCapacity":0}}`)
}

// TestCreateObstructed: what stands in the way of a PUT is waited for, with a look
// before each try.
func TestCreateObstructed(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		getG: {notFound(), notFound(), ourGroup()}, putG: {inTheWay(), {status: 200, body: ourGroup().body}},
		getR: {notFound(), notFound(), one(ourTags, "")}, putR: {inTheWay(), {status: 200, body: one(ourTags, "").body}},
	})
	if r, err := s.driver().Create(t.Context(), plain()); err != nil || r.State != cloud.Held {
		t.Fatalf("Create: %+v, %v", r, err)
	}
	want := []string{getG, putG, getG, putG, getG, getR, putR, getR, putR, getR}
	if diff := cmp.Diff(want, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestCreateGroupMeanwhile: the same of a group.
func TestCreateGroupMeanwhile(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]answer{
		"in the way": inTheWay(), "lost": {drop: true}, "done": {status: 200, body: ourGroup().body},
	} {
		for whose, tags := range map[string]string{"theirs": theirTags, "nobody's": ""} {
			t.Run(name+"/"+whose, func(t *testing.T) {
				t.Parallel()
				s := newStub(t, map[string][]answer{getG: {notFound(), group(tags, "")}, putG: {put}})
				_, err := s.driver().Create(t.Context(), plain())
				if e := classed(t, err); e.Code != cloud.Conflict || e.Accepted {
					t.Errorf("error is %+v", e)
				}
				if diff := cmp.Diff([]string{putG}, s.writes()); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestCreateRefusedGroup: a refused create removes no group that became another's,
// and nothing that has a claim.
func TestCreateRefusedGroup(t *testing.T) {
	t.Parallel()
	full := refusal(409, "AllocationFailed", "Allocation failed.")
	for name, tags := range map[string]string{"theirs": theirTags, "nobody's": ""} {
		s := newStub(t, map[string][]answer{getG: {ourGroup(), group(tags, "")}, getR: {notFound()}, putR: {full}})
		_, err := s.driver().Create(t.Context(), plain())
		if e := classed(t, err); e.Code != cloud.NoCapacity {
			t.Errorf("%s: %+v", name, e)
		}
		if diff := cmp.Diff([]string{putR}, s.writes()); diff != "" {
			t.Errorf("%s: writes (-want +got):\n%s", name, diff)
		}
	}
	s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: {notFound(), refusedOf(ourTags + `,"gpulock:claim":"theirs"`)}, putR: {full}})
	r, err := s.driver().Create(t.Context(), plain())
	if err != nil || r.State != cloud.Refused || r.Mark.Claim != "theirs" || len(s.writes()) != 1 {
		t.Errorf("with a claim: %+v, %v after %v", r, err, s.writes())
	}
}

// TestCreateCanceled: a creation that was canceled is removed like one that failed.
func TestCreateCanceled(t *testing.T) {
	t.Parallel()
	canceled := one(ourTags, `"provisioningState":"Canceled","provisioningTime":null,"instanceView":{"utilizationInfo":{"currentCapacity":0}}`)
	script := fresh([]answer{begins(201, one(ourTags, `"provisioningState":"Creating"`))}, canceled, canceled, notFound())
	script[getG] = []answer{notFound(), ourGroup(), ourGroup(), notFound()}
	script[poll], script[deleteR] = []answer{status("Canceled")}, []answer{{status: 204}}
	s := newStub(t, script)
	if _, err := s.driver().Create(t.Context(), plain()); cloud.CodeOf(err) != cloud.Internal {
		t.Errorf("Create: %v", err)
	}
	if diff := cmp.Diff([]string{putG, putR, deleteR, deleteG}, s.writes()); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// TestReleaseMeanwhile: tags that others put on the group meanwhile stay, and a
// group that became another's does.
func TestReleaseMeanwhile(t *testing.T) {
	t.Parallel()
	const one1, two2, three3 = `,"a":"1"`, `,"a":"1","b":"2"`, `,"a":"1","b":"2","c":"3"`
	t.Run("tags", func(t *testing.T) {
		t.Parallel()
		s := newStub(t, map[string][]answer{
			getG:   {ourGroup(), group(ourTags+one1, ""), group(ourTags+two2, ""), group(releasingTags+three3, "")},
			getR:   {one(ourTags, "")},
			patchG: {inTheWay(), ourGroup()}, deleteR: {refusal(403, "AuthorizationFailed", "no")},
		})
		if err := s.driver().Release(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.PermissionDenied {
			t.Errorf("Release: %v", err)
		}
		want := []string{getG, getR, getG, patchG, getG, patchG, deleteR, getG, patchG}
		if diff := cmp.Diff(want, s.keys()); diff != "" {
			t.Fatalf("requests (-want +got):\n%s", diff)
		}
		for i, tag := range []string{`"a":"1"`, `"b":"2"`, `"c":"3"`} {
			body := s.bodies(patchG)[i]
			if !strings.Contains(body, tag) || strings.Contains(body, "releasing") != (i < 2) {
				t.Errorf("PATCH %d of the group: %s", i, body)
			}
		}
	})
	for name, groups := range map[string][]answer{
		"before the tag":      {ourGroup(), group(theirTags, "")},
		"before it dissolves": {group(releasingTags, ""), group(theirTags, "")},
		"after a refusal":     {group(releasingTags, ""), group(releasingTags, ""), group(releasingTags, ""), group(theirTags, "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: groups, getR: {one(ourTags, ""), notFound()}, deleteR: {{status: 204}}, deleteG: {
				refusal(409, "CannotDeleteResource", "nested resources exist"),
			}})
			if err := s.driver().Release(t.Context(), trainRef()); err != nil {
				t.Errorf("Release: %v", err)
			}
			want := []string{deleteR}
			if name == "after a refusal" {
				want = append(want, deleteG)
			}
			if diff := cmp.Diff(want, s.writes()); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReleaseLateList: whatever its code, a refusal that speaks of what is still in
// the group is waited for; one that speaks of machines is not.
func TestReleaseLateList(t *testing.T) {
	t.Parallel()
	for message, waits := range map[string]bool{
		"Cannot delete resource while nested resources exist.":                                      true,
		"The group still has child resources.":                                                      true,
		"Capacity reservation group train contains capacity reservations; delete them first.":       true,
		"Nested resources exist: virtual machine vm-1.":                                             false,
		"The operation is not allowed.":                                                             false,
		"Capacity reservations of the group are still used by VMs.":                                 false,
		"The group cannot be deleted: 3 capacity reservations are associated with virtual machines": false,
	} {
		for _, code := range []string{"OperationNotAllowed", "SomethingNew"} {
			s := newStub(t, map[string][]answer{
				getG: {group(releasingTags, ""), group(releasingTags, ""), group(releasingTags, ""), notFound()}, getR: {notFound()},
				deleteG: {refusal(409, code, message), {status: 200}},
			})
			err := s.driver().Release(t.Context(), trainRef())
			if (err == nil) != waits || (len(s.writes()) == 2) != waits {
				t.Errorf("%s, %s: %v after %v", code, message, err, s.writes())
			}
		}
	}
}

// TestUpdateMeanwhile: tags that others put on while something stood in the way of a
// PATCH, or its answer was lost, are sent again as they are.
func TestUpdateMeanwhile(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]answer{"in the way": inTheWay(), "lost": {drop: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{
				getR:   {one(ourTags, ""), one(ourTags+`,"a":"1"`, ""), one(ourTags+`,"a":"1","gpulock:claim":"c"`, "")},
				patchR: {first, {status: 200}},
				getG: {
					ourGroup(), ourGroup(), ourGroup(), group(ourTags, ""), group(ourTags+`,"b":"2"`, ""),
					group(ourTags, `,"sharingProfile":{"subscriptionIds":[{"id":"/subscriptions/`+away+`"}]}`),
				},
				patchG: {first, {status: 200}},
			})
			mark := trainMark()
			mark.Claim = "c"
			if _, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{Mark: &mark, ShareWith: &[]string{away}}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{patchR, patchR, patchG, patchG}, s.writes()); diff != "" {
				t.Fatalf("writes (-want +got):\n%s", diff)
			}
			if body := s.bodies(patchR)[1]; !strings.Contains(body, `"a":"1"`) {
				t.Errorf("sent again: %s", body)
			}
		})
	}
}

// TestUpdateNotSetBack: the error of a refused growth tells what state the object is
// in where it could not be set back, and why that failed.
func TestUpdateNotSetBack(t *testing.T) {
	t.Parallel()
	updating := begins(200, one(ourTags, `"provisioningState":"Updating"`))
	for name, tc := range map[string]struct {
		reads, patches []answer
		parts          []string
	}{
		"refused": {
			[]answer{one(ourTags, ""), failed(9, 2, "")},
			[]answer{updating, refusal(403, "AuthorizationFailed", "no right")},
			[]string{"out of stock", "Failed", "holds 2", "next apply", "no right"},
		},
		"not to be seen": {
			[]answer{one(ourTags, ""), refusal(403, "AuthorizationFailed", "no look")},
			[]answer{updating},
			[]string{"out of stock", "next apply", "no look"},
		},
		"without effect": {
			[]answer{one(ourTags, ""), failed(9, 2, "")},
			[]answer{updating, {status: 200}},
			[]string{"out of stock", "Failed", "holds 2", "next apply", "not to be seen"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getG: {ourGroup()}, getR: tc.reads, patchR: tc.patches, poll: {failing("out of stock")}})
			_, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{Count: ptr(9)})
			e := classed(t, err)
			if e.Code != cloud.NoCapacity || e.Native != "AllocationFailed" || e.Accepted {
				t.Errorf("error is %+v", e)
			}
			for _, part := range tc.parts {
				if !strings.Contains(e.Message, part) {
					t.Errorf("%q does not tell %q", e.Message, part)
				}
			}
		})
	}
}
