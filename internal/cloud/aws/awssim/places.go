package awssim

import (
	"maps"
	"slices"
	"strings"
)

// describeInstanceTypes is DescribeInstanceTypes, of the types that the region
// offers.
func describeInstanceTypes(q *query) ([]node, *apiError) {
	filter := func(instanceType, name string) ([]string, bool) { return q.sim.catalog.filter(instanceType, name) }
	if err := checkFilters(q, filter); err != nil {
		return nil, err
	}
	wanted := q.form.list("InstanceType")
	if len(wanted) > 100 {
		return nil, fail(codeInvalidValue, "More than 100 instance types are given")
	}
	offered := q.sim.catalog.typesIn(q.region)
	var unknown []string
	for _, name := range wanted {
		if !slices.Contains(offered, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 && !q.req.Effects.Empty {
		return nil, fail(codeInvalidInstanceType, "The following supplied instance types do not exist: [%s]",
			strings.Trim(printable(strings.Join(unknown, ", ")), `"`))
	}
	var rows []row
	for i, name := range offered {
		if (len(wanted) == 0 || slices.Contains(wanted, name)) && keep(q, name, filter) {
			rows = append(rows, row{int64(i) + 1, tree("item", q.sim.catalog.Types[name])})
		}
	}
	return q.page("instanceTypeSet", rows, limits{5, 100})
}

// typeFilters names the element that each filter of DescribeInstanceTypes
// looks at.
func typeFilters() map[string]string {
	return map[string]string{
		"auto-recovery-supported":                                "autoRecoverySupported",
		"bare-metal":                                             "bareMetal",
		"burstable-performance-supported":                        "burstablePerformanceSupported",
		"current-generation":                                     "currentGeneration",
		"dedicated-hosts-supported":                              "dedicatedHostsSupported",
		"ebs-info.ebs-optimized-support":                         "ebsInfo.ebsOptimizedSupport",
		"ebs-info.encryption-support":                            "ebsInfo.encryptionSupport",
		"ebs-info.nvme-support":                                  "ebsInfo.nvmeSupport",
		"free-tier-eligible":                                     "freeTierEligible",
		"hibernation-supported":                                  "hibernationSupported",
		"hypervisor":                                             "hypervisor",
		"instance-storage-info.disk.count":                       "instanceStorageInfo.disks.count",
		"instance-storage-info.disk.size-in-gb":                  "instanceStorageInfo.disks.sizeInGB",
		"instance-storage-info.disk.type":                        "instanceStorageInfo.disks.type",
		"instance-storage-info.nvme-support":                     "instanceStorageInfo.nvmeSupport",
		"instance-storage-info.total-size-in-gb":                 "instanceStorageInfo.totalSizeInGB",
		"instance-storage-supported":                             "instanceStorageSupported",
		"instance-type":                                          "instanceType",
		"memory-info.size-in-mib":                                "memoryInfo.sizeInMiB",
		"network-info.efa-info.maximum-efa-interfaces":           "networkInfo.efaInfo.maximumEfaInterfaces",
		"network-info.efa-supported":                             "networkInfo.efaSupported",
		"network-info.ena-support":                               "networkInfo.enaSupport",
		"network-info.encryption-in-transit-supported":           "networkInfo.encryptionInTransitSupported",
		"network-info.ipv6-supported":                            "networkInfo.ipv6Supported",
		"network-info.maximum-network-cards":                     "networkInfo.maximumNetworkCards",
		"network-info.maximum-network-interfaces":                "networkInfo.maximumNetworkInterfaces",
		"network-info.network-performance":                       "networkInfo.networkPerformance",
		"nitro-enclaves-support":                                 "nitroEnclavesSupport",
		"nitro-tpm-support":                                      "nitroTpmSupport",
		"processor-info.supported-architecture":                  "processorInfo.supportedArchitectures",
		"processor-info.sustained-clock-speed-in-ghz":            "processorInfo.sustainedClockSpeedInGhz",
		"supported-boot-mode":                                    "supportedBootModes",
		"supported-root-device-type":                             "supportedRootDeviceTypes",
		"supported-usage-class":                                  "supportedUsageClasses",
		"supported-virtualization-type":                          "supportedVirtualizationTypes",
		"vcpu-info.default-cores":                                "vCpuInfo.defaultCores",
		"vcpu-info.default-threads-per-core":                     "vCpuInfo.defaultThreadsPerCore",
		"vcpu-info.default-vcpus":                                "vCpuInfo.defaultVCpus",
		"vcpu-info.valid-cores":                                  "vCpuInfo.validCores",
		"vcpu-info.valid-threads-per-core":                       "vCpuInfo.validThreadsPerCore",
		"ebs-info.ebs-optimized-info.baseline-bandwidth-in-mbps": "ebsInfo.ebsOptimizedInfo.baselineBandwidthInMbps",
	}
}

func (c *catalog) filter(instanceType, name string) ([]string, bool) {
	path, known := typeFilters()[name]
	if !known {
		return nil, false
	}
	return c.lookup(instanceType, strings.Split(path, ".")...), true
}

// offering is an instance type at a location.
type offering struct{ instanceType, location string }

func offeringFilter(o offering, name string) ([]string, bool) {
	values := map[string]string{"instance-type": o.instanceType, "location": o.location}
	value, known := values[name]
	return []string{value}, known
}

// describeOfferings is DescribeInstanceTypeOfferings. There are no Outposts.
func describeOfferings(q *query) ([]node, *apiError) {
	kind, err := q.form.choice("LocationType", "region", "availability-zone", "availability-zone-id", "outpost")
	if err != nil {
		return nil, err
	}
	if err := checkFilters(q, offeringFilter); err != nil {
		return nil, err
	}
	var rows []row
	for i, o := range q.sim.catalog.offers(q.region, kind) {
		if keep(q, o, offeringFilter) {
			rows = append(rows, row{int64(i) + 1, item(
				text("instanceType", o.instanceType), text("locationType", kind), text("location", o.location))})
		}
	}
	return q.page("instanceTypeOfferingSet", rows, limits{5, 1000})
}

// offers lists what a region offers, by location of a kind.
func (c *catalog) offers(region, kind string) []offering {
	var all []offering
	for _, instanceType := range c.typesIn(region) {
		if kind == "region" {
			all = append(all, offering{instanceType, region})
		}
		for _, zone := range c.zonesOf(region, instanceType) {
			switch kind {
			case "availability-zone":
				all = append(all, offering{instanceType, zone})
			case "availability-zone-id":
				all = append(all, offering{instanceType, c.Regions[region].Zones[zone]})
			}
		}
	}
	return all
}

// zoneInfo is an availability zone; each is its own group's only network
// border (the region's).
type zoneInfo struct{ region, name, id string }

func zoneFilter(z zoneInfo, name string) ([]string, bool) {
	values := map[string]string{
		"region-name": z.region, "zone-name": z.name, "zone-id": z.id, "state": "available",
		"zone-type": "availability-zone", "group-name": z.group(), "opt-in-status": "opt-in-not-required", "message": "",
	}
	value, known := values[name]
	return []string{value}, known
}

func (z zoneInfo) group() string { return z.region + "-zg-1" }

// describeZones is DescribeAvailabilityZones. Every zone is available, so
// AllAvailabilityZones changes nothing.
func describeZones(q *query) ([]node, *apiError) {
	if err := checkFilters(q, zoneFilter); err != nil {
		return nil, err
	}
	if _, err := q.form.truth("AllAvailabilityZones"); err != nil {
		return nil, err
	}
	for _, name := range append(q.form.list("ZoneName"), q.form.list("ZoneId")...) {
		if _, _, ok := q.sim.catalog.zone(q.region, name); !ok {
			return nil, fail(codeInvalidValue, "Invalid availability zone: [%s]", printable(name))
		}
	}
	var rows []row
	for i, name := range q.sim.catalog.zones(q.region) {
		z := zoneInfo{q.region, name, q.sim.catalog.Regions[q.region].Zones[name]}
		if named(q.form.list("ZoneName"), z.name) && named(q.form.list("ZoneId"), z.id) && keep(q, z, zoneFilter) {
			rows = append(rows, row{int64(i) + 1, item(
				text("zoneName", z.name), text("zoneState", "available"), text("regionName", z.region),
				el("messageSet"), text("zoneId", z.id), text("groupName", z.group()),
				text("networkBorderGroup", z.region), text("optInStatus", "opt-in-not-required"),
				text("zoneType", "availability-zone"))})
		}
	}
	return q.whole("availabilityZoneInfo", rows), nil
}

// named tells whether a name is among those asked for; none asks for all.
func named(wanted []string, name string) bool {
	return len(wanted) == 0 || slices.Contains(wanted, name)
}

// whole is a list without pages.
func (q *query) whole(name string, rows []row) []node {
	list := el(name)
	for _, r := range rows {
		if !q.req.Effects.Empty {
			list.kids = append(list.kids, r.node)
		}
	}
	q.shuffle(list.kids)
	return []node{list}
}

type regionInfo struct{ name, optIn string }

func (r regionInfo) endpoint() string { return "ec2." + r.name + ".amazonaws.com" }

func regionFilter(r regionInfo, name string) ([]string, bool) {
	values := map[string]string{"region-name": r.name, "endpoint": r.endpoint(), "opt-in-status": r.optIn}
	value, known := values[name]
	return []string{value}, known
}

// describeRegions is DescribeRegions. Every account has opted in everywhere,
// so AllRegions changes nothing.
func describeRegions(q *query) ([]node, *apiError) {
	if err := checkFilters(q, regionFilter); err != nil {
		return nil, err
	}
	if _, err := q.form.truth("AllRegions"); err != nil {
		return nil, err
	}
	wanted := q.form.list("RegionName")
	for _, name := range wanted {
		if _, ok := q.sim.catalog.Regions[name]; !ok {
			return nil, fail(codeInvalidValue, "Invalid region name: [%s]", printable(name))
		}
	}
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(q.sim.catalog.Regions)) {
		r := regionInfo{name, "opted-in"}
		if q.sim.catalog.Regions[name].OptIn == "opt-in-not-required" {
			r.optIn = "opt-in-not-required"
		}
		if named(wanted, name) && keep(q, r, regionFilter) {
			rows = append(rows, row{0, item(text("regionName", r.name), text("regionEndpoint", r.endpoint()), text("optInStatus", r.optIn))})
		}
	}
	return q.whole("regionInfo", rows), nil
}
