package aws

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opOfferings = "DescribeHostReservationOfferings"

// termOffers are the host reservations that AWS sells for hosts of the wish's
// family, cheapest over the whole term first. Without a term in the wish every
// one fits; an offer id asks for that one alone.
func (c *Cloud) termOffers(ctx context.Context, spec cloud.Spec) ([]cloud.Offer, error) {
	var p problems
	if spec.InstanceType == "" {
		p.add(cloud.AttrInstanceType, "name an instance type, such as p4d.24xlarge")
	}
	if spec.Term != nil {
		checkTermPlan(*spec.Term, &p)
	}
	if len(p) > 0 {
		return nil, refuse(opOfferings, p)
	}
	at, err := c.place(ctx, spec.Account, regionOf(spec))
	if err != nil {
		return nil, err
	}
	offers, err := at.termOffers(ctx, spec)
	if err == nil && len(offers) == 0 && spec.OfferID != "" {
		return nil, &cloud.Error{
			Code: cloud.Invalid, Op: opOfferings, Message: cloud.Clean(spec.OfferID + " is no offer for hosts of " + spec.InstanceType + " and this term"),
		}
	}
	return offers, err
}

// regionOf is the region of a wish that may only name its zone.
func regionOf(spec cloud.Spec) string {
	if match := zoneForm.FindStringSubmatch(spec.Zone); spec.Region == "" && match != nil {
		return match[1]
	}
	return spec.Region
}

func (p *place) termOffers(ctx context.Context, spec cloud.Spec) ([]cloud.Offer, error) {
	offers := []cloud.Offer{}
	err := pages(opOfferings, func(token *string) (*string, error) {
		out, err := call(ctx, opOfferings, func(ctx context.Context) (*ec2.DescribeHostReservationOfferingsOutput, error) {
			return p.ec2.DescribeHostReservationOfferings(ctx, offeringsInput(spec, token))
		})
		if err != nil {
			return nil, err
		}
		if out.OfferingSet == nil {
			return nil, hollow(opOfferings, "offeringSet")
		}
		for _, found := range out.OfferingSet {
			o, err := termOffer(p.region, spec, found)
			if err != nil {
				return nil, err
			}
			if fitsTerm(spec, found) {
				offers = append(offers, o)
			}
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(offers, func(a, b cloud.Offer) int { return cmp.Compare(overall(a), overall(b)) })
	return offers, nil
}

func offeringsInput(spec cloud.Spec, token *string) *ec2.DescribeHostReservationOfferingsInput {
	in := &ec2.DescribeHostReservationOfferingsInput{MaxResults: awssdk.Int32(hostPage), NextToken: token}
	if spec.OfferID != "" {
		in.OfferingId = awssdk.String(spec.OfferID)
		return in
	}
	in.Filter = []ec2types.Filter{{Name: awssdk.String("instance-family"), Values: []string{hostFamily(spec.InstanceType)}}}
	if t := spec.Term; t != nil {
		in.Filter = append(in.Filter, ec2types.Filter{
			Name: awssdk.String("payment-option"), Values: []string{string(payments()[t.Payment])},
		})
		in.MinDuration, in.MaxDuration = awssdk.Int32(terms()[t.Months]), awssdk.Int32(terms()[t.Months])
	}
	return in
}

// fitsTerm holds an offering to the wish, of which an offer id asks nothing.
func fitsTerm(spec cloud.Spec, found ec2types.HostOffering) bool {
	if awssdk.ToString(found.InstanceFamily) != hostFamily(spec.InstanceType) {
		return false
	}
	t := spec.Term
	return t == nil || awssdk.ToInt32(found.Duration) == terms()[t.Months] && found.PaymentOption == payments()[t.Payment]
}

// termOffer reads an offering. It begins when it is bought.
func termOffer(region string, spec cloud.Spec, found ec2types.HostOffering) (cloud.Offer, error) {
	upfront, err := termPrice(found.UpfrontPrice, found.CurrencyCode)
	if err != nil {
		return cloud.Offer{}, unpriced(opOfferings, err)
	}
	perHour, err := termPrice(found.HourlyPrice, found.CurrencyCode)
	if err != nil {
		return cloud.Offer{}, unpriced(opOfferings, err)
	}
	seconds := awssdk.ToInt32(found.Duration)
	return cloud.Offer{
		ID: awssdk.ToString(found.OfferingId), Kind: cloud.Term, Region: region, Zone: spec.Zone,
		InstanceType: spec.InstanceType, Count: 1, Length: time.Duration(seconds) * time.Second,
		Upfront: upfront, PerHour: &perHour,
		Term: &cloud.TermPlan{Months: monthsOf(seconds), Payment: paymentOf(found.PaymentOption)},
	}, nil
}

// overall is what an offer costs over its term, to sort by.
func overall(o cloud.Offer) float64 {
	return float64(o.Upfront.Micros) + float64(o.PerHour.Micros)*o.Length.Hours()
}

// unpriced is the error of a price that is none.
func unpriced(op string, err error) error {
	return &cloud.Error{Code: cloud.Internal, Op: op, HTTPStatus: 200, Message: "the answer has a price that is none: " + strconv.Quote(err.Error()), Cause: err}
}
