package azure

import (
	"regexp"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Ids of Azure Resource Manager are the same in any casing, and answers spell them
// in several (armcompute v8.4, examples of CapacityReservationGroupsClient). All
// that this package holds and hands out is in lower case.
const (
	groupsPath       = "/providers/microsoft.compute/capacityreservationgroups/"
	reservationsPath = "/capacityreservations/"
)

const guid = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	subscriptionForm = regexp.MustCompile(`^(?:/subscriptions/)?(` + guid + `)/?$`)
	// resourceGroupForm and its length are of the page "Naming rules and
	// restrictions for Azure resources", resourceGroups.
	resourceGroupForm = regexp.MustCompile(`^[\p{L}\p{N}_().-]{0,89}[\p{L}\p{N}_()-]$`)
	// memberForm is the name of a group or a reservation (azurerm provider,
	// validate.CapacityReservationGroupName; the length is the common one of
	// Microsoft.Compute, UNVERIFIED for groups).
	memberForm = regexp.MustCompile(`^[\p{L}\p{N}][^\\/"\[\]:|<>+=;,?*@&#%\s]{0,79}$`)
	// pathForm is an id of a group or a reservation, alone or at the end of a link
	// to an endpoint or to the portal.
	pathForm = regexp.MustCompile(`^(?:https?://[^/?\s]+(?:/#(?:[^/\s]*/)?resource)?)?/?subscriptions/([^/]+)/resourcegroups/([^/]+)` +
		groupsPath + `([^/]+)(?:` + reservationsPath + `([^/]+))?/?$`)
)

const idForms = "/subscriptions/GUID/resourceGroups/RG/providers/Microsoft.Compute/capacityReservationGroups/GROUP/capacityReservations/NAME, " +
	"in any casing, or a link that ends so"

// groupID is the id of a capacity reservation group taken apart, in lower case.
type groupID struct{ subscription, resourceGroup, group string }

// String is the id.
func (g groupID) String() string {
	return "/subscriptions/" + g.subscription + "/resourcegroups/" + g.resourceGroup + groupsPath + g.group
}

// member is a reservation in the group.
func (g groupID) member(name string) reservationID {
	return reservationID{groupID: g, name: strings.ToLower(name)}
}

// check tells what is wrong with the parts; "" is nothing.
func (g groupID) check() string {
	switch {
	case !subscriptionForm.MatchString(g.subscription):
		return "\"" + g.subscription + "\" is not the id of a subscription"
	case !resourceGroupForm.MatchString(g.resourceGroup):
		return "\"" + g.resourceGroup + "\" is not the name of a resource group"
	case !isMember(g.group):
		return "\"" + g.group + "\" is not the name of a capacity reservation group"
	}
	return ""
}

// reservationID is the id of a capacity reservation taken apart, in lower case.
type reservationID struct {
	groupID
	name string
}

// String is the native id.
func (r reservationID) String() string { return r.groupID.String() + reservationsPath + r.name }

// namesake tells whether the group has the name of one that this driver would make
// for the reservation.
func (r reservationID) namesake() bool { return r.name == r.group }

func isMember(name string) bool {
	return memberForm.MatchString(name) && !strings.HasSuffix(name, ".") && !strings.HasSuffix(name, "-")
}

// subscriptionID is the id of a subscription in either spelling, in lower case.
func subscriptionID(text string) (string, bool) {
	match := subscriptionForm.FindStringSubmatch(strings.ToLower(text))
	if match == nil {
		return "", false
	}
	return match[1], true
}

// parseID reads the id of a reservation in any casing.
func parseID(id string) (reservationID, error) {
	r, why := parsePath(id)
	if why == "" && r.name == "" {
		why = "it ends at the group"
	}
	if why != "" {
		return reservationID{}, &cloud.Error{
			Code:    cloud.Invalid,
			Message: cloud.Clean("\"" + id + "\" is not the id of a capacity reservation: " + why + "; the form is " + idForms),
		}
	}
	return r, nil
}

// parseGroupID reads the id of a group in any casing.
func parseGroupID(id string) (groupID, error) {
	r, why := parsePath(id)
	if why == "" && r.name != "" {
		why = "it is that of a reservation in a group"
	}
	if why != "" {
		return groupID{}, &cloud.Error{
			Code: cloud.Invalid,
			Message: cloud.Clean("\"" + id + "\" is not the id of a capacity reservation group: " + why +
				"; the form is /subscriptions/GUID/resourceGroups/RG/providers/Microsoft.Compute/capacityReservationGroups/GROUP"),
		}
	}
	return r.groupID, nil
}

// parsePath reads an id of either and tells what is wrong with it; the name of a
// group's is empty.
func parsePath(id string) (reservationID, string) {
	match := pathForm.FindStringSubmatch(strings.ToLower(strings.TrimSpace(id)))
	if match == nil {
		return reservationID{}, "it has another form"
	}
	r := reservationID{groupID: groupID{subscription: match[1], resourceGroup: match[2], group: match[3]}, name: match[4]}
	if why := r.check(); why != "" {
		return reservationID{}, why
	}
	if r.name != "" && !isMember(r.name) {
		return reservationID{}, "\"" + r.name + "\" is not the name of a capacity reservation"
	}
	return r, ""
}

// nativeID reads a native id as this driver hands them out.
func nativeID(ref cloud.Ref) (reservationID, error) { return parseID(ref.NativeID) }

// locationOf is a location in its short form: "East US" is eastus.
func locationOf(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), ""))
}
