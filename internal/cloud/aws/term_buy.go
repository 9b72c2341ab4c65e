package aws

import (
	"context"
	"fmt"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

const (
	opPreview      = "GetHostReservationPurchasePreview"
	opPurchaseTerm = "PurchaseHostReservation"
)

// commit buys a term for a host, unless it has one of that length.
func (a hosts) commit(ctx context.Context, t target, before cloud.Reservation, wanted cloud.TermPurchase) error {
	var p problems
	checkTermPlan(wanted.Term, &p)
	if len(p) > 0 {
		return refuse(opPurchaseTerm, p)
	}
	if done, err := committed(t.name.id, before, wanted.Term); done || err != nil {
		return err
	}
	offers, err := t.place.termOffers(ctx, cloud.Spec{InstanceType: before.InstanceType, Term: &wanted.Term})
	if err != nil {
		return err
	}
	if len(offers) == 0 {
		return &cloud.Error{Code: cloud.Unsupported, Op: opOfferings, Message: fmt.Sprintf(
			"AWS sells no term of %d months with %s for hosts of %s in %s",
			wanted.Term.Months, wanted.Term.Payment, before.InstanceType, t.place.region)}
	}
	currency, err := t.preview(ctx, offers[0].ID, wanted.Limit)
	if err != nil {
		return err
	}
	id, err := t.purchase(ctx, offers[0].ID, currency, wanted)
	if err != nil {
		return a.unsureOf(ctx, t, wanted.Term, err)
	}
	return t.place.replayed(ctx, id)
}

// replayed refuses a purchase that is an earlier one of the same token, which came
// to nothing: another one needs another token. What cannot be read, the caller's
// own look tells.
func (p *place) replayed(ctx context.Context, id string) error {
	all, err := p.hostReservations(ctx)
	if err != nil {
		return nil //nolint:nilerr // The purchase is made; whether it shows, the next read tells.
	}
	for _, b := range all {
		if awssdk.ToString(b.HostReservationId) == id && noTerm(b.State) {
			return &cloud.Error{
				Code: cloud.Conflict, Op: opPurchaseTerm, TokenMismatch: true, Message: id + " of an earlier try is " + string(b.State),
			}
		}
	}
	return nil
}

// committed tells that nothing is left to buy; a term of another length is in
// the way of one.
func committed(id string, now cloud.Reservation, wanted cloud.TermPlan) (bool, error) {
	switch {
	case now.Term == nil:
		return false, nil
	case now.Term.Months == wanted.Months:
		return true, nil
	}
	return false, &cloud.Error{Code: cloud.Conflict, Op: opPurchaseTerm, Message: fmt.Sprintf(
		"%s has a term of %d months already, until %s", id, now.Term.Months, now.CommittedUntil.Format("2006-01-02 15:04 MST"))}
}

// preview asks what the purchase would cost at once, holds it to the limit, and
// tells the currency.
func (t target) preview(ctx context.Context, offering string, limit *money.Money) (ec2types.CurrencyCodeValues, error) {
	out, err := call(ctx, opPreview, func(ctx context.Context) (*ec2.GetHostReservationPurchasePreviewOutput, error) {
		return t.place.ec2.GetHostReservationPurchasePreview(ctx, &ec2.GetHostReservationPurchasePreviewInput{
			OfferingId: awssdk.String(offering), HostIdSet: []string{t.name.id},
		})
	})
	if err != nil {
		return "", err
	}
	if out.TotalUpfrontPrice == nil {
		return "", hollow(opPreview, "totalUpfrontPrice")
	}
	total, err := termPrice(out.TotalUpfrontPrice, out.CurrencyCode)
	if err != nil {
		return "", unpriced(opPreview, err)
	}
	if limit == nil {
		return ec2types.CurrencyCodeValues(total.Currency), nil
	}
	if over, err := total.Cmp(*limit); err != nil || over > 0 {
		return "", &cloud.Error{Code: cloud.Invalid, Op: opPreview, Message: "to pay at once: " + total.String() + ", limit: " + limit.String()}
	}
	return ec2types.CurrencyCodeValues(total.Currency), nil
}

// purchase buys and returns the id of what is bought. Its token has a repeated request find the first one; its limit
// has EC2 refuse a price that rose after the preview.
func (t target) purchase(ctx context.Context, offering string, currency ec2types.CurrencyCodeValues, wanted cloud.TermPurchase) (string, error) {
	in := &ec2.PurchaseHostReservationInput{
		OfferingId: awssdk.String(offering), HostIdSet: []string{t.name.id},
		ClientToken: awssdk.String(clientToken(wanted.Token)), CurrencyCode: currency,
		TagSpecifications: tagSpecification(ec2types.ResourceTypeHostReservation, tagList(wanted.Tags)),
	}
	if wanted.Limit != nil {
		in.LimitPrice = awssdk.String(wanted.Limit.Amount())
	}
	out, err := call(ctx, opPurchaseTerm, func(ctx context.Context) (*ec2.PurchaseHostReservationOutput, error) {
		return t.place.ec2.PurchaseHostReservation(ctx, in)
	})
	if err != nil {
		return "", err
	}
	if len(out.Purchase) == 0 {
		return "", hollow(opPurchaseTerm, "purchase")
	}
	return awssdk.ToString(out.Purchase[0].HostReservationId), nil
}

// unsureOf looks, after a purchase failed, whether the host has the term all the
// same: the answer was lost, or an earlier one was.
func (a hosts) unsureOf(ctx context.Context, t target, wanted cloud.TermPlan, failure error) error {
	if !cloud.MaybeAccepted(failure) && cloud.CodeOf(failure) != cloud.Conflict {
		return failure
	}
	now, err := a.c.read(ctx, t)
	if err != nil || now.Term == nil || now.Term.Months != wanted.Months {
		return failure
	}
	return nil
}
