package reservation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// C06: what was deleted elsewhere is gone with a warning, and only that; what is
// left of its group does not stand in the way.
func TestAccReservation_C06_azureDeleted(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock())
	b.Apply().Success(t)
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), Gone: true}))
	planned(t, b, tfjson.ActionCreate).Warned(t, "Reservation is gone", apath())
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), Gone: true}))
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: strings.ToLower(agroup("res-a")), Gone: true}))
	since := b.Mark()
	b.Destroy().Success(t)
	awrote(t, b, since)
	none(t, b)
}

// C06 (b) and (c): not being allowed to look, and an empty list, are not absence.
func TestAccReservation_C06_azureUnseen(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock())
	b.Apply().Success(t)
	before := state(t, b, nil)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "azure", Operation: sim.AnyOperation, Status: 403, Code: "AuthorizationFailed", Message: "The client does not have authorization.",
	}))
	since := b.Mark()
	b.Plan().Failure(t, "Cannot read reservation", "HTTP 403")
	b.Destroy().Failure(t, "HTTP 403")
	awrote(t, b, since)
	if after := state(t, b, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the state changed from %v to %v", before, after)
	}
	b.Do(b.World.ClearFaults())
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "azure", Operation: aIndex, Empty: true, Times: 1}))
	b.PlanEmpty().NoDiagnostics(t)
}

// C07: a refused growth is set back in the same apply, and done later; a shrinking
// below what is in use is not, though Azure would.
func TestAccReservation_C07_azureGrow(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock("instance_count = 10"))
	b.Apply().Success(t).NoDiagnostics(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "azure", Operation: aPatch, Times: 1, OperationError: &sim.OperationError{
			Code: "AllocationFailed", Message: "Allocation failed. We do not have sufficient capacity for the requested VM size in this region.",
		},
	}))
	use(b, ablock("instance_count = 12"))
	unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
	since := b.Mark()
	b.Apply().Failure(t, "AllocationFailed", "It still holds 10 × "+acctest.AzureType()+". Asked for were 12")
	awrote(t, b, since, aPatch, aPatch)
	state(t, b, map[string]any{"instance_count": 10, "status": "held"})
	if o := amember(t, b); o.Count != 10 || o.Status != "Succeeded" {
		t.Errorf("the object: %+v", o)
	}
	b.Apply().Success(t).NoDiagnostics(t)
	state(t, b, map[string]any{"instance_count": 12})
	b.PlanEmpty().NoDiagnostics(t)

	busy := sim.Use{}
	for i := range 8 {
		busy.Users = append(busy.Users, amachine(i))
	}
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), InUse: &busy}))
	use(b, ablock("instance_count = 6"))
	b.Apply().Failure(t, "Reservation is in use", "8 of 12")
	if amember(t, b).Count != 12 || len(b.Calls(0, aDelete)) != 0 {
		t.Errorf("the object: %+v", amember(t, b))
	}
}

// What a refused growth left unusable is told by a refresh, and the next apply
// writes its count again.
func TestAccReservation_C07_azureUnsettled(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock("instance_count = 2"))
	b.Apply().Success(t).NoDiagnostics(t)
	four, failed := 4, "Failed"
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), Count: &four, Status: &failed}))
	plan := planned(t, b, tfjson.ActionUpdate)
	plan.Warned(t, "Reservation cannot be used", apath())
	unknown(t, plan, "status")
	since := b.Mark()
	b.Apply().Success(t)
	awrote(t, b, since, aPatch)
	state(t, b, map[string]any{"instance_count": 2, "status": "held"})
	if o := amember(t, b); o.Count != 2 || o.Status != "Succeeded" {
		t.Errorf("the object: %+v", o)
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// C09a: the order of the API means nothing, and what Azure tags stays.
func TestAccReservation_C09_azureShuffle(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	b.Do(b.World.AddFaults(sim.Fault{Cloud: "azure", Operation: sim.AnyOperation, Shuffle: true}))
	const five = `tags = { a = "1", b = "2", c = "3", d = "4", e = "5" }`
	use(b, ablock(five))
	b.Apply().Success(t).NoDiagnostics(t)
	system := "azure-cloud-shell"
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), Tags: map[string]*string{"ms-resource-usage": &system}}))
	for range 20 {
		b.PlanEmpty().NoDiagnostics(t)
	}
	use(b, ablock(`tags = { a = "1", b = "two" }`))
	since := b.Mark()
	b.Apply().Success(t).NoDiagnostics(t)
	awrote(t, b, since, aPatch)
	tags(t, amember(t, b), map[string]string{"a": "1", "b": "two", "ms-resource-usage": system})
	b.PlanEmpty().NoDiagnostics(t)
}

// amachine is the id of a virtual machine.
func amachine(i int) string {
	return fmt.Sprintf("/subscriptions/00000000-0000-0000-0000-0000000000ac/resourceGroups/gpu/providers/Microsoft.Compute/virtualMachines/vm-%d", i)
}

// C14: a group that still shows its last reservation is deleted a little later.
func TestAccReservation_C14_azureLateList(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock())
	b.Apply().Success(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "azure", Operation: aGroupDel, Status: 409, Code: "CannotDeleteResource", Times: 2,
		Message: "Cannot delete resource while nested resources exist. Some existing nested resource IDs include: 'x'. Please delete all nested resources before deleting this resource.",
	}))
	b.Destroy().Success(t)
	none(t, b)
	clean(t, b)
	if n := len(b.Calls(0, aGroupDel)); n < 3 {
		t.Errorf("%d deletes of the group, want 3 or more", n)
	}
}

