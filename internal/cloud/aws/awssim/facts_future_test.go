package awssim_test

import (
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// starts is 60 days after now: inside 5 to 120 days and more than 8 weeks.
func starts() time.Time { return now().Add(60 * 24 * time.Hour) }

func committed() time.Time { return starts().Add(14 * 24 * time.Hour) }

func rfc(t time.Time) string { return t.Format(time.RFC3339) }

// futureBody is the plainest future-dated create: eight g5.xlarge have 32
// vCPUs.
func futureBody(more ...string) string {
	return createBody(append([]string{
		"InstanceType=g5.xlarge", "InstanceCount=8", "InstanceMatchCriteria=targeted", "StartDate=" + rfc(starts()),
		"CommitmentDuration=1209600", "DeliveryPreference=incremental",
	}, more...)...)
}

func (s *stage) future() string {
	s.t.Helper()
	return s.accepted(s.ec2(futureBody())).between("capacityReservationId")
}

func (s *stage) until(t time.Time) {
	s.t.Helper()
	s.ok(s.world.SetClock(t))
}

// scheduled is a future-dated reservation that was assessed.
func (s *stage) scheduled() string {
	s.t.Helper()
	id := s.future()
	s.ok(s.world.Advance(time.Second))
	s.in(id, "scheduled")
	return id
}

func (s *stage) in(id, state string) {
	s.t.Helper()
	if got := s.state(id); got != state {
		s.t.Errorf("%s is %s, want %s", id, got, state)
	}
}

func (s *stage) quoted(id string) reply {
	s.t.Helper()
	return s.ec2("Action=CreateCapacityReservationCancellationQuote&CapacityReservationId=" + id)
}

// quoteFor is the id of a new quote.
func (s *stage) quoteFor(id string) string {
	s.t.Helper()
	return s.accepted(s.quoted(id)).between("capacityReservationCancellationQuoteId")
}

func (s *stage) cancelBy(id, quote string) reply {
	s.t.Helper()
	return s.ec2("Action=CancelCapacityReservation&CapacityReservationId=" + id + "&QuoteId=" + quote +
		"&ApplyCancellationCharges=commitment-wind-down")
}

// stockOfG limits what futureBody asks for.
func (s *stage) stockOfG(available int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{
		Cloud: "aws", Region: s.region, Zone: "us-east-1a", InstanceType: "g5.xlarge", Available: &available,
	}))
}

// failing has the next call of an operation come to nothing later.
func (s *stage) failing(operation, code string) {
	s.t.Helper()
	s.ok(s.world.AddFaults(sim.Fault{
		Cloud: "aws", Operation: operation, Times: 1, OperationError: &sim.OperationError{Code: code},
	}))
}

// sameCode refuses each body with one code.
func sameCode(code string, bodies ...string) func(s *stage) {
	return func(s *stage) {
		for _, body := range bodies {
			s.refused(s.ec2(body), code)
		}
	}
}

// takes accepts each body.
func takes(bodies ...string) func(s *stage) {
	return func(s *stage) {
		for _, body := range bodies {
			s.accepted(s.ec2(body))
		}
	}
}

func futureProofs() map[string]proof {
	day := 24 * time.Hour
	from := func(ahead time.Duration) string { return "StartDate=" + rfc(now().Add(ahead)) }
	return map[string]proof{
		"aws-4.4-families": {
			accepted: takes(futureBody(), futureBody("InstanceType=m5.xlarge")),
			rejected: sameCode("Unsupported", futureBody("InstanceType=p5.48xlarge")),
		},
		"aws-4.4-size": {
			accepted: takes(futureBody("InstanceCount=8")),
			rejected: sameCode("InvalidParameterValue", futureBody("InstanceCount=7")),
		},
		"aws-4.4-start": {
			accepted: takes(futureBody(from(5*day)), futureBody(from(120*day))),
			rejected: sameCode("InvalidParameterValue", futureBody(from(5*day-time.Second)), futureBody(from(120*day+time.Second))),
		},
		"aws-4.4-commitment": {
			accepted: takes(futureBody("CommitmentDuration=1209600"), futureBody("InstanceType=x2idn.16xlarge", "CommitmentDuration=7257600")),
			rejected: sameCode("InvalidParameterValue", futureBody("CommitmentDuration=1209599"),
				futureBody("CommitmentDuration=200000001"), futureBody("InstanceType=x2idn.16xlarge")),
		},
		"aws-4.4-match": {
			accepted: takes(futureBody()),
			rejected: func(s *stage) {
				s.refused(s.ec2(futureBody("PlacementGroupArn=arn:aws:ec2:us-east-1:111122223333:placement-group/pg")), "InvalidParameterCombination")
				sameCode("InvalidParameterValue", futureBody("InstanceMatchCriteria=open"), futureBody("InstanceMatchCriteria="),
					futureBody("DeliveryPreference=fixed"))(s)
			},
		},
		"aws-4.4-end": {
			accepted: takes(futureBody("EndDateType=limited", "EndDate="+rfc(committed()))),
			rejected: sameCode("InvalidParameterValue", futureBody("EndDateType=limited", "EndDate="+rfc(committed().Add(-time.Second)))),
		},
		"aws-4.4-stock": {
			accepted: func(s *stage) {
				s.stockOfG(0)
				s.scheduled()
			},
			rejected: func(s *stage) {
				limit := 63.0
				s.ok(s.world.SetQuota(sim.Quota{Cloud: "aws", Region: s.region, Quota: "L-DB2E81BA", Limit: &limit}))
				s.future()
				s.refused(s.ec2(futureBody()), "InstanceLimitExceeded")
			},
		},
	}
}

