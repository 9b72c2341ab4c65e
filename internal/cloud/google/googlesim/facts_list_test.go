package googlesim_test

import (
	"net/http"
	"net/url"
)

// several makes reservations a, b and c, in that order of names and c first.
func (s *stage) several() {
	s.t.Helper()
	for _, name := range []string{"c", "a", "b"} {
		s.done(s.post("name", name, "description", "for "+name, "specificReservation.count", len(name)+int(name[0]-'a')))
	}
}

func (s *stage) list(query string) reply {
	s.t.Helper()
	return s.send(http.MethodGet, collection+"?"+query, "")
}

func (s *stage) lists(got reply, names ...string) reply {
	s.t.Helper()
	s.accepted(got)
	var have []string
	items, _ := got.at("items").([]any)
	for i := range items {
		name, _ := got.at("items", i, "name").(string)
		have = append(have, name)
	}
	if encode(have) != encode(names) {
		s.t.Errorf("listed %v, want %v", have, names)
	}
	return got
}

func (s *stage) filter(expression string, names ...string) {
	s.t.Helper()
	s.lists(s.list("filter="+url.QueryEscape(expression)), names...)
}

func (s *stage) badFilters(expressions ...string) {
	s.t.Helper()
	for _, expression := range expressions {
		s.refused(s.list("filter="+url.QueryEscape(expression)), http.StatusBadRequest, "invalid")
	}
}

func listProofs() map[string]proof {
	return map[string]proof{
		"google-3.1-page": {
			accepted: func(s *stage) {
				s.several()
				s.accepted(s.post("name", "not-yet"))
				s.accepted(s.send(http.MethodPost, "p2/zones/us-central1-a/reservations?", insertBody("name", "d")))
				got := s.lists(s.list("maxResults=2"), "a", "b")
				token, _ := got.at("nextPageToken").(string)
				s.says(s.lists(s.list("maxResults=2&pageToken="+url.QueryEscape(token)), "c"), nil, "nextPageToken")
				s.lists(s.list("maxResults=0"), "a", "b", "c")
				s.says(s.lists(s.list("filter=name%3Dx")), "compute#reservationList", "kind")
				s.finish()
				s.lists(s.list(""), "a", "b", "c", "not-yet")
			},
			rejected: func(s *stage) {
				s.several()
				token, _ := s.list("maxResults=1").at("nextPageToken").(string)
				s.refused(s.list("pageToken="+token+"&filter=name%3Da"), http.StatusBadRequest, "invalid")
				for _, query := range []string{"maxResults=501", "maxResults=-1", "pageToken=x"} {
					s.refused(s.list(query), http.StatusBadRequest, "invalid")
				}
			},
		},
		"google-3.1-order": {
			accepted: func(s *stage) {
				s.several()
				s.lists(s.list("orderBy=name"), "a", "b", "c")
				s.lists(s.list("orderBy=creationTimestamp%20desc"), "b", "a", "c")
			},
			rejected: func(s *stage) { s.refused(s.list("orderBy=zone"), http.StatusBadRequest, "invalid") },
		},
		"google-7-filter": {
			accepted: func(s *stage) {
				s.several()
				s.filter(`name = "a"`, "a")
				s.filter(`name!=a`, "b", "c")
				s.filter(`specificReservation.count > 1`, "b", "c")
				s.filter(`specificReservation.count >= 2 specificReservation.count < 3`, "b")
				s.filter(`(name = a) OR (name = c)`, "a", "c")
				s.filter(`(name = a OR name = b) AND NOT description : "for b"`, "a")
				s.filter(`description:FOR`, "a", "b", "c")
				s.filter(`deleteAtTime:*`)
				s.filter(`creationTimestamp > "2027-03-01T12:00:01.5Z"`, "b")
				s.filter(`creationTimestamp <= "2027-03-01T13:00:01+01:00"`, "a", "c")
				s.filter(`specificReservationRequired = true AND status=READY`, "a", "b", "c")
			},
			rejected: func(s *stage) {
				s.badFilters("name", "name =", "= a", "name = a)", "(name = a", "name ~ a", "name = a OR", `name = "a`, "NOT", "name = = a")
			},
		},
		"google-7-filter-regular": {
			accepted: func(s *stage) {
				s.several()
				s.filter(`name eq [ab]`, "a", "b")
				s.filter(`name ne "a|b"`, "c")
				s.filter(`name eq a`, "a")
				s.filter(`description eq "for"`)
				s.filter(`(name eq '[ab]') (description ne ".*a")`, "b")
			},
			rejected: func(s *stage) {
				s.badFilters("name eq [", "(name eq a) (name = b)", "name eq", "(name eq a", "(name eq a) name eq b")
			},
		},
		"google-3.1-aggregated": {
			accepted: func(s *stage) {
				s.several()
				got := s.accepted(s.send(http.MethodGet, "p1/aggregated/reservations", ""))
				s.says(got, "a", "items", "zones/us-central1-a", "reservations", 0, "name")
				s.says(got, nil, "items", "zones/us-central1-a", "warning")
				s.says(got, fields{
					"code": "NO_RESULTS_ON_PAGE", "message": "There are no results for scope 'zones/us-east1-b' on this page.",
					"data": []any{fields{"key": "scope", "value": "zones/us-east1-b"}},
				}, "items", "zones/us-east1-b", "warning")
				s.says(got, nil, "items", "global")
				got = s.send(http.MethodGet, "p1/aggregated/reservations?maxResults=2&includeAllScopes=true", "")
				s.says(got, "NO_RESULTS_ON_PAGE", "items", "global", "warning", "code")
				token, _ := got.at("nextPageToken").(string)
				s.says(s.accepted(s.send(http.MethodGet, "p1/aggregated/reservations?maxResults=2&pageToken="+token, "")),
					"c", "items", "zones/us-central1-a", "reservations", 0, "name")
			},
			rejected: func(s *stage) {
				s.refused(s.send(http.MethodGet, "p1/aggregated/reservations?returnPartialSuccess=true", ""), http.StatusBadRequest, "invalid")
			},
		},
		"google-3.1-permissions": {
			accepted: func(s *stage) {
				s.create()
				s.says(s.accepted(s.send(http.MethodGet, collection+"/r1/getIamPolicy", "")), "ACAB", "etag")
				s.says(s.accepted(s.send(http.MethodPost, collection+"/r1/testIamPermissions", `{"permissions":["compute.reservations.get"]}`)),
					[]any{"compute.reservations.get"}, "permissions")
			},
			rejected: func(s *stage) {
				s.create()
				if got := s.send(http.MethodPost, collection+"/r1/setIamPolicy", "{}"); got.status != http.StatusNotFound {
					s.t.Error(got.body)
				}
				s.refused(s.send(http.MethodPost, collection+"/r1/performMaintenance", "{}"), http.StatusBadRequest, "invalid")
				s.refused(s.send(http.MethodPost, collection+"/r2/testIamPermissions", `{"permissions":[]}`), http.StatusNotFound, "notFound")
			},
		},
	}
}
