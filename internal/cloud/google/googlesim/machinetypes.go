package googlesim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// machineTypeWire is a MachineType in JSON. Its zone is a name, not a URL.
type machineTypeWire struct {
	provided
	GuestCPUs        int               `json:"guestCpus"`
	MemoryMB         int               `json:"memoryMb"`
	ImageSpaceGB     int               `json:"imageSpaceGb"`
	MaxDisks         int               `json:"maximumPersistentDisks"`
	MaxDisksGB       string            `json:"maximumPersistentDisksSizeGb"`
	Zone             string            `json:"zone"`
	IsSharedCPU      bool              `json:"isSharedCpu"`
	Architecture     string            `json:"architecture"`
	Accelerators     []machineGPUsWire `json:"accelerators,omitempty"`
	BundledLocalSSDs *bundledWire      `json:"bundledLocalSsds,omitempty"`
}

type machineGPUsWire struct {
	Type  string `json:"guestAcceleratorType"`
	Count int    `json:"guestAcceleratorCount"`
}

type bundledWire struct {
	DefaultInterface string `json:"defaultInterface"`
	PartitionCount   int    `json:"partitionCount"`
}

// acceleratorTypeWire is an AcceleratorType in JSON. Its zone is a URL.
type acceleratorTypeWire struct {
	provided
	Zone     string `json:"zone"`
	MaxCards int    `json:"maximumCardsPerInstance"`
}

// gpuNames are the accelerators in words, as descriptions have them. A100 and
// RTX PRO 6000 were recorded, the others are UNVERIFIED.
func gpuNames() map[string]string {
	return map[string]string{
		"nvidia-tesla-a100": "NVIDIA Tesla A100", "nvidia-a100-80gb": "NVIDIA A100 80GB", "nvidia-h100-80gb": "NVIDIA H100 80GB",
		"nvidia-h100-mega-80gb": "NVIDIA H100 80GB Mega", "nvidia-h200-141gb": "NVIDIA H200 141GB", "nvidia-b200": "NVIDIA B200",
		"nvidia-gb200": "NVIDIA GB200", "nvidia-gb300": "NVIDIA GB300", "nvidia-l4": "NVIDIA L4",
		"nvidia-rtx-pro-6000": "NVIDIA RTX PRO 6000", "nvidia-tesla-t4": "NVIDIA T4", "nvidia-tesla-v100": "NVIDIA V100",
		"nvidia-tesla-p100": "NVIDIA Tesla P100", "nvidia-tesla-p4": "NVIDIA Tesla P4",
	}
}

// fractions are the machine types with a part of a GPU. It stands in their
// description alone (fact google-7-fraction).
func fractions() map[string]string {
	return map[string]string{"g4-standard-6": "1/8", "g4-standard-12": "1/4", "g4-standard-24": "1/2"}
}

// describe words a machine type (fact google-7-description).
func (m machineType) describe() string {
	cpus := fmt.Sprintf("%d vCPUs", m.cpus)
	if m.cpus == 1 {
		cpus = "1 vCPU"
	}
	memory := strconv.FormatFloat(float64(m.memoryMB)/1024, 'f', -1, 64)
	if m.accelerator == "" {
		return cpus + ", " + memory + " GB RAM"
	}
	use := "Accelerator Optimized"
	if strings.HasPrefix(m.series(), "g") {
		use = "Graphics Optimized"
	}
	count := strconv.Itoa(m.gpus)
	if part, ok := fractions()[m.name]; ok {
		count = part
	}
	gpus := count + " " + gpuNames()[m.accelerator] + " GPU"
	if m.gpus > 1 {
		gpus += "s"
	}
	return fmt.Sprintf("%s: %s, %s, %sGB RAM", use, gpus, cpus, memory)
}

