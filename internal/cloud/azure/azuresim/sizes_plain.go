package azuresim

// plainSizes have no GPU; public examples and recordings have them:
// Standard_DS1_v2, Standard_A1_v2 (azure-rest-api-specs, capacityReservationExamples
// of 2026-04-01), Standard_A0 as one that cannot be reserved, and such as people
// take for CPU nodes. Families and numbers: azure-compute-docs,
// sizes/general-purpose; names of the families as in az vm list-usage.
func plainSizes() []size {
	everywhere := zonesOf(locationNames()...)
	row := func(name, family string, vcpus int, memoryGB float64, types ...string) size {
		return size{
			name: name, family: family, vcpus: vcpus, memoryGB: memoryGB, zones: everywhere,
			reservable: len(types) > 0, reservationTypes: types,
		}
	}
	return []size{
		row("Standard_DS1_v2", "standardDSv2Family", 1, 3.5, onDemand()...),
		row("Standard_DS2_v2", "standardDSv2Family", 2, 7, onDemand()...),
		row("Standard_D2s_v3", "standardDSv3Family", 2, 8, onDemand()...),
		row("Standard_D4s_v3", "standardDSv3Family", 4, 16, onDemand()...),
		row("Standard_D2s_v5", "standardDSv5Family", 2, 8, onDemand()...),
		row("Standard_F2s_v2", "standardFSv2Family", 2, 4, onDemand()...),
		row("Standard_A1_v2", "standardAv2Family", 1, 2, typeTargeted),
		row("Standard_A0", "standardA0_A7Family", 1, 0.75),
	}
}
