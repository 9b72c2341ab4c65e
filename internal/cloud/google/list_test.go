package google_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const list = "GET aggregated/reservations"

// listed is a page with these scopes; rest is further fields of the page.
func listed(rest string, scopes ...string) answer {
	return answer{body: `{"kind":"compute#reservationAggregatedList","id":"x","items":{` + strings.Join(scopes, ",") + `}` + rest + `}`}
}

func inZone(name string, objects ...string) string {
	return `"zones/` + name + `":{"reservations":[` + strings.Join(objects, ",") + `]}`
}

const emptyZone = `"zones/europe-west4-a":{"warning":{"code":"NO_RESULTS_ON_PAGE","message":"There are no results for scope 'zones/europe-west4-a' on this page."}}`

// TestList: all pages, each once, zones without results left out.
func TestList(t *testing.T) {
	t.Parallel()
	s := newStub(t, map[string][]answer{list: {
		listed(`,"nextPageToken":"2"`, inZone(zone, shown(""), shown(`,"name":"b"`)), emptyZone),
		{drop: true},
		{status: 503, body: "busy"},
		listed(``, emptyZone, inZone(zone, shown(`,"name":"c"`))),
	}, listFutures: noFutures()})
	found, err := s.driver().List(t.Context(), cloud.Scope{})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	names := []string{}
	for _, r := range found {
		names = append(names, r.NativeName)
	}
	if diff := cmp.Diff([]string{"train", "b", "c"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for i, r := range s.all(list) {
		if want := map[bool]string{true: "", false: "2"}[i == 0]; r.query.Get("pageToken") != want || r.query.Get("maxResults") != "500" {
			t.Errorf("request %d is %v", i, r.query)
		}
	}
}

// TestListNeverAPart: what is not complete is an error.
func TestListNeverAPart(t *testing.T) {
	t.Parallel()
	one := inZone(zone, shown(""))
	for name, script := range map[string][]answer{
		"unreachable":        {listed(`,"unreachables":["zones/us-east1-b"]`, one)},
		"warning":            {listed(`,"warning":{"code":"UNREACHABLE","message":"a zone"}`, one)},
		"warning of a zone":  {listed(``, one, `"zones/us-east1-b":{"warning":{"code":"UNREACHABLE","message":"down"}}`)},
		"second page fails":  {listed(`,"nextPageToken":"2"`, one), refusal(400, "invalid", "no")},
		"pages go round":     {listed(`,"nextPageToken":"2"`, one)},
		"nameless":           {listed(``, inZone("us-east1-b", `{"zone":"us-east1-b"}`))},
		"placeless":          {listed(``, inZone("us-east1-b", `{"name":"train"}`))},
		"not a list":         {{body: `{}`}},
		"not of the service": {{body: `<html>`}},
		"never answered":     {{drop: true}},
		"gone project":       {refusal(404, "notFound", "The resource 'projects/x' was not found")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t, map[string][]answer{list: script, listFutures: noFutures()})
			found, err := s.driver().List(t.Context(), cloud.Scope{})
			if e := classed(t, err); found != nil || e.Accepted || e.Code == cloud.NotFound {
				t.Errorf("List = %v, %+v", found, e)
			}
		})
	}
}

// TestListEmpty: a project may have no reservation at all.
func TestListEmpty(t *testing.T) {
	t.Parallel()
	for _, page := range []answer{listed(``, emptyZone), {body: `{"kind":"compute#reservationAggregatedList"}`}} {
		s := newStub(t, map[string][]answer{list: {page}, listFutures: noFutures()})
		if found, err := s.driver().List(t.Context(), cloud.Scope{}); err != nil || len(found) != 0 {
			t.Errorf("List of %s = %v, %v", page.body, found, err)
		}
	}
}

// TestListEnds: the end of the context ends a request that the client library
// does not bind to it.
func TestListEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	s := newStub(t, map[string][]answer{list: {{body: `{}`, then: func() { cancel(); <-release }}}})
	ended := make(chan error, 1)
	go func() {
		_, err := s.driver().List(ctx, cloud.Scope{})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) || cloud.CodeOf(err) != "" {
			t.Errorf("List: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("List outlives its context")
	}
	close(release)
}
