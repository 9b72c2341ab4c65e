package azure

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// aRow is a row of the price list for one size, with what differs from the plain one.
func aRow(change ...string) string {
	text := `{"currencyCode":"USD","tierMinimumUnits":0.0,"retailPrice":3.673,"unitPrice":3.673,"armRegionName":"eastus","location":"US East",
		"effectiveStartDate":"2023-05-01T00:00:00Z","meterName":"NC24ads A100 v4","productName":"Virtual Machines NCads A100 v4 Series","skuName":"NC24ads A100 v4",
		"serviceName":"Virtual Machines","unitOfMeasure":"1 Hour","type":"Consumption","isPrimaryMeterRegion":true,"armSkuName":"Standard_NC24ads_A100_v4"}`
	for i := 0; i+1 < len(change); i += 2 {
		if !strings.Contains(text, change[i]) {
			panic(change[i])
		}
		text = strings.Replace(text, change[i], change[i+1], 1)
	}
	return text
}

func pricesBody(next string, rows ...string) reply {
	return reply{body: `{"Items":[` + strings.Join(rows, ",") + `],"NextPageLink":` + next + `,"Count":1}`}
}

const (
	spotRow   = "v4\",\"productName\":\"Virtual Machines NCads A100 v4 Series\",\"skuName\":\"NC24ads A100 v4\""
	spotRowIs = "v4 Spot\",\"productName\":\"Virtual Machines NCads A100 v4 Series\",\"skuName\":\"NC24ads A100 v4 Spot\""
	primary   = `"isPrimaryMeterRegion":true`
	secondary = `"isPrimaryMeterRegion":false`
)

