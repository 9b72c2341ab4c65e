package reservation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/provider/providertest"
)

const awsProvider = "registry.terraform.io/hashicorp/aws"

// odcr is a state of aws_ec2_capacity_reservation as that provider writes it,
// with more or other attributes.
func odcr(more string) string {
	return `{"arn": "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0",
		"availability_zone": "us-east-1a", "ebs_optimized": false, "end_date": "", "end_date_type": "unlimited",
		"ephemeral_storage": false, "id": "cr-0123456789abcdef0", "instance_count": 2, "instance_match_criteria": "targeted",
		"instance_platform": "Linux/UNIX", "instance_type": "p5.48xlarge", "outpost_arn": "", "owner_id": "111122223333",
		"placement_group_arn": "", "region": "us-east-1", "tags": null, "tags_all": {}, "tenancy": "default", "timeouts": null` + more + `}`
}

// capacityBlock is a state of aws_ec2_capacity_block_reservation.
const capacityBlock = `{"arn": "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0fedcba9876543210",
	"availability_zone": "us-east-1b", "capacity_block_offering_id": "cb-0123456789abcdefg", "created_date": "2031-03-01T00:00:00Z",
	"ebs_optimized": true, "end_date": "2031-03-12T11:30:00Z", "end_date_type": "limited", "id": "cr-0fedcba9876543210",
	"instance_count": 4, "instance_platform": "Linux/UNIX", "instance_type": "p5.48xlarge", "outpost_arn": null,
	"placement_group_arn": null, "reservation_type": "capacity-block", "start_date": "2031-03-10T11:30:00Z",
	"tags": {"Name": "spring-run"}, "tags_all": {"Name": "spring-run", "cost": "ml"}, "tenancy": "default", "timeouts": null}`

// movedODCR is what becomes of odcr.
func movedODCR() map[string]any {
	arn := "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0"
	return map[string]any{
		"id": "aws:" + arn, "native_id": arn, "account_id": "111122223333", "simulated": false, "status": "held",
		"owner": nil, "claim_id": nil, "binding": nil, "starts_at": nil, "ends_at": nil, "usable_until": nil, "paid_upfront": nil,
		"currency": nil, "gpu_model": nil, "gpus_per_instance": nil, "gpu_count": nil, "estimated_usd_per_hour": nil,
		"name": "cr-0123456789abcdef0", "cloud": "aws", "account": nil, "region": "us-east-1", "zone": "us-east-1a",
		"instance_type": "p5.48xlarge", "instance_count": "2", "kind": "on_demand", "match_criteria": "targeted",
		"offer_id": nil, "share_with": nil, "tags": nil, "tags_all": map[string]any{}, "window": nil, "term": nil, "aws": nil, "google": nil, "azure": nil,
		"wait_for_capacity": nil, "max_usd_per_hour": nil, "max_upfront_usd": nil, "max_cancellation_usd": nil,
		"on_destroy": "release", "on_release_in_use": "refuse", "allow_replacement": false, "timeouts": nil,
	}
}

func options(set map[string]any) map[string]any {
	all := map[string]any{
		"platform": nil, "tenancy": nil, "placement_group_arn": nil, "commitment": nil, "host_recovery": nil, "host_maintenance": nil,
	}
	for name, value := range set {
		all[name] = value
	}
	return all
}

