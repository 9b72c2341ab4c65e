package mem

import (
	"fmt"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// purchase is the term that was bought for an object; zero without one.
type purchase struct {
	token  string
	endsAt time.Time
}

// term checks the plan of a term.
func (p *problems) term(t cloud.TermPlan) {
	if t.Months != 12 && t.Months != 36 {
		p.add(cloud.AttrTerm+".months", "must be 12 or 36, is %d", t.Months)
	}
	if !slices.Contains([]string{"no_upfront", "partial_upfront", "all_upfront"}, t.Payment) {
		p.add(cloud.AttrTerm+".payment_option", "must be no_upfront, partial_upfront or all_upfront, is %q", t.Payment)
	}
}

// termOffer is what a purchase buys, nil where there is nothing to buy: none is
// asked for, or the token has bought it. Terms are put on sale by AddOffer.
func (c *Cloud) termOffer(o *object, p *cloud.TermPurchase) (*stocked, error) {
	switch {
	case p == nil:
		return nil, nil
	case c.root(o.r.Kind) != cloud.DedicatedHost:
		return nil, unsupported("Update", fmt.Sprintf("a %s reservation takes no term", o.r.Kind))
	case o.r.Term == nil:
		return c.cheapestTerm(o, *p)
	case p.Token == "" || o.term.token != p.Token:
		return nil, &cloud.Error{Code: cloud.Conflict, Op: "Update", Native: "TermRuns", Message: "a term runs already"}
	case *o.r.Term != p.Term:
		return nil, tokenMismatch("Update")
	}
	return nil, nil
}

// cheapestTerm is the offer of the plan, within the limit.
func (c *Cloud) cheapestTerm(o *object, p cloud.TermPurchase) (*stocked, error) {
	if o.r.State != cloud.Held {
		return nil, wrongState("Update", o)
	}
	spec := specOf(o.r)
	spec.Kind, spec.Term = cloud.Term, &p.Term
	offers := c.onSale(c.offers, func(offer cloud.Offer) bool { return fits(spec, offer) })
	if len(offers) == 0 {
		return nil, invalid("Update", []cloud.Problem{{
			Attribute: cloud.AttrTerm, Detail: fmt.Sprintf("there is no term of %d months, %s", p.Term.Months, p.Term.Payment),
		}})
	}
	if p.Limit != nil {
		if over, err := offers[0].Upfront.Cmp(*p.Limit); err != nil || over > 0 {
			return nil, invalid("Update", []cloud.Problem{{
				Attribute: cloud.AttrTerm, Detail: fmt.Sprintf("costs %s, the limit is %s", offers[0].Upfront, *p.Limit),
			}})
		}
	}
	return named("Update", c.offers, offers[0].ID)
}

// startTerm makes a host one of a term.
func (o *object) startTerm(shelved *stocked, token string, now time.Time) {
	shelved.stock--
	offer := shelved.offer
	o.term = purchase{token: token, endsAt: now.AddDate(0, offer.Term.Months, 0)}
	o.r.Kind, o.r.Term, o.r.PaidUpfront = cloud.Term, copied(offer.Term), &offer.Upfront
}

// settleTerm makes it a mere host again when the term is over.
func (o *object) settleTerm(now time.Time) {
	if o.r.Term != nil && !now.Before(o.term.endsAt) {
		o.r.Kind, o.r.Term, o.r.PaidUpfront, o.term = cloud.DedicatedHost, nil, nil, purchase{}
	}
}

func termUntil(o *object, _ time.Time) (until, free time.Time) { return o.term.endsAt, time.Time{} }
