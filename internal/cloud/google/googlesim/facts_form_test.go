package googlesim_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// ask1 is a read of r1 with a query.
func (s *stage) ask1(query string) reply {
	s.t.Helper()
	return s.send(http.MethodGet, collection+"/r1?"+query, "")
}

// keeps fails unless a masked read is answered with that JSON.
func (s *stage) keeps(path, mask, want string) {
	s.t.Helper()
	got := s.accepted(s.send(http.MethodGet, path+"?fields="+escapeQuery(mask), ""))
	var have, wanted any
	s.ok(json.Unmarshal([]byte(got.body), &have))
	s.ok(json.Unmarshal([]byte(want), &wanted))
	if diff := cmp.Diff(wanted, have); diff != "" {
		s.t.Errorf("fields=%s (-want +got):\n%s", mask, diff)
	}
}

func formProofs() map[string]proof {
	return map[string]proof{
		"google-2-fields": {accepted: masked, rejected: badlyMasked},
		"google-2-pretty": {
			accepted: func(s *stage) {
				s.create()
				for query, want := range map[string]string{
					"": "{\n  \"name\": \"r1\"\n}\n", "prettyPrint=true": "{\n  \"name\": \"r1\"\n}\n", "prettyPrint=maybe": "{\n  \"name\": \"r1\"\n}\n",
					"prettyPrint=false": `{"name":"r1"}`, "$prettyPrint=0": `{"name":"r1"}`, "prettyPrint=false&prettyPrint=true": `{"name":"r1"}`,
				} {
					if got := s.accepted(s.ask1("fields=name&" + query)); got.body != want {
						s.t.Errorf("%s: %q", query, got.body)
					}
				}
			},
			rejected: func(s *stage) {
				if got := s.ask1("prettyPrint=false"); !strings.HasPrefix(got.body, "{\n  \"error\": {\n    \"code\": 404,\n") {
					s.t.Error(got.body)
				}
			},
		},
		"google-2-alt": {
			accepted: func(s *stage) {
				s.create()
				for _, query := range []string{"alt=", "alt=JSON", "$alt=json%3Benum-encoding%3Dint", "alt=json&alt=media"} {
					s.says(s.accepted(s.ask1(query)), "r1", "name")
				}
			},
			rejected: func(s *stage) {
				s.create()
				s.says(s.ask1("alt=MEDIA"), `Unsupported alt type "media" for non byte stream request.`, "error", "message")
				s.says(s.ask1("alt=Zzz"), `Invalid value "Zzz" for query parameter 'alt'`, "error", "message")
				s.refused(s.ask1("alt=proto"), http.StatusBadRequest, "invalid")
				s.refused(s.ask1("alt=media&alt=json"), http.StatusBadRequest, "badRequest")
			},
		},
		"google-2-callback": {accepted: scripted, rejected: func(s *stage) {
			s.create()
			got := s.ask1("callback=" + escapeQuery(`a<b`))
			if got.status != http.StatusOK || !strings.HasPrefix(got.body, "// API callback\na\\u003cb({\n") ||
				!strings.Contains(got.body, "Invalid JSONP callback name: 'a\\u003cb'") {
				s.t.Errorf("%d %s", got.status, got.body)
			}
			// Another format is no script.
			s.refused(s.ask1("callback=cb&alt=media"), http.StatusBadRequest, "badRequest")
		}},
		"google-2-error-format": {
			accepted: func(s *stage) {
				s.create()
				s.accepted(s.ask1("$.xgafv=1"))
				s.accepted(s.ask1("$.xgafv=0&$.xgafv=2"))
				s.refused(s.send(http.MethodGet, collection+"/r2?$.xgafv=2", ""), http.StatusNotFound, "notFound")
				s.accepted(s.get())
			},
			rejected: func(s *stage) {
				s.create()
				for _, value := range []string{"0", "3", "", "01"} {
					s.says(s.ask1("$.xgafv="+value), "Invalid query parameters. Invalid value '"+value+"' for system query parameter : $.xgafv", "error", "message")
				}
				s.refused(s.ask1("$.xgafv=1&$.xgafv=9"), http.StatusBadRequest, "badRequest")
			},
		},
		"google-2-key": {
			accepted: func(s *stage) {
				s.create()
				plain := s.get()
				got := s.accepted(s.ask1("key=k&quotaUser=u&userIp=10.0.0.1&access_token=a&oauth_token=o&$key=k"))
				if diff := cmp.Diff(plain.body, got.body); diff != "" {
					s.t.Error(diff)
				}
			},
			rejected: func(s *stage) {
				s.create()
				s.refused(s.ask1("keys=k"), http.StatusBadRequest, "invalid")
			},
		},
	}
}

