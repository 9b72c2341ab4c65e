package aws

import (
	"context"
	"slices"
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/servicequotas"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Codes of the quotas on Running On-Demand instances, in vCPUs (Service Quotas,
// service ec2). A reservation counts against them, used or not.
const (
	quotaP        = "L-417A185B"
	quotaGVT      = "L-DB2E81BA"
	quotaStandard = "L-1216C47A"
)

type typeKey struct{ account, region, instanceType string }

// quotaOf is the quota that a type draws on; "" where it is not known.
func quotaOf(instanceType string) string {
	family := familyOf(instanceType)
	switch {
	case family == "p":
		return quotaP
	case slices.Contains([]string{"g", "gr", "vt"}, family):
		return quotaGVT
	case slices.Contains([]string{"a", "c", "d", "h", "i", "im", "is", "m", "r", "t", "z"}, family):
		return quotaStandard
	}
	return ""
}

// familyOf is the letters that a type begins with.
func familyOf(instanceType string) string {
	family := strings.ToLower(instanceType)
	if end := strings.IndexAny(family, "0123456789-."); end >= 0 {
		family = family[:end]
	}
	return family
}

// scope names the limit that a type draws on. The account is left out if it
// cannot be learned: this completes an error and may not replace it.
func (c *Cloud) scope(ctx context.Context, account, region, instanceType string) cloud.QuotaScope {
	scope := cloud.QuotaScope{Region: region, Quota: quotaOf(instanceType)}
	if id, err := c.AccountID(ctx, account); err == nil {
		scope.AccountID = id
	}
	return scope
}

// Quotas implements cloud.QuotaReader. Service Quotas tells the limit, not what
// counts against it. A capacity block draws on none of them (EC2 User Guide,
// "Capacity Blocks for ML").
func (c *Cloud) Quotas(ctx context.Context, spec cloud.Spec) ([]cloud.Quota, error) {
	const op = "GetServiceQuota"
	if spec.Kind == cloud.Block {
		return []cloud.Quota{}, nil
	}
	if hosted(spec.Kind) {
		// Hosts are counted by family, apart from instances; AWS publishes no codes.
		return nil, &cloud.Error{Code: cloud.NotFound, Op: op, Message: "the quota of dedicated hosts is not known"}
	}
	region := spec.Region
	if match := zoneForm.FindStringSubmatch(spec.Zone); region == "" && match != nil {
		region = match[1]
	}
	p, err := c.place(ctx, spec.Account, region)
	if err != nil {
		return nil, err
	}
	code := quotaOf(spec.InstanceType)
	if code == "" {
		return nil, &cloud.Error{Code: cloud.NotFound, Op: op, Message: "the quota of " + spec.InstanceType + " is not known"}
	}
	out, err := call(ctx, op, func(ctx context.Context) (*servicequotas.GetServiceQuotaOutput, error) {
		return p.quotas.GetServiceQuota(ctx, &servicequotas.GetServiceQuotaInput{
			ServiceCode: awssdk.String("ec2"), QuotaCode: awssdk.String(code),
		})
	})
	if err != nil {
		return nil, err
	}
	if out.Quota == nil || out.Quota.Value == nil {
		return nil, hollow(op, "Quota.Value")
	}
	vcpus, err := c.vcpusOf(ctx, p, spec.Account, spec.InstanceType)
	if err != nil {
		return nil, err
	}
	return []cloud.Quota{{
		Scope: c.scope(ctx, spec.Account, p.region, spec.InstanceType),
		Unit:  "vCPU",
		Limit: *out.Quota.Value,
		Need:  float64(vcpus * spec.Count),
	}}, nil
}

// vcpusOf asks once for each type of a region.
func (c *Cloud) vcpusOf(ctx context.Context, p *place, account, instanceType string) (int, error) {
	key := typeKey{account, p.region, instanceType}
	c.mu.Lock()
	n, ok := c.vcpus[key]
	c.mu.Unlock()
	if ok {
		return n, nil
	}
	found, err := p.types(ctx, []string{instanceType})
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		return 0, &cloud.Error{Code: cloud.NotFound, Op: opTypes, Message: "EC2 does not know the type " + instanceType + " in " + p.region}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.vcpus[key] = found[0].VCPUs
	return found[0].VCPUs, nil
}
