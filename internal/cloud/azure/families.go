package azure

import (
	"regexp"
	"slices"
)

// typeForm is the name of a VM size: a tier, the family with the number of vCPUs and
// features, an accelerator and a version (Azure docs, "Azure virtual machine sizes
// naming conventions").
var typeForm = regexp.MustCompile(`^Standard_([A-Z]+)[0-9][A-Za-z0-9_-]*$`)

// plain are the families that have no GPU (Azure docs, "Sizes for virtual machines
// in Azure"); NP and PB have FPGAs. Others than these are the cloud's to decide.
var plain = []string{"A", "B", "D", "DC", "DS", "E", "EC", "ES", "F", "FS", "FX", "G", "GS", "H", "HB", "HC", "HX", "L", "LS", "M", "MS", "NP", "PB"}

// familyOf is what a size begins with behind its tier, "" for what is no size.
func familyOf(size string) string {
	match := typeForm.FindStringSubmatch(size)
	if match == nil {
		return ""
	}
	return match[1]
}

// lacksGPU tells a size that surely has no GPU.
func lacksGPU(size string) bool { return slices.Contains(plain, familyOf(size)) }

// shape is what a size has of GPUs.
type shape struct {
	model string
	// gpus is exact: "8", or "1/6" of one.
	gpus string
	// memoryGiB is that of all of them.
	memoryGiB int64
}

// shapes are what Azure's API does not tell of a size: the model of its GPUs, their
// memory, and that a size has a part of one, which the API counts as one or, of
// V710, as none (Azure docs, pages of the sizes under "GPU-accelerated", tables of
// accelerators).
var shapes = map[string]shape{
	"Standard_NC6s_v3":               {"V100", "1", 16},
	"Standard_NC12s_v3":              {"V100", "2", 32},
	"Standard_NC24s_v3":              {"V100", "4", 64},
	"Standard_NC24rs_v3":             {"V100", "4", 64},
	"Standard_NC4as_T4_v3":           {"T4", "1", 16},
	"Standard_NC8as_T4_v3":           {"T4", "1", 16},
	"Standard_NC16as_T4_v3":          {"T4", "1", 16},
	"Standard_NC64as_T4_v3":          {"T4", "4", 64},
	"Standard_NC24ads_A100_v4":       {"A100", "1", 80},
	"Standard_NC48ads_A100_v4":       {"A100", "2", 160},
	"Standard_NC96ads_A100_v4":       {"A100", "4", 320},
	"Standard_NC8ads_A10_v4":         {"A10", "1/3", 8},
	"Standard_NC16ads_A10_v4":        {"A10", "1/2", 12},
	"Standard_NC32ads_A10_v4":        {"A10", "1", 24},
	"Standard_NC40ads_H100_v5":       {"H100", "1", 94},
	"Standard_NC80adis_H100_v5":      {"H100", "2", 188},
	"Standard_NCC40ads_H100_v5":      {"H100", "1", 94},
	"Standard_ND40rs_v2":             {"V100", "8", 256},
	"Standard_ND96asr_v4":            {"A100", "8", 320},
	"Standard_ND96amsr_A100_v4":      {"A100", "8", 640},
	"Standard_ND96isr_H100_v5":       {"H100", "8", 640},
	"Standard_ND96isr_H200_v5":       {"H200", "8", 1128},
	"Standard_ND96isr_MI300X_v5":     {"MI300X", "8", 1536},
	"Standard_ND128isr_NDR_GB200_v6": {"GB200", "4", 744},
	"Standard_NV12s_v3":              {"M60", "1", 8},
	"Standard_NV24s_v3":              {"M60", "2", 16},
	"Standard_NV48s_v3":              {"M60", "4", 32},
	"Standard_NV4as_v4":              {"MI25", "1/8", 2},
	"Standard_NV8as_v4":              {"MI25", "1/4", 4},
	"Standard_NV16as_v4":             {"MI25", "1/2", 8},
	"Standard_NV32as_v4":             {"MI25", "1", 16},
	"Standard_NV6ads_A10_v5":         {"A10", "1/6", 4},
	"Standard_NV12ads_A10_v5":        {"A10", "1/3", 8},
	"Standard_NV18ads_A10_v5":        {"A10", "1/2", 12},
	"Standard_NV36ads_A10_v5":        {"A10", "1", 24},
	"Standard_NV36adms_A10_v5":       {"A10", "1", 24},
	"Standard_NV72ads_A10_v5":        {"A10", "2", 48},
	"Standard_NV4ads_V710_v5":        {"V710", "1/6", 4},
	"Standard_NV8ads_V710_v5":        {"V710", "1/3", 8},
	"Standard_NV12ads_V710_v5":       {"V710", "1/2", 12},
	"Standard_NV24ads_V710_v5":       {"V710", "1", 24},
	"Standard_NV28adms_V710_v5":      {"V710", "1", 24},
	"Standard_NG8ads_V620_v1":        {"V620", "1/4", 8},
	"Standard_NG16ads_V620_v1":       {"V620", "1/2", 16},
	"Standard_NG32ads_V620_v1":       {"V620", "1", 32},
	"Standard_NG32adms_V620_v1":      {"V620", "1", 32},
}
