package google

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	// maxCount is the most of a resize (discovery document,
	// ReservationsResizeRequest); UNVERIFIED for an insert and for what starts at a
	// date.
	maxCount = 1000
	// maxShares is in the text of a refusal (Compute Engine, troubleshooting
	// future reservations).
	maxShares = 100
)

// Attributes of a wish that no other package names.
const (
	attrOfferID cloud.Attribute = "offer_id"
)

var typeForm = regexp.MustCompile(`^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$`)

// problems collects what is wrong with a wish.
type problems []cloud.Problem

func (p *problems) add(a cloud.Attribute, format string, args ...any) {
	*p = append(*p, cloud.Problem{Attribute: a, Detail: fmt.Sprintf(format, args...)})
}

// form is what a wish of one kind may look like.
type form struct {
	// most is how many instances one reservation can have.
	most int
	// options are the native ones, in the order in which they are looked at.
	options []setting
	// check looks at what only this kind has.
	check func(*cloud.Spec, *problems)
}

// forms are the wishes of each kind, in a project unless they name another one.
func forms(project string) map[cloud.Kind]form {
	return map[cloud.Kind]form{
		cloud.OnDemand:  onDemandForm(project),
		cloud.Scheduled: scheduledForm(),
		cloud.Block:     blockForm(),
	}
}

func onDemandForm(project string) form {
	return form{
		most: maxCount,
		options: []setting{
			acceleratorOption(), countOption(), platformOption(), disksOption(), interfaceOption(), placementOption(project), vertexOption(),
		},
		check: func(s *cloud.Spec, p *problems) {
			if !s.StartAt.IsZero() {
				p.add(cloud.AttrStart, "a reservation of kind on_demand starts at once; leave start_at out")
			}
			checkAttached(s, p)
		},
	}
}

// Check implements cloud.Cloud. A family, a region or a zone that this code has
// never heard of is the cloud's to refuse; only forms are looked at.
func (c *Cloud) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	var p problems
	s.Native, s.Tags, s.ShareWith = maps.Clone(s.Native), maps.Clone(s.Tags), slices.Clone(s.ShareWith)
	if s.Kind == "" {
		s.Kind = cloud.OnDemand
	}
	f, ok := forms(c.cfg.Project)[s.Kind]
	if !ok {
		p.add(cloud.AttrKind, "Google Cloud has no kind %q here; it has: %s", s.Kind, strings.Join(c.Capabilities().KindNames(), ", "))
		return s, p
	}
	if s.Account != "" && !isProject(s.Account) {
		p.add(cloud.AttrAccount, "%q is not the id or the number of a project", s.Account)
	}
	checkPlace(&s, &p)
	checkType(&s, &p)
	checkCount(s.Count, f.most, &p)
	checkMatch(&s, &p)
	checkWindow(&s, &p)
	checkNative(&s, f, &p)
	f.check(&s, &p)
	checkShares(s.ShareWith, cmp.Or(s.Account, c.cfg.Project), &p)
	checkAbsent(&s, &p)
	return s, p
}

func isProject(text string) bool {
	return projectForm.MatchString(text) || numberForm.MatchString(text)
}

// checkPlace derives the region and compares it with the zone.
func checkPlace(s *cloud.Spec, p *problems) {
	if s.Region != "" && !regionForm.MatchString(s.Region) {
		p.add(cloud.AttrRegion, "%q is not a region such as us-central1", s.Region)
	}
	region := regionOf(s.Zone)
	switch {
	case s.Zone == "":
		p.add(cloud.AttrZone, "Google Cloud makes reservations in one zone; name it, such as us-central1-a")
	case region == "" && strings.Contains(s.Zone, "/"):
		p.add(cloud.AttrZone, "%q is a path; give the zone's name, such as us-central1-a", s.Zone)
	case region == "":
		p.add(cloud.AttrZone, "%q is not a zone such as us-central1-a", s.Zone)
	case s.Region == "":
		s.Region = region
	case s.Region != region:
		p.add(cloud.AttrZone, "zone %s is in region %s, not in %s", s.Zone, region, s.Region)
	}
}

