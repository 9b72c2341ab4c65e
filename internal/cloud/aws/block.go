package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Rules of capacity blocks (EC2 User Guide, "Capacity Blocks for ML").
const (
	// maxBlockCount is of instances in one block.
	maxBlockCount = 64
	// blockLead is how far ahead a block may start.
	blockLead = 8 * 7 * day
	// blockWindDown is how long before its end a block stops its instances, and
	// ultraWindDown is the same of a block that is an UltraServer.
	blockWindDown = 30 * time.Minute
	ultraWindDown = time.Hour
)

// Tags that a purchase writes: what was paid and for how long. An adoption after
// a lost answer has no other way to know.
const (
	tagPaid   = cloud.TagPrefix + "paid-upfront"
	tagLength = cloud.TagPrefix + "length"
)

const opPurchase = "PurchaseCapacityBlock"

func blockForm() form {
	return form{
		maxCount: maxBlockCount,
		// The mark and the two tags of the purchase.
		marks:   markTags + 2,
		matches: []cloud.MatchCriteria{cloud.Targeted},
		options: []option{
			platformOption([]string{"Linux/UNIX", "Red Hat Enterprise Linux", "RHEL with HA", "SUSE Linux", "Ubuntu Pro"}),
			tenancyOption([]string{string(ec2types.CapacityReservationTenancyDefault)}),
		},
		check: checkBlock,
	}
}

// checkBlock looks at the length: the duration, or the whole window without one.
// AWS lists offers by their length, so that it is needed even with an offer's id.
func checkBlock(s *cloud.Spec, p *problems) {
	length, at := s.Duration, attrDuration
	if length == 0 && !s.StartAt.IsZero() && s.EndAt.After(s.StartAt) {
		length, at = s.EndAt.Sub(s.StartAt), cloud.AttrEnd
	}
	s.StartAt, s.EndAt = sendable(s.StartAt), sendable(s.EndAt)
	switch {
	case length == 0:
		p.add(attrDuration, "a reservation of kind block needs its length: duration, or start_at and end_at; "+
			"AWS sells whole days up to 14, then whole weeks up to 26")
	case !fitsWindow(*s):
		p.add(attrDuration, "a block of %s does not fit between start_at and end_at, which are %s apart", days(length), days(s.EndAt.Sub(s.StartAt)))
	case length > 0 && !slices.Contains(blockLengths(), length):
		p.add(at, "AWS sells no block of %s: whole days up to 14, then whole weeks up to 26; nearest: %s", days(length), nearest(length))
	}
	s.Duration = length
}

// fitsWindow tells whether any offer can be as long as asked for within its
// bounds. Those that start at once are shorter than what they are sold as, by
// less than a day.
func fitsWindow(s cloud.Spec) bool {
	return s.StartAt.IsZero() || !s.EndAt.After(s.StartAt) || s.Duration-s.EndAt.Sub(s.StartAt) < day
}

// blockLengths are what a block can be sold as, ascending (EC2 API,
// DescribeCapacityBlockOfferings.CapacityDurationHours).
func blockLengths() []time.Duration {
	const maxDays, maxWeeks = 14, 26
	lengths := make([]time.Duration, 0, maxDays+maxWeeks)
	for n := 1; n <= maxDays; n++ {
		lengths = append(lengths, time.Duration(n)*day)
	}
	for n := 3; n <= maxWeeks; n++ {
		lengths = append(lengths, time.Duration(n)*7*day)
	}
	return lengths
}

// nearest names the lengths next to one that is not sold.
func nearest(length time.Duration) string {
	all := blockLengths()
	above, _ := slices.BinarySearch(all, length)
	var names []string
	for _, n := range all[max(0, above-1):min(len(all), above+1)] {
		names = append(names, days(n))
	}
	return strings.Join(names, " or ")
}

