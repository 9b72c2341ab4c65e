package reservation_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// C06: what was deleted elsewhere is gone with a warning, and only that.
func TestAccReservation_C06_googleDeleted(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	use(b, gblock())
	b.Apply().Success(t)
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: gpath("res-a"), Gone: true}))
	planned(t, b, tfjson.ActionCreate).Warned(t, "Reservation is gone", gpath("res-a"))
	since := b.Mark()
	b.Destroy().Success(t)
	gwrote(t, b, since)
	none(t, b)
}

// C06 (b) and (c): not being allowed to look, and an empty list, are not absence.
func TestAccReservation_C06_googleUnseen(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	use(b, gblock())
	b.Apply().Success(t)
	before := state(t, b, nil)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "google", Operation: gList, Status: 403, Code: "forbidden", Message: "Required 'compute.reservations.list' permission",
	}))
	since := b.Mark()
	b.Plan().Failure(t, "Cannot read reservation", "forbidden", "HTTP 403")
	b.Destroy().Failure(t, "forbidden")
	gwrote(t, b, since)
	if after := state(t, b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state changed from %v to %v", before, after)
	}
	b.Do(b.World.ClearFaults())
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "google", Operation: gList, Empty: true, Times: 1}))
	b.PlanEmpty().NoDiagnostics(t)
}

// C07: a growth is refused without letting go, and done later; a shrinking below
// what is in use is not.
func TestAccReservation_C07_googleGrow(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	use(b, gblock("instance_count = 10"))
	b.Apply().Success(t).NoDiagnostics(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "google", Operation: gResize, Times: 1, OperationError: &sim.OperationError{
			Code: "ZONE_RESOURCE_POOL_EXHAUSTED", HTTPStatus: 503,
			Message: "The zone 'projects/p/zones/us-central1-a' does not have enough resources available to fulfill the request.",
		},
	}))
	use(b, gblock("instance_count = 12"))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	b.Apply().Failure(t, "ZONE_RESOURCE_POOL_EXHAUSTED", "It still holds 10 × g2-standard-4. Asked for were 12")
	state(t, b, map[string]any{"instance_count": 10, "status": "held"})
	if o := glive(t, b); o.Count != 10 {
		t.Errorf("the object has %d", o.Count)
	}
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since, gResize)
	state(t, b, map[string]any{"instance_count": 12})
	b.PlanEmpty().NoDiagnostics(t)

	busy := sim.Use{}
	for i := range 8 {
		busy.Users = append(busy.Users, fmt.Sprintf("vm-%d", i))
	}
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: gpath("res-a"), InUse: &busy}))
	use(b, gblock("instance_count = 6"))
	b.Apply().Failure(t, "Reservation is in use", "8 of 12")
	use(b, gblock("instance_count = 0"))
	b.Plan().FailureAt(t, "instance_count = 0", "at least 1")
	if n := len(b.Calls(0, gDelete)); n != 0 || glive(t, b).Count != 12 {
		t.Errorf("%d deletes, %d are left", n, glive(t, b).Count)
	}
}

// C09: the order of the API means nothing.
func TestAccReservation_C09_googleShuffle(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "google", Operation: sim.AnyOperation, Shuffle: true}))
	use(b, gblock(`share_with = ["proj-a1", "proj-b1", "proj-c1"]`))
	b.Apply().Success(t).NoDiagnostics(t)
	for range 20 {
		b.PlanEmpty().NoDiagnostics(t)
	}
}

// C12: what someone made with a time to delete after and shared by number is
// imported, and there is nothing to do.
func TestAccReservation_C12_googleImport(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	share := number(t, b, "proj-one")
	insert := fmt.Sprintf(`{"name": "by-hand", "specificReservationRequired": true, "deleteAfterDuration": {"seconds": "864000"},
		"specificReservation": {"count": "2", "instanceProperties": {"machineType": "g2-standard-4"}},
		"shareSettings": {"shareType": "SPECIFIC_PROJECTS", "projectMap": {%q: {"projectId": %q}}}}`, share, share)
	ask(t, b, http.MethodPost, "/compute/v1/"+strings.TrimSuffix(gpath(""), "/"), insert)
	b.Do(b.World.Advance(minute))
	config := func(window string) string {
		return gblock(`name = "by-hand"`, "instance_count = 2", `share_with = ["proj-one"]`, window)
	}
	end := glive(t, b).EndsAt
	for _, id := range []string{
		"google:" + gpath("by-hand"), gpath("by-hand"), "google:" + acctest.GoogleZone() + "/by-hand",
		"https://www.googleapis.com/compute/v1/" + gpath("by-hand"), acctest.GoogleProject() + "/" + acctest.GoogleZone() + "/by-hand",
		"google:projects/" + number(t, b, acctest.GoogleProject()) + "/zones/" + acctest.GoogleZone() + "/reservations/by-hand",
	} {
		use(b, config(fmt.Sprintf("window = { end_at = %q }", end.Format(time.RFC3339Nano))))
		since := b.Mark()
		b.Import(addr, id).Success(t)
		state(t, b, map[string]any{
			"name": "by-hand", "native_id": gpath("by-hand"), "instance_count": 2, "share_with": []any{"proj-one"}, "account": nil,
			"google": nil, "owner": nil, "claim_id": nil, "status": "held", "gpu_count": "2", "match_criteria": "targeted",
		})
		b.PlanEmpty().NoDiagnostics(t)
		gwrote(t, b, since)
		forget(t, b)
	}
	b.Import(addr, "google:us-central1-a/made-up").Failure(t, "Cannot import, not found", "reservations/made-up")
	b.Import(addr, "google:nonsense").Failure(t, "Cannot import", "forms are")
	// The length it was made with may be said; no call comes of it.
	b.Import(addr, gpath("by-hand")).Success(t)
	use(b, config(`window = { duration = "10d" }`))
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	gwrote(t, b, since)
	b.PlanEmpty().NoDiagnostics(t)
}

