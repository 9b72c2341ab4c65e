package azuresim

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// badInName may not be in a name; a name of 1 to 64 characters starts with a letter
// or digit and does not end in a dot or dash (hashicorp/terraform-provider-azurerm,
// capacity_reservation_group_resource.go).
const badInName = `\/"[]:|<>+=;,?*@& `

var nameStart = regexp.MustCompile(`^[0-9A-Za-z]`)

// checkName is that rule. The code is UNVERIFIED.
func checkName(name string) *apiError {
	if len(name) > 64 || !nameStart.MatchString(name) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, "-") ||
		strings.ContainsAny(name, badInName) {
		return fail(codeInvalidName, "The entity name '%s' is invalid according to its validation rule.", printable(name)).at("name")
	}
	return nil
}

// wishedGroup is what a PUT of a group says.
type wishedGroup struct {
	location string
	tags     map[string]string
	zones    []string
	// kind is "" where none is given.
	kind string
	// sharing is nil where none is given.
	sharing []string
}

func (q *query) wishedGroup() (wishedGroup, *apiError) {
	var w wishedGroup
	if err := checkName(q.vars[varGroup]); err != nil {
		return w, err
	}
	var err *apiError
	if w.location, err = q.location(); err != nil {
		return w, err
	}
	if w.tags, err = q.tags(); err != nil {
		return w, err
	}
	if w.zones, err = q.zones(w.location); err != nil {
		return w, err
	}
	if w.kind, err = q.kind(); err != nil {
		return w, err
	}
	w.sharing, err = q.sharing()
	return w, err
}

// zones reads the zones of a body, of which the location must have each.
func (q *query) zones(place string) ([]string, *apiError) {
	zones, _ := q.body["zones"].([]string)
	has := locations()[place].zones
	for _, zone := range zones {
		if len(has) == 0 {
			return nil, fail("LocationNotSupportAvailabilityZones", "The resource '%s' does not support availability zones at location '%s'.",
				q.target(), place)
		}
		if !slices.Contains(has, zone) {
			return nil, fail("AvailabilityZoneNotSupported", "The zone(s) '%s' for resource '%s' is not supported. "+
				"The supported zones for location '%s' are '%s'", printable(zone), q.typeAndName(), place, strings.Join(has, ","))
		}
	}
	zones = slices.Clone(zones)
	slices.Sort(zones)
	return slices.Compact(zones), nil
}

func (q *query) properties() map[string]any {
	p, _ := q.body["properties"].(map[string]any)
	return p
}

// kind reads reservationType.
func (q *query) kind() (string, *apiError) {
	given, _ := q.properties()["reservationType"].(string)
	for _, kind := range []string{typeTargeted, typeOpen, typeBlock} {
		if strings.EqualFold(kind, given) {
			return kind, nil
		}
	}
	if given == "" {
		return "", nil
	}
	return "", fail(codeInvalidParameter, "The value of parameter reservationType is invalid: '%s'.", printable(given)).at("reservationType")
}

// sameKind refuses another reservationType than a group has.
func (q *query) sameKind(g group) *apiError {
	kind, err := q.kind()
	if err == nil && kind != "" && kind != g.Kind {
		err = changed("reservationType")
	}
	return err
}

// maxShared is how many subscriptions can share a group (azure-compute-docs,
// capacity-reservation-group-share: 100).
const maxShared = 100

// sharing reads sharingProfile; nil is none given.
func (q *query) sharing() ([]string, *apiError) {
	profile, given := q.properties()["sharingProfile"].(map[string]any)
	if !given {
		return nil, nil
	}
	entries, _ := profile["subscriptionIds"].([]map[string]any)
	ids := []string{}
	for _, entry := range entries {
		id, _ := entry["id"].(string)
		name, ok := cutFold(id, "/subscriptions/")
		if !ok || !guidForm.MatchString(name) {
			return nil, fail(codeInvalidParameter, "The value of parameter sharingProfile.subscriptionIds.id is invalid: '%s'.",
				printable(id)).at("sharingProfile.subscriptionIds.id")
		}
		if !slices.ContainsFunc(ids, func(s string) bool { return strings.EqualFold(s, id) }) {
			ids = append(ids, id)
		}
	}
	if len(ids) > maxShared {
		return nil, fail(codeInvalidParameter, "A capacity reservation group can be shared with at most %d subscriptions.", maxShared).
			at("sharingProfile.subscriptionIds")
	}
	return ids, nil
}

// refuseSharedBlock: blocks are not shared (armcompute v8.4,
// CapacityReservationGroupProperties.SharingProfile). The text is UNVERIFIED.
func refuseSharedBlock(kind string, sharing []string) *apiError {
	if kind != typeBlock || len(sharing) == 0 {
		return nil
	}
	return fail(codeInvalidParameter, "Sharing is not supported for a capacity reservation group of type Block.").at("sharingProfile")
}

// putGroup is CapacityReservationGroups_CreateOrUpdate.
func putGroup(q *query) (result, *apiError) {
	if err := q.livingResourceGroup(); err != nil {
		return result{}, err
	}
	w, err := q.wishedGroup()
	if err != nil {
		return result{}, err
	}
	if obj, there := q.tx.Object(cloudName, nativeID(q.groupID())); there {
		return q.changeGroup(obj, w)
	}
	if w.kind == "" {
		w.kind = typeTargeted
	}
	if err := refuseSharedBlock(w.kind, w.sharing); err != nil {
		return result{}, err
	}
	return q.newGroup(w)
}

