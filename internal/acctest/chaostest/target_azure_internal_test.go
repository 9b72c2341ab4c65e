package chaostest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	armGroups  = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/capacityReservationGroups"
	armCompute = "/subscriptions/s/providers/Microsoft.Compute/"
)

// armRequests are requests and what they ask for.
func armRequests() map[string]string {
	return map[string]string{
		"GET " + armGroups:                                                 "CapacityReservationGroups_ListByResourceGroup",
		"GET " + armGroups + "/g":                                          "CapacityReservationGroups_Get",
		"PUT " + armGroups + "/g":                                          "CapacityReservationGroups_CreateOrUpdate",
		"PATCH " + armGroups + "/g":                                        "CapacityReservationGroups_Update",
		"DELETE " + armGroups + "/g?api-version=2026-04-01":                "CapacityReservationGroups_Delete",
		"GET " + armGroups + "/g/capacityReservations":                     "CapacityReservations_ListByCapacityReservationGroup",
		"GET " + armGroups + "/g/capacityReservations/c":                   "CapacityReservations_Get",
		"PUT " + armGroups + "/g/capacityReservations/c":                   "CapacityReservations_CreateOrUpdate",
		"PATCH " + armGroups + "/g/capacityReservations/c":                 "CapacityReservations_Update",
		"DELETE " + armGroups + "/g/capacityReservations/c":                "CapacityReservations_Delete",
		"GET " + strings.ToUpper(armGroups) + "/g":                         "CapacityReservationGroups_Get",
		"GET " + armCompute + "capacityReservationGroups":                  "CapacityReservationGroups_ListBySubscription",
		"GET " + armCompute + "locations/EastUS/operations/o?monitor=true": "Operations_Get",
		"GET " + armCompute + "skus":                                       "",
		"GET /subscriptions/s/resourceGroups/rg":                           "",
	}
}

func TestOperationID(t *testing.T) {
	t.Parallel()
	for request, want := range armRequests() {
		method, target, _ := strings.Cut(request, " ")
		if got := operationID(httptest.NewRequest(method, target, http.NoBody), nil); got != want {
			t.Errorf("%s is %q, want %q", request, got, want)
		}
	}
}

// Every operation that a life aims at is one that some request is read as.
func TestAzureLives_aim(t *testing.T) {
	t.Parallel()
	var known []string
	for _, operation := range armRequests() {
		known = append(known, operation)
	}
	for kind, life := range azureLives() {
		for _, aim := range life.aims {
			if !slices.Contains(known, aim) {
				t.Errorf("%s aims at %s, which no request is", kind, aim)
			}
		}
	}
}

func TestAzureLook(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	group := strings.ToLower(armGroups) + "/a"
	marked, claimed := map[string]string{tagOwner: "o"}, map[string]string{tagOwner: "o", tagClaim: "c"}
	row := func(status string, tags map[string]string, end time.Time) sim.ObjectRow {
		return sim.ObjectRow{
			Type: typeAzureReservation, NativeID: group + "/capacityreservations/a", Status: status, Tags: tags, EndsAt: sim.Instant{Time: end},
		}
	}
	type looks struct{ live, ended, left, bought, goes bool }
	for name, tc := range map[string]struct {
		row  sim.ObjectRow
		want looks
	}{
		"a reservation":             {row("Succeeded", claimed, time.Time{}), looks{live: true}},
		"one that is being made":    {row("Creating", marked, time.Time{}), looks{live: true}},
		"one on its way out":        {row("Deleting", claimed, time.Time{}), looks{goes: true}},
		"a growth that failed":      {row("Failed", claimed, time.Time{}), looks{live: true}},
		"a creation that failed":    {row("Failed", marked, time.Time{}), looks{left: true}},
		"a future one":              {row("Committed", claimed, time.Time{}), looks{live: true}},
		"one that was declined":     {row("Declined", claimed, time.Time{}), looks{left: true}},
		"a block":                   {row("Succeeded", claimed, now.Add(day)), looks{live: true, bought: true}},
		"one that is over":          {row("Succeeded", claimed, now), looks{ended: true, bought: true}},
		"a block that was refused":  {row("FulfillmentFailed", claimed, now.Add(day)), looks{left: true}},
		"a group of ours":           {sim.ObjectRow{Type: typeAzureGroup, NativeID: group, Tags: marked}, looks{left: true}},
		"a group of someone else's": {sim.ObjectRow{Type: typeAzureGroup, NativeID: group}, looks{}},
		"a group on its way out":    {sim.ObjectRow{Type: typeAzureGroup, NativeID: group, Tags: marked, Status: azureDeleting}, looks{}},
		"what is no capacity":       {sim.ObjectRow{Type: "operations", Status: "Succeeded"}, looks{}},
	} {
		got := azureLook(tc.row, now)
		if is := (looks{got.live, got.ended, got.left, got.bought, got.goes}); is != tc.want || is.live && got.name != "a" {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
	both := []sim.ObjectRow{{Type: typeAzureGroup, NativeID: group}, row("Succeeded", claimed, time.Time{}), {Type: typeAzureGroup, NativeID: group + "b"}}
	if got := withoutFull(slices.Clone(both)); len(got) != 2 || got[0].Type != typeAzureReservation || got[1].NativeID != group+"b" {
		t.Errorf("without the group around it: %+v", got)
	}
}

func TestAzureGives(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		"DELETE " + armGroups + "/g/capacityReservations/C?api-version=1": strings.ToLower(armGroups) + "/g/capacityreservations/c",
		"PATCH " + armGroups + "/g/capacityReservations/c":                "",
		"GET " + armGroups + "/g/capacityReservations/c":                  "",
	} {
		method, target, _ := strings.Cut(request, " ")
		if got := azureGives(httptest.NewRequest(method, target, http.NoBody)); got != want {
			t.Errorf("%s gives up %q, want %q", request, got, want)
		}
	}
}

// What is left may go at any time, and is a leak when a command succeeded.
func TestAudit_left(t *testing.T) {
	t.Parallel()
	group := sim.ObjectRow{Type: typeAzureGroup, NativeID: strings.ToLower(armGroups) + "/a", Tags: map[string]string{tagOwner: "o"}}
	inside := sim.ObjectRow{Type: typeAzureReservation, NativeID: group.NativeID + "/capacityreservations/a", Status: "Creating", Count: 1}
	failed := inside
	failed.Status = "Failed"
	a := newAudit(azureTarget(), nil)
	for _, step := range []struct{ before, after sim.ObjectRow }{{inside, failed}, {failed, group}, {group, sim.ObjectRow{}}} {
		was := a.target.look(step.before, time.Time{})
		a.live = map[string]seen{}
		if was.live {
			a.live[step.before.NativeID] = seen{step.before, was}
		}
		a.compare(map[string]seen{step.after.NativeID: {step.after, a.target.look(step.after, time.Time{})}})
		if failures := a.Failures(); len(failures) > 0 {
			t.Errorf("%s %s to %s %s: %v", step.before.Type, step.before.Status, step.after.Type, step.after.Status, failures)
		}
	}
	a.live = map[string]seen{inside.NativeID: {inside, sight{live: true}}}
	a.compare(map[string]seen{group.NativeID: {group, a.target.look(group, time.Time{})}})
	if len(a.Failures()) == 0 {
		t.Error("what was given up although its group stayed was not found")
	}
}
