package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// A provider block that is not known yet does not fail a plan: a read keeps the
// state with one warning.
func TestAccReservation_unknownProvider(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	provider := ownerLater(b)
	b.Config(provider + later(b.Owner) + block("a") + block("b"))
	plan := b.Plan()
	if plan.ExitCode != 2 || !plan.Actions(addr).Create() {
		t.Fatalf("plan: %s", plan.Text())
	}
	wrote(t, b, 0)
	b.Apply().Success(t)
	state(t, b, map[string]any{"owner": b.Owner, "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)

	before := state(t, b, nil)
	b.Config(provider + later(b.Owner+"x") + block("a") + block("b"))
	plan = b.Plan()
	if plan.ExitCode != 2 || len(plan.Changes()) != 1 || !plan.Actions(addr).NoOp() {
		t.Fatalf("plan: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	if n := len(plan.Warnings()); n != 1 {
		t.Errorf("%d warnings, want 1: %s", n, plan.Text())
	}
	plan.Warned(t, "Reservations were not read")
	if after := state(t, b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state changed from %v to %v", before, after)
	}
	b.Apply().Success(t)
	// The owner on the object stays the one of its creation.
	b.PlanEmpty()
	state(t, b, map[string]any{"owner": b.Owner})
	held(t, b, 2)
}

func TestAccReservation_noOwner(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	ownerless := strings.Replace(b.Provider(), fmt.Sprintf("owner = %q", b.Owner), "", 1)
	b.Config(ownerless + block("a"))
	b.Plan().Failure(t, "No owner", "GPU_OWNER", "TFC_WORKSPACE_SLUG")
	wrote(t, b, 0)
	use(b, block("a"))
	b.Apply().Success(t)
	// What exists is read, changed and released with the owner that the state has.
	b.Config(ownerless + block("a", `tags = { a = "b" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	state(t, b, map[string]any{"owner": b.Owner, "tags.a": "b"})
	b.Destroy().Success(t).NoDiagnostics(t)
	held(t, b, 0)
}

// The environment of a built provider: the owner comes from it, and credentials
// are missed only by a cloud that is used.
func TestAccReservation_environment(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{Binary: true, Simulated: inMemory, Env: map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "GPU_OWNER": "from/the-environment",
	}})
	ownerless := strings.Replace(b.Provider(), fmt.Sprintf("owner = %q", b.Owner), "", 1)
	b.Config(ownerless)
	b.PlanEmpty().NoDiagnostics(t)
	b.Config(ownerless + block("a"))
	b.Plan().Failure(t, "AWS", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "aws.profile")
	none(t, b)
	if n := len(b.Calls(0, "")); n != 0 {
		t.Errorf("%d calls without credentials", n)
	}
	b.SetEnv("AWS_ACCESS_KEY_ID", "simulated")
	b.SetEnv("AWS_SECRET_ACCESS_KEY", "simulated")
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"owner": "from/the-environment", "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}

func TestAccReservation_otherClouds(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	for name, want := range map[string]string{
		"alibaba": "Cloud not supported yet",
		"tencent": "Cloud not supported yet", "nimbus": "Cloud not available",
	} {
		use(b, block("a", fmt.Sprintf("cloud = %q", name)))
		b.Plan().FailureAt(t, "cloud", want)
		b.Apply().Failure(t, want)
	}
	if n := len(b.Calls(0, "")); n != 0 {
		t.Errorf("%d calls for clouds that are not there", n)
	}
}

// An account that a configuration leaves null is not configured: it is never
// the provider's own credentials in another's place.
func TestAccReservation_nullAccount(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	provider := strings.Replace(b.Provider(), "aws   = {",
		"aws = {\n accounts = { own = {}, none = null, half = { assume_role = null } }\n", 1)
	for _, account := range []string{"own", "half"} {
		b.Config(provider + block("a", fmt.Sprintf("account = %q", account)))
		if plan := b.Plan(); plan.ExitCode != 2 || !plan.Actions(addr).Create() {
			t.Fatalf("account %s: %s", account, plan.Text())
		}
	}
	b.Config(provider + block("a", `account = "none"`))
	b.Plan().FailureAt(t, "account", "none", "aws.accounts")
	wrote(t, b, 0)
}

// A simulation that is not known yet may turn out to be none, so that an endpoint
// is no mistake yet.
func TestAccReservation_unknownSimulation(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	provider := b.Provider(`simulation = terraform_data.later.output == "on" ? {} : null`)
	b.Config(provider + later("off") + block("a"))
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Config(provider + later("on") + block("a"))
	b.Apply() // settles the value; whether the provider is needed after that differs
	b.Plan().Failure(t, "Endpoint in a simulation")
	held(t, b, 1)
}
