package aws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	purchase = "PurchaseCapacityBlock"
	offers   = "DescribeCapacityBlockOfferings"
)

var (
	blockStart = time.Date(2031, 3, 3, 11, 30, 0, 0, time.UTC)
	blockEnd   = time.Date(2031, 3, 10, 11, 30, 0, 0, time.UTC)
)

// week is a wish for a block of seven days.
func week() cloud.Spec {
	return cloud.Spec{Kind: cloud.Block, Region: region, InstanceType: "p5.48xlarge", Count: 2, Duration: 7 * day}
}

// offerXML is an offer of seven days with a replaced part.
func offerXML(id, fee string, replace ...string) string {
	return strings.NewReplacer(replace...).Replace(`<item><capacityBlockOfferingId>` + id + `</capacityBlockOfferingId>` +
		`<instanceType>p5.48xlarge</instanceType><availabilityZone>us-east-1a</availabilityZone><instanceCount>2</instanceCount>` +
		`<startDate>2031-03-03T11:30:00Z</startDate><endDate>2031-03-10T11:30:00Z</endDate>` +
		`<capacityBlockDurationHours>168</capacityBlockDurationHours><upfrontFee>` + fee + `</upfrontFee>` +
		`<currencyCode>USD</currencyCode><tenancy>default</tenancy></item>`)
}

func offered(next string, items ...string) answer {
	if next != "" {
		next = `<nextToken>` + next + `</nextToken>`
	}
	return answer{body: `<DescribeCapacityBlockOfferingsResponse><requestId>r</requestId><capacityBlockOfferingSet>` +
		strings.Join(items, "") + `</capacityBlockOfferingSet>` + next + `</DescribeCapacityBlockOfferingsResponse>`}
}

// offer is the decoded form of offerXML.
func offer(id string, micros int64) cloud.Offer {
	return cloud.Offer{
		ID: id, Kind: cloud.Block, Region: region, Zone: zone, InstanceType: "p5.48xlarge", Count: 2, StartAt: blockStart, EndAt: blockEnd,
		Length: 7 * day, Upfront: money.Money{Micros: micros, Currency: "USD"},
	}
}

// blockObject is a capacity block in XML.
func blockObject(state string, more ...string) string {
	return strings.Replace(object(state, more...), "2031-03-01T11:00:01.000Z", "2031-03-03T11:30:00Z", 1) +
		`<reservationType>capacity-block</reservationType><endDateType>limited</endDateType><endDate>2031-03-10T11:30:00Z</endDate>`
}

func purchased(inner string) answer {
	return answer{body: `<PurchaseCapacityBlockResponse><requestId>r</requestId><capacityReservation>` + inner +
		`</capacityReservation><capacityBlockSet/></PurchaseCapacityBlockResponse>`}
}

func TestCheckBlockCompletes(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*cloud.Spec){
		"a duration":  func(*cloud.Spec) {},
		"a window":    func(s *cloud.Spec) { s.Duration, s.StartAt, s.EndAt = 0, blockStart, blockEnd },
		"both":        func(s *cloud.Spec) { s.StartAt, s.EndAt = blockStart, blockEnd.Add(30*day) },
		"an offer":    func(s *cloud.Spec) { s.OfferID = "cb-1" },
		"a zone":      func(s *cloud.Spec) { s.Zone = zone },
		"many":        func(s *cloud.Spec) { s.Count = 64 },
		"a start":     func(s *cloud.Spec) { s.StartAt = blockStart },
		"all options": func(s *cloud.Spec) { s.Native = map[string]string{"platform": "Linux/UNIX", "tenancy": "default"} },
	}
	c := aws.New(aws.Config{})
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := week()
			change(&in)
			want := in
			want.Match, want.Duration = cloud.Targeted, 7*day
			want.Native = map[string]string{"platform": "Linux/UNIX", "tenancy": "default"}
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

