package googlesim

import (
	"slices"
	"strconv"
	"strings"
)

// instanceProperties are what each reserved machine is like.
type instanceProperties struct {
	MachineType    string        `json:"machine_type"`
	MinCPUPlatform string        `json:"min_cpu_platform,omitempty"`
	Accelerators   []accelerator `json:"accelerators,omitempty"`
	Disks          []disk        `json:"disks,omitempty"`
	LocationHint   string        `json:"location_hint,omitempty"`
	// Brought says that the machine type brings the accelerators and disks.
	Brought bool `json:"brought,omitempty"`
}

type accelerator struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

type disk struct {
	GB        int64  `json:"gb"`
	Interface string `json:"interface"`
}

// propertiesWire is instanceProperties in JSON.
type propertiesWire struct {
	MachineType    string            `json:"machineType"`
	MinCPUPlatform string            `json:"minCpuPlatform,omitempty"`
	Accelerators   []acceleratorWire `json:"guestAccelerators,omitempty"`
	Disks          []diskWire        `json:"localSsds,omitempty"`
	LocationHint   string            `json:"locationHint,omitempty"`
}

type acceleratorWire struct {
	Type  string `json:"acceleratorType"`
	Count int    `json:"acceleratorCount"`
}

type diskWire struct {
	GB        int64  `json:"diskSizeGb,string"`
	Interface string `json:"interface"`
}

// wire renders the properties, expanded by what the machine type brings or not
// (fact google-3.3-expansion).
func (p instanceProperties) wire(expanded bool) propertiesWire {
	w := propertiesWire{MachineType: p.MachineType, MinCPUPlatform: p.MinCPUPlatform, LocationHint: p.LocationHint}
	if !expanded && p.Brought {
		return w
	}
	for _, a := range p.Accelerators {
		w.Accelerators = append(w.Accelerators, acceleratorWire(a))
	}
	for _, d := range p.Disks {
		w.Disks = append(w.Disks, diskWire(d))
	}
	return w
}

func propertiesSchema() object {
	return object{
		"machineType": {kind: text}, "minCpuPlatform": {kind: text}, "locationHint": {kind: text},
		"guestAccelerators": {kind: list, of: object{"acceleratorType": {kind: text}, "acceleratorCount": {kind: small}}},
		"localSsds":         {kind: list, of: object{"diskSizeGb": {kind: whole}, "interface": {kind: text, enum: []string{"SCSI", "NVME"}}}},
	}
}

// readProperties checks the instanceProperties of a body, which stand at a
// path such as "resource.specificReservation.instanceProperties". Its texts
// are those for instances, UNVERIFIED for reservations.
func readProperties(zone, path string, body map[string]any) (instanceProperties, *apiError) {
	name, _ := body["machineType"].(string)
	if name == "" {
		return instanceProperties{}, required(path + ".machineType")
	}
	m, known := machineTypes()[shortName(name)]
	if !known || (m.accelerator != "" && !offered(zone, m.accelerator)) {
		return instanceProperties{}, invalid(path+".machineType", name,
			"Machine type with name '"+printable(shortName(name))+"' does not exist in zone '"+zone+"'.")
	}
	p := instanceProperties{MachineType: m.name}
	p.MinCPUPlatform, _ = body["minCpuPlatform"].(string)
	p.LocationHint, _ = body["locationHint"].(string)
	if err := checkPlatform(m, path, p.MinCPUPlatform); err != nil {
		return p, err
	}
	var err *apiError
	if p.Accelerators, err = readAccelerators(zone, path+".guestAccelerators", m, messages(body["guestAccelerators"])); err != nil {
		return p, err
	}
	p.Brought = m.accelerator != ""
	p.Disks, err = readDisks(path+".localSsds", m, messages(body["localSsds"]))
	return p, err
}

func messages(value any) []map[string]any {
	items, _ := value.([]any)
	var all []map[string]any
	for _, item := range items {
		if message, ok := item.(map[string]any); ok {
			all = append(all, message)
		}
	}
	return all
}

