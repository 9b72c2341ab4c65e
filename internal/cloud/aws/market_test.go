package aws_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	typeOfferings = "DescribeInstanceTypeOfferings"
	zonesAction   = "DescribeAvailabilityZones"
	spotHistory   = "DescribeSpotPriceHistory"
	spotScores    = "GetSpotPlacementScores"
	products      = "GetProducts"
)

func offeringsOf(next string, pairs ...string) answer {
	items := []string{}
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, `<instanceType>`+pairs[i]+`</instanceType><locationType>availability-zone</locationType><location>`+pairs[i+1]+`</location>`)
	}
	return listing(typeOfferings, "instanceTypeOfferingSet", next, items...)
}

func zonesAnswer(pairs ...string) answer {
	items := []string{}
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, `<zoneId>`+pairs[i]+`</zoneId><zoneName>`+pairs[i+1]+`</zoneName><regionName>us-east-1</regionName>`)
	}
	return listing(zonesAction, "availabilityZoneInfo", "", items...)
}

// spotItem is one price in the history.
func spotItem(zone, product, price, at string) string {
	return `<instanceType>p5.48xlarge</instanceType><productDescription>` + product + `</productDescription><spotPrice>` + price +
		`</spotPrice><timestamp>` + at + `</timestamp><availabilityZone>` + zone + `</availabilityZone>`
}

func scores(next string, pairs ...string) answer {
	items := []string{}
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, `<region>us-east-1</region><availabilityZoneId>`+pairs[i]+`</availabilityZoneId><score>`+pairs[i+1]+`</score>`)
	}
	return listing(spotScores, "spotPlacementScoreSet", next, items...)
}

// product is a row of the price list; change spoils its attributes.
func product(name, price string, change ...string) string {
	attributes := map[string]string{
		"instanceType": name, "regionCode": region, "operatingSystem": "Linux", "tenancy": "Shared", "capacitystatus": "Used",
		"preInstalledSw": "NA", "licenseModel": "No License required", "marketoption": "OnDemand", "vcpu": "192",
	}
	for i := 0; i < len(change); i += 2 {
		attributes[change[i]] = change[i+1]
	}
	list, _ := json.Marshal(attributes)
	return fmt.Sprintf(`{"product":{"productFamily":"Compute Instance","attributes":%s,"sku":"SKU"},"serviceCode":"AmazonEC2","terms":{"OnDemand":{"SKU.T":`+
		`{"priceDimensions":{"SKU.T.D":{"unit":"Hrs","endRange":"Inf","pricePerUnit":{"USD":"%s"}}},"sku":"SKU","termAttributes":{}}}}}`, list, price)
}

func priced(next string, rows ...string) answer {
	body, _ := json.Marshal(map[string]any{"FormatVersion": "aws_v1", "PriceList": append([]string{}, rows...), "NextToken": next})
	return answer{body: string(body), header: map[string]string{"Content-Type": "application/x-amz-json-1.1"}}
}

func jsonRefusal(name string) answer {
	return answer{status: 400, body: `{"__type":"` + name + `","Message":"m"}`, header: map[string]string{"X-Amzn-Errortype": name}}
}

// sold is a stub with one type in two zones and every signal of it.
func (s *stub) sold() {
	s.on(typeOfferings, offeringsOf("", "p5.48xlarge", "us-east-1b", "p5.48xlarge", "us-east-1a"))
	s.on(zonesAction, zonesAnswer("use1-az4", "us-east-1a", "use1-az6", "us-east-1b", "use1-az1", "us-east-1c"))
	s.on(products, priced("", product("p5.48xlarge", "55.0400000000")))
	s.on(spotHistory, listing(spotHistory, "spotPriceHistorySet", "",
		spotItem("us-east-1a", "Linux/UNIX", "21.957642", "2031-03-01T10:00:00.000Z"),
		spotItem("us-east-1b", "Linux/UNIX", "30.1000", "2031-03-01T09:00:00.000Z")))
	s.on(spotScores, scores("", "use1-az4", "3", "use1-az6", "1"))
}

func usd(micros int64) *money.Money { return &money.Money{Micros: micros, Currency: "USD"} }

