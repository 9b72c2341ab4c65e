package azuresim

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// groupType is the type in the control API.
const groupType = "capacityReservationGroups"

// groupLag is for how long a group whose last reservation went counts as full
// (azure-rest-api-specs#18767: about 5 s).
const groupLag = 5 * time.Second

// group is what the world's header does not know of a group.
type group struct {
	Path    string    `json:"path"`
	GUID    string    `json:"guid"`
	Created time.Time `json:"created"`
	Kind    string    `json:"kind"`
	Zones   []string  `json:"zones,omitempty"`
	// Sharing are the subscriptions of the sharingProfile, as they were given;
	// nil is no profile.
	Sharing []string `json:"sharing,omitempty"`
	// Emptied is when the last reservation went, and Last its path.
	Emptied time.Time `json:"emptied,omitzero"`
	Last    string    `json:"last,omitempty"`
}

type subResource struct {
	ID string `json:"id"`
}

type sharingWire struct {
	SubscriptionIDs []subResource `json:"subscriptionIds"`
}

type groupWire struct {
	Name       string            `json:"name,omitempty"`
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Location   string            `json:"location"`
	Tags       map[string]string `json:"tags,omitempty"`
	Zones      []string          `json:"zones,omitempty"`
	Properties *groupProperties  `json:"properties,omitempty"`
}

type groupProperties struct {
	Reservations      []subResource      `json:"capacityReservations,omitempty"`
	Associated        []subResource      `json:"virtualMachinesAssociated,omitempty"`
	ReservationType   string             `json:"reservationType,omitempty"`
	Sharing           *sharingWire       `json:"sharingProfile,omitempty"`
	ProvisioningState string             `json:"provisioningState,omitempty"`
	InstanceView      *groupInstanceView `json:"instanceView,omitempty"`
}

type groupInstanceView struct {
	Reservations []namedInstanceView `json:"capacityReservations"`
	Shared       []subResource       `json:"sharedSubscriptionIds,omitempty"`
}

type namedInstanceView struct {
	Name string `json:"name"`
	instanceView
}

// view is what of a resource is shown.
type view struct {
	// instances is $expand=instanceView.
	instances bool
	// machines has the associated machines in it.
	machines bool
	// listed has the resource group in capitals.
	listed bool
}

// children are a group's reservations as the request found them, oldest first.
func (q *query) children(group *sim.Object) []*sim.Object {
	if q.byGroup == nil {
		q.byGroup = map[string][]*sim.Object{}
		for _, obj := range q.tx.Objects(cloudName, reservationType) {
			of, _, _ := strings.Cut(obj.NativeID, "/capacityreservations/")
			q.byGroup[of] = append(q.byGroup[of], obj)
		}
	}
	return q.byGroup[group.NativeID]
}

// render writes a group or a reservation.
func (q *query) render(obj *sim.Object, v view) (any, *apiError) {
	if obj.Type == groupType {
		return q.groupJSON(obj, v)
	}
	return q.reservationJSON(obj, v)
}

// sinceKind is since when groups have a type (armcompute's change log); a group
// without reservations had no properties before (azure-cli recording
// test_capacity_reservation_list_delete, 2022-11).
const sinceKind = "2025-04-01"

// groupJSON renders a group (facts azure-3).
func (q *query) groupJSON(obj *sim.Object, v view) (any, *apiError) {
	var g group
	if err := obj.Decode(&g); err != nil {
		return nil, internal(err)
	}
	p := &groupProperties{}
	if q.since(sinceKind) {
		p.ReservationType = g.Kind
	}
	if q.since("2026-04-01") {
		p.ProvisioningState = obj.Status
	}
	if g.Sharing != nil {
		p.Sharing = &sharingWire{q.references(g.Sharing)}
	}
	if err := q.showChildren(p, obj, g, v); err != nil {
		return nil, err
	}
	w := groupWire{
		Name: lastSegment(g.Path), ID: g.Path, Type: "Microsoft.Compute/capacityReservationGroups", Location: obj.Region, Tags: obj.Tags,
		Zones: g.Zones, Properties: p,
	}
	// What was decoded is this answer's own.
	shuffle(q, w.Zones)
	if reflect.ValueOf(*p).IsZero() {
		w.Properties = nil
	}
	if v.listed {
		w.ID = upperGroup(w.ID)
	}
	return w, nil
}

