package awssim_test

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestAbsurdBodiesAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"bad escape":       "Action=DescribeRegions&Version=%zz",
		"semicolon":        "Action=DescribeRegions;Version=2016-11-15",
		"not UTF-8":        "Action=DescribeRegions&Version=2016-11-15&NextToken=%ff%fe",
		"not UTF-8 name":   "Action=DescribeRegions&Version=2016-11-15&%ff=1",
		"control":          "Action=DescribeRegions&Version=2016-11-15&NextToken=%00",
		"given twice":      "Action=DescribeRegions&Action=DescribeRegions&Version=2016-11-15",
		"huge":             "Action=" + strings.Repeat("x", sim.MaxBody),
		"nothing":          "",
		"JSON":             `{"Action":"DescribeRegions"}`,
		"long action":      "Action=" + strings.Repeat("%F0%9F%92%A5", 10000),
		"deep positions":   "Action=DescribeRegions&Version=2016-11-15&Filter.1" + strings.Repeat(".1", 10000) + "=x",
		"position zero":    "Action=DescribeRegions&Version=2016-11-15&Filter.0.Name=x",
		"position of text": "Action=DescribeRegions&Version=2016-11-15&Filter.x.Name=x",
		"enormous":         "Action=DescribeRegions&Version=2016-11-15&Filter.99999999999999999999.Name=x",
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			got := s.send(body, authorization("A", s.region, "ec2", s.when()), nil)
			if got.status != http.StatusBadRequest || got.code() == "" || !utf8.ValidString(got.body) || len(got.body) > 2000 {
				t.Errorf("%d %s: %.300s", got.status, got.code(), got.body)
			}
		})
	}
}

func TestOtherMethodsAndPaths(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, tt := range []struct{ method, path string }{{http.MethodGet, "/"}, {http.MethodPut, "/"}, {http.MethodPost, "/ec2"}} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.url+tt.path, strings.NewReader("Action=DescribeRegions&Version=2016-11-15"))
		s.ok(err)
		req.Header.Set("Authorization", authorization("A", s.region, "ec2", s.when()))
		req.Header.Set("X-Amz-Date", s.when().Format("20060102T150405Z"))
		resp, err := http.DefaultClient.Do(req)
		s.ok(err)
		s.ok(resp.Body.Close())
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s %s: %d", tt.method, tt.path, resp.StatusCode)
		}
	}
}

// seeds are bodies to start from.
func seeds() []string {
	return []string{
		hostBody("Quantity=2", "ClientToken=t"), "Action=ModifyHosts&HostId.1=h-0123456789abcdef0&AutoPlacement=on&InstanceFamily=m5",
		"Action=PurchaseHostReservation&HostIdSet.1=h-0123456789abcdef0&OfferingId=hro-0123456789abcdef0&LimitPrice=1.5",
		"Action=DescribeSpotPriceHistory&InstanceType.1=p5.48xlarge&StartTime=2027-01-01T00:00:00Z&AvailabilityZone=us-east-1a",
		"Action=GetSpotPlacementScores&TargetCapacity=8&InstanceType.1=g5.xlarge&RegionName.1=us-east-1",
		createBody(), createBody("ClientToken=t", "EndDateType=limited", "EndDate=2031-01-01T00:00:00Z", "InstanceCount=7"),
		"Action=DescribeTags&Filter.1.Name=tag:x&Filter.1.Value.1=*&MaxResults=5",
		"Action=CreateTags&ResourceId.1=cr-0123456789abcdef0&Tag.1.Key=%F0%9F%92%A5&Tag.1.Value=x",
		"Action=DescribeInstances&MaxResults=-5&NextToken=e30", "Action=DescribeInstanceTypes&InstanceType.1=g6f.large",
		"Action=DescribeCapacityReservations&CapacityReservationId.1=cr-0123456789abcdef0&NextToken=eyJxIjoiIn0",
		"Action=ModifyCapacityReservation&CapacityReservationId=cr-0123456789abcdef0&InstanceCount=2&EndDate=x",
		futureBody(), offersBody("StartDateRange=2027-03-10T00:00:00Z", "EndDateRange=2027-04-10T00:00:00Z", "MaxResults=2"),
		buyBody("cb-0123456789abcdef0"), extendBody("cr-0123456789abcdef0", "24"),
		"Action=CancelCapacityReservation&CapacityReservationId=cr-0123456789abcdef0&QuoteId=crcq-0123456789abcdef0",
	}
}

