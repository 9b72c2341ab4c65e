package google

import (
	"context"
	"math/big"
	"slices"

	"cloud.google.com/go/compute/apiv1/computepb"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const opRegion = "compute.regions.get"

// Quotas implements cloud.QuotaReader. A reservation draws on the region's limit
// of its GPUs as instances would (Compute Engine, troubleshooting reservation
// creation). The API has no metric for H100 and what came after it, and what
// starts at a date draws on the limit of that date: of those nothing is known,
// and nothing is asked.
func (c *Cloud) Quotas(ctx context.Context, spec cloud.Spec) ([]cloud.Quota, error) {
	of, known := gpusOf(spec.InstanceType, spec.Native[optAcceleratorType], spec.Native[optAcceleratorCount])
	metric := accelerators[of.accelerator].metric
	switch {
	case spec.Kind == cloud.Scheduled || spec.Kind == cloud.Block:
		return nil, untold("the quota of a reservation of kind " + string(spec.Kind) + " is that of its start, which is not known")
	case !known:
		return nil, untold("the quota of " + spec.InstanceType + " is not known")
	case metric == "":
		return nil, untold("Compute Engine does not tell the quota of " + modelOf(of.accelerator))
	}
	region := spec.Region
	if region == "" {
		region = regionOf(spec.Zone)
	}
	if !regionForm.MatchString(region) {
		return nil, &cloud.Error{Code: cloud.Invalid, Op: opRegion, Message: "\"" + cloud.Clean(region) + "\" is not a region such as us-central1"}
	}
	project, err := c.project(ctx, spec.Account)
	if err != nil {
		return nil, err
	}
	found, err := c.regionQuota(ctx, project, region, metric)
	if err != nil {
		return nil, err
	}
	used := found.GetUsage()
	return []cloud.Quota{{
		Scope: cloud.QuotaScope{AccountID: project, Region: region, Quota: metric},
		Unit:  "GPU",
		Limit: found.GetLimit(),
		Used:  &used,
		Need:  needOf(of, spec.Count),
	}}, nil
}

func untold(why string) *cloud.Error {
	return &cloud.Error{Code: cloud.NotFound, Op: opRegion, Message: cloud.Clean(why)}
}

func (c *Cloud) regionQuota(ctx context.Context, project, region, metric string) (*computepb.Quota, error) {
	cl, err := c.clients(ctx)
	if err != nil {
		return nil, err
	}
	found, err := call(ctx, c, opRegion, func(ctx context.Context) (*computepb.Region, error) {
		return cl.regions.Get(ctx, &computepb.GetRegionRequest{Project: project, Region: region}, once)
	})
	if err != nil {
		return nil, err
	}
	if found.GetName() != region {
		return nil, hollow(opRegion, "name")
	}
	if warning := found.GetQuotaStatusWarning(); warning != nil && len(found.GetQuotas()) == 0 {
		return nil, untold("the region does not tell its quotas: " + warning.GetMessage())
	}
	at := slices.IndexFunc(found.GetQuotas(), func(q *computepb.Quota) bool { return q.GetMetric() == metric })
	if at < 0 {
		return nil, untold("the region does not tell its quota " + metric)
	}
	return found.GetQuotas()[at], nil
}

// needOf is how many GPUs all instances have.
func needOf(of shape, count int) float64 {
	gpus, ok := new(big.Rat).SetString(of.gpus)
	if !ok {
		return 0
	}
	need, _ := gpus.Mul(gpus, new(big.Rat).SetInt64(int64(count))).Float64()
	return need
}
