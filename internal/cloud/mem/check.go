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

// Attributes that only Check names.
const (
	attrOffer    cloud.Attribute = "offer_id"
	attrShare    cloud.Attribute = "share_with"
	attrDuration cloud.Attribute = "window.duration"
)

// tenancy is the cloud's one native option.
const tenancy = "tenancy"

// Capabilities implements cloud.Cloud.
func (c *Cloud) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{
		Cloud: Name, Title: "the in-memory cloud",
		Kinds: map[cloud.Kind]cloud.KindCapabilities{
			cloud.OnDemand: {
				Idempotent: true, ReleasedFree: true, ReleasedInUse: c.releasesInUse,
				InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrMatch, cloud.AttrEnd, cloud.AttrTags, cloud.AttrName},
			},
			cloud.Block: {ByOffer: true, InPlace: []cloud.Attribute{cloud.AttrTags, cloud.AttrName}},
		},
		ListedBy: cloud.ByRegion, Claims: true,
		ShareHint:       "a reservation of the in-memory cloud is not shared",
		CredentialsHint: "the in-memory cloud takes no credentials; name its accounts in the options",
	}
}

// problems collects what is wrong with a wish.
type problems []cloud.Problem

func (p *problems) add(a cloud.Attribute, format string, args ...any) {
	*p = append(*p, cloud.Problem{Attribute: a, Detail: fmt.Sprintf(format, args...)})
}

// Check implements cloud.Cloud.
func (c *Cloud) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	var p problems
	kind, known := c.Capabilities().Kinds[s.Kind]
	if !known {
		p.add(cloud.AttrKind, "the in-memory cloud has the kinds %s, not %q",
			strings.Join(c.Capabilities().KindNames(), ", "), s.Kind)
	}
	s.Region = p.place(s, kind)
	s.Match = p.shape(s)
	p.window(s)
	p.tags(s.Tags)
	s.Native = p.native(s.Native)
	if s.OfferID != "" && known && !kind.ByOffer {
		p.add(attrOffer, "kind %q is not bought by offer", s.Kind)
	}
	if len(s.ShareWith) > 0 {
		p.add(attrShare, "%s", c.Capabilities().ShareHint)
	}
	return s, p
}

// place checks zone and region and returns the region.
func (p *problems) place(s cloud.Spec, kind cloud.KindCapabilities) string {
	region := regionOf(s.Zone)
	switch {
	case s.Zone != "" && region == "":
		p.add(cloud.AttrZone, "%q is not a zone: zones look like mem-east-1a", s.Zone)
	case s.Zone != "" && s.Region != "" && s.Region != region:
		p.add(cloud.AttrZone, "zone %s is in region %s, not in %s", s.Zone, region, s.Region)
	case s.Zone == "" && !kind.ByOffer:
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
func (p *problems) shape(s cloud.Spec) cloud.MatchCriteria {
	switch {
	case s.InstanceType == "":
		p.add(cloud.AttrInstanceType, "an instance type is needed")
	case !typeForm.MatchString(s.InstanceType):
		p.add(cloud.AttrInstanceType, "%q is not an instance type: types look like p1.whole", s.InstanceType)
	}
	switch {
	case s.Count == 0:
		p.add(cloud.AttrCount, "a count is needed")
	case s.Count < 0 || s.Count > maxCount:
		p.add(cloud.AttrCount, "must be between 1 and %d, is %d", maxCount, s.Count)
	}
	switch {
	case s.Match == "":
		return cloud.Targeted
	case s.Match != cloud.Targeted && s.Match != cloud.Open:
		p.add(cloud.AttrMatch, "must be %s or %s, is %q", cloud.Targeted, cloud.Open, s.Match)
	case s.Match == cloud.Open && s.Kind == cloud.Block:
		p.add(cloud.AttrMatch, "a block is always targeted")
	}
	return s.Match
}

func (p *problems) window(s cloud.Spec) {
	if s.Kind == cloud.OnDemand && !s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "an on-demand reservation starts at once")
	}
	if !s.StartAt.IsZero() && !s.EndAt.IsZero() && !s.EndAt.After(s.StartAt) {
		p.add(cloud.AttrEnd, "must be after window.start_at")
	}
	if s.Duration < 0 {
		p.add(attrDuration, "must not be negative")
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

// native checks the cloud's own options and returns them with the defaults.
func (p *problems) native(options map[string]string) map[string]string {
	done := map[string]string{tenancy: "shared"}
	for _, key := range slices.Sorted(maps.Keys(options)) {
		value := options[key]
		switch {
		case key != tenancy:
			p.add(cloud.Attribute(Name+"."+key), "there is no such option")
		case value != "shared" && value != "dedicated":
			p.add(cloud.Attribute(Name+"."+key), "must be shared or dedicated, is %q", value)
		}
		done[key] = value
	}
	return done
}

// invalid is the refusal of a wish that has problems.
func invalid(op string, found []cloud.Problem) error {
	var texts []string
	for _, p := range found {
		texts = append(texts, fmt.Sprintf("%s: %s", p.Attribute, p.Detail))
	}
	return &cloud.Error{Code: cloud.Invalid, Op: op, Native: "InvalidRequest", Message: strings.Join(texts, "; ")}
}
