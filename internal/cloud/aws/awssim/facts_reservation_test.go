package awssim_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func (s *stage) modify(id, change string) reply {
	s.t.Helper()
	return s.ec2("Action=ModifyCapacityReservation&CapacityReservationId=" + id + change)
}

func (s *stage) cancel(id string) reply {
	s.t.Helper()
	return s.ec2("Action=CancelCapacityReservation&CapacityReservationId=" + id)
}

// state is what Describe shows.
func (s *stage) state(id string) string {
	s.t.Helper()
	return s.accepted(s.describe("&CapacityReservationId.1=" + id)).between("state")
}

func (s *stage) used(id string, n int) {
	s.t.Helper()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{Number: n}}))
}

// slow has the next create take a while and, with a code, fail then.
func (s *stage) slow(code string) {
	s.t.Helper()
	takes := sim.Duration(5 * time.Minute)
	fault := sim.Fault{Cloud: "aws", Operation: "CreateCapacityReservation", Times: 1, OperationTakes: &takes}
	if code != "" {
		fault.OperationError = &sim.OperationError{Code: code}
	}
	s.ok(s.world.AddFaults(fault))
}

func createProofs() map[string]proof {
	// enum is a parameter with good and bad values.
	enum := func(name string, bad string, good ...string) proof {
		return proof{
			accepted: func(s *stage) {
				for _, value := range good {
					s.says(s.accepted(s.ec2(createBody(name+"="+value))), ">"+value+"<")
				}
			},
			rejected: func(s *stage) { s.refused(s.ec2(createBody(name+"="+bad)), "InvalidParameterValue") },
		}
	}
	return map[string]proof{
		"aws-4.1-platform": enum("InstancePlatform", "linux", "Linux/UNIX", "Ubuntu Pro", "Windows with SQL Server",
			"RHEL with HA and SQL Server Enterprise"),
		"aws-4.1-tenancy": enum("Tenancy", "host", "default", "dedicated"),
		"aws-4.1-match":   enum("InstanceMatchCriteria", "closed", "open", "targeted"),
		"aws-4.1-count": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.ec2(createBody("InstanceCount=1000"))), "<totalInstanceCount>1000</totalInstanceCount>")
			},
			rejected: func(s *stage) {
				for _, count := range []string{"0", "-1", "1001"} {
					s.refused(s.ec2(createBody("InstanceCount="+count)), "InvalidParameterValue")
				}
			},
		},
		"aws-4.1-required": {
			accepted: func(s *stage) { s.create() },
			rejected: func(s *stage) {
				for _, name := range []string{"InstanceType", "InstancePlatform", "InstanceCount"} {
					s.says(s.ec2(createBody(name+"=")), "<Code>MissingParameter</Code><Message>The request must contain the parameter "+name)
				}
			},
		},
		"aws-4.1-zone": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2(createBody("AvailabilityZone=", "AvailabilityZoneId=use1-az4")))
				s.says(got, "<availabilityZoneId>use1-az4</availabilityZoneId>")
				s.says(got, "<availabilityZone>us-east-1")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("AvailabilityZone=")), "MissingParameter")
				s.refused(s.ec2(createBody("AvailabilityZoneId=use1-az4")), "InvalidParameterCombination")
				s.refused(s.ec2(createBody("AvailabilityZone=us-west-2a")), "InvalidParameterValue")
				s.refused(s.ec2(createBody("AvailabilityZone=use1-az4")), "InvalidParameterValue")
			},
		},
		"aws-4.1-end-date": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.ec2(createBody("EndDateType=unlimited"))), "<endDateType>unlimited</endDateType>")
				got := s.accepted(s.ec2(createBody("EndDateType=limited", "EndDate=2027-03-02T00:00:00Z")))
				s.says(got, "<endDateType>limited</endDateType>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("EndDateType=limited")), "InvalidParameterCombination")
				s.refused(s.ec2(createBody("EndDate=2027-03-02T00:00:00Z")), "InvalidParameterCombination")
				s.refused(s.ec2(createBody("EndDateType=limited", "EndDate=2027-03-01T12:00:00Z")), "InvalidParameterValue")
				s.refused(s.ec2(createBody("EndDateType=never")), "InvalidParameterValue")
			},
		},
		"aws-4.1-tags": {
			accepted: func(s *stage) {
				s.accepted(s.ec2(createBody("TagSpecifications.1.ResourceType=capacity-reservation", "TagSpecifications.1.Tag.1.Key=k")))
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("TagSpecifications.1.ResourceType=instance", "TagSpecifications.1.Tag.1.Key=k")), "InvalidParameterValue")
				s.refused(s.ec2(createBody("TagSpecifications.1.ResourceType=capacity-reservation", "TagSpecifications.1.Tag.1.Key=aws:k")), "InvalidParameterValue")
			},
		},
		"aws-4.1-placement-group": {
			accepted: func(s *stage) {
				s.says(s.accepted(s.ec2(createBody("PlacementGroupArn=arn:aws:ec2:us-east-1:111122223333:placement-group/pg"))), "placement-group/pg<")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("PlacementGroupArn=arn:aws:ec2:us-east-1:999900001111:placement-group/pg")), "InvalidParameterValue")
			},
		},
		"aws-4.1-token-form": {
			accepted: func(s *stage) { s.create("ClientToken=" + strings.Repeat("a", 64)) },
			rejected: func(s *stage) {
				s.refused(s.ec2(createBody("ClientToken="+strings.Repeat("a", 65))), "InvalidParameterValue")
				s.refused(s.ec2(createBody("ClientToken=é")), "InvalidParameterValue")
			},
		},
		"aws-4.1-future-dated": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2(futureBody()))
				s.says(got, "<state>assessing</state><startDate>"+rfc(starts())+"</startDate>")
				s.says(got, "<deliveryPreference>incremental</deliveryPreference><originalStartDate>"+rfc(starts())+"<")
				s.says(got, "<commitmentInfo><committedInstanceCount>8</committedInstanceCount><commitmentEndDate>"+rfc(committed())+
					"</commitmentEndDate><commitmentDuration>1209600<")
			},
			rejected: func(s *stage) {
				all := []string{"StartDate=2027-05-01T00:00:00Z", "CommitmentDuration=1209600", "DeliveryPreference=incremental"}
				s.refused(s.ec2(createBody(all[:2]...)), "InvalidParameterCombination")
				s.refused(s.ec2(createBody(append(all, "CommitmentDuration=0")...)), "InvalidParameterValue")
				s.refused(s.ec2(createBody(append(all, "DeliveryPreference=soon")...)), "InvalidParameterValue")
				s.refused(s.ec2(createBody("OutpostArn=x")), "UnsupportedOperation")
			},
		},
		"aws-4.2-object": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2(createBody("InstanceCount=3")))
				form := regexp.MustCompile(`<capacityReservation><capacityReservationId>(cr-[0-9a-f]{17})</capacityReservationId><ownerId>111122223333</ownerId>` +
					`<capacityReservationArn>arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-[0-9a-f]{17}</capacityReservationArn>`)
				if !form.MatchString(got.body) {
					s.t.Error(got.body)
				}
				id := got.between("capacityReservationId")
				s.used(id, 2)
				got = s.accepted(s.describe("&CapacityReservationId.1=" + id))
				s.says(got, "<availableInstanceCount>1</availableInstanceCount>")
				s.says(got, "<capacityAllocationSet><item><allocationType>used</allocationType><count>2</count></item></capacityAllocationSet>")
			},
			rejected: func(s *stage) {
				s.refused(s.describe("&CapacityReservationId.1=cr-1"), "InvalidCapacityReservationId.Malformed")
			},
		},
		"aws-4.2-return": {
			accepted: func(s *stage) {
				id := s.create()
				s.says(s.accepted(s.modify(id, "&InstanceCount=2")), "<return>true</return>")
				s.says(s.accepted(s.cancel(id)), "<return>true</return>")
			},
			rejected: func(s *stage) { s.refused(s.ec2("Action=CancelCapacityReservation"), "MissingParameter") },
		},
	}
}

