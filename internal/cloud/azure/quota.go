package azure

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opUsages = "Usage_List"

// Quotas implements cloud.QuotaReader: the limits on the vCPUs of the size's family
// and on those of the region, which a reservation draws on like machines would (Azure
// docs, capacity-reservation-create). That a block or a reservation for a date draws
// on the same, and when, is not documented: of those nothing is told.
func (c *Cloud) Quotas(ctx context.Context, spec cloud.Spec) ([]cloud.Quota, error) {
	if spec.Kind == cloud.Scheduled || spec.Kind == cloud.Block {
		return nil, noQuota("the quota of a reservation of kind " + string(spec.Kind) + " is not documented")
	}
	sizes, err := c.sizesOf(ctx, spec.Account, spec.Region)
	if err != nil {
		return nil, err
	}
	of, ok := sized(sizes, spec.InstanceType)
	if !ok || of.family() == "" || of.number(capVCPUs) == 0 {
		return nil, noQuota("the quota of " + spec.InstanceType + " in " + spec.Region + " is not known")
	}
	cl, err := c.inAccount(ctx, spec.Account)
	if err != nil {
		return nil, err
	}
	usages, err := cl.usagesIn(ctx, spec.Region)
	if err != nil {
		return nil, err
	}
	var all []cloud.Quota
	for _, name := range []string{quotaName(of.family()), quotaCores} {
		u, ok := usages[name]
		if !ok {
			return nil, noQuota("the limits of " + spec.Region + " do not have " + name)
		}
		used := float64(deref(u.CurrentValue))
		all = append(all, cloud.Quota{
			Scope: cloud.QuotaScope{AccountID: cl.subscription, Region: spec.Region, Quota: name},
			Unit:  "vCPU",
			Limit: float64(deref(u.Limit)),
			Used:  &used,
			Need:  float64(of.number(capVCPUs) * spec.Count),
		})
	}
	return all, nil
}

func noQuota(why string) *cloud.Error {
	return &cloud.Error{Code: cloud.NotFound, Op: opUsages, Message: cloud.Clean(why)}
}

// usagesIn are the limits of a location by the names that this package gives them.
func (cl *clients) usagesIn(ctx context.Context, location string) (map[string]*armcompute.Usage, error) {
	type page = armcompute.UsageClientListResponse
	found, err := pages(ctx, cl, listing[page]{
		op:       opUsages,
		begin:    func() pager[page] { return cl.usages.NewListPager(location, nil) },
		next:     func(p page) *string { return p.NextLink },
		complete: func(p page) bool { return p.Value != nil },
	})
	if err != nil {
		return nil, err
	}
	usages := map[string]*armcompute.Usage{}
	for _, p := range found {
		for _, u := range p.Value {
			if u != nil {
				usages[quotaName(deref(deref(u.Name).Value))] = u
			}
		}
	}
	return usages, nil
}
