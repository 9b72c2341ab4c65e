package awssim_test

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// hostBody is the plainest AllocateHosts; "Name=" alone takes a parameter out.
func hostBody(more ...string) string {
	values := url.Values{
		"Action": {"AllocateHosts"}, "InstanceType": {"p4d.24xlarge"}, "Quantity": {"1"}, "AvailabilityZone": {"us-east-1a"},
	}
	for _, pair := range more {
		name, value, _ := strings.Cut(pair, "=")
		values.Set(name, value)
		if value == "" {
			values.Del(name)
		}
	}
	return values.Encode()
}

// hostIDs are the ids that an AllocateHosts answered.
func (r reply) hostIDs() []string {
	var all []string
	for part := range strings.SplitSeq(r.between("hostIdSet"), "<item>") {
		if id, _, found := strings.Cut(part, "</item>"); found {
			all = append(all, id)
		}
	}
	return all
}

func (s *stage) allocate(more ...string) string {
	s.t.Helper()
	ids := s.accepted(s.ec2(hostBody(more...))).hostIDs()
	if len(ids) == 0 {
		s.t.Fatal("no host")
	}
	return ids[0]
}

func (s *stage) hosts(more string) reply {
	s.t.Helper()
	return s.ec2("Action=DescribeHosts" + more)
}

func (s *stage) hostState(id string) string {
	s.t.Helper()
	return s.accepted(s.hosts("&HostId.1=" + id)).between("state")
}

func (s *stage) release(id string) reply {
	s.t.Helper()
	return s.accepted(s.ec2("Action=ReleaseHosts&HostId.1=" + id))
}

func (s *stage) hostLimit(limit float64) {
	s.t.Helper()
	s.ok(s.world.SetQuota(sim.Quota{Cloud: "aws", Region: s.region, Quota: "L-86A789C3", Limit: &limit}))
}

func hostProofs() map[string]proof {
	all := allocateProofs()
	for id, p := range hostLifeProofs() {
		all[id] = p
	}
	return all
}