func (m machineType) wire(project, zone string) machineTypeWire {
	path := zonePath(project, zone, "machineTypes", m.name)
	w := machineTypeWire{
		provided: newProvided("compute#machineType", path, m.describe()), GuestCPUs: m.cpus, MemoryMB: m.memoryMB,
		MaxDisks: 128, MaxDisksGB: "263168", Zone: zone, Architecture: "X86_64",
	}
	if m.series() == "a4x" {
		w.Architecture = "ARM64" // Grace
	}
	if m.accelerator != "" {
		w.Accelerators = []machineGPUsWire{{m.accelerator, m.gpus}}
	}
	if m.ssds > 0 {
		w.BundledLocalSSDs = &bundledWire{"NVME", m.ssds}
	}
	return w
}

// maxCards is the largest number of an accelerator that one machine can have.
func maxCards(accelerator string) int {
	most := 0
	for _, count := range attachables()[accelerator].counts {
		most = max(most, count)
	}
	for _, m := range machineTypes() {
		if m.accelerator == accelerator {
			most = max(most, m.gpus)
		}
	}
	return most
}

func acceleratorTypeJSON(project, zone, name string) acceleratorTypeWire {
	path := zonePath(project, zone, "acceleratorTypes", name)
	return acceleratorTypeWire{
		provided: newProvided("compute#acceleratorType", path, gpuNames()[name]),
		Zone:     link(zonePath(project, zone)), MaxCards: maxCards(name),
	}
}

// goods is a collection of things that Google provides in zones.
type goods struct {
	// one is the variable of a single one in a path.
	one  string
	name string
	kind string
	// stock adds what a zone has.
	stock func(s *shelf, project, zone string)
}

func allGoods() []goods {
	return []goods{
		{"machineType", "machineTypes", "compute#machineType", func(s *shelf, project, zone string) {
			for _, m := range typesOf(zone) {
				w := m.wire(project, zone)
				s.add(strings.TrimPrefix(w.SelfLink, base+computeRoot), zone, w)
			}
		}},
		{"acceleratorType", "acceleratorTypes", "compute#acceleratorType", func(s *shelf, project, zone string) {
			for _, name := range accelerators() {
				if offered(zone, name) {
					w := acceleratorTypeJSON(project, zone, name)
					s.add(strings.TrimPrefix(w.SelfLink, base+computeRoot), zone, w)
				}
			}
		}},
	}
}

// goodsMethods are get, list and aggregatedList of each.
func goodsMethods() []method {
	var all []method
	for _, g := range allGoods() {
		collection := "projects/{project}/zones/{zone}/" + g.name
		all = append(all,
			method{
				id: "compute." + g.name + ".get", verb: http.MethodGet, path: collection + "/{" + g.one + "}",
				group: groupReads, run: g.get,
			},
			method{
				id: "compute." + g.name + ".list", verb: http.MethodGet, path: collection, query: listParams(),
				group: groupLists, run: g.list,
			},
			method{
				id: "compute." + g.name + ".aggregatedList", verb: http.MethodGet, path: "projects/{project}/aggregated/" + g.name,
				query: listParams("includeAllScopes", "serviceProjectNumber"), group: groupLists, run: g.aggregated,
			},
		)
	}
	return all
}

func (g goods) in(project string, zones ...string) shelf {
	var s shelf
	for _, zone := range zones {
		g.stock(&s, project, zone)
	}
	return s
}

func (g goods) get(q *query) (any, *apiError) {
	path := zonePath(q.project, q.zone, g.name, q.vars[g.one])
	for _, r := range g.in(q.project, q.zone) {
		if r.obj.NativeID == path {
			return r.wire, nil
		}
	}
	return nil, notFound(path)
}

func (g goods) list(q *query) (any, *apiError) {
	return q.page(g.kind+"List", zonePath(q.project, q.zone, g.name), g.in(q.project, q.zone))
}

func (g goods) aggregated(q *query) (any, *apiError) {
	return q.aggregated(g.kind+"AggregatedList", g.name, g.in(q.project, zones()...))
}
