package reservation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// What a consumer needs is known before anything is made.
func TestAccReservation_googleBasic(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "google", acctest.BenchOptions{})
	b.Spend("1")
	use(b, gblock())
	b.Validate().Success(t).NoDiagnostics(t)
	plan := planned(t, b, tfjson.ActionCreate)
	plan.NoDiagnostics(t)
	unknown(t, plan, gcreated()...)
	project, zone := acctest.GoogleProject(), acctest.GoogleZone()
	want := map[string]any{
		"cloud": "google", "region": zone[:strings.LastIndex(zone, "-")], "kind": "on_demand", "instance_count": 1, "match_criteria": "targeted",
		"gpu_model": "L4", "gpus_per_instance": "1", "gpu_count": "1", "owner": b.Owner, "claim_id": nil, "account_id": project,
		"simulated": false, "tags": nil, "tags_all": map[string]any{}, "ends_at": nil, "usable_until": nil, "paid_upfront": nil,
		"binding.cloud": "google", "binding.aws": nil, "binding.google.project": project, "binding.google.zone": zone,
		"binding.google.machine_type": acctest.GoogleType(), "binding.google.provisioning_model": nil,
		"binding.google.reservation_affinity.type":   "SPECIFIC_RESERVATION",
		"binding.google.reservation_affinity.key":    "compute.googleapis.com/reservation-name",
		"binding.google.reservation_affinity.values": []any{"res-a"},
	}
	values(t, "plan", plan.Change(addr).After, want)
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since, gInsert)
	held(t, b, 1)
	want["status"], want["native_id"], want["id"] = "held", gpath("res-a"), "google:"+gpath("res-a")
	state(t, b, want)
	since = b.Mark()
	b.PlanEmpty().NoDiagnostics(t)
	gwrote(t, b, since)
	b.Destroy().Success(t).NoDiagnostics(t)
	gwrote(t, b, since, gDelete)
	none(t, b)
	held(t, b, 0)
}

// The owner and the name stand in the description, for whoever looks.
func TestAccReservation_googleMark(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	use(b, gblock())
	b.Apply().Success(t).NoDiagnostics(t)
	got := ask(t, b, http.MethodGet, "/compute/v1/"+gpath("res-a"), "")["description"]
	if want := "gpulock/v1 type=gpu_reservation owner=" + b.Owner + " name=res-a"; got != want {
		t.Errorf("description %q, want %q", got, want)
	}
}

func TestAccReservation_googleFull(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	config := func(more ...string) string {
		return gblock(append([]string{
			`instance_type = "n1-standard-8"`, "instance_count = 3", `match_criteria = "open"`, `share_with = ["proj-one", "proj-two"]`,
			`window = { end_at = "2041-05-10T11:00:00+02:00" }`, `on_release_in_use = "release"`,
			`google = { project = "other-project", accelerator_type = "nvidia-tesla-t4", accelerator_count = 2, min_cpu_platform = "Intel Skylake", ` +
				`local_ssd_count = 1, local_ssd_interface = "nvme", vertex_sharing = "allow_all" }`,
		}, more...)...)
	}
	use(b, config())
	plan := planned(t, b, tfjson.ActionCreate)
	unknown(t, plan, gcreated()...)
	values(t, "plan", plan.Change(addr).After, map[string]any{
		"account": nil, "account_id": "other-project", "gpu_model": "T4", "gpus_per_instance": "2", "gpu_count": "6",
		"estimated_usd_per_hour": nil, "ends_at": "2041-05-10T09:00:00Z", "binding.google.project": "other-project",
		"binding.google.reservation_affinity": map[string]any{"type": "ANY_RESERVATION", "key": nil, "values": []any{}},
	})
	b.Apply().Success(t).NoDiagnostics(t)
	o := glive(t, b)
	if o.Count != 3 || !strings.HasPrefix(o.NativeID, "projects/other-project/") || o.EndsAt.Format("2006-01-02T15:04:05Z") != "2041-05-10T09:00:00Z" {
		t.Errorf("object: %+v", o)
	}
	if got := sharedBy(t, b, o.NativeID); !slices.Equal(got, numbers(t, b, "proj-one", "proj-two")) {
		t.Errorf("shared with %v", got)
	}
	b.PlanEmpty().NoDiagnostics(t)

	// Where the account is said is no matter, and Vertex AI comes and goes in place.
	use(b, strings.NewReplacer(`project = "other-project", `, "", `"allow_all"`, `"disallow_all"`).Replace(config(`account = "other-project"`)))
	plan = planned(t, b, tfjson.ActionUpdate)
	unknown(t, plan, "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since, gUpdate)
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t).NoDiagnostics(t)
	if left := b.Objects("READY"); len(left) > 0 {
		t.Errorf("left behind: %+v", left)
	}
}

// default_tags are for what carries tags.
func TestAccReservation_googleDefaultTags(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	b.Config(b.Provider(`  default_tags = { team = "ml" }`) + gblock())
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"tags": nil, "tags_all": map[string]any{}, "status": "held"})
	b.PlanEmpty().NoDiagnostics(t)
}

