package aws

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const opOffers = "DescribeCapacityBlockOfferings"

// Offers implements cloud.Offerer.
func (c *Cloud) Offers(ctx context.Context, spec cloud.Spec) ([]cloud.Offer, error) {
	switch spec.Kind {
	case cloud.Term:
		return c.termOffers(ctx, spec)
	case cloud.Block:
	default:
		return nil, &cloud.Error{Code: cloud.Unsupported, Op: opOffers, Message: "AWS makes no offers of kind " + string(spec.Kind)}
	}
	spec, wrong := c.Check(spec)
	if len(wrong) > 0 {
		return nil, refuse(opOffers, wrong)
	}
	p, err := c.place(ctx, spec.Account, spec.Region)
	if err != nil {
		return nil, err
	}
	return p.blockOffers(ctx, spec)
}

// blockOffers are the offers that fit a wish; with an offer's id, that one.
func (p *place) blockOffers(ctx context.Context, spec cloud.Spec) ([]cloud.Offer, error) {
	if now, ok := p.dates.Now(); ok {
		if why := outOfLead(spec, now); why != "" {
			return nil, &cloud.Error{Code: cloud.Invalid, Op: opOffers, Message: why}
		}
	}
	all, err := p.listBlockOffers(ctx, spec)
	if err != nil {
		return nil, err
	}
	if spec.OfferID != "" {
		return p.oneOffer(ctx, spec, all)
	}
	all = slices.DeleteFunc(all, func(o cloud.Offer) bool { return !fits(spec, o) })
	slices.SortFunc(all, cheapest)
	return all, nil
}

// cheapest orders by price, then by start. Two currencies have no order of
// prices; they stay apart.
func cheapest(a, b cloud.Offer) int {
	return cmp.Or(cmp.Compare(a.Upfront.Currency, b.Upfront.Currency), cmp.Compare(a.Upfront.Micros, b.Upfront.Micros),
		a.StartAt.Compare(b.StartAt), cmp.Compare(a.ID, b.ID))
}

// fits tells whether an offer is what the wish asks for.
func fits(spec cloud.Spec, o cloud.Offer) bool {
	long := o.Length == spec.Duration
	if spec.OfferID != "" { // who names an offer may take one that is off by hours
		long = (o.Length - spec.Duration).Abs() < day
	}
	return o.Kind == spec.Kind && o.Region == spec.Region && (spec.Zone == "" || o.Zone == spec.Zone) &&
		o.InstanceType == spec.InstanceType && o.Count == spec.Count && long &&
		!o.StartAt.Before(spec.StartAt) && (spec.EndAt.IsZero() || !o.EndAt.After(spec.EndAt))
}

// oneOffer is the offer of an id. One that is not listed is asked for by a
// purchase that only tells whether it would succeed: the cloud's own words for
// why not, or, if it would, an offer of another shape than the wish.
func (p *place) oneOffer(ctx context.Context, spec cloud.Spec, listed []cloud.Offer) ([]cloud.Offer, error) {
	for _, o := range listed {
		switch {
		case o.ID != spec.OfferID:
		case fits(spec, o):
			return []cloud.Offer{o}, nil
		default:
			return nil, otherShape(spec, o)
		}
	}
	_, err := call(ctx, opPurchase, func(ctx context.Context) (*ec2.PurchaseCapacityBlockOutput, error) {
		return p.ec2.PurchaseCapacityBlock(ctx, &ec2.PurchaseCapacityBlockInput{
			CapacityBlockOfferingId: awssdk.String(spec.OfferID),
			InstancePlatform:        ec2types.CapacityReservationInstancePlatform(spec.Native[optPlatform]),
			DryRun:                  awssdk.Bool(true),
		}, p.paced)
	})
	if err == nil {
		// The answer to a dry run is always an error.
		err = hollow(opPurchase, "refusal")
	}
	var e *cloud.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	e.Accepted = false // A dry run buys nothing.
	if e.Native == dryRunPassed {
		return nil, &cloud.Error{
			Code: cloud.Invalid, Op: opPurchase, Native: e.Native, HTTPStatus: e.HTTPStatus, RequestID: e.RequestID,
			Message: cloud.Clean("offer " + spec.OfferID + " is known, but not on sale for what the wish asks: " +
				"it is of another instance type, count, zone, length or window, or sold out"),
		}
	}
	return nil, rare(err)
}

