// Package configured is what the provider hands to its resources, data sources
// and functions once its block is decoded. It is the one place where that value
// is asserted.
package configured

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
)

// Provider is the configured provider.
type Provider struct {
	// Manager runs the rules. It is nil while a part of the provider block is
	// not known yet.
	Manager *capacity.Manager
	Catalog func() (*catalog.Catalog, error)
	// Owner marks what is created; "" where none is set.
	Owner       string
	DefaultTags map[string]string
	// Regions are the default regions by cloud.
	Regions map[string]string
	// Defaults are the cloud's own options, by cloud, that the provider block gives
	// to resources that leave them out.
	Defaults map[string]map[string]string
	// Unavailable says of a cloud that the provider block accepts and this
	// version cannot use yet, what to tell.
	Unavailable map[string]string

	unread sync.Once
	// met are the reservations of the state that this process came across.
	met sync.Map
}

// From asserts provider data; nil data is a provider that is not configured yet
// and gives nil.
func From(data any, diags *diag.Diagnostics) *Provider {
	if data == nil {
		return nil
	}
	p, ok := data.(*Provider)
	if !ok {
		diags.AddError("Provider data not understood",
			fmt.Sprintf("A %T came where this provider's own data was expected. This is a bug in the provider.", data))
		return nil
	}
	return p
}

// Ready tells whether clouds can be used, and says why not otherwise.
func (p *Provider) Ready(diags *diag.Diagnostics) bool {
	if p != nil && p.Manager != nil {
		return true
	}
	diags.AddError("Provider is not configured yet",
		"A value in the provider block is not known until other resources are applied. Apply those first (-target), "+
			"or give the provider values that are known at plan.")
	return false
}

// WarnUnread says, once per run, that states are kept without a look at the
// clouds.
func (p *Provider) WarnUnread(diags *diag.Diagnostics) {
	if p == nil {
		return
	}
	p.unread.Do(func() {
		diags.AddWarning("Reservations were not read", "A value in the provider block is not known yet, so the states of its "+
			"reservations are kept as they are until it is.")
	})
}

// Meet notes that the state has a reservation of that name.
func (p *Provider) Meet(cloudName, name string) {
	if p != nil {
		p.met.Store([2]string{cloudName, name}, true)
	}
}

// Met tells whether Meet was told of a reservation: then a plan to create one of
// that name is a part of its replacement.
func (p *Provider) Met(cloudName, name string) bool {
	_, ok := p.met.Load([2]string{cloudName, name})
	return ok
}

// Usable tells whether the cloud can be used by this version.
func (p *Provider) Usable(cloudName string, diags *diag.Diagnostics) bool {
	if why, ok := p.Unavailable[cloudName]; ok {
		diags.AddAttributeError(path.Root("cloud"), "Cloud not supported yet", why)
		return false
	}
	return true
}