// A length counts from the create, and its end is all that Google keeps of it.
func TestAccReservation_googleDuration(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	began := b.Clock.Now()
	use(b, gblock(`window = { duration = "1d12h" }`))
	unknown(t, planned(t, b, tfjson.ActionCreate), gcreated("ends_at", "usable_until")...)
	b.Apply().Success(t).NoDiagnostics(t)
	if d := glive(t, b).EndsAt.Sub(began); d < 36*hour-minute || d > 36*hour+minute {
		t.Errorf("the end is %s after the start, want 36h", d)
	}
	b.Do(b.World.Advance(hour))
	b.PlanEmpty().NoDiagnostics(t)
	use(b, gblock())
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since, gUpdate)
	if o := glive(t, b); !o.EndsAt.IsZero() {
		t.Errorf("it still ends at %s", o.EndsAt)
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// Projects to share with are ids or numbers, and a number is the project it is of.
func TestAccReservation_googleShared(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	one := number(t, b, "proj-one")
	use(b, gblock(fmt.Sprintf(`share_with = [%q, "proj-two"]`, one)))
	b.Apply().Success(t).NoDiagnostics(t)
	b.PlanEmpty().NoDiagnostics(t)
	state(t, b, map[string]any{"share_with": []any{one, "proj-two"}})
	use(b, gblock(`share_with = ["proj-one", "proj-two"]`))
	b.PlanEmpty().NoDiagnostics(t)

	use(b, gblock(`share_with = ["proj-three", "proj-two"]`))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since, gUpdate, gUpdate)
	if got := sharedBy(t, b, gpath("res-a")); !slices.Equal(got, numbers(t, b, "proj-two", "proj-three")) {
		t.Errorf("shared with %v", got)
	}
	b.PlanEmpty().NoDiagnostics(t)
	// Sharing does not end in place.
	use(b, gblock())
	b.Plan().Failure(t, "Change would release a live reservation", "share_with cannot be changed")
	state(t, b, map[string]any{"share_with": []any{"proj-three", "proj-two"}})

	own := number(t, b, acctest.GoogleProject())
	use(b, gblock(fmt.Sprintf("share_with = [%q]", own)))
	b.Plan().Failure(t, "Shared with itself", own)
	use(b, gblock(`share_with = ["123456789012"]`))
	b.Plan().Warned(t, "Account not known", "123456789012")
}

// What the credentials may not look up is neither guessed nor taken for drift.
func TestAccReservation_googleUntold(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	use(b, gblock(`share_with = ["proj-one", "proj-two"]`))
	b.Apply().Success(t).NoDiagnostics(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "google", Operation: "cloudresourcemanager.projects.get", Status: 403, Code: "PERMISSION_DENIED",
		Message: "The caller does not have permission",
	}))
	b.PlanEmpty().Warned(t, "Shared with accounts that cannot be told", number2(t, b))
	state(t, b, map[string]any{"share_with": []any{"proj-one", "proj-two"}})
}

// number2 is one of the numbers that Google shows.
func number2(t *testing.T, b *acctest.Bench) string {
	t.Helper()
	return sharedBy(t, b, gpath("res-a"))[0]
}

// Two hundred reservations are read by the page, whoever asks for how many.
func TestAccReservation_googlePages(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "google", acctest.BenchOptions{Binary: true, Simulated: inMemory, NoLog: true})
	b.Do(b.World.SetRate(sim.Rate{Cloud: "google", PerSecond: 100_000, Burst: 100_000}))
	limit := 1000.0
	b.Do(b.World.SetQuota(sim.Quota{Cloud: "google", Region: "us-central1", Quota: "NVIDIA_L4_GPUS", Limit: &limit}))
	use(b, gblock("count = 200", `name = "res-${count.index}"`))
	b.Apply("-parallelism=50").Success(t).NoDiagnostics(t)
	b.Do(b.World.SetPaging(sim.Paging{Cloud: "google", Max: 100}))
	since := b.Mark()
	b.PlanEmpty("-parallelism=50").NoDiagnostics(t)
	calls := b.Calls(since, "")
	counted := map[string]int{}
	for _, c := range calls {
		counted[c.Operation]++
	}
	const pages = 2
	if counted[gList] < pages || len(calls) > pages+6 {
		t.Errorf("a plan of 200 cost %d calls: %v", len(calls), counted)
	}
}

// Credentials are missed only by what needs them, with the way to get some.
func TestAccReservation_googleNoCredentials(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "google", acctest.BenchOptions{Binary: true, Simulated: inMemory})
	endpoint := fmt.Sprintf(", endpoint = %q", b.URL("google"))
	for name, more := range map[string]string{"own": "", "another's": `, impersonate_service_account = "ci@ml-prod.iam.gserviceaccount.com"`} {
		there := strings.Replace(b.Provider(), endpoint, more, 1)
		if strings.Contains(there, "endpoint") {
			t.Fatalf("%s: the endpoint is still there: %s", name, there)
		}
		b.Config(there)
		b.PlanEmpty().NoDiagnostics(t)
		b.Config(there + gblock())
		b.Apply().Failure(t, "gcloud auth application-default login", "GOOGLE_APPLICATION_CREDENTIALS")
		none(t, b)
	}
	if n := len(b.Calls(0, "")); n != 0 {
		t.Errorf("%d calls without credentials", n)
	}
}
