package aws

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/pricing"
	pricingtypes "github.com/aws/aws-sdk-go-v2/service/pricing/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	opProducts = "GetProducts"
	// productPage is the most that GetProducts takes.
	productPage = 100
)

// priceRegion is where the price list of a region is asked for. The list is the
// same everywhere, but has few endpoints (AWS endpoints, api.pricing).
func priceRegion(region string) string {
	switch {
	case strings.HasPrefix(region, "eu-"):
		return "eu-central-1"
	case strings.HasPrefix(region, "ap-"):
		return "ap-south-1"
	}
	return "us-east-1"
}

// listPrices are those of each type in the region, under a corner without zone.
func (p *place) listPrices(ctx context.Context, types []string) told[money.Money] {
	t := newTold[money.Money]()
	if partition := partitionOf(p.region); partition != "aws" {
		t.failed[""] = &cloud.Error{Code: cloud.Unsupported, Op: opProducts, Message: "the price list of partition " + partition + " is not read"}
		return t
	}
	for _, name := range types {
		price, err := p.listPrice(ctx, name)
		if err != nil {
			t.failed[name] = err
			continue
		}
		t.at[corner{instanceType: name}] = price
	}
	return t
}

// attribute is one of a product in the price list, by its name there.
type attribute struct{ name, value string }

// plainInstance are the attributes of a Linux instance by itself, in use. A type
// has more products: licenses, tenancies, and capacity that is reserved only.
func plainInstance(region, instanceType string) []attribute {
	return []attribute{
		{"instanceType", instanceType},
		{"regionCode", region},
		{"operatingSystem", "Linux"},
		{"tenancy", "Shared"},
		{"capacitystatus", "Used"},
		{"preInstalledSw", "NA"},
		{"licenseModel", "No License required"},
	}
}

// listPrice is the one price that all matching products have.
func (p *place) listPrice(ctx context.Context, instanceType string) (money.Money, error) {
	wanted := plainInstance(p.region, instanceType)
	var prices []money.Money
	err := pages(opProducts, func(token *string) (*string, error) {
		out, err := call(ctx, opProducts, func(ctx context.Context) (*pricing.GetProductsOutput, error) {
			return p.pricing.GetProducts(ctx, productsInput(wanted, token))
		})
		if err != nil {
			return nil, err
		}
		if out.PriceList == nil {
			return nil, hollow(opProducts, "PriceList")
		}
		for _, text := range out.PriceList {
			price, ok, err := perHour(text, wanted)
			if err != nil {
				return nil, unpriced(opProducts, err)
			}
			if ok && !slices.Contains(prices, price) {
				prices = append(prices, price)
			}
		}
		return out.NextToken, nil
	})
	switch {
	case err != nil:
		return money.Money{}, err
	case len(prices) == 0:
		return money.Money{}, &cloud.Error{Code: cloud.NotFound, Op: opProducts, Message: "no price is listed for " + instanceType + " in " + p.region}
	case len(prices) > 1:
		return money.Money{}, &cloud.Error{Code: cloud.Internal, Op: opProducts, Message: "more than one price is listed for " + instanceType + " in " + p.region}
	}
	return prices[0], nil
}

func productsInput(wanted []attribute, token *string) *pricing.GetProductsInput {
	in := &pricing.GetProductsInput{
		ServiceCode: awssdk.String("AmazonEC2"), FormatVersion: awssdk.String("aws_v1"),
		MaxResults: awssdk.Int32(productPage), NextToken: token,
	}
	for _, a := range wanted {
		in.Filters = append(in.Filters, pricingtypes.Filter{
			Type: pricingtypes.FilterTypeTermMatch, Field: awssdk.String(a.name), Value: awssdk.String(a.value),
		})
	}
	return in
}

// listed is a product of the price list, as far as it is read (AWS Price List
// API, format aws_v1).
type listed struct {
	Product struct {
		Attributes map[string]string `json:"attributes"`
	} `json:"product"`
	Terms struct {
		OnDemand map[string]struct {
			PriceDimensions map[string]struct {
				Unit         string            `json:"unit"`
				PricePerUnit map[string]string `json:"pricePerUnit"`
			} `json:"priceDimensions"`
		} `json:"OnDemand"`
	} `json:"terms"`
}

// perHour reads the on-demand price of a product; ok is false for a product that
// is another one or has no such price: one of nothing stands for what is charged
// elsewhere.
func perHour(text string, wanted []attribute) (price money.Money, ok bool, err error) {
	var p listed
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return money.Money{}, false, err
	}
	if !p.matches(wanted) || len(p.Terms.OnDemand) != 1 {
		return money.Money{}, false, nil
	}
	for _, term := range p.Terms.OnDemand {
		for _, dimension := range term.PriceDimensions {
			amount, inUSD := dimension.PricePerUnit["USD"]
			if len(term.PriceDimensions) != 1 || dimension.Unit != "Hrs" || !inUSD {
				continue
			}
			price, err = money.Parse(amount, "USD")
			return price, err == nil && !price.IsZero(), err
		}
	}
	return money.Money{}, false, nil
}

// matches holds a product to what was asked for, and to the market option where
// it shows one: capacity blocks are products too.
func (p listed) matches(wanted []attribute) bool {
	for _, a := range wanted {
		if !strings.EqualFold(p.Product.Attributes[a.name], a.value) {
			return false
		}
	}
	option, shown := p.Product.Attributes["marketoption"]
	return !shown || option == "OnDemand"
}
