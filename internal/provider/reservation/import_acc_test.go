package reservation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// forms are the ways to name a reservation on AWS.
func forms(arn string) map[string]string {
	short := arn[strings.LastIndex(arn, "/")+1:]
	return map[string]string{
		"cloud and ARN": "aws:" + arn, "ARN": arn, "cloud, region and short id": "aws:us-east-1/" + short,
		"region and short id": "us-east-1/" + short, "short id": short, "cloud and short id": "aws:" + short,
	}
}

// forget takes the resource out of the state and leaves the object.
func forget(t *testing.T, b *acctest.Bench) {
	t.Helper()
	b.Run("state", "rm", addr).Success(t)
}

func TestAccReservation_import(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{})
	b.Spend("1.20")
	use(b, block("a", "instance_count = 2", `match_criteria = "open"`, `tags = { team = "ml" }`,
		`window = { end_at = "2041-05-10T09:00:00Z" }`))
	b.Apply().Success(t).NoDiagnostics(t)
	want := state(t, b, nil)
	arn, _ := want["native_id"].(string)
	for name, id := range forms(arn) {
		forget(t, b)
		since := b.Mark()
		b.Import(addr, id).Success(t)
		wrote(t, b, since)
		for path, value := range want {
			if got := at(b.Resource(addr).AttributeValues, path); fmt.Sprint(got) != fmt.Sprint(value) {
				t.Errorf("%s: %s = %v, want %v", name, path, got, value)
			}
		}
	}
	b.PlanEmpty().NoDiagnostics(t)
	forget(t, b)
	for _, id := range []string{arn[:len(arn)-17] + "0123456789abcdef0", "aws:us-east-1/cr-0123456789abcdef0"} {
		b.Import(addr, id).Failure(t, "Cannot import, not found", "cr-0123456789abcdef0")
	}
	for _, id := range []string{"aws:", "arn:aws:ec2:us-east-1:1:instance/i-1", "nonsense"} {
		b.Import(addr, id).Failure(t, "Cannot import")
	}
	b.Import(addr, "alibaba:x").Failure(t, "Cloud not supported yet", "Alibaba Cloud")
	none(t, b)
	b.Import(addr, arn).Success(t)
	b.Destroy().Success(t)
	held(t, b, 0)
}

func TestAccReservation_importBlock(t *testing.T) {
	t.Parallel()
	b := acctest.NewBench(t, "aws", acctest.BenchOptions{})
	b.Spend("0.60")
	use(b, block("a"))
	b.Apply().Success(t)
	arn, _ := state(t, b, nil)["native_id"].(string)
	blocks := []string{fmt.Sprintf("id = %q", "aws:"+arn)}
	if b.Name() == "tofu" { // terraform has identities in import blocks from 1.12 on
		blocks = append(blocks, fmt.Sprintf("identity = { cloud = \"aws\", native_id = %q }", arn))
	}
	for _, by := range blocks {
		forget(t, b)
		use(b, block("a"), "import {\n  to = "+addr+"\n  "+by+"\n}\n")
		plan := b.Plan()
		change := plan.Change(addr)
		if plan.ExitCode == 1 || change == nil || !change.Actions.NoOp() || change.Importing == nil {
			t.Fatalf("%s: not a plain import: %s\n%s", by, plan.NotEmpty(), plan.Text())
		}
		since := b.Mark()
		b.Apply().Success(t)
		wrote(t, b, since)
		state(t, b, map[string]any{"native_id": arn, "name": "res-a", "owner": b.Owner, "status": "held"})
		b.PlanEmpty()
	}
	use(b, block("a"))
	b.Destroy().Success(t)
	held(t, b, 0)
}

// unmarked makes a reservation as someone without this provider would.
func unmarked(b *acctest.Bench, tags map[string]string) cloud.Reservation {
	return b.Make(cloud.Spec{
		Zone: acctest.AWSZone(), InstanceType: acctest.AWSType(), Count: 1, Match: cloud.Open, Tags: tags,
		Native: map[string]string{"platform": "Windows"},
	}, cloud.Mark{})
}

