package azuresim

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Limits of the price list. A page has up to 1000 items (Azure documentation,
// azure-retail-prices). Measured at the service: more than 20 comparisons are
// refused (2026-10) and so is everything but what priceFilter reads; a filter
// of more than 2048 characters is answered 404.
const (
	pricePage        = 1000
	mostComparisons  = 20
	longestPriceText = 2048
)

const badPrices = "Invalid OData parameters supplied"

func priceMethods() []method {
	return []method{{
		id: "RetailPrices_List", verb: http.MethodGet, path: "api/retail/prices", open: true, about: aboutLogin, run: listPrices, word: priceError,
	}}
}

// priceError is an error as the price list words it: other casing than Azure
// Resource Manager's.
func priceError(e *apiError) any {
	return map[string]any{"Error": map[string]string{"Code": e.code, "Message": e.message}}
}

func refusedPrices() *apiError {
	return &apiError{status: http.StatusBadRequest, code: codeBadRequest, message: badPrices}
}

type pricesWire struct {
	Currency     string      `json:"BillingCurrency"`
	CustomerID   string      `json:"CustomerEntityId"`
	CustomerType string      `json:"CustomerEntityType"`
	Items        []priceWire `json:"Items"`
	Next         *string     `json:"NextPageLink"`
	Count        int         `json:"Count"`
}

// listPrices is the Retail Prices API (facts azure-10).
func listPrices(q *query) (result, *apiError) {
	currency, err := q.currency()
	if err != nil {
		return result{}, err
	}
	keep, err := readPriceFilter(q.params.Get("$filter"))
	if err != nil {
		return result{}, err
	}
	skip, most, err := q.priceSlice()
	if err != nil {
		return result{}, err
	}
	all, failed := loadPrices()
	if failed != nil {
		return result{}, internal(failed)
	}
	if q.req.Effects.Empty {
		all = nil
	}
	w := pricesWire{Currency: currency, CustomerID: "Default", CustomerType: "Retail", Items: []priceWire{}}
	for _, p := range all {
		row := p.wire(currency)
		if !keep(row) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(w.Items) == most {
			next := q.nextPrices(most)
			w.Next = &next
			break
		}
		w.Items = append(w.Items, row)
	}
	if q.req.Effects.Shuffle {
		q.tx.Rand().Shuffle(len(w.Items), func(i, j int) { w.Items[i], w.Items[j] = w.Items[j], w.Items[i] })
	}
	w.Count = len(w.Items)
	return result{body: w}, nil
}

// currency reads currencyCode, in quotes or without.
func (q *query) currency() (string, *apiError) {
	code := strings.ToUpper(strings.Trim(q.params.Get("currencyCode"), "'"))
	if code == "" {
		return "USD", nil
	}
	if _, known := rates()[code]; !known {
		return "", refusedPrices()
	}
	return code, nil
}

// priceSlice reads $skip and $top.
func (q *query) priceSlice() (skip, most int, err *apiError) {
	most = pricePage
	if allowed := q.tx.PageMax(cloudName); allowed > 0 {
		most = min(most, allowed)
	}
	read := func(name string, into *int) {
		text := q.params.Get(name)
		if text == "" {
			return
		}
		n, failed := strconv.Atoi(text)
		if failed != nil || n < 0 {
			err = refusedPrices()
			return
		}
		*into = n
	}
	top := most
	read("$skip", &skip)
	read("$top", &top)
	return skip, min(top, most), err
}

// nextPrices is the URL of the page after this one.
func (q *query) nextPrices(most int) string {
	skip, _ := strconv.Atoi(q.params.Get("$skip"))
	next := url.Values{}
	for key, values := range q.params {
		next[key] = values
	}
	next.Set("$skip", strconv.Itoa(skip+most))
	return q.base + "/api/retail/prices?" + next.Encode()
}
