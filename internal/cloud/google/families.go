package google

import (
	"regexp"
	"slices"
	"strings"
)

// shape is what a machine type has of GPUs.
type shape struct {
	accelerator string
	// gpus is exact: "8", or "1/8" of one.
	gpus string
}

// accelerator is what is known of an accelerator type.
type accelerator struct {
	// model is the word for it; two memories of one GPU share it.
	model string
	// memoryMiB is that of one whole GPU.
	memoryMiB int64
	// metric is its regional quota for on-demand use (discovery document,
	// Quota.metric), "" where the API has none.
	metric string
}

const gib = 1024 // in MiB

// accelerators are Compute Engine's (Compute Engine, "GPU machine types": names
// and memory). The name of the H100 of a3-megagpu is UNVERIFIED.
var accelerators = map[string]accelerator{
	"nvidia-tesla-t4":       {"T4", 16 * gib, "NVIDIA_T4_GPUS"},
	"nvidia-tesla-p4":       {"P4", 8 * gib, "NVIDIA_P4_GPUS"},
	"nvidia-tesla-p100":     {"P100", 16 * gib, "NVIDIA_P100_GPUS"},
	"nvidia-tesla-v100":     {"V100", 16 * gib, "NVIDIA_V100_GPUS"},
	"nvidia-tesla-t4-vws":   {"T4", 16 * gib, "NVIDIA_T4_VWS_GPUS"},
	"nvidia-tesla-p4-vws":   {"P4", 8 * gib, "NVIDIA_P4_VWS_GPUS"},
	"nvidia-tesla-p100-vws": {"P100", 16 * gib, "NVIDIA_P100_VWS_GPUS"},
	"nvidia-tesla-a100":     {"A100", 40 * gib, "NVIDIA_A100_GPUS"},
	"nvidia-a100-80gb":      {"A100", 80 * gib, "NVIDIA_A100_80GB_GPUS"},
	"nvidia-l4":             {"L4", 24 * gib, "NVIDIA_L4_GPUS"},
	"nvidia-h100-80gb":      {"H100", 80 * gib, ""},
	"nvidia-h100-mega-80gb": {"H100", 80 * gib, ""},
	"nvidia-h200-141gb":     {"H200", 141 * gib, ""},
	"nvidia-b200":           {"B200", 180 * gib, ""},
	"nvidia-gb200":          {"GB200", 186 * gib, ""},
	"nvidia-gb300":          {"GB300", 279 * gib, ""},
	"nvidia-rtx-pro-6000":   {"RTX PRO 6000", 96 * gib, ""},
}

// shapes are the machine types that come with GPUs (Compute Engine, "GPU machine
// types"). The fractions of G4 stand nowhere but here: the API counts a part of a
// GPU as one.
var shapes = map[string]shape{
	"a2-highgpu-1g":       {"nvidia-tesla-a100", "1"},
	"a2-highgpu-2g":       {"nvidia-tesla-a100", "2"},
	"a2-highgpu-4g":       {"nvidia-tesla-a100", "4"},
	"a2-highgpu-8g":       {"nvidia-tesla-a100", "8"},
	"a2-megagpu-16g":      {"nvidia-tesla-a100", "16"},
	"a2-ultragpu-1g":      {"nvidia-a100-80gb", "1"},
	"a2-ultragpu-2g":      {"nvidia-a100-80gb", "2"},
	"a2-ultragpu-4g":      {"nvidia-a100-80gb", "4"},
	"a2-ultragpu-8g":      {"nvidia-a100-80gb", "8"},
	"a3-highgpu-1g":       {"nvidia-h100-80gb", "1"},
	"a3-highgpu-2g":       {"nvidia-h100-80gb", "2"},
	"a3-highgpu-4g":       {"nvidia-h100-80gb", "4"},
	"a3-highgpu-8g":       {"nvidia-h100-80gb", "8"},
	"a3-edgegpu-8g":       {"nvidia-h100-80gb", "8"},
	"a3-megagpu-8g":       {"nvidia-h100-mega-80gb", "8"},
	"a3-ultragpu-8g":      {"nvidia-h200-141gb", "8"},
	"a4-highgpu-8g":       {"nvidia-b200", "8"},
	"a4x-highgpu-4g":      {"nvidia-gb200", "4"},
	"a4x-maxgpu-4g-metal": {"nvidia-gb300", "4"},
	"g2-standard-4":       {"nvidia-l4", "1"},
	"g2-standard-8":       {"nvidia-l4", "1"},
	"g2-standard-12":      {"nvidia-l4", "1"},
	"g2-standard-16":      {"nvidia-l4", "1"},
	"g2-standard-32":      {"nvidia-l4", "1"},
	"g2-standard-24":      {"nvidia-l4", "2"},
	"g2-standard-48":      {"nvidia-l4", "4"},
	"g2-standard-96":      {"nvidia-l4", "8"},
	"g4-standard-6":       {"nvidia-rtx-pro-6000", "1/8"},
	"g4-standard-12":      {"nvidia-rtx-pro-6000", "1/4"},
	"g4-standard-24":      {"nvidia-rtx-pro-6000", "1/2"},
	"g4-standard-48":      {"nvidia-rtx-pro-6000", "1"},
	"g4-standard-96":      {"nvidia-rtx-pro-6000", "2"},
	"g4-standard-192":     {"nvidia-rtx-pro-6000", "4"},
	"g4-standard-384":     {"nvidia-rtx-pro-6000", "8"},
}