// An object without mark gets one with the next real update, not before; its name
// is its Name tag if that can be one, else its short id.
func TestAccReservation_importUnmarked(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	r := unmarked(b, map[string]string{"Name": "by-hand", "team": "ml"})
	lines := []string{`name = "by-hand"`, `match_criteria = "open"`, `aws = { platform = "Windows" }`}
	use(b, block("a", append(lines, `tags = { Name = "by-hand", team = "ml" }`)...))
	b.Import(addr, "aws:"+r.Ref.NativeID).Success(t)
	state(t, b, map[string]any{
		"name": "by-hand", "claim_id": nil, "owner": nil, "aws.platform": "Windows", "aws.tenancy": nil, "status": "held",
		"estimated_usd_per_hour": nil, "gpu_count": "1",
	})
	b.PlanEmpty().NoDiagnostics(t)

	use(b, block("a", append(lines, `tags = { Name = "by-hand", team = "x" }`)...))
	plan := planned(t, b, tfjson.ActionUpdate)
	unknown(t, plan, "status", "claim_id")
	values(t, "plan", plan.Change(addr).After, map[string]any{"owner": b.Owner})
	b.Apply().Success(t).NoDiagnostics(t)
	got := state(t, b, map[string]any{"owner": b.Owner})
	if o := live(t, b); o.Tags["gpulock:owner"] != b.Owner || o.Tags["gpulock:claim"] != got["claim_id"] || o.Tags["gpulock:name"] != "by-hand" {
		t.Errorf("mark of the object: %v, claim in state: %v", o.Tags, got["claim_id"])
	}
	b.PlanEmpty().NoDiagnostics(t)
	b.Destroy().Success(t)
	held(t, b, 0)
}

func TestAccReservation_importNameless(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	r := unmarked(b, map[string]string{"Name": "Not a name"})
	short := r.Ref.NativeID[strings.LastIndex(r.Ref.NativeID, "/")+1:]
	use(b, block("a", fmt.Sprintf("name = %q", short), `match_criteria = "open"`, `aws = { platform = "Windows" }`, `tags = { Name = "Not a name" }`))
	b.Import(addr, short).Success(t)
	state(t, b, map[string]any{"name": short})
	b.PlanEmpty().NoDiagnostics(t)
	// Without a mark nothing says that it is another's: destroy releases it.
	b.Destroy().Success(t)
	if objects := b.Objects("active"); len(objects) != 0 {
		t.Errorf("still there: %+v", objects)
	}
}

func TestAccReservation_C12a_import(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	r := unmarked(b, nil)
	short := r.Ref.NativeID[strings.LastIndex(r.Ref.NativeID, "/")+1:]
	lines := []string{fmt.Sprintf("name = %q", short), `match_criteria = "open"`, `aws = { platform = "Windows" }`}
	use(b, block("a", lines...))
	for _, id := range forms(r.Ref.NativeID) {
		b.Import(addr, id).Success(t)
		b.PlanEmpty().NoDiagnostics(t)
		forget(t, b)
	}
	b.Import(addr, "aws:us-east-1/cr-00000000000000000").Failure(t, "Cannot import, not found", "cr-00000000000000000")
	none(t, b)
	if objects := b.Objects("active"); len(objects) != 1 {
		t.Errorf("objects: %+v", objects)
	}
}