// checkType refuses what surely has no GPU.
func checkType(s *cloud.Spec, p *problems) {
	switch lower := strings.ToLower(s.InstanceType); {
	case s.InstanceType == "":
		p.add(cloud.AttrInstanceType, "name a machine type, such as a3-highgpu-8g")
	case strings.Contains(s.InstanceType, "/"):
		p.add(cloud.AttrInstanceType, "%q is a path; give the machine type's name, such as a3-highgpu-8g", s.InstanceType)
	case lower != s.InstanceType && typeForm.MatchString(lower):
		p.add(cloud.AttrInstanceType, "%q must be in lower case: %s", s.InstanceType, lower)
	case !typeForm.MatchString(s.InstanceType):
		p.add(cloud.AttrInstanceType, "%q is not a machine type such as a3-highgpu-8g", s.InstanceType)
	case lacksGPU(s.InstanceType):
		p.add(cloud.AttrInstanceType, "machine types of the family %s have no GPU; families that have are %s, and N1 takes some",
			familyOf(s.InstanceType), strings.Join(bundled, ", "))
	}
}

func checkCount(n, most int, p *problems) {
	if n < 1 || n > most {
		p.add(cloud.AttrCount, "%d instances: Google Cloud takes 1 to %d in one reservation of this kind", n, most)
	}
}

func checkMatch(s *cloud.Spec, p *problems) {
	if s.Match == "" {
		s.Match = cloud.Targeted
	}
	if s.Match != cloud.Targeted && s.Match != cloud.Open {
		p.add(cloud.AttrMatch, "%q is neither targeted nor open", s.Match)
	}
}

// checkWindow looks at the order of start and end, and brings both to what
// survives the wire. What is past only the cloud's clock knows.
func checkWindow(s *cloud.Spec, p *problems) {
	s.StartAt, s.EndAt = sendable(s.StartAt), sendable(s.EndAt)
	if !s.StartAt.IsZero() && !s.EndAt.IsZero() && !s.EndAt.After(s.StartAt) {
		p.add(cloud.AttrEnd, "the end %s is not after the start %s", instant(s.EndAt), instant(s.StartAt))
	}
	if s.Duration < 0 {
		p.add(cloud.AttrDuration, "a duration is not negative")
	}
}

// sendable is the instant as it is sent: Compute Engine takes fractions of none
// or of three digits.
func sendable(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

// instant writes a sendable time; the zero time is "".
func instant(t time.Time) string {
	switch t = sendable(t); {
	case t.IsZero():
		return ""
	case t.Nanosecond() == 0:
		return t.Format(time.RFC3339)
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// checkShares holds the list to what can be told without asking: a number and the
// id of the same project cannot.
func checkShares(with []string, self string, p *problems) {
	const at = cloud.AttrShare
	if len(with) > maxShares {
		p.add(at, "%d projects: Google Cloud shares with at most %d", len(with), maxShares)
	}
	seen := map[string]bool{}
	for _, project := range with {
		switch {
		case !isProject(project):
			p.add(at, "%q is not the id or the number of a project", project)
		case project == self:
			p.add(at, "%q is the project of the reservation itself; leave it out", project)
		case seen[project]:
			p.add(at, "%q is named twice", project)
		}
		seen[project] = true
	}
}

// checkAbsent refuses what Google Cloud has nowhere.
func checkAbsent(s *cloud.Spec, p *problems) {
	if s.OfferID != "" {
		p.add(attrOfferID, "Google Cloud sells no reservations by offer; leave it out")
	}
	if s.Term != nil {
		p.add(cloud.AttrTerm, "Google Cloud has no reservations for a term here; leave it out")
	}
	if len(s.Tags) == 0 {
		return
	}
	p.add(cloud.AttrTags, "reservations of Google Cloud carry no labels; leave the tags out")
	for _, key := range slices.Sorted(maps.Keys(s.Tags)) {
		if strings.HasPrefix(key, cloud.TagPrefix) {
			p.add(cloud.Attribute(fmt.Sprintf("tags[%q]", key)), "keys that begin with %s are this provider's own", cloud.TagPrefix)
		}
	}
}

// refuse turns what Check found into the error of what was not sent.
func refuse(op string, wrong []cloud.Problem) *cloud.Error {
	e := &cloud.Error{Code: cloud.Invalid, Op: op}
	parts := make([]string, 0, len(wrong))
	for _, w := range wrong {
		if w.Attribute == cloud.AttrKind {
			e.Code = cloud.Unsupported
		}
		parts = append(parts, string(w.Attribute)+": "+w.Detail)
	}
	e.Message = cloud.Clean(strings.Join(parts, "; "))
	return e
}
