package reservation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/shape"
)

// facts is what is known of a wish's shape and price.
type facts struct {
	shape.Shape
	perHour *money.Money
}

// learn asks the catalog, and the cloud where the catalog does not know the
// type.
func learn(ctx context.Context, p *configured.Provider, cloudName string, spec cloud.Spec, diags *diag.Diagnostics) facts {
	c, err := p.Catalog()
	if err != nil {
		diags.AddError("Catalog not readable", err.Error())
		return facts{}
	}
	f := facts{perHour: price(c, cloudName, spec)}
	if attached, ok := attachedTo(cloudName, spec); ok {
		f.Shape = attached
		return f
	}
	f.Shape = shape.Learn(ctx, p, c, cloudName, spec, path.Root("instance_type"), diags)
	return f
}

// attachedTo is the shape that the cloud's own options give to instances.
func attachedTo(cloudName string, spec cloud.Spec) (shape.Shape, bool) {
	if p, ok := partOf(cloudName); ok && p.attached != nil {
		return p.attached(spec.Native)
	}
	return shape.Shape{}, false
}

// price is the list price of the whole wish, nil where the catalog has none. What
// is reserved for a later start is billed like what starts at once (EC2 User Guide,
// "Capacity Reservation pricing and billing").
func price(c *catalog.Catalog, cloudName string, spec cloud.Spec) *money.Money {
	for _, part := range parts() {
		if part.cloud == cloudName && !part.listed(spec.Native) {
			return nil
		}
	}
	kind := spec.Kind
	if kind == cloud.Scheduled {
		kind = cloud.OnDemand
	}
	listed, ok := c.Price(cloudName, spec.Region, spec.InstanceType, string(kind))
	if !ok {
		return nil
	}
	total, err := listed.PerHour.Mul(int64(spec.Count))
	if err != nil {
		return nil
	}
	return &total
}

// warnOffer warns where the catalog knows no such region, or is sure that the
// zone does not offer the type. It knows regions by their zones, so that of a wish
// for a whole region it can tell nothing.
func warnOffer(p *configured.Provider, cloudName string, spec cloud.Spec, diags *diag.Diagnostics) {
	c, err := p.Catalog()
	if err != nil || spec.Zone == "" {
		return
	}
	if regions := c.Regions(cloudName); spec.Region != "" && !slices.Contains(regions, spec.Region) {
		diags.AddAttributeWarning(path.Root("zone"), "Region not in the catalog", fmt.Sprintf(
			"This provider's catalog does not know a region %q of %s; it knows %s. The cloud decides.",
			spec.Region, cloudName, strings.Join(regions, ", ")))
		return
	}
	if known, offered := c.Offered(cloudName, spec.Zone, spec.InstanceType); known && !offered {
		diags.AddAttributeWarning(path.Root("zone"), "Zone may not offer the instance type", fmt.Sprintf(
			"The catalog does not list %s in %s. The cloud decides.", spec.InstanceType, spec.Zone))
	}
}

// forgetFacts leaves shape and price to the apply.
func (m *model) forgetFacts() {
	m.GPUModel, m.GPUsPerInstance, m.GPUCount = types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	m.EstimatedUSDPerHour = types.NumberUnknown()
}

// setFacts writes what is known of the shape and the price.
func (m *model) setFacts(f facts, count int64) {
	m.GPUModel, m.GPUsPerInstance, m.GPUCount = types.StringNull(), types.StringNull(), types.StringNull()
	m.EstimatedUSDPerHour = attribute.AmountValue(f.perHour)
	if !f.Known {
		return
	}
	m.GPUModel, m.GPUsPerInstance = types.StringValue(f.Model), types.StringValue(f.GPUs.String())
	if total, err := f.GPUs.Mul(count); err == nil {
		m.GPUCount = types.StringValue(total.String())
	}
}
