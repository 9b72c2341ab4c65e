package azure

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
)

const (
	testSub    = "11111111-2222-3333-4444-555555555555"
	otherSub   = "99999999-8888-7777-6666-555555555555"
	testGroup  = "/subscriptions/" + testSub + "/resourcegroups/gpu/providers/microsoft.compute/capacityreservationgroups/train"
	testID     = testGroup + "/capacityreservations/train"
	testSize   = "Standard_NC24ads_A100_v4"
	testOrigin = "http://127.0.0.1:1"
)

// canned answers requests by method and path with raw JSON, as a transport.
type canned struct {
	t    *testing.T
	jump *clocktest.Jump

	mu sync.Mutex
	// script holds the answers of a request by its method and the end of its path,
	// in lower case; the last one is for all that follow.
	script map[string][]reply
	asked  []*http.Request
}

// reply is one answer; err is none.
type reply struct {
	status int // 0 is 200
	body   string
	header map[string]string
	err    error
}

var testNow = time.Date(2031, 3, 1, 10, 0, 0, 0, time.UTC)

func newCanned(t *testing.T, script map[string][]reply) *canned {
	t.Helper()
	return &canned{t: t, jump: clocktest.NewJump(testNow), script: script}
}

// driver is one that knows nothing yet, as in a new process.
func (s *canned) driver() *Cloud {
	return New(Config{SubscriptionID: testSub, ResourceGroup: "gpu", Endpoint: testOrigin, Transport: s, Clock: s.jump})
}

// RoundTrip implements http.RoundTripper.
func (s *canned) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	for key, replies := range s.script {
		method, end, _ := strings.Cut(key, " ")
		if req.Method != method || !strings.HasSuffix(strings.ToLower(req.URL.Path), strings.ToLower(end)) {
			continue
		}
		if len(replies) > 1 {
			s.script[key] = replies[1:]
		}
		return replies[0].answer(req, s.jump.Now())
	}
	s.t.Errorf("not in the script: %s %s", req.Method, req.URL.Path)
	return reply{status: http.StatusNotImplemented}.answer(req, s.jump.Now())
}

func (r reply) answer(req *http.Request, now time.Time) (*http.Response, error) {
	if r.err != nil {
		return nil, r.err
	}
	header := http.Header{"Content-Type": {"application/json"}, "Date": {now.Format(http.TimeFormat)}}
	for name, value := range r.header {
		header.Set(name, value)
	}
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: header, Request: req, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewBufferString(r.body)), ContentLength: int64(len(r.body)),
	}, nil
}

// keys are the requests so far: method and last part of the path.
func (s *canned) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for _, r := range s.asked {
		keys = append(keys, r.Method+" "+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
	}
	return keys
}
