package aws

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	// maxCount is EC2's: "between 1 and 1000" in the text of its refusal.
	maxCount = 1000
	// maxUserTags is EC2's 50 a resource less the five of a whole mark.
	maxUserTags = 50 - 5
	maxTagKey   = 128
	maxTagValue = 256
)

// Attributes of a wish that only this driver names.
const (
	attrOfferID   cloud.Attribute = "offer_id"
	attrDuration  cloud.Attribute = "window.duration"
	attrShareWith cloud.Attribute = "share_with"
	attrPlatform  cloud.Attribute = "aws.platform"
	attrTenancy   cloud.Attribute = "aws.tenancy"
	attrPlacement cloud.Attribute = "aws.placement_group_arn"
)

var (
	typeForm = regexp.MustCompile(`^[a-z][a-z0-9-]*\.[a-z0-9-]+$`)
	// zoneForm is an Availability Zone (us-east-1a), a Local Zone (us-west-2-lax-1a)
	// or a Wavelength Zone (us-east-1-wl1-bos-wlz-1); the first group is the region.
	zoneForm      = regexp.MustCompile(`^([a-z]{2,4}(?:-[a-z]+){1,2}-\d+)(?:[a-z]|-[a-z]{3}-\d+[a-z]|-wl\d+-[a-z]{3}-wlz-?\d+)$`)
	zoneIDForm    = regexp.MustCompile(`^[a-z]{2,5}\d-.*az\d+$`)
	placementForm = regexp.MustCompile(`^arn:(aws[a-z-]*):ec2:([a-z0-9-]+):\d{12}:placement-group/.+$`)
)

// problems collects what is wrong with a wish.
type problems []cloud.Problem

func (p *problems) add(a cloud.Attribute, format string, args ...any) {
	*p = append(*p, cloud.Problem{Attribute: a, Detail: fmt.Sprintf(format, args...)})
}

// Check implements cloud.Cloud. A region or zone that this code has never heard
// of is the cloud's to refuse; only forms are looked at.
func (c *Cloud) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	var p problems
	s.Native, s.Tags = maps.Clone(s.Native), maps.Clone(s.Tags)
	if s.Kind == "" {
		s.Kind = cloud.OnDemand
	}
	if _, ok := c.Capabilities().Kinds[s.Kind]; !ok {
		p.add(cloud.AttrKind, "AWS has no kind %q here; it has: %s", s.Kind, strings.Join(c.Capabilities().KindNames(), ", "))
		return s, p
	}
	if _, ok := c.cfg.Accounts[s.Account]; !ok && s.Account != "" {
		p.add(cloud.AttrAccount, "%s", c.unknownAccount(s.Account))
	}
	c.checkPlace(&s, &p)
	checkShape(&s, &p)
	checkWindow(&s, &p)
	checkNative(&s, &p)
	checkTags(s.Tags, &p)
	return s, p
}

// checkPlace derives the region and compares it with the zone.
func (c *Cloud) checkPlace(s *cloud.Spec, p *problems) {
	if s.Region != "" && !regionForm.MatchString(s.Region) {
		p.add(cloud.AttrRegion, "%q is not a region such as us-east-1", s.Region)
	}
	match := zoneForm.FindStringSubmatch(s.Zone)
	switch {
	case s.Zone == "":
		p.add(cloud.AttrZone, "AWS makes this kind of reservation in one zone; name it, such as us-east-1a")
	case match == nil && zoneIDForm.MatchString(s.Zone):
		p.add(cloud.AttrZone, "%q is the id of a zone; give its name, such as us-east-1a", s.Zone)
	case match == nil:
		p.add(cloud.AttrZone, "%q is not a zone such as us-east-1a, us-west-2-lax-1a or us-east-1-wl1-bos-wlz-1", s.Zone)
	case s.Region == "":
		s.Region = match[1]
	case s.Region != match[1]:
		p.add(cloud.AttrZone, "zone %s is in region %s, not in %s", s.Zone, match[1], s.Region)
	}
	if s.Region == "" {
		s.Region = c.cfg.Region
	}
}

// checkShape looks at what is reserved.
func checkShape(s *cloud.Spec, p *problems) {
	switch {
	case s.InstanceType == "":
		p.add(cloud.AttrInstanceType, "name an instance type, such as p5.48xlarge")
	case typeForm.MatchString(s.InstanceType):
	case typeForm.MatchString(strings.ToLower(s.InstanceType)):
		p.add(cloud.AttrInstanceType, "%q must be in lower case: %s", s.InstanceType, strings.ToLower(s.InstanceType))
	default:
		p.add(cloud.AttrInstanceType, "%q is not an instance type such as p5.48xlarge", s.InstanceType)
	}
	if s.Count < 1 || s.Count > maxCount {
		p.add(cloud.AttrCount, "%d instances: EC2 takes 1 to %d in one reservation", s.Count, maxCount)
	}
	if s.Match == "" {
		s.Match = cloud.Targeted
	}
	if s.Match != cloud.Targeted && s.Match != cloud.Open {
		p.add(cloud.AttrMatch, "%q is neither targeted nor open", s.Match)
	}
	if len(s.ShareWith) > 0 {
		p.add(attrShareWith, "%s", shareHint)
	}
}

