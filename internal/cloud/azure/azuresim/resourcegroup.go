package azuresim

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// resourceGroupType is the type in the control API.
const resourceGroupType = "resourceGroups"

// stateGone marks a resource group of Options that was deleted.
const stateGone = "Gone"

// resourceGroup is what the world's header does not know of a resource group.
type resourceGroup struct {
	Path string `json:"path"`
	GUID string `json:"guid"`
}

type resourceGroupWire struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Type       string            `json:"type"`
	Location   string            `json:"location"`
	Tags       map[string]string `json:"tags,omitempty"`
	Properties map[string]string `json:"properties"`
}

func resourceGroupMethods() []method {
	body := resource("ResourceGroup", map[string]field{
		"location": {kind: text}, "tags": {kind: textMap}, "managedBy": {kind: text}, "properties": {kind: ignored},
	})
	return []method{
		{id: "ResourceGroups_CheckExistence", verb: http.MethodHead, path: pathResourceGroup, run: checkResourceGroup},
		{id: "ResourceGroups_Get", verb: http.MethodGet, path: pathResourceGroup, run: getResourceGroup},
		{id: "ResourceGroups_CreateOrUpdate", verb: http.MethodPut, path: pathResourceGroup, body: body, run: putResourceGroup},
		{id: "ResourceGroups_Update", verb: http.MethodPatch, path: pathResourceGroup, body: body, run: patchResourceGroup},
		{id: "ResourceGroups_Delete", verb: http.MethodDelete, path: pathResourceGroup, run: deleteResourceGroup},
		{id: "ResourceGroups_List", verb: http.MethodGet, path: pathSubscription + "/resourceGroups", run: listResourceGroups},
	}
}

func (c *call) resourceGroupPath() string {
	return "/subscriptions/" + c.vars[varSubscription] + "/resourceGroups/" + c.vars[varResourceGroup]
}

// defaultResourceGroup is one of Options as an object that is not in the world.
func (q *query) defaultResourceGroup(name string) (*sim.Object, bool) {
	at := slices.IndexFunc(q.sim.options.ResourceGroups, func(s string) bool { return strings.EqualFold(s, name) })
	if at < 0 {
		return nil, false
	}
	path := "/subscriptions/" + q.subscription + "/resourceGroups/" + q.sim.options.ResourceGroups[at]
	obj := &sim.Object{
		Cloud: cloudName, Type: resourceGroupType, NativeID: nativeID(path), Aliases: []string{path}, Account: q.subscription,
		Region: "eastus", Status: stateSucceeded, Hidden: true,
	}
	// A struct of strings can be encoded.
	_ = obj.Encode(resourceGroup{Path: path, GUID: path})
	return obj, true
}

// resourceGroup finds the resource group of the request.
func (q *query) resourceGroup() (*sim.Object, *apiError) {
	name := q.vars[varResourceGroup]
	obj, there := q.tx.Object(cloudName, nativeID("/subscriptions/"+q.subscription+"/resourceGroups/"+name))
	if !there {
		obj, there = q.defaultResourceGroup(name)
	}
	if !there || obj.Status == stateGone {
		return nil, fail(codeResourceGroup, "Resource group '%s' could not be found.", printable(name))
	}
	return obj, nil
}

// livingResourceGroup refuses to put something into a resource group that is
// being deleted.
func (q *query) livingResourceGroup() *apiError {
	obj, err := q.resourceGroup()
	if err == nil && obj.Status == stateDeleting {
		err = fail(codeGroupLeaving, "The resource group '%s' is in deprovisioning state and cannot perform this operation.",
			printable(q.vars[varResourceGroup]))
	}
	return err
}

func resourceGroupJSON(obj *sim.Object) (any, *apiError) {
	var g resourceGroup
	if err := obj.Decode(&g); err != nil {
		return nil, internal(err)
	}
	return resourceGroupWire{
		g.Path, lastSegment(g.Path), "Microsoft.Resources/resourceGroups", obj.Region, obj.Tags,
		map[string]string{"provisioningState": obj.Status},
	}, nil
}

func checkResourceGroup(q *query) (result, *apiError) {
	if _, err := q.resourceGroup(); err != nil {
		return result{}, err
	}
	return result{status: http.StatusNoContent}, nil
}

func getResourceGroup(q *query) (result, *apiError) {
	obj, err := q.resourceGroup()
	if err != nil {
		return result{}, err
	}
	body, err := resourceGroupJSON(obj)
	return result{body: body}, err
}

// resourceGroupName is the rule of azure-docs, resource-name-rules.
var resourceGroupName = regexp.MustCompile(`^[-\w._()]{0,89}[-\w_()]$`)

func putResourceGroup(q *query) (result, *apiError) {
	name := q.vars[varResourceGroup]
	if !resourceGroupName.MatchString(name) {
		return result{}, fail("InvalidResourceGroup", "The provided resource group name '%s' has these invalid characters or a length above 90.", printable(name))
	}
	place, err := q.location()
	if err != nil {
		return result{}, err
	}
	tags, err := q.tags()
	if err != nil {
		return result{}, err
	}
	obj, missing := q.resourceGroup()
	if missing == nil {
		if obj.Region != place {
			return result{}, fail("InvalidResourceGroupLocation", "Invalid resource group location '%s'. The Resource group already exists in location '%s'.", place, obj.Region)
		}
		obj = q.keptResourceGroup(obj)
		obj.Tags = tags
		body, err := resourceGroupJSON(obj)
		return result{body: body}, err
	}
	obj, err = q.newResourceGroup(place, tags)
	if err != nil {
		return result{}, err
	}
	body, err := resourceGroupJSON(obj)
	return result{status: http.StatusCreated, body: body}, err
}

