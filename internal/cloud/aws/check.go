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
	// maxTags is EC2's, a resource.
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
	// markTags is how many tags a whole mark is.
	markTags = 5
)

// Attributes of a wish that only this driver names.
const (
	attrOfferID    cloud.Attribute = "offer_id"
	attrDuration   cloud.Attribute = "window.duration"
	attrShareWith  cloud.Attribute = "share_with"
	attrPlatform   cloud.Attribute = "aws.platform"
	attrTenancy    cloud.Attribute = "aws.tenancy"
	attrPlacement  cloud.Attribute = "aws.placement_group_arn"
	attrCommitment cloud.Attribute = "aws.commitment"
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

// form is what a wish of one kind may look like.
type form struct {
	// zoned tells that the wish must name a zone.
	zoned    bool
	maxCount int
	// marks is how many tags of the object are this provider's own.
	marks int
	// matches are the criteria the kind can have, the default first.
	matches []cloud.MatchCriteria
	// options are the native ones, in the order in which they are looked at.
	options []option
	// check looks at what only this kind has, once its options are filled in.
	check func(*cloud.Spec, *problems)
}

// option is a native option: check fills in its default and finds fault with
// its value.
type option struct {
	name  string
	check func(*cloud.Spec, *problems)
}

// forms are the wishes of each kind.
func forms() map[cloud.Kind]form {
	return map[cloud.Kind]form{
		cloud.OnDemand:      onDemandForm(),
		cloud.Scheduled:     scheduledForm(),
		cloud.Block:         blockForm(),
		cloud.DedicatedHost: hostForm(),
		cloud.Term:          hostForm(),
	}
}

func onDemandForm() form {
	return form{
		zoned: true, maxCount: maxCount, marks: markTags,
		matches: []cloud.MatchCriteria{cloud.Targeted, cloud.Open},
		options: []option{platformOption(platforms()), tenancyOption(tenancies()), {optPlacement, checkPlacement}},
		check: func(s *cloud.Spec, p *problems) {
			refuseOffer(s, p)
			if !s.StartAt.IsZero() {
				p.add(cloud.AttrStart, "a reservation of kind on_demand starts at once; leave start_at out")
			}
			s.EndAt = sendable(s.EndAt)
		},
	}
}

// Check implements cloud.Cloud. A region or zone that this code has never heard
// of is the cloud's to refuse; only forms are looked at.
func (c *Cloud) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	var p problems
	s.Native, s.Tags = maps.Clone(s.Native), maps.Clone(s.Tags)
	if s.Kind == "" {
		s.Kind = cloud.OnDemand
	}
	f, ok := forms()[s.Kind]
	if !ok {
		p.add(cloud.AttrKind, "AWS has no kind %q here; it has: %s", s.Kind, strings.Join(c.Capabilities().KindNames(), ", "))
		return s, p
	}
	if _, ok := c.cfg.Accounts[s.Account]; !ok && s.Account != "" {
		p.add(cloud.AttrAccount, "%s", c.unknownAccount(s.Account))
	}
	c.checkPlace(&s, f, &p)
	checkShape(&s, f, &p)
	checkWindow(&s, &p)
	checkNative(&s, f, &p)
	f.check(&s, &p)
	checkTerm(&s, &p)
	checkTags(s.Tags, maxTags-f.marks, &p)
	return s, p
}

// checkPlace derives the region and compares it with the zone.
func (c *Cloud) checkPlace(s *cloud.Spec, f form, p *problems) {
	if s.Region != "" && !regionForm.MatchString(s.Region) {
		p.add(cloud.AttrRegion, "%q is not a region such as us-east-1", s.Region)
	}
	switch {
	case s.Zone != "":
		checkZone(s, p)
	case f.zoned:
		p.add(cloud.AttrZone, "AWS makes this kind of reservation in one zone; name it, such as us-east-1a")
	case s.Region == "" && c.cfg.Region == "":
		p.add(cloud.AttrRegion, "name a region or a zone, or set aws.region in the provider block")
	}
	if s.Region == "" {
		s.Region = c.cfg.Region
	}
}

func checkZone(s *cloud.Spec, p *problems) {
	match := zoneForm.FindStringSubmatch(s.Zone)
	switch {
	case match == nil && zoneIDForm.MatchString(s.Zone):
		p.add(cloud.AttrZone, "%q is the id of a zone; give its name, such as us-east-1a", s.Zone)
	case match == nil:
		p.add(cloud.AttrZone, "%q is not a zone such as us-east-1a, us-west-2-lax-1a or us-east-1-wl1-bos-wlz-1", s.Zone)
	case s.Region == "":
		s.Region = match[1]
	case s.Region != match[1]:
		p.add(cloud.AttrZone, "zone %s is in region %s, not in %s", s.Zone, match[1], s.Region)
	}
}

