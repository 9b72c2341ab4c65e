package googlesim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

const (
	metricReservations = "RESERVATIONS"
	// metricAllGPUs is counted over all regions, in the project.
	metricAllGPUs = "GPUS_ALL_REGIONS"
)

// grantedQuota is the limit of a project about which nothing was said: as with
// stock, absent means plenty.
const grantedQuota = 1_000_000

// drawOf is what machines draw on quotas, by metric (section 8). GPUs draw only
// where the metric exists. That N1 draws on CPUS, A2 on A2_CPUS and other
// accelerator-optimized series on no CPU quota is UNVERIFIED, as is that
// fractional G4 counts as whole GPUs.
func drawOf(p instanceProperties, count int) map[string]float64 {
	draw := map[string]float64{}
	m := machineTypes()[p.MachineType]
	switch m.series() {
	case "n1":
		draw["CPUS"] = float64(m.cpus * count)
	case "a2":
		draw["A2_CPUS"] = float64(m.cpus * count)
	}
	for _, a := range p.Accelerators {
		if metric := gpuMetric(a.Type); metric != "" {
			draw[metric] += float64(a.Count * count)
		}
		draw[metricAllGPUs] += float64(a.Count * count)
	}
	return draw
}

// usage is what a project's reservations draw in a region; of GPUS_ALL_REGIONS
// in all.
func usage(tx *sim.Tx, project, region string) map[string]float64 {
	used := map[string]float64{}
	for _, obj := range tx.Objects(cloudName, reservationType) {
		var r reservation
		if obj.Account != project || obj.Decode(&r) != nil {
			continue
		}
		draw := drawOf(r.Properties, obj.Count)
		draw[metricReservations] = 1
		for metric, n := range draw {
			if obj.Region == region || metric == metricAllGPUs {
				used[metric] += n
			}
		}
	}
	return used
}

// limitOf is a project's limit of a metric and what others than its
// reservations use of it.
func limitOf(tx *sim.Tx, project, region, metric string) (limit, used float64) {
	if metric == metricAllGPUs {
		region = ""
	}
	if limit, used, found := tx.Quota(cloudName, project, region, metric); found {
		return limit, used
	}
	return grantedQuota, 0
}

// checkQuota refuses more machines than the project may have, in the form that
// the options choose: at once, or as the failure of the operation.
func (q *query) checkQuota(p instanceProperties, count, reservations int) (*failure, *apiError) {
	draw := drawOf(p, count)
	if reservations > 0 {
		draw[metricReservations] = float64(reservations)
	}
	var have map[string]float64
	for _, metric := range slices.Sorted(maps.Keys(draw)) {
		limit, others := limitOf(q.tx, q.project, q.region, metric)
		if limit == grantedQuota {
			// Plenty: there is no need to count.
			continue
		}
		if have == nil {
			have = usage(q.tx, q.project, q.region)
		}
		if have[metric]+others+draw[metric] > limit {
			return q.overQuota(metric, limit)
		}
	}
	return nil, nil
}

func (q *query) overQuota(metric string, limit float64) (*failure, *apiError) {
	where, dimensions := "in region "+q.region, map[string]string{"region": q.region}
	if metric == metricAllGPUs {
		where, dimensions = "globally", map[string]string{"global": "global"}
	}
	message := fmt.Sprintf("Quota '%s' exceeded.  Limit: %s %s.", metric, strconv.FormatFloat(limit, 'f', 1, 64), where)
	if !q.sim.options.QuotaInOperation {
		return nil, fail(reasonQuotaExceeded, "%s", message)
	}
	status := q.sim.options.QuotaStatus
	if status == 0 {
		status = http.StatusForbidden
	}
	return &failure{
		Code: codeQuota, Message: message, Status: status,
		Details: []any{quotaDetail("compute.googleapis.com/"+quotaName(metric), quotaLimitName(metric), limit, dimensions)},
	}, nil
}

// quotaName and quotaLimitName are the names of a metric in a quotaInfo:
// "compute.googleapis.com/nvidia_t4_gpus" and "NVIDIA-T4-GPUS-per-project-region"
// (the test data of hashicorp/terraform-provider-google has such a pair).
func quotaName(metric string) string { return strings.ToLower(metric) }

func quotaLimitName(metric string) string {
	name := strings.ReplaceAll(metric, "_", "-")
	if metric == metricAllGPUs {
		return name + "-per-project"
	}
	return name + "-per-project-region"
}