func lifeProofs() map[string]proof {
	return map[string]proof{
		"aws-4.3-pending": {
			accepted: func(s *stage) {
				s.slow("")
				id := s.create()
				if got := s.state(id); got != "pending" {
					s.t.Errorf("state %s", got)
				}
				s.ok(s.world.Advance(5 * time.Minute))
				if got := s.state(id); got != "active" {
					s.t.Errorf("state %s", got)
				}
			},
			rejected: func(s *stage) {
				s.slow("")
				s.refused(s.modify(s.create(), "&InstanceCount=2"), "IncorrectState")
			},
		},
		"aws-4.3-failed": {
			accepted: func(s *stage) {
				s.slow("InsufficientInstanceCapacity")
				s.stock(1)
				id := s.create()
				s.ok(s.world.Advance(64 * time.Minute))
				if got := s.state(id); got != "failed" {
					s.t.Errorf("state %s", got)
				}
				s.create()
			},
			rejected: func(s *stage) {
				s.slow("InsufficientInstanceCapacity")
				id := s.create()
				s.ok(s.world.Advance(65 * time.Minute))
				s.refused(s.describe("&CapacityReservationId.1="+id), "InvalidCapacityReservationId.NotFound")
			},
		},
		"aws-4.3-expired": {
			accepted: func(s *stage) {
				s.stock(1)
				id := s.create("EndDateType=limited", "EndDate=2027-03-01T13:00:00Z")
				s.ok(s.world.Advance(59 * time.Minute))
				s.refused(s.ec2(createBody()), "InsufficientInstanceCapacity")
				s.ok(s.world.Advance(time.Minute))
				if got := s.state(id); got != "expired" {
					s.t.Errorf("state %s", got)
				}
				s.create()
			},
			rejected: func(s *stage) {
				id := s.create("EndDateType=limited", "EndDate=2027-03-01T13:00:00Z")
				s.ok(s.world.Advance(time.Hour))
				s.refused(s.cancel(id), "IncorrectState")
			},
		},
		"aws-4.3-cancelled": {
			accepted: func(s *stage) {
				s.stock(2)
				id := s.create("InstanceCount=2")
				s.accepted(s.cancel(id))
				got := s.accepted(s.describe("&CapacityReservationId.1=" + id))
				s.says(s.says(got, "<state>cancelled</state>"), "<totalInstanceCount>2</totalInstanceCount><availableInstanceCount>2<")
				s.create("InstanceCount=2")
			},
			rejected: func(s *stage) {
				id := s.create()
				s.accepted(s.cancel(id))
				s.refused(s.modify(id, "&InstanceCount=2"), "IncorrectState")
			},
		},
		"aws-4.3-no-capacity": {
			accepted: func(s *stage) {
				s.stock(3)
				s.create("InstanceCount=3")
				s.create("AvailabilityZone=us-east-1b")
			},
			rejected: func(s *stage) {
				s.stock(3)
				s.refused(s.ec2(createBody("InstanceCount=4")), "InsufficientInstanceCapacity")
				if rows, err := s.world.Objects(); err != nil || len(rows) != 0 {
					s.t.Errorf("left behind: %v, %v", rows, err)
				}
			},
		},
	}
}

