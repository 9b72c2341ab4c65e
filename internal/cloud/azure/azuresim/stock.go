package azuresim

import (
	"github.com/gpulock/terraform-provider-gpu/internal/sim"
)

// kept is the number of instances that a reservation and its machines keep from
// others: machines beyond what is reserved are there too.
func kept(obj *sim.Object, r reservation) int { return max(r.Current, len(allocated(obj, r))) }

// release gives the stock of a reservation back that goes. Machines that run on
// keep theirs.
func release(tx *sim.Tx, obj *sim.Object) {
	var r reservation
	if obj.Type != reservationType || obj.Decode(&r) != nil {
		return
	}
	tx.Give(placeOf(obj), kept(obj, r)-len(allocated(obj, r)))
}

// fulfill checks the quota and takes the stock for a reservation of so many, which
// is all or nothing.
func (q *query) fulfill(obj *sim.Object, r reservation, count int) (change, *failure, *apiError) {
	if now, err := q.takesNow(obj, r, count); err != nil || !now {
		return change{}, nil, err
	}
	need := max(count, len(allocated(obj, r))) - kept(obj, r)
	if need <= 0 {
		return change{}, nil, nil
	}
	if refused := q.checkQuota(obj, need); refused != nil {
		if !q.sim.options.QuotaInOperation {
			return change{}, nil, refused
		}
		return change{}, failed(refused), nil
	}
	if q.req.Effects.OperationError != nil {
		// The operation will fail: it must not take and give what others could have.
		return change{}, nil, nil
	}
	if q.tx.Take(placeOf(obj), need) {
		return change{Taken: need}, nil, nil
	}
	refused := q.sim.stockout(obj)
	if q.sim.options.StockAtOnce {
		return change{}, nil, refused
	}
	return change{}, failed(refused), nil
}

// stockout words a stock-out (facts azure-6-stock).
func (s *Simulator) stockout(obj *sim.Object) *apiError {
	const guidance = "Read more about improving likelihood of allocation success at https://aka.ms/allocation-guidance"
	switch zonal := obj.Zone != ""; {
	case s.options.Overconstrained:
		code, constraint := codeOverconstrained, ""
		if zonal {
			code, constraint = codeOverconstrainedIn, "  - Availability Zone\n"
		}
		return fail(code, "Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too restrictive. "+
			"Please remove some constraints and try again. Constraints applied are:\n%s  - VM Size\n", constraint)
	case zonal:
		return fail(codeZonalAllocation, "Allocation failed. We do not have sufficient capacity for the requested VM size in this zone. %s", guidance)
	}
	return fail(codeAllocation, "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. %s", guidance)
}
