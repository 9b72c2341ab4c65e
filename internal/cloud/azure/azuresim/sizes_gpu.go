package azuresim

import "slices"

// Families are quotas of vCPUs. Sources: SkyPilot, tests of fetch_azure.py
// (names of az vm list-skus, 2026-09), and karpenter-provider-azure,
// zz_generated.sku.southcentralus.go for T4, V100 and A100; those of MI300X and
// RTX PRO 6000 are UNVERIFIED.
const (
	familyT4      = "Standard NCASv3_T4 Family"
	familyV100    = "standardNCSv3Family"
	familyV100ND  = "standardNDSv2Family"
	familyA100    = "StandardNCADSA100v4Family"
	familyA100ND  = "Standard NDASv4_A100 Family"
	familyA100NDM = "standard NDAMSv4_A100Family"
	familyA10NC   = "StandardNCADSA10v4Family"
	familyA10NV   = "StandardNVADSA10v5Family"
	familyH100    = "StandardNCadsH100v5Family"
	familyH100CC  = "StandardNCCads2023Family"
	familyH100ND  = "standardNDSH100v5Family"
	familyH200ND  = "standardNDISRH200V5Family"
	familyMI300X  = "standardNDISv5MI300XFamily"
	familyGB200   = "standardNDISRGB200V6NDRFamily"
	familyMI25    = "standardNVSv4Family"
	familyM60     = "standardNVSv3Family"
	familyV710    = "StandardNVadsV710v5Family"
	familyRTX     = "StandardNCRTXPRO6000BSEv6Family"
)

// gpuLocations are where each family is. They follow the products-by-region page
// in the main; single locations are UNVERIFIED, they change every month, as is
// that a family is in every zone of a location.
func gpuLocations(family string) []string {
	common := []string{"eastus", "eastus2", "southcentralus", "westus2", "westus3", "westeurope", "northeurope", "uksouth", "swedencentral", "southeastasia"}
	large := []string{"eastus", "eastus2", "southcentralus", "westus3", "swedencentral", "australiaeast"}
	switch family {
	case familyT4, familyV100, familyA100, familyA10NV:
		return append(common, "centralindia", "japaneast", "australiaeast", "germanywestcentral")
	case familyH100, familyA10NC, familyV710:
		return common
	case familyM60, familyMI25:
		// westus has no zones.
		return []string{"eastus", "southcentralus", "westus", "westus2", "westeurope", "northeurope"}
	case familyH100CC:
		return []string{"centralus", "eastus2", "westeurope"}
	case familyGB200, familyRTX:
		return []string{"eastus", "westus2", "northeurope", "southeastasia"}
	}
	return large
}

// gpuSize is a row of the table of GPU sizes.
func gpuSize(name, family string, vcpus, gpus int, memoryGB float64) size {
	return size{name: name, family: family, vcpus: vcpus, gpus: gpus, memoryGB: memoryGB, zones: zonesOf(gpuLocations(family)...)}
}

// gpuSizes have GPUs. How they can be reserved: azure-compute-docs,
// capacity-reservation-overview of 2026-02, for each series.
func gpuSizes() []size {
	demand := slices.Concat(teslaSizes(), a100Sizes(), a10Sizes(), amdSizes(), rtxSizes())
	for i := range demand {
		demand[i].reservable, demand[i].reservationTypes = true, onDemand()
	}
	return slices.Concat(demand, blockSizes(), unreservableSizes())
}

