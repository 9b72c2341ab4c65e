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
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/money"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
)

// facts is what is known of a wish's shape and price.
type facts struct {
	model   string
	per     gpu.Fraction
	known   bool // the shape is known
	perHour *money.Money
}

// learn asks the catalog, and the cloud where the catalog does not know the
// type. What neither knows is a warning: the cloud decides.
func learn(ctx context.Context, p *configured.Provider, cloudName string, spec cloud.Spec, diags *diag.Diagnostics) facts {
	c, err := p.Catalog()
	if err != nil {
		diags.AddError("Catalog not readable", err.Error())
		return facts{}
	}
	var f facts
	if t, ok := c.InstanceType(cloudName, spec.InstanceType); ok {
		f = facts{model: string(t.GPUModel), per: t.GPUs, known: true}
	} else {
		f = ask(ctx, p, cloudName, spec, diags)
	}
	f.perHour = price(c, cloudName, spec)
	return f
}

// price is the list price of the whole wish, nil where the catalog has none.
func price(c *catalog.Catalog, cloudName string, spec cloud.Spec) *money.Money {
	for _, part := range parts() {
		if part.cloud == cloudName && !part.listed(spec.Native) {
			return nil
		}
	}
	listed, ok := c.Price(cloudName, spec.Region, spec.InstanceType, string(spec.Kind))
	if !ok {
		return nil
	}
	total, err := listed.PerHour.Mul(int64(spec.Count))
	if err != nil {
		return nil
	}
	return &total
}

// ask describes the type with the cloud itself.
func ask(ctx context.Context, p *configured.Provider, cloudName string, spec cloud.Spec, diags *diag.Diagnostics) facts {
	at := path.Root("instance_type")
	t, found, err := p.Manager.InstanceType(ctx, cloudName, spec.Account, spec.Region, spec.InstanceType)
	switch {
	case err != nil:
		diags.AddAttributeWarning(at, "Instance type not in the catalog", fmt.Sprintf(
			"%q is not in this provider's catalog, and the cloud could not be asked: %s. Its GPUs and price are not known; "+
				"the cloud decides whether it can be reserved.", spec.InstanceType, cloud.Clean(err.Error())))
		return facts{}
	case !found:
		diags.AddAttributeWarning(at, "Instance type not known", fmt.Sprintf(
			"Neither this provider's catalog nor %s in %s knows %q. The cloud decides whether it can be reserved.",
			cloudName, spec.Region, spec.InstanceType))
		return facts{}
	}
	per, err := gpu.ParseFraction(t.GPUs)
	if err != nil || per.IsZero() {
		diags.AddAttributeError(at, "Instance type without a GPU", fmt.Sprintf(
			"%s in %s describes %q as having no GPU. This provider reserves GPU capacity only.", cloudName, spec.Region, spec.InstanceType))
		return facts{}
	}
	return facts{model: t.GPUModel, per: per, known: true}
}

// warnOffer warns where the catalog knows no such region, or is sure that the
// zone does not offer the type.
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

// setFacts writes what is known of the shape and the price.
func (m *model) setFacts(f facts, count int64) {
	m.GPUModel, m.GPUsPerInstance, m.GPUCount = types.StringNull(), types.StringNull(), types.StringNull()
	m.EstimatedUSDPerHour = attribute.AmountValue(f.perHour)
	if !f.known {
		return
	}
	m.GPUModel, m.GPUsPerInstance = types.StringValue(f.model), types.StringValue(f.per.String())
	if total, err := f.per.Mul(count); err == nil {
		m.GPUCount = types.StringValue(total.String())
	}
}
