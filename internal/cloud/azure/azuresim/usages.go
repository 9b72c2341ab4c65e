package azuresim

import (
	"net/http"
	"strings"
)

func usageMethods() []method {
	return []method{{
		id: "Usage_List", verb: http.MethodGet, path: pathSubscription + "/" + pathCompute + "/locations/{" + varLocation + "}/usages", run: listUsages,
	}}
}

type usageWire struct {
	Limit   int       `json:"limit"`
	Unit    string    `json:"unit"`
	Current int       `json:"currentValue"`
	Name    usageName `json:"name"`
}

type usageName struct {
	Value     string `json:"value"`
	Localized string `json:"localizedValue"`
}

// usageNames are names in words that do not follow from the name, in an order as
// the service has it (azure-docs, virtual-machines-common-quotas).
func usageNames() []usageName {
	return []usageName{
		{"availabilitySets", "Availability Sets"},
		{quotaCores, "Total Regional vCPUs"},
		{"virtualMachines", "Virtual Machines"},
		{"virtualMachineScaleSets", "Virtual Machine Scale Sets"},
		{"lowPriorityCores", "Total Regional Low-priority vCPUs"},
	}
}

// listUsages is Usage_List (fact azure-7-usages): quotas in vCPUs by family, and
// those that count otherwise. A family of which a location has no size is listed
// as well.
func listUsages(q *query) (result, *apiError) {
	place := locationName(q.vars[varLocation])
	if _, known := locations()[place]; !known {
		return result{}, fail("NoRegisteredProviderFound", "No registered resource provider found for location '%s' and API version '%s' for "+
			"type 'locations/usages'. The supported locations are '%s'.", printable(q.vars[varLocation]), q.version,
			strings.Join(locationNames(), ", "))
	}
	q.req.Region = place
	return pageOf(q, q.usageRows(place))
}

func (q *query) usageRows(place string) map[string]usageWire {
	have := q.sim.usage(q.tx, q.subscription, place)
	rows := map[string]usageWire{}
	add := func(name usageName) {
		limit, others := limitOf(q.tx, q.subscription, place, name.Value)
		rows[name.Value] = usageWire{Limit: limit, Unit: "Count", Current: have[name.Value] + others, Name: name}
	}
	for _, name := range usageNames() {
		add(name)
	}
	for _, s := range q.sim.sizes {
		if _, done := rows[s.family]; !done {
			add(usageName{s.family, familyWords(s.family)})
		}
	}
	return rows
}

// familyWords are a family's name in words: "Standard NCADSA100v4 Family vCPUs" of
// "StandardNCADSA100v4Family". UNVERIFIED for the finer points of some.
func familyWords(family string) string {
	name := strings.TrimSpace(strings.TrimSuffix(family, "Family"))
	rest, _ := cutFold(name, "standard")
	return "Standard " + strings.TrimSpace(rest) + " Family vCPUs"
}
