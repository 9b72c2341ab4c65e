package reservation_test

import (
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// Every attribute that AWS changes in place, one at a time: one update with one
// unknown, the status, and one call.
func TestAccReservation_update(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{})
	b.Spend("1.20")
	use(b, block("a"))
	b.Apply().Success(t).NoDiagnostics(t)
	id := state(t, b, nil)["native_id"]
	for _, step := range []struct {
		name   string
		lines  []string
		writes []string
		want   map[string]any
	}{
		{"grow", []string{"instance_count = 2"}, []string{modify}, map[string]any{
			"instance_count": 2, "gpu_count": "2", "estimated_usd_per_hour": 1.052,
		}},
		{"shrink", nil, []string{modify}, map[string]any{"instance_count": 1, "gpu_count": "1", "estimated_usd_per_hour": 0.526}},
		{"limit", []string{`window = { end_at = "2041-05-10T09:00:00Z" }`}, []string{modify}, map[string]any{
			"ends_at": "2041-05-10T09:00:00Z", "usable_until": "2041-05-10T09:00:00Z",
		}},
		{"extend", []string{`window = { end_at = "2042-05-10T09:00:00Z" }`}, []string{modify}, map[string]any{"ends_at": "2042-05-10T09:00:00Z"}},
		{"unlimit", nil, []string{modify}, map[string]any{"ends_at": nil, "usable_until": nil, "window": nil}},
		{"tag", []string{`tags = { team = "ml", stage = "test" }`}, []string{tag}, map[string]any{
			"tags_all": map[string]any{"team": "ml", "stage": "test"},
		}},
		{"retag", []string{`tags = { team = "research", stage = "test" }`}, []string{tag}, map[string]any{"tags.team": "research"}},
		{"untag", []string{`tags = { stage = "test" }`}, []string{untag}, map[string]any{"tags_all": map[string]any{"stage": "test"}}},
		{"untag all", nil, []string{untag}, map[string]any{"tags": nil, "tags_all": map[string]any{}}},
		{"rename", []string{`name = "other-name"`}, []string{tag}, map[string]any{"name": "other-name"}},
		{"rename back", nil, []string{tag}, map[string]any{"name": "res-a"}},
		{
			"all at once",
			[]string{"instance_count = 2", `match_criteria = "open"`, `window = { duration = "30d" }`, `tags = { a = "b" }`},
			[]string{modify, tag},
			map[string]any{"instance_count": 2, "match_criteria": "open", "tags.a": "b"},
		},
	} {
		use(b, block("a", step.lines...))
		plan := planned(t, b, tfjson.ActionUpdate)
		if step.name == "all at once" {
			unknown(t, plan, "status", "ends_at", "usable_until")
		} else {
			unknown(t, plan, "status")
		}
		values(t, step.name+": plan", plan.Change(addr).After, step.want)
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		wrote(t, b, since, step.writes...)
		values(t, step.name+": state", state(t, b, map[string]any{"native_id": id, "status": "held"}), step.want)
		b.PlanEmpty().NoDiagnostics(t)
		if t.Failed() {
			t.Fatalf("step %q", step.name)
		}
	}
	held(t, b, 1)
	b.Destroy().Success(t).NoDiagnostics(t)
	held(t, b, 0)
}

// What only the provider needs is changed without a call, and leaves everything
// else known.
func TestAccReservation_providerOnly(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	for _, line := range []string{
		`wait_for_capacity = "10m"`, "max_usd_per_hour = 3", "max_upfront_usd = 1", "max_cancellation_usd = 1",
		`on_destroy = "abandon"`, `on_release_in_use = "release"`, "allow_replacement = true", `timeouts = { create = "5m" }`,
	} {
		use(b, block("a", line))
		plan := planned(t, b, tfjson.ActionUpdate)
		unknown(t, plan)
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		wrote(t, b, since)
		b.PlanEmpty().NoDiagnostics(t)
	}
	use(b, block("a"))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
}

// Another way to write the same place is no change.
func TestAccReservation_sameThing(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	for _, lines := range [][]string{
		{`region = "us-east-1"`},
		{"instance_count = 1"},
		{`kind = "on_demand"`},
		{`match_criteria = "targeted"`},
		{`aws = { platform = "Linux/UNIX" }`},
		{`aws = { tenancy = "default" }`},
		{"aws = {}"},
		{"tags = {}"},
		{"window = {}"},
	} {
		use(b, block("a", lines...))
		if plan := b.Plan(); plan.ExitCode == 1 {
			t.Errorf("%q: %s", lines, plan.Text())
		} else if change := plan.Change(addr); change.Actions.Create() || change.Actions.Replace() {
			t.Errorf("%q: %s", lines, plan.NotEmpty())
		}
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		wrote(t, b, since)
		b.PlanEmpty().NoDiagnostics(t)
	}
}

// A value that is known only at apply still makes one update, or one create.
func TestAccReservation_unknownInputs(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	later := func(version string) string {
		return "resource \"terraform_data\" \"later\" {\n  input = " + version + "\n}\n"
	}
	body := block("a", `zone = "us-east-1${terraform_data.later.output.zone}"`, "instance_count = terraform_data.later.output.count",
		"aws = { tenancy = terraform_data.later.output.tenancy, platform = terraform_data.later.output.platform }",
		"tags = { team = terraform_data.later.output.team }", "window = { end_at = terraform_data.later.output.end }")
	b.Config(b.Provider() + later(`{ zone = "a", count = 1, team = "ml", end = "2041-05-10T09:00:00Z", tenancy = "dedicated", platform = "Windows" }`) + body)
	plan := b.Plan()
	if plan.ExitCode != 2 || !plan.Actions(addr).Create() {
		t.Fatalf("plan: %s", plan.Text())
	}
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{
		"zone": "us-east-1a", "region": "us-east-1", "ends_at": "2041-05-10T09:00:00Z", "gpu_count": "1",
		"tags_all": map[string]any{"team": "ml"}, "estimated_usd_per_hour": nil, "binding.aws.tenancy": "dedicated", "binding.region": "us-east-1",
	})
	b.PlanEmpty().NoDiagnostics(t)

	b.Config(b.Provider() + later(`{ zone = "a", count = 2, team = "research", end = "2042-05-10T09:00:00Z", tenancy = "dedicated", platform = "Windows" }`) + body)
	plan = b.Plan()
	if plan.ExitCode != 2 || !plan.Actions(addr).Update() {
		t.Fatalf("plan: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"instance_count": 2, "ends_at": "2042-05-10T09:00:00Z", "gpu_count": "2", "tags.team": "research"})
	if o := live(t, b); o.Count != 2 || o.Tags["team"] != "research" {
		t.Errorf("object: %+v", o)
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// An optional tag that a configuration leaves null is no tag, and no change.
func TestAccReservation_nullTag(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	for _, tags := range []string{`{ a = null, b = "" }`, `{ a = null }`, `{ a = "1", b = null }`} {
		use(b, block("a", "tags = "+tags))
		b.Apply().Success(t).NoDiagnostics(t)
		b.PlanEmpty().NoDiagnostics(t)
	}
	if o := live(t, b); o.Tags["a"] != "1" {
		t.Errorf("tags: %v", o.Tags)
	}
}
