package googlesim

import (
	"maps"
	"net/http"
	"slices"
)

// regionWire is a Region in JSON.
type regionWire struct {
	provided
	Status      string      `json:"status"`
	Zones       []string    `json:"zones"`
	Quotas      []quotaWire `json:"quotas"`
	SupportsPZS bool        `json:"supportsPzs"`
}

// zoneWire is a Zone in JSON.
type zoneWire struct {
	provided
	Status       string   `json:"status"`
	Region       string   `json:"region"`
	CPUPlatforms []string `json:"availableCpuPlatforms"`
	SupportsPZS  bool     `json:"supportsPzs"`
}

// cpuPlatforms are those of N1, which are in every zone here; a zone's own
// list is longer.
func cpuPlatforms() []string {
	return []string{"Intel Broadwell", "Intel Haswell", "Intel Ivy Bridge", "Intel Sandy Bridge", "Intel Skylake"}
}

func placeMethods() []method {
	const regions, zones = "projects/{project}/regions", "projects/{project}/zones"
	return []method{
		{id: "compute.regions.get", verb: http.MethodGet, path: regions + "/{region}", group: groupReads, run: getRegion},
		{id: "compute.regions.list", verb: http.MethodGet, path: regions, query: listParams(), group: groupLists, run: listRegions},
		{id: "compute.zones.get", verb: http.MethodGet, path: zones + "/{zone}", group: groupReads, run: getZone},
		{id: "compute.zones.list", verb: http.MethodGet, path: zones, query: listParams(), group: groupLists, run: listZones},
	}
}

func regionPath(project, region string) string { return "projects/" + project + "/regions/" + region }

func (q *query) regionJSON(region string) regionWire {
	w := regionWire{
		provided: newProvided("compute#region", regionPath(q.project, region), region), Status: "UP",
		Quotas: quotasWire(q.tx, q.project, region),
	}
	for _, letter := range regions()[region] {
		w.Zones = append(w.Zones, link(zonePath(q.project, region+"-"+string(letter))))
	}
	return w
}

// getRegion is compute.regions.get (fact google-8-region-quotas).
func getRegion(q *query) (any, *apiError) {
	q.req.NativeID = regionPath(q.project, q.region)
	return q.regionJSON(q.region), nil
}

func listRegions(q *query) (any, *apiError) {
	var s shelf
	for _, region := range slices.Sorted(maps.Keys(regions())) {
		s.add(regionPath(q.project, region), "", q.regionJSON(region))
	}
	return q.page("compute#regionList", "projects/"+q.project+"/regions", s)
}

func zoneJSON(project, zone string) zoneWire {
	region, _ := regionOf(zone)
	return zoneWire{
		provided: newProvided("compute#zone", zonePath(project, zone), zone), Status: "UP",
		Region: link(regionPath(project, region)), CPUPlatforms: cpuPlatforms(),
	}
}

func getZone(q *query) (any, *apiError) {
	q.req.NativeID = zonePath(q.project, q.zone)
	return zoneJSON(q.project, q.zone), nil
}

func listZones(q *query) (any, *apiError) {
	var s shelf
	for _, zone := range zones() {
		s.add(zonePath(q.project, zone), zone, zoneJSON(q.project, zone))
	}
	return q.page("compute#zoneList", "projects/"+q.project+"/zones", s)
}
