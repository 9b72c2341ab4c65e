package azuresim

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// Values of reasonCode (armcompute v8.4, ResourceSKURestrictionsReasonCode).
const (
	notForSubscription = "NotAvailableForSubscription"
	notForOffer        = "QuotaId"
)

func byLocation(a, b restriction) int { return strings.Compare(a.location, b.location) }

func skuMethods() []method {
	return []method{{
		id: "ResourceSkus_List", verb: http.MethodGet, path: pathSubscription + "/" + pathCompute + "/skus", run: listSKUs, about: aboutSKUs,
	}}
}

// aboutSKUs: a list of a location is about that location.
func aboutSKUs(c *call, _ *sim.Tx, req *sim.Request) {
	if m := skuFilter.FindStringSubmatch(c.param("$filter")); m != nil {
		req.Region = locationName(m[1])
	}
}

// catalogWire is a ResourceSku. The order of fields is that of the service.
type catalogWire struct {
	ResourceType string           `json:"resourceType"`
	Name         string           `json:"name"`
	Tier         string           `json:"tier"`
	Size         string           `json:"size,omitempty"`
	Family       string           `json:"family"`
	Locations    []string         `json:"locations"`
	LocationInfo []skuLocation    `json:"locationInfo"`
	Capabilities []skuCapability  `json:"capabilities"`
	Restrictions []skuRestriction `json:"restrictions"`
}

type skuLocation struct {
	Location    string    `json:"location"`
	Zones       []string  `json:"zones"`
	ZoneDetails []skuZone `json:"zoneDetails"`
	// Extended is given when it is asked for.
	Extended []string `json:"extendedLocations,omitempty"`
}

type skuZone struct {
	Name         []string        `json:"name"`
	Capabilities []skuCapability `json:"capabilities"`
}

type skuCapability struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type skuRestriction struct {
	Type   string             `json:"type"`
	Values []string           `json:"values"`
	Info   skuRestrictionInfo `json:"restrictionInfo"`
	Reason string             `json:"reasonCode"`
}

type skuRestrictionInfo struct {
	Locations []string `json:"locations"`
	Zones     []string `json:"zones,omitempty"`
}

// skuFilter is the one filter that there is (armcompute v8.4,
// ResourceSKUsClientListOptions.Filter: only location).
var skuFilter = regexp.MustCompile(`^\s*location\s+eq\s+'([^']*)'\s*$`)

// listSKUs is ResourceSkus_List (facts azure-7): an entry for each size and
// location.
func listSKUs(q *query) (result, *apiError) {
	wanted, err := q.skuLocation()
	if err != nil {
		return result{}, err
	}
	if text := strings.ToLower(q.param("includeExtendedLocations")); text != "" && text != "true" && text != "false" {
		return result{}, fail(codeInvalidParameter, "The value of parameter includeExtendedLocations is invalid.").at("includeExtendedLocations")
	}
	rows := q.sim.catalog(func(location string) bool { return wanted == "" || wanted == location })
	return pageOf(q, rows)
}

// catalog lists sizes and host types of locations, by keys that order them.
func (s *Simulator) catalog(wanted func(location string) bool) map[string]catalogWire {
	rows := map[string]catalogWire{}
	for _, size := range s.sizes {
		for location, zones := range size.zones {
			if wanted(location) {
				rows["virtualMachines/"+size.name+"/"+location] = size.wire(location, zones)
			}
		}
	}
	for _, h := range hostTypes() {
		for _, location := range h.locations {
			if wanted(location) {
				rows["hostGroups/"+h.name+"/"+location] = h.wire(location)
			}
		}
	}
	return rows
}

// pageOf answers a list of what is not in the world: each row stands for an object
// with its key as an id.
func pageOf[T any](q *query, rows map[string]T) (result, *apiError) {
	var objects []*sim.Object
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		objects = append(objects, &sim.Object{NativeID: key})
	}
	return q.page(objects, func(obj *sim.Object) (any, *apiError) { return rows[obj.NativeID], nil })
}

// skuLocation reads $filter. A location that there is not matches nothing;
// other filters are refused, UNVERIFIED.
func (q *query) skuLocation() (string, *apiError) {
	filter := q.param("$filter")
	if filter == "" {
		return "", nil
	}
	m := skuFilter.FindStringSubmatch(filter)
	if m == nil {
		return "", fail(codeInvalidParameter, "The filter '%s' is not supported. Only a filter on location is supported.", printable(filter)).
			at("$filter")
	}
	if m[1] == "" {
		return "", nil
	}
	return locationName(m[1]), nil
}

// wire writes a size in a location.
func (s size) wire(location string, zones []string) catalogWire {
	w := catalogWire{
		ResourceType: "virtualMachines", Name: s.name, Tier: "Standard", Size: strings.TrimPrefix(s.name, "Standard_"), Family: s.family,
		Locations:    []string{location},
		LocationInfo: []skuLocation{{Location: location, Zones: append([]string{}, zones...), ZoneDetails: []skuZone{}}},
		Capabilities: s.capabilities(), Restrictions: []skuRestriction{},
	}
	if len(zones) > 0 {
		// karpenter-provider-azure, zz_generated.sku.southcentralus.go: as of sizes
		// with premium storage.
		w.LocationInfo[0].ZoneDetails = []skuZone{{zones, []skuCapability{{"UltraSSDAvailable", "True"}}}}
	}
	for _, r := range s.restrictions {
		if r.location == location {
			w.Restrictions = append(w.Restrictions, r.wire())
		}
	}
	return w
}

