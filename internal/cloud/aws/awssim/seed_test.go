package awssim_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// newSimulator is the handler without a server.
func newSimulator(world *sim.World) http.Handler { return awssim.New(world) }

// direct serves a body without a connection.
func direct(tb testing.TB, handler http.Handler, body string) reply {
	tb.Helper()
	when := time.Now()
	req := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/", strings.NewReader(body))
	req.Header.Set("Authorization", authorization("A", "us-east-1", "ec2", when))
	req.Header.Set("X-Amz-Date", when.UTC().Format("20060102T150405Z"))
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, req)
	return reply{recorder.Code, recorder.Header(), recorder.Body.String()}
}

func TestScenarioObjects(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Load([]byte(`{"objects":[
		{"cloud":"aws","type":"capacity-reservation","native_id":"arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-00000000000000001",
		 "region":"us-east-1","zone":"us-east-1a","instance_type":"p4d.24xlarge","count":2,"in_use":["i-1"],"tags":{"Name":"n"},
		 "starts_at":"2027-01-01T00:00:00Z","ends_at":"2027-03-01T12:10:00Z"},
		{"cloud":"aws","type":"capacity-reservation","region":"us-east-1","zone":"us-east-1b","instance_type":"g5.xlarge","count":1},
		{"cloud":"aws","type":"capacity-reservation","native_id":"cr-00000000000000003","region":"us-east-1","zone":"us-east-1b",
		 "instance_type":"g5.xlarge","count":1,"status":"cancelled"}]}`)))
	got := s.accepted(s.describe(""))
	for _, want := range []string{
		"cr-00000000000000001", "cr-00000000000000003", "<key>Name</key><value>n</value>", "<availableInstanceCount>1<",
		"<startDate>2027-01-01T00:00:00Z</startDate>", "<endDate>2027-03-01T12:10:00Z</endDate>", "<state>cancelled</state>",
	} {
		s.says(got, want)
	}
	s.ok(s.world.Advance(10 * time.Minute))
	if got := s.state("cr-00000000000000001"); got != "expired" {
		t.Errorf("state %s", got)
	}
}

func TestScenarioObjectsThatCannotBe(t *testing.T) {
	t.Parallel()
	good := `"region":"us-east-1","zone":"us-east-1a","instance_type":"p4d.24xlarge"`
	for name, fields := range map[string]string{
		"type":         `"type":"volume","count":1,` + good,
		"zone":         `"type":"capacity-reservation","count":1,"region":"us-east-1","zone":"us-west-2a","instance_type":"p4d.24xlarge"`,
		"machine":      `"type":"capacity-reservation","count":1,"region":"us-east-1","zone":"us-east-1a","instance_type":"p9.huge"`,
		"none":         `"type":"capacity-reservation","count":0,` + good,
		"overuse":      `"type":"capacity-reservation","count":1,"in_use":2,` + good,
		"id":           `"type":"capacity-reservation","count":1,"native_id":"r-1",` + good,
		"other region": `"type":"capacity-reservation","count":1,"native_id":"arn:aws:ec2:us-west-2:111122223333:capacity-reservation/cr-00000000000000001",` + good,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if err := s.world.Load([]byte(`{"objects":[{"cloud":"aws",` + fields + `}]}`)); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestStockFollowsWhatHappensBehindEveryonesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(2)
	id := s.create("InstanceCount=2")
	s.refused(s.ec2(createBody()), "InsufficientInstanceCapacity")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("cancelled")}))
	second := s.create()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: second, Count: new(2)}))
	s.refused(s.ec2(createBody()), "InsufficientInstanceCapacity")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: second, Gone: true}))
	s.create("InstanceCount=2")
	s.refused(s.describe("&CapacityReservationId.1="+second), "InvalidCapacityReservationId.NotFound")
}

// TestDueFollowsWhatHappensBehindEveryonesBack: a status stays as long as AWS
// shows it, whatever was to come of the one before.
func TestDueFollowsWhatHappensBehindEveryonesBack(t *testing.T) {
	t.Parallel()
	for status, shown := range map[string]time.Duration{
		"unsupported": 30 * 24 * time.Hour, "failed": time.Hour, "cancelled": 0, "pending": 0, "odd": 0,
	} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			ids := []string{s.future(), s.create()}
			for _, id := range ids {
				s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: &status}))
			}
			long := 80 * 24 * time.Hour
			if shown > 0 {
				long = shown - time.Second
			}
			s.ok(s.world.Advance(long))
			for _, id := range ids {
				s.in(id, status)
			}
			if shown == 0 {
				return
			}
			s.ok(s.world.Advance(time.Second))
			for _, id := range ids {
				s.refused(s.describe("&CapacityReservationId.1="+id), "InvalidCapacityReservationId.NotFound")
			}
		})
	}
	t.Run("active", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.failing("CreateCapacityReservation", "InsufficientInstanceCapacity")
		id := s.create("EndDateType=limited", "EndDate=2027-03-02T12:00:00Z")
		s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("active")}))
		s.ok(s.world.Advance(23 * time.Hour))
		s.in(id, "active")
		s.ok(s.world.Advance(time.Hour))
		s.in(id, "expired")
	})
	t.Run("released", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		id := s.allocate()
		s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("released")}))
		s.ok(s.world.Advance(time.Hour - time.Second))
		if got := s.hostState(id); got != "released" {
			t.Errorf("%s is %s", id, got)
		}
		s.ok(s.world.Advance(time.Second))
		s.refused(s.hosts("&HostId.1="+id), "InvalidHostID.NotFound")
	})
}

