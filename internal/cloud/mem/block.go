package mem

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// blockWindDown is how long before its end work in a block stops.
const blockWindDown = 30 * time.Minute

// buy makes a block out of an offer. There is no token: each call buys.
func (c *Cloud) buy(accountID string, req cloud.CreateRequest) (*object, error) {
	if req.Offer != nil && req.Offer.ID != req.Spec.OfferID {
		return nil, invalid("Create", []cloud.Problem{{Attribute: attrOffer, Detail: "is not the offer that was chosen"}})
	}
	shelved, err := c.offer("Create", req.Spec)
	if err != nil {
		return nil, err
	}
	shelved.stock--
	offer := shelved.offer
	req.Spec.Region, req.Spec.Zone = offer.Region, offer.Zone
	o := c.add(accountID, req)
	o.r.StartsAt, o.r.Length, o.r.PaidUpfront = offer.StartAt.UTC(), offer.Length, &offer.Upfront
	o.blockEnds(offer.EndAt)
	if c.paymentLag > 0 {
		o.r.State, o.heldAfter = cloud.Pending, c.clock.Now().Add(c.paymentLag)
	}
	return o, nil
}

func (o *object) blockEnds(at time.Time) {
	o.r.EndsAt, o.r.UsableUntil = at.UTC(), at.UTC().Add(-blockWindDown)
}

// blockUntil: a block is paid for and ends by itself.
func blockUntil(o *object, _ time.Time) (until, free time.Time) { return o.r.EndsAt, time.Time{} }