// unthrottled is a simulator that each body reaches.
func unthrottled(tb testing.TB) http.Handler {
	tb.Helper()
	world, err := sim.New(sim.Options{Seed: 1})
	if err != nil {
		tb.Fatal(err)
	}
	handler := newSimulator(world)
	if err := world.SetRate(sim.Rate{Cloud: "aws", PerSecond: 1e9, Burst: 1e9}); err != nil {
		tb.Fatal(err)
	}
	return handler
}

// answersWell fails on an answer that no client could read, and on a
// simulator that lost its way.
func answersWell(t *testing.T, handler http.Handler, body string) {
	t.Helper()
	got := direct(t, handler, "Version=2016-11-15&"+body)
	if got.status != http.StatusOK && (got.status < 400 || got.code() == "") {
		t.Errorf("%q: %d %s", body, got.status, got.body)
	}
	if got.status >= 500 || !utf8.ValidString(got.body) {
		t.Errorf("%q: %d %s", body, got.status, got.body)
	}
}

func FuzzForms(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	handler := unthrottled(f)
	f.Fuzz(func(t *testing.T, body string) { answersWell(t, handler, body) })
}

// TestBrokenForms is the fuzz test's small sister, the same in every run: it
// cuts, doubles and overwrites parts of good bodies.
func TestBrokenForms(t *testing.T) {
	t.Parallel()
	handler := unthrottled(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		body := []byte(seeds()[random.IntN(len(seeds()))])
		for range 1 + random.IntN(4) {
			from := random.IntN(len(body))
			to := from + random.IntN(len(body)-from)
			switch random.IntN(4) {
			case 0:
				body = slices.Delete(body, from, to)
			case 1:
				body = slices.Insert(body, from, slices.Clone(body[from:to])...)
			case 2:
				body[from] = byte(random.IntN(256))
			case 3:
				body[from] = "&=.%+0919N"[random.IntN(10)]
			}
			body = append(body, '&')
		}
		answersWell(t, handler, string(body))
	}
}

func TestCallLogKnowsPlaceAndObject(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.refused(s.ec2(createBody("InstanceCount=0")), "InvalidParameterValue")
	id := s.create("AvailabilityZone=", "AvailabilityZoneId=use1-az6")
	s.accepted(s.modify(id, "&InstanceCount=2"))
	s.accepted(s.ec2("Action=CreateTags&Tag.1.Key=k&ResourceId.1=" + id))
	s.accepted(s.describe("&CapacityReservationId.1=" + id))
	s.accepted(s.describe(""))
	arn := "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/" + id
	calls, err := s.world.Calls(0)
	s.ok(err)
	zone := calls[1].Zone
	if !strings.HasPrefix(zone, "us-east-1") {
		t.Errorf("the zone's id was not understood: %+v", calls[1])
	}
	for i, want := range []sim.Call{
		{Operation: "CreateCapacityReservation", Zone: "us-east-1a", InstanceType: "p4d.24xlarge", Status: 400, Code: "InvalidParameterValue"},
		{Operation: "CreateCapacityReservation", Zone: zone, InstanceType: "p4d.24xlarge", NativeID: arn, Status: 200},
		{Operation: "ModifyCapacityReservation", Zone: zone, InstanceType: "p4d.24xlarge", NativeID: arn, Status: 200},
		{Operation: "CreateTags", Zone: zone, InstanceType: "p4d.24xlarge", NativeID: arn, Status: 200},
		{Operation: "DescribeCapacityReservations", Zone: zone, InstanceType: "p4d.24xlarge", NativeID: arn, Status: 200},
		{Operation: "DescribeCapacityReservations", Status: 200},
	} {
		want.Seq, want.Time, want.Cloud, want.Account, want.Region = int64(i)+1, now(), "aws", "111122223333", "us-east-1"
		if calls[i] != want {
			t.Errorf("row\n%+v, want\n%+v", calls[i], want)
		}
	}
}

