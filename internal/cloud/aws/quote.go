package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	opQuote  = "CreateCapacityReservationCancellationQuote"
	opQuotes = "DescribeCapacityReservationCancellationQuotes"
)

// quotePauses cover the making of a quote. AWS does not tell how long that takes.
func quotePauses() []time.Duration { return slices.Repeat([]time.Duration{5 * time.Second}, 60) }

// Quote implements cloud.Canceller. Only future-dated reservations have quotes,
// and only while they are not free to give up.
func (c *Cloud) Quote(ctx context.Context, ref cloud.Ref) (cloud.Quote, error) {
	t, err := c.target(ctx, ref)
	if err != nil {
		return cloud.Quote{}, err
	}
	now, err := c.read(ctx, t)
	switch {
	case err != nil:
		return cloud.Quote{}, err
	case now.Kind != cloud.Scheduled:
		return cloud.Quote{}, unquoted(t.name.id, now.Kind)
	case !now.State.Live() || now.CommittedUntil.IsZero():
		return cloud.Quote{}, &cloud.Error{
			Code: cloud.Conflict, Op: opQuote, Message: t.name.id + " is " + now.NativeState + " without a commitment and has no quote",
		}
	}
	return c.quote(ctx, t)
}

// quote asks for a quote and waits until it holds.
func (c *Cloud) quote(ctx context.Context, t target) (cloud.Quote, error) {
	out, err := call(ctx, opQuote, func(ctx context.Context) (*ec2.CreateCapacityReservationCancellationQuoteOutput, error) {
		return t.place.ec2.CreateCapacityReservationCancellationQuote(ctx, &ec2.CreateCapacityReservationCancellationQuoteInput{
			CapacityReservationId: awssdk.String(t.name.id),
		})
	})
	if err != nil {
		return cloud.Quote{}, noQuote(err)
	}
	made := out.CapacityReservationCancellationQuote
	if made == nil || awssdk.ToString(made.CapacityReservationCancellationQuoteId) == "" {
		return cloud.Quote{}, hollow(opQuote, "capacityReservationCancellationQuoteId")
	}
	var q cloud.Quote
	err = c.settle(ctx, quotePauses(), func() error {
		var err error
		if made.QuoteState == ec2types.CapacityReservationCancellationQuoteStatePending {
			if made, err = t.lookUpQuote(ctx, *made.CapacityReservationCancellationQuoteId, made); err != nil {
				return err
			}
		}
		q, err = decodeQuote(*made)
		return err
	})
	if errors.Is(err, errPending) {
		return cloud.Quote{}, &cloud.Error{
			Code: cloud.Internal, Op: opQuotes, Message: "quote " + *made.CapacityReservationCancellationQuoteId + " is still pending",
		}
	}
	return q, err
}

// noQuote classes a refusal to quote. AWS publishes no code for it; the id was
// good enough to read with, so that it is the state that is refused.
func noQuote(err error) error {
	var e *cloud.Error
	if errors.As(err, &e) && (e.Code == cloud.Invalid || e.Code == cloud.Unsupported) {
		e.Code = cloud.Conflict
	}
	return err
}

// lookUpQuote reads a quote; one that EC2 does not show yet stays as it was.
func (t target) lookUpQuote(
	ctx context.Context, id string, before *ec2types.CapacityReservationCancellationQuote,
) (*ec2types.CapacityReservationCancellationQuote, error) {
	out, err := call(ctx, opQuotes, func(ctx context.Context) (*ec2.DescribeCapacityReservationCancellationQuotesOutput, error) {
		return t.place.ec2.DescribeCapacityReservationCancellationQuotes(ctx, &ec2.DescribeCapacityReservationCancellationQuotesInput{
			CapacityReservationCancellationQuoteIds: []string{id},
		})
	})
	if err != nil {
		return before, err
	}
	if out.CapacityReservationCancellationQuotes == nil {
		return before, hollow(opQuotes, "capacityReservationCancellationQuoteSet")
	}
	for _, q := range out.CapacityReservationCancellationQuotes {
		if awssdk.ToString(q.CapacityReservationCancellationQuoteId) == id {
			return &q, nil
		}
	}
	return before, nil
}

// decodeQuote reads what giving up costs, errPending for one that does not hold
// yet. What cannot be read must not pass for free.
func decodeQuote(q ec2types.CapacityReservationCancellationQuote) (cloud.Quote, error) {
	out := cloud.Quote{ID: awssdk.ToString(q.CapacityReservationCancellationQuoteId), ExpiresAt: instant(q.ExpirationTime)}
	switch q.QuoteState {
	case ec2types.CapacityReservationCancellationQuoteStateActive:
	case ec2types.CapacityReservationCancellationQuoteStatePending:
		return cloud.Quote{}, errPending
	default:
		return cloud.Quote{}, &cloud.Error{Code: cloud.Conflict, Op: opQuote, Message: "quote " + out.ID + " is " + string(q.QuoteState)}
	}
	if len(q.CancellationTerms) == 0 {
		return cloud.Quote{}, hollow(opQuote, "cancellationTermSet")
	}
	for _, term := range q.CancellationTerms {
		if term.CancellationType != ec2types.ApplyCancellationChargesCommitmentWindDown || term.ChargeCommitmentDurationHours == nil ||
			term.CommittedInstanceCount == nil {
			return cloud.Quote{}, hollow(opQuote, "term commitment-wind-down with hours and count")
		}
		out.InstanceHours += *term.ChargeCommitmentDurationHours * int64(*term.CommittedInstanceCount)
		if end := instant(term.ChargeEndDate); end.After(out.BilledUntil) {
			out.BilledUntil = end
		}
	}
	return out, nil
}