func changeProofs() map[string]proof {
	all := modifyProofs()
	maps.Copy(all, afterProofs())
	return all
}

func modifyProofs() map[string]proof {
	return map[string]proof{
		"aws-4.5-states": {
			accepted: func(s *stage) { s.accepted(s.modify(s.create(), "&InstanceCount=2")) },
			rejected: func(s *stage) {
				for _, state := range []string{"pending", "expired", "failed", "cancelled", "assessing", "odd"} {
					id := s.create()
					s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: &state}))
					s.refused(s.modify(id, "&InstanceCount=2"), "IncorrectState")
				}
			},
		},
		"aws-4.5-step": {
			accepted: func(s *stage) {
				id := s.create("InstanceCount=1000")
				s.accepted(s.modify(id, "&InstanceCount=2000"))
				s.says(s.accepted(s.describe("")), "<totalInstanceCount>2000<")
			},
			rejected: func(s *stage) {
				id := s.create()
				s.refused(s.modify(id, "&InstanceCount=1002"), "InvalidParameterValue")
				s.refused(s.modify(id, "&InstanceCount=0"), "InvalidParameterValue")
			},
		},
		"aws-4.5-end-date": {
			accepted: func(s *stage) {
				id := s.create()
				s.accepted(s.modify(id, "&EndDateType=limited&EndDate=2027-03-05T00:00:00.5Z"))
				s.says(s.describe(""), "<endDate>2027-03-05T00:00:00.5Z</endDate>")
				s.accepted(s.modify(id, "&EndDateType=unlimited"))
				s.ok(s.world.Advance(10 * 24 * time.Hour))
				s.says(s.accepted(s.describe("")), "<state>active</state>")
			},
			rejected: func(s *stage) {
				id := s.create()
				s.refused(s.modify(id, "&EndDateType=limited"), "InvalidParameterCombination")
				s.refused(s.modify(id, "&EndDateType=unlimited&EndDate=2027-03-05T00:00:00Z"), "InvalidParameterCombination")
				s.refused(s.modify(id, "&EndDateType=limited&EndDate=2026-03-05T00:00:00Z"), "InvalidParameterValue")
			},
		},
		"aws-4.5-match": {
			accepted: func(s *stage) {
				id := s.create()
				s.accepted(s.modify(id, "&InstanceMatchCriteria=targeted"))
				s.used(id, 1)
				s.says(s.describe(""), "<instanceMatchCriteria>targeted<")
				s.accepted(s.modify(id, "&InstanceMatchCriteria=targeted"))
			},
			rejected: func(s *stage) {
				id := s.create()
				s.used(id, 1)
				s.refused(s.modify(id, "&InstanceMatchCriteria=targeted"), "IncorrectState")
				s.refused(s.modify(id, "&InstanceMatchCriteria=closed"), "InvalidParameterValue")
			},
		},
		"aws-4.5-growth": {
			accepted: func(s *stage) {
				s.stock(3)
				id := s.create()
				s.accepted(s.modify(id, "&InstanceCount=3"))
				s.accepted(s.modify(id, "&InstanceCount=1"))
				s.create("InstanceCount=2")
			},
			rejected: func(s *stage) {
				s.stock(3)
				id := s.create()
				s.refused(s.modify(id, "&InstanceCount=4&EndDateType=limited&EndDate=2027-03-05T00:00:00Z"), "InsufficientInstanceCapacity")
				s.says(s.describe(""), "<endDateType>unlimited<")
				s.quota(96 * 2)
				s.refused(s.modify(id, "&InstanceCount=3"), "InstanceLimitExceeded")
			},
		},
		"aws-4.5-below-use": {
			accepted: func(s *stage) {
				id := s.create("InstanceCount=5")
				s.used(id, 3)
				s.accepted(s.modify(id, "&InstanceCount=3"))
			},
			rejected: func(s *stage) {
				id := s.create("InstanceCount=5")
				s.used(id, 3)
				s.refused(s.modify(id, "&InstanceCount=2"), "InvalidParameterValue")
			},
		},
		"aws-4.6-active": {
			accepted: func(s *stage) {
				s.stock(3)
				id := s.create("InstanceCount=3")
				s.used(id, 2)
				s.accepted(s.cancel(id))
				s.refused(s.ec2(createBody("InstanceCount=2")), "InsufficientInstanceCapacity")
				s.create()
			},
			rejected: func(s *stage) {
				s.refused(s.quoted(s.create()), "IncorrectState")
			},
		},
		"aws-4.6-other": {
			accepted: func(s *stage) { s.accepted(s.cancel(s.create())) },
			rejected: func(s *stage) {
				id := s.create()
				s.accepted(s.cancel(id))
				s.refused(s.cancel(id), "IncorrectState")
			},
		},
	}
}

