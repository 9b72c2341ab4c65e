package mem

import (
	"context"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// QuoteLife is how long a quote holds.
const QuoteLife = 24 * time.Hour

// quoted is a quote and what it was given for.
type quoted struct {
	cloud.Quote
	object *object
	count  int
}

// Quote implements cloud.Canceller. Of what is left of the commitment, half is
// charged.
func (c *Cloud) Quote(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
	call := cloud.Call{Method: "Quote", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true}
	return do(ctx, c, call, func() (cloud.Quote, error) {
		o, err := c.cancellable("Quote", ref)
		if err != nil {
			return cloud.Quote{}, err
		}
		now := c.clock.Now()
		until, free := c.commitment(o)
		if until.IsZero() {
			return cloud.Quote{}, &cloud.Error{
				Code: cloud.Conflict, Op: "Quote", Native: "NotCommitted",
				Message: fmt.Sprintf("%s is %s and not committed", ref.NativeID, o.r.State),
			}
		}
		c.serial++
		q := cloud.Quote{ID: fmt.Sprintf("q-%06d", c.serial), ExpiresAt: now.Add(QuoteLife)}
		if !now.Before(free) {
			left := until.Sub(later(now, o.r.StartsAt))
			q.InstanceHours, q.BilledUntil = int64(left.Hours()*float64(o.r.Count)/2), until
		}
		c.quotes[q.ID] = quoted{Quote: q, object: o, count: o.r.Count}
		return q, nil
	})
}

// Cancel implements cloud.Canceller.
func (c *Cloud) Cancel(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
	call := cloud.Call{Method: "Cancel", Account: ref.Account, NativeID: ref.NativeID, Repeatable: true, Writes: true}
	_, err := do(ctx, c, call, func() (struct{}, error) { return struct{}{}, c.cancel(ref, quote) })
	return err
}

func (c *Cloud) cancel(ref cloud.Ref, quote cloud.Quote) error {
	o, err := c.cancellable("Cancel", ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return nil
	}
	if err != nil || !o.r.State.Live() {
		return err
	}
	q, ok := c.quotes[quote.ID]
	switch {
	case !ok || q.object != o || q.count != o.r.Count || !c.clock.Now().Before(q.ExpiresAt):
		return &cloud.Error{
			Code: cloud.Conflict, Op: "Cancel", Native: "QuoteStale", Message: fmt.Sprintf("the quote %q no longer holds", quote.ID),
		}
	case len(o.users) > 0:
		return o.inUse("Cancel")
	}
	c.end(o, cloud.Gone)
	o.r.BilledUntil = q.BilledUntil
	return nil
}

// cancellable is the object of a ref, if it is of the kind that has quotes.
func (c *Cloud) cancellable(op string, ref cloud.Ref) (*object, error) {
	o, err := c.reach(op, ref)
	if err == nil && !c.kinds()[o.r.Kind].Cancellable {
		return nil, unsupported(op, fmt.Sprintf("a %s reservation is never given up against a charge", o.r.Kind))
	}
	return o, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
