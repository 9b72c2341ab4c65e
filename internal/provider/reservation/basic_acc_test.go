package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// created are the paths that only a create can tell.
func created(more ...string) []string {
	return append(more, "id", "native_id", "claim_id", "status", "starts_at",
		"binding.aws.capacity_reservation_id", "binding.aws.capacity_reservation_arn", "binding.aws.karpenter.capacity_reservation_id")
}

func TestAccReservation_basic(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{})
	b.Spend("0.60")
	use(b, block("a"))
	b.Validate().Success(t).NoDiagnostics(t)
	plan := planned(t, b, tfjson.ActionCreate)
	plan.NoDiagnostics(t)
	unknown(t, plan, created()...)
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"cloud": "aws", "region": "us-east-1", "kind": "on_demand", "instance_count": 1, "match_criteria": "targeted",
		"gpu_model": "T4", "gpus_per_instance": "1", "gpu_count": "1", "estimated_usd_per_hour": 0.526, "owner": b.Owner,
		"simulated": false, "tags": nil, "tags_all": map[string]any{}, "ends_at": nil, "usable_until": nil, "paid_upfront": nil,
		"binding.cloud": "aws", "binding.region": "us-east-1", "binding.aws.availability_zone": acctest.AWSZone(),
		"binding.aws.tenancy": "default", "binding.aws.capacity_reservation_preference": nil,
	})
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, create, tag)
	held(t, b, 1)
	got := state(t, b, map[string]any{"status": "held", "instance_count": 1, "region": "us-east-1", "owner": b.Owner})
	arn, _ := got["native_id"].(string)
	short := arn[strings.LastIndex(arn, "/")+1:]
	values(t, "state", got, map[string]any{
		"id": "aws:" + arn, "binding.aws.capacity_reservation_arn": arn, "binding.aws.capacity_reservation_id": short,
		"binding.aws.karpenter.capacity_reservation_id": short, "binding.aws.karpenter.capacity_type": "reserved",
		"binding.aws.eks_capacity_type": "ON_DEMAND", "binding.aws.market_type": nil,
	})
	since = b.Mark()
	b.PlanEmpty().NoDiagnostics(t)
	wrote(t, b, since)
	b.Destroy().Success(t).NoDiagnostics(t)
	wrote(t, b, since, cancel)
	none(t, b)
	held(t, b, 0)
}

func TestAccReservation_full(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `region = "us-east-1"`, `instance_type = "p5.48xlarge"`, "instance_count = 3", `kind = "on_demand"`,
		`match_criteria = "open"`, `tags = { team = "research", empty = "" }`, `wait_for_capacity = "1h"`, "max_usd_per_hour = 500",
		`on_destroy = "release"`, `on_release_in_use = "release"`, "allow_replacement = true",
		`window = { end_at = "2041-05-10T11:00:00+02:00" }`, `timeouts = { create = "30m", update = "30m", delete = "30m" }`,
		`aws = { platform = "Windows", tenancy = "dedicated", placement_group_arn = "arn:aws:ec2:us-east-1:111122223333:placement-group/pg" }`,
		`max_usd_per_hour =`))
	plan := planned(t, b, tfjson.ActionCreate)
	unknown(t, plan, created()...)
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"account_id": "111122223333", "gpu_model": "H100-SXM5-80GB", "gpus_per_instance": "8", "gpu_count": "24",
		"estimated_usd_per_hour": nil, "ends_at": "2041-05-10T09:00:00Z", "usable_until": "2041-05-10T09:00:00Z",
		"binding.aws.capacity_reservation_preference": "open", "binding.aws.tenancy": "dedicated",
	})
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{
		"status": "held", "instance_count": 3, "window.end_at": "2041-05-10T11:00:00+02:00", "ends_at": "2041-05-10T09:00:00Z",
		"aws.platform": "Windows", "tags": map[string]any{"team": "research", "empty": ""},
	})
	o := live(t, b)
	tags(t, o, map[string]string{"team": "research", "empty": ""})
	if o.Count != 3 || o.InstanceType != "p5.48xlarge" || o.EndsAt.Format("2006-01-02T15:04:05Z") != "2041-05-10T09:00:00Z" {
		t.Errorf("object: %+v", o)
	}
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t).NoDiagnostics(t)
	held(t, b, 0)
}

