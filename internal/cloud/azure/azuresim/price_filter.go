package azuresim

import (
	"net/http"
	"regexp"
	"strings"
)

// priceFields are the fields that a filter can name; names are in this casing
// only, and values too (Azure documentation, azure-retail-prices). priceType is
// the item's type.
func priceFields() map[string]func(priceWire) string {
	return map[string]func(priceWire) string{
		"armRegionName":   func(p priceWire) string { return p.Region },
		"armSkuName":      func(p priceWire) string { return p.ArmSkuName },
		"currencyCode":    func(p priceWire) string { return p.Currency },
		"location":        func(p priceWire) string { return p.Location },
		"meterId":         func(p priceWire) string { return p.MeterID },
		"meterName":       func(p priceWire) string { return p.MeterName },
		"priceType":       func(p priceWire) string { return p.Type },
		"productId":       func(p priceWire) string { return p.ProductID },
		"productName":     func(p priceWire) string { return p.ProductName },
		"reservationTerm": func(p priceWire) string { return p.Term },
		"serviceFamily":   func(p priceWire) string { return p.Family },
		"serviceId":       func(p priceWire) string { return p.ServiceID },
		"serviceName":     func(p priceWire) string { return p.ServiceName },
		"skuId":           func(p priceWire) string { return p.SkuID },
		"skuName":         func(p priceWire) string { return p.SkuName },
	}
}

type keeps func(priceWire) bool

// priceToken is a word, a text in quotes with doubled quotes inside, or a sign.
var priceToken = regexp.MustCompile(`^\s*('(?:[^']|'')*'|[A-Za-z]+|[(),])`)

// priceFilter reads a filter: comparisons by eq and contains(), joined by and,
// or and parentheses. The service refuses in and not.
type priceFilter struct {
	tokens      []string
	comparisons int
}

// readPriceFilter makes a filter of a text; an empty one keeps everything.
func readPriceFilter(text string) (keeps, *apiError) {
	if strings.TrimSpace(text) == "" {
		return func(priceWire) bool { return true }, nil
	}
	if len(text) > longestPriceText {
		return nil, &apiError{status: http.StatusNotFound, code: "NotFound", message: "The resource cannot be found."}
	}
	f := &priceFilter{}
	for rest := text; strings.TrimSpace(rest) != ""; {
		m := priceToken.FindStringSubmatch(rest)
		if m == nil {
			return nil, refusedPrices()
		}
		f.tokens, rest = append(f.tokens, m[1]), rest[len(m[0]):]
	}
	keep, ok := f.either()
	if !ok || len(f.tokens) > 0 || f.comparisons > mostComparisons {
		return nil, refusedPrices()
	}
	return keep, nil
}

// take removes the next token where it is the one that is wanted.
func (f *priceFilter) take(want string) bool {
	if len(f.tokens) == 0 || f.tokens[0] != want {
		return false
	}
	f.tokens = f.tokens[1:]
	return true
}

// next removes the next token; "" is the end.
func (f *priceFilter) next() string {
	if len(f.tokens) == 0 {
		return ""
	}
	token := f.tokens[0]
	f.tokens = f.tokens[1:]
	return token
}

func (f *priceFilter) either() (keeps, bool) {
	keep, ok := f.both()
	for ok && f.take("or") {
		left := keep
		var right keeps
		right, ok = f.both()
		keep = func(p priceWire) bool { return left(p) || right(p) }
	}
	return keep, ok
}

func (f *priceFilter) both() (keeps, bool) {
	keep, ok := f.single()
	for ok && f.take("and") {
		left := keep
		var right keeps
		right, ok = f.single()
		keep = func(p priceWire) bool { return left(p) && right(p) }
	}
	return keep, ok
}

func (f *priceFilter) single() (keeps, bool) {
	if f.take("(") {
		keep, ok := f.either()
		return keep, ok && f.take(")")
	}
	f.comparisons++
	word := f.next()
	if word == "contains" {
		return f.contains()
	}
	field, known := priceFields()[word]
	if !known || !f.take("eq") {
		return nil, false
	}
	value, ok := f.text()
	return func(p priceWire) bool { return field(p) == value }, ok
}

func (f *priceFilter) contains() (keeps, bool) {
	if !f.take("(") {
		return nil, false
	}
	field, known := priceFields()[f.next()]
	if !known || !f.take(",") {
		return nil, false
	}
	value, ok := f.text()
	return func(p priceWire) bool { return strings.Contains(field(p), value) }, ok && f.take(")")
}

func (f *priceFilter) text() (string, bool) {
	token := f.next()
	inner, quoted := strings.CutPrefix(token, "'")
	if !quoted {
		return "", false
	}
	return strings.ReplaceAll(strings.TrimSuffix(inner, "'"), "''", "'"), true
}
