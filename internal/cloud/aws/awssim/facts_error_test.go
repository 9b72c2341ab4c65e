package awssim_test

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/aws/awssim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// refusedAs checks the status too.
func (s *stage) refusedAs(got reply, status int, code string) {
	s.t.Helper()
	s.refused(got, code)
	if got.status != status {
		s.t.Errorf("%s came with %d, want %d", code, got.status, status)
	}
}

func errorProofs() map[string]proof {
	all := refusalProofs()
	maps.Copy(all, clientProofs())
	return all
}

func refusalProofs() map[string]proof {
	overQuota := func(code string) proof {
		return proof{
			accepted: func(s *stage) {
				s.quota(96 * 2)
				s.create("InstanceCount=2")
				s.create("InstanceType=g5.xlarge", "InstanceCount=100")
				s.region = "us-west-2"
				s.create("AvailabilityZone=us-west-2a", "InstanceCount=3")
			},
			rejected: func(s *stage) {
				s.quota(96 * 2)
				id := s.create("InstanceCount=2")
				s.refusedAs(s.ec2(createBody("AvailabilityZone=us-east-1b")), 400, code)
				s.accepted(s.cancel(id))
				s.create("AvailabilityZone=us-east-1b")
				s.refusedAs(s.ec2(createBody("InstanceCount=2")), 400, code)
			},
		}
	}
	vcpu := overQuota("VcpuLimitExceeded")
	vcpu.options = awssim.Options{VCPULimitCode: true}
	return map[string]proof{
		"aws-7-instance-limit": overQuota("InstanceLimitExceeded"),
		"aws-7-vcpu-limit":     vcpu,
		"aws-7-capacity": {
			accepted: func(s *stage) { s.create() },
			rejected: func(s *stage) {
				s.stock(0)
				s.refusedAs(s.ec2(createBody()), 500, "InsufficientInstanceCapacity")
			},
		},
		"aws-7-request-limit": {
			accepted: func(s *stage) {
				for range 50 {
					s.create()
				}
				s.ok(s.world.Advance(200 * time.Millisecond))
				s.create()
				s.accepted(s.describe(""))
			},
			rejected: func(s *stage) {
				// A frozen clock lets wall time fill buckets still: enough
				// tries outrun five tokens a second.
				var got reply
				for range 400 {
					if got = s.ec2(createBody()); got.status != 200 {
						break
					}
				}
				s.refusedAs(got, 503, "RequestLimitExceeded")
			},
		},
		"aws-7-not-found": {
			accepted: func(s *stage) { s.accepted(s.describe("&CapacityReservationId.1=" + s.create())) },
			rejected: func(s *stage) {
				got := s.describe("&CapacityReservationId.1=cr-0123456789abcdef0")
				s.refusedAs(s.says(got, "cr-0123456789abcdef0&#39; was not found"), 400, "InvalidCapacityReservationId.NotFound")
			},
		},
		"aws-7-malformed": {
			accepted: func(s *stage) { s.accepted(s.describe("&CapacityReservationId.1=" + s.create())) },
			rejected: func(s *stage) {
				for _, id := range []string{"", "x", "cr-", "cr-0123456789ABCDEF0", "arn:aws:ec2:us-east-1:1:capacity-reservation/cr-0"} {
					s.refusedAs(s.describe("&CapacityReservationId.1="+id), 400, "InvalidCapacityReservationId.Malformed")
				}
			},
		},
		"aws-7-mismatch": {
			accepted: func(s *stage) { s.create("ClientToken=t", "InstanceCount=2") },
			rejected: func(s *stage) {
				s.create("ClientToken=t", "InstanceCount=2")
				s.refusedAs(s.ec2(createBody("ClientToken=t", "InstanceCount=3")), 400, "IdempotentParameterMismatch")
			},
		},
		"aws-7-unsupported": {
			accepted: func(s *stage) { s.create("InstanceType=p6-b200.48xlarge", "AvailabilityZone=us-east-1c") },
			rejected: func(s *stage) {
				got := s.ec2(createBody("InstanceType=p6-b200.48xlarge", "AvailabilityZone=us-east-1a"))
				s.refusedAs(s.says(got, "us-east-1c"), 400, "Unsupported")
				s.refused(s.ec2(createBody("InstanceType=z9.huge")), "InvalidParameterValue")
			},
		},
		"aws-7-tag-limit": {
			accepted: func(s *stage) {
				id := s.create()
				s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Tags: map[string]*string{"aws:system": new("1")}}))
				s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + id + tags(50)))
			},
			rejected: func(s *stage) {
				id := s.create()
				s.refusedAs(s.ec2("Action=CreateTags&ResourceId.1="+id+tags(51)), 400, "TagLimitExceeded")
			},
		},
	}
}

