package awssim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func tagged(kind types.ResourceType) []types.TagSpecification {
	return []types.TagSpecification{{ResourceType: kind, Tags: []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}}}
}

// ignored are the members that types keep to themselves.
func ignored() cmp.Option {
	return cmpopts.IgnoreUnexported(
		types.CapacityReservationCancellationQuote{}, types.CancellationTerms{}, types.CapacityReservationConfiguration{},
		types.CapacityReservationCommitmentInfo{}, types.CapacityBlock{}, types.CapacityBlockExtension{}, types.Tag{})
}

func TestSDKCancelsWhatIsCommitted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	client := ec2.NewFromConfig(s.config())
	made, err := client.CreateCapacityReservation(ctx, &ec2.CreateCapacityReservationInput{
		InstanceType: aws.String("g5.xlarge"), InstancePlatform: types.CapacityReservationInstancePlatformLinuxUnix, InstanceCount: aws.Int32(8),
		AvailabilityZone: aws.String("us-east-1a"), ClientToken: aws.String("t"), InstanceMatchCriteria: types.InstanceMatchCriteriaTargeted,
		StartDate: aws.Time(starts()), CommitmentDuration: aws.Int64(1209600),
		DeliveryPreference: types.CapacityReservationDeliveryPreferenceIncremental, TagSpecifications: tagged(types.ResourceTypeCapacityReservation),
	})
	s.ok(err)
	r := made.CapacityReservation
	if diff := cmp.Diff(&types.CapacityReservationCommitmentInfo{
		CommitmentDuration: aws.Int64(1209600), CommitmentEndDate: aws.Time(committed()), CommittedInstanceCount: aws.Int32(8),
	}, r.CommitmentInfo, ignored()); diff != "" || !aws.ToTime(r.OriginalStartDate).Equal(starts()) || r.State != "assessing" {
		t.Errorf("%+v %s", r, diff)
	}
	at := starts().Add(-14 * 24 * time.Hour)
	s.until(at)
	quoted, err := client.CreateCapacityReservationCancellationQuote(ctx, &ec2.CreateCapacityReservationCancellationQuoteInput{
		CapacityReservationId: r.CapacityReservationId,
	})
	s.ok(err)
	quote := quoted.CapacityReservationCancellationQuote
	want := &types.CapacityReservationCancellationQuote{
		CapacityReservationCancellationQuoteId: quote.CapacityReservationCancellationQuoteId, CapacityReservationId: r.CapacityReservationId,
		CreateTime: aws.Time(at), ExpirationTime: aws.Time(at.Add(24 * time.Hour)), QuoteState: "active", Tags: []types.Tag{},
		CurrentConfiguration: &types.CapacityReservationConfiguration{InstanceCount: aws.Int32(8), ReservationState: aws.String("scheduled")},
		CancellationTerms: []types.CancellationTerms{{
			CancellationType: types.ApplyCancellationChargesCommitmentWindDown, ChargeCommitmentDurationHours: aws.Int64(84),
			ChargeEndDate: aws.Time(at.Add(84 * time.Hour)), CommittedInstanceCount: aws.Int32(8), ReservationState: aws.String("cancelling"),
		}},
	}
	if diff := cmp.Diff(want, quote, ignored()); diff != "" {
		t.Error(diff)
	}
	seen, err := client.DescribeCapacityReservationCancellationQuotes(ctx, &ec2.DescribeCapacityReservationCancellationQuotesInput{
		CapacityReservationCancellationQuoteIds: []string{aws.ToString(quote.CapacityReservationCancellationQuoteId)},
	})
	s.ok(err)
	if diff := cmp.Diff(*want, seen.CapacityReservationCancellationQuotes[0], ignored()); diff != "" {
		t.Error(diff)
	}
	_, err = client.CancelCapacityReservation(ctx, &ec2.CancelCapacityReservationInput{
		CapacityReservationId: r.CapacityReservationId, QuoteId: quote.CapacityReservationCancellationQuoteId,
		ApplyCancellationCharges: types.ApplyCancellationChargesCommitmentWindDown,
	})
	s.ok(err)
	s.walk(aws.ToString(r.CapacityReservationId), []moment{
		{at, "cancelling", "0", "0"}, {at.Add(84*time.Hour - time.Second), "cancelling", "0", "0"}, {at.Add(84 * time.Hour), "cancelled", "0", "0"},
	})
}