func query(change ...func(*cloud.MarketQuery)) cloud.MarketQuery {
	q := cloud.MarketQuery{Region: region, InstanceTypes: []string{"p5.48xlarge"}, Count: 2}
	for _, f := range change {
		f(&q)
	}
	return q
}

// soldIn is the whole signal of the first zone.
func soldIn(zone string, spot int64, at time.Time, score int) cloud.Signal {
	return cloud.Signal{
		Region: region, Zone: zone, InstanceType: "p5.48xlarge", Offered: ptr(true), OnDemand: usd(55_040_000),
		Spot: usd(spot), SpotAt: at, SpotScore: ptr(score), Unknown: map[cloud.SignalField]string{},
	}
}

func TestMarket(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.sold()
	got, err := s.cloud().Market(t.Context(), query())
	if err != nil {
		t.Fatal(err)
	}
	want := []cloud.Signal{
		soldIn("us-east-1a", 21_957_642, time.Date(2031, 3, 1, 10, 0, 0, 0, time.UTC), 3),
		soldIn("us-east-1b", 30_100_000, time.Date(2031, 3, 1, 9, 0, 0, 0, time.UTC), 1),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.wantActions(typeOfferings, zonesAction, products, spotHistory, spotScores)
	wantForm(t, s.sent(typeOfferings, 0).form, map[string]string{
		"LocationType": "availability-zone", "Filter.1.Name": "instance-type", "Filter.1.Value.1": "p5.48xlarge", "MaxResults": "1000",
	})
	wantForm(t, s.sent(zonesAction, 0).form, nil)
	wantForm(t, s.sent(spotHistory, 0).form, map[string]string{
		"InstanceType.1": "p5.48xlarge", "ProductDescription.1": "Linux/UNIX", "StartTime": "2031-03-01T12:00:00Z", "MaxResults": "1000",
	})
	wantForm(t, s.sent(spotScores, 0).form, map[string]string{
		"InstanceType.1": "p5.48xlarge", "TargetCapacity": "2", "RegionName.1": region, "SingleAvailabilityZone": "true",
	})
	var sent struct {
		ServiceCode, FormatVersion string
		MaxResults                 int
		Filters                    []struct{ Type, Field, Value string }
	}
	if err := json.Unmarshal([]byte(s.sent(products, 0).body), &sent); err != nil {
		t.Fatal(err)
	}
	filters := map[string]string{}
	for _, f := range sent.Filters {
		filters[f.Type+" "+f.Field] = f.Value
	}
	wanted := map[string]string{
		"TERM_MATCH instanceType": "p5.48xlarge", "TERM_MATCH regionCode": region, "TERM_MATCH operatingSystem": "Linux",
		"TERM_MATCH tenancy": "Shared", "TERM_MATCH capacitystatus": "Used", "TERM_MATCH preInstalledSw": "NA",
		"TERM_MATCH licenseModel": "No License required",
	}
	if diff := cmp.Diff(wanted, filters); diff != "" || sent.ServiceCode != "AmazonEC2" || sent.FormatVersion != "aws_v1" || sent.MaxResults != 100 {
		t.Errorf("sent %+v; (-want +got):\n%s", sent, diff)
	}
}

// TestMarketPages: what comes in pages is read to its end, the last spot price
// of a zone counts, and calls do not grow with zones.
func TestMarketPages(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.sold()
	s.on(typeOfferings, offeringsOf("2", "p5.48xlarge", "us-east-1a"), offeringsOf("", "g6.xlarge", "us-east-1a", "p5.48xlarge", "us-east-1b"))
	s.on(spotHistory,
		listing(spotHistory, "spotPriceHistorySet", "2",
			spotItem("us-east-1a", "Linux/UNIX", "1", "2031-03-01T08:00:00Z"),
			spotItem("us-east-1a", "Windows", "9", "2031-03-01T11:00:00Z")),
		listing(spotHistory, "spotPriceHistorySet", "",
			spotItem("us-east-1a", "Linux/UNIX", "2", "2031-03-01T09:00:00Z"),
			spotItem("us-east-1a", "Linux/UNIX", "3", "2031-03-01T07:00:00Z")))
	s.on(products, priced("2"), priced("", product("p5.48xlarge", "55.04")), priced("", product("g6.xlarge", "0.8048")))
	s.on(spotScores, scores("2", "use1-az4", "3"), scores("", "use1-az6", "1"), scores("", "use1-az4", "9"))
	got, err := s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) {
		q.InstanceTypes = []string{"p5.48xlarge", "x9.nosuchtype", "g6.xlarge"}
	}))
	if err != nil || len(got) != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if *got[0].Spot != *usd(2_000_000) || *got[1].SpotScore != 1 || *got[2].OnDemand != *usd(804_800) || *got[2].SpotScore != 9 {
		t.Errorf("got %+v", got)
	}
	if n := len(s.actions()); n != 2+1+3+2+3 {
		t.Errorf("%d calls: %v", n, s.actions())
	}
	if strings.Contains(s.sent(spotHistory, 0).body, "nosuchtype") {
		t.Error("asked for spot prices of a type that the region does not have")
	}
}

