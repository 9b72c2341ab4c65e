package aws

import (
	"context"
	"errors"
	"slices"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opExtensionOffers = "DescribeCapacityBlockExtensionOfferings"
	opExtensions      = "DescribeCapacityBlockExtensionHistory"
	opExtend          = "PurchaseCapacityBlockExtension"
)

// ExtensionOffers implements cloud.Extender.
func (c *Cloud) ExtensionOffers(ctx context.Context, ref cloud.Ref, by time.Duration) ([]cloud.Offer, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(blockLengths(), by) {
		return nil, &cloud.Error{
			Code: cloud.Invalid, Op: opExtensionOffers,
			Message: "AWS sells no extension by " + days(by) + ": whole days up to 14, then whole weeks up to 26",
		}
	}
	all := []cloud.Offer{}
	err = pages(opExtensionOffers, func(token *string) (*string, error) {
		out, err := call(ctx, opExtensionOffers, func(ctx context.Context) (*ec2.DescribeCapacityBlockExtensionOfferingsOutput, error) {
			return t.place.ec2.DescribeCapacityBlockExtensionOfferings(ctx, &ec2.DescribeCapacityBlockExtensionOfferingsInput{
				CapacityBlockExtensionDurationHours: awssdk.Int32(int32(by / time.Hour)), // 26 weeks at most.
				CapacityReservationId:               awssdk.String(t.name.id),
				MaxResults:                          awssdk.Int32(pageSize),
				NextToken:                           token,
			}, t.place.paced)
		})
		if err != nil {
			return nil, c.notExtended(ctx, t, rare(err))
		}
		if out.CapacityBlockExtensionOfferings == nil {
			return nil, hollow(opExtensionOffers, "capacityBlockExtensionOfferingSet")
		}
		for _, item := range out.CapacityBlockExtensionOfferings {
			o, err := t.place.extensionOffer(item)
			if err != nil {
				return nil, err
			}
			if o.Length == by {
				all = append(all, o)
			}
		}
		return out.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, cheapest)
	return all, nil
}

func (p *place) extensionOffer(item ec2types.CapacityBlockExtensionOffering) (cloud.Offer, error) {
	fee, err := price(opExtensionOffers, item.UpfrontFee, item.CurrencyCode)
	if err != nil {
		return cloud.Offer{}, err
	}
	return cloud.Offer{
		ID: awssdk.ToString(item.CapacityBlockExtensionOfferingId), Kind: cloud.Block, Region: p.region,
		Zone: awssdk.ToString(item.AvailabilityZone), InstanceType: awssdk.ToString(item.InstanceType),
		Count:   int(awssdk.ToInt32(item.InstanceCount)),
		StartAt: instant(item.CapacityBlockExtensionStartDate), EndAt: instant(item.CapacityBlockExtensionEndDate),
		Length: hours(item.CapacityBlockExtensionDurationHours), Upfront: fee,
	}, nil
}

func hours(n *int32) time.Duration { return time.Duration(awssdk.ToInt32(n)) * time.Hour }

// Extensions implements cloud.Extender.
func (c *Cloud) Extensions(ctx context.Context, ref cloud.Ref) ([]cloud.Extension, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return nil, err
	}
	all := []cloud.Extension{}
	err = pages(opExtensions, func(token *string) (*string, error) {
		out, err := call(ctx, opExtensions, func(ctx context.Context) (*ec2.DescribeCapacityBlockExtensionHistoryOutput, error) {
			return t.place.ec2.DescribeCapacityBlockExtensionHistory(ctx, &ec2.DescribeCapacityBlockExtensionHistoryInput{
				CapacityReservationIds: []string{t.name.id}, NextToken: token,
			})
		})
		if err != nil {
			return nil, err
		}
		found, err := t.extensions(opExtensions, out.CapacityBlockExtensions)
		all = append(all, found...)
		return out.NextToken, err
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		// EC2 does not tell one that was never extended from one that is not there.
		if _, err := c.read(ctx, t); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b cloud.Extension) int { return a.PurchasedAt.Compare(b.PurchasedAt) })
	return all, nil
}