func deliveryProofs() map[string]proof {
	return map[string]proof{
		"aws-4.3-assessing": {
			accepted: func(s *stage) { s.scheduled() },
			rejected: func(s *stage) {
				s.failing("CreateCapacityReservation", "Unsupported")
				id := s.future()
				s.in(id, "assessing")
				s.ok(s.world.Advance(30 * 24 * time.Hour))
				s.in(id, "unsupported")
				s.ok(s.world.Advance(time.Second))
				s.refused(s.describe("&CapacityReservationId.1="+id), "InvalidCapacityReservationId.NotFound")
			},
		},
		"aws-4.3-scheduled": {
			accepted: func(s *stage) {
				id := s.scheduled()
				got := s.describe("&CapacityReservationId.1=" + id)
				s.says(got, "<totalInstanceCount>0</totalInstanceCount><availableInstanceCount>0<")
				s.says(got, "<key>aws:ec2capacityreservation:incrementalRequestedQuantity</key><value>8</value>")
				s.until(starts())
				s.in(id, "active")
				s.says(s.describe("&CapacityReservationId.1="+id), "<totalInstanceCount>8</totalInstanceCount><availableInstanceCount>8<")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=DeleteTags&ResourceId.1="+s.scheduled()+
					"&Tag.1.Key=aws:ec2capacityreservation:incrementalRequestedQuantity"), "InvalidParameterValue")
			},
		},
		"aws-4.3-delayed": {
			accepted: func(s *stage) {
				s.stockOfG(7)
				id := s.scheduled()
				s.until(starts())
				s.in(id, "delayed")
				s.stockOfG(8)
				s.ok(s.world.Advance(time.Hour))
				s.in(id, "active")
				s.accepted(s.cancel(id))
			},
			rejected: func(s *stage) {
				s.stockOfG(7)
				id := s.scheduled()
				s.until(starts())
				s.refused(s.modify(id, "&InstanceCount=7"), "IncorrectState")
			},
		},
		"aws-4.5-assessing": {
			accepted: func(s *stage) { s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + s.future() + "&Tag.1.Key=k")) },
			rejected: func(s *stage) { s.refused(s.modify(s.future(), "&EndDateType=unlimited"), "IncorrectState") },
		},
		"aws-4.5-scheduled": {
			accepted: func(s *stage) {
				id := s.scheduled()
				s.accepted(s.modify(id, "&EndDateType=limited&EndDate="+rfc(committed())))
				s.until(starts())
				s.in(id, "active")
				s.until(committed())
				s.in(id, "expired")
			},
			rejected: func(s *stage) {
				id := s.scheduled()
				s.refused(s.modify(id, "&EndDateType=limited&EndDate="+rfc(committed().Add(-time.Second))), "InvalidParameterValue")
				s.refused(s.modify(id, "&InstanceMatchCriteria=open"), "IncorrectState")
				s.refused(s.modify(id, "&InstanceCount=9"), "IncorrectState")
				s.refused(s.modify(id, "&QuoteId=crmq-1"), "UnsupportedOperation")
				s.refused(s.ec2("Action=CreateCapacityReservationDateChangeQuote&CapacityReservationId="+id), "UnsupportedOperation")
			},
		},
		"aws-4.5-committed": {
			accepted: func(s *stage) {
				id := s.scheduled()
				s.until(starts())
				s.accepted(s.modify(id, "&InstanceCount=9"))
				s.accepted(s.modify(id, "&InstanceCount=8&EndDateType=limited&EndDate="+rfc(committed().Add(time.Hour))))
				s.until(committed())
				s.accepted(s.modify(id, "&InstanceCount=1"))
			},
			rejected: func(s *stage) {
				id := s.scheduled()
				s.until(starts())
				s.refused(s.modify(id, "&EndDateType=limited&EndDate="+rfc(committed().Add(-time.Second))), "InvalidParameterValue")
				s.refused(s.modify(id, "&InstanceCount=7"), "InvalidParameterValue")
			},
		},
	}
}

