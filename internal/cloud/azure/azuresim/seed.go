package azuresim

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

var (
	groupPath = regexp.MustCompile(`(?i)^/subscriptions/([^/]+)/resourceGroups/[^/]+/providers/Microsoft\.Compute/capacityReservationGroups/([^/]+)$`)
	// childPath is what follows a group's path.
	childPath = regexp.MustCompile(`(?i)^(/.+)/capacityReservations/([^/]+)$`)
)

// seedGroupPath is where the objects of a scenario go that are given by name.
const seedGroupPath = "/subscriptions/" + firstSubscription + "/resourceGroups/gpu/providers/Microsoft.Compute/capacityReservationGroups/"

// readGroupPath reads the subscription and name of a group's path.
func readGroupPath(path string) (subscription, name string, err error) {
	m := groupPath.FindStringSubmatch(path)
	if m == nil || !guidForm.MatchString(m[1]) {
		return "", "", fail(codeInvalidParameter, "native_id %s is not of a capacity reservation group", path)
	}
	if refused := checkName(m[2]); refused != nil {
		return "", "", refused
	}
	return strings.ToLower(m[1]), m[2], nil
}

// seedGroup completes a group of a scenario. Its status may be a reservation
// type, Targeted by default; zone may list zones with commas.
func seedGroup(_ *Simulator, tx *sim.Tx, obj *sim.Object) error {
	if !strings.Contains(obj.NativeID, "/") && obj.NativeID != "" {
		obj.NativeID = seedGroupPath + obj.NativeID
	}
	path := obj.NativeID
	subscription, _, err := readGroupPath(path)
	if err != nil {
		return err
	}
	obj.Region = locationName(obj.Region)
	has, known := locations()[obj.Region]
	if !known {
		return fail(codeInvalidParameter, "no such location: %s", obj.Region)
	}
	g := group{Path: path, GUID: newGUID(tx), Created: tx.Now(), Kind: typeTargeted}
	if slices.Contains([]string{typeTargeted, typeOpen, typeBlock}, obj.Status) {
		g.Kind = obj.Status
	}
	if obj.Zone != "" {
		g.Zones = strings.Split(obj.Zone, ",")
	}
	for _, zone := range g.Zones {
		if !slices.Contains(has.zones, zone) {
			return fail(codeInvalidParameter, "no such zone of %s: %s", obj.Region, zone)
		}
	}
	obj.Account, obj.NativeID, obj.Aliases, obj.Zone, obj.Status = subscription, nativeID(path), spellings(path), "", stateSucceeded
	return obj.Encode(g)
}

// seedReservation completes a reservation of a scenario: one on demand that holds
// its count, unless its status says otherwise, in the group that its path names,
// which is made where it is missing. A name stands for a path of that name twice.
func seedReservation(s *Simulator, tx *sim.Tx, obj *sim.Object) error {
	if obj.NativeID == "" {
		obj.NativeID = "reservation-" + tx.Hex(8)
	}
	if !strings.Contains(obj.NativeID, "/") {
		obj.NativeID = seedGroupPath + obj.NativeID + "/capacityReservations/" + obj.NativeID
	}
	m := childPath.FindStringSubmatch(obj.NativeID)
	if m == nil {
		return fail(codeInvalidParameter, "native_id %s is not of a capacity reservation", obj.NativeID)
	}
	if refused := checkName(m[2]); refused != nil {
		return refused
	}
	size, known := s.sizeByName(obj.InstanceType)
	if !known || !size.offered(locationName(obj.Region), obj.Zone) {
		return fail(codeInvalidParameter, "no such size there: %s in %s %s", obj.InstanceType, obj.Region, obj.Zone)
	}
	of, err := seededGroup(s, tx, obj, m[1])
	if err != nil {
		return err
	}
	return completeSeed(s, tx, obj, of, size)
}

// seededGroup finds the group of a scenario's reservation, or makes it.
func seededGroup(s *Simulator, tx *sim.Tx, obj *sim.Object, path string) (*sim.Object, error) {
	if of, there := tx.Object(cloudName, nativeID(path)); there {
		return of, nil
	}
	of := &sim.Object{Cloud: cloudName, Type: groupType, NativeID: path, Region: obj.Region, Zone: obj.Zone}
	if !obj.EndsAt.IsZero() {
		of.Status = typeBlock
	}
	if err := seedGroup(s, tx, of); err != nil {
		return nil, err
	}
	tx.Insert(of)
	return of, nil
}

func completeSeed(s *Simulator, tx *sim.Tx, obj, of *sim.Object, size size) error {
	var g group
	if err := of.Decode(&g); err != nil {
		return err
	}
	obj.Region = locationName(obj.Region)
	if obj.Region != of.Region || (obj.Zone == "") != (len(g.Zones) == 0) || (obj.Zone != "" && !slices.Contains(g.Zones, obj.Zone)) {
		return fail(codeInvalidParameter, "%s: its group is in %s, zones %v", obj.NativeID, of.Region, g.Zones)
	}
	path := obj.NativeID
	r := reservation{
		Path: path, GUID: newGUID(tx), Created: tx.Now(), Provisioned: tx.Now(), Etag: 1, Group: of.NativeID, Kind: g.Kind,
		SKU: size.name, Current: obj.Count,
	}
	if obj.Status == "" {
		obj.Status = stateSucceeded
	}
	obj.Account, obj.NativeID, obj.Aliases, obj.InstanceType = of.Account, nativeID(path), spellings(path), size.name
	if !obj.StartsAt.IsZero() {
		if err := seededSchedule(s, tx, obj, &r); err != nil {
			return err
		}
	}
	return obj.Encode(r)
}
