package azuresim_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// load reads a scenario's objects.
func (s *stage) load(objects string) error {
	s.t.Helper()
	return s.world.Load([]byte(`{"objects":[` + objects + `]}`))
}

const seededAt = "/subscriptions/" + subscription + "/resourceGroups/gpu/providers/Microsoft.Compute/capacityReservationGroups/"

func TestSeedSchedules(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.ok(s.load(`{"cloud":"azure","type":"capacityReservations","native_id":"b1","region":"eastus","zone":"1",` +
		`"instance_type":"Standard_ND96isr_H100_v5","count":2,"starts_at":"2027-02-27T12:00:00Z","ends_at":"2027-03-05T11:30:00Z"},` +
		`{"cloud":"azure","type":"capacityReservations","native_id":"f1","region":"eastus","zone":"1",` +
		`"instance_type":"` + kindA100 + `","count":2,"starts_at":"2027-03-20T12:00:00Z","status":"Committed"},` +
		`{"cloud":"azure","type":"capacityReservations","native_id":"f2","region":"eastus",` +
		`"instance_type":"` + kindA100 + `","count":3,"starts_at":"2027-02-20T12:00:00Z","status":"PartiallyFulfilled"}`))
	read := func(name string) reply {
		t.Helper()
		return s.accepted(s.get(seededAt+name+"/capacityReservations/"+name+"?$expand=instanceView"), http.StatusOK)
	}
	s.says(s.says(read("b1"), "2027-03-05T11:30:00Z", "properties", "scheduleProfile", "end"), 2, "properties", "instanceView", "utilizationInfo", "currentCapacity")
	s.says(read("f1"), "Committed", "properties", "instanceView", "reservationStateInfo", "reservationState")
	s.says(read("f2"), 2, "properties", "instanceView", "utilizationInfo", "currentCapacity")
	s.ok(s.world.Advance(30 * day))
	s.says(read("b1"), 0, "properties", "instanceView", "utilizationInfo", "currentCapacity")
	s.says(read("f1"), "Live", "properties", "instanceView", "reservationStateInfo", "reservationState")
}

func TestSeedRefusesSchedules(t *testing.T) {
	t.Parallel()
	for name, rest := range map[string]string{
		"a block at midnight":  `"starts_at":"2027-03-10T00:00:00Z","ends_at":"2027-03-12T11:30:00Z","count":1`,
		"a block of 3":         `"starts_at":"2027-03-10T12:00:00Z","ends_at":"2027-03-12T11:30:00Z","count":3`,
		"a block of 15 days":   `"starts_at":"2027-03-10T12:00:00Z","ends_at":"2027-03-25T11:30:00Z","count":1`,
		"a block without days": `"starts_at":"2027-03-10T12:00:00Z","ends_at":"2027-03-10T11:30:00Z","count":1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			err := s.load(`{"cloud":"azure","type":"capacityReservations","native_id":"b1","region":"eastus","zone":"1",` +
				`"instance_type":"Standard_ND96isr_H100_v5",` + rest + `}`)
			if err == nil || !strings.Contains(err.Error(), "a block starts at 12:00") {
				t.Error(err)
			}
		})
	}
}

func TestPatchedFuture(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status         string
		count, current int
		left           int
	}{
		{"Pending", 4, 0, 4},
		{"Declined", 4, 0, 4},
		{"Committed", 4, 0, 4},
		{"Live", 4, 4, 0},
		{"PartiallyFulfilled", 4, 3, 1},
		{"FulfillmentFailed", 4, 0, 4},
	} {
		t.Run(test.status, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stock(4)
			s.approved("sku.capacity", 4)
			s.change(sim.ObjectPatch{Status: &test.status})
			s.in(test.status)
			s.capacities(test.count, test.current, "Succeeded")
			s.left(test.left)
		})
	}
}

func TestPatchedCountOfAPart(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.approved("sku.capacity", 4)
	s.change(sim.ObjectPatch{Status: new("PartiallyFulfilled"), Count: new(1)})
	s.capacities(4, 1, "Succeeded")
	s.in("PartiallyFulfilled")
}

func TestRowsOfSchedules(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.block()
	s.done(s.send(http.MethodPut, groupsPath("g2"), groupBody()))
	s.accepted(s.send(http.MethodPut, groupsPath("g2")+"/capacityReservations/r2", reservationBody(startField, far)), http.StatusCreated)
	rows, err := s.world.Objects()
	s.ok(err)
	got := map[string][2]time.Time{}
	for _, row := range rows {
		if row.Type == "capacityReservations" {
			got[row.NativeID[strings.LastIndexByte(row.NativeID, '/')+1:]] = [2]time.Time{row.StartsAt.Time, row.EndsAt.Time}
		}
	}
	if got["r1"] != [2]time.Time{instant("2027-03-10T12:00:00Z"), instant("2027-03-12T11:30:00Z")} || got["r2"][0] != instant(far) || !got["r2"][1].IsZero() {
		t.Errorf("got %v", got)
	}
}

// A block whose end passes while an operation is under way ends all the same, and
// a later change of its tags takes no stock again.
func TestBlockEndsWhileItIsChanged(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.blockStock(1)
	s.block()
	s.until("2027-03-12T11:29:59Z")
	got := s.patch("tags.a", "b")
	s.finish()
	s.says(s.poll(got), "Succeeded", "status")
	s.capacities(1, 0, "Succeeded")
	s.blocksLeft(1)
	s.blockStock(0)
	s.done(s.patch("tags.a", "c"))
	s.capacities(1, 0, "Succeeded")
	s.done(s.remove())
	s.blocksLeft(0)
}

func TestFaultsOfTheLoginHost(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.fault(sim.Fault{Operation: "Login_Token", Status: 401, Code: "invalid_client", Message: "AADSTS7000222: The provided client secret keys are expired.", Times: 1})
	s.denied(s.token(), http.StatusUnauthorized, "invalid_client", 7000222)
	s.accepted(s.token(), http.StatusOK)
	calls, err := s.world.Calls(0)
	s.ok(err)
	if len(calls) != 2 || calls[1].Operation != "Login_Token" || calls[1].Account != "" {
		t.Errorf("got %+v", calls)
	}
}

func TestPatchedBlock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.blockStock(2)
	s.block("sku.capacity", 2)
	s.change(sim.ObjectPatch{Status: new("FulfillmentFailed")})
	s.in("FulfillmentFailed")
	s.capacities(2, 0, "Succeeded")
	s.blocksLeft(2)
	s.done(s.remove())
	s.done(s.putBlock("sku.capacity", 2))
	s.change(sim.ObjectPatch{Gone: true})
	s.blocksLeft(2)
}
