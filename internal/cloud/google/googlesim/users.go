package googlesim

import (
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// instanceType is the collection of virtual machines. There are those only that
// use a reservation, for as long as they do: they are not objects of the world
// but its in_use.
const instanceType = "instances"

// instanceWire is an Instance in JSON, as far as it is known of a user.
type instanceWire struct {
	Kind              string             `json:"kind"`
	ID                string             `json:"id"`
	CreationTimestamp string             `json:"creationTimestamp"`
	Name              string             `json:"name"`
	Zone              string             `json:"zone"`
	SelfLink          string             `json:"selfLink"`
	Status            string             `json:"status"`
	MachineType       string             `json:"machineType"`
	Affinity          affinityWire       `json:"reservationAffinity"`
	ResourceStatus    instanceStatusWire `json:"resourceStatus"`
}

type affinityWire struct {
	Type   string   `json:"consumeReservationType"`
	Key    string   `json:"key,omitempty"`
	Values []string `json:"values,omitempty"`
}

type instanceStatusWire struct {
	Consumption struct {
		Reservation string `json:"consumedReservation"`
	} `json:"reservationConsumptionInfo"`
}

// affinityKey names a reservation in recorded traffic.
const affinityKey = "compute.googleapis.com/reservation-name"

// userPath is a user of another project than the reservation's.
var userPath = regexp.MustCompile(`^projects/([^/]+)/zones/([^/]+)/instances/([^/]+)$`)

// consumer is a machine that uses a reservation.
type consumer struct{ project, name string }

// usersOf are the machines behind an object's in_use: those that it names, by
// name or by path, else as many as it counts, named after the reservation's id.
func usersOf(obj *sim.Object, id string) []consumer {
	var all []consumer
	for _, given := range obj.InUse.Users {
		of := consumer{obj.Account, lastSegment(given)}
		if m := userPath.FindStringSubmatch(given); m != nil {
			of.project = m[1]
		}
		all = append(all, of)
	}
	for len(all) < obj.InUse.Count() {
		all = append(all, consumer{obj.Account, "vm-" + id + "-" + strconv.Itoa(len(all)+1)})
	}
	return all
}

// perReservation is how many serials each reservation has for its users: more
// than it can have machines.
const perReservation = 1 << 20

// listInstances answers with the machines of the project that use a reservation,
// whosever it is (facts google-3.3-users).
func listInstances(q *query) (any, *apiError) {
	var rows []row
	for _, obj := range q.tx.Objects(cloudName, reservationType) {
		if obj.Hidden || obj.Zone != q.zone {
			continue
		}
		var r reservation
		if err := obj.Decode(&r); err != nil {
			return nil, internal(err)
		}
		for i, u := range usersOf(obj, r.ID) {
			if u.project != q.project {
				continue
			}
			at := &sim.Object{
				NativeID: zonePath(u.project, obj.Zone, instanceType, u.name), Account: u.project, Zone: obj.Zone,
				Serial: obj.Serial*perReservation + int64(i),
			}
			rows = append(rows, row{at, q.sim.instanceJSON(at, obj, r)})
		}
	}
	return q.page("compute#instanceList", zonePath(q.project, q.zone, instanceType), rows)
}

func (s *Simulator) instanceJSON(at, of *sim.Object, r reservation) instanceWire {
	sum := sha256.Sum256([]byte(at.NativeID))
	w := instanceWire{
		Kind: "compute#instance", ID: strconv.FormatUint(binary.BigEndian.Uint64(sum[:])>>1, 10),
		CreationTimestamp: stamp(r.Created), Name: lastSegment(at.NativeID), Zone: link(zonePath(at.Account, at.Zone)),
		SelfLink: link(at.NativeID), Status: "RUNNING",
		MachineType: link(zonePath(at.Account, at.Zone, "machineTypes", of.InstanceType)),
		Affinity:    affinityWire{Type: "ANY_RESERVATION"},
	}
	w.ResourceStatus.Consumption.Reservation = s.consumed(of)
	if r.Specific {
		w.Affinity = affinityWire{"SPECIFIC_RESERVATION", affinityKey, []string{lastSegment(of.NativeID)}}
		if at.Account != of.Account {
			w.Affinity.Values[0] = "projects/" + of.Account + "/reservations/" + lastSegment(of.NativeID)
		}
	}
	return w
}

// consumed names a reservation in the form that the options choose.
func (s *Simulator) consumed(of *sim.Object) string {
	if !s.options.ConsumedByNumber {
		return of.NativeID
	}
	rest := strings.TrimPrefix(of.NativeID, "projects/"+of.Account)
	return link("projects/" + projectNumber(of.Account) + rest)
}

func instanceMethods() []method {
	return []method{{
		id: "compute.instances.list", verb: http.MethodGet, path: "projects/{project}/zones/{zone}/instances",
		query: listParams(), group: groupLists, run: listInstances,
	}}
}
