package google_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/google"
)

// stub answers by a script what no well-behaved cloud answers.
type stub struct {
	t    *testing.T
	jump *clocktest.Jump
	url  string

	mu sync.Mutex
	// script holds the answers of a request by method and last parts of its path,
	// such as "POST reservations" and "GET operations/op-1"; the last one is for all
	// that follow.
	script map[string][]answer
	seen   []sent
}

// answer is one answer of a script.
type answer struct {
	status int // 0 is 200
	body   string
	header map[string]string
	// drop closes the connection without an answer.
	drop bool
	// then is called before the answer.
	then func()
}

// sent is one request.
type sent struct {
	key   string
	query url.Values
	body  string
}

const (
	zone  = "us-central1-a"
	place = "projects/" + home + "/zones/" + zone
	train = place + "/reservations/train"
)

func newStub(t *testing.T, script map[string][]answer) *stub {
	t.Helper()
	s := &stub{t: t, script: script, jump: clocktest.NewJump(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC))}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// driver is one that knows nothing yet, as in a new process.
func (s *stub) driver() *google.Cloud {
	return google.New(google.Config{Project: home, Endpoint: s.url, Clock: s.jump})
}

// ServeHTTP implements http.Handler.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/compute/v1/"), "/v3/")
	path = strings.TrimPrefix(strings.TrimPrefix(path, place+"/"), "projects/"+home+"/")
	key := r.Method + " " + path
	s.mu.Lock()
	s.seen = append(s.seen, sent{key, r.URL.Query(), string(body)})
	answers := s.script[key]
	if len(answers) > 1 {
		s.script[key] = answers[1:]
	}
	s.mu.Unlock()
	if len(answers) == 0 {
		s.t.Errorf("not in the script: %s", key)
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	a := answers[0]
	if a.then != nil {
		a.then()
	}
	if a.drop {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Date", s.jump.Now().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, a.body)
}

// keys are the requests so far.
func (s *stub) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for _, r := range s.seen {
		keys = append(keys, r.key)
	}
	return keys
}

// all are the requests of a key.
func (s *stub) all(key string) []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []sent
	for _, r := range s.seen {
		if r.key == key {
			found = append(found, r)
		}
	}
	return found
}

// operation is an operation of a name; rest is further fields, each with a comma
// before it.
func operation(name, status, rest string) answer {
	return answer{body: fmt.Sprintf(`{"kind":"compute#operation","name":%q,"status":%q,"targetLink":%q%s}`,
		name, status, "https://www.googleapis.com/compute/v1/"+train, rest)}
}

// failing is the rest of an operation that failed, without an HTTP status.
func failing(code string) string {
	return fmt.Sprintf(`,"error":{"errors":[{"code":%q,"message":"it failed"}]}`, code)
}

// refusal is a synchronous one.
func refusal(status int, reason, message string) answer {
	return answer{status: status, body: fmt.Sprintf(
		`{"error":{"code":%d,"message":%q,"errors":[{"domain":"global","reason":%q,"message":%q}]}}`, status, message, reason, message)}
}

func notFound() answer { return refusal(404, "notFound", "The resource '"+train+"' was not found") }

const ours = "gpulock/v1 type=gpu_reservation owner=team/ml name=train"

// object is a reservation named train, of two instances; rest is fields that it has
// otherwise.
func object(rest string) answer { return answer{body: shown(rest)} }

func shown(rest string) string {
	fields := map[string]json.RawMessage{}
	base := fmt.Sprintf(`{"kind":"compute#reservation","id":"1","name":"train","status":"READY",
		"creationTimestamp":"2031-02-28T16:00:00.000-08:00",
		"zone":"https://www.googleapis.com/compute/v1/projects/%s/zones/%s","description":%q,"specificReservationRequired":true,
		"specificReservation":{"count":"2","inUseCount":"1","instanceProperties":{"machineType":"a2-highgpu-1g"}}}`, home, zone, ours)
	for _, part := range []string{base, "{" + strings.TrimPrefix(rest, ",") + "}"} {
		if err := json.Unmarshal([]byte(part), &fields); err != nil {
			panic(err)
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func request() cloud.CreateRequest {
	return cloud.CreateRequest{
		Spec:  cloud.Spec{Kind: cloud.OnDemand, Zone: zone, InstanceType: "a2-highgpu-1g", Count: 2},
		Mark:  cloud.Mark{Owner: "team/ml", Name: "train", Type: "gpu_reservation"},
		Token: "token",
	}
}

func trainRef() cloud.Ref { return cloud.Ref{NativeID: train} }
