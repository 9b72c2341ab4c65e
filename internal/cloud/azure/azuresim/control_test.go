package azuresim_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud/azure/azuresim"
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// rows are the objects of the control API by the last segment of their ids.
func (s *stage) rows() map[string]sim.ObjectRow {
	s.t.Helper()
	list, err := s.world.Objects()
	s.ok(err)
	all := map[string]sim.ObjectRow{}
	for _, row := range list {
		all[row.NativeID[strings.LastIndexByte(row.NativeID, '/')+1:]] = row
	}
	return all
}

func TestObjectsOfTheControlAPI(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create("tags.team", "ml")
	s.change(sim.ObjectPatch{InUse: &sim.Use{Users: []string{"vm-1"}}})
	want := map[string]sim.ObjectRow{
		"g1": {
			Cloud: "azure", Type: "capacityReservationGroups", NativeID: strings.ToLower(own), Region: "eastus", Status: "Succeeded",
			Tags: map[string]string{},
		},
		"r1": {
			Cloud: "azure", Type: "capacityReservations", NativeID: strings.ToLower(one), Region: "eastus", Zone: "1", InstanceType: kindA100,
			Count: 2, InUse: sim.Use{Users: []string{"vm-1"}}, Status: "Succeeded", Tags: map[string]string{"team": "ml"},
		},
	}
	if diff := cmp.Diff(want, s.rows()); diff != "" {
		t.Error(diff)
	}
}

func TestChangesBehindEveryonesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(10)
	s.create()
	s.change(sim.ObjectPatch{NativeID: one, Count: new(3), Tags: map[string]*string{"a": new("b")}})
	s.says(s.capacities(3, 3, "Succeeded"), "b", "tags", "a")
	s.left(7)
	s.change(sim.ObjectPatch{Count: new(5), Status: new("Failed")})
	got := s.capacities(5, 3, "Failed")
	s.says(got, "ProvisioningState/failed/ZonalAllocationFailed", "properties", "instanceView", "statuses", 0, "code")
	s.left(7)
	s.done(s.patch("sku.capacity", 3))
	s.capacities(3, 3, "Succeeded")
	s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 4}})
	s.left(6)
	s.change(sim.ObjectPatch{InUse: &sim.Use{}})
	s.left(7)
	s.change(sim.ObjectPatch{Gone: true})
	s.left(10)
	s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	s.says(s.accepted(s.get(own), http.StatusOK), nil, "properties", "capacityReservations")
}

func TestGoneGroupTakesItsReservations(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(2)
	s.create()
	s.change(sim.ObjectPatch{NativeID: own, Gone: true})
	s.refused(s.get(own), http.StatusNotFound, "ResourceNotFound")
	s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	s.left(2)
}

func TestGoneWhileAnOperationRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(4)
	s.create()
	got := s.patch("sku.capacity", 4)
	s.change(sim.ObjectPatch{Gone: true})
	s.failed(got, "ResourceNotFound")
	s.left(4)
	s.done(s.put())
	got = s.remove()
	s.change(sim.ObjectPatch{Gone: true})
	second := s.put()
	s.finish()
	s.says(s.poll(got), "Succeeded", "status")
	s.says(s.poll(second), "Succeeded", "status")
	s.capacities(2, 2, "Succeeded")
}