func allocateProofs() map[string]proof {
	const unsupported = "UnsupportedHostConfiguration"
	return map[string]proof{
		"aws-6-one-of": {
			accepted: func(s *stage) { s.allocate(); s.allocate("InstanceType=", "InstanceFamily=p4d") },
			rejected: func(s *stage) {
				s.refused(s.ec2(hostBody("InstanceType=")), "MissingParameter")
				s.refused(s.ec2(hostBody("Quantity=")), "MissingParameter")
				s.refused(s.ec2(hostBody("Quantity=0")), "InvalidParameterValue")
				s.refused(s.ec2(hostBody("AvailabilityZone=")), "MissingParameter")
				s.refused(s.ec2(hostBody("InstanceFamily=p4d")), "InvalidParameterCombination")
			},
		},
		"aws-6-reply": {
			accepted: func(s *stage) {
				got := s.accepted(s.ec2(hostBody("Quantity=3")))
				if n := len(got.hostIDs()); n != 3 || strings.Contains(got.body, "<state>") {
					s.t.Errorf("%d hosts: %s", n, got.body)
				}
			},
			rejected: func(s *stage) {
				s.stock(2)
				s.refused(s.ec2(hostBody("Quantity=3")), "InsufficientHostCapacity")
				s.allocate("Quantity=2")
				s.refused(s.ec2(hostBody("Quantity=101")), "InvalidParameterValue")
			},
		},
		"aws-6-defaults": {
			accepted: func(s *stage) {
				s.allocate()
				got := s.says(s.hosts(""), "<autoPlacement>off</autoPlacement><hostRecovery>off</hostRecovery><hostMaintenance>off<")
				s.says(got, "<allowsMultipleInstanceTypes>off<")
				s.allocate("AutoPlacement=on", "HostMaintenance=on")
				s.says(s.hosts("&Filter.1.Name=auto-placement&Filter.1.Value.1=on"), "<hostMaintenance>on<")
			},
			rejected: func(s *stage) { s.refused(s.ec2(hostBody("AutoPlacement=yes")), "InvalidParameterValue") },
		},
		"aws-6-types": {
			accepted: func(s *stage) {
				for _, name := range []string{"g4dn.12xlarge", "g5.48xlarge", "g6.24xlarge", "dl1.24xlarge", "p3dn.24xlarge", "m5.large"} {
					s.accepted(s.ec2(hostBody("InstanceType="+name, "AvailabilityZone=us-east-1"+s.zoneOf(name))))
				}
			},
			rejected: func(s *stage) {
				for _, name := range []string{"g4ad.16xlarge", "p4de.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "g6f.large", "gr6.4xlarge"} {
					s.refused(s.ec2(hostBody("InstanceType="+name)), unsupported)
				}
				s.refused(s.ec2(hostBody("InstanceType=", "InstanceFamily=p5")), unsupported)
				s.refused(s.ec2(hostBody("InstanceType=", "InstanceFamily=p4d.24xlarge")), "InvalidParameterValue")
				s.refused(s.ec2(hostBody("InstanceType=z9.huge")), "InvalidParameterValue")
				s.refused(s.ec2(hostBody("AvailabilityZone=us-east-1f")), unsupported)
			},
		},
		"aws-6-family": {
			accepted: func(s *stage) {
				s.allocate("InstanceType=", "InstanceFamily=g5", "AvailabilityZone=us-east-1"+s.zoneOf("g5.48xlarge"))
				got := s.says(s.hosts(""), "<allowsMultipleInstanceTypes>on<")
				properties := got.between("hostProperties")
				if strings.Contains(properties, "instanceType") || !strings.Contains(properties, "<totalVCpus>192<") {
					s.t.Error(properties)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(hostBody("InstanceType=", "InstanceFamily=z9")), "InvalidParameterValue")
			},
		},
		"aws-6-recovery": {
			accepted: func(s *stage) {
				s.allocate("InstanceType=g5g.metal", "HostRecovery=on", "AvailabilityZone=us-east-1"+s.zoneOf("g5g.metal"))
				s.allocate("InstanceType=m5.large", "HostRecovery=on")
			},
			rejected: func(s *stage) {
				id := s.allocate()
				s.says(s.accepted(s.ec2("Action=ModifyHosts&HostRecovery=on&HostId.1="+id)), "<code>Client."+unsupported)
				s.refused(s.ec2(hostBody("HostRecovery=on")), unsupported)
			},
		},
		"aws-6-token": {
			accepted: func(s *stage) {
				first := s.accepted(s.ec2(hostBody("ClientToken=t", "Quantity=2"))).hostIDs()
				s.allocate()
				again := s.accepted(s.ec2(hostBody("ClientToken=t", "Quantity=2"))).hostIDs()
				if fmt.Sprint(first) != fmt.Sprint(again) {
					s.t.Errorf("first %v, again %v", first, again)
				}
				s.says(s.hosts("&Filter.1.Name=client-token&Filter.1.Value.1=t"), first[1])
			},
			rejected: func(s *stage) {
				s.allocate("ClientToken=t")
				s.refused(s.ec2(hostBody("ClientToken=t", "AutoPlacement=on")), "IdempotentParameterMismatch")
			},
		},
		"aws-6-tags": {
			accepted: func(s *stage) {
				s.allocate("TagSpecification.1.ResourceType=dedicated-host", "TagSpecification.1.Tag.1.Key=k")
				s.says(s.hosts("&Filter.1.Name=tag-key&Filter.1.Value.1=k"), "<key>k</key>")
			},
			rejected: func(s *stage) {
				s.refused(s.ec2(hostBody("TagSpecification.1.ResourceType=instance")), "InvalidParameterValue")
				s.refused(s.ec2(hostBody("TagSpecifications.1.ResourceType=dedicated-host")), "UnknownParameter")
			},
		},
		"aws-6-capacity": {
			accepted: func(s *stage) { s.stock(1); s.allocate() },
			rejected: func(s *stage) {
				s.stock(1)
				id := s.allocate()
				s.refused(s.ec2(hostBody()), "InsufficientHostCapacity")
				s.release(id)
				s.create()
				s.refusedAs(s.ec2(hostBody()), 500, "InsufficientHostCapacity")
			},
		},
		"aws-6-not-offered": {
			accepted: func(s *stage) { s.allocate() },
			rejected: func(s *stage) {
				s.refused(s.ec2(hostBody("AssetId.1=a")), "UnsupportedOperation")
				s.refused(s.ec2(hostBody("OutpostArn=a")), "UnsupportedOperation")
			},
		},
	}
}

// zoneOf is the letter of a zone of us-east-1 that offers a type.
func (s *stage) zoneOf(instanceType string) string {
	s.t.Helper()
	got := s.ec2("Action=DescribeInstanceTypeOfferings&LocationType=availability-zone&Filter.1.Name=instance-type&Filter.1.Value.1=" + instanceType)
	location := s.accepted(got).between("location")
	return location[len(location)-1:]
}