func (q *query) newGroup(w wishedGroup) (result, *apiError) {
	path := q.groupID()
	g := group{
		Path: path, GUID: newGUID(q.tx), Created: q.tx.Now(), Kind: w.kind, Zones: w.zones, Sharing: w.sharing,
	}
	obj := &sim.Object{
		Cloud: cloudName, Type: groupType, NativeID: nativeID(path), Aliases: spellings(path), Account: q.subscription,
		Region: w.location, Tags: w.tags, Status: stateCreating, Hidden: q.sim.options.LateGroups,
	}
	if err := obj.Encode(g); err != nil {
		return result{}, internal(err)
	}
	q.tx.Insert(obj)
	q.req.NativeID = obj.NativeID
	answer := result{status: http.StatusCreated, header: http.Header{}}
	if q.sim.options.GroupAtOnce {
		obj.Status, obj.Hidden = stateSucceeded, false
	} else {
		op, err := q.operate(obj, "group.create", change{}, nil)
		if err != nil {
			return result{}, err
		}
		answer.header = q.accepted(op)
	}
	var err *apiError
	answer.body, err = q.groupJSON(obj, view{listed: true})
	return answer, err
}

// spellings are the names of an object beside its native id: its path as it was
// given, and with Azure's casing of the types only.
func spellings(path string) []string {
	parts := strings.Split(nativeID(path), "/")
	proper := map[string]string{
		"resourcegroups": "resourceGroups", "microsoft.compute": "Microsoft.Compute", "capacityreservationgroups": "capacityReservationGroups",
		"capacityreservations": "capacityReservations",
	}
	for i, part := range parts {
		if to, ok := proper[part]; ok && i%2 == 1 || part == "microsoft.compute" {
			parts[i] = to
		}
	}
	all := []string{path, strings.Join(parts, "/"), upperGroup(path)}
	slices.Sort(all)
	return slices.Compact(all)
}

// changeGroup is a PUT of a group that is there: what is fixed must be the same,
// and tags and sharing are replaced.
func (q *query) changeGroup(obj *sim.Object, w wishedGroup) (result, *apiError) {
	var g group
	if err := obj.Decode(&g); err != nil {
		return result{}, internal(err)
	}
	switch {
	case obj.Status == stateDeleting:
		return result{}, busy()
	case w.location != obj.Region:
		return result{}, q.elsewhere(obj, w.location)
	case !slices.Equal(w.zones, g.Zones):
		return result{}, changed("zones")
	case w.kind != "" && w.kind != g.Kind:
		return result{}, changed("reservationType")
	}
	if err := refuseSharedBlock(g.Kind, w.sharing); err != nil {
		return result{}, err
	}
	obj.Tags, g.Sharing = w.tags, w.sharing
	if err := obj.Encode(g); err != nil {
		return result{}, internal(err)
	}
	body, err := q.groupJSON(obj, view{listed: true})
	return result{body: body}, err
}

// elsewhere refuses to put what is there into another location.
func (q *query) elsewhere(obj *sim.Object, place string) *apiError {
	return fail(codeInvalidLocation, "The resource '%s' already exists in location '%s' in resource group '%s'. A resource with the same "+
		"name cannot be created in location '%s'. Please select a new resource name.", lastSegment(q.target()), obj.Region,
		printable(q.vars[varResourceGroup]), place)
}

// busy refuses a request while another one is under way. The text is that of
// virtual machines; UNVERIFIED for reservations.
func busy() *apiError {
	return fail(codeConflict, "The request failed due to conflict with a concurrent request. To resolve it, please refer to "+
		"https://aka.ms/activitylog to get more details on the conflicting requests.")
}

// patchGroup is CapacityReservationGroups_Update: only tags and sharing can change
// (armcompute v8.4, CapacityReservationGroupsClient.Update).
func patchGroup(q *query) (result, *apiError) {
	obj, g, err := q.findGroup()
	if err != nil {
		return result{}, err
	}
	if err := q.refuseMembers("CapacityReservationGroupUpdate", "location", "zones"); err != nil {
		return result{}, err
	}
	if err := q.sameKind(g); err != nil {
		return result{}, err
	}
	sharing, err := q.sharing()
	if err != nil {
		return result{}, err
	}
	if err := refuseSharedBlock(g.Kind, sharing); err != nil {
		return result{}, err
	}
	tags, err := q.tags()
	if err != nil {
		return result{}, err
	}
	if tags != nil {
		obj.Tags = tags
	}
	if sharing != nil {
		g.Sharing = sharing
	}
	if err := obj.Encode(g); err != nil {
		return result{}, internal(err)
	}
	body, err := q.groupJSON(obj, view{machines: true})
	return result{body: body}, err
}

// refuseMembers refuses what the type of a PATCH lacks of that of a PUT.
func (q *query) refuseMembers(of string, names ...string) *apiError {
	for _, name := range names {
		if _, given := q.body[name]; given {
			return fail(codeBadRequest, "Could not find member '%s' on object of type '%s'. Path '%s'.", name, of, name).at(name)
		}
	}
	return nil
}

func groupActs() map[string]act {
	return map[string]act{
		"group.create": {
			succeed: func(_ *Simulator, _ *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) {
				obj.Hidden = false
				if obj.Status == stateCreating {
					obj.Status = stateSucceeded
				}
			},
			fail: func(_ *Simulator, _ *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) {
				obj.Status, obj.Hidden = stateFailed, false
			},
		},
		"group.delete": {
			succeed: func(_ *Simulator, tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) {
				dropBelow(tx, obj.NativeID)
				tx.Remove(obj)
			},
			fail: func(_ *Simulator, _ *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) { obj.Status = stateSucceeded },
		},
	}
}