func TestCallLog(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.putGroup())
	upper := strings.Replace(one, "resourceGroups/rg", "RESOURCEGROUPS/RG", 1)
	s.done(s.send(http.MethodPut, upper, reservationBody("sku.name", "standard_nc24ADS_a100_v4")))
	s.get(reservations)
	s.get(groups)
	s.get("/subscriptions/nonsense/resourceGroups")
	calls, err := s.world.Calls(0)
	s.ok(err)
	type line struct{ Operation, Account, Region, Zone, Type, ID, Code string }
	var got []line
	for _, c := range calls {
		if c.Operation == "Operations_Get" {
			c.NativeID = "op"
		}
		got = append(got, line{c.Operation, c.Account, c.Region, c.Zone, c.InstanceType, c.NativeID, c.Code})
	}
	group, reservation := strings.ToLower(own), strings.ToLower(one)
	want := []line{
		{"CapacityReservationGroups_CreateOrUpdate", subscription, "eastus", "", "", group, ""},
		{"Operations_Get", subscription, "eastus", "", "", "op", ""},
		{"CapacityReservations_CreateOrUpdate", subscription, "eastus", "1", kindA100, reservation, ""},
		{"Operations_Get", subscription, "eastus", "1", kindA100, "op", ""},
		{"CapacityReservations_ListByCapacityReservationGroup", subscription, "eastus", "", "", group, ""},
		{"CapacityReservationGroups_ListByResourceGroup", subscription, "", "", "", "", ""},
		{"ResourceGroups_List", "", "", "", "", "", "InvalidSubscriptionId"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsFindTheirObject(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sim.Fault{
		"put by id":           {Operation: "CapacityReservations_CreateOrUpdate", NativeID: strings.ToLower(one)},
		"put by the path":     {Operation: "CapacityReservations_CreateOrUpdate", NativeID: one},
		"put by type":         {Operation: "*", InstanceType: kindA100},
		"put by zone":         {Operation: "*", Zone: "1"},
		"poll by the target":  {Operation: "Operations_Get", NativeID: strings.ToLower(one)},
		"poll by the type":    {Operation: "Operations_Get", InstanceType: kindA100},
		"list by its group":   {Operation: "CapacityReservations_ListByCapacityReservationGroup", NativeID: own},
		"read by its own id":  {Operation: "CapacityReservations_Get", NativeID: one},
		"list of some region": {Operation: "CapacityReservations_ListByCapacityReservationGroup", Region: "eastus"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.done(s.putGroup())
			fault.Times, fault.Status, fault.Code, fault.Message = 1, 503, "ServerTimeout", "x"
			s.fault(fault)
			made := s.put()
			if made.status != http.StatusCreated {
				made = s.put()
			}
			s.finish()
			s.raw(http.MethodGet, made.header.Get("Azure-AsyncOperation"), "", "Bearer token")
			s.get(one)
			s.get(reservations)
			calls, err := s.world.Calls(0)
			s.ok(err)
			struck := 0
			for _, c := range calls {
				if c.Code == "ServerTimeout" {
					struck++
				}
			}
			if struck != 1 {
				t.Errorf("struck %d times: %v", struck, calls)
			}
		})
	}
}

func TestOperationFaults(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stock(2)
	s.done(s.putGroup())
	s.fault(sim.Fault{
		Operation: "CapacityReservations_CreateOrUpdate", Times: 1, OperationTakes: new(sim.Duration(time.Minute)),
		OperationError: &sim.OperationError{
			Code: "ResourceDeploymentFailure", Message: "It failed.", Details: map[string]string{"OverconstrainedAllocationRequest": "Too much."},
		},
	})
	got := s.accepted(s.put(), http.StatusCreated)
	s.ok(s.world.Advance(59 * time.Second))
	s.says(s.says(s.poll(got), "InProgress", "status"), nil, "endTime")
	s.left(2)
	end := s.failed(got, "ResourceDeploymentFailure")
	s.says(s.says(end, "OverconstrainedAllocationRequest", "error", "details", 0, "code"), "Too much.", "error", "details", 0, "message")
	s.capacities(2, 0, "Failed")
	s.left(2)
	s.fault(sim.Fault{Operation: "CapacityReservations_Update", Times: 1, OperationTakes: new(sim.Duration(0))})
	s.says(s.patch("sku.capacity", 1), "Succeeded", "properties", "provisioningState")
	s.capacities(1, 1, "Succeeded")
}

func TestEmptyAndShuffledLists(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.create()
	s.fault(sim.Fault{Operation: "CapacityReservations_ListByCapacityReservationGroup", Times: 1, Empty: true})
	s.says(s.get(reservations), "[]", "value")
	s.says(s.get(reservations), "r1", "value", 0, "name")
	for _, name := range []string{"g2", "g3", "g4", "g5"} {
		s.done(s.send(http.MethodPut, groups+"/"+name, groupBody()))
	}
	s.fault(sim.Fault{Operation: "CapacityReservationGroups_ListByResourceGroup", Shuffle: true})
	orders := map[string]bool{}
	for range 10 {
		got, order := s.get(groups), ""
		for i := range 5 {
			name, _ := got.at("value", i, "name").(string)
			order += name
		}
		orders[order] = true
	}
	if len(orders) < 2 {
		t.Errorf("always in the same order: %v", orders)
	}
}

func TestShuffledCollections(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.putGroup("properties.sharingProfile", shared(other, "00000000-0000-0000-0000-000000000003"), "zones", []string{"1", "2", "3"}))
	for _, zone := range []string{"1", "2", "3"} {
		s.done(s.send(http.MethodPut, reservations+"/r"+zone, reservationBody("zones", []string{zone})))
	}
	s.change(sim.ObjectPatch{InUse: &sim.Use{Number: 3}})
	s.fault(sim.Fault{Operation: "CapacityReservationGroups_Get", Shuffle: true})
	orders := map[string]map[string]bool{}
	for range 20 {
		got := s.get(own + "?$expand=instanceView")
		properties, _ := got.at("properties").(map[string]any)
		for name, value := range map[string]any{
			"zones": got.at("zones"), "sharing": properties["sharingProfile"], "reservations": properties["capacityReservations"],
			"machines": properties["virtualMachinesAssociated"],
		} {
			if orders[name] == nil {
				orders[name] = map[string]bool{}
			}
			orders[name][fmt.Sprint(value)] = true
		}
	}
	for name, seen := range orders {
		if len(seen) < 2 {
			t.Errorf("%s: always %v", name, seen)
		}
	}
}

