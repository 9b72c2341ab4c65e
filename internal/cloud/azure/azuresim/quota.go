package azuresim

import (
	"strconv"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// quotaCores is the quota of all vCPUs of a region.
const quotaCores = "cores"

// grantedQuota is the limit of a subscription about which nothing was said: as
// with stock, absent means plenty.
const grantedQuota = 1_000_000

// usage is what a subscription's reservations draw in a region, in vCPUs by
// family and in all.
func (s *Simulator) usage(tx *sim.Tx, subscription, region string) map[string]int {
	used := map[string]int{}
	for _, obj := range tx.Objects(cloudName, reservationType) {
		var r reservation
		size, known := s.sizeByName(obj.InstanceType)
		if obj.Account != subscription || obj.Region != region || !known || obj.Decode(&r) != nil {
			continue
		}
		vcpus := size.vcpus * drawn(obj, r)
		used[size.family] += vcpus
		used[quotaCores] += vcpus
	}
	return used
}

// drawn is the number of instances that count against quotas: those under way
// too, those that were refused not.
func drawn(obj *sim.Object, r reservation) int {
	switch provisioningOf(obj) {
	case stateCreating, stateUpdating:
		if r.Schedule == nil || !r.Schedule.future() {
			return max(kept(obj, r), obj.Count)
		}
	}
	return kept(obj, r)
}

// limitOf is a subscription's limit of a quota, and what others than its
// reservations use of it. A quota's name is in the casing of the table of sizes.
func limitOf(tx *sim.Tx, subscription, region, quota string) (limit, used int) {
	if limit, used, found := tx.Quota(cloudName, subscription, region, quota); found {
		return int(limit), int(used)
	}
	return grantedQuota, 0
}

// checkQuota refuses more instances than the family or the region may have (fact
// azure-6-quota).
func (q *query) checkQuota(obj *sim.Object, more int) *apiError {
	s, known := q.sim.sizeByName(obj.InstanceType)
	if !known {
		return nil
	}
	var have map[string]int
	for _, quota := range []string{s.family, quotaCores} {
		limit, others := limitOf(q.tx, obj.Account, obj.Region, quota)
		if limit == grantedQuota {
			// Plenty: there is no need to count.
			continue
		}
		if have == nil {
			have = q.sim.usage(q.tx, obj.Account, obj.Region)
		}
		used, wanted := have[quota]+others, more*s.vcpus
		if used+wanted > limit {
			return overQuota(quota, obj.Region, limit, used, wanted)
		}
	}
	return nil
}

func overQuota(quota, region string, limit, used, wanted int) *apiError {
	name := quota + " Cores"
	if quota == quotaCores {
		name = "Total Regional Cores"
	}
	return fail(codeNotAllowed, "Operation could not be completed as it results in exceeding approved %s quota. Additional details - "+
		"Deployment Model: Resource Manager, Location: %s, Current Limit: %s, Current Usage: %s, Additional Required: %s, "+
		"(Minimum) New Limit Required: %s. Submit a request for Quota increase at https://aka.ms/ProdportalCRP/ by specifying parameters "+
		"listed in the 'Details' section for deployment to succeed. Please read more about quota limits at "+
		"https://docs.microsoft.com/en-us/azure/azure-supportability/per-vm-quota-requests",
		name, region, strconv.Itoa(limit), strconv.Itoa(used), strconv.Itoa(wanted), strconv.Itoa(used+wanted))
}
