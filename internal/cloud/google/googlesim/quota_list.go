package googlesim

import "github.com/gpulock/terraform-provider-gpu/internal/sim"

// quotaWire is a Quota in JSON. Its owner is left out, as in the samples of
// the documentation.
type quotaWire struct {
	Metric string  `json:"metric"`
	Limit  float64 `json:"limit"`
	Usage  float64 `json:"usage"`
}

// regionMetrics are the quotas of a region that have to do with GPUs, from
// the enum Quota.metric: none for H100, H200, B200 and RTX PRO 6000 on demand
// (fact google-8-no-h100).
func regionMetrics() []string {
	all := []string{"CPUS", "A2_CPUS", metricReservations}
	for _, gpu := range []string{"K80", "P100", "P4", "V100", "T4", "A100", "A100_80GB", "L4"} {
		all = append(all, "NVIDIA_"+gpu+"_GPUS", "PREEMPTIBLE_NVIDIA_"+gpu+"_GPUS", "COMMITTED_NVIDIA_"+gpu+"_GPUS")
	}
	for _, gpu := range []string{"P100", "P4", "T4"} {
		all = append(all, "NVIDIA_"+gpu+"_VWS_GPUS", "PREEMPTIBLE_NVIDIA_"+gpu+"_VWS_GPUS")
	}
	return append(all, "PREEMPTIBLE_NVIDIA_H100_GPUS", "COMMITTED_NVIDIA_H100_GPUS")
}

// quotasWire lists a project's quotas in a region, or those over all regions.
func quotasWire(tx *sim.Tx, project, region string) []quotaWire {
	metrics := regionMetrics()
	if region == "" {
		metrics = []string{metricAllGPUs}
	}
	used := usage(tx, project, region)
	all := make([]quotaWire, 0, len(metrics))
	for _, metric := range metrics {
		limit, others := limitOf(tx, project, region, metric)
		all = append(all, quotaWire{metric, limit, used[metric] + others})
	}
	return all
}