func TestDroppedAnswers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.done(s.putGroup())
	s.fault(sim.Fault{Operation: "CapacityReservations_CreateOrUpdate", Times: 1, Drop: sim.DropBefore})
	if got := s.put(); got.status != 0 {
		t.Errorf("answered %d", got.status)
	}
	s.refused(s.get(one), http.StatusNotFound, "ResourceNotFound")
	s.fault(sim.Fault{Operation: "CapacityReservations_CreateOrUpdate", Times: 1, Drop: sim.DropAfter})
	if got := s.put(); got.status != 0 {
		t.Errorf("answered %d", got.status)
	}
	s.finish()
	s.capacities(2, 2, "Succeeded")
}

func TestScenarioObjects(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.world.Load([]byte(`{"objects":[
		{"cloud":"azure","type":"capacityReservationGroups","native_id":"` + own + `","region":"East US","zone":"1,2","status":"Open","tags":{"a":"b"}},
		{"cloud":"azure","type":"capacityReservations","native_id":"` + one + `","region":"eastus","zone":"1","instance_type":"` + kindA100 + `",
		 "count":2,"in_use":["vm-1"]},
		{"cloud":"azure","type":"capacityReservations","native_id":"lone","region":"westus3","instance_type":"` + kindA100 + `","count":1}]}`)))
	s.says(s.capacities(2, 2, "Succeeded"), 1, "properties", "instanceView", "utilizationInfo", "usedReservedCountBySubscription", subscription)
	s.says(s.says(s.get(own), "Open", "properties", "reservationType"), "b", "tags", "a")
	s.accepted(s.get(strings.Replace(groups, "/rg/", "/gpu/", 1)+"/lone/capacityReservations/lone"), http.StatusOK)
	s.done(s.send(http.MethodPatch, one, `{"sku":{"capacity":3}}`))
}

func TestScenarioObjectsThatCannotBe(t *testing.T) {
	t.Parallel()
	const good = `"type":"capacityReservations","region":"eastus","instance_type":"` + kindA100 + `"`
	for name, text := range map[string]string{
		"type":         `"type":"virtualMachines"`,
		"region":       `"type":"capacityReservations","region":"nowhere","instance_type":"` + kindA100 + `"`,
		"size":         `"type":"capacityReservations","region":"eastus","instance_type":"p9"`,
		"path":         `"native_id":"` + own + `",` + good,
		"name":         `"native_id":"-x",` + good,
		"subscription": `"native_id":"` + strings.Replace(one, subscription, "mine", 1) + `",` + good,
		"zone":         `"zone":"4",` + good,
		"group zone":   `"type":"capacityReservationGroups","native_id":"` + own + `","region":"westus","zone":"1"`,
		"group path":   `"type":"capacityReservationGroups","native_id":"` + one + `","region":"eastus"`,
		"group region": `"type":"capacityReservationGroups","native_id":"` + own + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if err := s.world.Load([]byte(`{"objects":[{"cloud":"azure",` + text + `}]}`)); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

// TestStateFile serves each request by another world on the same file, as the
// provider's simulation mode does.
func TestStateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "world.json")
	clock := now()
	ask := func(method, target, body string) reply {
		t.Helper()
		world, err := sim.New(sim.Options{StatePath: path, Seed: 1, Wall: func() time.Time { return clock }})
		if err != nil {
			t.Fatal(err)
		}
		defer world.Close()
		return direct(t, azuresim.New(world), method, target, body)
	}
	const version = "?api-version=2026-04-01"
	ask(http.MethodPut, own+version, groupBody())
	made := ask(http.MethodPut, one+version, reservationBody("tags.a", "b"))
	if made.status != http.StatusCreated || made.at("properties", "provisioningState") != "Creating" {
		t.Fatalf("%d %s", made.status, made.body)
	}
	clock = clock.Add(2 * time.Second)
	for target, want := range map[string]string{
		made.header.Get("Azure-AsyncOperation"):                           `"status":"Succeeded"`,
		one + version + "&%24expand=instanceView":                         `"currentCapacity":2`,
		strings.ToUpper(one) + version:                                    `"a":"b"`,
		groups + version:                                                  `"capacityReservations":[{"id":"` + one + `"}]`,
		"/subscriptions/" + subscription + "/resourceGroups/rg" + version: `"location":"eastus"`,
	} {
		if got := ask(http.MethodGet, target, ""); got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s", target, got.status, got.body)
		}
	}
	if got := ask(http.MethodDelete, one+version, ""); got.status != http.StatusAccepted {
		t.Errorf("%d %s", got.status, got.body)
	}
	clock = clock.Add(2 * time.Second)
	if got := ask(http.MethodDelete, own+version, ""); got.code() != "CannotDeleteResource" {
		t.Errorf("%d %s", got.status, got.body)
	}
	clock = clock.Add(5 * time.Second)
	if got := ask(http.MethodDelete, own+version, ""); got.status != http.StatusAccepted {
		t.Errorf("%d %s", got.status, got.body)
	}
}
