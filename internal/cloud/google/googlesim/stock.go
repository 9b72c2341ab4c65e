package googlesim

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	codeStock        = "ZONE_RESOURCE_POOL_EXHAUSTED"
	codeStockDetails = "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS"
	codeQuota        = "QUOTA_EXCEEDED"
)

// take takes stock in advance for an operation, or gives the failure that the
// operation will end with.
func (q *query) take(obj *sim.Object, p instanceProperties, count int, c *change) *failure {
	if q.tx.Take(placeOf(obj), count) {
		c.Taken = count
		return nil
	}
	return q.stockout(obj, p, count)
}

// stockout words a stock-out (fact google-4-stock).
func (q *query) stockout(obj *sim.Object, p instanceProperties, count int) *failure {
	f := &failure{
		Code: codeStock, Status: http.StatusServiceUnavailable,
		Message: "The zone '" + zonePath(obj.Account, obj.Zone) + "' does not have enough resources available to fulfill the request. " +
			"Try a different zone, or try again later.",
	}
	if !q.sim.options.StockDetails {
		return f
	}
	f.Code = codeStockDetails
	f.Message = "The zone '" + zonePath(obj.Account, obj.Zone) + "' does not have enough resources available to fulfill the request.  " +
		"'(resource type:compute)'."
	metadatas := map[string]string{"vmType": p.MachineType, "zone": obj.Zone}
	if others := q.zonesWith(obj, count); len(others) > 0 {
		metadatas["zonesAvailable"] = strings.Join(others, ",")
	}
	if len(p.Accelerators) > 0 && !p.Brought {
		metadatas["attachment"] = p.Accelerators[0].Type + ":" + strconv.Itoa(p.Accelerators[0].Count)
	}
	f.Details = []any{
		map[string]any{"help": map[string]any{"links": []any{map[string]string{
			"description": "Troubleshooting documentation", "url": "https://cloud.google.com/compute/docs/resource-error",
		}}}},
		map[string]any{"localizedMessage": map[string]string{
			"locale": "en-US", "message": "A " + p.MachineType + " VM instance is currently unavailable in the " + obj.Zone + " zone.",
		}},
		infoDetail("resource_availability", metadatas),
	}
	return f
}

// zonesWith are the other zones of the region that have the type and the stock.
func (q *query) zonesWith(obj *sim.Object, count int) []string {
	var found []string
	m := machineTypes()[obj.InstanceType]
	for _, letter := range regions()[obj.Region] {
		zone := obj.Region + "-" + string(letter)
		if zone == obj.Zone || (m.accelerator != "" && !offered(zone, m.accelerator)) {
			continue
		}
		place := placeOf(obj)
		place.Zone = zone
		if left, limited := q.tx.Available(place); !limited || left >= count {
			found = append(found, zone)
		}
	}
	return found
}
