package awssim_test

import (
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// offerOf is the id of a one-year offering for p4d hosts.
func (s *stage) offerOf(payment string) string {
	s.t.Helper()
	got := s.accepted(s.ec2("Action=DescribeHostReservationOfferings&MaxDuration=31536000" +
		"&Filter.1.Name=instance-family&Filter.1.Value.1=p4d&Filter.2.Name=payment-option&Filter.2.Value.1=" + payment))
	if n := strings.Count(got.body, "<offeringId>"); n != 1 {
		s.t.Fatalf("%d offerings: %s", n, got.body)
	}
	return got.between("offeringId")
}

// purchase buys an all-up-front year for a p4d host, as told.
func (s *stage) purchase(host, more string) reply {
	s.t.Helper()
	return s.ec2("Action=PurchaseHostReservation&HostIdSet.1=" + host + "&OfferingId=" + s.offerOf("AllUpfront") + more)
}

func (s *stage) buyTerm(host, more string) reply {
	s.t.Helper()
	return s.accepted(s.purchase(host, more))
}

func (s *stage) terms(more string) reply {
	s.t.Helper()
	return s.ec2("Action=DescribeHostReservations" + more)
}

const year = 365 * 24 * time.Hour

func termProofs() map[string]proof {
	return map[string]proof{
		"aws-6.1-offerings": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2("Action=DescribeHostReservationOfferings&Filter.1.Name=instance-family&Filter.1.Value.1=p4d"))
				if n := strings.Count(got.body, "<item>"); n != 5 {
					s.t.Errorf("%d offerings", n)
				}
				got = s.accepted(s.ec2("Action=DescribeHostReservationOfferings&MinDuration=94608000&MaxResults=5"))
				if strings.Contains(got.body, "31536000") || got.between("nextToken") == "" {
					s.t.Error(got.body)
				}
				// 21.957642 USD x 1.1 x 0.64 x 8760 hours, rounded down on the way.
				got = s.accepted(s.ec2("Action=DescribeHostReservationOfferings&OfferingId=" + s.offerOf("AllUpfront")))
				s.says(got, "<upfrontPrice>135413.640</upfrontPrice><hourlyPrice>0.000</hourlyPrice>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=DescribeHostReservationOfferings&MinDuration=1"), "InvalidParameterValue")
				s.refused(s.ec2("Action=DescribeHostReservationOfferings&MaxDuration=x"), "InvalidParameterValue")
				s.refused(s.ec2("Action=DescribeHostReservationOfferings&MaxResults=4"), "InvalidParameterValue")
			},
		},
		"aws-6.1-none": {
			accepted: func(s *stage) {
				s.allocate("InstanceType=dl1.24xlarge", "AvailabilityZone=us-east-1"+s.zoneOf("dl1.24xlarge"))
				s.says(s.ec2("Action=DescribeHostReservationOfferings&Filter.1.Name=instance-family&Filter.1.Value.1=dl1"), "<offeringSet/>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=DescribeHostReservationOfferings&OfferingId=hro-0123456789abcdef0"), "InvalidHostReservationOfferingId.NotFound")
				s.refused(s.ec2("Action=DescribeHostReservationOfferings&OfferingId=x"), "InvalidHostReservationOfferingId.Malformed")
			},
		},
		"aws-6.1-preview": {
			accepted: func(s *stage) {
				a, b := s.allocate(), s.allocate()
				preview := "Action=GetHostReservationPurchasePreview&HostIdSet.1=" + a + "&HostIdSet.2=" + b + "&OfferingId=" + s.offerOf("PartialUpfront")
				got := s.says(s.ec2(preview), "<totalUpfrontPrice>139645.320</totalUpfrontPrice><totalHourlyPrice>15.940</totalHourlyPrice>")
				s.says(got, "<item>"+a+"</item><item>"+b+"</item>")
				if got := s.accepted(s.terms("")); strings.Contains(got.body, "<item>") {
					s.t.Error(got.body)
				}
			},
			rejected: func(s *stage) {
				id := s.allocate()
				preview := "Action=GetHostReservationPurchasePreview"
				s.refused(s.ec2(preview+"&HostIdSet.1="+id), "MissingParameter")
				preview += "&OfferingId=" + s.offerOf("AllUpfront")
				s.refused(s.ec2(preview), "MissingParameter")
				s.refused(s.ec2(preview+"&HostIdSet.1=h-0123456789abcdef0"), "InvalidHostID.NotFound")
				s.refused(s.ec2(preview+"&HostIdSet.1="+id+"&HostIdSet.2="+id), "InvalidParameterValue")
			},
		},
		"aws-6.1-family": {
			accepted: func(s *stage) { s.buyTerm(s.allocate(), "") },
			rejected: func(s *stage) {
				host := s.allocate("InstanceType=p3dn.24xlarge", "AvailabilityZone=us-east-1"+s.zoneOf("p3dn.24xlarge"))
				s.refused(s.purchase(host, ""), "InvalidHostConfiguration")
			},
		},
		"aws-6.1-covered": {
			accepted: func(s *stage) {
				id := s.allocate()
				term := s.buyTerm(id, "").between("hostReservationId")
				s.says(s.hosts("&Filter.1.Name=host-reservation-id&Filter.1.Value.1="+term), "<hostReservationId>"+term)
				s.says(s.release(id), "<code>Client.OperationNotPermitted</code>")
				s.ok(s.world.Advance(year))
				s.says(s.release(id), "<successful><item>"+id)
			},
			rejected: func(s *stage) {
				id := s.allocate()
				s.buyTerm(id, "")
				s.refused(s.purchase(id, ""), "HostAlreadyCoveredByReservation")
			},
		},
		"aws-6.1-limit-price": {
			accepted: func(s *stage) { s.buyTerm(s.allocate(), "&LimitPrice=135413.64&CurrencyCode=USD") },
			rejected: func(s *stage) {
				id := s.allocate()
				s.refused(s.purchase(id, "&LimitPrice=1/3"), "InvalidParameterValue")
				s.refused(s.purchase(id, "&LimitPrice=999999&CurrencyCode=EUR"), "InvalidParameterValue")
				s.refused(s.purchase(id, "&LimitPrice=135413.63"), "LimitPriceExceeded")
			},
		},
		"aws-6.1-token": {
			accepted: func(s *stage) {
				id := s.allocate()
				first := s.buyTerm(id, "&ClientToken=t")
				again := s.buyTerm(id, "&ClientToken=t")
				if a, b := first.between("hostReservationId"), again.between("hostReservationId"); a != b || a == "" {
					s.t.Errorf("first %s, again %s", a, b)
				}
				s.says(again, "<clientToken>t</clientToken>")
			},
			rejected: func(s *stage) {
				id := s.allocate()
				s.buyTerm(id, "&ClientToken=t")
				s.refused(s.purchase(id, "&ClientToken=t&LimitPrice=999999"), "IdempotentParameterMismatch")
			},
		},
		"aws-6.1-available": {
			accepted: func(s *stage) { s.buyTerm(s.allocate(), "") },
			rejected: func(s *stage) {
				id := s.allocate()
				s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("under-assessment")}))
				s.refused(s.purchase(id, ""), "InvalidHostState")
			},
		},
		"aws-6.1-retired": {
			accepted: func(s *stage) {
				spec := "&TagSpecification.1.ResourceType=host-reservation&TagSpecification.1.Tag.1.Key=k&TagSpecification.1.Tag.1.Value=v"
				term := s.buyTerm(s.allocate(), spec).between("hostReservationId")
				got := s.says(s.terms("&Filter.1.Name=tag:k&Filter.1.Value.1=v"), "<state>active</state><count>1</count>")
				s.says(got, "<start>2027-03-01T12:00:00Z</start><end>2028-02-29T12:00:00Z</end>")
				s.ok(s.world.Advance(year))
				s.says(s.terms("&HostReservationIdSet.1="+term), "<state>retired</state>")
				s.says(s.terms("&Filter.1.Name=state&Filter.1.Value.1=active"), "<hostReservationSet/>")
			},
			rejected: func(s *stage) {
				s.buyTerm(s.allocate(), "")
				s.refused(s.terms("&HostReservationIdSet.1=hr-0123456789abcdef0"), "InvalidHostReservationId.NotFound")
				s.refused(s.terms("&MaxResults=501"), "InvalidParameterValue")
			},
		},
	}
}
