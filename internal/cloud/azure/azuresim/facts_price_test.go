package azuresim_test

import (
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// item is a row of the price list.
type item struct {
	CurrencyCode, ArmRegionName, ArmSkuName, ProductName, SkuName, MeterName, Type, UnitOfMeasure, ReservationTerm string
	RetailPrice                                                                                                    float64
}

// prices asks for rows; an empty filter is none.
func (s *stage) prices(filter, more string) reply {
	s.t.Helper()
	return s.open("/api/retail/prices?$filter=" + url.QueryEscape(filter) + more)
}

func (s *stage) items(got reply) []item {
	s.t.Helper()
	var list struct{ Items []item }
	s.ok(json.Unmarshal([]byte(s.accepted(got, http.StatusOK).body), &list))
	return list.Items
}

// priced demands a number of rows.
func (s *stage) priced(filter string, want int) []item {
	s.t.Helper()
	got := s.items(s.prices(filter, ""))
	if len(got) != want {
		s.t.Errorf("%s: %d rows, want %d", filter, len(got), want)
	}
	return got
}

// unpriced demands that a filter is refused.
func (s *stage) unpriced(got reply) {
	s.t.Helper()
	s.accepted(got, http.StatusBadRequest)
	s.says(s.says(got, "BadRequest", "Error", "Code"), "Invalid OData parameters supplied", "Error", "Message")
}

const a100Rows = "serviceName eq 'Virtual Machines' and armRegionName eq 'eastus' and armSkuName eq '" + kindA100 + "'"

func priceProofs() map[string]proof {
	return map[string]proof{
		"azure-10-prices": {
			accepted: func(s *stage) {
				got := s.accepted(s.prices(a100Rows, "&api-version=2023-01-01-preview"), http.StatusOK)
				s.says(s.says(got, "USD", "BillingCurrency"), 8, "Count")
				if got.at("NextPageLink") != nil || !strings.Contains(got.body, `"NextPageLink":null`) {
					s.t.Error(got.body)
				}
			},
			rejected: func(s *stage) { s.unpriced(s.prices("price lt 1", "")) },
		},
		"azure-10-rows": {
			accepted: tellsRowsApart,
			rejected: func(s *stage) { s.unpriced(s.prices(a100Rows+" and Type eq 'Consumption'", "")) },
		},
		"azure-10-filter": {
			accepted: func(s *stage) {
				s.priced(strings.Replace(a100Rows, "'eastus'", "'EastUS'", 1), 0)
				s.priced("armSkuName eq '"+kindA100+"' or armSkuName eq '"+kindH100+"'", 16)
				s.priced("(armSkuName eq '"+kindA100+"' or armSkuName eq '"+kindH100+"') and contains(skuName, 'Spot')", 4)
				s.priced("armSkuName eq 'it''s'", 0)
			},
			rejected: func(s *stage) {
				for _, filter := range []string{
					"ArmSkuName eq 'x'", "armSkuName in ('x','y')", "not contains(productName, 'Windows')", "armSkuName eq x", "armSkuName eq 'x' and",
					"armSkuName eq 'x", "(armSkuName eq 'x'", "armSkuName eq 'x')", "armSkuName ne 'x'", "contains(armSkuName 'x')", "armSkuName eq 'x' armSkuName",
				} {
					s.unpriced(s.prices(filter, ""))
				}
			},
		},
		"azure-10-comparisons": {
			accepted: func(s *stage) { s.priced(strings.TrimSuffix(strings.Repeat("skuName eq 'x' or ", 20), " or "), 0) },
			rejected: func(s *stage) {
				s.unpriced(s.prices(strings.TrimSuffix(strings.Repeat("skuName eq 'x' or ", 21), " or "), ""))
			},
		},
		"azure-10-length": {
			accepted: func(s *stage) { s.priced("skuName eq '"+strings.Repeat("x", 2034)+"'", 0) },
			rejected: func(s *stage) {
				s.accepted(s.prices("skuName eq '"+strings.Repeat("x", 2036)+"'", ""), http.StatusNotFound)
			},
		},
		"azure-10-currency": {
			accepted: convertsPrices,
			rejected: func(s *stage) { s.unpriced(s.prices(a100Rows, "&currencyCode='XXX'")) },
		},
		"azure-10-page": {
			accepted: turnsPages,
			rejected: func(s *stage) { s.unpriced(s.prices(a100Rows, "&$skip=-1")) },
		},
	}
}

// plain tells the row of Linux on demand from the others of a size.
func (i item) plain() bool {
	for _, other := range []string{"Windows", "Spot", "Low Priority"} {
		if strings.Contains(i.ProductName+i.SkuName, other) {
			return false
		}
	}
	return i.Type == "Consumption"
}

// tellsRowsApart picks the one row that a careful reader takes.
func tellsRowsApart(s *stage) {
	rows := s.priced(a100Rows, 8)
	if rows[0].plain() || slices.ContainsFunc(rows, func(i item) bool { return i.UnitOfMeasure != "1 Hour" }) {
		s.t.Errorf("got %+v", rows)
	}
	linux := slices.DeleteFunc(rows, func(i item) bool { return !i.plain() })
	if len(linux) != 1 || math.Abs(linux[0].RetailPrice-3.673) > 1e-9 || linux[0].MeterName != "NC24ads A100 v4" {
		s.t.Errorf("got %+v", linux)
	}
	year := s.priced(a100Rows+" and priceType eq 'Reservation' and reservationTerm eq '1 Year'", 1)
	if year[0].RetailPrice < 10_000 {
		s.t.Errorf("not the price of a year: %+v", year)
	}
	s.priced(a100Rows+" and priceType eq 'DevTestConsumption'", 1)
}

// turnsPages follows NextPageLink.
func turnsPages(s *stage) {
	s.ok(s.world.SetPaging(sim.Paging{Cloud: "azure", Max: 3}))
	var all []item
	got := s.prices(a100Rows, "")
	for pages := 1; ; pages++ {
		all = append(all, s.items(got)...)
		next, more := got.at("NextPageLink").(string)
		if !more {
			if pages != 3 || len(all) != 8 {
				s.t.Errorf("%d rows in %d pages", len(all), pages)
			}
			break
		}
		got = s.raw(http.MethodGet, next, "", "")
	}
	if n := len(s.items(s.prices(a100Rows, "&$top=2&$skip=1"))); n != 2 {
		s.t.Errorf("%d rows", n)
	}
}

// convertsPrices asks in euros, by the rate of this simulation.
func convertsPrices(s *stage) {
	for _, code := range []string{"'EUR'", "EUR", "eur"} {
		got := s.prices(a100Rows, "&currencyCode="+code)
		s.says(got, "EUR", "BillingCurrency")
		row := slices.DeleteFunc(s.items(got), func(i item) bool { return !i.plain() })[0]
		if row.CurrencyCode != "EUR" || math.Abs(row.RetailPrice-3.673*0.86) > 1e-9 {
			s.t.Errorf("got %+v", row)
		}
	}
}
