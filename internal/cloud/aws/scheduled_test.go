package aws_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
)

const day = 24 * time.Hour

// future is the start of what later wishes for.
var future = start.Add(70 * day)

// later is a wish for a future date.
func later() cloud.Spec {
	return cloud.Spec{Kind: cloud.Scheduled, Zone: zone, InstanceType: "g5.xlarge", Count: 8, StartAt: future}
}

func committed(more string) string {
	return `<commitmentInfo><committedInstanceCount>8</committedInstanceCount><commitmentDuration>1209600</commitmentDuration>` + more +
		`</commitmentInfo><deliveryPreference>incremental</deliveryPreference>`
}

// futureObject is a future-dated reservation in XML.
func futureObject(state string, more ...string) string {
	plain := strings.NewReplacer("p5.48xlarge", "g5.xlarge", "2031-03-01T11:00:01.000Z", future.Format(time.RFC3339)).Replace(object(state))
	return plain + committed(`<commitmentEndDate>`+future.Add(14*day).Format(time.RFC3339)+`</commitmentEndDate>`) + strings.Join(more, "")
}

func TestCheckScheduledCompletes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change     func(*cloud.Spec)
		commitment string
		end        time.Time
	}{
		"defaults":           {func(*cloud.Spec) {}, "336h0m0s", time.Time{}},
		"days":               {commit("21d"), "504h0m0s", time.Time{}},
		"days and hours":     {commit("14d12h"), "348h0m0s", time.Time{}},
		"hours":              {commit("336h"), "336h0m0s", time.Time{}},
		"canonical":          {commit("336h0m0s"), "336h0m0s", time.Time{}},
		"a large family":     {func(s *cloud.Spec) { s.InstanceType = "u-6tb1.metal" }, "2016h0m0s", time.Time{}},
		"an end":             {func(s *cloud.Spec) { s.EndAt = future.Add(14 * day) }, "336h0m0s", future.Add(14 * day)},
		"a duration":         {func(s *cloud.Spec) { s.Duration = 30 * day }, "336h0m0s", future.Add(30 * day)},
		"thirty-two vCPUs":   {func(s *cloud.Spec) { s.InstanceType, s.Count = "g6.48xlarge", 1 }, "336h0m0s", time.Time{}},
		"a size not known":   {func(s *cloud.Spec) { s.InstanceType, s.Count = "g5g.metal", 1 }, "336h0m0s", time.Time{}},
		"a family not known": {func(s *cloud.Spec) { s.InstanceType, s.Count = "z1d.large", 1 }, "336h0m0s", time.Time{}},
	}
	c := aws.New(aws.Config{})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := later()
			test.change(&in)
			want := in
			want.Region, want.Match, want.EndAt = region, cloud.Targeted, test.end
			want.Native = map[string]string{"platform": "Linux/UNIX", "tenancy": "default", "commitment": test.commitment}
			got, problems := c.Check(in)
			if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
				t.Errorf("problems %v; (-want +got):\n%s", problems, diff)
			}
			again, problems := c.Check(got)
			if diff := cmp.Diff(got, again); diff != "" || len(problems) > 0 {
				t.Errorf("a second time: problems %v; (-want +got):\n%s", problems, diff)
			}
		})
	}
}

func commit(text string) func(*cloud.Spec) {
	return func(s *cloud.Spec) { s.Native = map[string]string{"commitment": text} }
}

func TestCheckScheduledRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(*cloud.Spec)
		at    cloud.Attribute
		says  string
	}{
		"family P":              {func(s *cloud.Spec) { s.InstanceType = "p5.48xlarge" }, cloud.AttrInstanceType, "kind block"},
		"family P, small":       {func(s *cloud.Spec) { s.InstanceType, s.Count = "p5.4xlarge", 1 }, cloud.AttrInstanceType, "C, M, R, I, T, G"},
		"Trainium":              {func(s *cloud.Spec) { s.InstanceType = "trn1.32xlarge" }, cloud.AttrInstanceType, "trn1.32xlarge"},
		"too small":             {func(s *cloud.Spec) { s.Count = 7 }, cloud.AttrCount, "28 vCPUs: AWS takes a future date for 32 vCPUs or more, 8 of these"},
		"too small a fraction":  {func(s *cloud.Spec) { s.InstanceType, s.Count = "g6f.large", 15 }, cloud.AttrCount, "16 of these"},
		"too small a half":      {func(s *cloud.Spec) { s.InstanceType, s.Count = "gr6.4xlarge", 1 }, cloud.AttrCount, "2 of these"},
		"open":                  {func(s *cloud.Spec) { s.Match = cloud.Open }, cloud.AttrMatch, "targeted"},
		"no start":              {func(s *cloud.Spec) { s.StartAt = time.Time{} }, cloud.AttrStart, "5 days to 120 days"},
		"end before start":      {func(s *cloud.Spec) { s.EndAt = future.Add(-time.Hour) }, cloud.AttrEnd, "not after the start"},
		"end in commitment":     {func(s *cloud.Spec) { s.EndAt = future.Add(14*day - time.Second) }, cloud.AttrEnd, "inside the commitment of 14 days"},
		"duration within":       {func(s *cloud.Spec) { s.Duration = 13 * day }, "window.duration", "inside the commitment"},
		"an offer":              {func(s *cloud.Spec) { s.OfferID = "cb-1" }, "offer_id", "kind scheduled"},
		"short commitment":      {commit("13d"), "aws.commitment", "14 days"},
		"short for a large one": {func(s *cloud.Spec) { s.InstanceType = "x2idn.32xlarge"; commit("14d")(s) }, "aws.commitment", "84 days"},
		"long commitment":       {commit("3000d"), "aws.commitment", "2314 days"},
		"commitment in words":   {commit("two weeks"), "aws.commitment", "14d or 336h"},
		"negative commitment":   {commit("-336h"), "aws.commitment", "14d or 336h"},
		"commitment of parts":   {commit("336h0m0.5s"), "aws.commitment", "whole seconds"},
		"commitment too far":    {commit("999999d"), "aws.commitment", "14d or 336h"},
		"placement group":       {func(s *cloud.Spec) { s.Native = map[string]string{"placement_group_arn": "x"} }, "aws.placement_group_arn", "commitment, platform, tenancy"},
		"host option":           {func(s *cloud.Spec) { s.Native = map[string]string{"host_recovery": "on"} }, "aws.host_recovery", "kind scheduled"},
	}
	c := aws.New(aws.Config{})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := later()
			test.spoil(&s)
			_, problems := c.Check(s)
			if len(problems) != 1 || problems[0].Attribute != test.at || !strings.Contains(problems[0].Detail, test.says) {
				t.Errorf("got %+v, want one at %s that says %q", problems, test.at, test.says)
			}
		})
	}
}

func TestCreateScheduledSends(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"ClientToken": "t", "InstanceType": "g5.xlarge", "InstancePlatform": "Linux/UNIX", "InstanceCount": "8", "AvailabilityZone": zone,
		"Tenancy": "default", "InstanceMatchCriteria": "targeted", "EndDateType": "unlimited", "StartDate": "2031-05-10T12:00:00Z",
		"CommitmentDuration": "1209600", "DeliveryPreference": "incremental",
	}
	tests := map[string]struct {
		change func(*cloud.Spec)
		more   map[string]string
	}{
		"plain": {func(*cloud.Spec) {}, nil},
		"everything": {
			func(s *cloud.Spec) {
				s.Duration = 30 * day
				s.Native = map[string]string{"platform": "Windows", "tenancy": "dedicated", "commitment": "15d"}
			},
			map[string]string{
				"EndDateType": "limited", "EndDate": "2031-06-09T12:00:00Z", "CommitmentDuration": "1296000",
				"InstancePlatform": "Windows", "Tenancy": "dedicated",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(create, created(futureObject("assessing", counts(0, 0))))
			w := later()
			test.change(&w)
			got, err := s.cloud().Create(t.Context(), cloud.CreateRequest{Spec: w, Token: "t"})
			if err != nil || got.Kind != cloud.Scheduled || got.State != cloud.Pending || got.Count != 8 {
				t.Fatalf("got %+v, %v", got, err)
			}
			want := maps.Clone(base)
			maps.Copy(want, test.more)
			wantForm(t, s.sent(create, 0).form, want)
		})
	}
}