// teslaSizes: azure-compute-docs, sizes/gpu-accelerated, ncast4v3-series,
// ncv3-series and nvv3-series; numbers of NC16as_T4_v3 and NC6s_v3 also in
// karpenter-provider-azure, zz_generated.sku.southcentralus.go. NCv3 was retired
// on 2025-09-30 and NVv3 on 2026-09-30: that a subscription without them is
// restricted from a location is UNVERIFIED, they could be missing.
func teslaSizes() []size {
	retired := []size{
		gpuSize("Standard_NC6s_v3", familyV100, 6, 1, 112),
		gpuSize("Standard_NC12s_v3", familyV100, 12, 2, 224),
		gpuSize("Standard_NC24s_v3", familyV100, 24, 4, 448),
		gpuSize("Standard_NC24rs_v3", familyV100, 24, 4, 448),
		gpuSize("Standard_NV12s_v3", familyM60, 12, 1, 112),
		gpuSize("Standard_NV24s_v3", familyM60, 24, 2, 224),
		gpuSize("Standard_NV48s_v3", familyM60, 48, 4, 448),
	}
	return append(withdrawn(retired),
		gpuSize("Standard_NC4as_T4_v3", familyT4, 4, 1, 28),
		gpuSize("Standard_NC8as_T4_v3", familyT4, 8, 1, 56),
		gpuSize("Standard_NC16as_T4_v3", familyT4, 16, 1, 110),
		gpuSize("Standard_NC64as_T4_v3", familyT4, 64, 4, 440),
	)
}

// withdrawn restricts every location of sizes.
func withdrawn(all []size) []size {
	for i, s := range all {
		for location := range s.zones {
			all[i].restrictions = append(all[i].restrictions, restriction{location: location, reason: notForSubscription})
		}
		slices.SortFunc(all[i].restrictions, byLocation)
	}
	return all
}

// a100Sizes: azure-compute-docs, nca100v4-series; NC24ads_A100_v4 also in
// karpenter-provider-azure, zz_generated.sku.southcentralus.go.
func a100Sizes() []size {
	return []size{
		gpuSize("Standard_NC24ads_A100_v4", familyA100, 24, 1, 220),
		gpuSize("Standard_NC48ads_A100_v4", familyA100, 48, 2, 440),
		gpuSize("Standard_NC96ads_A100_v4", familyA100, 96, 4, 880),
	}
}

// a10Sizes: azure-compute-docs, nvadsa10v5-series and ncadsa10v4-series. A part
// of a GPU counts as 1 in the capability GPUs (aspire.dev, AksNodeVmSizes, made
// from the SKU list). That zone 3 of South Central US is closed to subscriptions
// is a choice of this simulation, so that there is a restriction of a zone.
func a10Sizes() []size {
	all := []size{
		gpuSize("Standard_NV6ads_A10_v5", familyA10NV, 6, 1, 55),    // 1/6
		gpuSize("Standard_NV12ads_A10_v5", familyA10NV, 12, 1, 110), // 1/3
		gpuSize("Standard_NV18ads_A10_v5", familyA10NV, 18, 1, 220), // 1/2
		gpuSize("Standard_NV36ads_A10_v5", familyA10NV, 36, 1, 440),
		gpuSize("Standard_NV36adms_A10_v5", familyA10NV, 36, 1, 880),
		gpuSize("Standard_NV72ads_A10_v5", familyA10NV, 72, 2, 880),
	}
	for i := range all {
		all[i].restrictions = []restriction{{zonal: true, location: "southcentralus", zones: []string{"3"}, reason: notForSubscription}}
	}
	return append(all,
		gpuSize("Standard_NC8ads_A10_v4", familyA10NC, 8, 1, 55),    // 1/3
		gpuSize("Standard_NC16ads_A10_v4", familyA10NC, 16, 1, 110), // 1/2
		gpuSize("Standard_NC32ads_A10_v4", familyA10NC, 32, 1, 220),
	)
}

// amdSizes: azure-compute-docs, nvadsv710-series and nvv4-series (retired on
// 2026-09-30, parts of an MI25). V710 has no capability GPUs (aspire.dev,
// AksNodeVmSizes).
func amdSizes() []size {
	return append(withdrawn([]size{
		gpuSize("Standard_NV4as_v4", familyMI25, 4, 1, 14),   // 1/8
		gpuSize("Standard_NV8as_v4", familyMI25, 8, 1, 28),   // 1/4
		gpuSize("Standard_NV16as_v4", familyMI25, 16, 1, 56), // 1/2
		gpuSize("Standard_NV32as_v4", familyMI25, 32, 1, 112),
	}),
		gpuSize("Standard_NV4ads_V710_v5", familyV710, 4, 0, 16),   // 1/6, UNVERIFIED
		gpuSize("Standard_NV8ads_V710_v5", familyV710, 8, 0, 32),   // 1/3, UNVERIFIED
		gpuSize("Standard_NV12ads_V710_v5", familyV710, 12, 0, 64), // 1/2, UNVERIFIED
		gpuSize("Standard_NV24ads_V710_v5", familyV710, 24, 0, 128),
		gpuSize("Standard_NV28adms_V710_v5", familyV710, 28, 0, 160),
	)
}