// platforms lists the CPU platforms of a machine series that can be asked for
// (the min-cpu-platform page; of accelerator-optimized series UNVERIFIED).
func platforms(series string) []string {
	return map[string][]string{
		"n1":  {"Intel Sandy Bridge", "Intel Ivy Bridge", "Intel Haswell", "Intel Broadwell", "Intel Skylake"},
		"a2":  {"Intel Cascade Lake"},
		"a3":  {"Intel Sapphire Rapids", "Intel Emerald Rapids"},
		"a4":  {"Intel Emerald Rapids"},
		"a4x": {"NVIDIA Grace"},
		"g2":  {"Intel Cascade Lake"},
		"g4":  {"AMD Turin"},
	}[series]
}

func checkPlatform(m machineType, path, platform string) *apiError {
	if platform == "" || slices.Contains(platforms(m.series()), platform) {
		return nil
	}
	return invalid(path+".minCpuPlatform", platform, "CPU platform is not available for machine type "+m.name+".")
}

// readAccelerators gives the accelerators of a machine: those its type brings,
// or those asked for, which N1 can have (fact google-3.3-accelerators).
func readAccelerators(zone, path string, m machineType, asked []map[string]any) ([]accelerator, *apiError) {
	var all []accelerator
	for i, a := range asked {
		at := path + "[" + strconv.Itoa(i) + "]"
		name, _ := a["acceleratorType"].(string)
		count, _ := wholeNumber(a["acceleratorCount"])
		if name == "" {
			return nil, required(at + ".acceleratorType")
		}
		if count < 1 {
			return nil, invalid(at+".acceleratorCount", strconv.FormatInt(count, 10), "It must be at least 1.")
		}
		all = append(all, accelerator{shortName(name), int(count)})
	}
	if m.accelerator != "" {
		brought := []accelerator{{m.accelerator, m.gpus}}
		if len(all) > 0 && !slices.Equal(all, brought) {
			return nil, invalid(path, all[0].Type, "Machine type "+m.name+" comes with "+m.accelerator+" and takes no other accelerators.")
		}
		return brought, nil
	}
	if len(all) > 1 {
		return nil, invalid(path, all[1].Type, "At most one accelerator type is supported.")
	}
	if len(all) == 1 {
		return all, checkAttached(zone, path, m, all[0])
	}
	return nil, nil
}

func checkAttached(zone, path string, m machineType, a accelerator) *apiError {
	known, can := attachables()[a.Type]
	if !can || !offered(zone, a.Type) {
		return invalid(path+"[0].acceleratorType", a.Type,
			"Accelerator type '"+printable(a.Type)+"' cannot be attached to "+m.name+" in zone '"+zone+"'.")
	}
	if !slices.Contains(known.counts, a.Count) {
		return invalid(path+"[0].acceleratorCount", strconv.Itoa(a.Count),
			"Number of accelerator cards attached to an instance must be one of "+words(known.counts)+".")
	}
	return nil
}

func words(numbers []int) string {
	var all []string
	for _, n := range numbers {
		all = append(all, strconv.Itoa(n))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

const (
	// localDiskGB is the size of a local SSD that one attaches, in GB.
	localDiskGB = 375
	// maxDisks is the most of them that a machine can have.
	maxDisks = 24
)

// readDisks gives the local disks of a machine: those its type brings, or those
// asked for. How many each type takes is not modeled but for the most.
func readDisks(path string, m machineType, asked []map[string]any) ([]disk, *apiError) {
	var all []disk
	for i, d := range asked {
		size, given := wholeNumber(d["diskSizeGb"])
		if !given {
			size = localDiskGB
		}
		kind, _ := d["interface"].(string)
		if kind == "" {
			kind = "SCSI"
		}
		want := int64(localDiskGB)
		if m.ssds > 0 {
			want = int64(m.ssdGB)
		}
		if size != want {
			return nil, invalid(path+"["+strconv.Itoa(i)+"].diskSizeGb", strconv.FormatInt(size, 10),
				"Local SSD size must be "+strconv.FormatInt(want, 10)+" GB.")
		}
		all = append(all, disk{size, kind})
	}
	if m.ssds == 0 {
		if len(all) > maxDisks {
			return nil, invalid(path, strconv.Itoa(len(all)), "At most "+strconv.Itoa(maxDisks)+" local SSDs can be attached.")
		}
		return all, nil
	}
	if len(all) > 0 && len(all) != m.ssds {
		return nil, invalid(path, strconv.Itoa(len(all)), "Machine type "+m.name+" comes with "+strconv.Itoa(m.ssds)+" local SSDs.")
	}
	return slices.Repeat([]disk{{int64(m.ssdGB), "NVME"}}, m.ssds), nil
}
