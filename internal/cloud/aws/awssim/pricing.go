package awssim

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// pricing is the Price List API in JSON 1.1 (section 10), for the service
// AmazonEC2. Its data are the on-demand prices of us-east-1; elsewhere there
// are no products.
type pricing struct{}

const (
	pricingTarget = "AWSPriceListService."
	priceFormat   = "aws_v1"
	priceService  = "AmazonEC2"
	// pricingInvalid is the code of everything that is wrong with a request.
	pricingInvalid = "InvalidParameterException"
)

// pricingRegions have an endpoint of the Price List API (fact
// aws-10-pricing-regions).
func pricingRegions() []string { return []string{"ap-south-1", "eu-central-1", "us-east-1"} }

// priceFilter is a condition on products.
type priceFilter struct{ Type, Field, Value string }

// pricingInput holds the members of all its operations here.
type pricingInput struct {
	ServiceCode   string
	AttributeName string
	Filters       []priceFilter
	FormatVersion string
	NextToken     string
	MaxResults    *int
}

func pricingOperations() map[string]func(*query, pricingInput) (any, *apiError) {
	return map[string]func(*query, pricingInput) (any, *apiError){
		"GetProducts":        getProducts,
		"DescribeServices":   describeServices,
		"GetAttributeValues": getAttributeValues,
	}
}

// read refuses the regions that have no endpoint, as an endpoint elsewhere
// refuses a signature for them.
func (pricing) read(_ *Simulator, _ *sim.Tx, in *sim.Inbound, c *call, req *sim.Request) *apiError {
	if !slices.Contains(pricingRegions(), c.region) {
		return fail("InvalidSignatureException", "Credential should be scoped to a valid region.")
	}
	action, err := target(in, pricingTarget, pricingOperations())
	if err != nil {
		return err
	}
	c.action, req.Operation = action, action
	return nil
}

func (pricing) run(q *query) (sim.Answer, *apiError) {
	var input pricingInput
	if err := q.decodeJSON(&input); err != nil {
		return sim.Answer{}, err
	}
	if input.FormatVersion != "" && input.FormatVersion != priceFormat {
		return sim.Answer{}, fail(pricingInvalid, "The format version %s is not known", printable(input.FormatVersion))
	}
	output, err := pricingOperations()[q.action](q, input)
	if err != nil {
		return sim.Answer{}, err
	}
	return q.answerJSON(output)
}

func (pricing) refuse(c *call, e *apiError) sim.Answer { return refuseJSON(c, e) }

// getProducts is GetProducts: each product is JSON within a JSON string.
func getProducts(q *query, input pricingInput) (any, *apiError) {
	if err := input.checkService(); err != nil {
		return nil, err
	}
	for _, f := range input.Filters {
		if err := f.check(); err != nil {
			return nil, err
		}
	}
	from, size, err := q.pricePage(input, 100)
	if err != nil {
		return nil, err
	}
	output := struct {
		FormatVersion string
		NextToken     string `json:",omitempty"`
		PriceList     []string
	}{FormatVersion: priceFormat, PriceList: []string{}}
	for i, p := range q.matching(input.Filters) {
		if i < from {
			continue
		}
		if len(output.PriceList) == size {
			output.NextToken = q.priceToken(i)
			break
		}
		text, err := p.offer()
		if err != nil {
			return nil, refusal(err)
		}
		output.PriceList = append(output.PriceList, text)
	}
	return output, nil
}

func (input pricingInput) checkService() *apiError {
	switch input.ServiceCode {
	case priceService:
		return nil
	case "":
		return fail(pricingInvalid, "ServiceCode is required")
	}
	return fail(pricingInvalid, "The service code %s is not known", printable(input.ServiceCode))
}

