package googlesim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// machineType is what a machine type comes with.
type machineType struct {
	name string
	cpus int
	// memoryMB is in MiB, as MachineType.memoryMb has it.
	memoryMB int
	// accelerator is attached by the type itself; N1 has none so.
	accelerator string
	// gpus is guestAcceleratorCount, which is 1 for a fraction of a GPU.
	gpus int
	// ssds bundled local SSDs of ssdGB each.
	ssds, ssdGB int
}

// series is the word before the first hyphen, such as "a3".
func (m machineType) series() string {
	name, _, _ := strings.Cut(m.name, "-")
	return name
}

// machineTypes lists what can be reserved here. GPU counts and accelerators are
// those of the gpus page of the Compute Engine documentation; vCPUs and memory
// are read from Cyclenerd/google-cloud-pricing-cost-calculator@dac31281f2
// tools/machinetypes.csv. Bundled disks follow the accelerator-optimized page
// (UNVERIFIED for A3 Edge, A4X and A4X Max).
func machineTypes() map[string]machineType {
	all := map[string]machineType{}
	for _, m := range slices.Concat(acceleratorTypesA(), acceleratorTypesG(), generalTypes()) {
		all[m.name] = m
	}
	return all
}

func acceleratorTypesA() []machineType {
	const gib = 1024
	return []machineType{
		{"a2-highgpu-1g", 12, 85 * gib, "nvidia-tesla-a100", 1, 0, 0},
		{"a2-highgpu-2g", 24, 170 * gib, "nvidia-tesla-a100", 2, 0, 0},
		{"a2-highgpu-4g", 48, 340 * gib, "nvidia-tesla-a100", 4, 0, 0},
		{"a2-highgpu-8g", 96, 680 * gib, "nvidia-tesla-a100", 8, 0, 0},
		{"a2-megagpu-16g", 96, 1360 * gib, "nvidia-tesla-a100", 16, 0, 0},
		{"a2-ultragpu-1g", 12, 170 * gib, "nvidia-a100-80gb", 1, 1, 375},
		{"a2-ultragpu-2g", 24, 340 * gib, "nvidia-a100-80gb", 2, 2, 375},
		{"a2-ultragpu-4g", 48, 680 * gib, "nvidia-a100-80gb", 4, 4, 375},
		{"a2-ultragpu-8g", 96, 1360 * gib, "nvidia-a100-80gb", 8, 8, 375},
		{"a3-highgpu-1g", 26, 234 * gib, "nvidia-h100-80gb", 1, 2, 375},
		{"a3-highgpu-2g", 52, 468 * gib, "nvidia-h100-80gb", 2, 4, 375},
		{"a3-highgpu-4g", 104, 936 * gib, "nvidia-h100-80gb", 4, 8, 375},
		{"a3-highgpu-8g", 208, 1872 * gib, "nvidia-h100-80gb", 8, 16, 375},
		{"a3-edgegpu-8g", 208, 1872 * gib, "nvidia-h100-80gb", 8, 16, 375},
		{"a3-megagpu-8g", 208, 1872 * gib, "nvidia-h100-mega-80gb", 8, 16, 375},
		{"a3-ultragpu-8g", 224, 2952 * gib, "nvidia-h200-141gb", 8, 32, 375},
		{"a4-highgpu-8g", 224, 3968 * gib, "nvidia-b200", 8, 32, 375},
		{"a4x-highgpu-4g", 140, 884 * gib, "nvidia-gb200", 4, 4, 3000},
		{"a4x-maxgpu-4g-metal", 144, 960 * gib, "nvidia-gb300", 4, 4, 3000},
	}
}

func acceleratorTypesG() []machineType {
	const gib = 1024
	return []machineType{
		{"g2-standard-4", 4, 16 * gib, "nvidia-l4", 1, 0, 0},
		{"g2-standard-8", 8, 32 * gib, "nvidia-l4", 1, 0, 0},
		{"g2-standard-12", 12, 48 * gib, "nvidia-l4", 1, 0, 0},
		{"g2-standard-16", 16, 64 * gib, "nvidia-l4", 1, 0, 0},
		{"g2-standard-24", 24, 96 * gib, "nvidia-l4", 2, 0, 0},
		{"g2-standard-32", 32, 128 * gib, "nvidia-l4", 1, 0, 0},
		{"g2-standard-48", 48, 192 * gib, "nvidia-l4", 4, 0, 0},
		{"g2-standard-96", 96, 384 * gib, "nvidia-l4", 8, 0, 0},
		{"g4-standard-6", 6, 22 * gib, "nvidia-rtx-pro-6000", 1, 0, 0},
		{"g4-standard-12", 12, 45 * gib, "nvidia-rtx-pro-6000", 1, 0, 0},
		{"g4-standard-24", 24, 90 * gib, "nvidia-rtx-pro-6000", 1, 0, 0},
		{"g4-standard-48", 48, 180 * gib, "nvidia-rtx-pro-6000", 1, 0, 0},
		{"g4-standard-96", 96, 360 * gib, "nvidia-rtx-pro-6000", 2, 0, 0},
		{"g4-standard-192", 192, 720 * gib, "nvidia-rtx-pro-6000", 4, 0, 0},
		{"g4-standard-384", 384, 1440 * gib, "nvidia-rtx-pro-6000", 8, 0, 0},
	}
}

// generalTypes are the predefined N1 types, which GPUs can be attached to:
// memory per vCPU is 3.75, 6.5 and 0.9 GB.
func generalTypes() []machineType {
	all := []machineType{{name: "n1-standard-1", cpus: 1, memoryMB: 3840}}
	for _, cpus := range []int{2, 4, 8, 16, 32, 64, 96} {
		all = append(all,
			machineType{name: fmt.Sprintf("n1-standard-%d", cpus), cpus: cpus, memoryMB: cpus * 3840},
			machineType{name: fmt.Sprintf("n1-highmem-%d", cpus), cpus: cpus, memoryMB: cpus * 6656},
			machineType{name: fmt.Sprintf("n1-highcpu-%d", cpus), cpus: cpus, memoryMB: cpus * 921},
		)
	}
	return all
}

// attachable is an accelerator that N1 takes, with the counts that one
// machine can have (the gpus page).
type attachable struct {
	counts []int
	// metric is the regional quota of its GPUs.
	metric string
}

func attachables() map[string]attachable {
	return map[string]attachable{
		"nvidia-tesla-t4":   {[]int{1, 2, 4}, "NVIDIA_T4_GPUS"},
		"nvidia-tesla-p4":   {[]int{1, 2, 4}, "NVIDIA_P4_GPUS"},
		"nvidia-tesla-v100": {[]int{1, 2, 4, 8}, "NVIDIA_V100_GPUS"},
		"nvidia-tesla-p100": {[]int{1, 2, 4}, "NVIDIA_P100_GPUS"},
	}
}

// gpuMetric is the regional quota metric of an accelerator. Families from H100
// on have none (Quota.metric in the discovery document).
func gpuMetric(accelerator string) string {
	if a, ok := attachables()[accelerator]; ok {
		return a.metric
	}
	return map[string]string{
		"nvidia-tesla-a100": "NVIDIA_A100_GPUS",
		"nvidia-a100-80gb":  "NVIDIA_A100_80GB_GPUS",
		"nvidia-l4":         "NVIDIA_L4_GPUS",
	}[accelerator]
}

// accelerators lists the accelerator types, sorted.
func accelerators() []string { return slices.Sorted(maps.Keys(acceleratorZones())) }
