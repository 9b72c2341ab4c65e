package mem

import (
	"context"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// extension is one that was bought; it is paid at an instant, if ever.
type extension struct {
	cloud.Extension
	paidAfter time.Time
}

// ExtensionOffers implements cloud.Extender.
func (c *Cloud) ExtensionOffers(ctx context.Context, ref cloud.Ref, by time.Duration) ([]cloud.Offer, error) {
	call := cloud.Call{Method: "ExtensionOffers", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return do(ctx, c, call, func() ([]cloud.Offer, error) {
		o, err := c.extendable("ExtensionOffers", ref)
		if err != nil {
			return nil, err
		}
		offers := c.onSale(c.extensions, func(offer cloud.Offer) bool { return offer.Length == by && o.longer(offer) })
		for i := range offers {
			offers[i].Zone = o.r.Zone
			offers[i].StartAt, offers[i].EndAt = o.r.EndsAt, o.r.EndsAt.Add(by)
		}
		return offers, nil
	})
}

// Extensions implements cloud.Extender.
func (c *Cloud) Extensions(ctx context.Context, ref cloud.Ref) ([]cloud.Extension, error) {
	call := cloud.Call{Method: "Extensions", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return do(ctx, c, call, func() ([]cloud.Extension, error) {
		o, err := c.reach("Extensions", ref)
		if err != nil {
			return nil, err
		}
		var all []cloud.Extension
		for _, e := range o.bought {
			all = append(all, e.Extension)
		}
		return all, nil
	})
}

// Extend implements cloud.Extender. There is no token: each call buys.
func (c *Cloud) Extend(ctx context.Context, ref cloud.Ref, offer cloud.Offer) (cloud.Extension, error) {
	call := cloud.Call{Method: "Extend", Account: ref.Account, NativeID: ref.NativeID, Writes: true}
	return do(ctx, c, call, func() (cloud.Extension, error) {
		o, err := c.extendable("Extend", ref)
		if err != nil {
			return cloud.Extension{}, err
		}
		shelved, err := named("Extend", c.extensions, offer.ID)
		switch {
		case err != nil:
			return cloud.Extension{}, err
		case !o.longer(shelved.offer):
			return cloud.Extension{}, invalid("Extend", []cloud.Problem{{Attribute: attrOffer, Detail: "is of another shape"}})
		case !c.buyable(shelved):
			return cloud.Extension{}, soldOut("Extend", offer.ID)
		}
		shelved.stock--
		now := c.clock.Now()
		e := &extension{paidAfter: now.Add(c.paymentLag), Extension: cloud.Extension{
			OfferID: offer.ID, By: shelved.offer.Length, State: cloud.Pending, PurchasedAt: now,
			EndsAt: o.r.EndsAt.Add(shelved.offer.Length), Upfront: shelved.offer.Upfront,
		}}
		o.bought = append(o.bought, e)
		return e.Extension, nil
	})
}

// extendable is the block of a ref, if it is in a state to be prolonged: held,
// and with no extension that is not yet paid.
func (c *Cloud) extendable(op string, ref cloud.Ref) (*object, error) {
	o, err := c.reach(op, ref)
	if err != nil {
		return nil, err
	}
	if o.r.Kind != cloud.Block {
		return nil, unsupported(op, "only a block is prolonged")
	}
	if o.r.State != cloud.Held {
		return nil, wrongState(op, o)
	}
	for _, e := range o.bought {
		if e.State == cloud.Pending {
			return nil, &cloud.Error{Code: cloud.Conflict, Op: op, Native: "PaymentPending", Message: "an extension is not yet paid"}
		}
	}
	return o, nil
}

// longer tells whether an offer of an extension is one for this block.
func (o *object) longer(offer cloud.Offer) bool {
	return offer.Region == o.r.Region && offer.InstanceType == o.r.InstanceType && offer.Count == o.r.Count
}

// settleExtensions moves the end with what has been paid in time.
func (o *object) settleExtensions(now time.Time) {
	for _, e := range o.bought {
		switch {
		case e.State != cloud.Pending:
		case !now.Before(e.paidAfter) && e.paidAfter.Before(o.r.EndsAt) && o.r.State.Live():
			e.State = cloud.Held
			o.blockEnds(e.EndsAt)
		case !now.Before(o.r.EndsAt):
			e.State = cloud.Refused
		}
	}
}

func (o *object) failExtensions() {
	for _, e := range o.bought {
		if e.State == cloud.Pending {
			e.State = cloud.Refused
		}
	}
}