func TestCheckBlockRefuses(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 44 {
		many[fmt.Sprint("k", i)] = ""
	}
	last := func(d time.Duration) func(*cloud.Spec) { return func(s *cloud.Spec) { s.Duration = d } }
	between := func(length, apart time.Duration) func(*cloud.Spec) {
		return func(s *cloud.Spec) { s.Duration, s.StartAt, s.EndAt = length, blockStart, blockStart.Add(apart) }
	}
	native := func(key, value string) func(*cloud.Spec) {
		return func(s *cloud.Spec) { s.Native = map[string]string{key: value} }
	}
	tests := map[string]struct {
		spoil func(*cloud.Spec)
		at    cloud.Attribute
		says  string
	}{
		"hours":           {last(36 * time.Hour), "window.duration", "nearest: 1 day or 2 days"},
		"under a day":     {last(time.Hour), "window.duration", "nearest: 1 day"},
		"15 days":         {last(15 * day), "window.duration", "nearest: 14 days or 21 days"},
		"183 days":        {last(183 * day), "window.duration", "nearest: 182 days"},
		"negative":        {last(-day), "window.duration", "negative"},
		"no length":       {last(0), "window.duration", "needs its length"},
		"odd window":      {func(s *cloud.Spec) { s.Duration, s.StartAt, s.EndAt = 0, blockStart, blockEnd.Add(time.Hour) }, cloud.AttrEnd, "7 days or 8 days"},
		"longer by a day": {between(7*day, 6*day), "window.duration", "a block of 7 days does not fit between start_at and end_at, which are 6 days apart"},
		"much longer":     {between(14*day, day), "window.duration", "which are 1 day apart"},
		"end first":       {func(s *cloud.Spec) { s.StartAt, s.EndAt = blockEnd, blockStart }, cloud.AttrEnd, "not after the start"},
		"open":            {func(s *cloud.Spec) { s.Match = cloud.Open }, cloud.AttrMatch, "targeted"},
		"too many":        {func(s *cloud.Spec) { s.Count = 65 }, cloud.AttrCount, "1 to 64"},
		"no place":        {func(s *cloud.Spec) { s.Region = "" }, cloud.AttrRegion, "region or a zone"},
		"platform":        {native("platform", "Windows"), "aws.platform", "Ubuntu Pro"},
		"tenancy":         {native("tenancy", "dedicated"), "aws.tenancy", "default"},
		"commitment":      {native("commitment", "14d"), "aws.commitment", "kind block"},
		"placement group": {native("placement_group_arn", "x"), "aws.placement_group_arn", "kind block"},
		"tags":            {func(s *cloud.Spec) { s.Tags = many }, cloud.AttrTags, "43 are left"},
	}
	c := aws.New(aws.Config{})
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := week()
			test.spoil(&s)
			_, problems := c.Check(s)
			if len(problems) != 1 || problems[0].Attribute != test.at || !strings.Contains(problems[0].Detail, test.says) {
				t.Errorf("got %+v, want one at %s that says %q", problems, test.at, test.says)
			}
		})
	}
}

func TestOffersSends(t *testing.T) {
	t.Parallel()
	base := map[string]string{"CapacityDurationHours": "168", "InstanceType": "p5.48xlarge", "InstanceCount": "2", "MaxResults": "1000"}
	s := newStub(t)
	s.on(offers, offered("more"), offered(""), offered(""))
	w := week()
	got, err := s.cloud().Offers(t.Context(), w)
	if err != nil || got == nil || len(got) > 0 {
		t.Errorf("got %v, %v, want an empty list", got, err)
	}
	wantForm(t, s.sent(offers, 0).form, base)
	base["NextToken"] = "more"
	wantForm(t, s.sent(offers, 1).form, base)
	delete(base, "NextToken")
	base["StartDateRange"], base["EndDateRange"] = "2031-03-03T11:30:00Z", "2031-04-01T00:00:00Z"
	w.StartAt, w.EndAt = blockStart, time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.cloud().Offers(t.Context(), w); err != nil {
		t.Error(err)
	}
	wantForm(t, s.sent(offers, 2).form, base)
}

