package awssim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestDescribePlaces(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body  string
		items int
		says  string
	}{
		"zones":              {"DescribeAvailabilityZones&AllAvailabilityZones=true", 6, "<zoneId>use1-az"},
		"zone by name":       {"DescribeAvailabilityZones&ZoneName.1=us-east-1c", 1, "us-east-1c"},
		"zone by id":         {"DescribeAvailabilityZones&ZoneId.1=use1-az1", 1, "use1-az1"},
		"zone by filter":     {"DescribeAvailabilityZones&Filter.1.Name=zone-name&Filter.1.Value.1=*a", 1, "us-east-1a"},
		"regions":            {"DescribeRegions&AllRegions=true", 30, "<regionName>eu-west-1</regionName>"},
		"region by name":     {"DescribeRegions&RegionName.1=me-central-1", 1, "<optInStatus>opted-in</optInStatus>"},
		"region by filter":   {"DescribeRegions&Filter.1.Name=endpoint&Filter.1.Value.1=ec2.eu-*", 8, "eu-central-2"},
		"offers by zone id":  {"DescribeInstanceTypeOfferings&LocationType=availability-zone-id&Filter.1.Name=instance-type&Filter.1.Value.1=p4d.24xlarge", 4, "use1-az"},
		"offers by location": {"DescribeInstanceTypeOfferings&LocationType=availability-zone&Filter.1.Name=location&Filter.1.Value.1=us-east-1e&Filter.2.Name=instance-type&Filter.2.Value.1=p*", 2, "p5.48xlarge"},
		"offers of Outposts": {"DescribeInstanceTypeOfferings&LocationType=outpost", 0, "<instanceTypeOfferingSet/>"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			got := s.says(s.accepted(s.ec2("Action="+tt.body)), tt.says)
			if n := strings.Count(got.body, "<item>"); n != tt.items {
				t.Errorf("%d items, want %d: %s", n, tt.items, got.body)
			}
		})
	}
}

func TestTypeFilters(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	one := "&InstanceType.1=g6f.large"
	for filter, value := range map[string]string{
		"instance-type": "g6f.*", "supported-usage-class": "spot", "vcpu-info.default-vcpus": "2", "memory-info.size-in-mib": "8192",
		"processor-info.supported-architecture": "x86_64", "dedicated-hosts-supported": "false", "bare-metal": "false",
		"instance-storage-info.disk.type": "ssd", "network-info.efa-supported": "false", "vcpu-info.valid-threads-per-core": "2",
	} {
		got := s.accepted(s.ec2("Action=DescribeInstanceTypes" + one + "&Filter.1.Name=" + filter + "&Filter.1.Value.1=" + value))
		s.says(got, "<instanceType>g6f.large</instanceType>")
	}
	s.says(s.accepted(s.ec2("Action=DescribeInstanceTypes"+one+"&Filter.1.Name=supported-usage-class&Filter.1.Value.1=capacity-block")), "<instanceTypeSet/>")
	s.region = "eu-central-1"
	s.refused(s.ec2("Action=DescribeInstanceTypes&InstanceType.1=p5.48xlarge"), "InvalidInstanceType")
}

func TestPlacesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for body, code := range map[string]string{
		"DescribeAvailabilityZones&ZoneName.1=us-west-2a":        "InvalidParameterValue",
		"DescribeAvailabilityZones&ZoneId.1=none":                "InvalidParameterValue",
		"DescribeAvailabilityZones&AllAvailabilityZones=perhaps": "InvalidParameterValue",
		"DescribeRegions&RegionName.1=mars-1":                    "InvalidParameterValue",
		"DescribeRegions&AllRegions=1":                           "InvalidParameterValue",
		"DescribeInstanceTypes&InstanceType.1=p9.huge":           "InvalidInstanceType",
		"DescribeInstanceTypes&IncludeUnsupportedInRegion=true":  "UnsupportedOperation",
		"DescribeInstanceTypeOfferings&LocationType=planet":      "InvalidParameterValue",
	} {
		if got := s.ec2("Action=" + body); got.code() != code {
			t.Errorf("%s: %d %s, want %s", body, got.status, got.code(), code)
		}
	}
}

func TestUsersOfAReservation(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.create("InstanceCount=3")
	s.create("InstanceCount=3")
	users := "Action=DescribeInstances&Filter.1.Name=capacity-reservation-id&Filter.1.Value.1=" + id +
		"&Filter.2.Name=instance-state-name&Filter.2.Value.1=running"
	s.says(s.accepted(s.ec2(users)), "<reservationSet/>")
	s.used(id, 2)
	first := s.accepted(s.ec2(users))
	if strings.Count(first.body, "<instanceId>i-") != 2 || first.between("instanceId") != s.ec2(users).between("instanceId") {
		t.Errorf("users %s", first.body)
	}
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{Users: []string{"i-0aaa", "i-0bbb", "i-0ccc"}}}))
	s.says(s.says(s.accepted(s.ec2(users)), "i-0aaa"), "i-0ccc")
	s.says(s.accepted(s.ec2("Action=DescribeInstances&InstanceId.1=i-0bbb")), "<capacityReservationId>"+id)
	s.refused(s.ec2("Action=DescribeInstances&InstanceId.1=i-0ddd"), "InvalidInstanceID.NotFound")
	// Once it is cancelled they are plain instances.
	s.accepted(s.cancel(id))
	s.says(s.accepted(s.ec2(users)), "<reservationSet/>")
	if got := s.accepted(s.ec2("Action=DescribeInstances&InstanceId.1=i-0bbb")); strings.Contains(got.body, id) {
		t.Errorf("still in the reservation: %s", got.body)
	}
}

func TestThrottleBucketsAreOfAccountRegionAndAction(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wear := func(body string) int {
		for n := range 300 {
			if s.ec2(body).status == 503 {
				return n
			}
		}
		return 300
	}
	// The burst, and what refills while the requests run.
	if n := wear(createBody("InstanceCount=0")); n < 50 || n > 150 {
		t.Errorf("%d creates until throttled, the burst is 50", n)
	}
	s.accepted(s.describe(""))
	s.region = "us-west-2"
	s.refused(s.ec2(createBody("InstanceCount=0")), "InvalidParameterValue")
	s.region = "us-east-1"
	s.ok(s.world.Advance(time.Minute))
	s.refused(s.ec2(createBody("InstanceCount=0")), "InvalidParameterValue")
}
