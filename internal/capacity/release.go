package capacity

import (
	"context"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// Release says how a reservation is to be given up.
type Release struct {
	// OnDestroy is "release", "prevent", "abandon" or "cancel_with_charge".
	OnDestroy string
	// InUse allows to release what is in use, where the cloud does.
	InUse bool
	// MaxCharge is the most that a paid cancellation may cost, nil for nothing.
	MaxCharge *money.Money
	// PerInstanceHour is what an hour of one instance costs, nil where it is not
	// known; Paid what was paid at purchase.
	PerInstanceHour, Paid *money.Money
	// Timeout bounds the whole operation, the wait for users to go included.
	Timeout time.Duration
}

// The ways of Release.OnDestroy.
const (
	OnDestroyRelease = "release"
	OnDestroyPrevent = "prevent"
	OnDestroyAbandon = "abandon"
	OnDestroyCharge  = "cancel_with_charge"
)

// removedBlock is how a configuration lets go of an object without touching it.
const removedBlock = "To keep it and let Terraform forget it:\n\n" +
	"  removed {\n    from = <address of the resource>\n    lifecycle {\n      destroy = false\n    }\n  }\n"

// CheckRelease says why a live object may not be given up at that moment, or
// nil. A quote is what giving it up would cost, nil where none was asked for.
func CheckRelease(kind cloud.KindCapabilities, r cloud.Reservation, now time.Time, how Release, quote *cloud.Quote) error {
	switch {
	case !r.State.Live(), how.OnDestroy == OnDestroyAbandon:
		return nil
	case how.OnDestroy == OnDestroyPrevent:
		return refuse("on_destroy", "Destroy is prevented", "%s is live and on_destroy is \"prevent\".\n\n%s"+
			"\nTo release it, set on_destroy = \"release\" and apply first.", r.Ref.NativeID, removedBlock)
	case free(kind, r, now):
		return nil
	case how.OnDestroy == OnDestroyCharge && quote != nil:
		return checkCharge(r, how, *quote)
	}
	ways := "To leave it as it is, set on_destroy = \"abandon\" and apply first: the state's value counts, not the configuration's."
	if kind.Cancellable {
		ways += " To give it up against a charge, set on_destroy = \"cancel_with_charge\" with max_cancellation_usd and apply first."
	}
	return refuse("on_destroy", "Cannot be released free", "%s %s and cannot be given back free. %s\n\n%s",
		r.Ref.NativeID, bound(r, now, how), ways, removedBlock)
}

// free tells whether giving the object up costs nothing at that moment.
func free(kind cloud.KindCapabilities, r cloud.Reservation, now time.Time) bool {
	return kind.ReleasedFree || !now.Before(r.CommittedUntil) || now.Before(r.FreeUntil)
}

// bound says what binds an object, and what it still costs.
func bound(r cloud.Reservation, now time.Time, how Release) string {
	text := "is committed until " + stamp(r.CommittedUntil)
	if !r.EndsAt.IsZero() && !r.EndsAt.Equal(r.CommittedUntil) {
		text += ", ends at " + stamp(r.EndsAt)
	}
	switch {
	case r.PaidUpfront != nil:
		return text + " (" + r.PaidUpfront.String() + " paid upfront)"
	case how.Paid != nil:
		return text + " (" + how.Paid.String() + " paid upfront)"
	}
	from := now
	if from.Before(r.StartsAt) {
		from = r.StartsAt
	}
	rest := how.priceOf(int64(r.CommittedUntil.Sub(from)/time.Hour) * int64(r.Count))
	if rest == nil {
		return text
	}
	return text + " (about " + rest.String() + " at the list price)"
}

// checkCharge holds what a quote comes to, to the ceiling.
func checkCharge(r cloud.Reservation, how Release, quote cloud.Quote) error {
	if quote.InstanceHours == 0 {
		return nil
	}
	if how.MaxCharge == nil {
		return refuse("max_cancellation_usd", "No ceiling for the charge",
			"%s can be given up for %d instance-hours; set max_cancellation_usd and apply first.", r.Ref.NativeID, quote.InstanceHours)
	}
	charge := how.priceOf(quote.InstanceHours)
	if charge == nil {
		return refuse("max_cancellation_usd", "Charge not known",
			"giving up %s is charged as %d instance-hours, whose price is not known, so max_cancellation_usd cannot be held to.",
			r.Ref.NativeID, quote.InstanceHours)
	}
	return CheckCeiling("max_cancellation_usd", how.MaxCharge, charge)
}

// priceOf is what so many instance-hours cost, nil where the price is not known.
func (how Release) priceOf(instanceHours int64) *money.Money {
	if how.PerInstanceHour == nil {
		return nil
	}
	total, err := how.PerInstanceHour.Mul(instanceHours)
	if err != nil {
		return nil
	}
	return &total
}

// settled tells that what a release of the kind leads to is known without a look.
func (how Release) settled(kind cloud.KindCapabilities) bool {
	return how.OnDestroy == OnDestroyAbandon || kind.ReleasedFree && how.OnDestroy != OnDestroyPrevent
}

// MayRelease says why a reservation may not be given up now, or nil, and what it
// will cost. It reads the object only where the answer depends on it, and asks for
// a quote only where a charge was allowed.
func (m *Manager) MayRelease(ctx context.Context, h Holder, how Release) ([]Notice, error) {
	c, err := m.Cloud(h.Cloud)
	if err != nil {
		return nil, err
	}
	if how.settled(c.Capabilities().Kinds[h.Kind]) || h.Status == Refused || m.replaced(c, h) {
		return nil, nil
	}
	r, live, err := m.Live(ctx, h)
	if err != nil || !live || !m.ours(h, r) { // what is not ours is only forgotten
		return nil, err
	}
	quote, err := m.terms(ctx, c, h, r, how)
	if err != nil || quote == nil {
		return nil, err
	}
	return []Notice{{"on_destroy", "Reservation will be cancelled against a charge", fmt.Sprintf(
		"Giving up %s now costs %s. The apply asks again, and holds it to max_cancellation_usd.", h, how.cost(*quote))}}, nil
}

// terms are how a live object may be given up: against the quote, or free
// without one.
func (m *Manager) terms(ctx context.Context, c cloud.Cloud, h Holder, r cloud.Reservation, how Release) (*cloud.Quote, error) {
	kind := c.Capabilities().Kinds[r.Kind]
	if kind.ReleasedFree {
		return nil, CheckRelease(kind, r, time.Time{}, how, nil)
	}
	now, err := m.Now(ctx, h.Cloud, h.Ref.Account, h.Region)
	if err != nil {
		return nil, err
	}
	if how.OnDestroy != OnDestroyCharge || free(kind, r, now) {
		return nil, CheckRelease(kind, r, now, how, nil)
	}
	canceller, ok := cloud.As[cloud.Canceller](c)
	if !ok {
		return nil, CheckRelease(kind, r, now, how, nil)
	}
	quote, err := canceller.Quote(ctx, r.Ref)
	switch {
	case cloud.CodeOf(err) == cloud.Unsupported:
		return nil, CheckRelease(kind, r, now, how, nil)
	case err != nil:
		return nil, failed(err, "Cannot tell what giving up costs", "%s: %s", h, describe(c, err))
	}
	return &quote, CheckRelease(kind, r, now, how, &quote)
}

// charged says what a paid cancellation cost.
func charged(h Holder, how Release, quote cloud.Quote) Notice {
	return Notice{"on_destroy", "Reservation cancelled against a charge", fmt.Sprintf("%s was given up for %s.", h, how.cost(quote))}
}

// cost is what a quote comes to, in words.
func (how Release) cost(quote cloud.Quote) string {
	text := fmt.Sprintf("%d instance-hours", quote.InstanceHours)
	if charge := how.priceOf(quote.InstanceHours); charge != nil {
		text += ", about " + charge.String()
	}
	if !quote.BilledUntil.IsZero() {
		text += ", billed until " + stamp(quote.BilledUntil)
	}
	return text
}
