package azuresim

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// deallocatedMark ends the id of a machine that is associated with a reservation
// and uses nothing of it.
const deallocatedMark = "#deallocated"

// machineID is the id of a machine that the header names, by id or by name.
func machineID(r reservation, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	parts := segments(r.Path)
	return armID(parts[1], resourceGroupOf(r.Path), "virtualMachines", name)
}

// allocated are the machines that use a reservation: those that in_use names, else
// as many as it counts, named after the reservation.
func allocated(obj *sim.Object, r reservation) []string {
	var all []string
	for _, name := range obj.InUse.Users {
		if !strings.HasSuffix(name, deallocatedMark) {
			all = append(all, machineID(r, name))
		}
	}
	if obj.InUse.Users == nil {
		for n := range obj.InUse.Number {
			all = append(all, machineID(r, lastSegment(r.Path)+"-vm-"+strconv.Itoa(n+1)))
		}
	}
	return all
}

// associated are those and the ones that are deallocated (azure-compute-docs,
// capacity-reservation-overview).
func associated(obj *sim.Object, r reservation) []string {
	all := allocated(obj, r)
	for _, name := range obj.InUse.Users {
		if name, ok := strings.CutSuffix(name, deallocatedMark); ok {
			all = append(all, machineID(r, name))
		}
	}
	return all
}

// usedBySubscription counts the machines that use an Open reservation, which are
// not named (armcompute v8.4, CapacityReservationUtilization).
func usedBySubscription(obj *sim.Object, r reservation) map[string]int {
	used := map[string]int{}
	for _, id := range allocated(obj, r) {
		if parts := segments(id); len(parts) > 1 {
			used[strings.ToLower(parts[1])]++
		}
	}
	return used
}

// refuseAssociated keeps what machines are associated with from being deleted
// (armcompute v8.4, CapacityReservationsClient.BeginDelete; code, status and text
// UNVERIFIED).
func (s *Simulator) refuseAssociated(obj *sim.Object, r reservation) *apiError {
	machines := associated(obj, r)
	if len(machines) == 0 || (r.Kind == typeOpen && s.options.OpenGoesInUse) {
		return nil
	}
	e := fail(codeNotAllowed, "The capacity reservation '%s' cannot be deleted since the following virtual machines are associated with it: '%s'. "+
		"Disassociate them before deleting it.", lastSegment(r.Path), strings.Join(machines, "', '"))
	if s.options.InUseCode != "" {
		e.code = s.options.InUseCode
	}
	e.status = http.StatusConflict
	return e
}
