package mem

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Limits of a wish.
const (
	maxCount = 1000
	maxTags  = 50
)

// attrOffer is an attribute that only Check names.
const attrOffer cloud.Attribute = "offer_id"

// problems collects what is wrong with a wish.
type problems []cloud.Problem

func (p *problems) add(a cloud.Attribute, format string, args ...any) {
	*p = append(*p, cloud.Problem{Attribute: a, Detail: fmt.Sprintf(format, args...)})
}

// Check implements cloud.Cloud.
func (c *Cloud) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	var p problems
	kind, known := c.kinds()[s.Kind]
	if !known {
		p.add(cloud.AttrKind, "the in-memory cloud has the kinds %s, not %q",
			strings.Join(c.Capabilities().KindNames(), ", "), s.Kind)
		kind = rules{most: maxCount, window: anyWindow}
	}
	if c.grouped && s.Zone == "" && s.Region == "" {
		p.add(cloud.AttrRegion, "a region is needed")
	}
	s.Region = p.place(s, kind.ByOffer || c.grouped)
	s.Match = p.shape(s, kind)
	p.order(s)
	kind.window(&p, s)
	c.tagged(&p, s)
	if known {
		p.native(kind.options, s.Native)
		p.bought(s, kind.KindCapabilities)
	}
	s.Native = completed(kind.options, s.Native)
	c.sharing(&p, s)
	return s, p
}

// place checks zone and region and returns the region. Where the zone is
// open, it need not be given.
func (p *problems) place(s cloud.Spec, open bool) string {
	region := regionOf(s.Zone)
	switch {
	case s.Zone != "" && region == "":
		p.add(cloud.AttrZone, "%q is not a zone: zones look like mem-east-1a", s.Zone)
	case s.Zone != "" && s.Region != "" && s.Region != region:
		p.add(cloud.AttrZone, "zone %s is in region %s, not in %s", s.Zone, region, s.Region)
	case s.Zone == "" && !open:
		p.add(cloud.AttrZone, "a zone is needed")
	}
	if s.Region == "" {
		return region
	}
	if regions()[s.Region] == 0 {
		p.add(cloud.AttrRegion, "%q is not a region: there are %s", s.Region, strings.Join(regionNames(), ", "))
	}
	return s.Region
}

// typeForm says nothing of which types exist: that is the cloud's to decide.
var typeForm = regexp.MustCompile(`^[a-z][a-z0-9]*\.[a-z0-9]+$`)

// shape checks type, count and match criteria and returns the latter.
func (p *problems) shape(s cloud.Spec, kind rules) cloud.MatchCriteria {
	switch {
	case s.InstanceType == "":
		p.add(cloud.AttrInstanceType, "an instance type is needed")
	case !typeForm.MatchString(s.InstanceType):
		p.add(cloud.AttrInstanceType, "%q is not an instance type: types look like p1.whole", s.InstanceType)
	}
	switch {
	case s.Count == 0:
		p.add(cloud.AttrCount, "a count is needed")
	case s.Count < 0 || s.Count > kind.most:
		p.add(cloud.AttrCount, "must be between 1 and %d, is %d", kind.most, s.Count)
	}
	switch {
	case s.Match == "":
		return cloud.Targeted
	case s.Match != cloud.Targeted && s.Match != cloud.Open:
		p.add(cloud.AttrMatch, "must be %s or %s, is %q", cloud.Targeted, cloud.Open, s.Match)
	case s.Match == cloud.Open && kind.targeted:
		p.add(cloud.AttrMatch, "a %s reservation is always targeted", s.Kind)
	}
	return s.Match
}

// order checks what a window of any kind may not be.
func (p *problems) order(s cloud.Spec) {
	if !s.StartAt.IsZero() && !s.EndAt.IsZero() && !s.EndAt.After(s.StartAt) {
		p.add(cloud.AttrEnd, "must be after window.start_at")
	}
	if s.Duration < 0 {
		p.add(cloud.AttrDuration, "must not be negative")
	}
}

// anyWindow only bounds a search.
func anyWindow(*problems, cloud.Spec) {}

// bought checks what a purchase is about.
func (p *problems) bought(s cloud.Spec, kind cloud.KindCapabilities) {
	if s.OfferID != "" && !kind.ByOffer {
		p.add(attrOffer, "kind %q is not bought by offer", s.Kind)
	}
	switch {
	case kind.Base == "" && s.Term != nil:
		p.add(cloud.AttrTerm, "kind %q has no term", s.Kind)
	case kind.Base != "" && s.Term == nil:
		p.add(cloud.AttrTerm, "a term is needed")
	case s.Term != nil:
		p.term(*s.Term)
	}
}

func (p *problems) tags(tags map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if reservedTag(key) {
			p.add(cloud.Attribute(fmt.Sprintf("tags[%q]", key)), "the prefixes %s and %s are reserved",
				cloud.TagPrefix, SystemTagPrefix)
		}
	}
	if len(tags) > maxTags {
		p.add(cloud.AttrTags, "at most %d tags, are %d", maxTags, len(tags))
	}
}

// invalid is the refusal of a wish that has problems.
func invalid(op string, found []cloud.Problem) error {
	var texts []string
	for _, p := range found {
		texts = append(texts, fmt.Sprintf("%s: %s", p.Attribute, p.Detail))
	}
	return &cloud.Error{Code: cloud.Invalid, Op: op, Native: "InvalidRequest", Message: strings.Join(texts, "; ")}
}
