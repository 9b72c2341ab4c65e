package azure

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	azcloud "github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/httpfault"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	// opPrices is the price list's, which has no operation ids.
	opPrices    = "RetailPrices_List"
	pricesHost  = "https://prices.azure.com"
	pricesPath  = "/api/retail/prices"
	maxPrices   = 4 << 20 // bytes of one page
	maxInFilter = 20      // sizes in one filter, to keep its address short
)

// priceRow is a price as the list shows it (Azure docs, "Azure Retail Prices
// overview", API property details).
type priceRow struct {
	Currency    string      `json:"currencyCode"`
	Minimum     json.Number `json:"tierMinimumUnits"`
	Price       json.Number `json:"retailPrice"`
	Region      string      `json:"armRegionName"`
	Since       string      `json:"effectiveStartDate"`
	Until       string      `json:"effectiveEndDate"`
	MeterName   string      `json:"meterName"`
	ProductName string      `json:"productName"`
	SKUName     string      `json:"skuName"`
	Unit        string      `json:"unitOfMeasure"`
	Type        string      `json:"type"`
	Primary     bool        `json:"isPrimaryMeterRegion"`
	Size        string      `json:"armSkuName"`
}

type pricePage struct {
	Items []priceRow `json:"Items"`
	Next  string     `json:"NextPageLink"`
}

// pricesURL is where the price list is: with a private Resource Manager, else the
// public one, which serves Azure's own clouds.
func (c *Cloud) pricesURL() string {
	text := strings.TrimSuffix(c.cfg.Endpoint, "/")
	for _, known := range []azcloud.Configuration{azcloud.AzurePublic, azcloud.AzureGovernment, azcloud.AzureChina} {
		if text == "" || host(known.Services[azcloud.ResourceManager].Endpoint) == host(text) {
			return pricesHost + pricesPath
		}
	}
	return text + pricesPath
}

// prices reads the rows of sizes in a location. The list is public: it takes no
// token, and none is sent.
func (c *Cloud) prices(ctx context.Context, cl *clients, location string, sizes []string) ([]priceRow, error) {
	filter := "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq '" + location + "'"
	var terms []string
	for _, size := range sizes {
		// What is no size would break the filter.
		if typeForm.MatchString(size) {
			terms = append(terms, "armSkuName eq '"+size+"'")
		}
	}
	if len(terms) == 0 {
		return nil, nil
	}
	base, err := url.Parse(c.pricesURL())
	if err != nil {
		return nil, &cloud.Error{Code: cloud.Invalid, Op: opPrices, Message: cloud.Clean(err.Error())}
	}
	var rows []priceRow
	for len(terms) > 0 {
		some := terms[:min(len(terms), maxInFilter)]
		terms = terms[len(some):]
		first := *base
		first.RawQuery = url.Values{"$filter": {filter + " and (" + strings.Join(some, " or ") + ")"}}.Encode()
		found, err := pricePages(ctx, cl, &first)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// pricePages reads a list to its end.
func pricePages(ctx context.Context, cl *clients, first *url.URL) ([]priceRow, error) {
	var rows []priceRow
	seen := map[string]bool{}
	for next := first.String(); next != ""; {
		u, err := url.Parse(next)
		if err != nil || u.Hostname() != first.Hostname() || u.Scheme != first.Scheme || seen[next] || len(seen) >= maxPages {
			return nil, &cloud.Error{Code: cloud.Internal, Op: opPrices, HTTPStatus: 200, Message: "the list of prices goes on nowhere"}
		}
		seen[next] = true
		page, err := repeated(ctx, cl, opPrices, func() (pricePage, error) { return priceOnce(ctx, cl, next) })
		if err != nil {
			return nil, err
		}
		rows = append(rows, page.Items...)
		next = page.Next
	}
	return rows, nil
}

// priceOnce reads one page in one try.
func priceOnce(ctx context.Context, cl *clients, address string) (pricePage, error) {
	limited, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, address, nil)
	if err != nil {
		return pricePage{}, &cloud.Error{Code: cloud.Invalid, Op: opPrices, Message: cloud.Clean(err.Error())}
	}
	answer, err := cl.sender.plain.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return pricePage{}, cutShort(ctx, opPrices, nil)
		}
		return pricePage{}, translate(opPrices, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return pricePage{}, &cloud.Error{
			Code: httpfault.ByStatus(answer.StatusCode), Op: opPrices, HTTPStatus: answer.StatusCode,
			Message:    cloud.Clean("the list of prices answered " + answer.Status),
			RetryAfter: httpfault.RetryAfter(answer.Header, cl.cloud.clock.Now()),
		}
	}
	var page pricePage
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxPrices)).Decode(&page); err != nil || page.Items == nil {
		if ctx.Err() != nil {
			return pricePage{}, cutShort(ctx, opPrices, nil)
		}
		return pricePage{}, &cloud.Error{
			Code: cloud.Internal, Op: opPrices, HTTPStatus: answer.StatusCode, Message: httpfault.Foreign("Azure", answer.StatusCode, answer.Header),
		}
	}
	return page, nil
}

// tag words of rows that are no plain price of a size: other systems, the discounted
// kinds that may be taken away, and what is over (public samples of the list).
var (
	otherProducts = []string{"windows", "cloud services", "cloudservices", "dedicated"}
	otherMeters   = []string{"low priority", "expired"}
)

const spotWord = "spot"

// priceOf is the price of an hour of a size from rows of its location, plain or as
// spot, with the time since when it holds. It is not known where the rows do not
// agree on one.
func priceOf(rows []priceRow, location, size string, spot bool, now time.Time) (price money.Money, since time.Time, ok bool) {
	for _, r := range rows {
		if !r.plain(location, size, now) || r.spot() != spot {
			continue
		}
		amount, err := money.Parse(r.Price.String(), r.Currency)
		if err != nil {
			return money.Money{}, time.Time{}, false
		}
		at := instantOf(r.Since)
		switch {
		case !ok || at.After(since):
			price, since, ok = amount, at, true
		case at.Equal(since) && amount != price:
			return money.Money{}, time.Time{}, false
		}
	}
	return price, since, ok
}

// plain tells a row of what an hour of a machine costs now, as the machine alone.
func (r priceRow) plain(location, size string, now time.Time) bool {
	return strings.EqualFold(r.Size, size) && locationOf(r.Region) == location &&
		r.Type == "Consumption" && r.Unit == "1 Hour" && r.Primary && zero(r.Minimum) &&
		!instantOf(r.Since).After(now) && (r.Until == "" || instantOf(r.Until).After(now)) &&
		!hasAny(r.ProductName, otherProducts) && !hasAny(r.SKUName+" "+r.MeterName, otherMeters)
}

func (r priceRow) spot() bool { return hasAny(r.SKUName+" "+r.MeterName, []string{spotWord}) }

func zero(n json.Number) bool {
	f, err := n.Float64()
	return n == "" || err == nil && f == 0
}

func hasAny(text string, words []string) bool {
	text = strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