// C14: a real refusal is one at once, and what is left stays in the state until a
// destroy removes it.
func TestAccReservation_C14_azureForbidden(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock())
	b.Apply().Success(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "azure", Operation: aGroupDel, Status: 403, Code: "AuthorizationFailed", Times: 1, Message: "The client does not have authorization to delete.",
	}))
	began := b.Clock.Now()
	b.Destroy().Failure(t, aGroupDel, "HTTP 403")
	if d := b.Clock.Now().Sub(began); d > 30*time.Second || len(b.Calls(0, aGroupDel)) != 1 {
		t.Errorf("it took %s and %d deletes", d, len(b.Calls(0, aGroupDel)))
	}
	if len(amembers(b)) != 0 || len(agroups(b)) != 1 {
		t.Errorf("left: %+v %+v", amembers(b), agroups(b))
	}
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate).Warned(t, "given up only in part", apath())
	b.Destroy().Success(t)
	none(t, b)
	clean(t, b)
}

// What a release left is replaced by an apply that wants it still.
func TestAccReservation_C14_azureReplaced(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock())
	b.Apply().Success(t)
	b.Do(b.World.AddFaults(sim.Fault{
		Cloud: "azure", Operation: aGroupDel, Status: 403, Code: "AuthorizationFailed", Times: 1, Message: "The client does not have authorization to delete.",
	}))
	b.Destroy().Failure(t, "HTTP 403")
	b.Apply().Success(t)
	state(t, b, map[string]any{"status": "held"})
	if len(amembers(b)) != 1 || len(agroups(b)) != 1 {
		t.Errorf("there are %+v %+v", amembers(b), agroups(b))
	}
	for key := range agroups(b)[0].Tags {
		if strings.Contains(key, "releasing") {
			t.Errorf("the new group is being released: %v", agroups(b)[0].Tags)
		}
	}
	b.PlanEmpty().NoDiagnostics(t)
}

// C14: machines that are associated, stopped ones too, hold a destroy up until its
// time is over, and are named.
func TestAccReservation_C14_azureInUse(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock("instance_count = 3", `timeouts = { delete = "10m" }`))
	b.Apply().Success(t)
	one, two := amachine(1), amachine(2)
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), InUse: &sim.Use{Users: []string{one, two + "#deallocated"}}}))
	began := b.Clock.Now()
	b.Destroy().Failure(t, one, two)
	if d := b.Clock.Now().Sub(began); d < 9*minute || d > 11*minute {
		t.Errorf("it took %s", d)
	}
	state(t, b, map[string]any{"status": "held", "instance_count": 3})
	for key := range agroups(b)[0].Tags {
		if key == cloud.TagPrefix+"releasing" && len(amembers(b)) == 0 {
			t.Errorf("the group is left: %+v", agroups(b))
		}
	}
	b.PlanEmpty().NoDiagnostics(t)
	b.Do(b.World.Patch(sim.ObjectPatch{NativeID: apath(), InUse: &sim.Use{}}))
	b.Destroy().Success(t)
	clean(t, b)
}

// C15: in place where Azure can, refused where it cannot.
func TestAccReservation_C15_azureInPlace(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock(`zone = "1"`))
	b.Apply().Success(t)
	for _, lines := range [][]string{{"instance_count = 2"}, {"instance_count = 2", `tags = { a = "b" }`}} {
		use(b, ablock(append(lines, `zone = "1"`)...))
		unknown(t, planned(t, b, tfjson.ActionUpdate), "status")
		since := b.Mark()
		b.Apply().Success(t).NoDiagnostics(t)
		awrote(t, b, since, aPatch)
		b.PlanEmpty().NoDiagnostics(t)
	}
	kept := []string{"instance_count = 2", `tags = { a = "b" }`, `zone = "1"`}
	since := b.Mark()
	for attribute, line := range map[string]string{
		"zone": `zone = "2"`, "region": `region = "westus3"`, "instance_type": `instance_type = "Standard_NC8as_T4_v3"`, "match_criteria": `match_criteria = "open"`,
		"name": `name = "other"`, "azure.group_id": fmt.Sprintf("azure = { group_id = %q }", agroup("team")),
	} {
		use(b, ablock(append(kept, line)...))
		b.Plan().Failure(t, "Change would release a live reservation", attribute+" cannot be changed", apath())
	}
	use(b, ablock(append(kept, `window = { end_at = "2041-01-01T00:00:00Z" }`)...))
	b.Plan().Failure(t, "window.end_at", "have no end")
	awrote(t, b, since)
	use(b, ablock(append(kept, `zone = "2"`, `instance_type = "Standard_NC8as_T4_v3"`, "allow_replacement = true")...))
	planned(t, b, tfjson.ActionDelete, tfjson.ActionCreate).Warned(t, "Live reservation will be replaced", "Terraform deletes")
	b.Apply().Success(t)
	b.PlanEmpty().NoDiagnostics(t)
	if o := amember(t, b); o.Zone != "2" || o.InstanceType != "Standard_NC8as_T4_v3" {
		t.Errorf("the object: %+v", o)
	}
}

// C15: -replace with create_before_destroy and the same name adopts what is live.
func TestAccReservation_C15_azureAdopts(t *testing.T) {
	t.Parallel()
	b := onAzure(t)
	use(b, ablock("lifecycle {\n    create_before_destroy = true\n  }"))
	b.Apply().Success(t)
	before := state(t, b, nil)["claim_id"]
	since := b.Mark()
	b.Apply("-replace="+addr).Success(t).Warned(t, apath())
	awrote(t, b, since, aPatch)
	if after := state(t, b, map[string]any{"status": "held"})["claim_id"]; after == before {
		t.Errorf("the claim is still %v", after)
	}
	amember(t, b)
	b.PlanEmpty().NoDiagnostics(t)
}
