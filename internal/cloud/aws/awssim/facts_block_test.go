package awssim_test

import (
	"encoding/xml"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// offered is an offer as it comes over the wire.
type offered struct {
	ID      string    `xml:"capacityBlockOfferingId"`
	Zone    string    `xml:"availabilityZone"`
	Starts  time.Time `xml:"startDate"`
	Ends    time.Time `xml:"endDate"`
	Hours   int       `xml:"capacityBlockDurationHours"`
	Minutes int       `xml:"capacityBlockDurationMinutes"`
	Fee     string    `xml:"upfrontFee"`
}

// pairs is createBody for any operation: "Name=" alone takes one out.
func pairs(action string, plain, more []string) string {
	values := url.Values{"Action": {action}}
	for _, pair := range append(plain, more...) {
		name, value, _ := strings.Cut(pair, "=")
		values.Set(name, value)
		if value == "" {
			values.Del(name)
		}
	}
	return values.Encode()
}

// offersBody asks for a day of one p4d.24xlarge, which four zones of the
// region have.
func offersBody(more ...string) string {
	return pairs("DescribeCapacityBlockOfferings",
		[]string{"InstanceType=p4d.24xlarge", "InstanceCount=1", "CapacityDurationHours=24"}, more)
}

func (s *stage) offers(more ...string) []offered {
	s.t.Helper()
	var doc struct {
		Offers []offered `xml:"capacityBlockOfferingSet>item"`
	}
	s.ok(xml.Unmarshal([]byte(s.accepted(s.ec2(offersBody(more...))).body), &doc))
	return doc.Offers
}

// offer is the first one, which has the exact length.
func (s *stage) offer(more ...string) offered {
	s.t.Helper()
	all := s.offers(more...)
	if len(all) == 0 {
		s.t.Fatal("no offer")
	}
	return all[0]
}

func dollars(s *stage, fee string) float64 {
	s.t.Helper()
	n, err := strconv.ParseFloat(fee, 64)
	s.ok(err)
	return n
}

func buyBody(id string, more ...string) string {
	return pairs("PurchaseCapacityBlock", []string{"CapacityBlockOfferingId=" + id, "InstancePlatform=Linux/UNIX"}, more)
}

// buy purchases an offer and answers the reservation's id.
func (s *stage) buy(id string) string {
	s.t.Helper()
	return s.accepted(s.ec2(buyBody(id))).between("capacityReservationId")
}

// block is a bought and paid block of the first offer, with what was offered.
func (s *stage) block(more ...string) (string, offered) {
	s.t.Helper()
	o := s.offer(more...)
	id := s.buy(o.ID)
	s.ok(s.world.Advance(time.Second))
	s.in(id, "scheduled")
	return id, o
}

func extendBody(id string, hours string) string {
	return "Action=DescribeCapacityBlockExtensionOfferings&CapacityReservationId=" + id +
		"&CapacityBlockExtensionDurationHours=" + hours
}

func (s *stage) extension(id, hours string) string {
	s.t.Helper()
	return s.accepted(s.ec2(extendBody(id, hours))).between("capacityBlockExtensionOfferingId")
}

func (s *stage) extend(id, offer string) reply {
	s.t.Helper()
	return s.ec2("Action=PurchaseCapacityBlockExtension&CapacityReservationId=" + id + "&CapacityBlockExtensionOfferingId=" + offer)
}

func (s *stage) history(id string) reply {
	s.t.Helper()
	return s.ec2("Action=DescribeCapacityBlockExtensionHistory&CapacityReservationId.1=" + id)
}

func (s *stage) ends(id string) string {
	s.t.Helper()
	return s.describe("&CapacityReservationId.1=" + id).between("endDate")
}

func sixOffers(s *stage) {
	all := s.offers()
	exact := 0
	for _, o := range all {
		length := o.Ends.Sub(o.Starts)
		if o.Ends.Format("15:04:05") != "11:30:00" || length != time.Duration(o.Hours*60+o.Minutes)*time.Minute {
			s.t.Errorf("offer %+v", o)
		}
		if length == 24*time.Hour {
			exact++
		}
	}
	if len(all) != 6 || exact != 4 {
		s.t.Errorf("%d offers, %d of a day", len(all), exact)
	}
}

func offersInRange(s *stage) {
	day := 24 * time.Hour
	from, to := now().Add(30*day), now().Add(33*day)
	for _, o := range s.offers("StartDateRange="+rfc(from), "EndDateRange="+rfc(to)) {
		if o.Starts.Before(from) || o.Ends.After(to) {
			s.t.Errorf("offer %+v", o)
		}
	}
	for _, o := range s.offers() {
		if o.Starts.Before(now().Add(30 * time.Minute)) {
			s.t.Errorf("offer %+v", o)
		}
	}
	if late := s.offers("StartDateRange=" + rfc(now().Add(57*day))); len(late) != 0 {
		s.t.Errorf("offers %+v", late)
	}
}

// offersAtRates: 11.80 for 24 hours is 283.20; the dearest day is 7.5 % more.
func offersAtRates(s *stage) {
	for _, o := range s.offers() {
		length := o.Ends.Sub(o.Starts).Hours()
		if fee := dollars(s, o.Fee); fee < 11.8*length-1 || fee > 11.8*length*1.075+1 {
			s.t.Errorf("offer %+v", o)
		}
	}
	s.says(s.accepted(s.ec2(offersBody())), "<currencyCode>USD</currencyCode>")
}

func offerProofs() map[string]proof {
	day := 24 * time.Hour
	return map[string]proof{
		"aws-5-types": {
			accepted: takes(offersBody(), offersBody("InstanceType=trn1.32xlarge")),
			rejected: sameCode("Unsupported", offersBody("InstanceType=g5.xlarge"), offersBody("InstanceType=m5.large")),
		},
		"aws-5-count": {
			accepted: takes(offersBody("InstanceCount=64")),
			rejected: func(s *stage) {
				s.refused(s.ec2(offersBody("InstanceCount=")), "MissingParameter")
				sameCode("InvalidParameterValue", offersBody("InstanceCount=0"), offersBody("InstanceCount=65"))(s)
			},
		},
		"aws-5-length": {
			accepted: takes(offersBody("CapacityDurationHours=24"), offersBody("CapacityDurationHours=336"),
				offersBody("CapacityDurationHours=504"), offersBody("CapacityDurationHours=4368")),
			rejected: sameCode("InvalidParameterValue", offersBody("CapacityDurationHours=0"), offersBody("CapacityDurationHours=25"),
				offersBody("CapacityDurationHours=360"), offersBody("CapacityDurationHours=4536"), offersBody("CapacityDurationHours=-24")),
		},
		"aws-5-offers": {
			accepted: sixOffers,
			rejected: func(s *stage) { s.refused(s.ec2(offersBody("CapacityDurationHours=")), "MissingParameter") },
		},
		"aws-5-start": {
			accepted: offersInRange,
			rejected: func(s *stage) {
				from := "StartDateRange=" + rfc(now().Add(day))
				s.refused(s.ec2(offersBody(from, "EndDateRange="+rfc(now()))), "InvalidParameterCombination")
			},
		},
		"aws-5-price": {
			accepted: offersAtRates,
			rejected: func(s *stage) { s.refused(s.ec2(offersBody("InstanceType=")), "MissingParameter") },
		},
		"aws-5-ultraserver": {
			accepted: takes(offersBody()),
			rejected: sameCode("UnsupportedOperation", offersBody("UltraserverType=u-p6e-gb200x72"), offersBody("UltraserverCount=1")),
		},
		"aws-5-offer-id": {
			accepted: func(s *stage) {
				first := s.offer().ID
				s.ok(s.world.Advance(45 * time.Minute))
				if again := s.offer().ID; again != first {
					s.t.Errorf("%s was listed as %s", first, again)
				}
				s.ok(s.world.Advance(45 * time.Minute))
				s.buy(first)
			},
			rejected: func(s *stage) {
				id := s.offer().ID
				s.ok(s.world.Advance(time.Hour))
				s.refused(s.ec2(buyBody(id)), "InvalidCapacityBlockOfferingIdExpired")
				s.ok(s.world.Advance(day))
				s.refused(s.ec2(buyBody(id)), "InvalidCapacityBlockOfferingIdNotFound")
				s.refused(s.ec2(buyBody("cb-0123456789abcdef0")), "InvalidCapacityBlockOfferingIdNotFound")
				s.refused(s.ec2(buyBody("offer")), "InvalidCapacityBlockOfferingIdMalformed")
				s.refused(s.ec2(buyBody("")), "MissingParameter")
			},
		},
		"aws-8-block-bucket": {
			accepted: func(s *stage) {
				for range 10 {
					s.accepted(s.ec2(offersBody()))
				}
				s.refused(s.ec2(offersBody()), "RequestLimitExceeded")
				s.ok(s.world.Advance(7 * time.Second))
				s.accepted(s.ec2(offersBody()))
			},
			rejected: func(s *stage) {
				id := s.offer().ID
				for range 10 {
					s.refused(s.ec2(buyBody(id, "DryRun=true")), "DryRunOperation")
				}
				s.refused(s.ec2(buyBody(id, "DryRun=true")), "RequestLimitExceeded")
			},
		},
	}
}

func purchaseProofs() map[string]proof {
	return map[string]proof{
		"aws-5-platform": {
			accepted: func(s *stage) { s.accepted(s.ec2(buyBody(s.offer().ID, "InstancePlatform=RHEL with HA"))) },
			rejected: func(s *stage) {
				s.refused(s.ec2(buyBody(s.offer().ID, "InstancePlatform=")), "MissingParameter")
				s.refused(s.ec2(buyBody(s.offer().ID, "InstancePlatform=Windows")), "InvalidParameterValue")
			},
		},
		"aws-5-purchase": {
			accepted: func(s *stage) {
				id := s.offer().ID
				if first, second := s.buy(id), s.buy(id); first == second {
					s.t.Errorf("%s twice", first)
				}
			},
			rejected: func(s *stage) {
				id := s.offer().ID
				s.refused(s.ec2(buyBody(id, "ClientToken=t")), "UnknownParameter")
				s.refused(s.ec2(buyBody(id, "DryRun=true")), "DryRunOperation")
			},
		},
		"aws-5-stock": {
			accepted: func(s *stage) {
				s.stock(2)
				s.buy(s.offer("InstanceCount=2").ID)
				for _, o := range s.offers() {
					if o.Zone == "us-east-1a" {
						s.t.Errorf("offer %+v without stock", o)
					}
				}
				s.accepted(s.ec2(offersBody()))
			},
			rejected: func(s *stage) {
				s.stock(1)
				id := s.offer().ID
				s.buy(id)
				if got := s.ec2(buyBody(id)); got.status != 500 {
					s.t.Errorf("status %d", got.status)
				}
				s.refused(s.ec2(buyBody(id)), "InsufficientInstanceCapacity")
			},
		},
		"aws-5-limit": {
			accepted: func(s *stage) {
				id := s.offer("InstanceCount=64").ID
				for range 4 {
					s.buy(id)
				}
			},
			rejected: func(s *stage) {
				id := s.offer("InstanceCount=64").ID
				for range 4 {
					s.buy(id)
				}
				s.refused(s.ec2(buyBody(id)), "InstanceLimitExceeded")
			},
		},
		"aws-5-payment": {
			accepted: func(s *stage) {
				id := s.buy(s.offer().ID)
				s.in(id, "payment-pending")
				s.ok(s.world.Advance(time.Second))
				s.in(id, "scheduled")
			},
			rejected: func(s *stage) {
				s.stock(1)
				slow := sim.Duration(13 * time.Hour)
				s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "PurchaseCapacityBlock", Times: 1, OperationTakes: &slow}))
				id := s.buy(s.offer().ID)
				s.ok(s.world.Advance(12*time.Hour - time.Second))
				s.in(id, "payment-pending")
				s.ok(s.world.Advance(time.Second))
				s.in(id, "payment-failed")
				s.failing("PurchaseCapacityBlock", "CardDeclined")
				id = s.buy(s.offer().ID)
				s.ok(s.world.Advance(time.Second))
				s.in(id, "payment-failed")
				s.refused(s.ec2(extendBody(id, "24")), "IncorrectState")
			},
		},
		"aws-5-tags": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2(buyBody(s.offer().ID,
					"TagSpecification.1.ResourceType=capacity-reservation", "TagSpecification.1.Tag.1.Key=k",
					"TagSpecification.2.ResourceType=capacity-block", "TagSpecification.2.Tag.1.Key=l")))
				s.says(got, "<key>k</key>")
				s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + got.between("capacityReservationId") + "&Tag.1.Key=m"))
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(buyBody(s.offer().ID, "TagSpecification.1.ResourceType=instance", "TagSpecification.1.Tag.1.Key=k")), "InvalidParameterValue")
				s.refused(s.ec2(buyBody(s.offer().ID, "TagSpecifications.1.ResourceType=capacity-reservation")), "UnknownParameter")
			},
		},
		"aws-5-system-tags": {
			accepted: func(s *stage) {
				id, _ := s.block("InstanceCount=2")
				s.accepted(s.ec2("Action=DeleteTags&ResourceId.1=" + id))
				got := s.describe("&CapacityReservationId.1=" + id)
				s.says(got, "<key>aws:ec2capacityreservation:capacityReservationType</key><value>capacity-block</value>")
				s.says(got, "<key>aws:ec2capacityreservation:incrementalRequestedQuantity</key><value>2</value>")
			},
			rejected: func(s *stage) {
				id, _ := s.block()
				s.refused(s.ec2("Action=CreateTags&ResourceId.1="+id+
					"&Tag.1.Key=aws:ec2capacityreservation:incrementalRequestedQuantity&Tag.1.Value=9"), "InvalidParameterValue")
			},
		},
	}
}

