package offers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/catalog"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/configured"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/shape"
)

// search is one read.
type search struct {
	p       *configured.Provider
	catalog *catalog.Catalog
	diags   *diag.Diagnostics

	cloud               string
	types, zones, kinds []string
	// wished is what every type is asked for with.
	wished   cloud.Spec
	windowed bool
	// unsold is why no block is to be looked for, "" where some may be.
	unsold string
	// blocked are types that cannot be asked for as blocks, with the reason; opted
	// those that are reserved with an option of the cloud's own only.
	blocked, opted map[string]string
	gaps           []gap
}

func newSearch(p *configured.Provider, m model, diags *diag.Diagnostics) *search {
	s := &search{
		p: p, diags: diags, cloud: m.Cloud.ValueString(),
		types: attribute.Strings(m.InstanceTypes), zones: attribute.Strings(m.Zones), kinds: attribute.Strings(m.Kinds),
		wished:  cloud.Spec{Account: m.Account.ValueString(), Region: m.Region.ValueString(), Count: 1},
		blocked: map[string]string{}, opted: map[string]string{}, gaps: []gap{},
	}
	if !m.InstanceCount.IsNull() {
		s.wished.Count = int(m.InstanceCount.ValueInt64())
	}
	if len(s.kinds) == 0 {
		s.kinds = kinds()
	}
	if len(s.zones) == 0 && s.wished.Region == "" {
		s.wished.Region = p.Regions[s.cloud]
	}
	if s.windowed = m.Window != nil; s.windowed {
		s.wished.StartAt, s.wished.EndAt = attribute.TimeOf(m.Window.StartAt), attribute.TimeOf(m.Window.EndAt)
		if d, err := attribute.ParseDuration(m.Window.Duration.ValueString()); err == nil {
			s.wished.Duration = d
		}
	}
	var err error
	if s.catalog, err = p.Catalog(); err != nil {
		diags.AddError("Catalog not readable", err.Error())
	}
	return s
}

func (s *search) wants(kind cloud.Kind) bool { return slices.Contains(s.kinds, string(kind)) }

// onDemand is the wish for on-demand capacity, which has no window.
func (s *search) onDemand(instanceType, zone string) cloud.Spec {
	return cloud.Spec{
		Kind: cloud.OnDemand, Account: s.wished.Account, Region: s.wished.Region, Zone: zone, InstanceType: instanceType, Count: s.wished.Count,
	}
}

// block is the wish for a block in any zone: one answer serves them all.
func (s *search) block(instanceType string) cloud.Spec {
	spec := s.wished
	spec.Kind, spec.InstanceType = cloud.Block, instanceType
	return spec
}

// check completes the place and reports what is wrong with the arguments and the
// credentials.
func (s *search) check(ctx context.Context) {
	s.checkPlaces()
	if !s.diags.HasError() && s.wished.Region == "" {
		s.diags.AddAttributeError(path.Root("region"), "No region",
			"Name a region or zones, or set the region of the cloud in the provider block.")
	}
	if !s.diags.HasError() && s.wants(cloud.Block) {
		s.checkBlocks()
	}
	if s.diags.HasError() {
		return
	}
	_, err := s.p.Manager.AccountID(ctx, s.cloud, s.wished.Account)
	report.Failure(s.diags, err)
}

// checkPlaces checks each type in each zone, and takes the region from the first
// zone where none is given.
func (s *search) checkPlaces() {
	var all []cloud.Problem
	zones := s.zones
	if len(zones) == 0 {
		zones = []string{""}
	}
	for _, instanceType := range s.types {
		for _, zone := range zones {
			spec, problems, err := s.p.Manager.Check(s.cloud, s.onDemand(instanceType, zone))
			if err != nil {
				report.Failure(s.diags, err)
				return
			}
			s.wished.Region = cmp.Or(s.wished.Region, spec.Region)
			for _, p := range problems {
				if why, ok := s.option(p); ok {
					s.opted[instanceType] = why
					continue
				}
				all = append(all, p)
			}
		}
	}
	s.report(slices.DeleteFunc(all, func(p cloud.Problem) bool { return p.Attribute == cloud.AttrZone && len(s.zones) == 0 }))
}

// option tells whether a problem is with an option of the cloud's own, and what
// that means here, where none can be given.
func (s *search) option(p cloud.Problem) (why string, ok bool) {
	return fmt.Sprintf("it is reserved with %s, which is not an argument here: %s", p.Attribute, p.Detail),
		strings.HasPrefix(string(p.Attribute), s.cloud+".")
}

