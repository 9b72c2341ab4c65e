package aws

import (
	"context"
	"math"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	opTypeOfferings = "DescribeInstanceTypeOfferings"
	opZones         = "DescribeAvailabilityZones"
	opSpotPrices    = "DescribeSpotPriceHistory"
	opSpotScores    = "GetSpotPlacementScores"
)

// spotPrice is a price and when it was set.
type spotPrice struct {
	price money.Money
	at    time.Time
}

// offerings tells which zones have which of the types.
func (p *place) offerings(ctx context.Context, types []string) told[bool] {
	t := newTold[bool]()
	for _, some := range wellFormed(types) {
		err := pages(opTypeOfferings, func(token *string) (*string, error) {
			out, err := call(ctx, opTypeOfferings, func(ctx context.Context) (*ec2.DescribeInstanceTypeOfferingsOutput, error) {
				return p.ec2.DescribeInstanceTypeOfferings(ctx, &ec2.DescribeInstanceTypeOfferingsInput{
					LocationType: ec2types.LocationTypeAvailabilityZone,
					Filters:      []ec2types.Filter{{Name: awssdk.String("instance-type"), Values: some}},
					MaxResults:   awssdk.Int32(pageSize), NextToken: token,
				})
			})
			if err != nil {
				return nil, err
			}
			if out.InstanceTypeOfferings == nil {
				return nil, hollow(opTypeOfferings, "instanceTypeOfferingSet")
			}
			for _, o := range out.InstanceTypeOfferings {
				t.at[corner{awssdk.ToString(o.Location), string(o.InstanceType)}] = true
			}
			return out.NextToken, nil
		})
		if err != nil {
			t.failed[""] = err
			return t
		}
	}
	return t
}

// zones are the names of the zones that the account can use, by their id: names
// are each account's own.
func (p *place) zones(ctx context.Context) (map[string]string, error) {
	out, err := call(ctx, opZones, func(ctx context.Context) (*ec2.DescribeAvailabilityZonesOutput, error) {
		return p.ec2.DescribeAvailabilityZones(ctx, &ec2.DescribeAvailabilityZonesInput{})
	})
	if err != nil {
		return nil, err
	}
	if out.AvailabilityZones == nil {
		return nil, hollow(opZones, "availabilityZoneInfo")
	}
	names := make(map[string]string, len(out.AvailabilityZones))
	for _, z := range out.AvailabilityZones {
		names[awssdk.ToString(z.ZoneId)] = awssdk.ToString(z.ZoneName)
	}
	return names, nil
}

// spotPrices are the last ones. Asked from now on, EC2 shows of each type and
// zone the price that now holds (EC2 API, DescribeSpotPriceHistory.StartTime).
func (p *place) spotPrices(ctx context.Context, now time.Time, types []string) told[spotPrice] {
	t := newTold[spotPrice]()
	if told, ok := p.dates.Now(); ok {
		now = told
	}
	for _, some := range wellFormed(types) {
		if err := p.spotHistory(ctx, now, some, t.at); err != nil {
			t.failed[""] = err
			return t
		}
	}
	return t
}

func (p *place) spotHistory(ctx context.Context, now time.Time, types []string, into map[corner]spotPrice) error {
	in := &ec2.DescribeSpotPriceHistoryInput{
		StartTime:           awssdk.Time(now),
		ProductDescriptions: []string{string(ec2types.RIProductDescriptionLinuxUnix)},
		MaxResults:          awssdk.Int32(pageSize),
	}
	for _, name := range types {
		in.InstanceTypes = append(in.InstanceTypes, ec2types.InstanceType(name))
	}
	return pages(opSpotPrices, func(token *string) (*string, error) {
		in.NextToken = token
		out, err := call(ctx, opSpotPrices, func(ctx context.Context) (*ec2.DescribeSpotPriceHistoryOutput, error) {
			return p.ec2.DescribeSpotPriceHistory(ctx, in)
		})
		if err != nil {
			return nil, err
		}
		if out.SpotPriceHistory == nil {
			return nil, hollow(opSpotPrices, "spotPriceHistorySet")
		}
		return out.NextToken, latest(out.SpotPriceHistory, into)
	})
}

// latest keeps of each type and zone the price that was set last.
func latest(history []ec2types.SpotPrice, into map[corner]spotPrice) error {
	for _, h := range history {
		if h.ProductDescription != ec2types.RIProductDescriptionLinuxUnix {
			continue
		}
		at, set := corner{awssdk.ToString(h.AvailabilityZone), string(h.InstanceType)}, instant(h.Timestamp)
		if had, ok := into[at]; ok && !set.After(had.at) {
			continue
		}
		price, err := money.Parse(awssdk.ToString(h.SpotPrice), "USD")
		if err != nil {
			return unpriced(opSpotPrices, err)
		}
		into[at] = spotPrice{price, set}
	}
	return nil
}

// spotScores asks for each type by itself: for several at once AWS gives one
// score to all. That of a single type is always low (EC2 API,
// GetSpotPlacementScores.InstanceTypes) and still tells zones apart.
func (p *place) spotScores(ctx context.Context, zones map[string]string, zonesErr error, types []string, count int) told[int] {
	t := newTold[int]()
	if zonesErr != nil {
		// Scores name zones by id alone.
		t.failed[""] = zonesErr
		return t
	}
	for _, name := range types {
		err := p.scoresOf(ctx, name, count, func(zone string, score int) { t.at[corner{zones[zone], name}] = score })
		if err != nil {
			t.failed[name] = err
		}
	}
	return t
}

func (p *place) scoresOf(ctx context.Context, instanceType string, count int, found func(zoneID string, score int)) error {
	in := &ec2.GetSpotPlacementScoresInput{
		InstanceTypes:  []string{instanceType},
		TargetCapacity: awssdk.Int32(int32(min(count, math.MaxInt32))), // EC2 refuses what is too much.
		RegionNames:    []string{p.region}, SingleAvailabilityZone: awssdk.Bool(true),
	}
	return pages(opSpotScores, func(token *string) (*string, error) {
		in.NextToken = token
		out, err := call(ctx, opSpotScores, func(ctx context.Context) (*ec2.GetSpotPlacementScoresOutput, error) {
			return p.ec2.GetSpotPlacementScores(ctx, in)
		})
		if err != nil {
			return nil, err
		}
		if out.SpotPlacementScores == nil {
			return nil, hollow(opSpotScores, "spotPlacementScoreSet")
		}
		for _, s := range out.SpotPlacementScores {
			found(awssdk.ToString(s.AvailabilityZoneId), int(awssdk.ToInt32(s.Score)))
		}
		return out.NextToken, nil
	})
}
