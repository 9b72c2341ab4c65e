package reservation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// azureSources are the types of hashicorp/azurerm that hold one reservation, of
// schema version 0 (that provider's internal/services/compute,
// capacity_reservation_resource.go, which sets none).
func azureSources() []source {
	return []source{{provider: "hashicorp/azurerm", typeName: "azurerm_capacity_reservation", read: readAzure}}
}

// azureState is what the type tells, by its names there; a block is a list of one.
// It tells no region: that of its group is only read by the first look at the cloud.
type azureState struct {
	ID    string            `json:"id"`
	Name  string            `json:"name"`
	Group string            `json:"capacity_reservation_group_id"`
	Zone  string            `json:"zone"`
	Tags  map[string]string `json:"tags"`
	SKU   []struct {
		Name     string `json:"name"`
		Capacity int    `json:"capacity"`
	} `json:"sku"`
}

// readAzure reads the state of the type. The group stays that of its own resource.
func readAzure(state []byte) (moved, error) {
	var s azureState
	if err := json.Unmarshal(state, &s); err != nil {
		return moved{}, err
	}
	nativeID := strings.ToLower(s.ID)
	own, name, _ := strings.Cut(nativeID, reservationsSegment)
	id, ok := parseAzureGroup(own)
	switch {
	case !ok || name == "" || strings.Contains(name, "/"):
		return moved{}, fmt.Errorf("its id %q is not that of a capacity reservation", s.ID)
	case !strings.EqualFold(s.Group, own):
		return moved{}, fmt.Errorf("its group %q is not that of its id %q", s.Group, s.ID)
	case len(s.SKU) != 1 || s.SKU[0].Name == "":
		return moved{}, fmt.Errorf("it does not tell the size of %s", name)
	}
	return moved{
		reservation: cloud.Reservation{
			Ref: cloud.Ref{NativeID: nativeID}, AccountID: id.subscription, Zone: s.Zone, Kind: cloud.OnDemand,
			InstanceType: s.SKU[0].Name, Count: s.SKU[0].Capacity, Match: cloud.Targeted, NativeName: name, Tags: s.Tags,
			Native: map[string]string{azureGroup: s.Group},
		},
		ownTags: s.Tags,
	}, nil
}
