package awssim_test

import (
	"strings"
	"testing"
)

func TestAWSCLILifeOfAHost(t *testing.T) {
	t.Parallel()
	needCLI(t)
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	made, refusal := s.cli("allocate-hosts", "--instance-type", "p4d.24xlarge", "--quantity", "1", "--availability-zone", "us-east-1a",
		"--auto-placement", "off", "--client-token", "t", "--tag-specifications", "ResourceType=dedicated-host,Tags=[{Key=k,Value=v}]")
	ids, _ := field(made, "HostIds").([]any)
	if len(ids) != 1 {
		t.Fatalf("allocate: %v %s", made, refusal)
	}
	id, _ := ids[0].(string)
	if changed, refusal := s.cli("modify-hosts", "--host-ids", id, "--auto-placement", "on"); field(changed, "Successful") == nil {
		t.Errorf("modify: %v %s", changed, refusal)
	}
	seen, refusal := s.cli("describe-hosts", "--filter", "Name=tag-key,Values=k")
	if field(seen, "Hosts", "State") != "available" || field(seen, "Hosts", "AutoPlacement") != "on" {
		t.Errorf("describe: %v %s", seen, refusal)
	}
	offers, refusal := s.cli("describe-host-reservation-offerings", "--filter", "Name=instance-family,Values=p4d", "--max-duration", "31536000")
	offer, _ := field(offers, "OfferingSet", "OfferingId").(string)
	if offer == "" {
		t.Fatalf("offerings: %v %s", offers, refusal)
	}
	if _, refusal := s.cli("purchase-host-reservation", "--host-id-set", id, "--offering-id", "hro-0"); !strings.Contains(refusal, ".Malformed)") {
		t.Error(refusal)
	}
	if released, refusal := s.cli("release-hosts", "--host-ids", id); field(released, "Successful") == nil {
		t.Errorf("release: %v %s", released, refusal)
	}
	made, refusal = s.cli("allocate-hosts", "--instance-family", "p4d", "--quantity", "1", "--availability-zone-id", "use1-az6")
	if ids, _ = field(made, "HostIds").([]any); len(ids) != 1 {
		t.Fatalf("allocate: %v %s", made, refusal)
	}
	id, _ = ids[0].(string)
	bought, refusal := s.cli("purchase-host-reservation", "--host-id-set", id, "--offering-id", offer, "--currency-code", "USD")
	if term, _ := field(bought, "Purchase", "HostReservationId").(string); !strings.HasPrefix(term, "hr-") {
		t.Errorf("purchase: %v %s", bought, refusal)
	}
	released, refusal := s.cli("release-hosts", "--host-ids", id)
	if field(released, "Unsuccessful", "Error", "Code") != "Client.OperationNotPermitted" {
		t.Errorf("release: %v %s", released, refusal)
	}
}

func TestAWSCLIMarket(t *testing.T) {
	t.Parallel()
	needCLI(t)
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	seen, refusal := s.cli("describe-spot-price-history", "--instance-types", "p4d.24xlarge", "--product-descriptions", "Linux/UNIX",
		"--start-time", "2027-03-01T00:00:00Z", "--availability-zone", "us-east-1a")
	if price, _ := field(seen, "SpotPriceHistory", "SpotPrice").(string); price == "" {
		t.Errorf("%v %s", seen, refusal)
	}
	seen, refusal = s.cli("get-spot-placement-scores", "--target-capacity", "8", "--single-availability-zone", "--region-names", "us-east-1",
		"--instance-types", "p4d.24xlarge", "g5.xlarge", "g6.xlarge")
	if id, _ := field(seen, "SpotPlacementScores", "AvailabilityZoneId").(string); !strings.HasPrefix(id, "use1-az") {
		t.Errorf("%v %s", seen, refusal)
	}
	listed, refusal := s.cliOf("pricing", "get-products", "--service-code", "AmazonEC2", "--filters",
		"Type=TERM_MATCH,Field=instanceType,Value=p4d.24xlarge", "Type=TERM_MATCH,Field=capacitystatus,Value=UnusedCapacityReservation")
	if list, _ := field(listed, "PriceList").([]any); len(list) != 1 {
		t.Errorf("%v %s", listed, refusal)
	}
}