// checkBlocks reports what is wrong with the window, and with the count where
// nothing but blocks is wanted. What else keeps a type from being sold as a block
// is no error: the other kind may have it.
func (s *search) checkBlocks() {
	if err := s.p.Manager.Sold(s.cloud, cloud.Block); err != nil {
		s.unsold = reason(err)
		s.checkOrder()
		return
	}
	if !s.windowed {
		s.unsold = "window is not set: blocks are offered for a length of time, so give window.duration, or start_at and end_at"
		return
	}
	var all []cloud.Problem
	for _, instanceType := range s.types {
		_, problems, err := s.p.Manager.Check(s.cloud, s.block(instanceType))
		report.Failure(s.diags, err)
		for _, p := range problems {
			counted := p.Attribute == cloud.AttrCount && !s.wants(cloud.OnDemand)
			if counted || strings.HasPrefix(string(p.Attribute), "window") {
				all = append(all, p)
				continue
			}
			why, ok := s.option(p)
			if !ok {
				why = p.Detail
			}
			s.blocked[instanceType] = why
		}
	}
	s.report(all)
}

// checkOrder reports a window that ends before it starts.
func (s *search) checkOrder() {
	if end := s.wished.EndAt; !end.IsZero() && !end.After(s.wished.StartAt) {
		s.report([]cloud.Problem{{Attribute: cloud.AttrEnd, Detail: "the end is not after the start"}})
	}
}

// report reports each problem once, at this data source's attribute.
func (s *search) report(problems []cloud.Problem) {
	var once []cloud.Problem
	for _, p := range problems {
		switch p.Attribute {
		case cloud.AttrInstanceType:
			p.Attribute = "instance_types"
		case cloud.AttrZone:
			p.Attribute = "zones"
		}
		if !slices.Contains(once, p) {
			once = append(once, p)
		}
	}
	report.Problems(s.diags, once, func(cloud.Attribute) bool { return false })
}

// run reads every part.
func (s *search) run(ctx context.Context, m *model) {
	shapes := s.shapes(ctx)
	var all []found
	m.Signals, m.Offers = []signal{}, []offer{}
	for _, told := range s.market(ctx) {
		p := s.price(told)
		m.Signals = append(m.Signals, p.value())
		if _, opted := s.opted[p.InstanceType]; s.wants(cloud.OnDemand) && !opted && (p.Offered == nil || *p.Offered) {
			all = append(all, s.listed(p))
		}
	}
	for _, instanceType := range s.types {
		if why, opted := s.opted[instanceType]; opted && s.wants(cloud.OnDemand) {
			s.skip(cloud.OnDemand, instanceType, why)
		}
	}
	all = append(all, s.blocks(ctx)...)
	slices.SortFunc(all, compare)
	for _, f := range all {
		m.Offers = append(m.Offers, f.value(s.cloud, shapes[f.InstanceType]))
	}
	m.Quotas, m.Unsearched = s.quotas(ctx), s.gaps
}

// shapes are what is known of the types' GPUs.
func (s *search) shapes(ctx context.Context) map[string]shape.Shape {
	all := map[string]shape.Shape{}
	for _, instanceType := range s.types {
		if _, opted := s.opted[instanceType]; opted { // the type alone does not tell
			continue
		}
		at := path.Root("instance_types").AtSetValue(types.StringValue(instanceType))
		all[instanceType] = shape.Learn(ctx, s.p, s.catalog, s.cloud, s.onDemand(instanceType, ""), at, s.diags)
	}
	return all
}

// blocks are the blocks on sale for the window in the zones wanted.
func (s *search) blocks(ctx context.Context) []found {
	if !s.wants(cloud.Block) {
		return nil
	}
	if s.unsold != "" {
		s.skip(cloud.Block, "", s.unsold)
		return nil
	}
	var all []found
	for _, instanceType := range s.types {
		if why, ok := s.blocked[instanceType]; ok {
			s.skip(cloud.Block, instanceType, why)
			continue
		}
		offers, err := s.p.Manager.Offers(ctx, s.cloud, s.block(instanceType))
		if err != nil {
			s.skip(cloud.Block, instanceType, reason(err))
			continue
		}
		for _, o := range offers {
			if len(s.zones) == 0 || slices.Contains(s.zones, o.Zone) {
				all = append(all, found{Offer: o, perHour: capacity.PriceOf(o).PerHour})
			}
		}
	}
	return all
}

// skip notes that a kind of a type, or of any, was not looked for.
func (s *search) skip(kind cloud.Kind, instanceType, why string) {
	s.gaps = append(s.gaps, gap{types.StringValue(string(kind)), attribute.TextValue(instanceType), types.StringValue(why)})
}

// quotas are the limits by type.
func (s *search) quotas(ctx context.Context) []quota {
	all := []quota{}
	if !s.wants(cloud.OnDemand) {
		return all
	}
	for _, instanceType := range s.types {
		if why, opted := s.opted[instanceType]; opted {
			all = append(all, noQuota(instanceType, why))
			continue
		}
		limits, err := s.p.Manager.Quotas(ctx, s.cloud, s.onDemand(instanceType, ""))
		if err != nil {
			all = append(all, noQuota(instanceType, reason(err)))
			continue
		}
		for _, q := range limits {
			all = append(all, quotaValue(instanceType, q))
		}
	}
	return all
}

// reason is a failure in one line.
func reason(err error) string {
	var f *capacity.Failure
	if errors.As(err, &f) {
		return f.Detail
	}
	return cloud.Clean(err.Error())
}