// checkWindow looks at start and end. Whether the end is in the future only the
// cloud's clock knows.
func checkWindow(s *cloud.Spec, p *problems) {
	if s.OfferID != "" {
		p.add(attrOfferID, "a reservation of kind on_demand is not bought by offer; leave it out")
	}
	if !s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a reservation of kind on_demand starts at once; leave start_at out")
		if !s.EndAt.IsZero() && !s.EndAt.After(s.StartAt) {
			p.add(cloud.AttrEnd, "the end %s is not after the start %s",
				s.EndAt.Format(time.RFC3339), s.StartAt.Format(time.RFC3339))
		}
	}
	if s.Duration < 0 {
		p.add(attrDuration, "a duration is not negative")
	}
	s.EndAt = sendable(s.EndAt)
}

// sendable is the instant as it survives the wire: the SDK writes milliseconds.
func sendable(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

// checkNative fills in EC2's defaults and refuses what is not an option.
func checkNative(s *cloud.Spec, p *problems) {
	for _, option := range slices.Sorted(maps.Keys(s.Native)) {
		switch option {
		case optPlatform, optTenancy, optPlacement:
		default:
			p.add(cloud.Attribute("aws."+option), "is not an option of AWS; there are: %s, %s, %s", optPlatform, optPlacement, optTenancy)
		}
	}
	if s.Native == nil {
		s.Native = map[string]string{}
	}
	fill(s.Native, optPlatform, string(ec2types.CapacityReservationInstancePlatformLinuxUnix))
	fill(s.Native, optTenancy, string(ec2types.CapacityReservationTenancyDefault))
	if v := s.Native[optPlatform]; !slices.Contains(platforms(), v) {
		p.add(attrPlatform, "%q is not a platform of EC2; there are: %s", v, strings.Join(platforms(), ", "))
	}
	if v := s.Native[optTenancy]; !slices.Contains(ec2types.CapacityReservationTenancy("").Values(), ec2types.CapacityReservationTenancy(v)) {
		p.add(attrTenancy, "%q is neither default nor dedicated", v)
	}
	checkPlacement(s, p)
}

func checkPlacement(s *cloud.Spec, p *problems) {
	arn := s.Native[optPlacement]
	if arn == "" {
		delete(s.Native, optPlacement)
		return
	}
	match := placementForm.FindStringSubmatch(arn)
	switch {
	case match == nil:
		p.add(attrPlacement, "%q is not like arn:aws:ec2:us-east-1:123456789012:placement-group/NAME", arn)
	case s.Region != "" && match[2] != s.Region:
		p.add(attrPlacement, "the placement group is in region %s, the reservation in %s", match[2], s.Region)
	}
}

func fill(options map[string]string, name, value string) {
	if options[name] == "" {
		options[name] = value
	}
}

// platforms are EC2's, as the SDK's model lists them.
func platforms() []string {
	var names []string
	for _, v := range ec2types.CapacityReservationInstancePlatform("").Values() {
		names = append(names, string(v))
	}
	return names
}

// checkTags holds to EC2's limits. EC2 itself takes any character that its XML
// can carry.
func checkTags(tags map[string]string, p *problems) {
	if len(tags) > maxUserTags {
		p.add(cloud.AttrTags, "%d tags: EC2 takes 50 and the mark needs 5 of them, so %d are left", len(tags), maxUserTags)
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		at := cloud.Attribute(fmt.Sprintf("tags[%q]", key))
		if why := badTag(key, tags[key]); why != "" {
			p.add(at, "%s", why)
		}
	}
}

func badTag(key, value string) string {
	switch {
	case key == "":
		return "a tag needs a key"
	case strings.HasPrefix(strings.ToLower(key), tagSystem):
		return "keys that begin with aws: are AWS's own"
	case reserved(key):
		return "keys that begin with " + cloud.TagPrefix + " are this provider's own"
	case utf8.RuneCountInString(key) > maxTagKey:
		return fmt.Sprintf("the key is longer than %d characters", maxTagKey)
	case utf8.RuneCountInString(value) > maxTagValue:
		return fmt.Sprintf("the value is longer than %d characters", maxTagValue)
	case !printable(key) || !printable(value):
		return "key and value must be valid UTF-8 without control characters"
	}
	return ""
}

func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
