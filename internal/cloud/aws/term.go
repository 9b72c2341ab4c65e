package aws

import (
	"context"
	"slices"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
)

// A term is a host reservation: a host is paid for a year or three, whatever
// runs on it. It has no call to give it up.

const opHostReservations = "DescribeHostReservations"

// terms are the lengths that AWS sells, in months, with its own: years of 365
// days in seconds.
func terms() map[int]int32 { return map[int]int32{12: 31_536_000, 36: 94_608_000} }

// monthsOf is 0 for a length that AWS does not sell.
func monthsOf(seconds int32) int {
	for months, length := range terms() {
		if length == seconds {
			return months
		}
	}
	return 0
}

// payments are the payment options by their name in configurations.
func payments() map[string]ec2types.PaymentOption {
	return map[string]ec2types.PaymentOption{
		"no_upfront":      ec2types.PaymentOptionNoUpfront,
		"partial_upfront": ec2types.PaymentOptionPartialUpfront,
		"all_upfront":     ec2types.PaymentOptionAllUpfront,
	}
}

// paymentOf is AWS's own word for one that is new.
func paymentOf(native ec2types.PaymentOption) string {
	for name, option := range payments() {
		if option == native {
			return name
		}
	}
	return string(native)
}

// hostReservations lists what is bought for the hosts of a place, whatever
// became of it.
func (p *place) hostReservations(ctx context.Context) ([]ec2types.HostReservation, error) {
	all := []ec2types.HostReservation{}
	err := pages(opHostReservations, func(token *string) (*string, error) {
		out, err := call(ctx, opHostReservations, func(ctx context.Context) (*ec2.DescribeHostReservationsOutput, error) {
			return p.ec2.DescribeHostReservations(ctx, &ec2.DescribeHostReservationsInput{
				MaxResults: awssdk.Int32(hostPage), NextToken: token,
			})
		})
		if err != nil {
			return nil, err
		}
		if out.HostReservationSet == nil {
			return nil, hollow(opHostReservations, "hostReservationSet")
		}
		all = append(all, out.HostReservationSet...)
		return out.NextToken, nil
	})
	return all, err
}

// cover makes a live host one of kind term if something is bought for it, but
// for a family's, which stays of no kind; of several reservations the one that
// ends last counts.
func cover(r *cloud.Reservation, h ec2types.Host, bought []ec2types.HostReservation) {
	if !r.State.Live() {
		return
	}
	for _, b := range bought {
		if !covers(b, h) {
			continue
		}
		if end := endOf(b); r.Term == nil || end.After(r.CommittedUntil) {
			r.CommittedUntil, r.PaidUpfront = end, paidUpfront(b)
			r.Term = &cloud.TermPlan{Months: monthsOf(awssdk.ToInt32(b.Duration)), Payment: paymentOf(b.PaymentOption)}
		}
	}
	if r.Term != nil && r.Kind == cloud.DedicatedHost {
		r.Kind = cloud.Term
	}
}

// covers tells whether a reservation pays for a host, or will once its own
// payment is through. A state that is not known counts: what may be paid for is
// neither released nor bought again.
func covers(b ec2types.HostReservation, h ec2types.Host) bool {
	if noTerm(b.State) {
		return false
	}
	id := awssdk.ToString(b.HostReservationId)
	return id != "" && id == awssdk.ToString(h.HostReservationId) || slices.Contains(b.HostIdSet, awssdk.ToString(h.HostId))
}

// noTerm tells the states of a reservation that is over or never was.
func noTerm(native ec2types.ReservationState) bool {
	switch native {
	case ec2types.ReservationStateExpired,
		ec2types.ReservationStateCancelled,
		ec2types.ReservationStateFailed,
		ec2types.ReservationStateUnsupported,
		ec2types.ReservationStatePaymentFailed,
		ec2types.ReservationStateRetired:
		return true
	default:
		return false
	}
}

// endOf falls back on start and length: one whose payment is pending may lack
// its end.
func endOf(b ec2types.HostReservation) time.Time {
	if b.End != nil || b.Start == nil {
		return instant(b.End)
	}
	return instant(b.Start).Add(time.Duration(awssdk.ToInt32(b.Duration)) * time.Second)
}

// paidUpfront is nil where nothing was paid or the price cannot be read.
func paidUpfront(b ec2types.HostReservation) *money.Money {
	paid, err := termPrice(b.UpfrontPrice, b.CurrencyCode)
	if err != nil || paid.IsZero() {
		return nil
	}
	return &paid
}

// termPrice reads an amount of the API, whose absence is nothing to pay and whose
// currency, where none is named, is the only one there is.
func termPrice(amount *string, currency ec2types.CurrencyCodeValues) (money.Money, error) {
	if currency == "" {
		currency = ec2types.CurrencyCodeValuesUsd
	}
	if awssdk.ToString(amount) == "" {
		return money.Money{Currency: string(currency)}, nil
	}
	return money.Parse(*amount, string(currency))
}