// C15: in place where Google can, refused where it cannot.
func TestAccReservation_C15_googleChanges(t *testing.T) {
	t.Parallel()
	b := onGoogle(t)
	usual := []string{`window = { end_at = "2041-05-10T09:00:00Z" }`}
	change := func(lines ...string) { use(b, gblock(append(slices.Clone(usual), lines...)...)) }
	change()
	b.Apply().Success(t).NoDiagnostics(t)
	id := glive(t, b).NativeID
	for line, operation := range map[string]string{
		"instance_count = 2": gResize, `window = { end_at = "2041-06-10T09:00:00Z" }`: gUpdate,
		`google = { vertex_sharing = "allow_all" }`: gUpdate,
	} {
		change(line)
		unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		gwrote(t, b, since, operation)
		b.PlanEmpty().NoDiagnostics(t)
		change()
		b.Apply().Success(t).NoDiagnostics(t)
	}
	since := b.Mark()
	for line, attribute := range map[string]string{
		`match_criteria = "open"`: "match_criteria", `zone = "us-central1-b"`: "zone", `instance_type = "g2-standard-8"`: "instance_type",
		`name = "other"`: "name", `account = "other-project"`: "account", `google = { project = "other-project" }`: "google.project",
		`google = { placement_policy = "close" }`: "google.placement_policy", `google = { min_cpu_platform = "Intel Ice Lake" }`: "google.min_cpu_platform",
	} {
		change(line)
		b.Plan().Failure(t, "Change would release a live reservation", attribute+" cannot be changed from", id)
	}
	change(`tags = { a = "b" }`)
	b.Plan().FailureAt(t, "tags", "Invalid tags", "carries no tags")
	gwrote(t, b, since)
	for _, line := range []string{`zone = "us-central1-b"`, `instance_type = "g2-standard-8"`} {
		change(line, "allow_replacement = true")
		planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate).Warned(t, "Live reservation will be replaced", "deletes", id)
	}
	// A new instance of the same name adopts what is there, and the old one leaves it.
	change("lifecycle {\n    create_before_destroy = true\n  }")
	since = b.Mark()
	b.Apply("-replace="+addr).Success(t).Warned(t, "Existing reservation adopted", id)
	gwrote(t, b, since)
	if left := glive(t, b); left.NativeID != id {
		t.Errorf("left is %s, it was %s", left.NativeID, id)
	}
	b.PlanEmpty()
}

// What someone changed elsewhere is shown and put back.
func TestAccReservation_googleDrift(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		line, path, body, query string
		shown                   map[string]any
		writes                  []string
	}{
		"count": {"", "/resize", `{"specificSkuCount": "1"}`, "", map[string]any{"instance_count": 1, "gpu_count": "1"}, []string{gResize}},
		"end": {
			"", "", `{"name": "res-a", "deleteAtTime": "2041-05-10T09:00:00Z"}`, "?paths=deleteAtTime",
			map[string]any{"window.end_at": "2041-05-10T09:00:00Z", "ends_at": "2041-05-10T09:00:00Z"},
			[]string{gUpdate},
		},
		"shared with one more": {
			`share_with = ["proj-one"]`, "", `{"name": "res-a", "shareSettings": {"shareType": "SPECIFIC_PROJECTS", "projectMap": {"proj-two": {"projectId": "proj-two"}}}}`,
			"?paths=shareSettings.projectMap.proj-two",
			map[string]any{"share_with": []any{"proj-one", "proj-two"}},
			[]string{gUpdate},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := onGoogle(t)
			use(b, gblock("instance_count = 2", tc.line))
			b.Apply().Success(t).NoDiagnostics(t)
			method := http.MethodPatch
			if tc.path != "" {
				method = http.MethodPost
			}
			ask(t, b, method, "/compute/v1/"+gpath("res-a")+tc.path+tc.query, tc.body)
			b.Do(b.World.Advance(minute))
			plan := planned(t, b, tfjson.ActionUpdate)
			values(t, "before", plan.Change(addr).Before, tc.shown)
			since := b.Mark()
			b.Apply().Success(t).NoDiagnostics(t)
			gwrote(t, b, since, tc.writes...)
			b.PlanEmpty().NoDiagnostics(t)
		})
	}
}
