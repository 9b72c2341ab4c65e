package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	providerschema "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// other stands in for hashicorp/aws with its type of capacity reservation, whose
// computed attributes come from made.
func other(made map[string]string) func() (tfprotov6.ProviderServer, error) {
	attributes := map[string]schema.Attribute{
		"ebs_optimized": schema.BoolAttribute{Optional: true}, "ephemeral_storage": schema.BoolAttribute{Optional: true},
		"instance_count": schema.Int64Attribute{Required: true},
		"tags":           schema.MapAttribute{Optional: true, ElementType: types.StringType},
		"tags_all":       schema.MapAttribute{Optional: true, ElementType: types.StringType}, // computed there, of default tags
	}
	for name, required := range map[string]bool{
		"availability_zone": true, "instance_platform": true, "instance_type": true,
		"end_date": false, "end_date_type": false, "instance_match_criteria": false, "outpost_arn": false,
		"placement_group_arn": false, "tenancy": false,
	} {
		attributes[name] = schema.StringAttribute{Required: required, Optional: !required}
	}
	for _, name := range []string{"arn", "id", "owner_id"} {
		attributes[name] = schema.StringAttribute{Computed: true}
	}
	return acctest.Stub{Name: "aws", Block: providerschema.Schema{}, Resources: map[string]acctest.StubResource{
		"aws_ec2_capacity_reservation": {Schema: schema.Schema{Attributes: attributes}, Made: made},
	}}.Server
}

// beside is a bench with that provider, and what its objects are.
func beside(t *testing.T) (*acctest.Bench, map[string]string) {
	t.Helper()
	made := map[string]string{}
	return acctest.NewBench(t, "aws", acctest.BenchOptions{
		Simulated: inMemory, Beside: map[string]func() (tfprotov6.ProviderServer, error){"hashicorp/aws": other(made)},
	}), made
}

const bothProviders = `terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
    gpu = { source = "gpulock/gpu" }
  }
}
`

const movedHere = `moved {
  from = aws_ec2_capacity_reservation.old
  to   = gpu_reservation.a
}
`

// madeElsewhere has the other provider hold a live reservation in its state.
func madeElsewhere(t *testing.T, b *acctest.Bench, made map[string]string, arn, arguments string) {
	t.Helper()
	made["arn"], made["id"], made["owner_id"] = arn, arn[strings.LastIndex(arn, "/")+1:], strings.Split(arn, ":")[4]
	b.Write("main.tf", bothProviders+fmt.Sprintf("resource \"aws_ec2_capacity_reservation\" \"old\" {\n"+
		"  availability_zone = %q\n  instance_type = %q\n  instance_platform = \"Linux/UNIX\"\n%s\n}\n",
		acctest.AWSZone(), acctest.AWSType(), arguments))
	b.Apply("-target=aws_ec2_capacity_reservation.old").Success(t)
}

// What another provider made is adopted by a moved block: nothing is called but
// reads, the object stays, and from then on it is ours to change and release.
func TestAccReservation_moved(t *testing.T) {
	t.Parallel()
	b, made := beside(t)
	r := b.Make(cloud.Spec{
		Zone: acctest.AWSZone(), InstanceType: acctest.AWSType(), Count: 2, Match: cloud.Open,
		Tags: map[string]string{"Name": "by-hand", "team": "ml", "foreign": "x"},
	}, cloud.Mark{})
	madeElsewhere(t, b, made, r.Ref.NativeID, `
  instance_count          = 2
  instance_match_criteria = "open"
  end_date_type           = "unlimited"
  tenancy                 = "default"
  tags                    = { Name = "by-hand", team = "ml" }
  tags_all                = { Name = "by-hand", team = "ml" }`)

	lines := []string{`name = "by-hand"`, "instance_count = 2", `match_criteria = "open"`}
	config := func(tags string) {
		b.Write("main.tf", bothProviders+b.Provider()+movedHere+block("a", append(lines, "tags = "+tags)...))
	}
	config(`{ Name = "by-hand", team = "ml" }`)
	since := b.Mark()
	plan := b.Plan()
	if change := plan.Change(addr); change == nil || !change.Actions.NoOp() {
		t.Fatalf("plan of the move: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	b.Apply().Success(t).NoDiagnostics(t)
	wrote(t, b, since)
	state(t, b, map[string]any{
		"native_id": r.Ref.NativeID, "name": "by-hand", "status": "held", "gpu_count": "2", "claim_id": nil, "account": nil,
		"binding.aws.capacity_reservation_id": made["id"], "tags": "map[Name:by-hand team:ml]",
	})
	if at(b.Resource(addr).AttributeValues, "estimated_usd_per_hour") == nil {
		t.Error("there is no price")
	}
	b.PlanEmpty().NoDiagnostics(t)

	config(`{ Name = "by-hand", team = "x" }`)
	b.Apply().Success(t).NoDiagnostics(t)
	tags(t, live(t, b), map[string]string{"Name": "by-hand", "team": "x", "foreign": "x"})
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	if objects := b.Objects("active"); len(objects) != 0 {
		t.Errorf("still there: %+v", objects)
	}
}

// The account and a mark that the object has are found by the first read.
func TestAccReservation_movedOfAccount(t *testing.T) {
	t.Parallel()
	b, made := beside(t)
	provider := strings.Replace(b.Provider(), "aws   = {",
		`aws   = { accounts = { research = { assume_role = { role_arn = "arn:aws:iam::444455556666:role/gpu" } } },`, 1)
	ours := block("a", `account = "research"`)
	b.Write("main.tf", bothProviders+provider+ours)
	b.Apply().Success(t)
	before := state(t, b, map[string]any{"account_id": "444455556666"})
	forget(t, b)
	arn, _ := before["native_id"].(string)
	madeElsewhere(t, b, made, arn, "  instance_count = 1\n  instance_match_criteria = \"targeted\"\n")

	b.Write("main.tf", bothProviders+provider+movedHere+ours)
	since := b.Mark()
	if plan := b.Plan(); plan.Actions(addr) == nil || plan.Actions(addr).Replace() || plan.Actions(addr).Create() {
		t.Fatalf("plan of the move: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	b.Apply().Success(t)
	state(t, b, map[string]any{"native_id": arn, "account": "research", "owner": b.Owner, "claim_id": before["claim_id"]})
	if calls := b.Calls(since, create); len(calls) > 0 {
		t.Errorf("created again: %+v", calls)
	}
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	if objects := b.Objects("active"); len(objects) != 0 {
		t.Errorf("still there: %+v", objects)
	}
}

// What is gone by then is forgotten like any other, and made anew.
func TestAccReservation_movedGone(t *testing.T) {
	t.Parallel()
	b, made := beside(t)
	madeElsewhere(t, b, made, "arn:aws:ec2:us-east-1:111122223333:capacity-reservation/cr-0123456789abcdef0", "  instance_count = 1\n")
	b.Write("main.tf", bothProviders+b.Provider()+movedHere+block("a"))
	plan := b.Plan()
	if plan.ExitCode != 2 || !plan.Actions(addr).Create() {
		t.Fatalf("plan of the move: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	plan.Warned(t, "Reservation is gone", "cr-0123456789abcdef0")
}
