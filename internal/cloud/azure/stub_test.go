package azure_test

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
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure"
)

// stub answers by a script what no well-behaved cloud answers.
type stub struct {
	t    *testing.T
	jump *clocktest.Jump
	url  string

	mu sync.Mutex
	// script holds the answers of a request by method and the last parts of its path,
	// such as "GET train/train"; the last one is for all that follow.
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
}

// sent is one request.
type sent struct {
	key   string
	query url.Values
	body  string
	at    time.Time
}

func newStub(t *testing.T, script map[string][]answer) *stub {
	t.Helper()
	s := &stub{t: t, script: script, jump: clocktest.NewJump(time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC))}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// driver is one that knows nothing yet, as in a new process.
func (s *stub) driver() *azure.Cloud {
	return azure.New(azure.Config{SubscriptionID: home, ResourceGroup: "gpu", Endpoint: s.url, Clock: s.jump})
}

const inResourceGroup = "/resourcegroups/gpu/providers/microsoft.compute/capacityreservationgroups"

// short is what the script names a path by.
var short = strings.NewReplacer(
	"/subscriptions/"+home, "", inResourceGroup+"/", "/", inResourceGroup, "/groups",
	"/providers/microsoft.compute/capacityreservationgroups", "/all", "/capacityreservations/", "/", "/capacityreservations", "/reservations",
)

// ServeHTTP implements http.Handler.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	key := r.Method + " " + strings.TrimPrefix(short.Replace(strings.ToLower(r.URL.Path)), "/")
	s.mu.Lock()
	s.seen = append(s.seen, sent{key, r.URL.Query(), string(body), s.jump.Now()})
	answers := s.script[key]
	if len(answers) > 1 {
		s.script[key] = answers[1:]
	}
	s.mu.Unlock()
	if len(answers) == 0 {
		s.t.Errorf("not in the script: %s %s", key, body)
		w.WriteHeader(http.StatusNotImplemented)
		return
	}
	a := answers[0]
	if a.drop {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Date", s.jump.Now().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, strings.ReplaceAll(value, "HOST", "http://"+r.Host))
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, _ = io.WriteString(w, strings.ReplaceAll(a.body, "HOST", "http://"+r.Host))
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

// writes are the requests so far that are no reads.
func (s *stub) writes() []string {
	keys := []string{}
	for _, key := range s.keys() {
		if !strings.HasPrefix(key, "GET ") {
			keys = append(keys, key)
		}
	}
	return keys
}

// bodies are what was sent by a key.
func (s *stub) bodies(key string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []string
	for _, r := range s.seen {
		if r.key == key {
			found = append(found, r.body)
		}
	}
	return found
}

// Requests on the group train and the reservation train in it.
const (
	getG    = "GET train"
	putG    = "PUT train"
	patchG  = "PATCH train"
	deleteG = "DELETE train"
	getR    = "GET train/train"
	putR    = "PUT train/train"
	patchR  = "PATCH train/train"
	deleteR = "DELETE train/train"
	getRs   = "GET train/reservations"
	getGs   = "GET groups"
	listAll = "GET all"
	poll    = "GET ops/1"
)

const ourTags = `"gpulock:owner":"team/ml","gpulock:name":"train","gpulock:managed-by":"gpu_reservation"`

// group is the group train with these tags; rest is further properties of it.
func group(tags, rest string) answer {
	return answer{body: fmt.Sprintf(`{"id":"/subscriptions/%s/resourceGroups/gpu/providers/Microsoft.Compute/CapacityReservationGroups/train",
		"name":"train","location":"eastus","zones":["1"],"tags":{%s},"properties":{"reservationType":"Targeted"%s}}`, home, tags, rest)}
}

func ourGroup() answer { return group(ourTags, "") }

// one is the reservation train, of two instances that are all there, with these
// tags; rest is fields of its properties that it has otherwise.
func one(tags, rest string) answer { return sized(2, tags, rest) }

func sized(count int, tags, rest string) answer {
	return answer{body: shown(fmt.Sprintf(`{"id":"/subscriptions/%s/resourceGroups/GPU/providers/Microsoft.Compute/capacityReservationGroups/train/capacityReservations/train",
		"name":"train","location":"eastus","zones":["1"],"sku":{"name":%q,"capacity":%d},"tags":{%s}}`, home, size, count, tags), rest)}
}

func shown(base, rest string) string {
	properties := map[string]json.RawMessage{}
	for _, part := range []string{`{"provisioningState":"Succeeded","provisioningTime":"2031-02-28T16:00:00Z","timeCreated":"2031-02-28T16:00:00Z","reservationId":"r",
		"instanceView":{"utilizationInfo":{"currentCapacity":2}}}`, "{" + rest + "}"} {
		if err := json.Unmarshal([]byte(part), &properties); err != nil {
			panic(err)
		}
	}
	raw, err := json.Marshal(properties)
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(base, "}") + `,"properties":` + string(raw) + "}"
}

// failed is the reservation after a write that was refused, holding so many.
func failed(wanted, has int, rest string) answer {
	return sized(wanted, ourTags, fmt.Sprintf(`"provisioningState":"Failed","instanceView":{"utilizationInfo":{"currentCapacity":%d},"statuses":[
		{"code":"ProvisioningState/failed/AllocationFailed","level":"Error","message":"Allocation failed."}]}%s`, has, rest))
}

// begins is the answer to a write whose operation is looked at elsewhere.
func begins(status int, body answer) answer {
	return answer{status: status, body: body.body, header: map[string]string{"Azure-AsyncOperation": "HOST/ops/1"}}
}

// status is that of an operation; failing is one that found no capacity.
func status(text string) answer { return answer{body: fmt.Sprintf(`{"name":"1","status":%q}`, text)} }

func failing(message string) answer {
	return answer{body: fmt.Sprintf(`{"name":"1","status":"Failed","error":{"code":"AllocationFailed","message":%q}}`, message)}
}

// refusal is a synchronous one.
func refusal(status int, code, message string) answer {
	return answer{status: status, body: fmt.Sprintf(`{"error":{"code":%q,"message":%q}}`, code, message)}
}

func notFound() answer { return refusal(404, "ResourceNotFound", "The Resource was not found.") }
