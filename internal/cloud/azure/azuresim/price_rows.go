package azuresim

import (
	_ "embed" // the data file
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed data/prices.csv
var pricesCSV string

// Values of a price row's type.
const (
	priceConsumption = "Consumption"
	priceDevTest     = "DevTestConsumption"
	priceReservation = "Reservation"
)

// Shares of the Linux price in millionths that the other rows of a size have.
// Windows, Spot and Low Priority are UNVERIFIED, of the size that public samples
// show; dev/test is Windows at the price of Linux. One and three years at 41 and
// 62 % off are those of D2s_v5 (cloudecon.com, 2023-09), for GPUs UNVERIFIED.
const (
	shareWindows     = 1_250_000
	shareSpot        = 200_000
	shareLowPriority = 400_000
	shareOneYear     = 590_000
	shareThreeYears  = 380_000
)

// hoursOfYear are those that a reservation's price is for. Its unit still reads
// one hour.
const hoursOfYear = 8760

// price is an item of the price list in US dollars.
type price struct {
	location, size string
	// product and sku tell rows of one size apart, in words.
	product, sku string
	kind         string
	term         string
	// micros of a dollar.
	micros int64
}

// loadPrices reads the embedded data, once per process.
var loadPrices = sync.OnceValues(func() ([]price, error) {
	reader := csv.NewReader(strings.NewReader(pricesCSV))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("embedded prices: %w", err)
	}
	var all []price
	for _, row := range rows {
		micros, err := strconv.ParseInt(row[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("embedded prices: %s: %w", row[1], err)
		}
		all = append(all, pricesOf(row[0], row[1], micros)...)
	}
	return all, nil
})

// pricesOf are the rows of a size in a location. They come in an order that has
// no meaning, as the service's do: the Linux row is not the first.
func pricesOf(location, size string, micros int64) []price {
	product := "Virtual Machines " + series(size) + " Series"
	words := strings.ReplaceAll(strings.TrimPrefix(size, "Standard_"), "_", " ")
	share := func(millionths int64) int64 { return micros * millionths / 1_000_000 }
	row := price{location: location, size: size, product: product, sku: words, kind: priceConsumption, micros: micros}
	windows, spot, spotWindows, low, devTest, one, three := row, row, row, row, row, row, row
	windows.product, windows.micros = product+" Windows", share(shareWindows)
	spot.sku, spot.micros = words+" Spot", share(shareSpot)
	spotWindows.product, spotWindows.sku, spotWindows.micros = windows.product, spot.sku, share(shareSpot)*shareWindows/1_000_000
	low.sku, low.micros = words+" Low Priority", share(shareLowPriority)
	devTest.product, devTest.kind = windows.product, priceDevTest
	one.kind, one.term, one.micros = priceReservation, "1 Year", share(shareOneYear)*hoursOfYear
	three.kind, three.term, three.micros = priceReservation, "3 Years", share(shareThreeYears)*hoursOfYear*3
	return []price{spot, windows, three, low, row, devTest, one, spotWindows}
}

// series is the name of a size's series in the price list: NCadsA100v4 of
// Standard_NC24ads_A100_v4. The list's own names are less regular, UNVERIFIED.
func series(size string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' {
			return -1
		}
		return r
	}, strings.TrimPrefix(size, "Standard_"))
	letters := strings.IndexAny(name, "0123456789")
	if letters < 0 {
		return name
	}
	rest := strings.TrimLeft(name[letters:], "0123456789")
	return name[:letters] + rest
}

// rates turn US dollars into another currency, in millionths. Azure sets them
// every month; these are of its size, UNVERIFIED.
func rates() map[string]int64 {
	return map[string]int64{"USD": 1_000_000, "EUR": 860_000, "GBP": 750_000, "JPY": 150_000_000}
}

// priceWire is an item as it is written.
type priceWire struct {
	Currency     string  `json:"currencyCode"`
	TierMinimum  float64 `json:"tierMinimumUnits"`
	Term         string  `json:"reservationTerm,omitempty"`
	RetailPrice  float64 `json:"retailPrice"`
	UnitPrice    float64 `json:"unitPrice"`
	Region       string  `json:"armRegionName"`
	Location     string  `json:"location"`
	Effective    string  `json:"effectiveStartDate"`
	MeterID      string  `json:"meterId"`
	MeterName    string  `json:"meterName"`
	ProductID    string  `json:"productId"`
	SkuID        string  `json:"skuId"`
	ProductName  string  `json:"productName"`
	SkuName      string  `json:"skuName"`
	ServiceName  string  `json:"serviceName"`
	ServiceID    string  `json:"serviceId"`
	Family       string  `json:"serviceFamily"`
	Unit         string  `json:"unitOfMeasure"`
	Type         string  `json:"type"`
	PrimaryMeter bool    `json:"isPrimaryMeterRegion"`
	ArmSkuName   string  `json:"armSkuName"`
}

// wire has ids of the form of the real ones, which follow from what they are for.
func (p price) wire(currency string) priceWire {
	amount := float64(p.micros) / 1_000_000 * float64(rates()[currency]) / 1_000_000
	short := func(text string) string {
		return strings.ToUpper(strings.ReplaceAll(derivedGUID(text), "-", "")[:12])
	}
	product := "DZH318Z0" + short("product " + p.product)[:4]
	region := locations()[p.location]
	return priceWire{
		Currency: currency, RetailPrice: amount, UnitPrice: amount, Term: p.term, Region: p.location, Location: priceLocation(region.display),
		Effective: "2026-06-01T00:00:00Z", MeterID: derivedGUID("meter " + p.location + p.product + p.sku), MeterName: p.sku,
		ProductID: product, SkuID: product + "/" + short("sku " + p.location + p.product + p.sku + p.term)[:4],
		ProductName: p.product, SkuName: p.sku, ServiceName: "Virtual Machines", ServiceID: "DZH313Z7MMC8", Family: "Compute",
		Unit: "1 Hour", Type: p.kind, PrimaryMeter: true, ArmSkuName: p.size,
	}
}

// priceLocation is how the price list names a location: "US East" of "East US",
// "EU West" of "West Europe".
func priceLocation(display string) string {
	words := strings.Fields(display)
	for _, area := range []string{"US", "Europe"} {
		if at := slices.Index(words, area); at >= 0 {
			rest := slices.Delete(slices.Clone(words), at, at+1)
			return strings.Replace(area, "Europe", "EU", 1) + " " + strings.Join(rest, " ")
		}
	}
	return display
}
