package aws_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/clock/clocktest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

const (
	region  = "us-east-1"
	zone    = "us-east-1a"
	account = "111122223333"
	short   = "cr-0123456789abcdef0"
	arn     = "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/" + short
)

var start = time.Date(2031, 3, 1, 12, 0, 0, 0, time.UTC)

// answer is what the stub says to one request.
type answer struct {
	status int // 0 is 200
	body   string
	header map[string]string
	// drop closes the connection without a byte.
	drop bool
}

// request is what the driver sent.
type request struct {
	action, region, attempt, key string
	form                         url.Values
	body                         string
}

// stub answers EC2, STS and Service Quotas with hand-written text: the answers
// of one action in their order, the last of them for ever.
type stub struct {
	t       *testing.T
	url     string
	clock   *clocktest.Jump
	mu      sync.Mutex
	answers map[string][]answer
	seen    []request
	date    time.Time
}

func newStub(t *testing.T) *stub {
	t.Helper()
	s := &stub{t: t, clock: clocktest.NewJump(start), answers: map[string][]answer{}, date: start}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	s.on("GetCallerIdentity", answer{body: `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>` + account +
		`</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`})
	return s
}

// on sets the answers of an action.
func (s *stub) on(action string, answers ...answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[action] = answers
}

// cloud is a driver that knows nothing but the stub.
func (s *stub) cloud(change ...func(*aws.Config)) *aws.Cloud {
	cfg := aws.Config{
		Endpoint: s.url, Region: region, Clock: s.clock,
		Credentials: &aws.Credentials{AccessKeyID: "AKIAEXAMPLE", SecretAccessKey: "very-secret"},
	}
	for _, f := range change {
		f(&cfg)
	}
	return aws.New(cfg)
}

var credential = regexp.MustCompile(`Credential=([^/]+)/\d+/([^/]*)/`)

// ServeHTTP implements http.Handler.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("read request: %v", err)
	}
	req := request{body: string(body), attempt: r.Header.Get("Amz-Sdk-Request")}
	req.form, _ = url.ParseQuery(req.body)
	req.action = req.form.Get("Action")
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		_, req.action, _ = strings.Cut(target, ".")
	}
	if m := credential.FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
		req.key, req.region = m[1], m[2]
	}
	a := s.next(req)
	if a.drop {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Date", s.date.Format(http.TimeFormat))
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if _, err := io.WriteString(w, a.body); err != nil {
		s.t.Errorf("write answer: %v", err)
	}
}

func (s *stub) next(req request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, req)
	all := s.answers[req.action]
	if len(all) == 0 {
		s.t.Errorf("unexpected request %s: %s", req.action, req.body)
		return answer{status: 400, body: refusal("InvalidAction", "not expected")}
	}
	if len(all) > 1 {
		s.answers[req.action] = all[1:]
	}
	return all[0]
}

// actions are the actions of what was sent, in order.
func (s *stub) actions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, 0, len(s.seen))
	for _, r := range s.seen {
		names = append(names, r.action)
	}
	return names
}

// sent is the n-th request of an action, from 0.
func (s *stub) sent(action string, n int) request {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	found := slices.DeleteFunc(slices.Clone(s.seen), func(r request) bool { return r.action != action })
	if n >= len(found) {
		s.t.Fatalf("%d requests of %s, want more than %d", len(found), action, n)
	}
	return found[n]
}

func (s *stub) wantActions(want ...string) {
	s.t.Helper()
	if got := s.actions(); !slices.Equal(got, want) {
		s.t.Errorf("requests %v, want %v", got, want)
	}
}

// wantForm demands exactly these parameters, Action and Version aside.
func wantForm(t *testing.T, got url.Values, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if got.Get(key) != value {
			t.Errorf("%s = %q, want %q", key, got.Get(key), value)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok && key != "Action" && key != "Version" {
			t.Errorf("unexpected parameter %s = %q", key, got.Get(key))
		}
	}
}

func refusal(code, message string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors>`+
		`<RequestID>req-1</RequestID></Response>`, code, message)
}

func refused(status int, code, message string) answer {
	return answer{status: status, body: refusal(code, message)}
}

// object is a capacity reservation in XML; later elements are added.
func object(state string, more ...string) string {
	return `<capacityReservationId>` + short + `</capacityReservationId><ownerId>` + account + `</ownerId>` +
		`<capacityReservationArn>` + arn + `</capacityReservationArn><availabilityZone>` + zone + `</availabilityZone>` +
		`<instanceType>p5.48xlarge</instanceType><instancePlatform>Linux/UNIX</instancePlatform><tenancy>default</tenancy>` +
		`<instanceMatchCriteria>targeted</instanceMatchCriteria><createDate>2031-03-01T11:00:00.000Z</createDate>` +
		`<startDate>2031-03-01T11:00:01.000Z</startDate><state>` + state + `</state>` + strings.Join(more, "")
}

// objectMatching is an active object with other match criteria.
func objectMatching(match, more string) string {
	return strings.Replace(object("active", more), "targeted", match, 1)
}

func counts(total, available int) string {
	return fmt.Sprintf(`<totalInstanceCount>%d</totalInstanceCount><availableInstanceCount>%d</availableInstanceCount>`, total, available)
}

func tagSet(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(`<item><key>` + pairs[i] + `</key><value>` + pairs[i+1] + `</value></item>`)
	}
	return `<tagSet>` + b.String() + `</tagSet>`
}

func created(inner string) answer {
	return answer{body: `<CreateCapacityReservationResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>` +
		`<capacityReservation>` + inner + `</capacityReservation></CreateCapacityReservationResponse>`}
}

// described is an answer with these objects; next is a page token, "" for none.
func described(next string, objects ...string) answer {
	var items strings.Builder
	for _, o := range objects {
		items.WriteString(`<item>` + o + `</item>`)
	}
	if next != "" {
		next = `<nextToken>` + next + `</nextToken>`
	}
	return answer{body: `<DescribeCapacityReservationsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>` +
		next + `<capacityReservationSet>` + items.String() + `</capacityReservationSet></DescribeCapacityReservationsResponse>`}
}

func returned(action string) answer {
	return answer{body: `<` + action + `Response><requestId>r</requestId><return>true</return></` + action + `Response>`}
}

func wish() cloud.Spec {
	return cloud.Spec{Kind: cloud.OnDemand, Zone: zone, InstanceType: "p5.48xlarge", Count: 2}
}

func ref() cloud.Ref { return cloud.Ref{NativeID: arn} }

func ptr[V any](v V) *V { return &v }
