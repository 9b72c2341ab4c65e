// Package shape tells what GPUs an instance type has: as the catalog says, or
// else the cloud. It knows no resource and no price.
package shape

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/gpu"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
)

// Shape is what is known of an instance type.
type Shape struct {
	// Model is the catalog's GPU model, else the cloud's own word.
	Model string
	// GPUs is how many one instance has.
	GPUs gpu.Fraction
	// Known tells that the rest is set.
	Known bool
}

// Learn asks the catalog, and the cloud where the catalog does not know the
// type. What neither knows is a warning at the attribute, since the cloud
// decides; a type without a GPU is an error there.
func Learn(
	ctx context.Context, p *configured.Provider, c *catalog.Catalog, cloudName string, spec cloud.Spec, at path.Path, diags *diag.Diagnostics,
) Shape {
	if t, ok := c.InstanceType(cloudName, spec.InstanceType); ok {
		return Shape{Model: string(t.GPUModel), GPUs: t.GPUs, Known: true}
	}
	t, found, err := p.Manager.InstanceType(ctx, cloudName, spec.Account, spec.Region, spec.InstanceType)
	switch {
	case err != nil:
		diags.AddAttributeWarning(at, "Instance type not in the catalog", fmt.Sprintf(
			"%q is not in this provider's catalog, and the cloud could not be asked: %s. Its GPUs and price are not known; "+
				"the cloud decides whether it can be reserved.", spec.InstanceType, cloud.Clean(err.Error())))
		return Shape{}
	case !found:
		diags.AddAttributeWarning(at, "Instance type not known", fmt.Sprintf(
			"Neither this provider's catalog nor %s in %s knows %q. The cloud decides whether it can be reserved.",
			cloudName, spec.Region, spec.InstanceType))
		return Shape{}
	}
	per, err := gpu.ParseFraction(t.GPUs)
	if err != nil || per.IsZero() {
		diags.AddAttributeError(at, "Instance type without a GPU", fmt.Sprintf(
			"%s in %s describes %q as having no GPU. This provider reserves GPU capacity only.", cloudName, spec.Region, spec.InstanceType))
		return Shape{}
	}
	return Shape{Model: t.GPUModel, GPUs: per, Known: true}
}