// checkShape looks at what is reserved.
func checkShape(s *cloud.Spec, f form, p *problems) {
	switch {
	case s.InstanceType == "":
		p.add(cloud.AttrInstanceType, "name an instance type, such as p5.48xlarge")
	case typeForm.MatchString(s.InstanceType):
	case typeForm.MatchString(strings.ToLower(s.InstanceType)):
		p.add(cloud.AttrInstanceType, "%q must be in lower case: %s", s.InstanceType, strings.ToLower(s.InstanceType))
	default:
		p.add(cloud.AttrInstanceType, "%q is not an instance type such as p5.48xlarge", s.InstanceType)
	}
	checkCount(s, f, p)
	if s.Match == "" {
		s.Match = f.matches[0]
	}
	switch {
	case slices.Contains(f.matches, s.Match):
	case s.Match == cloud.Open:
		p.add(cloud.AttrMatch, "a reservation of kind %s is targeted: launches name it", s.Kind)
	default:
		p.add(cloud.AttrMatch, "%q is neither targeted nor open", s.Match)
	}
	if len(s.ShareWith) > 0 {
		p.add(attrShareWith, "%s", shareHint)
	}
}

func checkCount(s *cloud.Spec, f form, p *problems) {
	switch {
	case s.Count > 1 && f.maxCount == 1:
		p.add(cloud.AttrCount, "%d instances: a reservation of kind %s is one; make one for each", s.Count, s.Kind)
	case s.Count < 1 || s.Count > f.maxCount:
		p.add(cloud.AttrCount, "%d instances: EC2 takes 1 to %d in one reservation of kind %s", s.Count, f.maxCount, s.Kind)
	}
}

// checkWindow looks at the order of start and end. What is past only the cloud's
// clock knows.
func checkWindow(s *cloud.Spec, p *problems) {
	if !s.StartAt.IsZero() && !s.EndAt.IsZero() && !s.EndAt.After(s.StartAt) {
		p.add(cloud.AttrEnd, "the end %s is not after the start %s",
			s.EndAt.Format(time.RFC3339), s.StartAt.Format(time.RFC3339))
	}
	if s.Duration < 0 {
		p.add(attrDuration, "a duration is not negative")
	}
}

func refuseOffer(s *cloud.Spec, p *problems) {
	if s.OfferID != "" {
		p.add(attrOfferID, "a reservation of kind %s is not bought by offer; leave it out", s.Kind)
	}
}

// sendable is the instant as it survives the wire: the SDK writes milliseconds.
func sendable(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

// checkNative fills in EC2's defaults and refuses what is not an option of the
// kind.
func checkNative(s *cloud.Spec, f form, p *problems) {
	names := make([]string, 0, len(f.options))
	for _, o := range f.options {
		names = append(names, o.name)
	}
	slices.Sort(names)
	for _, given := range slices.Sorted(maps.Keys(s.Native)) {
		if !slices.Contains(names, given) {
			p.add(cloud.Attribute("aws."+given), "is not an option of AWS for kind %s; there are: %s", s.Kind, strings.Join(names, ", "))
		}
	}
	if s.Native == nil {
		s.Native = map[string]string{}
	}
	for _, o := range f.options {
		o.check(s, p)
	}
}

// platformOption takes one of these platforms; the default is EC2's.
func platformOption(platforms []string) option {
	return option{optPlatform, func(s *cloud.Spec, p *problems) {
		fill(s.Native, optPlatform, string(ec2types.CapacityReservationInstancePlatformLinuxUnix))
		if v := s.Native[optPlatform]; !slices.Contains(platforms, v) {
			p.add(attrPlatform, "%q is not a platform of EC2 for kind %s; there are: %s", v, s.Kind, strings.Join(platforms, ", "))
		}
	}}
}

// tenancyOption takes one of these tenancies; the default is EC2's.
func tenancyOption(tenancies []string) option {
	return option{optTenancy, func(s *cloud.Spec, p *problems) {
		fill(s.Native, optTenancy, string(ec2types.CapacityReservationTenancyDefault))
		if v := s.Native[optTenancy]; !slices.Contains(tenancies, v) {
			p.add(attrTenancy, "%q is not a tenancy of kind %s; there are: %s", v, s.Kind, strings.Join(tenancies, ", "))
		}
	}}
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
	return words(ec2types.CapacityReservationInstancePlatform("").Values())
}

// tenancies are EC2's, as the SDK's model lists them.
func tenancies() []string {
	return words(ec2types.CapacityReservationTenancy("").Values())
}

func words[W ~string](values []W) []string {
	names := make([]string, 0, len(values))
	for _, v := range values {
		names = append(names, string(v))
	}
	return names
}

// checkTags holds to EC2's limits. EC2 itself takes any character that its XML
// can carry.
func checkTags(tags map[string]string, most int, p *problems) {
	if len(tags) > most {
		p.add(cloud.AttrTags, "%d tags: EC2 takes %d and the mark needs %d of them, so %d are left", len(tags), maxTags, maxTags-most, most)
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