// showChildren shows what a group has of its reservations.
func (q *query) showChildren(p *groupProperties, obj *sim.Object, g group, v view) *apiError {
	if v.instances {
		p.InstanceView = &groupInstanceView{Reservations: []namedInstanceView{}, Shared: q.references(g.Sharing)}
	}
	for _, child := range q.children(obj) {
		var r reservation
		if err := child.Decode(&r); err != nil {
			return internal(err)
		}
		p.Reservations = append(p.Reservations, subResource{r.Path})
		if v.machines && r.Kind != typeOpen {
			p.Associated = append(p.Associated, q.references(associated(child, r))...)
		}
		if v.instances {
			p.InstanceView.Reservations = append(p.InstanceView.Reservations, namedInstanceView{lastSegment(r.Path), q.instances(child, r)})
		}
	}
	shuffle(q, p.Reservations)
	return nil
}

// references are ids as a collection of them is written.
func (q *query) references(ids []string) []subResource {
	var all []subResource
	for _, id := range ids {
		all = append(all, subResource{id})
	}
	shuffle(q, all)
	return all
}

// shuffle brings a collection into another order where a fault asks for it.
func shuffle[T any](q *query, all []T) {
	if q.req.Effects.Shuffle {
		q.tx.Rand().Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
}

// findGroup gets the group that a request is about.
func (q *query) findGroup() (*sim.Object, group, *apiError) {
	var g group
	if _, err := q.resourceGroup(); err != nil {
		return nil, g, err
	}
	obj, ok := q.tx.Object(cloudName, nativeID(q.groupID()))
	if !ok || obj.Type != groupType || obj.Hidden {
		return nil, g, q.notFound()
	}
	if err := obj.Decode(&g); err != nil {
		return nil, g, internal(err)
	}
	return obj, g, nil
}

// expand reads $expand, which has one value for each method.
func (q *query) expand(allowed ...string) (bool, *apiError) {
	given := q.param("$expand")
	if given == "" {
		return false, nil
	}
	if !slices.ContainsFunc(allowed, func(s string) bool { return foldEqual(s, given) }) {
		return false, fail(codeInvalidParameter, "The value '%s' of parameter '$expand' is invalid.", printable(given)).at("$expand")
	}
	return true, nil
}

func getGroup(q *query) (result, *apiError) {
	instances, err := q.expand("instanceView")
	if err != nil {
		return result{}, err
	}
	obj, _, err := q.findGroup()
	if err != nil {
		return result{}, err
	}
	body, err := q.groupJSON(obj, view{instances: instances, machines: true})
	return result{body: body}, err
}

func groupMethods() []method {
	const (
		own        = pathResourceGroup + "/" + pathCompute + "/capacityReservationGroups"
		one        = own + "/{" + varGroup + "}"
		policyGet  = "GetCapacityReservationSubscriptionMaximum;356"
		policyPut  = "PutCapacityReservationSubscriptionMaximum;149"
		policyDrop = "DeleteCapacityReservationSubscriptionMaximum;149"
	)
	body := groupSchema()
	return []method{
		{id: "CapacityReservationGroups_CreateOrUpdate", verb: http.MethodPut, path: one, body: body, policy: policyPut, run: putGroup},
		{id: "CapacityReservationGroups_Update", verb: http.MethodPatch, path: one, body: body, policy: policyPut, run: patchGroup},
		{id: "CapacityReservationGroups_Get", verb: http.MethodGet, path: one, policy: policyGet, run: getGroup},
		{id: "CapacityReservationGroups_Delete", verb: http.MethodDelete, path: one, policy: policyDrop, run: deleteGroup},
		{
			id: "CapacityReservationGroups_ListByResourceGroup", verb: http.MethodGet, path: own, policy: policyGet,
			about: aboutNothing, run: listGroups,
		},
		{
			id: "CapacityReservationGroups_ListBySubscription", verb: http.MethodGet,
			path: pathSubscription + "/" + pathCompute + "/capacityReservationGroups", policy: policyGet, about: aboutNothing, run: listAllGroups,
		},
	}
}

// aboutNothing is for lists, which are about no object.
func aboutNothing(*call, *sim.Tx, *sim.Request) {}

// groupSchema lists the fields of a CapacityReservationGroup.
func groupSchema() *object {
	return resource("CapacityReservationGroup", map[string]field{
		"location": {kind: text}, "tags": {kind: textMap}, "zones": {kind: texts},
		"properties": {kind: nested, of: object{"CapacityReservationGroupProperties", map[string]field{
			"reservationType": {kind: text},
			"sharingProfile": {kind: nested, of: object{"ResourceSharingProfile", map[string]field{
				"subscriptionIds": {kind: list, of: object{"SubResource", map[string]field{"id": {kind: text}}}},
			}}},
			"capacityReservations": {kind: ignored}, "virtualMachinesAssociated": {kind: ignored}, "instanceView": {kind: ignored},
			"provisioningState": {kind: ignored},
		}}},
	})
}