// TestStartOutOfBounds: the cloud refuses, and only then the bounds are named;
// a second try with the token of an accepted create is sent all the same.
func TestStartOutOfBounds(t *testing.T) {
	t.Parallel()
	invalid := refused(400, "InvalidParameterValue", "no")
	for name, test := range map[string]struct {
		lead time.Duration
		says string
	}{
		"too near": {5*day - time.Hour, "window.start_at: the start 2031-03-06T11:00:00Z must be 5 days to 120 days after AWS's present time, 2031-03-01T12:00:00Z"},
		"too far":  {120*day + time.Hour, "window.start_at"},
		"within":   {6 * day, "InvalidParameterValue: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(create, invalid, created(futureObject("scheduled")))
			w := later()
			w.StartAt = start.Add(test.lead)
			c := s.cloud()
			_, err := c.Create(t.Context(), cloud.CreateRequest{Spec: w, Token: "t"})
			if e := classed(t, err); e.Code != cloud.Invalid || e.Accepted || !strings.Contains(e.Error(), test.says) {
				t.Errorf("got %+v, want text %q", e, test.says)
			}
			if _, err := c.Create(t.Context(), cloud.CreateRequest{Spec: w, Token: "t"}); err != nil {
				t.Errorf("a replay: %v", err)
			}
		})
	}
}