func tags(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "&Tag.%d.Key=k%d&Tag.%d.Value=v", i+1, i, i+1)
	}
	return b.String()
}

func clientProofs() map[string]proof {
	plain := "Action=DescribeRegions&Version=2016-11-15"
	signedAt := func(s *stage, t time.Time) reply {
		return s.send(plain, authorization("A", s.region, "ec2", t), map[string]string{"X-Amz-Date": t.UTC().Format("20060102T150405Z")})
	}
	return map[string]proof{
		"aws-7-auth-failure": {
			accepted: func(s *stage) { s.accepted(s.ec2("Action=DescribeRegions")) },
			rejected: func(s *stage) { s.refusedAs(s.send(plain, "", nil), 401, "AuthFailure") },
		},
		"aws-7-unauthorized": {
			accepted: func(s *stage) { s.accepted(s.describe("")) },
			rejected: func(s *stage) {
				s.ok(s.world.AddFaults(sim.Fault{
					Cloud: "aws", Operation: "DescribeCapacityReservations", Status: 403, Code: "UnauthorizedOperation",
					Message: "You are not authorized to perform this operation.",
				}))
				s.refusedAs(s.describe(""), 403, "UnauthorizedOperation")
			},
		},
		"aws-7-filter": {
			accepted: func(s *stage) {
				s.accepted(s.ec2("Action=DescribeRegions&Filter.1.Name=region-name&Filter.1.Value.1=us-*"))
			},
			rejected: func(s *stage) {
				for _, action := range []string{
					"DescribeRegions", "DescribeAvailabilityZones", "DescribeInstanceTypes", "DescribeInstanceTypeOfferings",
					"DescribeTags", "DescribeInstances", "DescribeCapacityReservations",
				} {
					s.refusedAs(s.ec2("Action="+action+"&Filter.1.Name=color&Filter.1.Value.1=x"), 400, "InvalidFilter")
				}
			},
		},
		"aws-7-request-expired": {
			accepted: func(s *stage) {
				// Near the virtual clock, and near the machine's.
				s.accepted(signedAt(s, now().Add(14*time.Minute)))
				s.accepted(signedAt(s, time.Now()))
			},
			rejected: func(s *stage) { s.refusedAs(signedAt(s, now().Add(-16*time.Minute)), 400, "RequestExpired") },
		},
		"aws-7-unknown-action": {
			accepted: func(s *stage) { s.accepted(s.ec2("Action=DescribeTags")) },
			rejected: func(s *stage) {
				s.refusedAs(s.ec2("Action=RunInstances"), 400, "InvalidAction")
				s.refusedAs(s.send(plain, authorization("A", s.region, "s3", now()), nil), 400, "InvalidAction")
			},
		},
		"aws-7-unknown-parameter": {
			accepted: func(s *stage) { s.create("EphemeralStorage=false") },
			rejected: func(s *stage) {
				s.refusedAs(s.ec2(createBody("Instances=1")), 400, "UnknownParameter")
				s.refusedAs(s.ec2(createBody("InstanceType.1=p4d.24xlarge")), 400, "UnknownParameter")
			},
		},
	}
}