// badlyMasked reads with masks that are none.
func badlyMasked(s *stage) {
	s.create()
	for mask, wrong := range map[string]string{
		"nam": "nam", "name,color": "color", "items": "items", "name/x": "x", "name(x)": "x", "name(*)": "*",
		"specificReservation/size": "size", "specificReservation(count,size)": "size", "shareSettings/*/x/y": "x", "items/*": "items", "a b": "a b",
		"name,": "", ",name": "", "name()": "", "specificReservation/": "", "specificReservation(count": "", "name)": ")", "(name)": "",
		strings.Repeat("shareSettings(", 60): "(",
	} {
		got := s.ask1("fields=" + escapeQuery(mask))
		s.refused(got, http.StatusBadRequest, "invalidParameter")
		s.says(s.says(got, "fields", "error", "errors", 0, "location"), "parameter", "error", "errors", 0, "locationType")
		message, _ := got.at("error", "message").(string)
		if !strings.HasPrefix(message, "Invalid field selection "+wrong) {
			s.t.Errorf("fields=%s: %s", mask, message)
		}
	}
	got := s.raw(http.MethodGet, "/v3/projects/p1?fields=items", "")
	s.says(got, "INVALID_ARGUMENT", "error", "status")
	s.says(got, "items", "error", "details", 0, "fieldViolations", 0, "field")
	// What is refused is not done.
	s.refused(s.send(http.MethodDelete, collection+"/r1?fields=items", ""), http.StatusBadRequest, "invalidParameter")
	s.accepted(s.get())
	s.refused(s.ask1("fields=items"), http.StatusBadRequest, "invalidParameter")
}

// masked reads with every form of a path.
func masked(s *stage) {
	s.create()
	const (
		one  = collection + "/r1"
		both = `{"specificReservation":{"count":"2","inUseCount":"0"}}`
	)
	s.keeps(one, "name", `{"name":"r1"}`)
	s.keeps(one, " name , status", `{"name":"r1","status":"READY"}`)
	s.keeps(one, "name,commitment,linkedCommitments", `{"name":"r1"}`)
	s.keeps(one, "specificReservation/count,specificReservation/inUseCount", both)
	s.keeps(one, "specificReservation.count,specificReservation.inUseCount", both)
	s.keeps(one, "specificReservation(count,inUseCount)", both)
	s.keeps(one, "specificReservation(count),specificReservation(inUseCount)", both)
	s.keeps(one, "specificReservation/instanceProperties(machineType)", `{"specificReservation":{"instanceProperties":{"machineType":"a2-highgpu-8g"}}}`)
	s.keeps(one, "*/count", `{"specificReservation":{"count":"2"},"shareSettings":{},"reservationSharingPolicy":{}}`)
	s.keeps(one, "shareSettings,shareSettings/shareType", `{"shareSettings":{"shareType":"LOCAL"}}`)
	for _, all := range []string{"*", "", "name,*"} {
		s.keeps(one, all, s.get().body)
	}
	s.keeps(collection, "items/name", `{"items":[{"name":"r1"}]}`)
	s.keeps(collection, "items(name,specificReservation/count),kind", `{"kind":"compute#reservationList","items":[{"name":"r1","specificReservation":{"count":"2"}}]}`)
	got := s.accepted(s.send(http.MethodGet, "p1/aggregated/reservations?fields=items/*/reservations/name&filter="+escapeQuery("name=r1"), ""))
	s.says(got, "r1", "items", "zones/"+zone, "reservations", 0, "name")
	s.says(got, nil, "kind")
	// An answer to a write is masked too, and the first mask counts.
	made := s.accepted(s.send(http.MethodPost, collection+"?fields=name,status&fields=x", insertBody("name", "r2")))
	s.says(s.says(made, "RUNNING", "status"), nil, "kind")
	s.keeps("p1", "name", `{"name":"p1"}`)
	if got := s.raw(http.MethodGet, "/v3/projects/p1?$fields=projectId&prettyPrint=false", ""); got.body != `{"projectId":"p1"}` {
		s.t.Error(got.body)
	}
}

