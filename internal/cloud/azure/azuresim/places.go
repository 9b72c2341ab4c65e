package azuresim

import (
	"maps"
	"slices"
	"strings"
)

// location is a region of Azure.
type location struct {
	display string
	// camel is how the URL of an operation spells it (azure-cli recording
	// test_capacity_reservation_operations, 2026-09: SouthAfricaNorth).
	camel string
	zones []string
}

// locations are some of Azure's, by name; which have zones:
// azure-docs, reliability/availability-zones-region-support.
func locations() map[string]location {
	three := []string{"1", "2", "3"}
	zonal := []string{
		"Australia East", "Brazil South", "Canada Central", "Central India", "Central US", "East US", "East US 2", "France Central",
		"Germany West Central", "Israel Central", "Italy North", "Japan East", "Korea Central", "North Europe", "Norway East",
		"Poland Central", "Qatar Central", "South Africa North", "South Central US", "Southeast Asia", "Sweden Central",
		"Switzerland North", "UAE North", "UK South", "West Europe", "West US 2", "West US 3",
	}
	regional := []string{"Australia Southeast", "North Central US", "West Central US", "West US", "UK West", "Canada East", "Japan West", "Korea South", "South India"}
	all := map[string]location{}
	for _, display := range zonal {
		all[locationName(display)] = location{display, strings.ReplaceAll(display, " ", ""), three}
	}
	for _, display := range regional {
		all[locationName(display)] = location{display, strings.ReplaceAll(display, " ", ""), nil}
	}
	return all
}

// locationName is the short form of a location: "East US" and "eastus" are the
// same one to Azure Resource Manager.
func locationName(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }

func locationNames() []string { return slices.Sorted(maps.Keys(locations())) }

// zonesOf are all zones of some locations.
func zonesOf(names ...string) map[string][]string {
	all := locations()
	zones := map[string][]string{}
	for _, name := range names {
		zones[name] = all[name].zones
	}
	return zones
}
