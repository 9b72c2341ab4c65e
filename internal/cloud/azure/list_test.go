package azure_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const trainGroup = "/subscriptions/" + home + "/resourcegroups/gpu/providers/microsoft.compute/capacityreservationgroups/train"

func inGroup(maxAge time.Duration) cloud.Scope { return cloud.Scope{Group: trainGroup, MaxAge: maxAge} }

// member is what a group says of a reservation in it.
func member(names ...string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"id":"%s/capacityReservations/%s"}`, trainGroup, name))
	}
	return `,"capacityReservations":[` + strings.Join(all, ",") + `]`
}

// page is a list of groups or reservations.
func page(next string, of ...answer) answer {
	var all []string
	for _, a := range of {
		all = append(all, a.body)
	}
	return answer{body: `{"value":[` + strings.Join(all, ",") + `],"nextLink":"` + next + `"}`}
}

// bare is a reservation without its instance view, as lists show it.
func bare(name string) answer {
	a := one(ourTags, `"instanceView":null`)
	a.body = strings.ReplaceAll(strings.ReplaceAll(a.body, "capacityReservations/train", "capacityReservations/"+name), `"name":"train"`, `"name":"`+name+`"`)
	return a
}

// TestListGroup: a group is asked for what it has in as few requests as tell it all.
func TestListGroup(t *testing.T) {
	t.Parallel()
	viewed := group(ourTags, member("train", "other")+`,"instanceView":{"capacityReservations":[
		{"name":"train","utilizationInfo":{"currentCapacity":2,"virtualMachinesAllocated":[{"id":"/vm"}]}},{"name":"Other","utilizationInfo":{"currentCapacity":2}}]}`)
	type seen struct {
		name  string
		state cloud.State
		inUse int
	}
	for name, tc := range map[string]struct {
		script map[string][]answer
		want   []seen
		keys   []string
	}{
		"one": {
			map[string][]answer{getG: {group(ourTags, member("TRAIN"))}, getR: {one(ourTags, "")}},
			[]seen{{"train", cloud.Held, 0}},
			[]string{getG, getR},
		},
		"two": {
			map[string][]answer{getG: {group(ourTags, member("train", "other")), viewed}, getRs: {page("", bare("train"), bare("other"))}},
			[]seen{{"train", cloud.Held, 1}, {"other", cloud.Held, 0}},
			[]string{getG, getRs, getG},
		},
		"none": {
			map[string][]answer{getG: {group("", "")}, getRs: {page("")}}, nil, []string{getG, getRs},
		},
		"none, of our own": {
			map[string][]answer{getG: {ourGroup()}, getRs: {page("")}}, []seen{{"train", cloud.Gone, 0}}, []string{getG, getRs},
		},
		"gone meanwhile": {
			map[string][]answer{getG: {group(ourTags, member("train"))}, getR: {notFound()}, getRs: {page("")}},
			[]seen{{"train", cloud.Gone, 0}},
			[]string{getG, getR, getRs},
		},
		"group gone meanwhile": {
			map[string][]answer{getG: {group(ourTags, member("train"))}, getR: {notFound()}, getRs: {notFound()}},
			nil,
			[]string{getG, getR, getRs},
		},
		"no group": {map[string][]answer{getG: {notFound()}}, nil, []string{getG}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, tc.script)
			found, err := s.driver().List(t.Context(), inGroup(0))
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			var got []seen
			for _, r := range found {
				got = append(got, seen{r.NativeName, r.State, r.InUse})
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.keys, s.keys()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// TestListShared: one list of the groups serves every call within its age, and all
// that come at the same time.
func TestListShared(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		getGs: {page("", group(ourTags, member("train")))}, getR: {one(ourTags, "")}, getG: {group(ourTags, member("train"))},
	})
	c := s.driver()
	list := func(maxAge time.Duration) {
		t.Helper()
		if found, err := c.List(t.Context(), inGroup(maxAge)); err != nil || len(found) != 1 {
			t.Errorf("List: %+v, %v", found, err)
		}
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { list(time.Minute) })
	}
	all.Wait()
	count := func(key string, want int) {
		t.Helper()
		if got := len(s.bodies(key)); got != want {
			t.Errorf("%d requests %s, want %d", got, key, want)
		}
	}
	count(getGs, 1)
	count(getR, 20)
	s.jump.Advance(30 * time.Second)
	list(time.Minute)
	count(getGs, 1)
	s.jump.Advance(time.Minute)
	list(time.Minute)
	count(getGs, 2)
	count(getG, 0)
	list(0)
	count(getGs, 2)
	count(getG, 1)
}

// TestListWritten: what this process wrote is not shown as it was before.
func TestListWritten(t *testing.T) {
	t.Parallel()
	shared := group(ourTags, `,"sharingProfile":{"subscriptionIds":[{"id":"/subscriptions/`+away+`"}]}`)
	s := newStub(t, map[string][]answer{
		getGs: {page("", group(ourTags, member("train")))}, getG: {ourGroup(), shared}, getR: {one(ourTags, "")}, patchG: {ourGroup()},
	})
	c := s.driver()
	for range 2 {
		if _, err := c.List(t.Context(), inGroup(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Update(t.Context(), trainRef(), cloud.Change{ShareWith: &[]string{away}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.bodies(getGs)); got != 2 {
		t.Errorf("%d lists, want 2", got)
	}
}

// TestListDenied: who may not list groups may read each; a failure is none of both.
func TestListDenied(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		list answer
		code cloud.Code
		gets int
	}{
		"denied":            {refusal(403, "AuthorizationFailed", "no"), "", 2},
		"no resource group": {refusal(404, "ResourceGroupNotFound", "no"), "", 0},
		"throttled":         {refusal(429, "TooManyRequests", "no"), cloud.Throttled, 0},
		"no value":          {answer{body: `{}`}, cloud.Internal, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{getGs: {tc.list}, getG: {group(ourTags, member("train"))}, getR: {one(ourTags, "")}})
			c := s.driver()
			for range 2 {
				found, err := c.List(t.Context(), inGroup(time.Minute))
				if cloud.CodeOf(err) != tc.code || len(found) != min(1, tc.gets) {
					t.Errorf("List: %+v, %v, want %q", found, err, tc.code)
				}
			}
			if got := len(s.bodies(getG)); got != tc.gets {
				t.Errorf("%d groups were read, want %d", got, tc.gets)
			}
		})
	}
}

// TestListAll: every page of the subscription is read, and none for ever; a page
// that fails on the way has the list begin anew.
func TestListAll(t *testing.T) {
	t.Parallel()
	next := "HOST/subscriptions/" + home + "/providers/Microsoft.Compute/capacityReservationGroups?$skiptoken=2"
	given := group("", "")
	given.body = strings.ReplaceAll(given.body, "CapacityReservationGroups/train", "CapacityReservationGroups/given")
	for name, tc := range map[string]struct {
		pages []answer
		want  int
		code  cloud.Code
	}{
		"two pages":       {[]answer{page(next, group(ourTags, member("train"))), page("", given)}, 1, ""},
		"a page dropped":  {[]answer{page(next, group(ourTags, member("train"))), refusal(503, "ServerTimeout", "x"), page("", group(ourTags, member("train")))}, 1, ""},
		"round and round": {[]answer{page(next, group(ourTags, member("train")))}, 0, cloud.Internal},
		"a group nowhere": {[]answer{{body: `{"value":[{"name":"x"}]}`}}, 0, cloud.Internal},
		"denied":          {[]answer{refusal(403, "AuthorizationFailed", "no")}, 0, cloud.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{listAll: tc.pages, getR: {one(ourTags, "")}, "GET given/reservations": {page("")}})
			found, err := s.driver().List(t.Context(), cloud.Scope{})
			if cloud.CodeOf(err) != tc.code || len(found) != tc.want {
				t.Errorf("List: %+v, %v", found, err)
			}
		})
	}
}

// TestListNamed: of the subscription only the groups that may have the name are
// asked what they have.
func TestListNamed(t *testing.T) {
	t.Parallel()
	elsewhere := func(name, of string) answer {
		a := group("", of)
		a.body = strings.ReplaceAll(strings.ReplaceAll(a.body, "CapacityReservationGroups/train", "CapacityReservationGroups/"+name), `"name":"train"`, `"name":"`+name+`"`)
		return a
	}
	s := newStub(t, map[string][]answer{
		listAll: {page("", group(ourTags, ""), elsewhere("pool", member("TRAIN", "x")), elsewhere("other", member("x")))},
		getRs:   {page("")}, "GET pool/reservations": {page("")},
	})
	if _, err := s.driver().List(t.Context(), cloud.Scope{Name: "train"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{listAll, getRs, "GET pool/reservations"}, s.keys()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestListEnds: a call that waits for the list of another one ends with its context.
func TestListEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newStub(t, nil).driver().List(ctx, inGroup(time.Minute))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
}

// TestGroups: the group of a wish is where Create makes it.
func TestGroups(t *testing.T) {
	t.Parallel()
	c := newStub(t, nil).driver()
	given := strings.ToUpper(strings.Replace(trainGroup, "train", "given", 1))
	for want, s := range map[string]cloud.Spec{
		trainGroup: {},
		strings.Replace(trainGroup, "/gpu/", "/x/", 1): {Native: map[string]string{"resource_group": "X"}},
		strings.Replace(trainGroup, home, away, 1):     {Account: "/subscriptions/" + strings.ToUpper(away)},
		strings.ToLower(given):                         {Native: map[string]string{"group_id": given}},
	} {
		if got := c.Group(s, "train"); got != want {
			t.Errorf("Group(%+v) = %s, want %s", s, got, want)
		}
	}
	if got := c.GroupOf(cloud.Ref{NativeID: strings.ToUpper(trainID)}); got != trainGroup {
		t.Errorf("GroupOf = %s", got)
	}
	if got := c.Group(cloud.Spec{Account: "x"}, "train") + c.GroupOf(cloud.Ref{NativeID: "x"}); got != "" {
		t.Errorf("a group of nothing: %s", got)
	}
}