// A length counts from the create; the end it leads to does not move with time.
func TestAccReservation_duration(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	began := b.Clock.Now()
	use(b, block("a", `window = { duration = "1d12h" }`))
	plan := planned(t, b, tfjson.ActionCreate)
	unknown(t, plan, created("ends_at", "usable_until")...)
	b.Apply().Success(t).NoDiagnostics(t)
	end := live(t, b).EndsAt
	if d := end.Sub(began); d < 36*hour-minute || d > 36*hour+minute {
		t.Errorf("the end is %s after the start, want 36h", d)
	}
	state(t, b, map[string]any{"window.duration": "1d12h", "window.end_at": nil, "status": "held"})
	b.Do(b.World.Advance(hour))
	b.PlanEmpty().NoDiagnostics(t)

	use(b, block("a", `window = { duration = "2d" }`))
	plan = planned(t, b, tfjson.ActionUpdate)
	unknown(t, plan, "status", "ends_at", "usable_until")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, modify)
	if d := live(t, b).EndsAt.Sub(end.Time); d < 12*hour-minute || d > 12*hour+minute {
		t.Errorf("the end moved by %s, want 12h", d)
	}
	b.PlanEmpty().NoDiagnostics(t)
}

func TestAccReservation_open(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{})
	b.Spend("0.60")
	use(b, block("a", `match_criteria = "open"`))
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"match_criteria": "open", "binding.aws.capacity_reservation_preference": "open", "status": "held"})
	held(t, b, 1)
	b.PlanEmpty().NoDiagnostics(t)

	use(b, block("a"))
	plan := planned(t, b, tfjson.ActionUpdate)
	unknown(t, plan, "status")
	values(t, "plan", plan.Change(addr).After, map[string]any{"binding.aws.capacity_reservation_preference": nil})
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, modify)
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	held(t, b, 0)
}

func TestAccReservation_placementGroup(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	const arn = "arn:aws:ec2:us-east-1:111122223333:placement-group/train"
	use(b, block("a", `aws = { placement_group_arn = "`+arn+`" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"aws.placement_group_arn": arn, "aws.platform": nil, "estimated_usd_per_hour": 0.526})
	b.PlanEmpty().NoDiagnostics(t)
}

// The catalog's prices are for Linux: another platform's price is not known.
func TestAccReservation_platform(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `aws = { platform = "Windows" }`))
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{"estimated_usd_per_hour": nil, "gpu_count": "1"})
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"aws.platform": "Windows", "estimated_usd_per_hour": nil, "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}

// A fraction of a GPU is counted exactly.
func TestAccReservation_fraction(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `instance_type = "g6f.xlarge"`, `zone = "us-east-1b"`, "instance_count = 3"))
	b.Apply().Success(t)
	state(t, b, map[string]any{"gpu_model": "L4", "gpus_per_instance": "1/8", "gpu_count": "3/8", "status": "held"})
	b.PlanEmpty()
}

// default_tags come with every object, and a resource's own win.
func TestAccReservation_defaultTags(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	write := func(defaults, own string) {
		b.Config(b.Provider("  default_tags = "+defaults) + block("a", "tags = "+own))
	}
	write(`{ team = "ml", stage = "test" }`, `{ stage = "own" }`)
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"tags": map[string]any{"stage": "own"}, "tags_all": map[string]any{"team": "ml", "stage": "own"},
	})
	b.Apply().Success(t).NoDiagnostics(t)
	tags(t, live(t, b), map[string]string{"team": "ml", "stage": "own"})
	b.PlanEmpty().NoDiagnostics(t)

	write(`{ group = "x" }`, `{ stage = "own" }`)
	plan = planned(t, b, tfjson.ActionUpdate)
	unknown(t, plan, "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since, tag, untag)
	tags(t, live(t, b), map[string]string{"group": "x", "stage": "own"})
	b.PlanEmpty().NoDiagnostics(t)
}

func TestAccReservation_account(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	b.Config(strings.Replace(b.Provider(), `aws   = {`,
		`aws   = { accounts = { research = { assume_role = { role_arn = "arn:aws:iam::444455556666:role/gpu" } } },`, 1) +
		block("a", `account = "research"`))
	plan := planned(t, b, tfjson.ActionCreate)
	values(t, "plan", plan.Change(addr).After, map[string]any{"account_id": "444455556666", "account": "research"})
	b.Apply().Success(t).NoDiagnostics(t)
	got := state(t, b, map[string]any{"account_id": "444455556666", "status": "held"})
	if arn, _ := got["native_id"].(string); !strings.Contains(arn, ":444455556666:") || live(t, b).NativeID != arn {
		t.Errorf("native id %q is not in the role's account", arn)
	}
	b.PlanEmpty().NoDiagnostics(t)
	// The ARN alone leads an import to the account that the provider has for it.
	forget(t, b)
	b.Import(addr, fmt.Sprint(got["native_id"])).Success(t)
	state(t, b, map[string]any{"account": "research", "account_id": "444455556666"})
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t).NoDiagnostics(t)
	held(t, b, 0)
}