// dryRunPassed is the code that tells that a request would have succeeded (EC2
// API Reference, error codes).
const dryRunPassed = "DryRunOperation"

// listBlockOffers walks all pages of what is on sale for the wish's type, count,
// length and window. UltraServers are another thing to buy.
func (p *place) listBlockOffers(ctx context.Context, spec cloud.Spec) ([]cloud.Offer, error) {
	all := []cloud.Offer{}
	err := pages(opOffers, func(token *string) (*string, error) {
		out, err := call(ctx, opOffers, func(ctx context.Context) (*ec2.DescribeCapacityBlockOfferingsOutput, error) {
			return p.ec2.DescribeCapacityBlockOfferings(ctx, offersInput(spec, token), p.paced)
		})
		if err != nil {
			return nil, rare(err)
		}
		if out.CapacityBlockOfferings == nil {
			return nil, hollow(opOffers, "capacityBlockOfferingSet")
		}
		for _, item := range out.CapacityBlockOfferings {
			if awssdk.ToString(item.UltraserverType) != "" || awssdk.ToInt32(item.UltraserverCount) > 0 {
				continue
			}
			o, err := p.blockOffer(item)
			if err != nil {
				return nil, err
			}
			all = append(all, o)
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func offersInput(spec cloud.Spec, token *string) *ec2.DescribeCapacityBlockOfferingsInput {
	in := &ec2.DescribeCapacityBlockOfferingsInput{
		CapacityDurationHours: awssdk.Int32(int32(spec.Duration / time.Hour)), // Check holds it to 26 weeks.
		InstanceType:          awssdk.String(spec.InstanceType),
		InstanceCount:         awssdk.Int32(int32(spec.Count)), // Check holds it to 1..64.
		MaxResults:            awssdk.Int32(pageSize),
		NextToken:             token,
	}
	if !spec.StartAt.IsZero() {
		in.StartDateRange = awssdk.Time(spec.StartAt)
	}
	if !spec.EndAt.IsZero() {
		in.EndDateRange = awssdk.Time(spec.EndAt)
	}
	return in
}

// blockOffer reads one offer. Blocks end at 11:30 UTC, so that one that starts at
// once is shorter or longer than what was searched for, by most of a day at times:
// its length is the one that EC2 tells.
func (p *place) blockOffer(item ec2types.CapacityBlockOffering) (cloud.Offer, error) {
	fee, err := price(opOffers, item.UpfrontFee, item.CurrencyCode)
	if err != nil {
		return cloud.Offer{}, err
	}
	o := cloud.Offer{
		ID: awssdk.ToString(item.CapacityBlockOfferingId), Kind: cloud.Block, Region: p.region,
		Zone: awssdk.ToString(item.AvailabilityZone), InstanceType: awssdk.ToString(item.InstanceType),
		Count: int(awssdk.ToInt32(item.InstanceCount)), StartAt: instant(item.StartDate), EndAt: instant(item.EndDate),
		Length: time.Duration(awssdk.ToInt32(item.CapacityBlockDurationHours)) * time.Hour, Upfront: fee,
	}
	if o.Length == 0 {
		o.Length = o.EndAt.Sub(o.StartAt).Round(time.Hour)
	}
	return o, nil
}

// price reads an amount; one that cannot be read exactly must not be paid.
func price(op string, amount, currency *string) (money.Money, error) {
	m, err := money.Parse(awssdk.ToString(amount), awssdk.ToString(currency))
	if err != nil {
		e := hollow(op, "readable upfrontFee and currencyCode")
		e.Message, e.Cause = cloud.Clean(e.Message+": "+err.Error()), err
		return money.Money{}, e
	}
	return m, nil
}