func TestSDKBuysAndExtendsABlock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ctx := t.Context()
	client := ec2.NewFromConfig(s.config())
	found, err := client.DescribeCapacityBlockOfferings(ctx, &ec2.DescribeCapacityBlockOfferingsInput{
		InstanceType: aws.String("p4d.24xlarge"), InstanceCount: aws.Int32(2), CapacityDurationHours: aws.Int32(168),
		StartDateRange: aws.Time(now().Add(7 * 24 * time.Hour)),
	})
	s.ok(err)
	o := found.CapacityBlockOfferings[0]
	bought, err := client.PurchaseCapacityBlock(ctx, &ec2.PurchaseCapacityBlockInput{
		CapacityBlockOfferingId: o.CapacityBlockOfferingId, InstancePlatform: types.CapacityReservationInstancePlatformLinuxUnix,
		TagSpecifications: tagged(types.ResourceTypeCapacityReservation),
	})
	s.ok(err)
	r := bought.CapacityReservation
	if r.ReservationType != types.CapacityReservationTypeCapacityBlock || r.EndDateType != types.EndDateTypeLimited ||
		r.InstanceMatchCriteria != types.InstanceMatchCriteriaTargeted || len(r.Tags) != 3 || r.State != "payment-pending" {
		t.Errorf("reservation %+v", r)
	}
	wantBlock := types.CapacityBlock{
		AvailabilityZone: o.AvailabilityZone, AvailabilityZoneId: r.AvailabilityZoneId, CapacityBlockId: r.CapacityBlockId,
		CapacityReservationIds: []string{aws.ToString(r.CapacityReservationId)}, CreateDate: aws.Time(now()),
		StartDate: o.StartDate, EndDate: o.EndDate, State: "payment-pending", Tags: r.Tags,
	}
	if diff := cmp.Diff([]types.CapacityBlock{wantBlock}, bought.CapacityBlocks, ignored()); diff != "" {
		t.Error(diff)
	}
	s.ok(s.world.Advance(time.Second))
	blocks, err := client.DescribeCapacityBlocks(ctx, &ec2.DescribeCapacityBlocksInput{CapacityBlockIds: []string{aws.ToString(r.CapacityBlockId)}})
	s.ok(err)
	wantBlock.State = "scheduled"
	if diff := cmp.Diff([]types.CapacityBlock{wantBlock}, blocks.CapacityBlocks, ignored()); diff != "" {
		t.Error(diff)
	}
	s.sdkExtends(client, r, aws.ToTime(o.EndDate))
}

// sdkExtends extends a block by two days and looks at its history.
func (s *stage) sdkExtends(client *ec2.Client, r *types.CapacityReservation, ends time.Time) {
	s.t.Helper()
	ctx := s.t.Context()
	offers, err := client.DescribeCapacityBlockExtensionOfferings(ctx, &ec2.DescribeCapacityBlockExtensionOfferingsInput{
		CapacityReservationId: r.CapacityReservationId, CapacityBlockExtensionDurationHours: aws.Int32(48),
	})
	s.ok(err)
	o := offers.CapacityBlockExtensionOfferings[0]
	if !aws.ToTime(o.StartDate).Equal(aws.ToTime(r.StartDate)) || !aws.ToTime(o.CapacityBlockExtensionStartDate).Equal(ends) {
		s.t.Errorf("offer %+v", o)
	}
	bought, err := client.PurchaseCapacityBlockExtension(ctx, &ec2.PurchaseCapacityBlockExtensionInput{
		CapacityReservationId: r.CapacityReservationId, CapacityBlockExtensionOfferingId: o.CapacityBlockExtensionOfferingId,
	})
	s.ok(err)
	want := types.CapacityBlockExtension{
		AvailabilityZone: r.AvailabilityZone, AvailabilityZoneId: r.AvailabilityZoneId, CapacityBlockExtensionDurationHours: aws.Int32(48),
		CapacityBlockExtensionStartDate: aws.Time(ends), CapacityBlockExtensionEndDate: aws.Time(ends.Add(48 * time.Hour)),
		CapacityBlockExtensionOfferingId: o.CapacityBlockExtensionOfferingId, CapacityBlockExtensionPurchaseDate: aws.Time(s.when()),
		CapacityBlockExtensionStatus: "payment-pending", CapacityReservationId: r.CapacityReservationId, CurrencyCode: aws.String("USD"),
		InstanceCount: aws.Int32(2), InstanceType: aws.String("p4d.24xlarge"), UpfrontFee: o.UpfrontFee, ZoneType: aws.String("availability-zone"),
	}
	if diff := cmp.Diff([]types.CapacityBlockExtension{want}, bought.CapacityBlockExtensions, ignored()); diff != "" {
		s.t.Error(diff)
	}
	s.ok(s.world.Advance(time.Second))
	history, err := client.DescribeCapacityBlockExtensionHistory(ctx, &ec2.DescribeCapacityBlockExtensionHistoryInput{
		CapacityReservationIds: []string{aws.ToString(r.CapacityReservationId)},
	})
	s.ok(err)
	want.CapacityBlockExtensionStatus = "payment-succeeded"
	if diff := cmp.Diff([]types.CapacityBlockExtension{want}, history.CapacityBlockExtensions, ignored()); diff != "" {
		s.t.Error(diff)
	}
	status, err := client.DescribeCapacityBlockStatus(ctx, &ec2.DescribeCapacityBlockStatusInput{})
	s.ok(err)
	if len(status.CapacityBlockStatuses) != 1 || aws.ToInt32(status.CapacityBlockStatuses[0].TotalCapacity) != 0 {
		s.t.Errorf("status %+v", status.CapacityBlockStatuses)
	}
}