func TestFaultsFindReservationsByEveryName(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id, other := s.create(), s.create("AvailabilityZone=us-east-1b")
	arn := "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/" + id
	for _, name := range []string{id, arn} {
		s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "*", NativeID: name, Times: 1, Status: 403, Code: "UnauthorizedOperation"}))
		s.accepted(s.describe("&CapacityReservationId.1=" + other))
		s.refused(s.describe("&CapacityReservationId.1="+other+"&CapacityReservationId.2="+id), "UnauthorizedOperation")
	}
	s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "*", Zone: "us-east-1b", Times: 1, Status: 403, Code: "UnauthorizedOperation"}))
	s.accepted(s.cancel(id))
	s.refused(s.cancel(other), "UnauthorizedOperation")
}

func TestEmptyAndShuffledLists(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var ids []string
	for range 6 {
		ids = append(ids, s.create())
	}
	s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + ids[0] + tags(8)))
	straight := s.describe("").body
	s.ok(s.world.AddFaults(
		sim.Fault{Cloud: "aws", Operation: "DescribeCapacityReservations", Times: 2, Empty: true},
		sim.Fault{Cloud: "aws", Operation: "DescribeCapacityReservations", Times: 1, Shuffle: true},
		sim.Fault{Cloud: "aws", Operation: "DescribeRegions", Times: 1, Empty: true},
	))
	for _, more := range []string{"", "&CapacityReservationId.1=" + ids[0]} {
		s.says(s.accepted(s.describe(more)), "<capacityReservationSet/>")
	}
	s.says(s.accepted(s.ec2("Action=DescribeRegions")), "<regionInfo/>")
	mixed := s.describe("").body
	if len(mixed) != len(straight) || order(mixed, ids) == order(straight, ids) {
		t.Errorf("not shuffled: %s", mixed)
	}
	if order(s.describe("").body, ids) != order(straight, ids) {
		t.Error("shuffled for longer than asked")
	}
}

// order is where each id stands in a text.
func order(body string, ids []string) string {
	var at strings.Builder
	for body != "" {
		_, rest, found := strings.Cut(body, "<capacityReservationId>")
		if !found {
			break
		}
		for i, id := range ids {
			if strings.HasPrefix(rest, id) {
				at.WriteByte(byte('0' + i))
			}
		}
		body = rest
	}
	return at.String()
}

func TestLostAnswerIsFoundByItsToken(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "CreateCapacityReservation", Times: 1, Drop: sim.DropAfter}))
	body := createBody("ClientToken=t")
	if lost := s.ec2(body); lost.status != 0 {
		t.Fatalf("the answer came: %+v", lost)
	}
	s.accepted(s.ec2(body))
	rows, err := s.world.Objects()
	s.ok(err)
	if len(rows) != 1 {
		t.Errorf("%d reservations", len(rows))
	}
	calls, err := s.world.Calls(0)
	s.ok(err)
	if calls[0].Status != 0 || calls[0].NativeID != rows[0].NativeID {
		t.Errorf("the lost call's row: %+v", calls[0])
	}
}

func TestPagesHoldWhenRowsVanish(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	var ids []string
	for range 5 {
		ids = append(ids, s.create())
	}
	token := s.describe("&MaxResults=2").between("nextToken")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: ids[0], Gone: true}))
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: ids[2], Gone: true}))
	got := s.accepted(s.describe("&MaxResults=2&NextToken=" + url.QueryEscape(token)))
	if order(got.body, ids) != "34" {
		t.Errorf("second page %s", got.body)
	}
}
