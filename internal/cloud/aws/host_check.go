package aws

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	attrTermMonths  cloud.Attribute = "term.months"
	attrTermPayment cloud.Attribute = "term.payment_option"
)

const (
	optionOn  = "on"
	optionOff = "off"
)

// family is what is known of GPU types on dedicated hosts.
type family struct {
	// sizes are those a host can be made for.
	sizes []string
	// recovers tells that a failed host can be replaced by itself.
	recovers bool
}

// families are the GPU families whose sizes on hosts are known: captures of
// DescribeInstanceTypes (dedicatedHostsSupported), and for recovery the EC2 User
// Guide, "Dedicated Host recovery". Others are the cloud's to decide.
func families() map[string]family {
	none := family{}
	all := map[string]family{
		"dl1":  {sizes: []string{"24xlarge"}},
		"g4ad": {sizes: []string{"xlarge", "2xlarge", "4xlarge", "8xlarge"}},
		"g4dn": {sizes: []string{"12xlarge", "metal"}},
		"g5":   {sizes: []string{"24xlarge", "48xlarge"}},
		"g5g":  {sizes: []string{"16xlarge", "metal"}, recovers: true},
		"g6":   {sizes: []string{"24xlarge", "48xlarge"}},
		"g6e":  {sizes: []string{"24xlarge", "48xlarge"}},
		"g7e":  {sizes: []string{"12xlarge", "24xlarge", "48xlarge"}},
		// The guide names P3, which may or may not mean this one.
		"p3dn": {sizes: []string{"24xlarge"}, recovers: true},
		"p4d":  {sizes: []string{"24xlarge"}},
	}
	for _, name := range []string{"g6f", "gr6", "gr6f", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200"} {
		all[name] = none
	}
	return all
}

// hostForm is that of a host, with or without a term.
func hostForm() form {
	return form{
		zoned: true, maxCount: 1, marks: markTags,
		matches: []cloud.MatchCriteria{cloud.Targeted, cloud.Open},
		options: []option{switchOption(optRecovery, optionOff), switchOption(optMaintenance, "")},
		check: func(s *cloud.Spec, p *problems) {
			checkHostType(s, p)
			checkHostWindow(s, p)
		},
	}
}

// switchOption is on or off; without a default it may be left out.
func switchOption(name, usual string) option {
	return option{name, func(s *cloud.Spec, p *problems) {
		if s.Native[name] == "" {
			delete(s.Native, name)
			if usual != "" {
				s.Native[name] = usual
			}
			return
		}
		if v := s.Native[name]; v != optionOn && v != optionOff {
			p.add(attrOption(name), "%q is neither on nor off", v)
		}
	}}
}

// checkHostWindow refuses what says when or from what: there is no choice.
func checkHostWindow(s *cloud.Spec, p *problems) {
	for _, part := range []struct {
		attribute cloud.Attribute
		given     bool
	}{
		{cloud.AttrStart, !s.StartAt.IsZero()},
		{cloud.AttrEnd, !s.EndAt.IsZero()},
		{attrDuration, s.Duration != 0},
		{attrOfferID, s.OfferID != ""},
	} {
		if part.given {
			p.add(part.attribute, "a reservation of kind %s has none: it starts at once and goes on; leave it out", s.Kind)
		}
	}
}

func checkHostType(s *cloud.Spec, p *problems) {
	of, known := families()[hostFamily(s.InstanceType)]
	size := strings.TrimPrefix(s.InstanceType, hostFamily(s.InstanceType)+".")
	switch {
	case !known || slices.Contains(of.sizes, size):
	case len(of.sizes) == 0:
		p.add(cloud.AttrInstanceType, "AWS has no dedicated hosts for the family of %s", s.InstanceType)
	default:
		p.add(cloud.AttrInstanceType, "AWS has no dedicated hosts for %s; of its family, for: %s", s.InstanceType, strings.Join(of.sizes, ", "))
	}
	if known && !of.recovers && len(of.sizes) > 0 && s.Native[optRecovery] == optionOn {
		p.add(attrOption(optRecovery), "AWS does not recover hosts for %s; leave it out or set it to off", s.InstanceType)
	}
}

// checkTerm holds the term to the kind.
func checkTerm(s *cloud.Spec, p *problems) {
	switch {
	case s.Kind != cloud.Term && s.Term != nil:
		p.add(cloud.AttrTerm, "a reservation of kind %s has no term; leave it out or use kind term", s.Kind)
	case s.Kind == cloud.Term && s.Term == nil:
		p.add(cloud.AttrTerm, "say for how many months and how it is paid")
	case s.Kind == cloud.Term:
		checkTermPlan(*s.Term, p)
	}
}

func checkTermPlan(t cloud.TermPlan, p *problems) {
	if _, ok := terms()[t.Months]; !ok {
		p.add(attrTermMonths, "%d months: AWS sells 12 or 36", t.Months)
	}
	if _, ok := payments()[t.Payment]; !ok {
		p.add(attrTermPayment, "%q is not one of: %s", t.Payment, strings.Join(slices.Sorted(maps.Keys(payments())), ", "))
	}
}
