package awssim

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// quota is a limit: vCPUs of running on-demand instances, reservations included
// whether used or not, or dedicated hosts of a family (section 11).
type quota struct {
	code     string
	name     string
	families []string
	// standard is what AWS gives a new account. From memory, UNVERIFIED.
	standard int
	// hosts says that dedicated hosts are counted.
	hosts bool
}

// grantedVCPUs is the applied limit of an account about which nothing was
// said: as with stock, absent means plenty.
const (
	grantedVCPUs = 1_000_000
	grantedHosts = 1000
)

// quotas lists all limits.
func quotas() []quota { return append(vcpuQuotas(), hostQuotas()...) }

// vcpuQuotas lists the limits in vCPUs. The codes of P and of G and VT are sourced in
// section 11; the others are from memory, UNVERIFIED.
func vcpuQuotas() []quota {
	return []quota{
		{
			"L-1216C47A", "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
			[]string{"a", "c", "d", "h", "i", "m", "r", "t", "z"},
			5, false,
		},
		{"L-1945791B", "Running On-Demand Inf instances", []string{"inf"}, 0, false},
		{"L-2C3B7624", "Running On-Demand Trn instances", []string{"trn"}, 0, false},
		{"L-417A185B", "Running On-Demand P instances", []string{"p"}, 0, false},
		{"L-6E869C2A", "Running On-Demand DL instances", []string{"dl"}, 0, false},
		{"L-7295265B", "Running On-Demand X instances", []string{"x"}, 0, false},
		{"L-DB2E81BA", "Running On-Demand G and VT instances", []string{"g", "gr", "vt"}, 0, false},
	}
}

// quotaOf is the quota a type draws on. G6f counts as G, UNVERIFIED.
func quotaOf(instanceType string) (quota, bool) {
	for _, q := range vcpuQuotas() {
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
	if q.hosts {
		return grantedHosts, 0
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

// hostQuotas lists the limits on hosts, whose families are those before the
// dot. Codes and defaults as several public listings of Service Quotas print
// them; of g7e and dl2q none was found, and they have no limit here.
func hostQuotas() []quota {
	rows := []struct {
		family, code string
		standard     int
	}{
		{"dl1", "L-AD667A3D", 1},
		{"g4ad", "L-FD8E9B9A", 0},
		{"g4dn", "L-CAE24619", 0},
		{"g5", "L-A6E7FE5E", 0},
		{"g5g", "L-4714FFEA", 0},
		{"g6", "L-B88B9D6B", 0},
		{"g6e", "L-7069ADEB", 0},
		{"inf1", "L-5480EFD2", 0},
		{"inf2", "L-E5BCF7B5", 0},
		{"m5", "L-8B7BF662", 0},
		{"m6g", "L-D50A37FA", 0},
		{"m7i", "L-30E31217", 0},
		{"p3dn", "L-B601B3B6", 0},
		{"p4d", "L-86A789C3", 0},
		{"r5", "L-EA4FD6CF", 0},
		{"trn1", "L-5E4FB836", 0},
	}
	var all []quota
	for _, r := range rows {
		name := r.family
		if name == "inf1" {
			name = "inf" // the listings' name for it
		}
		all = append(all, quota{
			code: r.code, name: "Running Dedicated " + name + " Hosts", families: []string{r.family}, standard: r.standard, hosts: true,
		})
	}
	return all
}

// checkHostQuota refuses more hosts of a family than the account may have. A
// released host counts for a while (fact aws-6-limit).
func (q *query) checkHostQuota(family string, more int) *apiError {
	for _, limited := range hostQuotas() {
		if !slices.Contains(limited.families, family) {
			continue
		}
		limit, used := limited.limit(q.tx, q.who.Account, q.region)
		for _, obj := range q.ownOf(hostType) {
			if hostFamily(obj.InstanceType) == family && hostCounted(obj, q.tx.Now()) {
				used++
			}
		}
		if used+float64(more) > limit {
			return fail(codeHostLimit, "You have reached the limit of %g Dedicated Hosts of the family %s that you can have.", limit, family)
		}
	}
	return nil
}

// hostCounted tells whether a host counts against its quota.
func hostCounted(obj *sim.Object, now time.Time) bool {
	var h host
	return !gone(obj) || (obj.Decode(&h) == nil && now.Before(h.Released.Add(limitDelay)))
}