// Cancel implements cloud.Canceller. What no quote is for is not asked to be
// given up: EC2 takes some of it back at once, whatever the request says.
func (c *Cloud) Cancel(ctx context.Context, ref cloud.Ref, quote cloud.Quote) error {
	t, err := c.target(ctx, ref)
	if err != nil {
		return err
	}
	now, err := c.read(ctx, t)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return nil
	case err != nil:
		return err
	case now.Kind != cloud.Scheduled:
		return unquoted(t.name.id, now.Kind)
	case !now.State.Live():
		return nil
	case quote.ID == "":
		return &cloud.Error{Code: cloud.Invalid, Op: opCancel, Message: "no quote to cancel " + t.name.id + " at"}
	}
	still, err := c.cancelAt(ctx, t, quote)
	if err == nil || still == nil {
		return err
	}
	return t.notTaken(ctx, *still, quote, err)
}

// unquoted is the refusal of what is never taken back against a charge.
func unquoted(id string, kind cloud.Kind) error {
	return &cloud.Error{
		Code: cloud.Unsupported, Op: opQuote, Message: id + " is of kind " + string(kind) + ", which AWS never takes back against a charge",
	}
}

func (c *Cloud) cancelAt(ctx context.Context, t target, quote cloud.Quote) (*cloud.Reservation, error) {
	in := t.cancellation()
	in.QuoteId = awssdk.String(quote.ID)
	in.ApplyCancellationCharges = ec2types.ApplyCancellationChargesCommitmentWindDown
	return c.cancel(ctx, t, in)
}

// notTaken classes the refusal of a quote: something runs in what a commitment
// binds, or the quote no longer holds.
func (t target) notTaken(ctx context.Context, now cloud.Reservation, quote cloud.Quote, refused error) error {
	var e *cloud.Error
	if !errors.As(refused, &e) || !forTheState(e.Code) {
		return refused
	}
	if now.InUse > 0 {
		e.Code = cloud.InUse
		if ids, err := t.api.users(ctx, t); err == nil {
			e.Users = ids
		}
		return refused
	}
	e.Code = cloud.Conflict
	e.Message = cloud.Clean(joined("quote "+quote.ID+" was not taken for "+t.name.id+", which is "+now.NativeState, e.Message))
	return refused
}

// forTheState tells a refusal that the state of the object explains.
func forTheState(code cloud.Code) bool {
	return slices.Contains([]cloud.Code{cloud.Invalid, cloud.Conflict, cloud.Unsupported, cloud.NotFound}, code)
}

// giveUpFree decides on what refused a plain cancel: one that is scheduled is
// given up by a quote, if that is free; everything else that is bound stays.
func (c *Cloud) giveUpFree(ctx context.Context, t target, now cloud.Reservation, refused error) error {
	switch {
	case now.CommittedUntil.IsZero() || !forTheState(cloud.CodeOf(refused)):
		return stillHeld(now, t.name.id, refused)
	case now.NativeState != string(ec2types.CapacityReservationStateScheduled) || now.Kind != cloud.Scheduled:
		return bound(now, t.name.id, "", refused)
	}
	quote, err := c.quote(ctx, t)
	switch {
	case cloud.CodeOf(err) == cloud.Conflict:
		return bound(now, t.name.id, "", err)
	case err != nil:
		return err
	case quote.InstanceHours > 0:
		return bound(now, t.name.id, "; now that costs "+strconv.FormatInt(quote.InstanceHours, 10)+" instance hours", refused)
	}
	still, err := c.cancelAt(ctx, t, quote)
	if err == nil || still == nil {
		return err
	}
	return t.notTaken(ctx, *still, quote, err)
}

// bound is the refusal to release what is paid for.
func bound(now cloud.Reservation, id, cost string, refused error) error {
	e := &cloud.Error{Code: cloud.Unsupported, Op: opCancel, Cause: refused}
	var heard *cloud.Error
	if errors.As(refused, &heard) {
		e.Native, e.HTTPStatus, e.RequestID = heard.Native, heard.HTTPStatus, heard.RequestID
		e.Message = heard.Message
	}
	e.Message = cloud.Clean(fmt.Sprintf("%s is %s and cannot be given up free before %s%s: %s",
		id, now.NativeState, now.CommittedUntil.Format(time.RFC3339), cost, e.Message))
	return e
}