// A capacity block that was bought elsewhere is taken over as it is: nothing is
// bought, and what was paid for it is not known.
func TestAccReservation_C12a_importBlock(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	now := b.Clock.Now()
	text, err := json.Marshal(map[string]any{"objects": []map[string]any{{
		"cloud": "aws", "type": "capacity-reservation", "native_id": "cr-0123456789abcdef0", "region": "us-east-1", "zone": "us-east-1b",
		"instance_type": "p5.48xlarge", "count": 2, "status": "active", "starts_at": now.Add(-time.Hour), "ends_at": now.Add(23 * time.Hour),
		"tags": map[string]string{"Name": "bought", "aws:ec2capacityreservation:capacityReservationType": "capacity-block"},
	}}})
	if err == nil {
		err = b.World.Load(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	use(b, block("a", `name = "bought"`, "zone =", `region = "us-east-1"`, `instance_type = "p5.48xlarge"`, "instance_count = 2",
		`kind = "block"`, `window = { duration = "24h" }`, `tags = { Name = "bought" }`))
	b.Import(addr, "aws:us-east-1/cr-0123456789abcdef0").Success(t)
	state(t, b, map[string]any{"kind": "block", "zone": "us-east-1b", "status": "held", "paid_upfront": nil, "window.duration": "1d"})
	b.Apply().Success(t)
	b.PlanEmpty()
	for _, c := range b.Calls(0, "") {
		if strings.HasPrefix(c.Operation, "Purchase") {
			t.Errorf("bought: %+v", c)
		}
	}
	b.Destroy().Failure(t, "Cannot be released free", now.Add(23*time.Hour).UTC().Format(time.RFC3339))
}

// C12a: a capacity block, with and without the tags of this provider. What was
// paid is known from them only; the search for its offer is written down in place.
func TestAccReservation_C12a_importCapacityBlock(t *testing.T) {
	t.Parallel()
	for name, marked := range map[string]bool{"marked": true, "bare": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			spec := prepaidSpec()
			spec.OfferID, spec.Native = b.Offers(spec)[0].ID, map[string]string{"platform": "Linux/UNIX"}
			id := b.Make(spec, cloud.Mark{Owner: b.Owner, Name: "res-a", Type: "gpu_reservation"}).Ref.NativeID
			b.Do(b.World.Advance(minute))
			want, called := map[string]any{"name": "res-a", "owner": b.Owner, "paid_upfront": 297, "currency": "USD"}, "res-a"
			if !marked {
				bare := map[string]*string{}
				for key := range b.Objects()[0].Tags {
					if strings.HasPrefix(key, "gpulock:") { // AWS's own stay
						bare[key] = nil
					}
				}
				b.Do(b.World.Patch(sim.ObjectPatch{NativeID: id, Tags: bare}))
				called = id[strings.LastIndex(id, "/")+1:]
				want = map[string]any{"name": called, "owner": nil, "paid_upfront": nil, "currency": nil}
			}
			use(b, prepaid("a", fmt.Sprintf("name = %q", called)))
			since := b.Mark()
			for _, form := range []string{id, "aws:us-east-1/" + id[strings.LastIndex(id, "/")+1:]} {
				b.Import(addr, form).Success(t)
				state(t, b, want)
				state(t, b, map[string]any{"kind": "block", "status": "held", "gpu_count": "8", "binding.aws.market_type": "capacity-block", "window.duration": "1d"})
				unknown(t, planned(t, b, tfjson.ActionUpdate))
				b.Apply().Success(t).NoDiagnostics(t)
				b.PlanEmpty().NoDiagnostics(t)
				b.Plan("-destroy").Failure(t, "Cannot be released free")
				forget(t, b)
			}
			wrote(t, b, since)
		})
	}
}

// C12a: the configuration that Terraform writes for an imported block is valid and
// plans nothing; the length in it is the one that the block has by now.
func TestAccReservation_C12a_importGenerated(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, prepaid("a"))
	b.Apply().Success(t)
	b.Do(b.World.Advance(minute))
	use(b, prepaid("a", `window = { duration = "3d" }`))
	b.Apply().Success(t)
	id, _ := state(t, b, nil)["native_id"].(string)
	forget(t, b)
	since := b.Mark()
	use(b, fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", addr, id))
	if plan := b.Plan("-generate-config-out=generated.tf"); plan.ExitCode == 1 || !plan.Actions(addr).NoOp() {
		t.Fatalf("not a plain import: %s\n%s", plan.NotEmpty(), plan.Text())
	}
	b.Apply().Success(t)
	state(t, b, map[string]any{"native_id": id, "window.duration": "3d"})
	b.PlanEmpty().NoDiagnostics(t)
	wrote(t, b, since)
}

// C12a: a dedicated host, and one with a term.
func TestAccReservation_C12a_importHost(t *testing.T) {
	t.Parallel()
	b := dated(t)
	use(b, termed("a", `aws = { host_recovery = "on" }`))
	b.Apply().Success(t)
	want := state(t, b, nil)
	id := theHost(t, b).NativeID
	since := b.Mark()
	for _, form := range []string{id, "aws:us-east-1/" + id[strings.LastIndex(id, "/")+1:]} {
		forget(t, b)
		b.Import(addr, form).Success(t)
		got := state(t, b, nil)
		for _, name := range []string{"name", "kind", "term", "aws", "paid_upfront", "claim_id", "owner", "status", "binding"} {
			if fmt.Sprint(got[name]) != fmt.Sprint(want[name]) {
				t.Errorf("%s: %s = %v, want %v", form, name, got[name], want[name])
			}
		}
		b.PlanEmpty().NoDiagnostics(t)
	}
	forget(t, b)
	b.Import(addr, "aws:us-east-1/h-0123456789abcdef0").Failure(t, "Cannot import, not found", "h-0123456789abcdef0")
	wrote(t, b, since)
	none(t, b)
}