func afterProofs() map[string]proof {
	return map[string]proof{
		"aws-4.7-filters": {
			accepted: func(s *stage) {
				id := s.create("EndDateType=limited", "EndDate=2027-04-01T00:00:00Z", "Tenancy=dedicated", "InstanceMatchCriteria=targeted",
					"PlacementGroupArn=arn:aws:ec2:us-east-1:111122223333:placement-group/pg",
					"TagSpecifications.1.ResourceType=capacity-reservation", "TagSpecifications.1.Tag.1.Key=k", "TagSpecifications.1.Tag.1.Value=v")
				s.create("InstanceType=g5.xlarge", "AvailabilityZone=us-east-1b", "InstancePlatform=Windows")
				for filter, value := range map[string]string{
					"instance-type": "p4d.24xlarge", "instance-platform": "Linux*", "availability-zone": "us-east-1a", "tenancy": "dedicated",
					"end-date": "2027-04-01*", "end-date-type": "limited", "instance-match-criteria": "targeted", "placement-group-arn": "*/pg",
					"tag:k": "v", "tag-key": "k",
				} {
					got := s.accepted(s.describe("&Filter.1.Name=" + filter + "&Filter.1.Value.1=" + value))
					if s.says(got, id); strings.Count(got.body, "<capacityReservationId>") != 1 {
						s.t.Errorf("%s=%s lets more pass", filter, value)
					}
				}
				for filter, value := range map[string]string{"state": "cancelled", "owner-id": "0", "start-date": "2020*", "outpost-arn": "x", "tag:x": "*"} {
					s.says(s.accepted(s.describe("&Filter.1.Name="+filter+"&Filter.1.Value.1="+value)), "<capacityReservationSet/>")
				}
			},
			rejected: func(s *stage) {
				s.refused(s.describe("&Filter.1.Name=color&Filter.1.Value.1=red"), "InvalidFilter")
				var many strings.Builder
				for n := range 201 {
					fmt.Fprintf(&many, "&Filter.1.Value.%d=x", n+1)
				}
				s.refused(s.describe("&Filter.1.Name=state"+many.String()), "FilterLimitExceeded")
			},
		},
		"aws-4.7-all-or-nothing": {
			accepted: func(s *stage) { s.accepted(s.describe("&CapacityReservationId.1=" + s.create())) },
			rejected: func(s *stage) {
				s.refused(s.describe("&CapacityReservationId.1="+s.create()+"&CapacityReservationId.2=cr-00000000000000000"),
					"InvalidCapacityReservationId.NotFound")
			},
		},
		"aws-4.7-token-replay": {
			accepted: func(s *stage) {
				body := createBody("ClientToken=t", "EndDateType=limited", "EndDate=2027-03-01T12:10:00Z")
				first := s.accepted(s.ec2(body)).between("capacityReservationId")
				s.accepted(s.modify(first, "&InstanceCount=7"))
				s.ok(s.world.Advance(14 * time.Minute))
				again := s.accepted(s.ec2(body))
				s.says(s.says(again, first), "<state>expired</state>")
				if rows, err := s.world.Objects(); err != nil || len(rows) != 1 {
					s.t.Errorf("%d objects, %v", len(rows), err)
				}
			},
			rejected: func(s *stage) {
				s.stock(0)
				body := createBody("ClientToken=t")
				s.refused(s.ec2(body), "InsufficientInstanceCapacity")
				s.stock(1)
				s.accepted(s.ec2(body))
				s.refused(s.ec2(createBody("ClientToken=u")), "InsufficientInstanceCapacity")
			},
		},
		"aws-4.7-token-zone": {
			accepted: func(s *stage) {
				first := s.create("ClientToken=t")
				if second := s.create("ClientToken=t", "AvailabilityZone=us-east-1b"); second == first {
					s.t.Errorf("the other zone got %s", second)
				}
				s.region = "us-west-2"
				s.create("ClientToken=t", "AvailabilityZone=us-west-2a")
			},
			rejected: func(s *stage) {
				s.create("ClientToken=t")
				s.refused(s.ec2(createBody("ClientToken=t", "Tenancy=dedicated")), "IdempotentParameterMismatch")
			},
		},
		"aws-4.7-usage": {
			accepted: func(s *stage) {
				id := s.create("InstanceCount=3")
				usage := "Action=GetCapacityReservationUsage&CapacityReservationId=" + id
				s.says(s.accepted(s.ec2(usage)), "<instanceUsageSet/>")
				s.used(id, 2)
				got := s.accepted(s.ec2(usage))
				s.says(got, "<instanceUsageSet><item><accountId>111122223333</accountId><usedInstanceCount>2</usedInstanceCount></item></instanceUsageSet>")
				s.says(got, "<availableInstanceCount>1</availableInstanceCount>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=GetCapacityReservationUsage&CapacityReservationId=cr-00000000000000000"), "InvalidCapacityReservationId.NotFound")
			},
		},
	}
}
