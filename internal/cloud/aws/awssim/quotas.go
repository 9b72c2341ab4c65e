package awssim

import (
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// quota is a vCPU limit on running on-demand instances, reservations included
// whether used or not (facts/aws.md section 11).
type quota struct {
	code     string
	name     string
	families []string
	// standard is what AWS gives a new account. From memory, UNVERIFIED.
	standard int
}

// grantedVCPUs is the applied limit of an account about which nothing was
// said: as with stock, absent means plenty.
const grantedVCPUs = 1_000_000

// quotas lists the limits. The codes of P and of G and VT are sourced in
// section 11; the others are from memory, UNVERIFIED.
func quotas() []quota {
	return []quota{
		{
			"L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
			[]string{"a", "c", "d", "h", "i", "m", "r", "t", "z"},
			5,
		},
		{"L-1945791B", "Running On-Demand Inf instances", []string{"inf"}, 0},
		{"L-2C3B7624", "Running On-Demand Trn instances", []string{"trn"}, 0},
		{"L-417A185B", "Running On-Demand P instances", []string{"p"}, 0},
		{"L-6E869C2A", "Running On-Demand DL instances", []string{"dl"}, 0},
		{"L-7295265B", "Running On-Demand X instances", []string{"x"}, 0},
		{"L-DB2E81BA", "Running On-Demand G and VT instances", []string{"g", "gr", "vt"}, 0},
	}
}

// quotaOf is the quota a type draws on. G6f counts as G, UNVERIFIED.
func quotaOf(instanceType string) (quota, bool) {
	for _, q := range quotas() {
		if slices.Contains(q.families, family(instanceType)) {
			return q, true
		}
	}
	return quota{}, false
}

// limit is an account's applied limit and what others than its reservations
// use of it.
func (q quota) limit(tx *sim.Tx, account, region string) (limit, used float64) {
	if limit, used, found := tx.Quota(cloudName, account, region, q.code); found {
		return limit, used
	}
	return grantedVCPUs, 0
}

// checkQuota refuses more instances of a type than the account may have.
func (s *Simulator) checkQuota(tx *sim.Tx, account, region, instanceType string, more int) *apiError {
	q, known := quotaOf(instanceType)
	if !known {
		return nil
	}
	limit, used := q.limit(tx, account, region)
	for _, obj := range tx.Objects(cloudName, reservationType) {
		if other, _ := quotaOf(obj.InstanceType); obj.Account == account && obj.Region == region && other.code == q.code {
			used += float64(counted(obj) * s.catalog.vcpus(obj.InstanceType))
		}
	}
	if used+float64(more*s.catalog.vcpus(instanceType)) <= limit {
		return nil
	}
	if s.options.VCPULimitCode {
		return fail(codeVCPULimit, "You have requested more vCPU capacity than your current vCPU limit of %g allows "+
			"for the instance bucket that the specified instance type belongs to.", limit)
	}
	return fail(codeInstanceLimit, "Your quota allows for %g more vCPUs of the bucket that %s belongs to; "+
		"you requested %d.", max(limit-used, 0), instanceType, more*s.catalog.vcpus(instanceType))
}