func (r restriction) wire() skuRestriction {
	w := skuRestriction{Type: "Location", Values: []string{r.location}, Info: skuRestrictionInfo{Locations: []string{r.location}}, Reason: r.reason}
	if r.zonal {
		w.Type, w.Info.Zones = "Zone", r.zones
	}
	return w
}

// capabilities are names and values as texts; numbers and truth too (armcompute
// v8.4, ResourceSKUCapabilities). Names: karpenter-provider-azure,
// zz_generated.sku.southcentralus.go; SupportedCapacityReservationTypes with
// values such as "Open,Targeted": SKU lists of 2026 recorded in public tests. What is
// the same for many sizes here may differ in the details.
func (s size) capabilities() []skuCapability {
	all := []skuCapability{
		{"MaxResourceVolumeMB", "0"},
		{"OSVhdSizeMB", "1047552"},
		{"vCPUs", strconv.Itoa(s.vcpus)},
		{"MemoryPreservingMaintenanceSupported", "False"},
		{"HyperVGenerations", "V1,V2"},
	}
	if s.reservable {
		types := slices.Sorted(slices.Values(s.reservationTypes))
		all = append(all, skuCapability{"SupportedCapacityReservationTypes", strings.Join(types, ",")})
	}
	all = append(all,
		skuCapability{"MemoryGB", strconv.FormatFloat(s.memoryGB, 'f', -1, 64)}, skuCapability{"MaxDataDiskCount", "8"},
		skuCapability{"CpuArchitectureType", s.architecture()}, skuCapability{"LowPriorityCapable", "True"},
		skuCapability{"PremiumIO", "True"}, skuCapability{"VMDeploymentTypes", "IaaS"}, skuCapability{"vCPUsAvailable", strconv.Itoa(s.vcpus)},
	)
	if s.gpus > 0 {
		all = append(all, skuCapability{"GPUs", strconv.Itoa(s.gpus)})
	}
	return append(all,
		skuCapability{"vCPUsPerCore", "1"}, skuCapability{"CombinedTempDiskAndCachedIOPS", "30000"}, skuCapability{"EphemeralOSDiskSupported", "True"},
		skuCapability{"EncryptionAtHostSupported", "True"}, skuCapability{"CapacityReservationSupported", truth(s.reservable)},
		skuCapability{"AcceleratedNetworkingEnabled", "True"}, skuCapability{"RdmaEnabled", truth(s.rdma())},
		skuCapability{"MaxNetworkInterfaces", "8"},
	)
}

func truth(yes bool) string {
	if yes {
		return "True"
	}
	return "False"
}

// architecture of GB200 is Arm, of its Grace CPU.
func (s size) architecture() string {
	if s.family == familyGB200 {
		return "Arm64"
	}
	return "x64"
}

// sizeLetters are the letters after the number of vCPUs: "isr" of ND96isr.
var sizeLetters = regexp.MustCompile(`^Standard_N[A-Z]+\d+([a-z]*)`)

// rdma is the letter r in a size's name (azure-compute-docs,
// vm-naming-conventions).
func (s size) rdma() bool {
	m := sizeLetters.FindStringSubmatch(s.name)
	return m != nil && strings.Contains(m[1], "r")
}

// hostType is a size of dedicated hosts.
type hostType struct {
	name, family string
	cores, vcpus int
	locations    []string
}

// hostTypes are here so that a reader who takes every entry for a VM size shows.
// Names: azure-compute-docs, dedicated-host-general-purpose-skus and
// dedicated-host-gpu-optimized-skus; families are UNVERIFIED.
func hostTypes() []hostType {
	places := []string{"eastus", "eastus2", "southcentralus", "westus2", "westeurope"}
	return []hostType{
		{"DSv3-Type1", "DSv3", 36, 64, places},
		{"NVASv4-Type1", "NVASv4", 56, 128, places},
		{"NVSv3-Type1", "NVSv3", 28, 48, places},
	}
}

func (h hostType) wire(location string) catalogWire {
	zones := append([]string{}, locations()[location].zones...)
	return catalogWire{
		ResourceType: "hostGroups/hosts", Name: h.name, Tier: "Standard", Family: h.family, Locations: []string{location},
		LocationInfo: []skuLocation{{Location: location, Zones: zones, ZoneDetails: []skuZone{}}},
		Capabilities: []skuCapability{
			{"Cores", strconv.Itoa(h.cores)}, {"vCPUsPerCore", "2"}, {"vCPUs", strconv.Itoa(h.vcpus)}, {"SupportsAutoplacement", "True"},
		},
		Restrictions: []skuRestriction{},
	}
}
