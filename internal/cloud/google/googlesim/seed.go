package googlesim

import (
	"regexp"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// seedProject owns the objects of a scenario that are given without a path.
const seedProject = "simulated-project"

var reservationPath = regexp.MustCompile(`^projects/([^/]+)/zones/([^/]+)/reservations/(` + nameForm + `)$`)

// seedReservation completes a reservation of a scenario: an automatic one that
// is there, unless its status says otherwise. A tag "specific" with any value
// makes it a targeted one; tags are not kept.
func seedReservation(_ *Simulator, tx *sim.Tx, obj *sim.Object) error {
	project, name, err := seedNames(tx, obj)
	if err != nil {
		return err
	}
	region, known := regionOf(obj.Zone)
	if !known || (obj.Region != "" && obj.Region != region) {
		return fail(reasonInvalid, "no such place: %s %s", obj.Region, obj.Zone)
	}
	if obj.Count < 1 || obj.InUse.Count() > obj.Count {
		return fail(reasonInvalid, "count must be at least 1 and not below in_use")
	}
	properties, refused := readProperties(obj.Zone, "instance_type", map[string]any{"machineType": obj.InstanceType})
	if refused != nil {
		return refused
	}
	return completeSeed(tx, obj, project, region, name, properties)
}

// seedNames reads project and name from a whole path, a name or nothing.
func seedNames(tx *sim.Tx, obj *sim.Object) (project, name string, err error) {
	project, name = seedProject, obj.NativeID
	if name == "" {
		name = "reservation-" + tx.Hex(8)
	}
	if strings.Contains(name, "/") {
		m := reservationPath.FindStringSubmatch(name)
		if m == nil || m[2] != obj.Zone || !projectForm.MatchString(m[1]) || digits.MatchString(m[1]) {
			return "", "", fail(reasonInvalid, "native_id %s is not projects/PROJECT/zones/%s/reservations/NAME", obj.NativeID, obj.Zone)
		}
		project, name = m[1], m[3]
	}
	if refused := checkName("native_id", name); refused != nil {
		return "", "", refused
	}
	return project, name, nil
}

func completeSeed(tx *sim.Tx, obj *sim.Object, project, region, name string, properties instanceProperties) error {
	rememberProject(tx, project)
	_, specific := obj.Tags["specific"]
	obj.Tags = nil
	r := reservation{
		ID: newID(tx), Created: tx.Now().Truncate(time.Millisecond), Properties: properties, Specific: specific,
		Sharing: sharing{Type: shareLocal}, ServiceShare: serviceShareTypes()[0],
	}
	obj.Account, obj.Region, obj.NativeID = project, region, zonePath(project, obj.Zone, reservationType, name)
	obj.Aliases = []string{numbered(obj.NativeID, r.ID)}
	obj.StartsAt = time.Time{}
	if obj.Status == "" {
		obj.Status = statusReady
	}
	planReservation(tx, obj)
	return obj.Encode(r)
}
