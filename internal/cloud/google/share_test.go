package google_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func resourceManager(id, number string) answer {
	return answer{body: fmt.Sprintf(`{"name":"projects/%s","projectId":%q,"state":"ACTIVE"}`, number, id)}
}

// shared is a reservation with these projects, shown by number.
func shared(numbers ...string) answer {
	projects := ""
	for i, n := range numbers {
		if i > 0 {
			projects += ","
		}
		projects += fmt.Sprintf(`%q:{"projectId":%q}`, n, n)
	}
	return object(`"shareSettings":{"shareType":"SPECIFIC_PROJECTS","projectMap":{` + projects + `}}`)
}

// TestSharedWith: numbers become ids, each asked for once; what is not told is
// kept apart, and what could not be asked is an error.
func TestSharedWith(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		read:                {shared("33", "11", "22", "44")},
		"GET projects/11":   {resourceManager("proj-aa", "11")},
		"GET projects/22":   {resourceManager("proj-zz", "22")},
		"GET projects/33":   {refusal(403, "forbidden", "The caller does not have permission")},
		"GET projects/44":   {refusal(404, "notFound", "no")},
		"GET projects/9999": {refusal(429, "rateLimitExceeded", "no")},
	})
	c := s.driver()
	for range 3 {
		r, err := c.Get(t.Context(), trainRef())
		if err != nil {
			t.Fatalf("Get: %v", err)
		}
		if diff := cmp.Diff([][]string{{"proj-aa", "proj-zz"}, {"33", "44"}}, [][]string{r.ShareWith, r.Unresolved}); diff != "" {
			t.Errorf("shared with, unresolved (-want +got):\n%s", diff)
		}
	}
	if n := len(s.keys()); n != 3+4 {
		t.Errorf("%d requests: %v", n, s.keys())
	}
	s.script[read] = []answer{shared("9999")}
	if _, err := c.Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.Throttled {
		t.Errorf("Get with a project that could not be asked for: %v", err)
	}
}

// TestSharedWithUnasked: a login that failed says nothing of the project, and is not
// remembered as its answer.
func TestSharedWithUnasked(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{
		read:              {shared("11")},
		"GET projects/11": {refusal(401, "authError", "Invalid Credentials"), resourceManager("proj-aa", "11")},
	})
	c := s.driver()
	if r, err := c.Get(t.Context(), trainRef()); cloud.CodeOf(err) != cloud.PermissionDenied {
		t.Errorf("Get without a login: %+v, %v", r, err)
	}
	r, err := c.Get(t.Context(), trainRef())
	if diff := cmp.Diff([]string{"proj-aa"}, r.ShareWith); err != nil || diff != "" {
		t.Errorf("Get: %v (-want +got):\n%s", err, diff)
	}
}

