package reservation_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Another's claim on the object: a read keeps the state and plans nothing, an
// update is refused, a delete only forgets.
func TestAccReservation_foreignClaim(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	mine, _ := state(t, b, nil)["claim_id"].(string)
	patchTags(b, map[string]string{"gpulock:claim": "THEIRS", "gpulock:owner": "someone/else"})
	before := state(t, b, nil)
	plan := b.PlanEmpty()
	plan.Warned(t, "Reservation was taken over", mine, "THEIRS", "someone/else")

	use(b, block("a", "instance_count = 2"))
	planned(t, b, tfjson.ActionUpdate)
	since := b.Mark()
	b.Apply().Failure(t, "Reservation was taken over", mine, "THEIRS")
	wrote(t, b, since)
	if after := state(t, b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state changed from %v to %v", before, after)
	}
	b.Destroy().Success(t).Warned(t, "Reservation was taken over", "only forgets it")
	wrote(t, b, since)
	none(t, b)
	if o := live(t, b); o.Count != 1 || o.Tags["gpulock:claim"] != "THEIRS" {
		t.Errorf("object: %+v", o)
	}
}

// refusedEverywhere wants each operation to fail with the texts, without a write.
func (r realm) refusedEverywhere(t *testing.T) {
	t.Helper()
	before := state(t, r.b, nil)
	r.b.Plan().Failure(t, r.texts...)
	r.config("instance_count = 2")
	r.b.Apply("-refresh=false").Failure(t, r.texts...)
	r.b.Destroy("-refresh=false").Failure(t, r.texts...)
	r.b.Destroy().Failure(t, r.texts...)
	if after := state(t, r.b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state changed from %v to %v", before, after)
	}
}

// Absence in another account means nothing: each operation is an error.
func TestAccReservation_otherAccount(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	since := b.Mark()
	other := strings.Replace(b.Provider(), "aws   = {", `aws   = { assume_role = { role_arn = "arn:aws:iam::444455556666:role/x" },`, 1)
	config := func(lines ...string) { b.Config(other + block("a", lines...)) }
	config()
	realm{b, config, []string{"another account", "111122223333", "444455556666"}}.refusedEverywhere(t)
	wrote(t, b, since)
	held(t, b, 1)
	use(b, block("a"))
	b.PlanEmpty().NoDiagnostics(t)
}

// Simulated and real never mix, in either direction.
func TestAccReservation_otherWorld(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	since := b.Mark()
	simulation := fmt.Sprintf("provider \"gpu\" {\n  owner = %q\n  simulation = { state_path = %q }\n}\n", b.Owner, filepath.Join(t.TempDir(), "sim.json"))
	config := func(lines ...string) { b.Config(simulation + block("a", lines...)) }
	config()
	realm{b, config, []string{"another world", "in a real cloud", "in a simulated cloud"}}.refusedEverywhere(t)
	wrote(t, b, since)
	held(t, b, 1)

	forget(t, b)
	config()
	plan := b.Plan()
	plan.Warned(t, "Simulated clouds")
	values(t, "plan", plan.Change(addr).After, map[string]any{"simulated": true})
	b.Apply().Success(t)
	state(t, b, map[string]any{"simulated": true, "status": "held"})
	if why := b.Plan().NotEmpty(); why != "" {
		t.Error(why)
	}
	since = b.Mark()
	actual := func(lines ...string) { use(b, block("a", lines...)) }
	actual()
	realm{b, actual, []string{"another world", "in a simulated cloud", "in a real cloud"}}.refusedEverywhere(t)
	wrote(t, b, since)
	config()
	b.Destroy().Success(t)
	none(t, b)
}

func TestAccReservation_onDestroyPrevent(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `on_destroy = "prevent"`))
	b.Apply().Success(t)
	since := b.Mark()
	id := live(t, b).NativeID
	b.Plan("-destroy").Failure(t, "Destroy is prevented", id, "removed {", "destroy = false", `on_destroy = "release"`)
	b.Destroy().Failure(t, "Destroy is prevented")
	use(b) // the block is gone, the protection is not
	b.Plan().Failure(t, "Destroy is prevented", id)
	b.Apply().Failure(t, "Destroy is prevented", id)
	use(b, block("a", `on_destroy = "prevent"`))
	b.Apply("-replace="+addr).Failure(t, "Destroy is prevented", id)
	wrote(t, b, since)
	state(t, b, map[string]any{"native_id": id, "status": "held"})

	use(b, "removed {\n  from = "+addr+"\n  lifecycle {\n    destroy = false\n  }\n}\n")
	b.Apply().Success(t)
	none(t, b)
	held(t, b, 1)
}