// TestMarketWithout: a part that fails is nil with its reason, and costs no other
// part.
func TestMarketWithout(t *testing.T) {
	t.Parallel()
	denied, throttled := refused(403, "UnauthorizedOperation", "not you"), refused(503, "RequestLimitExceeded", "slow")
	all := []cloud.SignalField{cloud.SignalOnDemand, cloud.SignalSpot, cloud.SignalSpotScore}
	tests := map[string]struct {
		action  string
		answers []answer
		zones   []string
		want    map[cloud.SignalField]string
	}{
		"price list denied":      {action: products, answers: []answer{jsonRefusal("AccessDeniedException")}, want: map[cloud.SignalField]string{cloud.SignalOnDemand: "no permission: GetProducts"}},
		"price list throttled":   {action: products, answers: []answer{jsonRefusal("ThrottlingException")}, want: map[cloud.SignalField]string{cloud.SignalOnDemand: "throttled: GetProducts"}},
		"not listed":             {action: products, answers: []answer{priced("")}, want: map[cloud.SignalField]string{cloud.SignalOnDemand: "no price is listed"}},
		"hollow price list":      {action: products, answers: []answer{{body: "{}"}}, want: map[cloud.SignalField]string{cloud.SignalOnDemand: "no PriceList"}},
		"spot denied":            {action: spotHistory, answers: []answer{denied}, want: map[cloud.SignalField]string{cloud.SignalSpot: "no permission: DescribeSpotPriceHistory"}},
		"hollow spot":            {action: spotHistory, answers: []answer{{}}, want: map[cloud.SignalField]string{cloud.SignalSpot: "spotPriceHistorySet"}},
		"no spot here":           {action: spotHistory, answers: []answer{listing(spotHistory, "spotPriceHistorySet", "")}, want: map[cloud.SignalField]string{cloud.SignalSpot: "no spot price"}},
		"a spot price in words":  {action: spotHistory, answers: []answer{listing(spotHistory, "spotPriceHistorySet", "", spotItem("us-east-1a", "Linux/UNIX", "much", "2031-03-01T08:00:00Z"))}, want: map[cloud.SignalField]string{cloud.SignalSpot: "price that is none"}},
		"scores throttled":       {action: spotScores, answers: []answer{throttled}, want: map[cloud.SignalField]string{cloud.SignalSpotScore: "throttled: GetSpotPlacementScores"}},
		"scores used up":         {action: spotScores, answers: []answer{refused(400, "MaxConfigLimitExceededException", "no more today")}, want: map[cloud.SignalField]string{cloud.SignalSpotScore: "no more today"}},
		"hollow scores":          {action: spotScores, answers: []answer{{}}, want: map[cloud.SignalField]string{cloud.SignalSpotScore: "spotPlacementScoreSet"}},
		"not among the scores":   {action: spotScores, answers: []answer{scores("", "use1-az1", "9")}, want: map[cloud.SignalField]string{cloud.SignalSpotScore: "no score"}},
		"zones denied":           {action: zonesAction, answers: []answer{denied}, want: map[cloud.SignalField]string{cloud.SignalSpotScore: "no permission: DescribeAvailabilityZones"}},
		"hollow zones":           {action: zonesAction, answers: []answer{{}}, want: map[cloud.SignalField]string{cloud.SignalSpotScore: "availabilityZoneInfo"}},
		"offerings denied":       {action: typeOfferings, answers: []answer{denied}, want: map[cloud.SignalField]string{cloud.SignalOffered: "no permission: DescribeInstanceTypeOfferings"}},
		"hollow offerings":       {action: typeOfferings, answers: []answer{{}}, want: map[cloud.SignalField]string{cloud.SignalOffered: "instanceTypeOfferingSet"}},
		"offerings, zones given": {action: typeOfferings, answers: []answer{denied}, zones: []string{zone}, want: map[cloud.SignalField]string{cloud.SignalOffered: "no permission"}},
		"not offered here": {
			action: typeOfferings, answers: []answer{offeringsOf("", "p5.48xlarge", "us-east-1b")}, zones: []string{zone},
			want: map[cloud.SignalField]string{all[0]: "not offered in us-east-1a", all[1]: "not offered in us-east-1a", all[2]: "not offered in us-east-1a"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.sold()
			s.on(test.action, test.answers...)
			got, err := s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) { q.Zones = test.zones }))
			if err != nil || len(got) == 0 || got[0].Zone != zone {
				t.Fatalf("got %+v, %v", got, err)
			}
			wantUnknown(t, got[0], test.want)
		})
	}
}

