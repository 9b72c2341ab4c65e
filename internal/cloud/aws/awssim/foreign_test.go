package awssim_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Clients that are not ours, by their own models. They are optional: where one
// is missing, the test says so and is skipped.

// foreign is the environment of a client that must not meet a real account.
func (s *stage) foreign() []string {
	home := s.t.TempDir()
	// An empty profile is a profile that is not found: take the user's out.
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "AWS_") })
	return append(env,
		"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1",
		"AWS_CONFIG_FILE="+home+"/config", "AWS_SHARED_CREDENTIALS_FILE="+home+"/credentials",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_PAGER=", "AWS_MAX_ATTEMPTS=1", "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1",
	)
}

func TestBotocoreModelsFitEveryAnswer(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", "import botocore").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, botocore is not to be had: %v %s", err, out)
	}
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	id := s.create("InstanceCount=3")
	s.used(id, 2)
	host := s.allocate()
	s.ok(s.world.Patch(sim.ObjectPatch{NativeID: host, InUse: &sim.Use{Users: []string{"i-1"}}}))
	s.payAtOnce()
	check := exec.CommandContext(t.Context(), "python3", "testdata/botocore_check.py", s.url, id, rfc(starts()))
	check.Env = s.foreign()
	out, err := check.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, operation := range []string{
		"CreateCapacityReservation", "DescribeCapacityReservations", "ModifyCapacityReservation", "CancelCapacityReservation",
		"GetCapacityReservationUsage", "DescribeInstances", "DescribeInstanceTypes", "DescribeInstanceTypeOfferings",
		"DescribeAvailabilityZones", "DescribeRegions", "CreateTags", "DeleteTags", "DescribeTags", "GetCallerIdentity",
		"AssumeRole", "AssumeRoleWithWebIdentity", "GetServiceQuota", "GetAWSDefaultServiceQuota", "ListServiceQuotas",
		"AllocateHosts", "DescribeHosts", "ModifyHosts", "ReleaseHosts", "DescribeHostReservationOfferings",
		"GetHostReservationPurchasePreview", "PurchaseHostReservation", "DescribeHostReservations",
		"DescribeSpotPriceHistory", "GetSpotPlacementScores", "GetProducts", "DescribeServices", "GetAttributeValues",
		"DescribeCapacityBlockOfferings", "PurchaseCapacityBlock", "DescribeCapacityBlocks", "DescribeCapacityBlockStatus",
		"DescribeCapacityBlockExtensionOfferings", "PurchaseCapacityBlockExtension", "DescribeCapacityBlockExtensionHistory",
	} {
		if !strings.Contains(string(out), operation+" ") && !strings.HasSuffix(strings.TrimSpace(string(out)), operation) {
			t.Errorf("%s was not checked", operation)
		}
	}
}

// payAtOnce has blocks scheduled by the next request.
func (s *stage) payAtOnce() {
	s.t.Helper()
	for _, operation := range []string{"PurchaseCapacityBlock", "PurchaseCapacityBlockExtension"} {
		s.ok(s.world.AddFaults(sim.Fault{Cloud: "aws", Operation: operation, OperationTakes: new(sim.Duration(0))}))
	}
}

// cli runs the AWS CLI's ec2; a refusal is its text.
func (s *stage) cli(args ...string) (map[string]any, string) {
	s.t.Helper()
	return s.cliOf("ec2", args...)
}

func (s *stage) cliOf(service string, args ...string) (map[string]any, string) {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), "aws", append([]string{"--endpoint-url", s.url, "--output", "json", service}, args...)...)
	command.Env = s.foreign()
	out, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, string(exit.Stderr)
	}
	s.ok(err)
	var value map[string]any
	if len(out) > 0 {
		s.ok(json.Unmarshal(out, &value))
	}
	return value, ""
}

// field follows a path of keys and, for lists, takes the first entry.
func field(value any, path ...string) any {
	for _, key := range path {
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[0]
		}
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[key]
	}
	return value
}

func needCLI(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED, -short: each AWS CLI command takes a second or more")
	}
	if out, err := exec.CommandContext(t.Context(), "aws", "--version").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, the AWS CLI is not to be had: %v %s", err, out)
	}
}