func TestMove_aws(t *testing.T) {
	t.Parallel()
	block := "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0fedcba9876543210"
	for name, tc := range map[string]struct {
		typeName, state string
		differs         map[string]any
	}{
		"usual": {"aws_ec2_capacity_reservation", odcr(""), nil},
		"named, tagged, open": {
			"aws_ec2_capacity_reservation",
			odcr(`, "instance_match_criteria": "open", "tags": {"Name": "train"}, "tags_all": {"Name": "train", "cost": "ml"}`),
			map[string]any{
				"name": "train", "match_criteria": "open",
				"tags": map[string]any{"Name": "train"}, "tags_all": map[string]any{"Name": "train", "cost": "ml"},
			},
		},
		"a name that cannot be one": {
			"aws_ec2_capacity_reservation", odcr(`, "tags": {"Name": "Big Run"}, "tags_all": {"Name": "Big Run"}`),
			map[string]any{"tags": map[string]any{"Name": "Big Run"}, "tags_all": map[string]any{"Name": "Big Run"}},
		},
		"with an end": {
			"aws_ec2_capacity_reservation", odcr(`, "end_date": "2031-05-10T09:00:00Z", "end_date_type": "limited"`),
			map[string]any{
				"window":  map[string]any{"start_at": nil, "end_at": "2031-05-10T09:00:00Z", "duration": nil},
				"ends_at": "2031-05-10T09:00:00Z",
			},
		},
		"an end that does not count": {
			"aws_ec2_capacity_reservation", odcr(`, "end_date": "2031-05-10T09:00:00Z"`), nil,
		},
		"options": {
			"aws_ec2_capacity_reservation",
			odcr(`, "instance_platform": "Windows", "tenancy": "dedicated", "placement_group_arn": "arn:pg"`),
			map[string]any{"aws": options(map[string]any{"platform": "Windows", "tenancy": "dedicated", "placement_group_arn": "arn:pg"})},
		},
		"block": {
			"aws_ec2_capacity_block_reservation", capacityBlock,
			map[string]any{
				"id": "aws:" + block, "native_id": block, "zone": "us-east-1b", "kind": "block", "instance_count": "4",
				"name": "spring-run", "offer_id": "cb-0123456789abcdefg",
				"tags": map[string]any{"Name": "spring-run"}, "tags_all": map[string]any{"Name": "spring-run", "cost": "ml"},
				"window":    map[string]any{"start_at": nil, "end_at": "2031-03-12T11:30:00Z", "duration": nil},
				"starts_at": "2031-03-10T11:30:00Z", "ends_at": "2031-03-12T11:30:00Z",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := movedODCR()
			for attribute, value := range tc.differs {
				want[attribute] = value
			}
			server := serveResource(t)
			state, identity, d := server.MoveResource(typeName, providertest.Source{Provider: awsProvider, Type: tc.typeName, State: tc.state})
			if len(d) > 0 {
				t.Fatal(d.Errors(), d.Warnings())
			}
			if diff := cmp.Diff(want, state); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]any{"cloud": "aws", "native_id": want["native_id"]}, identity); diff != "" {
				t.Errorf("identity (-want +got):\n%s", diff)
			}
		})
	}
}

// The registry that a command line asks is of no matter; provider, type and
// version are.
func TestMove_sources(t *testing.T) {
	t.Parallel()
	const other = "Unable to Move Resource State"
	for name, tc := range map[string]struct {
		from providertest.Source
		want string // "" is success
	}{
		"of the other registry":        {providertest.Source{Provider: "registry.opentofu.org/hashicorp/aws"}, ""},
		"of a mirror":                  {providertest.Source{Provider: "registry.example.com/hashicorp/aws"}, ""},
		"of another namespace":         {providertest.Source{Provider: "registry.terraform.io/example/aws"}, other},
		"of a longer namespace":        {providertest.Source{Provider: "registry.terraform.io/nothashicorp/aws"}, other},
		"of another provider":          {providertest.Source{Provider: "registry.terraform.io/hashicorp/awscc"}, other},
		"of another type":              {providertest.Source{Type: "aws_instance"}, other},
		"of a later version":           {providertest.Source{Version: 1}, "schema version 1, and this provider reads version 0"},
		"without an ARN":               {providertest.Source{State: `{"id": "cr-1"}`}, `its arn "" is not that of a capacity reservation`},
		"with the ARN of another type": {providertest.Source{State: `{"arn": "arn:aws:ec2:us-east-1:111122223333:instance/i-1"}`}, "instance/i-1"},
		"of another form":              {providertest.Source{State: `{"arn": []}`}, "Cannot move, state not understood"},
		"with an end that is no time": {
			providertest.Source{State: odcr(`, "end_date_type": "limited", "end_date": "soon"`)}, `"soon"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := tc.from
			if from.Provider == "" {
				from.Provider = awsProvider
			}
			if from.Type == "" {
				from.Type = "aws_ec2_capacity_reservation"
			}
			if from.State == "" {
				from.State = odcr("")
			}
			_, _, d := serveResource(t).MoveResource(typeName, from)
			said := strings.Join(d.Errors(), "\n")
			if tc.want == "" && said != "" || !strings.Contains(said, tc.want) {
				t.Errorf("said %q, want %q", said, tc.want)
			}
		})
	}
}