func cancelProofs() map[string]proof {
	day := 24 * time.Hour
	return map[string]proof{
		"aws-4.6-free": {
			accepted: func(s *stage) {
				id := s.future()
				s.accepted(s.cancel(id))
				s.in(id, "cancelled")
				s.says(s.describe("&CapacityReservationId.1="+id), "<totalInstanceCount>0<")
				id = s.scheduled()
				s.until(committed())
				s.accepted(s.cancel(id))
			},
			rejected: func(s *stage) { s.refused(s.quoted(s.future()), "IncorrectState") },
		},
		"aws-4.6-quote": {
			accepted: func(s *stage) {
				id := s.scheduled()
				got := s.accepted(s.quoted(id))
				s.says(got, "<expirationTime>"+rfc(now().Add(day+time.Second))+"</expirationTime><quoteState>active</quoteState>")
				s.says(got, "<currentConfiguration><instanceCount>8</instanceCount><reservationState>scheduled</reservationState>")
				quote := got.between("capacityReservationCancellationQuoteId")
				s.says(s.accepted(s.ec2("Action=DescribeCapacityReservationCancellationQuotes&CapacityReservationCancellationQuoteId.1="+quote)),
					"<capacityReservationCancellationQuoteSet><item><capacityReservationCancellationQuoteId>"+quote+"<")
				s.accepted(s.cancelBy(id, quote))
			},
			rejected: func(s *stage) {
				id := s.scheduled()
				s.refused(s.cancel(id), "IncorrectState")
				s.refused(s.ec2("Action=CancelCapacityReservation&CapacityReservationId="+id+"&QuoteId=crcq-1"), "MissingParameter")
				s.refused(s.cancelBy(id, "crcq-0123456789abcdef0"), "InvalidParameterValue")
				s.refused(s.cancelBy(id, s.quoteFor(s.scheduled())), "InvalidParameterValue")
				quote := s.quoteFor(id)
				s.ok(s.world.Advance(day))
				s.says(s.ec2("Action=DescribeCapacityReservationCancellationQuotes&Filter.1.Name=capacity-reservation-id&Filter.1.Value.1="+id),
					"<quoteState>expired<")
				s.refused(s.cancelBy(id, quote), "InvalidParameterValue")
			},
		},
		"aws-4.6-charges": {
			accepted: func(s *stage) {
				id := s.scheduled()
				for _, stop := range []struct {
					at    time.Time
					hours string
				}{
					{starts().Add(-8 * 7 * day), "0"},
					{starts().Add(-8*7*day + time.Second), "84"},
					{starts().Add(-14 * day), "84"},
					{starts().Add(-14*day + time.Second), "168"},
					{starts(), "168"},
					{starts().Add(10 * day), "48"},
				} {
					s.until(stop.at)
					s.says(s.accepted(s.quoted(id)), "<chargeCommitmentDurationHours>"+stop.hours+"<")
				}
			},
			rejected: func(s *stage) {
				id := s.scheduled()
				quote := s.quoteFor(id)
				s.until(starts().Add(-time.Hour))
				s.refused(s.cancelBy(id, quote), "InvalidParameterValue")
			},
		},
		"aws-4.6-cancelling": {
			accepted: func(s *stage) {
				s.stockOfG(8)
				id := s.scheduled()
				s.until(starts().Add(10 * day))
				s.accepted(s.cancelBy(id, s.quoteFor(id)))
				s.says(s.describe("&CapacityReservationId.1="+id), "<commitmentEndDate>"+rfc(starts().Add(12*day))+"<")
				s.in(id, "cancelling")
				s.accepted(s.ec2(createBody("InstanceType=g5.xlarge", "InstanceCount=8")))
				s.until(starts().Add(12 * day))
				s.in(id, "cancelled")
			},
			rejected: func(s *stage) {
				id := s.scheduled()
				s.until(starts().Add(-day))
				quote := s.quoteFor(id)
				s.accepted(s.cancelBy(id, quote))
				s.in(id, "cancelling")
				s.refused(s.modify(id, "&InstanceCount=9"), "IncorrectState")
				s.refused(s.cancelBy(id, quote), "IncorrectState")
			},
		},
		"aws-4.6-running": {
			accepted: func(s *stage) {
				id := s.scheduled()
				s.until(committed())
				s.used(id, 1)
				s.accepted(s.cancel(id))
			},
			rejected: func(s *stage) {
				id := s.scheduled()
				s.until(starts())
				s.used(id, 1)
				s.refused(s.cancelBy(id, s.quoteFor(id)), "IncorrectState")
			},
		},
		"aws-4.6-quote-token": {
			accepted: func(s *stage) {
				body := "Action=CreateCapacityReservationCancellationQuote&ClientToken=t&CapacityReservationId=" + s.scheduled()
				first := s.accepted(s.ec2(body)).between("capacityReservationCancellationQuoteId")
				if again := s.accepted(s.ec2(body)).between("capacityReservationCancellationQuoteId"); again != first || !strings.HasPrefix(first, "crcq-") {
					s.t.Errorf("%s, then %s", first, again)
				}
			},
			rejected: func(s *stage) {
				body := "Action=CreateCapacityReservationCancellationQuote&ClientToken=t&CapacityReservationId="
				s.accepted(s.ec2(body + s.scheduled()))
				s.refused(s.ec2(body+s.scheduled()), "IdempotentParameterMismatch")
			},
		},
	}
}