func TestMarket(t *testing.T) {
	t.Parallel()
	since := time.Date(2031, 2, 1, 0, 0, 0, 0, time.UTC)
	s := newCanned(t, map[string][]reply{getSizes: someSizes(), getPrices: {
		pricesBody(`"`+testOrigin+`/api/retail/prices?$skip=100"`,
			aRow("3.673", "9.1", "A100 v4 Series", "A100 v4 Series Windows"),
			aRow("3.673", "9.2", `"type":"Consumption"`, `"type":"DevTestConsumption"`),
			aRow("3.673", "30000", `"type":"Consumption"`, `"type":"Reservation","reservationTerm":"1 Year"`),
			aRow("3.673", "9.3", `"meterName":"NC24ads A100 v4"`, `"meterName":"NC24ads A100 v4 Low Priority"`),
			aRow("3.673", "9.4", primary, secondary),
			aRow("3.673", "9.5", "2023-05-01", "2031-04-01"),
			aRow("3.673", "9.6", "2023-05-01", "2021-05-01"),
			aRow("3.673", "9.7", `"tierMinimumUnits":0.0`, `"tierMinimumUnits":100`)),
		pricesBody("null", aRow(), aRow(spotRow, spotRowIs, "3.673", "0.7345", "2023-05-01T00:00:00Z", "2031-02-01T00:00:00+00:00")),
	}})
	got, err := s.driver().Market(t.Context(), cloud.MarketQuery{Region: "eastus", InstanceTypes: []string{testSize, "Standard_ND96isr_H100_v5", "Standard_NC1_v1"}})
	yes := true
	plain, spot := &money.Money{Micros: 3_673_000, Currency: "USD"}, &money.Money{Micros: 734_500, Currency: "USD"}
	noScores := map[cloud.SignalField]string{cloud.SignalSpotScore: noScore}
	unpriced := "Azure's list has no one price of Standard_ND96isr_H100_v5 in eastus"
	want := []cloud.Signal{
		{Region: "eastus", Zone: "1", InstanceType: testSize, Offered: &yes, OnDemand: plain, Spot: spot, SpotAt: since, Unknown: noScores},
		{Region: "eastus", Zone: "3", InstanceType: testSize, Offered: &yes, OnDemand: plain, Spot: spot, SpotAt: since, Unknown: noScores},
		{
			Region: "eastus", Zone: "1", InstanceType: "Standard_ND96isr_H100_v5", Offered: &yes,
			Unknown: map[cloud.SignalField]string{cloud.SignalSpotScore: noScore, cloud.SignalOnDemand: unpriced, cloud.SignalSpot: unpriced},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; (-want +got):\n%s", err, diff)
	}
	for _, r := range s.asked {
		if strings.HasSuffix(r.URL.Path, "/prices") && r.Header.Get("Authorization") != "" {
			t.Error("the list of prices is sent a token")
		}
	}
	filter := s.asked[2].URL.Query().Get("$filter")
	if !strings.Contains(filter, "armRegionName eq 'eastus' and (armSkuName eq 'Standard_NC24ads_A100_v4' or armSkuName eq 'Standard_ND96isr_H100_v5'") {
		t.Errorf("the filter is %q", filter)
	}
}

func TestMarketZones(t *testing.T) {
	t.Parallel()
	s := newCanned(t, map[string][]reply{getSizes: someSizes(), getPrices: {pricesBody(`""`)}})
	got, err := s.driver().Market(t.Context(), cloud.MarketQuery{
		Region: "eastus", Zones: []string{"2", "1"}, InstanceTypes: []string{testSize, "Standard_ND96isr_H100_v5", "Standard_NC6s_v3"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, s := range got {
		shown = append(shown, fmt.Sprint(s.InstanceType, s.Zone, *s.Offered))
	}
	want := []string{
		testSize + "1true", testSize + "2false", "Standard_ND96isr_H100_v51true", "Standard_ND96isr_H100_v52false", "Standard_NC6s_v31false", "Standard_NC6s_v32false",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	// A location without zones has one place.
	s = newCanned(t, map[string][]reply{getSizes: someSizes(), getPrices: {pricesBody(`""`)}})
	got, err = s.driver().Market(t.Context(), cloud.MarketQuery{Region: "eastus", InstanceTypes: []string{"Standard_NV6ads_A10_v5"}})
	if err != nil || len(got) != 1 || got[0].Zone != "" || !*got[0].Offered {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMarketHalfKnown(t *testing.T) {
	t.Parallel()
	broken := reply{status: http.StatusForbidden, body: "<html>"}
	query := cloud.MarketQuery{Region: "eastus", Zones: []string{"1"}, InstanceTypes: []string{testSize}}
	s := newCanned(t, map[string][]reply{getSizes: someSizes(), getPrices: {broken}})
	got, err := s.driver().Market(t.Context(), query)
	if err != nil || got[0].Offered == nil || !strings.Contains(got[0].Unknown[cloud.SignalOnDemand], "could not be read") {
		t.Errorf("without prices: %+v, %v", got, err)
	}
	s = newCanned(t, map[string][]reply{getSizes: {{status: 403, body: fails("AuthorizationFailed", "m")}}, getPrices: {pricesBody("null", aRow())}})
	got, err = s.driver().Market(t.Context(), query)
	if err != nil || got[0].Offered != nil || got[0].Unknown[cloud.SignalOffered] == "" || got[0].OnDemand == nil {
		t.Errorf("without sizes: %+v, %v", got, err)
	}
}

func TestMarketUnknown(t *testing.T) {
	t.Parallel()
	query := cloud.MarketQuery{Region: "eastus", InstanceTypes: []string{testSize}}
	s := newCanned(t, map[string][]reply{getSizes: {{status: 403, body: fails("AuthorizationFailed", "m")}}, getPrices: {pricesBody("null", aRow())}})
	if _, err := s.driver().Market(t.Context(), query); cloud.CodeOf(err) != cloud.PermissionDenied {
		t.Errorf("without sizes and zones: %v", err)
	}
	query.Region = "East US"
	if _, err := s.driver().Market(t.Context(), query); cloud.CodeOf(err) != cloud.Invalid {
		t.Errorf("a region that is none: %v", err)
	}
	if got, err := s.driver().Market(t.Context(), cloud.MarketQuery{Region: "eastus"}); err != nil || got == nil || len(got) != 0 {
		t.Errorf("nothing asked: %v, %v", got, err)
	}
}

// TestPricesStayThere: a link leads no further than the list, and not in a circle.
func TestPricesStayThere(t *testing.T) {
	t.Parallel()
	for _, next := range []string{`"https://evil.example.com/api/retail/prices"`, `"` + testOrigin + `/api/retail/prices?again"`, `"::"`} {
		s := newCanned(t, map[string][]reply{getPrices: {pricesBody(next, aRow())}})
		d := s.driver()
		cl, err := d.inAccount(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.prices(t.Context(), cl, "eastus", []string{testSize}); cloud.CodeOf(err) != cloud.Internal || len(s.keys()) > 2 {
			t.Errorf("%s: %v after %v", next, err, s.keys())
		}
	}
}

func TestPricesURL(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		"": "https://prices.azure.com/api/retail/prices", "https://management.azure.com/": "https://prices.azure.com/api/retail/prices",
		"https://management.usgovcloudapi.net": "https://prices.azure.com/api/retail/prices", "http://127.0.0.1:9/": "http://127.0.0.1:9/api/retail/prices",
	} {
		if got := New(Config{Endpoint: endpoint}).pricesURL(); got != want {
			t.Errorf("%q: %s", endpoint, got)
		}
	}
}

func TestPriceOfDisagreement(t *testing.T) {
	t.Parallel()
	var rows []priceRow
	page := object[pricePage](t, pricesBody("null", aRow(), aRow("3.673", "4.5")).body)
	rows = append(rows, page.Items...)
	if price, _, ok := priceOf(rows, "eastus", testSize, false, testNow); ok {
		t.Errorf("two rows of one time with two prices are %v", price)
	}
	if price, _, ok := priceOf(rows[:1], "eastus", testSize, false, testNow); !ok || price.Micros != 3_673_000 {
		t.Errorf("one row is %v, %t", price, ok)
	}
}
