package awssim_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// pricing posts a JSON body to an operation of the Price List API.
func (s *stage) pricing(operation, body string) reply {
	s.t.Helper()
	return s.send(body, authorization("AKIDEXAMPLE", s.region, "pricing", s.when()), map[string]string{
		"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AWSPriceListService." + operation,
	})
}

// refusedJSON checks the code of a JSON 1.1 answer.
func (s *stage) refusedJSON(got reply, code string) {
	s.t.Helper()
	if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"__type":"`+code+`"`) {
		s.t.Errorf("got %d %s, want %s", got.status, got.body, code)
	}
}

// offer is what a test reads of a product.
type offer struct {
	Product struct {
		ProductFamily, SKU string
		Attributes         map[string]string
	}
	ServiceCode string
	Terms       map[string]map[string]struct {
		OfferTermCode   string
		PriceDimensions map[string]struct {
			Unit, RateCode string
			PricePerUnit   map[string]string
		}
	}
}

// onDemand are the on-demand prices of an hour.
func (o offer) onDemand() []string {
	var all []string
	for _, term := range o.Terms["OnDemand"] {
		for _, d := range term.PriceDimensions {
			all = append(all, d.Unit+" "+d.PricePerUnit["USD"])
		}
	}
	return all
}

// products asks with filters "field=value" of the type TERM_MATCH.
func (s *stage) products(filters ...string) []offer {
	s.t.Helper()
	input := map[string]any{"ServiceCode": "AmazonEC2", "FormatVersion": "aws_v1"}
	var list []map[string]string
	for _, f := range filters {
		field, value, _ := strings.Cut(f, "=")
		list = append(list, map[string]string{"Type": "TERM_MATCH", "Field": field, "Value": value})
	}
	input["Filters"] = list
	body, err := json.Marshal(input)
	s.ok(err)
	return s.priceList(s.accepted(s.pricing("GetProducts", string(body))))
}

func (s *stage) priceList(got reply) []offer {
	s.t.Helper()
	var page struct {
		FormatVersion string
		PriceList     []string
	}
	s.ok(json.Unmarshal([]byte(got.body), &page))
	if page.FormatVersion != "aws_v1" || page.PriceList == nil {
		s.t.Errorf("page %s", got.body)
	}
	var all []offer
	for _, text := range page.PriceList {
		var o offer
		s.ok(json.Unmarshal([]byte(text), &o))
		all = append(all, o)
	}
	return all
}

// careful are the filters that leave the one price of an instance.
func careful(instanceType string) []string {
	return []string{
		"instanceType=" + instanceType, "regionCode=us-east-1", "operatingSystem=Linux", "preInstalledSw=NA", "tenancy=Shared",
		"capacitystatus=Used", "licenseModel=No License required",
	}
}

// badPricing is the code of most that is wrong with a request.
const badPricing = "InvalidParameterException"

// getProducts asks with further members.
func (s *stage) getProducts(members string) reply {
	s.t.Helper()
	return s.pricing("GetProducts", `{"ServiceCode":"AmazonEC2"`+members+`}`)
}

func (s *stage) filtered(kind, field, value string) reply {
	s.t.Helper()
	return s.getProducts(`,"Filters":[{"Type":"` + kind + `","Field":"` + field + `","Value":"` + value + `"}]`)
}

func pricingProofs() map[string]proof {
	all := productProofs()
	maps.Copy(all, variantProofs())
	maps.Copy(all, priceListProofs())
	return all
}

func productProofs() map[string]proof {
	return map[string]proof{
		"aws-10-pricing-products": {
			accepted: func(s *stage) {
				got := s.products(careful("p4d.24xlarge")...)
				if len(got) != 1 || !slices.Equal(got[0].onDemand(), []string{"Hrs 21.9576420000"}) {
					s.t.Errorf("%+v", got)
				}
				if got := s.products("instanceType=p4d.24xlarge", "regionCode=us-west-2"); len(got) != 0 {
					s.t.Errorf("%+v", got)
				}
				if got := s.products(careful("g4dn.metal")...); len(got) != 1 || got[0].Product.ProductFamily == "Compute Instance" {
					s.t.Errorf("%+v", got)
				}
			},
			rejected: func(s *stage) {
				s.refusedJSON(s.pricing("GetProducts", `{}`), badPricing)
				s.refusedJSON(s.pricing("GetProducts", `{"ServiceCode":"AmazonS4"}`), badPricing)
				s.refusedJSON(s.getProducts(`,"FormatVersion":"aws_v2"`), badPricing)
				s.refusedJSON(s.getProducts(`,"Color":"red"`), "SerializationException")
			},
		},
		"aws-10-pricing-filters": {
			accepted: func(s *stage) {
				for _, tt := range []struct {
					kind, value string
					want        int
				}{
					{"EQUALS", "p5.4xlarge", 9},
					{"CONTAINS", "g6f.", 36},
					{"ANY_OF", "p5.4xlarge,g6f.large", 18},
					{"NONE_OF", "x", 100},
					{"TERM_MATCH", "P5.4XLARGE", 0},
				} {
					if got := s.priceList(s.accepted(s.filtered(tt.kind, "instanceType", tt.value))); len(got) != tt.want {
						s.t.Errorf("%s: %d products", tt.kind, len(got))
					}
				}
			},
			rejected: func(s *stage) {
				s.refusedJSON(s.filtered("LIKE", "instanceType", "p5.4xlarge"), badPricing)
				s.refusedJSON(s.filtered("TERM_MATCH", "instanceType", ""), badPricing)
				s.refusedJSON(s.filtered("TERM_MATCH", "instance_type", "p5.4xlarge"), badPricing)
			},
		},
	}
}

func variantProofs() map[string]proof {
	return map[string]proof{
		"aws-10-pricing-variants": {
			accepted: func(s *stage) {
				prices := map[string]int{}
				for _, o := range s.products("instanceType=p5.48xlarge") {
					prices[o.onDemand()[0]]++
				}
				if prices["Hrs 55.0400000000"] != 3 || prices["Hrs 0.0000000000"] != 2 || len(prices) != 6 {
					s.t.Errorf("%v", prices)
				}
				if terms := s.products(careful("p5.48xlarge")...)[0].Terms["Reserved"]; len(terms) != 5 {
					s.t.Errorf("%d reserved terms", len(terms))
				}
			},
			rejected: func(s *stage) { s.refusedJSON(s.filtered("TERM_MATCH", "capacityStatus", "Used"), badPricing) },
		},
	}
}

func priceListProofs() map[string]proof {
	return map[string]proof{
		"aws-10-pricing-paging": {
			accepted: func(s *stage) {
				seen, token := 0, ""
				for page := 0; page == 0 || token != ""; page++ {
					got := s.accepted(s.getProducts(`,"MaxResults":100,"NextToken":"` + token + `"`))
					seen += len(s.priceList(got))
					var next struct{ NextToken string }
					s.ok(json.Unmarshal([]byte(got.body), &next))
					token = next.NextToken
				}
				if seen < 300 || seen%9 != 0 {
					s.t.Errorf("%d products", seen)
				}
			},
			rejected: func(s *stage) {
				s.refusedJSON(s.getProducts(`,"NextToken":"x"`), "InvalidNextTokenException")
				s.refusedJSON(s.getProducts(`,"MaxResults":0`), badPricing)
				s.refusedJSON(s.getProducts(`,"MaxResults":101`), badPricing)
			},
		},
		"aws-10-pricing-regions": {
			accepted: func(s *stage) {
				for _, region := range []string{"eu-central-1", "ap-south-1", "us-east-1"} {
					s.region = region
					if got := s.products(careful("p4d.24xlarge")...); len(got) != 1 {
						s.t.Errorf("%s: %d products", region, len(got))
					}
				}
			},
			rejected: func(s *stage) {
				s.region = "us-west-2"
				s.refusedJSON(s.getProducts(""), "InvalidSignatureException")
			},
		},
		"aws-10-pricing-metadata": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.pricing("DescribeServices", `{"ServiceCode":"AmazonEC2"}`)), `"capacitystatus"`)
				values := `{"ServiceCode":"AmazonEC2","AttributeName":"tenancy"`
				s.says(s.accepted(s.pricing("GetAttributeValues", values+"}")), `[{"Value":"Dedicated"},{"Value":"Host"},{"Value":"Shared"}]`)
				s.says(s.accepted(s.pricing("GetAttributeValues", values+`,"MaxResults":1}`)), `"NextToken"`)
			},
			rejected: func(s *stage) {
				s.refusedJSON(s.pricing("DescribeServices", `{"ServiceCode":"x"}`), badPricing)
				s.refusedJSON(s.pricing("GetAttributeValues", `{"ServiceCode":"AmazonEC2","AttributeName":"x"}`), badPricing)
				s.refusedJSON(s.pricing("DeletePrices", `{}`), "UnknownOperationException")
			},
		},
	}
}