func TestAWSCLILifeOfAReservation(t *testing.T) {
	t.Parallel()
	needCLI(t)
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	made, refusal := s.cli("create-capacity-reservation", "--instance-type", "p4d.24xlarge", "--instance-platform", "Linux/UNIX",
		"--availability-zone", "us-east-1a", "--instance-count", "2", "--end-date-type", "limited", "--end-date", "2031-01-01T00:00:00Z",
		"--tag-specifications", "ResourceType=capacity-reservation,Tags=[{Key=k,Value=v}]")
	id, _ := field(made, "CapacityReservation", "CapacityReservationId").(string)
	if id == "" {
		t.Fatalf("create: %v %s", made, refusal)
	}
	for _, args := range [][]string{
		{"create-tags", "--resources", id, "--tags", "Key=a,Value=b"},
		{"delete-tags", "--resources", id, "--tags", "Key=k"},
		{"modify-capacity-reservation", "--capacity-reservation-id", id, "--instance-count", "4", "--end-date-type", "unlimited"},
	} {
		if _, refusal := s.cli(args...); refusal != "" {
			t.Errorf("%v: %s", args, refusal)
		}
	}
	seen, refusal := s.cli("describe-capacity-reservations", "--filters", "Name=tag:a,Values=b")
	got := map[string]any{}
	for _, name := range []string{"CapacityReservationId", "TotalInstanceCount", "AvailableInstanceCount", "State", "EndDateType", "Tags"} {
		got[name] = field(seen, "CapacityReservations", name)
	}
	if diff := cmp.Diff(map[string]any{
		"CapacityReservationId": id, "TotalInstanceCount": 4.0, "AvailableInstanceCount": 4.0, "State": "active",
		"EndDateType": "unlimited", "Tags": []any{map[string]any{"Key": "a", "Value": "b"}},
	}, got); diff != "" {
		t.Errorf("%s %s", refusal, diff)
	}
	if _, refusal := s.cli("cancel-capacity-reservation", "--capacity-reservation-id", id); refusal != "" {
		t.Error(refusal)
	}
	for code, args := range map[string][]string{
		"(IncorrectState)":                        {"cancel-capacity-reservation", "--capacity-reservation-id", id},
		"(InvalidCapacityReservationId.NotFound)": {"describe-capacity-reservations", "--capacity-reservation-ids", "cr-0123456789abcdef0"},
		"(InvalidID)":                             {"create-tags", "--resources", "vol-1", "--tags", "Key=a,Value=b"},
	} {
		if _, refusal := s.cli(args...); !strings.Contains(refusal, code) {
			t.Errorf("%v: %q, want %s", args, refusal, code)
		}
	}
}

func TestAWSCLITypes(t *testing.T) {
	t.Parallel()
	needCLI(t)
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	seen, refusal := s.cli("describe-instance-types", "--instance-types", "g6f.xlarge")
	gpu := field(seen, "InstanceTypes", "GpuInfo", "Gpus")
	if field(gpu, "Count") != 0.0 || field(gpu, "GpuPartitionSize") != 0.125 || field(gpu, "MemoryInfo", "SizeInMiB") != 2861.0 {
		t.Errorf("%v %s", gpu, refusal)
	}
	seen, refusal = s.cli("describe-instance-type-offerings", "--location-type", "availability-zone",
		"--filters", "Name=instance-type,Values=p6-b200.48xlarge")
	if field(seen, "InstanceTypeOfferings", "Location") != "us-east-1c" {
		t.Errorf("%v %s", seen, refusal)
	}
	if _, refusal := s.cli("describe-instance-types", "--instance-types", "p9.huge"); !strings.Contains(refusal, "(InvalidInstanceType)") {
		t.Error(refusal)
	}
}

func TestAWSCLIBuysABlock(t *testing.T) {
	t.Parallel()
	needCLI(t)
	s := newStage(t)
	s.ok(s.world.Freeze(false))
	s.payAtOnce()
	seen, refusal := s.cli("describe-capacity-block-offerings", "--instance-type", "p4d.24xlarge", "--instance-count", "2",
		"--capacity-duration-hours", "24", "--start-date-range", rfc(now().AddDate(0, 0, 10)))
	offer, _ := field(seen, "CapacityBlockOfferings", "CapacityBlockOfferingId").(string)
	if offer == "" {
		t.Fatalf("%v %s", seen, refusal)
	}
	bought, refusal := s.cli("purchase-capacity-block", "--capacity-block-offering-id", offer, "--instance-platform", "Linux/UNIX",
		"--tag-specifications", "ResourceType=capacity-reservation,Tags=[{Key=k,Value=v}]")
	if field(bought, "CapacityReservation", "State") != "payment-pending" {
		t.Errorf("%v %s", bought, refusal)
	}
	blocks, refusal := s.cli("describe-capacity-blocks", "--filters", "Name=tag:k,Values=v")
	got := []any{
		field(blocks, "CapacityBlocks", "State"), field(blocks, "CapacityBlocks", "CapacityReservationIds"),
		field(blocks, "CapacityBlocks", "EndDate"),
	}
	id := field(bought, "CapacityReservation", "CapacityReservationId")
	want := []any{"scheduled", []any{id}, field(seen, "CapacityBlockOfferings", "EndDate")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %s", refusal, diff)
	}
	if _, refusal := s.cli("purchase-capacity-block", "--capacity-block-offering-id", "cb-1", "--instance-platform", "Linux/UNIX"); !strings.Contains(refusal, "(InvalidCapacityBlockOfferingIdMalformed)") {
		t.Error(refusal)
	}
}