// extensions are those of the target in an answer.
func (t target) extensions(op string, items []ec2types.CapacityBlockExtension) ([]cloud.Extension, error) {
	if items == nil {
		return nil, hollow(op, "capacityBlockExtensionSet")
	}
	var all []cloud.Extension
	for _, item := range items {
		if awssdk.ToString(item.CapacityReservationId) != t.name.id {
			continue
		}
		fee, err := price(op, item.UpfrontFee, item.CurrencyCode)
		if err != nil {
			return nil, err
		}
		all = append(all, cloud.Extension{
			OfferID: awssdk.ToString(item.CapacityBlockExtensionOfferingId),
			By:      hours(item.CapacityBlockExtensionDurationHours),
			State:   extensionState(item.CapacityBlockExtensionStatus), PurchasedAt: instant(item.CapacityBlockExtensionPurchaseDate),
			EndsAt: instant(item.CapacityBlockExtensionEndDate), Upfront: fee,
		})
	}
	return all, nil
}

// Extend implements cloud.Extender. There is no token, so that the request is
// sent once; what came of a lost answer is in the history.
func (c *Cloud) Extend(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Extension{}, err
	}
	in := &ec2.PurchaseCapacityBlockExtensionInput{
		CapacityBlockExtensionOfferingId: awssdk.String(offer.ID), CapacityReservationId: awssdk.String(t.name.id),
	}
	out, err := once(ctx, opExtend, func(ctx context.Context) (*ec2.PurchaseCapacityBlockExtensionOutput, error) {
		return t.place.ec2.PurchaseCapacityBlockExtension(ctx, in, t.place.pacedOnce)
	})
	if err != nil {
		return cloud.Extension{}, c.notExtended(ctx, t, err)
	}
	bought, err := t.extensions(opExtend, out.CapacityBlockExtensions)
	if err != nil {
		return cloud.Extension{}, err
	}
	at := slices.IndexFunc(bought, func(e cloud.Extension) bool { return e.OfferID == offer.ID })
	if at < 0 {
		return cloud.Extension{}, hollow(opExtend, "extension of offer "+offer.ID)
	}
	return bought[at], nil
}

// notExtended classes a refusal to extend. AWS publishes no code for a state in
// which a block is not extended, so that the state decides.
func (c *Cloud) notExtended(ctx context.Context, t target, refused error) error {
	var e *cloud.Error
	if !errors.As(refused, &e) || e.Accepted || !slices.Contains([]cloud.Code{cloud.Invalid, cloud.Unsupported}, e.Code) {
		return refused
	}
	now, err := c.read(ctx, t)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return err
	case err != nil:
		return refused
	case now.Kind != cloud.Block || !extendable(now.NativeState):
		e.Code = cloud.Conflict
		e.Message = cloud.Clean(joined(t.name.id+" is of kind "+string(now.Kind)+" and "+now.NativeState, e.Message))
	}
	return refused
}

// extendable tells the states in which a block can be extended (EC2 User Guide,
// "Extend Capacity Blocks").
func extendable(native string) bool {
	switch ec2types.CapacityReservationState(native) {
	case ec2types.CapacityReservationStateActive, ec2types.CapacityReservationStateScheduled:
		return true
	default:
		return false
	}
}

// extensionState maps the status of an extension's payment (EC2 API,
// CapacityBlockExtension.capacityBlockExtensionStatus).
func extensionState(native ec2types.CapacityBlockExtensionStatus) cloud.State {
	switch native {
	case ec2types.CapacityBlockExtensionStatusPaymentPending:
		return cloud.Pending
	case ec2types.CapacityBlockExtensionStatusPaymentSucceeded:
		return cloud.Held
	case ec2types.CapacityBlockExtensionStatusPaymentFailed:
		return cloud.Refused
	default:
		return cloud.Unrecognized
	}
}
