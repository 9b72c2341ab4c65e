package mem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// DefaultQuota is the limit in vCPUs of a quota that no test has set.
const DefaultQuota = 100_000

// Regions are the cloud's regions and how many zones each has: "mem-east-1" has
// "mem-east-1a" to "mem-east-1c".
func regions() map[string]int { return map[string]int{"mem-east-1": 3, "mem-west-1": 2} }

func regionNames() []string {
	var names []string
	for name := range regions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func zonesOf(region string) []string {
	var zones []string
	for i := range regions()[region] {
		zones = append(zones, region+string(rune('a'+i)))
	}
	return zones
}

// regionOf is the region of a zone, "" where there is no such zone.
func regionOf(zone string) string {
	for _, region := range regionNames() {
		if slices.Contains(zonesOf(region), zone) {
			return region
		}
	}
	return ""
}

// shapes are the instance types, sorted by name. The part before the dot is the
// family, each with its own quota.
func shapes() []cloud.InstanceType {
	return []cloud.InstanceType{
		{Name: "g1.small", VCPUs: 4, GPUModel: "L4", GPUs: "1", GPUMemoryMiB: 22_888, MemoryMiB: 16_384},
		{Name: "g1.slice", VCPUs: 2, GPUModel: "L4", GPUs: "1/8", GPUMemoryMiB: 2_861, MemoryMiB: 8_192},
		{Name: "p1.half", VCPUs: 96, GPUModel: "H100", GPUs: "4", GPUMemoryMiB: 327_680, MemoryMiB: 1_048_576},
		{Name: "p1.whole", VCPUs: 192, GPUModel: "H100", GPUs: "8", GPUMemoryMiB: 655_360, MemoryMiB: 2_097_152},
	}
}

func shapeOf(op, name string) (cloud.InstanceType, error) {
	for _, shape := range shapes() {
		if shape.Name == name {
			return shape, nil
		}
	}
	return cloud.InstanceType{}, &cloud.Error{
		Code: cloud.Unsupported, Op: op, Native: "TypeNotOffered",
		Message: fmt.Sprintf("instance type %q is not offered here", name),
	}
}

// QuotaOf is the limit that an on-demand reservation of this shape draws on.
func QuotaOf(accountID, region, instanceType string) cloud.QuotaScope {
	family, _, _ := strings.Cut(instanceType, ".")
	return cloud.QuotaScope{AccountID: accountID, Region: region, Quota: "mem-" + family + "-vcpu"}
}