// newResourceGroup makes one, in the place of one of Options that was deleted.
func (q *query) newResourceGroup(place string, tags map[string]string) (*sim.Object, *apiError) {
	path := q.resourceGroupPath()
	if gone, there := q.tx.Object(cloudName, nativeID(path)); there {
		q.tx.Remove(gone)
	}
	obj := &sim.Object{
		Cloud: cloudName, Type: resourceGroupType, NativeID: nativeID(path), Aliases: []string{path}, Account: q.subscription,
		Region: place, Status: stateSucceeded, Tags: tags,
	}
	if err := obj.Encode(resourceGroup{Path: path, GUID: newGUID(q.tx)}); err != nil {
		return nil, internal(err)
	}
	q.tx.Insert(obj)
	return obj, nil
}

// keptResourceGroup puts a resource group of Options into the world, where it can
// be changed.
func (q *query) keptResourceGroup(obj *sim.Object) *sim.Object {
	if obj.Serial == 0 {
		q.tx.Insert(obj)
	}
	return obj
}

func patchResourceGroup(q *query) (result, *apiError) {
	obj, err := q.resourceGroup()
	if err != nil {
		return result{}, err
	}
	tags, err := q.tags()
	if err != nil {
		return result{}, err
	}
	if tags != nil {
		obj = q.keptResourceGroup(obj)
		obj.Tags = tags
	}
	body, err := resourceGroupJSON(obj)
	return result{body: body}, err
}

// deleteResourceGroup is told of by Location only, and takes what is in it.
func deleteResourceGroup(q *query) (result, *apiError) {
	obj, err := q.resourceGroup()
	if err != nil {
		return result{}, err
	}
	obj = q.keptResourceGroup(obj)
	obj.Status = stateDeleting
	op, err := q.operate(obj, "resourceGroup.delete", change{}, nil)
	if err != nil {
		return result{}, err
	}
	return result{status: http.StatusAccepted, header: http.Header{"Location": {q.operationURL(op, true)}}}, nil
}

func resourceGroupActs() map[string]act {
	return map[string]act{"resourceGroup.delete": {
		succeed: func(s *Simulator, tx *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) {
			dropBelow(tx, obj.NativeID)
			tx.Remove(obj)
			if slices.ContainsFunc(s.options.ResourceGroups, func(name string) bool {
				return strings.EqualFold(name, lastSegment(obj.NativeID))
			}) {
				obj.Status, obj.Hidden, obj.Tags = stateGone, true, nil
				tx.Insert(obj)
			}
		},
		fail: func(_ *Simulator, _ *sim.Tx, obj *sim.Object, _ *operation, _ time.Time) { obj.Status = stateSucceeded },
	}}
}

// dropBelow removes whatever has an id below another.
func dropBelow(tx *sim.Tx, id string) {
	for _, kind := range []string{reservationType, groupType} {
		for _, obj := range tx.Objects(cloudName, kind) {
			if strings.HasPrefix(obj.NativeID, id+"/") {
				release(tx, obj)
				tx.Remove(obj)
			}
		}
	}
}

// changedResourceGroup takes what is in a resource group along.
func changedResourceGroup(_ *Simulator, tx *sim.Tx, before, after *sim.Object) {
	if after == nil {
		dropBelow(tx, before.NativeID)
	}
}

func listResourceGroups(q *query) (result, *apiError) {
	all := map[string]*sim.Object{}
	for _, name := range q.sim.options.ResourceGroups {
		if obj, ok := q.defaultResourceGroup(name); ok {
			all[obj.NativeID] = obj
		}
	}
	for _, obj := range q.tx.Objects(cloudName, resourceGroupType) {
		if obj.Account == q.subscription {
			all[obj.NativeID] = obj
		}
	}
	maps.DeleteFunc(all, func(_ string, obj *sim.Object) bool { return obj.Status == stateGone })
	return q.page(slices.Collect(maps.Values(all)), resourceGroupJSON)
}

// location reads the location of a body (fact azure-3-location).
func (q *query) location() (string, *apiError) {
	given, _ := q.body["location"].(string)
	if given == "" {
		return "", fail(codeLocationRequired, "The location property is required for this definition.")
	}
	name := locationName(given)
	if _, known := locations()[name]; !known {
		return "", fail("LocationNotAvailableForResourceType", "The provided location '%s' is not available for resource type '%s'. "+
			"List of available regions for the resource type is '%s'.", printable(given), q.typeName(), strings.Join(locationNames(), ","))
	}
	return name, nil
}

// typeName is the resource type that a request is about.
func (c *call) typeName() string {
	switch {
	case c.vars[varReservation] != "":
		return "Microsoft.Compute/capacityReservationGroups/capacityReservations"
	case c.vars[varGroup] != "":
		return "Microsoft.Compute/capacityReservationGroups"
	}
	return "Microsoft.Resources/resourceGroups"
}
