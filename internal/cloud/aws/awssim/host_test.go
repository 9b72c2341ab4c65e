package awssim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

func TestHostsOfAScenario(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Load([]byte(`{"objects":[
		{"cloud":"aws","type":"dedicated-host","native_id":"arn:aws:ec2:us-east-1:111122223333:dedicated-host/h-00000000000000001",
		 "region":"us-east-1","zone":"us-east-1a","instance_type":"p4d.24xlarge","in_use":["i-1"],"tags":{"Name":"n"}},
		{"cloud":"aws","type":"dedicated-host","region":"us-east-1","zone":"us-east-1b","instance_type":"g5","count":1,
		 "status":"under-assessment"}]}`)))
	got := s.accepted(s.hosts(""))
	for _, want := range []string{
		"<hostId>h-00000000000000001<", "<instanceId>i-1<", "<key>Name</key>", "<state>under-assessment</state>",
		"<allowsMultipleInstanceTypes>on<", "<allocationTime>2027-03-01T12:00:00Z<",
	} {
		s.says(got, want)
	}
	rows, err := s.world.Objects()
	s.ok(err)
	if rows[0].Type != "dedicated-host" || rows[0].Count != 1 || rows[1].InstanceType != "g5" {
		t.Errorf("%+v", rows)
	}
}

func TestHostsOfAScenarioThatCannotBe(t *testing.T) {
	t.Parallel()
	place := `"region":"us-east-1","zone":"us-east-1a",`
	for name, fields := range map[string]string{
		"zone":         `"region":"us-east-1","zone":"us-west-2a","instance_type":"p4d.24xlarge"`,
		"machine":      place + `"instance_type":"p5.48xlarge"`,
		"several":      place + `"instance_type":"p4d.24xlarge","count":2`,
		"overuse":      place + `"instance_type":"p4d.24xlarge","in_use":2`,
		"id":           place + `"instance_type":"p4d.24xlarge","native_id":"h-1"`,
		"other region": place + `"instance_type":"p4d.24xlarge","native_id":"arn:aws:ec2:us-west-2:111122223333:dedicated-host/h-00000000000000001"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if err := s.world.Load([]byte(`{"objects":[{"cloud":"aws","type":"dedicated-host",` + fields + `}]}`)); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestHostStockFollowsWhatHappensBehindEveryonesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(1)
	id := s.allocate()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: id, Status: new("permanent-failure")}))
	s.refused(s.ec2(hostBody()), "InsufficientHostCapacity")
	s.says(s.release(id), "<successful><item>")
	second := s.allocate()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: second, Gone: true}))
	s.allocate()
}

func TestModifiedHostMovesItsStock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.zoneStock("us-east-1a", "m5.large", 1)
	s.zoneStock("us-east-1a", "m5.xlarge", 1)
	id := s.allocate("InstanceType=m5.large")
	s.accepted(s.ec2("Action=ModifyHosts&InstanceType=m5.xlarge&HostId.1=" + id))
	s.refused(s.ec2(hostBody("InstanceType=m5.xlarge")), "InsufficientHostCapacity")
	s.allocate("InstanceType=m5.large")
}

func TestTokenOfAVanishedHostIsFree(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.allocate("ClientToken=t")
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: first, Gone: true}))
	if again := s.allocate("ClientToken=t"); again == first {
		t.Errorf("%s came back", again)
	}
}

func TestTermThatIsNotPaid(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"": "active", "CardDeclined": "payment-failed"} {
		s := newStage(t)
		takes := sim.Duration(time.Hour)
		fault := sim.Fault{Cloud: "aws", Operation: "PurchaseHostReservation", Times: 1, OperationTakes: &takes}
		if code != "" {
			fault.OperationError = &sim.OperationError{Code: code}
		}
		s.ok(s.world.AddFaults(fault))
		id := s.allocate()
		s.buyTerm(id, "")
		s.says(s.terms(""), "<state>payment-pending</state>")
		s.refused(s.purchase(id, ""), "HostAlreadyCoveredByReservation")
		s.ok(s.world.Advance(time.Hour))
		s.says(s.terms(""), "<state>"+want+"</state>")
	}
}

func TestHostsOfOthersAreNotSeen(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.allocate()
	s.region = "us-west-2"
	s.refused(s.hosts("&HostId.1="+id), "InvalidHostID.NotFound")
	if got := s.accepted(s.hosts("")); strings.Contains(got.body, id) {
		t.Error(got.body)
	}
}

func TestFaultsFindHosts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.allocate()
	arn := "arn:aws:ec2:us-east-1:111122223333:dedicated-host/" + id
	s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: "ReleaseHosts", NativeID: arn, Status: 503, Code: "Unavailable", Times: 1}))
	s.refused(s.ec2("Action=ReleaseHosts&HostId.1="+id), "Unavailable")
	s.release(id)
	calls, err := s.world.Calls(0)
	s.ok(err)
	if last := calls[len(calls)-1]; last.NativeID != arn || last.Zone != "us-east-1a" {
		t.Errorf("%+v", last)
	}
}

// zoneStock limits a type in a zone of us-east-1.
func (s *stage) zoneStock(zone, instanceType string, available int) {
	s.t.Helper()
	s.ok(s.world.SetCapacity(sim.Capacity{
		Cloud: "aws", Region: "us-east-1", Zone: zone, InstanceType: instanceType, Available: &available,
	}))
}

func TestScoresFollowStock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"p4d.24xlarge", "g5.xlarge", "g6.xlarge"} {
		for _, letter := range "abcdef" {
			s.zoneStock("us-east-1"+string(letter), name, 0)
		}
	}
	one := "&TargetCapacity=10&SingleAvailabilityZone=true&RegionName.1=us-east-1" + threeTypes
	for _, score := range s.accepted(s.scores(one)).all("score") {
		if score != "1" {
			t.Errorf("score %s without stock", score)
		}
	}
	s.zoneStock("us-east-1a", "p4d.24xlarge", 5)
	got := s.accepted(s.scores(one))
	if first := got.between("score"); first < "3" || first > "5" {
		t.Errorf("half of the target scores %s", first)
	}
	// Five hosts are many vCPUs.
	for _, unit := range []string{"vcpu", "memory-mib"} {
		if score := s.accepted(s.scores("&TargetCapacityUnitType=" + unit + one)).between("score"); score < "7" && score != "10" {
			t.Errorf("%s: %s", unit, score)
		}
	}
}