func blockLifeProofs() map[string]proof {
	return map[string]proof{
		"aws-5-counts": {
			accepted: func(s *stage) {
				id, o := s.block("InstanceCount=2")
				s.says(s.describe("&CapacityReservationId.1="+id), "<totalInstanceCount>0</totalInstanceCount><availableInstanceCount>0<")
				s.until(o.Starts)
				s.in(id, "active")
				s.says(s.describe("&CapacityReservationId.1="+id), "<totalInstanceCount>2</totalInstanceCount><availableInstanceCount>2<")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=DescribeCapacityBlocks&CapacityBlockId.1=cb-0123456789abcdef0"), "InvalidParameterValue")
			},
		},
		"aws-5-never": {
			accepted: func(s *stage) {
				id, o := s.block()
				s.until(o.Starts)
				s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + id + "&Tag.1.Key=k"))
			},
			rejected: func(s *stage) {
				id, o := s.block()
				for range 2 {
					s.refused(s.cancel(id), "UnsupportedOperation")
					s.refused(s.modify(id, "&InstanceCount=2"), "UnsupportedOperation")
					s.refused(s.quoted(id), "IncorrectState")
					s.until(o.Starts)
				}
			},
		},
		"aws-5-quota": {
			accepted: func(s *stage) {
				s.quota(96)
				s.block("InstanceCount=2")
				s.create()
			},
			rejected: func(s *stage) {
				s.quota(96)
				s.create()
				s.refused(s.ec2(createBody()), "InstanceLimitExceeded")
			},
		},
		"aws-5-end": {
			accepted: func(s *stage) {
				id, o := s.block("InstanceCount=2")
				s.until(o.Starts)
				s.used(id, 2)
				s.until(o.Ends.Add(-30*time.Minute - time.Second))
				s.says(s.describe("&CapacityReservationId.1="+id), "<availableInstanceCount>0<")
				s.until(o.Ends.Add(-30 * time.Minute))
				s.says(s.describe("&CapacityReservationId.1="+id), "<availableInstanceCount>2<")
			},
			rejected: func(s *stage) {
				id, o := s.block()
				s.until(o.Ends)
				s.in(id, "expired")
				s.refused(s.ec2(extendBody(id, "24")), "IncorrectState")
			},
		},
		"aws-5-status": {
			accepted: func(s *stage) {
				id, o := s.block("InstanceCount=2")
				s.says(s.ec2("Action=DescribeCapacityBlockStatus"), "<interconnectStatus>insufficient-data<")
				s.until(o.Starts)
				s.used(id, 1)
				s.says(s.accepted(s.ec2("Action=DescribeCapacityBlockStatus&Filter.1.Name=interconnect-status&Filter.1.Value.1=ok")),
					"<totalCapacity>2</totalCapacity><totalAvailableCapacity>1</totalAvailableCapacity><totalUnavailableCapacity>0<")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=DescribeCapacityBlockStatus&Filter.1.Name=state&Filter.1.Value.1=ok"), "InvalidFilter")
			},
		},
	}
}