func TestTokenOfAVanishedReservationIsFree(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.create("ClientToken=t")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: first, Gone: true}))
	if again := s.create("ClientToken=t"); again == first {
		t.Errorf("%s came back", again)
	}
}

func TestWorldsThatShareAFileShareAWS(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/world.json"
	open := func() http.Handler {
		world, err := sim.New(sim.Options{StatePath: path})
		if err != nil {
			t.Fatal(err)
		}
		return newSimulator(world)
	}
	made := direct(t, open(), "Version=2016-11-15&"+createBody("ClientToken=t"))
	again := direct(t, open(), "Version=2016-11-15&"+createBody("ClientToken=t"))
	if id := made.between("capacityReservationId"); id == "" || again.between("capacityReservationId") != id {
		t.Errorf("first %s\nthen %s", made.body, again.body)
	}
}

func TestSTSRefusals(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	role := "&RoleArn=arn:aws:iam::444455556666:role/r&RoleSessionName=name"
	for body, code := range map[string]string{
		"AssumeRole&RoleArn=arn:aws:iam::1:role/r&RoleSessionName=n1":            "ValidationError",
		"AssumeRole&RoleArn=arn:aws:iam::444455556666:user/r&RoleSessionName=n1": "ValidationError",
		"AssumeRole&RoleArn=arn:aws:iam::444455556666:role/r":                    "ValidationError",
		"AssumeRole" + role + "&ExternalId=x":                                    "ValidationError",
		"AssumeRole" + role + "&DurationSeconds=60":                              "ValidationError",
		"AssumeRole" + role + "&Policy={}":                                       "UnsupportedOperation",
		"AssumeRole" + role + "&Color=red":                                       "UnknownParameter",
		"AssumeRoot" + role:                                                      "InvalidAction",
		"AssumeRoleWithWebIdentity" + role:                                       "ValidationError",
	} {
		got := s.send("Version=2011-06-15&Action="+body, authorization("A", s.region, "sts", s.when()), nil)
		if got.code() != code || got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s, want %s", body, got.status, got.body, code)
		}
	}
	got := s.send("Version=2016-11-15&Action=GetCallerIdentity", authorization("A", s.region, "sts", s.when()), nil)
	s.refused(got, "InvalidAction")
}

func TestQuotaRefusals(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, tt := range []struct{ target, body, code string }{
		{"GetServiceQuota", `{"ServiceCode":"ec2","QuotaCode":"L-0"}`, "NoSuchResourceException"},
		{"GetServiceQuota", `{"ServiceCode":"s3","QuotaCode":"L-0"}`, "NoSuchResourceException"},
		{"GetServiceQuota", `{"QuotaCode":"L-0"}`, "IllegalArgumentException"},
		{"GetServiceQuota", `{"Color":"red"}`, "SerializationException"},
		{"GetServiceQuota", `{`, "SerializationException"},
		{"ListServiceQuotas", `{"ServiceCode":"ec2","MaxResults":101}`, "IllegalArgumentException"},
		{"ListServiceQuotas", `{"ServiceCode":"ec2","NextToken":"x"}`, "InvalidPaginationTokenException"},
		{"DeleteEverything", `{}`, "UnknownOperationException"},
	} {
		got := s.send(tt.body, authorization("A", s.region, "servicequotas", s.when()),
			map[string]string{"X-Amz-Target": "ServiceQuotasV20190624." + tt.target})
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"__type":"`+tt.code+`"`) {
			t.Errorf("%s %s: %d %s, want %s", tt.target, tt.body, got.status, got.body, tt.code)
		}
	}
}

func TestOptionsWhereAWSIsNotKnown(t *testing.T) {
	t.Parallel()
	s := newStageWith(t, awssim.Options{ShrinkBelowUse: true, PaginationTokenCode: true, NoIncrementalTag: true})
	id := s.create("InstanceCount=3")
	s.used(id, 2)
	s.accepted(s.modify(id, "&InstanceCount=1"))
	s.refused(s.describe("&NextToken=x"), "InvalidPaginationToken")
	if got := s.describe("&CapacityReservationId.1=" + s.future()); !strings.Contains(got.body, "<tagSet/>") {
		t.Error(got.body)
	}
}