// TestCommitment: until when a reservation binds follows from its state and the
// cloud's time.
func TestCommitment(t *testing.T) {
	t.Parallel()
	end := future.Add(14 * day)
	free := future.Add(-56 * day)
	first := future.Add(-3 * day)
	tests := map[string]struct {
		state, more     string
		date            time.Time
		committed, free time.Time
		billed          time.Time
		commitment      string
	}{
		"assessing": {state: "assessing", date: start},
		"scheduled": {state: "scheduled", date: start, committed: end, free: free},
		"pushed out": {
			state: "scheduled", more: `<originalStartDate>` + first.Format(time.RFC3339) + `</originalStartDate>`, date: start,
			committed: end, free: first.Add(-56 * day),
		},
		"delayed":               {state: "delayed", date: future},
		"pending":               {state: "pending", date: future, committed: end},
		"active":                {state: "active", date: future, committed: end},
		"active, at the end":    {state: "active", date: end},
		"active, time unknown":  {state: "active", committed: end},
		"a state not known":     {state: "dreaming", date: future, committed: end},
		"unsupported":           {state: "unsupported", date: start},
		"cancelled":             {state: "cancelled", date: future},
		"cancelling, billed on": {state: "cancelling", date: future, billed: end},
		"expired":               {state: "expired", date: end},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			a := described("", futureObject(test.state, test.more))
			if s.date = test.date; test.date.IsZero() {
				a.header = map[string]string{"Date": "unreadable"}
			}
			s.on(describe, a)
			got, err := s.cloud().Get(t.Context(), ref())
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprint(test.committed, test.free, test.billed)
			if shown := fmt.Sprint(got.CommittedUntil, got.FreeUntil, got.BilledUntil); shown != want {
				t.Errorf("committed, free, billed until\n%s, want\n%s", shown, want)
			}
			if got.Kind != cloud.Scheduled || got.Count != 8 || got.InUse != 0 || got.Native["commitment"] != "336h0m0s" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestCommitmentNotShown: without its commitment a scheduled reservation is still
// not free, and one that never shows any is one that never had any.
func TestCommitmentNotShown(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	began := time.Date(2031, 3, 1, 11, 0, 1, 0, time.UTC)
	s.on(describe, described("", object("scheduled", counts(8, 0))), described("", object("scheduled", committed(""))))
	for _, what := range []string{"no commitment", "no end of it"} {
		got, err := s.cloud().Get(t.Context(), ref())
		if err != nil || !got.CommittedUntil.Equal(began.Add(14*day)) || got.Count != 8 || got.InUse != 0 {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	}
}

// TestScheduledChanges: EC2 decides what a state lets change; a refusal is
// classed by the state, because no code of its own is published.
func TestScheduledChanges(t *testing.T) {
	t.Parallel()
	end, early := future.Add(20*day), future.Add(10*day)
	no := refused(400, "SomethingNew", "no")
	tests := map[string]struct {
		state  string
		counts string
		change cloud.Change
		code   cloud.Code
		says   string
	}{
		"count while assessed":    {"assessing", counts(8, 8), cloud.Change{Count: ptr(9)}, cloud.Conflict, "assessing"},
		"end while late":          {"delayed", counts(8, 8), cloud.Change{EndAt: &end}, cloud.Conflict, "delayed"},
		"count while scheduled":   {"scheduled", counts(0, 0), cloud.Change{Count: ptr(9)}, cloud.Conflict, "before it starts"},
		"end inside, scheduled":   {"scheduled", counts(0, 0), cloud.Change{EndAt: &early}, cloud.Conflict, "committed until 2031-05-24T12:00:00Z"},
		"end outside, scheduled":  {"scheduled", counts(0, 0), cloud.Change{EndAt: &end}, cloud.Invalid, "SomethingNew: no"},
		"fewer while committed":   {"active", counts(8, 8), cloud.Change{Count: ptr(7)}, cloud.Conflict, "committed until"},
		"fewer, committed, used":  {"active", counts(8, 0), cloud.Change{Count: ptr(7)}, cloud.InUse, ""},
		"more while committed":    {"active", counts(8, 8), cloud.Change{Count: ptr(9)}, cloud.Invalid, "SomethingNew: no"},
		"never in place: match":   {"active", counts(8, 8), cloud.Change{Match: ptr(cloud.Open)}, cloud.Unsupported, "match_criteria"},
		"never in place: options": {"active", counts(8, 8), cloud.Change{Native: map[string]string{"commitment": "336h0m0s"}}, cloud.Unsupported, "aws.commitment"},
		"ended":                   {"cancelling", counts(8, 8), cloud.Change{EndAt: &end}, cloud.Conflict, "cancelling"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", futureObject(test.state, test.counts)))
			s.on(modify, no)
			s.on("DescribeInstances", answer{body: `<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>`})
			_, err := s.cloud().Update(t.Context(), ref(), test.change)
			wantError(t, err, test.code, test.says)
		})
	}
}

// TestScheduledMovesItsEnd: what the state allows is sent, and shown.
func TestScheduledMovesItsEnd(t *testing.T) {
	t.Parallel()
	end := future.Add(20 * day)
	s := newStub(t)
	s.on(describe, described("", futureObject("scheduled", counts(0, 0))),
		described("", futureObject("scheduled", counts(0, 0), `<endDateType>limited</endDateType><endDate>2031-05-30T12:00:00Z</endDate>`)))
	s.on(modify, returned(modify))
	got, err := s.cloud().Update(t.Context(), ref(), cloud.Change{EndAt: &end, Count: ptr(8)})
	if err != nil || !got.EndsAt.Equal(end) {
		t.Errorf("got %+v, %v", got, err)
	}
	wantForm(t, s.sent(modify, 0).form, map[string]string{
		"CapacityReservationId": short, "EndDateType": "limited", "EndDate": "2031-05-30T12:00:00Z",
	})
}