func hostLifeProofs() map[string]proof {
	return map[string]proof{
		"aws-6-tag-calls": {
			accepted: func(s *stage) {
				id := s.allocate()
				term := s.buyTerm(id, "").between("hostReservationId")
				s.accepted(s.ec2("Action=CreateTags&ResourceId.1=" + id + "&ResourceId.2=" + term + "&Tag.1.Key=k&Tag.1.Value=v"))
				s.says(s.ec2("Action=DescribeTags&Filter.1.Name=resource-type&Filter.1.Value.1=dedicated-host"), id)
				s.says(s.ec2("Action=DescribeTags&Filter.1.Name=resource-type&Filter.1.Value.1=host-reservation"), term)
				s.accepted(s.ec2("Action=DeleteTags&ResourceId.1=" + id + "&Tag.1.Key=k"))
				if got := s.accepted(s.hosts("")); strings.Contains(got.body, "<key>") {
					s.t.Error(got.body)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=CreateTags&ResourceId.1=hr-0123456789abcdef0&Tag.1.Key=k"), "InvalidHostReservationId.NotFound")
				s.refused(s.ec2("Action=CreateTags&ResourceId.1=hr-0&Tag.1.Key=k"), "InvalidHostReservationId.Malformed")
				s.refused(s.ec2("Action=CreateTags&ResourceId.1=h-0123456789abcdef0&Tag.1.Key=k"), "InvalidHostID.NotFound")
			},
		},
		"aws-6-limit": {
			accepted: func(s *stage) {
				s.hostLimit(1)
				s.release(s.allocate())
				s.ok(s.world.Advance(3 * time.Minute))
				s.allocate()
				s.allocate("InstanceType=m5.large")
			},
			rejected: func(s *stage) {
				s.hostLimit(1)
				s.release(s.allocate())
				s.refusedAs(s.ec2(hostBody()), 400, "HostLimitExceeded")
			},
		},
		"aws-6-pending": {
			accepted: func(s *stage) {
				id := s.slowHost("")
				s.ok(s.world.Advance(5 * time.Minute))
				s.says(s.hosts("&HostId.1="+id), "<state>available</state>")
			},
			rejected: func(s *stage) {
				id := s.slowHost("Server.InternalError")
				s.says(s.release(id), "<code>Client.InvalidHostState</code>")
				s.ok(s.world.Advance(5 * time.Minute))
				if got := s.hostState(id); got != "permanent-failure" {
					s.t.Error(got)
				}
				s.release(id)
				if got := s.hostState(id); got != "released-permanent-failure" {
					s.t.Error(got)
				}
				s.refused(s.hosts("&HostId.1=x"), "InvalidHostID.Malformed")
			},
		},
		"aws-6-released": {
			accepted: func(s *stage) {
				id := s.allocate()
				s.says(s.release(id), "<successful><item>"+id)
				s.says(s.hosts("&HostId.1="+id), "<releaseTime>2027-03-01T12:00:00Z</releaseTime>")
				s.says(s.ec2("Action=ModifyHosts&AutoPlacement=on&HostId.1="+id), "<code>Client.InvalidHostState</code>")
				s.says(s.release(id), "<code>Client.InvalidHostState</code>")
			},
			rejected: func(s *stage) {
				id := s.allocate()
				s.release(id)
				s.ok(s.world.Advance(time.Hour))
				s.refused(s.hosts("&HostId.1="+id), "InvalidHostID.NotFound")
			},
		},
		"aws-6-partial": {
			accepted: func(s *stage) {
				good, busy := s.allocate(), s.allocate()
				s.used(busy, 1)
				got := s.accepted(s.ec2("Action=ReleaseHosts&HostId.1=" + good + "&HostId.2=" + busy + "&HostId.3=h-0123456789abcdef0"))
				s.says(got, "<successful><item>"+good+"</item></successful>")
				s.says(got, "<code>Client.InvalidHost.Occupied</code>")
				s.says(got, "<code>Client.InvalidHostID.NotFound</code>")
			},
			rejected: func(s *stage) {
				id := s.allocate()
				s.refused(s.ec2("Action=ReleaseHosts"), "MissingParameter")
				s.refused(s.ec2("Action=ReleaseHosts&HostId.1=x&HostId.2="+id), "InvalidHostID.Malformed")
			},
		},
		"aws-6-modify": {
			accepted: func(s *stage) {
				id := s.allocate("InstanceType=m5.large")
				s.says(s.ec2("Action=ModifyHosts&InstanceType=m5.xlarge&AutoPlacement=on&HostMaintenance=on&HostId.1="+id), "<successful><item>"+id)
				s.says(s.hosts(""), "<instanceType>m5.xlarge</instanceType>")
				s.accepted(s.ec2("Action=ModifyHosts&InstanceFamily=m5&HostId.1=" + id))
				s.says(s.hosts(""), "<allowsMultipleInstanceTypes>on<")
				s.says(s.ec2("Action=ModifyHosts&InstanceType=g5.48xlarge&HostId.1="+id), "<code>Client.InvalidHostConfiguration</code>")
				s.used(id, 1)
				s.says(s.ec2("Action=ModifyHosts&InstanceType=m5.large&HostId.1="+id), "<code>Client.InvalidHost.Occupied</code>")
			},
			rejected: func(s *stage) {
				modify := "Action=ModifyHosts&HostId.1=" + s.allocate()
				s.refused(s.ec2(modify), "MissingParameter")
				s.refused(s.ec2(modify+"&AutoPlacement=yes"), "InvalidParameterValue")
				s.refused(s.ec2(modify+"&InstanceType=p5.48xlarge"), "UnsupportedHostConfiguration")
				s.refused(s.ec2(modify+"&InstanceType=p4d.24xlarge&InstanceFamily=p4d"), "InvalidParameterCombination")
			},
		},
		"aws-6-max-results": {
			accepted: func(s *stage) {
				s.allocate("Quantity=7")
				token := s.accepted(s.hosts("&MaxResults=5")).between("nextToken")
				if n := strings.Count(s.accepted(s.hosts("&MaxResults=5&NextToken="+token)).body, "<hostId>"); n != 2 {
					s.t.Errorf("%d on the second page", n)
				}
			},
			rejected: func(s *stage) {
				s.refused(s.hosts("&MaxResults=4"), "InvalidParameterValue")
				s.refused(s.hosts("&MaxResults=501"), "InvalidParameterValue")
				s.refused(s.hosts("&MaxResults=5&HostId.1="+s.allocate()), "InvalidParameterCombination")
			},
		},
		"aws-6-filters": {
			accepted: func(s *stage) {
				id := s.allocate("InstanceType=", "InstanceFamily=p4d")
				for filter, want := range map[string]bool{
					"state&Filter.1.Value.1=available": true, "state&Filter.1.Value.1=released": false,
					"availability-zone&Filter.1.Value.1=us-east-1a": true, "instance-type&Filter.1.Value.1=p4d*": false,
					"host-reservation-id&Filter.1.Value.1=hr-*": false, "auto-placement&Filter.1.Value.1=off": true,
				} {
					if got := s.accepted(s.hosts("&Filter.1.Name=" + filter)); strings.Contains(got.body, id) != want {
						s.t.Errorf("%s: %s", filter, got.body)
					}
				}
			},
			rejected: func(s *stage) {
				s.refused(s.hosts("&Filter.1.Name=tag:k&Filter.1.Value.1=v"), "InvalidFilter")
			},
		},
		"aws-6-instances": {
			accepted: func(s *stage) {
				id := s.allocate("InstanceType=g5.24xlarge", "AvailabilityZone=us-east-1"+s.zoneOf("g5.24xlarge"))
				s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{Users: []string{"i-1"}}}))
				s.says(s.hosts(""), "<instances><item><instanceId>i-1</instanceId><instanceType>g5.24xlarge<")
				s.says(s.hosts(""), "<availableCapacity>1</availableCapacity><instanceType>g5.24xlarge</instanceType><totalCapacity>2<")
				s.says(s.hosts(""), "<availableVCpus>96<")
				got := s.says(s.ec2("Action=DescribeInstances&Filter.1.Name=host-id&Filter.1.Value.1="+id), "<instanceId>i-1<")
				s.says(got, "<tenancy>host</tenancy><hostId>"+id)
			},
			rejected: func(s *stage) {
				s.refused(s.ec2("Action=DescribeInstances&Filter.1.Name=host&Filter.1.Value.1=h"), "InvalidFilter")
			},
		},
		"aws-6-ids": {
			accepted: func(s *stage) { s.says(s.hosts("&HostId.1="+s.allocate()), "<ownerId>111122223333<") },
			rejected: func(s *stage) {
				s.refusedAs(s.hosts("&HostId.1=h-0123456789ABCDEF0"), 400, "InvalidHostID.Malformed")
				s.refusedAs(s.hosts("&HostId.1="+s.allocate()+"&HostId.2=h-0123456789abcdef0"), 400, "InvalidHostID.NotFound")
			},
		},
	}
}

// slowHost has a host stay pending a while and, with a code, fail then.
func (s *stage) slowHost(code string) string {
	s.t.Helper()
	takes := sim.Duration(5 * time.Minute)
	fault := sim.Fault{Cloud: "aws", Operation: "AllocateHosts", Times: 1, OperationTakes: &takes}
	if code != "" {
		fault.OperationError = &sim.OperationError{Code: code}
	}
	s.ok(s.world.AddFaults(fault))
	id := s.allocate()
	if got := s.hostState(id); got != "pending" {
		s.t.Errorf("state %s", got)
	}
	return id
}