// TestReshare: additions go before removals, one project at a time, and a project
// that is there under its other name is neither.
func TestReshare(t *testing.T) {
	t.Parallel()
	add := func(project string) string {
		return fmt.Sprintf(`shareSettings.projectMap.%s {"name":"train","shareSettings":{"projectMap":{%q:{"projectId":%q}},"shareType":"SPECIFIC_PROJECTS"}}`,
			project, project, project)
	}
	drop := func(number string) string {
		return `shareSettings.projectMap.` + number + ` {"name":"train","shareSettings":{"shareType":"SPECIFIC_PROJECTS"}}`
	}
	for name, tc := range map[string]struct {
		have []string
		want []string
		sent []string
	}{
		"same by id":           {[]string{"11", "22"}, []string{"proj-zz", "proj-aa"}, nil},
		"same by number":       {[]string{"11", "22"}, []string{"22", "11"}, nil},
		"same, mixed, twice":   {[]string{"11"}, []string{"11", "proj-aa"}, nil},
		"same and not told":    {[]string{"33"}, []string{"33"}, nil},
		"one more":             {[]string{"11"}, []string{"proj-aa", "proj-zz"}, []string{add("proj-zz")}},
		"one more by number":   {[]string{"11"}, []string{"proj-aa", "22"}, []string{add("proj-zz")}},
		"one that is not told": {[]string{"11"}, []string{"proj-aa", "33"}, []string{add("33")}},
		"one less":             {[]string{"11", "22"}, []string{"proj-aa"}, []string{drop("22")}},
		"replaced":             {[]string{"11", "22"}, []string{"proj-yy", "proj-xx"}, []string{add("proj-xx"), add("proj-yy"), drop("11"), drop("22")}},
		"none":                 {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := shared(tc.have...)
			if tc.have == nil {
				before = object(`"shareSettings":{"shareType":"LOCAL"}`)
			}
			s := newStub(t, map[string][]answer{
				read: {before}, patch: {operation("op-1", "RUNNING", "")}, poll: {done()},
				"GET projects/11": {resourceManager("proj-aa", "11")}, "GET projects/22": {resourceManager("proj-zz", "22")},
				"GET projects/33": {refusal(403, "forbidden", "no")},
			})
			if _, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{ShareWith: &tc.want}); err != nil {
				t.Fatalf("Update: %v", err)
			}
			var sent []string
			for _, r := range s.all(patch) {
				sent = append(sent, r.query.Get("paths")+r.query.Get("updateMask")+" "+wire(r.body))
			}
			if diff := cmp.Diff(tc.sent, sent, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("patches (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreateShared: a wish names projects by id or number and is compared by id.
func TestCreateShared(t *testing.T) {
	t.Parallel()
	taken := refusal(409, "alreadyExists", "it exists")
	s := newStub(t, map[string][]answer{
		insert: {taken}, read: {shared("22", "11")},
		"GET projects/11": {resourceManager("proj-aa", "11")}, "GET projects/22": {resourceManager("proj-zz", "22")},
	})
	req := request()
	req.Spec.ShareWith = []string{"proj-zz", "11"}
	r, err := s.driver().Create(t.Context(), req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	if diff := cmp.Diff([]string{"proj-aa", "proj-zz"}, r.ShareWith); diff != "" {
		t.Errorf("shared with (-want +got):\n%s", diff)
	}
	req.Spec.ShareWith = []string{"proj-zz"}
	if _, err := s.driver().Create(t.Context(), req); !classed(t, err).TokenMismatch {
		t.Errorf("Create shared with others: %v", err)
	}
}

// TestSharedAtCreation: whether a reservation is shared at all is refused before
// any other part of the change is sent.
func TestSharedAtCreation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before answer
		want   []string
	}{
		"begun":                {object(""), []string{"proj-aa"}},
		"ended":                {shared("11"), []string{}},
		"ended for the untold": {shared("33"), []string{}},
	} {
		s := newStub(t, map[string][]answer{
			read: {tc.before}, "GET projects/11": {resourceManager("proj-aa", "11")}, "GET projects/33": {refusal(403, "forbidden", "no")},
		})
		two := 2
		_, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{Count: &two, ShareWith: &tc.want})
		if e := classed(t, err); e.Code != cloud.Unsupported || e.Accepted {
			t.Errorf("%s: Update: %v after %v, want class %q", name, err, s.keys(), cloud.Unsupported)
		}
	}
}

// TestReshareRefused: a project that is not there is wrong, and not a reservation
// that is gone.
func TestReshareRefused(t *testing.T) {
	t.Parallel()
	for name, answered := range map[string]answer{
		"not there": refusal(404, "notFound", "The resource 'projects/proj-zz' was not found"),
		"invalid":   refusal(400, "invalid", "no such project"),
	} {
		s := newStub(t, map[string][]answer{
			read: {shared("11")}, patch: {answered}, "GET projects/11": {resourceManager("proj-aa", "11")},
		})
		_, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{ShareWith: &[]string{"proj-aa", "proj-zz"}})
		if e := classed(t, err); e.Code != cloud.Invalid || e.Accepted || len(s.all(patch)) != 1 {
			t.Errorf("%s: Update: %v after %v, want class %q", name, err, s.keys(), cloud.Invalid)
		}
	}
}

// TestReshareUntold: a project that is there under a number of which nobody tells
// the id is never taken out for being named by its id.
func TestReshareUntold(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		reads   []answer
		want    []string
		code    cloud.Code
		removed []string
	}{
		"one more":            {[]answer{shared("33"), shared("33", "44"), shared("33", "44")}, []string{"proj-new", "proj-old"}, "", nil},
		"another":             {[]answer{shared("33"), shared("33", "44")}, []string{"proj-new"}, "", []string{"33"}},
		"the same":            {[]answer{shared("33"), shared("33")}, []string{"proj-old"}, "", nil},
		"one of two":          {[]answer{shared("33", "44"), shared("33", "44")}, []string{"proj-old"}, cloud.Conflict, nil},
		"one of two, told":    {[]answer{shared("11", "33"), shared("11", "33")}, []string{"proj-old"}, "", []string{"11"}},
		"one of two, numbers": {[]answer{shared("33", "44")}, []string{"44"}, "", []string{"33"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			no := refusal(403, "forbidden", "no")
			s := newStub(t, map[string][]answer{
				read: tc.reads, patch: {operation("op-1", "RUNNING", "")}, poll: {done()},
				"GET projects/11": {resourceManager("proj-aa", "11")}, "GET projects/33": {no}, "GET projects/44": {no},
			})
			_, err := s.driver().Update(t.Context(), trainRef(), cloud.Change{ShareWith: &tc.want})
			if cloud.CodeOf(err) != tc.code {
				t.Errorf("Update: %v, want class %q", err, tc.code)
			}
			var removed []string
			for _, r := range s.all(patch) {
				if !strings.Contains(r.body, "projectMap") {
					removed = append(removed, strings.TrimPrefix(r.query.Get("paths")+r.query.Get("updateMask"), "shareSettings.projectMap."))
				}
			}
			if diff := cmp.Diff(tc.removed, removed, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("removed (-want +got):\n%s", diff)
			}
		})
	}
}
