package azuresim

import (
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// armID makes an id of a subscription, a resource group and pairs of type and
// name below Microsoft.Compute.
func armID(subscription, group string, more ...string) string {
	parts := append([]string{"", "subscriptions", subscription, "resourceGroups", group, "providers", "Microsoft.Compute"}, more...)
	return strings.Join(parts, "/")
}

// nativeID is the form that the control API and the call log have of an id.
func nativeID(id string) string { return strings.ToLower(id) }

// lastSegment is what follows the last slash.
func lastSegment(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// resourceGroupOf is the name of the resource group in an id.
func resourceGroupOf(id string) string {
	parts := segments(id)
	if len(parts) < 4 {
		return ""
	}
	return parts[3]
}

// groupID is the id of the group that a request is about.
func (c *call) groupID() string {
	return armID(c.vars[varSubscription], c.vars[varResourceGroup], "capacityReservationGroups", c.vars[varGroup])
}

// reservationID is the id of the reservation that a request is about.
func (c *call) reservationID() string {
	return c.groupID() + "/capacityReservations/" + c.vars[varReservation]
}

// target is the id of the object that a request is about, in the caller's casing;
// "" for a list.
func (c *call) target() string {
	parts := segments(c.method.path)
	if len(parts) < 2 || !strings.HasPrefix(parts[len(parts)-1], "{") {
		return ""
	}
	for i, part := range parts {
		if name, variable := strings.CutPrefix(part, "{"); variable {
			parts[i] = c.vars[strings.TrimSuffix(name, "}")]
		}
	}
	return "/" + strings.Join(parts, "/")
}

// typeAndName is what error texts call the object of a request.
func (c *call) typeAndName() string {
	name := "Microsoft.Compute/capacityReservationGroups"
	if c.vars[varReservation] == "" {
		return name + "/" + printable(c.vars[varGroup])
	}
	return name + "/" + printable(c.vars[varGroup]) + "/capacityReservations/" + printable(c.vars[varReservation])
}

// upperGroup is an id as lists and the PUT of a group show it: with the resource
// group in capitals (azure-cli recording test_capacity_reservation_operations, 2026-09).
func upperGroup(id string) string {
	parts := strings.Split(id, "/")
	if len(parts) > 4 {
		parts[4] = strings.ToUpper(parts[4])
	}
	return strings.Join(parts, "/")
}

// describe fills in what the call log shows and faults match on. An operation
// stands for what it works on too.
func (c *call) describe(tx *sim.Tx, req *sim.Request, body map[string]any) {
	if c.method.about != nil {
		c.method.about(c, tx, req)
		return
	}
	req.Region = locationName(c.vars[varLocation])
	id := c.target()
	if id == "" {
		return
	}
	req.NativeID, req.Names = nativeID(id), []string{id}
	if obj, known := tx.Object(cloudName, req.NativeID); known {
		req.Region, req.Zone, req.InstanceType = obj.Region, obj.Zone, obj.InstanceType
		req.Names = append(req.Names, obj.Aliases...)
		return
	}
	if place, ok := body["location"].(string); ok {
		req.Region = locationName(place)
	}
	if zones, ok := body["zones"].([]any); ok && len(zones) == 1 && c.vars[varReservation] != "" {
		req.Zone, _ = zones[0].(string)
	}
	if sku, ok := body["sku"].(map[string]any); ok {
		req.InstanceType, _ = sku["name"].(string)
		if s, known := c.sim.sizeByName(req.InstanceType); known {
			req.InstanceType = s.name
		}
	}
}
