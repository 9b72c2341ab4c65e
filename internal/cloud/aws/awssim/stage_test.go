package awssim_test

import (
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// stage is a world with AWS in it, on a frozen clock.
type stage struct {
	t      *testing.T
	world  *sim.World
	url    string
	region string
}

func now() time.Time { return time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC) }

func newStage(t *testing.T) *stage {
	t.Helper()
	return newStageWith(t, awssim.Options{})
}

func newStageWith(t *testing.T, options awssim.Options) *stage {
	t.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server, err := sim.Serve(sim.ServeOptions{}, awssim.NewWithOptions(world, options).Named())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		world.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{t: t, world: world, url: server.URL("aws"), region: "us-east-1"}
	_, err = world.ChangeClock(sim.ClockChange{Set: new(now()), Freeze: new(true)})
	s.ok(err)
	return s
}

func (s *stage) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// reply is a raw answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// code is the error code of a Query API answer.
func (r reply) code() string {
	var doc struct {
		Code string `xml:"Errors>Error>Code"`
		STS  string `xml:"Error>Code"`
	}
	if xml.Unmarshal([]byte(r.body), &doc) != nil {
		return ""
	}
	return doc.Code + doc.STS
}

// between is the text of the first element of that name.
func (r reply) between(element string) string {
	_, rest, found := strings.Cut(r.body, "<"+element+">")
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(rest, "</"+element+">")
	return value
}

func authorization(keyID, region, service string, date time.Time) string {
	return "AWS4-HMAC-SHA256 Credential=" + keyID + "/" + date.UTC().Format("20060102") + "/" + region + "/" + service +
		"/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=" + strings.Repeat("0", 64)
}

// when is the virtual clock.
func (s *stage) when() time.Time {
	s.t.Helper()
	reading, err := s.world.Clock()
	s.ok(err)
	return reading.Now
}

// send posts a body as it is, with further headers.
func (s *stage) send(body, auth string, headers map[string]string) reply {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.url+"/", strings.NewReader(body))
	s.ok(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	req.Header.Set("X-Amz-Date", s.when().Format("20060102T150405Z"))
	if auth != "" {
		req.Header.Set("Authorization", auth)
	}
	for key, value := range headers {
		req.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	s.ok(err)
	return reply{resp.StatusCode, resp.Header, string(data)}
}

// ec2 posts "Action=X&A=1" as the static key; the version is added.
func (s *stage) ec2(body string) reply {
	s.t.Helper()
	return s.send("Version=2016-11-15&"+body, authorization("AKIDEXAMPLE", s.region, "ec2", s.when()), nil)
}

// create makes a reservation, with parameters in place of or beside the
// plainest ones, and answers its id.
func (s *stage) create(more ...string) string {
	s.t.Helper()
	got := s.ec2(createBody(more...))
	if got.status != http.StatusOK {
		s.t.Fatalf("create: %d %s", got.status, got.body)
	}
	return got.between("capacityReservationId")
}

// createBody is the plainest create; "Name=" alone takes a parameter out.
func createBody(more ...string) string {
	values := url.Values{
		"Action": {"CreateCapacityReservation"}, "InstanceType": {"p4d.24xlarge"}, "InstancePlatform": {"Linux/UNIX"},
		"InstanceCount": {"1"}, "AvailabilityZone": {"us-east-1a"},
	}
	for _, pair := range more {
		name, value, _ := strings.Cut(pair, "=")
		values.Set(name, value)
		if value == "" {
			values.Del(name)
		}
	}
	return values.Encode()
}

func (s *stage) describe(more string) reply {
	s.t.Helper()
	return s.ec2("Action=DescribeCapacityReservations" + more)
}

func (s *stage) refused(got reply, code string) {
	s.t.Helper()
	if got.code() != code || got.status < 400 {
		s.t.Errorf("got %d %s, want %s: %s", got.status, got.code(), code, got.body)
	}
}

func (s *stage) accepted(got reply) reply {
	s.t.Helper()
	if got.status != http.StatusOK {
		s.t.Errorf("got %d %s: %s", got.status, got.code(), got.body)
	}
	return got
}

// stock limits what createBody asks for.
func (s *stage) stock(available int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{
		Cloud: "aws", Region: s.region, Zone: "us-east-1a", InstanceType: "p4d.24xlarge", Available: &available,
	}))
}

// quota limits the vCPUs of P instances.
func (s *stage) quota(limit float64) {
	s.t.Helper()
	s.ok(s.world.SetQuota(sim.Quota{Cloud: "aws", Region: s.region, Quota: "L-417A185B", Limit: &limit}))
}