// wantUnknown demands that just these fields are nil, and why.
func wantUnknown(t *testing.T, s cloud.Signal, want map[cloud.SignalField]string) {
	t.Helper()
	missing := map[cloud.SignalField]bool{
		cloud.SignalOffered: s.Offered == nil, cloud.SignalOnDemand: s.OnDemand == nil,
		cloud.SignalSpot: s.Spot == nil, cloud.SignalSpotScore: s.SpotScore == nil,
	}
	for field, isNil := range missing {
		text, told := s.Unknown[field]
		says, wanted := want[field]
		if isNil != wanted || told != wanted || !strings.Contains(text, says) {
			t.Errorf("%s: nil %v, reason %q; want %v that says %q", field, isNil, text, wanted, says)
		}
	}
}

func TestMarketZones(t *testing.T) {
	t.Parallel()
	s := newStub(t)
	s.sold()
	s.on(typeOfferings, offeringsOf("", "p5.48xlarge", "us-east-1-dfw-2a", "p5.48xlarge", "us-east-1a"))
	got, err := s.cloud().Market(t.Context(), query())
	if err != nil || len(got) != 2 || got[0].Zone != "us-east-1-dfw-2a" {
		t.Fatalf("got %+v, %v", got, err)
	}
	wantUnknown(t, got[0], map[cloud.SignalField]string{
		cloud.SignalOnDemand: "no Availability Zone", cloud.SignalSpot: "no spot price", cloud.SignalSpotScore: "no score",
	})
	s.on(typeOfferings, offeringsOf(""))
	if got, err := s.cloud().Market(t.Context(), query()); err != nil || len(got) != 0 {
		t.Errorf("a type that no zone has: %+v, %v", got, err)
	}
	got, err = s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) { q.Zones = []string{"us-east-1c", "us-east-1a", "us-east-1c"} }))
	if err != nil || len(got) != 2 || got[0].Zone != zone || got[0].Offered == nil || *got[0].Offered {
		t.Errorf("a type that no zone has, of two zones: %+v, %v", got, err)
	}
}

// TestMarketUntold: only what leaves nothing to tell is an error.
func TestMarketUntold(t *testing.T) {
	t.Parallel()
	denied := refused(403, "UnauthorizedOperation", "not you")
	s := newStub(t)
	for _, action := range []string{typeOfferings, zonesAction, spotHistory, spotScores} {
		s.on(action, denied)
	}
	s.on(products, jsonRefusal("AccessDeniedException"))
	for _, zones := range [][]string{nil, {zone}} {
		_, err := s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) { q.Zones = zones }))
		if e := classed(t, err); e.Code != cloud.PermissionDenied || e.Op != typeOfferings {
			t.Errorf("zones %v: %v", zones, err)
		}
	}
	if _, err := s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) { q.Account = "nobody" })); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("an unknown account: %v", err)
	}
}