func extensionProofs() map[string]proof {
	day := 24 * time.Hour
	return map[string]proof{
		"aws-5-extend": {
			accepted: func(s *stage) {
				id, o := s.block()
				s.accepted(s.extend(id, s.extension(id, "48")))
				s.says(s.history(id), "<capacityBlockExtensionStatus>payment-pending<")
				if got := s.ends(id); got != rfc(o.Ends) {
					s.t.Errorf("ends %s before the payment", got)
				}
				s.ok(s.world.Advance(time.Second))
				s.says(s.history(id), "<capacityBlockExtensionStatus>payment-succeeded<")
				if got := s.ends(id); got != rfc(o.Ends.Add(2*day)) {
					s.t.Errorf("ends %s", got)
				}
				s.until(o.Ends)
				s.in(id, "active")
				s.until(o.Ends.Add(2 * day))
				s.in(id, "expired")
				s.accepted(s.history(id))
			},
			rejected: func(s *stage) {
				id, _ := s.block()
				other, _ := s.block()
				offer := s.extension(other, "24")
				s.refused(s.extend(id, offer), "InvalidCapacityBlockOfferingIdNotFound")
				s.accepted(s.extend(other, offer))
				s.ok(s.world.Advance(time.Second))
				s.refused(s.extend(other, offer), "InvalidCapacityBlockOfferingIdExpired")
			},
		},
		"aws-5-extend-window": {
			accepted: func(s *stage) {
				id, o := s.block()
				s.until(o.Ends.Add(-time.Hour - time.Second))
				s.accepted(s.extend(id, s.extension(id, "24")))
			},
			rejected: func(s *stage) {
				id, o := s.block()
				s.refused(s.ec2(extendBody(s.create(), "24")), "InvalidParameterValue")
				offer := s.extension(id, "24")
				s.accepted(s.extend(id, offer))
				s.refused(s.extend(id, offer), "IncorrectState")
				s.until(o.Ends.Add(day - time.Hour + time.Second))
				s.refused(s.ec2(extendBody(id, "24")), "IncorrectState")
				far, _ := s.block("CapacityDurationHours=1512")
				s.refused(s.ec2(extendBody(far, "24")), "IncorrectState")
			},
		},
		"aws-5-extend-length": {
			accepted: func(s *stage) {
				id, _ := s.block("CapacityDurationHours=336")
				s.accepted(s.ec2(extendBody(id, "4032")))
			},
			rejected: func(s *stage) {
				id, _ := s.block("CapacityDurationHours=336")
				s.refused(s.ec2(extendBody(id, "30")), "InvalidParameterValue")
				s.refused(s.ec2(extendBody(id, "4200")), "InvalidParameterValue")
			},
		},
		"aws-5-extend-payment": {
			accepted: func(s *stage) {
				slow := sim.Duration(12 * time.Hour)
				s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "PurchaseCapacityBlockExtension", Times: 1, OperationTakes: &slow}))
				id, _ := s.block()
				s.accepted(s.extend(id, s.extension(id, "24")))
				s.ok(s.world.Advance(12 * time.Hour))
				s.says(s.accepted(s.history(id)), ">payment-succeeded<")
			},
			rejected: func(s *stage) {
				slow := sim.Duration(time.Hour)
				s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "PurchaseCapacityBlockExtension", Times: 1, OperationTakes: &slow}))
				id, o := s.block()
				s.until(o.Ends.Add(-time.Hour - time.Second))
				s.accepted(s.extend(id, s.extension(id, "24")))
				s.until(o.Ends.Add(-35 * time.Minute))
				s.says(s.history(id), ">payment-failed<")
				s.until(o.Ends)
				s.in(id, "expired")
				s.refused(s.ec2(extendBody(id, "24")), "IncorrectState")
			},
		},
	}
}