// attachable are the GPUs that a machine type of N1 can be given, with the
// numbers that one instance can have (Compute Engine, "GPU machine types", N1).
var attachable = map[string][]string{
	"nvidia-tesla-t4":       {"1", "2", "4"},
	"nvidia-tesla-p4":       {"1", "2", "4"},
	"nvidia-tesla-p100":     {"1", "2", "4"},
	"nvidia-tesla-v100":     {"1", "2", "4", "8"},
	"nvidia-tesla-t4-vws":   {"1", "2", "4"},
	"nvidia-tesla-p4-vws":   {"1", "2", "4"},
	"nvidia-tesla-p100-vws": {"1", "2", "4"},
}

const familyN1 = "n1"

// bundled are the families whose machine types define their GPUs.
var bundled = []string{"a2", "a3", "a4", "a4x", "g2", "g4"}

// plain are the families that have no GPU and take none (Compute Engine,
// "Machine families resource and comparison guide"); TPU machine types are among
// them. Others than these and those above are the cloud's to decide.
var plain = []string{
	"c2", "c2d", "c3", "c3d", "c4", "c4a", "c4d", "e2", "f1", "g1", "h3", "h4d", "m1", "m2", "m3", "m4",
	"n2", "n2d", "n4", "n4a", "n4d", "t2a", "t2d", "x4", "z3",
	"ct3", "ct3p", "ct4p", "ct5l", "ct5lp", "ct5p", "ct6e", "tpu7x",
}

// beforeA3 are the families with GPUs that the calendar mode does not take: it
// begins with A3 (Compute Engine, "Future reservation requests in calendar
// mode").
var beforeA3 = []string{familyN1, "a2", "g2"}

// customN1 is a custom machine type without a family's name, which is N1
// (discovery document, instanceProperties.machineType).
var customN1 = regexp.MustCompile(`^custom-\d+-\d+(?:-ext)?$`)

// familyOf is what a machine type begins with.
func familyOf(machineType string) string {
	if customN1.MatchString(machineType) {
		return familyN1
	}
	family, _, _ := strings.Cut(machineType, "-")
	return family
}

// lacksGPU tells a machine type that surely has no GPU and takes none.
func lacksGPU(machineType string) bool { return slices.Contains(plain, familyOf(machineType)) }

// gpusOf are the GPUs of an instance, with those attached to it.
func gpusOf(machineType, attached, count string) (shape, bool) {
	if of, ok := shapes[machineType]; ok {
		return of, true
	}
	if attached != "" && familyOf(machineType) == familyN1 {
		return shape{attached, count}, true
	}
	return shape{}, false
}