func TestPriceRegions(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"us-west-2": "us-east-1", "ca-central-1": "us-east-1", "eu-west-1": "eu-central-1", "ap-northeast-1": "ap-south-1", "sa-east-1": "us-east-1",
	} {
		s := newStub(t)
		s.sold()
		s.on(typeOfferings, offeringsOf("", "p5.48xlarge", place+"a"))
		if _, err := s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) { q.Region = place })); err != nil {
			t.Error(err)
		}
		if got := s.sent(products, 0).region; got != want {
			t.Errorf("prices of %s asked for in %s, want %s", place, got, want)
		}
	}
	s := newStub(t)
	s.sold()
	s.on(typeOfferings, offeringsOf("", "p5.48xlarge", "cn-north-1a"))
	got, err := s.cloud().Market(t.Context(), query(func(q *cloud.MarketQuery) { q.Region = "cn-north-1" }))
	if err != nil || !strings.Contains(got[0].Unknown[cloud.SignalOnDemand], "aws-cn") || slices.Contains(s.actions(), products) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestPriceList: which rows are the price of a plain instance.
func TestPriceList(t *testing.T) {
	t.Parallel()
	good := product("p5.48xlarge", "55.0400000000")
	tests := map[string]struct {
		rows []string
		want *money.Money
		says string
	}{
		"one":             {[]string{good}, usd(55_040_000), ""},
		"the same twice":  {[]string{good, good}, usd(55_040_000), ""},
		"two prices":      {[]string{good, product("p5.48xlarge", "60")}, nil, "more than one price"},
		"without option":  {[]string{strings.Replace(good, `"marketoption":"OnDemand",`, "", 1)}, usd(55_040_000), ""},
		"a block":         {[]string{product("p5.48xlarge", "1", "marketoption", "CapacityBlock")}, nil, "no price is listed"},
		"another type":    {[]string{product("p5e.48xlarge", "1")}, nil, "no price is listed"},
		"another tenancy": {[]string{good, product("p5.48xlarge", "1", "tenancy", "Dedicated")}, usd(55_040_000), ""},
		"unused":          {[]string{product("p5.48xlarge", "1", "capacitystatus", "UnusedCapacityReservation")}, nil, "no price is listed"},
		"licensed":        {[]string{product("p5.48xlarge", "1", "licenseModel", "Bring your own license")}, nil, "no price is listed"},
		"with software":   {[]string{product("p5.48xlarge", "1", "preInstalledSw", "SQL Std")}, nil, "no price is listed"},
		"nothing to pay":  {[]string{product("p5.48xlarge", "0.0000000000")}, nil, "no price is listed"},
		"by the second":   {[]string{strings.Replace(good, "Hrs", "Second", 1)}, nil, "no price is listed"},
		"in yuan":         {[]string{strings.Replace(good, "USD", "CNY", 1)}, nil, "no price is listed"},
		"two dimensions":  {[]string{strings.Replace(good, `"SKU.T.D":`, `"SKU.T.E":{"unit":"Hrs","pricePerUnit":{"USD":"1"}},"SKU.T.D":`, 1)}, nil, "no price is listed"},
		"two terms":       {[]string{strings.Replace(good, `"SKU.T":`, `"SKU.U":{},"SKU.T":`, 1)}, nil, "no price is listed"},
		"reserved only":   {[]string{strings.Replace(good, "OnDemand\":{\"SKU", "Reserved\":{\"SKU", 1)}, nil, "no price is listed"},
		"too fine":        {[]string{product("p5.48xlarge", "0.1234567890")}, nil, "price that is none"},
		"no JSON":         {[]string{"{"}, nil, "price that is none"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStub(t)
			s.sold()
			s.on(products, priced("", test.rows...))
			got, err := s.cloud().Market(t.Context(), query())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got[0].OnDemand); diff != "" || !strings.Contains(got[0].Unknown[cloud.SignalOnDemand], test.says) {
				t.Errorf("unknown %v; (-want +got):\n%s", got[0].Unknown, diff)
			}
		})
	}
}
