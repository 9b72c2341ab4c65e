package reservation_test

import (
	"fmt"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// kindRow is a kind as AWS makes it.
type kindRow struct {
	config func(label string, lines ...string) string
	// make and read are its calls.
	make, read string
	// later are the writes that complete what was left by a lost answer.
	later []string
}

func kindRows() map[string]kindRow {
	return map[string]kindRow{
		"on_demand":      {block, create, describe, []string{tag}},
		"scheduled":      {ahead, create, describe, []string{tag}},
		"block":          {prepaid, purchase, describe, []string{tag}},
		"dedicated_host": {dedicated, allocate, describeHosts, []string{tag}},
		"term":           {termed, allocate, describeHosts, []string{tag, commit}},
	}
}

// only is the one object of a simulated cloud that launches go to.
func only(t *testing.T, b *acctest.Bench) sim.ObjectRow {
	t.Helper()
	var found []sim.ObjectRow
	for _, o := range b.Objects() {
		if o.Type != "host-reservation" {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects, want 1: %+v", len(found), found)
	}
	return found[0]
}

// What holds for every kind: what a lost answer left is taken over and not made a
// second time, a foreign claim fences it off, "prevent" keeps it, and what is gone
// is planned anew.
func TestAccReservation_everyKind(t *testing.T) {
	t.Parallel()
	for name, kind := range kindRows() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			b.Do(b.World.AddFaults(
				sim.Fault{Cloud: "aws", Operation: kind.make, Drop: sim.DropAfter},
				sim.Fault{Cloud: "aws", Operation: kind.read, Empty: true},
			))
			use(b, kind.config("a", `on_destroy = "prevent"`))
			b.Apply().Failure(t, "No reservation of 1 ×", "may or may not have accepted", b.Owner, "res-a", "apply again")
			none(t, b)
			id := only(t, b).NativeID
			b.Do(b.World.ClearFaults())
			b.Do(b.World.Advance(minute)) // what AWS assesses or is paid for is decided
			since := b.Mark()
			b.Apply().Success(t).Warned(t, "Existing reservation adopted", id, b.Owner, "res-a", "made at")
			wrote(t, b, since, kind.later...)
			claim, _ := state(t, b, map[string]any{"native_id": id, "status": "held", "kind": name})["claim_id"].(string)
			b.PlanEmpty().NoDiagnostics(t)

			since = b.Mark()
			b.Destroy().Failure(t, "Destroy is prevented", id, "removed {")
			another := "another"
			b.Do(b.World.Patch(sim.ObjectPatch{NativeID: id, Tags: map[string]*string{"gpulock:claim": &another}}))
			plan := b.Plan()
			if plan.Warned(t, "Reservation was taken over", id, another, claim); len(plan.Changes()) > 0 {
				t.Errorf("planned: %s", plan.NotEmpty())
			}
			use(b, kind.config("a", `on_destroy = "prevent"`, `tags = { team = "ml" }`))
			b.Apply().Failure(t, "Reservation was taken over", "Nothing was changed")
			b.Destroy().Success(t).Warned(t, "Reservation was taken over", "only forgets it")
			wrote(t, b, since)
			none(t, b)
		})
	}
}

// An object that another kind's wish of the same name left is not taken for it, and
// one that vanished is planned anew with a warning.
func TestAccReservation_everyKindGone(t *testing.T) {
	t.Parallel()
	for name, kind := range kindRows() {
		if name == "on_demand" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			other := b.Make(cloud.Spec{
				Zone: acctest.AWSZone(), InstanceType: acctest.AWSType(), Count: 1, Match: cloud.Targeted,
			}, cloud.Mark{Owner: b.Owner, Name: "res-a", Type: "gpu_reservation"})
			since := b.Mark()
			use(b, kind.config("a"))
			b.Apply().Failure(t, "Name is taken by another reservation", other.Ref.NativeID, name, "on_demand")
			wrote(t, b, since)
			none(t, b)
			b.Do(b.World.Patch(sim.ObjectPatch{NativeID: other.Ref.NativeID, Gone: true}))
			b.Apply().Success(t)
			b.Do(b.World.Advance(minute))
			b.Refresh().Success(t)
			id, _ := state(t, b, map[string]any{"status": "held"})["native_id"].(string)
			b.Do(b.World.Patch(sim.ObjectPatch{NativeID: id, Gone: true}))
			planned(t, b, tfjson.ActionCreate).Warned(t, "Reservation is gone", id)
			since = b.Mark()
			b.Destroy().Success(t)
			wrote(t, b, since)
			none(t, b)
		})
	}
}

// ownerLater is the provider block of an owner that later names.
func ownerLater(b *acctest.Bench) string {
	return strings.Replace(b.Provider(), fmt.Sprintf("owner = %q", b.Owner), "owner = terraform_data.later.output", 1)
}

// A provider block that is not known at plan must not have apply do something else
// than was planned: what was bought stays, and what may need a new object gets one.
func TestAccReservation_unknownProviderKinds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before, after string
		want          tfjson.Actions
	}{
		"another offer": {
			prepaid("a"), prepaid("a", `offer_id = "cb-0123456789abcdef0"`), tfjson.Actions{tfjson.ActionUpdate},
		},
		"the offer moved": {
			prepaid("a", `window = { duration = "1d", start_at = "2031-03-03T00:00:00Z" }`),
			prepaid("a", `window = { duration = "1d", start_at = "2031-05-03T00:00:00Z" }`),
			tfjson.Actions{tfjson.ActionNoop},
		},
		"a longer block": {
			prepaid("a"), prepaid("a", `window = { duration = "2d" }`), tfjson.Actions{tfjson.ActionUpdate},
		},
		"a start that moved": {
			ahead("a", "allow_replacement = true"),
			ahead("a", "allow_replacement = true", `window = { start_at = "2031-05-11T09:00:00Z" }`),
			tfjson.Actions{tfjson.ActionDelete, tfjson.ActionCreate},
		},
		"a host elsewhere": {
			dedicated("a", "allow_replacement = true"), dedicated("a", "allow_replacement = true", `zone = "us-east-1b"`),
			tfjson.Actions{tfjson.ActionDelete, tfjson.ActionCreate},
		},
		"a term": {dedicated("a"), termed("a"), tfjson.Actions{tfjson.ActionUpdate}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := dated(t)
			provider := ownerLater(b)
			b.Config(provider + later(b.Owner) + tc.before)
			b.Apply().Success(t)
			b.Do(b.World.Advance(minute))
			b.Refresh().Success(t)
			b.Config(provider + later(b.Owner+"x") + tc.after)
			plan := b.Plan()
			if got := plan.Actions(addr); plan.ExitCode != 2 || len(got) != len(tc.want) || got[0] != tc.want[0] {
				t.Fatalf("planned %v, want %v\n%s", got, tc.want, plan.Text())
			}
			b.Apply().Success(t)
			if objects := b.Objects("active", "scheduled", "available", "assessing"); len(objects) == 0 {
				t.Error("nothing is held")
			}
			b.PlanEmpty()
		})
	}
}