// scripted reads with a callback.
func scripted(s *stage) {
	s.create()
	for query, want := range map[string]string{
		"callback=cb&prettyPrint=false":             "// API callback\ncb({\"name\":\"r1\"});",
		"callback=a.b[0]$_&alt=json&callback=other": "// API callback\na.b[0]$_({\n  \"name\": \"r1\"\n}\n);",
		"callback=": "{\n  \"name\": \"r1\"\n}\n",
	} {
		got := s.accepted(s.ask1("fields=name&" + query))
		if got.body != want {
			s.t.Errorf("%s: %q", query, got.body)
		}
		script := got.header.Get("Content-Type") == "text/javascript; charset=UTF-8"
		if script != strings.HasPrefix(want, "//") {
			s.t.Errorf("%s: %s", query, got.header.Get("Content-Type"))
		}
	}
	missing := s.send(http.MethodGet, collection+"/r2?callback=cb", "")
	if missing.status != http.StatusOK || !strings.HasPrefix(missing.body, "// API callback\ncb({\n  \"error\": {\n    \"code\": 404") {
		s.t.Errorf("%d %s", missing.status, missing.body)
	}
	// A script element sends no POST.
	s.says(s.accepted(s.send(http.MethodPost, collection+"?callback=cb", insertBody("name", "r2"))), "RUNNING", "status")
}

// headed sends a request with headers and leaves the answer as it comes.
func (s *stage) headed(method, path string, body []byte, headers ...string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, s.url+"/compute/v1/projects/"+path, bytes.NewReader(body))
	s.ok(err)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	s.ok(err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	s.ok(err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

func (s *stage) gzipped(text string) []byte {
	s.t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	s.ok(err)
	s.ok(w.Close())
	return out.Bytes()
}

// unzip fails unless an answer is gzipped.
func (s *stage) unzip(got reply) reply {
	s.t.Helper()
	if got.header.Get("Content-Encoding") != "gzip" {
		s.t.Fatalf("not gzipped: %s", got.body)
	}
	r, err := gzip.NewReader(strings.NewReader(got.body))
	s.ok(err)
	data, err := io.ReadAll(r)
	s.ok(err)
	got.body = string(data)
	return got
}

func zipProofs() map[string]proof {
	const agent, accept, encoding = "User-Agent", "Accept-Encoding", "Content-Encoding"
	return map[string]proof{
		"google-2-gzip": {
			accepted: func(s *stage) {
				s.create()
				for _, coding := range []string{"gzip", "deflate, gzip;q=0.5", "GZIP"} {
					got := s.headed(http.MethodGet, collection+"/r1", nil, agent, "my program (gzip)", accept, coding)
					s.says(s.accepted(s.unzip(got)), "r1", "name")
				}
			},
			rejected: func(s *stage) {
				s.create()
				for _, plain := range [][]string{
					{agent, "my program", accept, "gzip"}, {agent, "x (gzip)", accept, "identity"}, {agent, "x (gzip)", accept, "gzip;q=0"},
				} {
					got := s.headed(http.MethodGet, collection+"/r1", nil, plain...)
					if got.header.Get(encoding) != "" {
						s.t.Errorf("%v is gzipped", plain)
					}
					s.says(got, "r1", "name")
				}
				s.refused(s.unzip(s.headed(http.MethodGet, collection+"/r2", nil, agent, "x (gzip)", accept, "gzip")), http.StatusNotFound, "notFound")
			},
		},
		"google-2-gzip-body": {
			accepted: func(s *stage) {
				s.done(s.headed(http.MethodPost, collection, s.gzipped(insertBody()), encoding, "gzip"))
				s.accepted(s.get())
			},
			rejected: func(s *stage) {
				s.refused(s.headed(http.MethodPost, collection, s.gzipped(insertBody())), http.StatusBadRequest, "parseError")
				s.refused(s.headed(http.MethodPost, collection, []byte(insertBody()), encoding, "gzip"), http.StatusBadRequest, "parseError")
				s.refused(s.headed(http.MethodPost, collection, s.gzipped(insertBody())[:40], encoding, "gzip"), http.StatusBadRequest, "parseError")
				s.refused(s.headed(http.MethodPost, collection, s.gzipped(strings.Repeat(" ", 2<<20)), encoding, "gzip"), http.StatusBadRequest, "invalid")
				s.refused(s.headed(http.MethodPost, collection, []byte(insertBody()), encoding, "br"), http.StatusUnsupportedMediaType, "invalid")
			},
		},
	}
}