// buyBlock buys the offer of a wish. There is no token, so that the request is
// sent once; what came of a lost answer is found by the mark.
func (c *Cloud) buyBlock(ctx context.Context, p *place, req cloud.CreateRequest) (cloud.Reservation, error) {
	offer, err := c.offerOf(ctx, p, req)
	if err != nil {
		return cloud.Reservation{}, err
	}
	in := &ec2.PurchaseCapacityBlockInput{
		CapacityBlockOfferingId: awssdk.String(offer.ID),
		InstancePlatform:        ec2types.CapacityReservationInstancePlatform(req.Spec.Native[optPlatform]),
		TagSpecifications:       tagSpecification(ec2types.ResourceTypeCapacityReservation, purchaseTags(req, offer)),
	}
	out, err := once(ctx, opPurchase, func(ctx context.Context) (*ec2.PurchaseCapacityBlockOutput, error) {
		return p.ec2.PurchaseCapacityBlock(ctx, in, p.pacedOnce)
	})
	if err != nil {
		return cloud.Reservation{}, p.refusedWish(err, req.Spec)
	}
	made := out.CapacityReservation
	if made == nil || awssdk.ToString(made.CapacityReservationId) == "" {
		return cloud.Reservation{}, hollow(opPurchase, "capacityReservationId")
	}
	c.remember(*made.CapacityReservationId)
	r := p.decode(req.Spec.Account, *made)
	r.PaidUpfront, r.Length = &offer.Upfront, req.Spec.Duration
	return r, nil
}

// offerOf is the offer to buy, or why none is: it never is one that does not fit
// the wish.
func (c *Cloud) offerOf(ctx context.Context, p *place, req cloud.CreateRequest) (cloud.Offer, error) {
	spec := req.Spec
	if spec.OfferID == "" {
		return cloud.Offer{}, refuse(opPurchase, problems{{Attribute: attrOfferID, Detail: "a block is bought by the id of an offer"}})
	}
	if req.Offer == nil {
		found, err := p.blockOffers(ctx, spec)
		var e *cloud.Error
		if errors.As(err, &e) && e.Native == dryRunPassed {
			// For who wants to buy it, what is not on sale is not to be had.
			e.Code = cloud.NoCapacity
		}
		if err != nil {
			return cloud.Offer{}, err
		}
		return found[0], nil
	}
	if req.Offer.ID != spec.OfferID || !fits(spec, *req.Offer) {
		return cloud.Offer{}, otherShape(spec, *req.Offer)
	}
	return *req.Offer, nil
}

// purchaseTags are the tags of a block: the user's, the mark without its claim,
// and the two that tell what was bought.
func purchaseTags(req cloud.CreateRequest, offer cloud.Offer) []ec2types.Tag {
	tags := tagsOf(createTags(req.Spec.Tags, req.Mark))
	tags[tagLength] = strconv.Itoa(int(req.Spec.Duration/time.Hour)) + "h"
	tags[tagPaid] = offer.Upfront.String()
	return tagList(tags)
}

// showBlock fills in what only a block has.
func showBlock(out *cloud.Reservation, r ec2types.CapacityReservation, tags map[string]string) {
	if !out.EndsAt.IsZero() {
		windDown := blockWindDown
		if r.LaunchStatus != "" {
			// Only UltraServers have one (EC2 API, CapacityReservation).
			windDown = ultraWindDown
		}
		out.UsableUntil = out.EndsAt.Add(-windDown)
	}
	if out.State.Live() {
		out.CommittedUntil = out.EndsAt
	}
	if length, err := time.ParseDuration(tags[tagLength]); err == nil {
		out.Length = length
	}
	amount, currency, _ := strings.Cut(tags[tagPaid], " ")
	if paid, err := money.Parse(amount, currency); err == nil && out.State != cloud.Refused {
		out.PaidUpfront = &paid
	}
}

// once calls with what is sent in one try: only a refusal with a code of AWS's
// own is certain to have changed nothing.
func once[T any](ctx context.Context, op string, send func(context.Context) (T, error)) (T, error) {
	out, err := call(ctx, op, send)
	var e *cloud.Error
	if errors.As(err, &e) && e.Native == "" && e.HTTPStatus != 0 {
		e.Accepted = true
	}
	return out, rare(err)
}

// refusedWish completes a refusal with what is known of the wish. Blocks draw on
// no quota of vCPUs, so that no quota is named.
func (p *place) refusedWish(err error, spec cloud.Spec) error {
	var e *cloud.Error
	if errors.As(err, &e) {
		e.ZoneHints = without(e.ZoneHints, spec.Zone)
	}
	return err
}

// otherShape is the error of an offer that is not what the wish asks for.
func otherShape(spec cloud.Spec, o cloud.Offer) error {
	return &cloud.Error{Code: cloud.Invalid, Op: opPurchase, Message: cloud.Clean(fmt.Sprintf(
		"offer %s (%d %s in %s, %s, from %s to %s) does not fit the wish for %d %s of %s", o.ID, o.Count, o.InstanceType, o.Zone,
		days(o.Length), o.StartAt.Format(time.RFC3339), o.EndAt.Format(time.RFC3339), spec.Count, spec.InstanceType, days(spec.Duration)))}
}