// rtxSizes: azure-compute-docs, the page of the NC RTX PRO 6000 BSE v6 series,
// for vCPUs and memory. GPUs, and that they can be reserved, are UNVERIFIED.
func rtxSizes() []size {
	return []size{
		gpuSize("Standard_NC32lds_xl_RTXPRO6000BSE_v6", familyRTX, 32, 1, 64),
		gpuSize("Standard_NC64lds_xl_RTXPRO6000BSE_v6", familyRTX, 64, 1, 128),
		gpuSize("Standard_NC128lds_xl_RTXPRO6000BSE_v6", familyRTX, 128, 1, 256),
		gpuSize("Standard_NC128ds_xl_RTXPRO6000BSE_v6", familyRTX, 128, 1, 512),
		gpuSize("Standard_NC256lds_xl_RTXPRO6000BSE_v6", familyRTX, 256, 2, 512),
		gpuSize("Standard_NC256ds_xl_RTXPRO6000BSE_v6", familyRTX, 256, 2, 1024),
		gpuSize("Standard_NC320lds_xl_RTXPRO6000BSE_v6", familyRTX, 320, 2, 640),
		gpuSize("Standard_NC320ds_xl_RTXPRO6000BSE_v6", familyRTX, 320, 2, 1280),
	}
}

// blockSizes are for blocks only. Sources: armcompute v8.4, example
// BlockCapacityReservation_CreateOrUpdate, for ND H100; ND H200 is UNVERIFIED. vCPUs
// and memory: azure-compute-docs, ndh100v5-series and ndh200v5-series.
func blockSizes() []size {
	all := []size{
		gpuSize("Standard_ND96isr_H100_v5", familyH100ND, 96, 8, 1900),
		gpuSize("Standard_ND96isr_H200_v5", familyH200ND, 96, 8, 1850),
	}
	for i := range all {
		all[i].reservable, all[i].reservationTypes = true, []string{typeBlock}
	}
	return all
}

// unreservableSizes are the series of which capacity-reservation-overview says
// that they cannot be reserved on demand. vCPUs and memory: azure-compute-docs,
// ncadsh100v5-, nccadsh100v5-, ndv2-, ndasra100v4-, ndma100v4- and
// ndmi300xv5-series; GB200: its price list row and series page. That GB200 is
// for some offers only (QuotaId) is UNVERIFIED.
func unreservableSizes() []size {
	rack := gpuSize("Standard_ND128isr_NDR_GB200_v6", familyGB200, 128, 4, 900)
	for location := range rack.zones {
		rack.restrictions = append(rack.restrictions, restriction{location: location, reason: notForOffer})
	}
	slices.SortFunc(rack.restrictions, byLocation)
	return []size{
		gpuSize("Standard_NC40ads_H100_v5", familyH100, 40, 1, 320),
		gpuSize("Standard_NC80adis_H100_v5", familyH100, 80, 2, 640),
		gpuSize("Standard_NCC40ads_H100_v5", familyH100CC, 40, 1, 320),
		gpuSize("Standard_ND40rs_v2", familyV100ND, 40, 8, 672),
		gpuSize("Standard_ND96asr_v4", familyA100ND, 96, 8, 900),
		gpuSize("Standard_ND96amsr_A100_v4", familyA100NDM, 96, 8, 1900),
		gpuSize("Standard_ND96isr_MI300X_v5", familyMI300X, 96, 8, 1850),
		rack,
	}
}