// check refuses filters that are no filters. That a field no product has is
// refused too is UNVERIFIED.
func (f priceFilter) check() *apiError {
	if _, known := priceMatchers()[f.Type]; !known {
		return fail(pricingInvalid, "The filter type %s is not known", printable(f.Type))
	}
	if f.Field == "" || f.Value == "" {
		return fail(pricingInvalid, "A filter needs a Field and a Value")
	}
	if !slices.Contains(priceAttributes(), f.Field) {
		return fail(pricingInvalid, "The attribute %s does not exist for the service %s", printable(f.Field), priceService)
	}
	return nil
}

// priceMatchers are the filter types; those with several values take them
// separated by commas.
func priceMatchers() map[string]func(have, want string) bool {
	equals := func(have, want string) bool { return have == want }
	anyOf := func(have, want string) bool { return slices.Contains(strings.Split(want, ","), have) }
	return map[string]func(have, want string) bool{
		"TERM_MATCH": equals, "EQUALS": equals, "CONTAINS": strings.Contains, "ANY_OF": anyOf,
		"NONE_OF": func(have, want string) bool { return !anyOf(have, want) },
	}
}

// matching lists the products that pass every filter.
func (q *query) matching(filters []priceFilter) []product {
	if q.req.Effects.Empty {
		return nil
	}
	return slices.DeleteFunc(q.sim.products(), func(p product) bool {
		return slices.ContainsFunc(filters, func(f priceFilter) bool {
			return !priceMatchers()[f.Type](p.attribute(f.Field), f.Value)
		})
	})
}

// describeServices is DescribeServices; there is one.
func describeServices(q *query, input pricingInput) (any, *apiError) {
	if input.ServiceCode != "" && input.ServiceCode != priceService {
		return nil, fail(pricingInvalid, "The service code %s is not known", printable(input.ServiceCode))
	}
	if _, _, err := q.pricePage(input, 100); err != nil {
		return nil, err
	}
	type service struct {
		AttributeNames []string
		ServiceCode    string
	}
	return struct {
		FormatVersion string
		Services      []service
	}{priceFormat, []service{{priceAttributes(), priceService}}}, nil
}

// getAttributeValues is GetAttributeValues.
func getAttributeValues(q *query, input pricingInput) (any, *apiError) {
	if err := input.checkService(); err != nil {
		return nil, err
	}
	if !slices.Contains(priceAttributes(), input.AttributeName) {
		return nil, fail(pricingInvalid, "The attribute %s does not exist for the service %s", printable(input.AttributeName), priceService)
	}
	from, size, err := q.pricePage(input, 10_000)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, p := range q.matching(nil) {
		found[p.attribute(input.AttributeName)] = true
	}
	type value struct{ Value string }
	output := struct {
		AttributeValues []value
		NextToken       string `json:",omitempty"`
	}{AttributeValues: []value{}}
	for i, name := range slices.Sorted(maps.Keys(found)) {
		if i < from {
			continue
		}
		if len(output.AttributeValues) == size {
			output.NextToken = q.priceToken(i)
			break
		}
		output.AttributeValues = append(output.AttributeValues, value{name})
	}
	return output, nil
}

// pricePage reads where a page begins and how long it is.
func (q *query) pricePage(input pricingInput, longest int) (from, size int, err *apiError) {
	size = longest
	if input.MaxResults != nil {
		size = *input.MaxResults
	}
	if size < 1 || size > longest {
		return 0, 0, fail(pricingInvalid, "MaxResults must be between 1 and %d", longest)
	}
	if smaller := q.tx.PageMax(cloudName); smaller > 0 {
		size = min(size, smaller)
	}
	if input.NextToken == "" {
		return 0, size, nil
	}
	data, broken := base64.RawURLEncoding.DecodeString(input.NextToken)
	position, own := strings.CutPrefix(string(data), q.action+" ")
	from, bad := strconv.Atoi(position)
	if broken != nil || !own || bad != nil || from < 0 {
		return 0, 0, fail("InvalidNextTokenException", "The NextToken is not valid")
	}
	return from, size, nil
}

func (q *query) priceToken(next int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(q.action + " " + strconv.Itoa(next)))
}