// TestOffersFit: every page is walked, what does not fit is left out, and the
// rest is in order.
func TestOffersFit(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(offers,
		offered("more",
			offerXML("dear", "200.50"),
			offerXML("ultra", "1", "<tenancy>", "<ultraserverType>u-p6e-gb200x36</ultraserverType><tenancy>"),
			offerXML("later", "100", "2031-03-03T11", "2031-03-03T12"),
			offerXML("elsewhere", "1", "us-east-1a", "us-east-1b"),
			offerXML("larger", "1", "<instanceCount>2", "<instanceCount>3")),
		offered("",
			offerXML("cheap", "100"),
			offerXML("long", "1", "2031-03-10", "2031-03-12"),
			offerXML("early", "1", "2031-03-03T11:30", "2031-03-03T11:29"),
			offerXML("late", "1", "2031-03-10T11:30", "2031-03-10T11:31"),
			offerXML("another", "1", "p5.48xlarge", "p5e.48xlarge")))
	w := week()
	w.Zone, w.StartAt, w.EndAt = zone, blockStart, blockEnd
	got, err := s.cloud().Offers(t.Context(), w)
	after := offer("later", 100_000_000)
	after.StartAt = blockStart.Add(time.Hour)
	want := []cloud.Offer{offer("cheap", 100_000_000), after, offer("dear", 200_500_000)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestOffersFail(t *testing.T) {
	t.Parallel()
	throttled := refused(503, "RequestLimitExceeded", "Request limit exceeded.")
	tests := map[string]struct {
		answers []answer
		change  func(*cloud.Spec)
		code    cloud.Code
		says    string
	}{
		"throttled":        {[]answer{throttled}, nil, cloud.Throttled, ""},
		"asked too often":  {[]answer{refused(400, "CapacityBlockDescribeLimitExceeded", "no")}, nil, cloud.Throttled, ""},
		"no set":           {[]answer{{}}, nil, cloud.Internal, "capacityBlockOfferingSet"},
		"no second set":    {[]answer{offered("more", offerXML("a", "1")), {}}, nil, cloud.Internal, ""},
		"a price in words": {[]answer{offered("", offerXML("a", "cheap"))}, nil, cloud.Internal, "upfrontFee"},
		"no currency":      {[]answer{offered("", offerXML("a", "1", "<currencyCode>USD</currencyCode>", ""))}, nil, cloud.Internal, "currencyCode"},
		"no such type":     {[]answer{refused(400, "InvalidParameterValue", "no")}, nil, cloud.Invalid, ""},
		"a bad wish":       {nil, func(s *cloud.Spec) { s.Duration = time.Hour }, cloud.Invalid, "window.duration"},
		"not sold so": {
			nil, func(s *cloud.Spec) { *s = wish() }, cloud.Unsupported, "on_demand",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(offers, test.answers...)
			w := week()
			if test.change != nil {
				test.change(&w)
			}
			_, err := s.cloud().Offers(t.Context(), w)
			e := classed(t, err)
			if e.Code != test.code || e.Accepted || !strings.Contains(e.Error(), test.says) {
				t.Errorf("got %+v, want %s that says %q", e, test.code, test.says)
			}
			if want := 7 * time.Second; e.Code == cloud.Throttled && e.RetryAfter != want {
				t.Errorf("retry after %v, want %v", e.RetryAfter, want)
			}
		})
	}
}

// TestOffersTooFarAhead: once the cloud's time is known, a start that no block
// can have is not searched for.
func TestOffersTooFarAhead(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.on(offers, offered(""))
	c := s.cloud()
	if _, err := c.Now(t.Context(), "", region); err != nil {
		t.Fatal(err)
	}
	w := week()
	w.StartAt = start.Add(57 * day)
	_, err := c.Offers(t.Context(), w)
	if e := classed(t, err); e.Code != cloud.Invalid || !strings.Contains(e.Message, "window.start_at: the start 2031-04-27T12:00:00Z must be at most 56 days after") {
		t.Errorf("got %+v", e)
	}
	w.StartAt = start.Add(-day)
	if _, err := c.Offers(t.Context(), w); err != nil {
		t.Errorf("a search from yesterday on: %v", err)
	}
	s.wantActions("GetCallerIdentity", offers)
}

func TestOfferByID(t *testing.T) {
	t.Parallel()
	listed := offered("", offerXML("cheap", "1"), offerXML("cb-1", "100"))
	tests := map[string]struct {
		list     answer
		purchase []answer
		change   func(*cloud.Spec)
		code     cloud.Code
		says     string
	}{
		"listed":        {listed, nil, nil, "", ""},
		"of another":    {listed, nil, func(s *cloud.Spec) { s.Zone = "us-east-1b" }, cloud.Invalid, "does not fit"},
		"expired":       {offered(""), []answer{refused(400, "InvalidCapacityBlockOfferingIdExpired", "too late")}, nil, cloud.Invalid, "IdExpired: too late"},
		"never was":     {offered(""), []answer{refused(400, "InvalidCapacityBlockOfferingIdNotFound", "no")}, nil, cloud.Invalid, "IdNotFound"},
		"no id at all":  {offered(""), []answer{refused(400, "InvalidCapacityBlockOfferingIdMalformed", "no")}, nil, cloud.Invalid, "IdMalformed"},
		"sold out":      {offered(""), []answer{refused(500, "InsufficientInstanceCapacity", "no")}, nil, cloud.NoCapacity, ""},
		"for another":   {offered(""), []answer{refused(412, "DryRunOperation", "Request would have succeeded, but DryRun flag is set.")}, nil, cloud.Invalid, "not on sale for what the wish asks"},
		"may not":       {offered(""), []answer{refused(403, "UnauthorizedOperation", "no")}, nil, cloud.PermissionDenied, ""},
		"lost":          {offered(""), []answer{{drop: true}}, nil, cloud.Internal, ""},
		"throttled":     {offered(""), []answer{refused(503, "RequestLimitExceeded", "no")}, nil, cloud.Throttled, ""},
		"foreign words": {offered(""), []answer{{}}, nil, cloud.Internal, "refusal"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(offers, test.list)
			s.on(purchase, test.purchase...)
			w := week()
			w.OfferID = "cb-1"
			if test.change != nil {
				test.change(&w)
			}
			got, err := s.cloud().Offers(t.Context(), w)
			if test.purchase != nil {
				wantForm(t, s.sent(purchase, 0).form, map[string]string{
					"CapacityBlockOfferingId": "cb-1", "InstancePlatform": "Linux/UNIX", "DryRun": "true",
				})
			}
			if test.code == "" {
				if diff := cmp.Diff([]cloud.Offer{offer("cb-1", 100_000_000)}, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				return
			}
			if e := classed(t, err); e.Code != test.code || e.Accepted || !strings.Contains(e.Error(), test.says) {
				t.Errorf("got %+v, want %s that says %q", e, test.code, test.says)
			}
		})
	}
}

// TestBlockDecodes: two tags of ours tell what was paid and for how long; they
// are not the user's.
func TestBlockDecodes(t *testing.T) {
	t.Parallel()
	ours := []string{"gpulock:paid-upfront", "98.32 USD", "gpulock:length", "168h", "team", "ml"}
	ultra := `<launchStatus>unlaunchable</launchStatus>`
	tests := map[string]struct {
		object    string
		paid      string
		length    time.Duration
		committed bool
		usable    time.Duration
		count     int
	}{
		"paid":           {blockObject("active", counts(2, 1), tagSet(ours...)), "98.32 USD", 7 * day, true, 30 * time.Minute, 2},
		"not paid yet":   {blockObject("payment-pending", counts(0, 0), tagSet(ours...)), "98.32 USD", 7 * day, true, 30 * time.Minute, 0},
		"never paid":     {blockObject("payment-failed", tagSet(ours...)), "", 7 * day, false, 30 * time.Minute, 0},
		"bought by hand": {blockObject("scheduled", counts(0, 0), tagSet("aws:ec2capacityreservation:incrementalRequestedQuantity", "2")), "", 0, true, 30 * time.Minute, 2},
		"spoilt tags":    {blockObject("scheduled", tagSet("gpulock:paid-upfront", "a lot", "gpulock:length", "a week")), "", 0, true, 30 * time.Minute, 0},
		"an UltraServer": {blockObject("active", counts(2, 1), ultra), "", 0, true, time.Hour, 2},
		"over":           {blockObject("expired", counts(2, 2)), "", 0, false, 30 * time.Minute, 2},
		"told by its tag": {
			strings.Replace(blockObject("scheduled", tagSet("aws:ec2capacityreservation:capacityReservationType", "capacity-block")), "<reservationType>capacity-block</reservationType>", "", 1),
			"", 0, true, 30 * time.Minute, 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.on(describe, described("", test.object))
			got, err := s.cloud().Get(t.Context(), ref())
			if err != nil {
				t.Fatal(err)
			}
			paid := ""
			if got.PaidUpfront != nil {
				paid = got.PaidUpfront.String()
			}
			committed := time.Time{}
			if test.committed {
				committed = blockEnd
			}
			type shown struct {
				Kind              cloud.Kind
				Paid              string
				Length            time.Duration
				Committed, Usable time.Time
				Count             int
			}
			want := shown{cloud.Block, test.paid, test.length, committed, blockEnd.Add(-test.usable), test.count}
			if diff := cmp.Diff(want, shown{got.Kind, paid, got.Length, got.CommittedUntil, got.UsableUntil, got.Count}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(got.Tags) > 1 || !got.FreeUntil.IsZero() || got.Native["platform"] != "Linux/UNIX" {
				t.Errorf("got %+v", got)
			}
		})
	}
}