// What has ended, or is gone, is destroyed without asking.
func TestAccReservation_onDestroyPreventEnded(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `on_destroy = "prevent"`, `window = { duration = "1d" }`))
	b.Apply().Success(t)
	b.Do(b.World.Advance(25 * hour))
	since := b.Mark()
	b.Destroy().Success(t).NoDiagnostics(t)
	wrote(t, b, since)
	none(t, b)
}

func TestAccReservation_onDestroyAbandon(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a", `on_destroy = "abandon"`))
	b.Apply().Success(t)
	since, id := b.Mark(), live(t, b).NativeID
	use(b)
	b.Apply().Success(t).Warned(t, "Reservation abandoned", id, "costing money")
	wrote(t, b, since)
	none(t, b)
	held(t, b, 1)
}

// In use: the delete waits for the users to go until its deadline, then lists them.
func TestAccReservation_inUse(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	lines := []string{"instance_count = 3", `timeouts = { delete = "1m" }`}
	use(b, block("a", lines...))
	b.Apply().Success(t)
	id := live(t, b).NativeID
	busy := func(users ...string) {
		b.Do(b.World.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{Users: users}}))
	}
	busy("i-0aaaaaaaaaaaaaaa1", "i-0aaaaaaaaaaaaaaa2")
	since, began := b.Mark(), b.Clock.Now()
	b.Destroy().Failure(t, "Reservation is in use", "by 2 instances", "i-0aaaaaaaaaaaaaaa1", "i-0aaaaaaaaaaaaaaa2", "on_release_in_use")
	if waited := b.Clock.Now().Sub(began); waited < 50*second || waited > 65*second {
		t.Errorf("it waited %s, want about a minute", waited)
	}
	wrote(t, b, since)
	state(t, b, map[string]any{"native_id": id})

	use(b, block("a", append(lines, "instance_count = 1")...))
	b.Apply().FailureAt(t, "instance_count = 1", "Reservation is in use", "2 of 3", "i-0aaaaaaaaaaaaaaa1")
	wrote(t, b, since)
	state(t, b, map[string]any{"instance_count": 3})

	use(b, block("a", append(lines, `match_criteria = "open"`)...))
	b.Apply().Failure(t, "Reservation not changed")
	state(t, b, map[string]any{"match_criteria": "targeted"})

	use(b, block("a", append(lines, `on_release_in_use = "release"`)...))
	b.Apply().Success(t).NoDiagnostics(t)
	began = b.Clock.Now()
	b.Destroy().Success(t).NoDiagnostics(t)
	if waited := b.Clock.Now().Sub(began); waited > 5*second {
		t.Errorf("it waited %s", waited)
	}
	none(t, b)
	held(t, b, 0)
}

// The delete goes through as soon as the last user has gone.
func TestAccReservation_usersGo(t *testing.T) {
	t.Parallel()
	b := simulated(t)
	use(b, block("a"))
	b.Apply().Success(t)
	id := live(t, b).NativeID
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{Users: []string{"i-0aaaaaaaaaaaaaaa1"}}}))
	leave := b.Clock.Now().Add(3 * minute)
	b.AtJump(leave, func() error { return b.World.Patch(sim.ObjectPatch{NativeID: id, InUse: &sim.Use{}}) })
	b.Destroy().Success(t).NoDiagnostics(t)
	if now := b.Clock.Now(); now.Before(leave) || now.After(leave.Add(15*second)) {
		t.Errorf("it ended at %s, the users left at %s", now, leave)
	}
	held(t, b, 0)
}

// realm is a bench whose provider looks at another world than the state's.
type realm struct {
	b      *acctest.Bench
	config func(lines ...string)
	texts  []string
}
