package azure

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

const (
	// maxCount is what the answers can tell of (armcompute v8.4,
	// CapacityReservationUtilization.CurrentCapacity).
	maxCount = math.MaxInt32
	// maxShares is the number of subscriptions a group can be shared with (Azure docs,
	// capacity-reservation-group-share).
	maxShares = 100
)

// attrOfferID is an attribute of a wish that no other package names.
const attrOfferID cloud.Attribute = "offer_id"

var (
	locationForm = regexp.MustCompile(`^[a-z][a-z0-9]+$`)
	zoneForm     = regexp.MustCompile(`^[1-9]$`)
	// longZone is a zone as labels of Kubernetes nodes spell it: eastus-1.
	longZone = regexp.MustCompile(`^([a-z][a-z0-9]+)-([1-9])$`)
)

// problems collects what is wrong with a wish.
type problems []cloud.Problem

func (p *problems) add(a cloud.Attribute, format string, args ...any) {
	*p = append(*p, cloud.Problem{Attribute: a, Detail: fmt.Sprintf(format, args...)})
}

// form is what a wish of one kind may look like.
type form struct {
	count  func(int, *problems)
	window func(*cloud.Spec, *problems)
	// open and shared tell whether machines may use it without naming it, and
	// whether other subscriptions may use it.
	open, shared bool
	// options are the native ones.
	options []string
}

// forms are the wishes of each kind.
func forms() map[cloud.Kind]form {
	return map[cloud.Kind]form{
		cloud.OnDemand: {
			count: checkCount, window: checkEndless, open: true, shared: true,
			options: []string{optGroup, optResourceGroup},
		},
		cloud.Scheduled: {
			count: checkCount, window: checkStart, shared: true,
			options: []string{optGroup, optCommitmentDays, optResourceGroup},
		},
		cloud.Block: {count: checkBlockCount, window: checkBlock, options: []string{optGroup, optResourceGroup}},
	}
}

// Check implements cloud.Cloud. A family or a location that this code has never
// heard of is the cloud's to refuse; only forms are looked at.
func (c *Cloud) Check(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
	var p problems
	s.Native, s.Tags, s.ShareWith = maps.Clone(s.Native), maps.Clone(s.Tags), slices.Clone(s.ShareWith)
	if s.Kind == "" {
		s.Kind = cloud.OnDemand
	}
	f, ok := forms()[s.Kind]
	if !ok {
		p.add(cloud.AttrKind, "Azure has no kind %q here; it has: %s", s.Kind, strings.Join(c.Capabilities().KindNames(), ", "))
		return s, p
	}
	if _, ok := subscriptionID(s.Account); s.Account != "" && !ok {
		p.add(cloud.AttrAccount, "%q is not the id of a subscription, a GUID", s.Account)
	}
	checkPlace(&s, &p)
	checkType(s.InstanceType, &p)
	f.count(s.Count, &p)
	checkMatch(&s, f, &p)
	f.window(&s, &p)
	c.checkNative(&s, f, &p)
	c.checkShares(s, f, &p)
	checkTags(s.Tags, &p)
	checkAbsent(&s, &p)
	return s, p
}

// checkPlace looks at the location and the zone; a reservation without a zone is
// one of the whole region.
func checkPlace(s *cloud.Spec, p *problems) {
	switch short := locationOf(s.Region); {
	case s.Region == "":
		p.add(cloud.AttrRegion, "Azure needs a location, such as eastus")
	case locationForm.MatchString(s.Region):
	case locationForm.MatchString(short):
		p.add(cloud.AttrRegion, "%q must be in the short form: %s", s.Region, short)
	default:
		p.add(cloud.AttrRegion, "%q is not a location such as eastus", s.Region)
	}
	if s.Zone == "" || zoneForm.MatchString(s.Zone) {
		return
	}
	if match := longZone.FindStringSubmatch(strings.ToLower(s.Zone)); match != nil && (s.Region == "" || match[1] == s.Region) {
		p.add(cloud.AttrZone, "%q must be the zone's number: %s", s.Zone, match[2])
		return
	}
	p.add(cloud.AttrZone, "%q is not a zone: Azure's are 1, 2 and 3, and without one the reservation is of the whole region", s.Zone)
}

// checkType refuses what is no size, and what surely has no GPU.
func checkType(size string, p *problems) {
	const at = cloud.AttrInstanceType
	bare, tiered := strings.CutPrefix(strings.ToLower(size), "standard_")
	switch {
	case size == "":
		p.add(at, "name a VM size, such as Standard_NC24ads_A100_v4")
	case strings.Contains(size, "/"):
		p.add(at, "%q is a path; give the size's name, such as Standard_NC24ads_A100_v4", size)
	case lacksGPU(size):
		p.add(at, "sizes of the family %s have no GPU; those that have begin with NC, ND, NG or NV", familyOf(size))
	case typeForm.MatchString(size):
	case tiered && bare != "":
		p.add(at, "%q must be spelled as Azure does, such as Standard_NC24ads_A100_v4: Standard_, the family in capitals", size)
	case typeForm.MatchString("Standard_" + size):
		p.add(at, "%q lacks the tier: Standard_%s", size, size)
	default:
		p.add(at, "%q is not a VM size such as Standard_NC24ads_A100_v4", size)
	}
}

func checkCount(n int, p *problems) {
	if n < 1 || n > maxCount {
		p.add(cloud.AttrCount, "%d instances: Azure takes 1 to %d in one reservation", n, maxCount)
	}
}

// blockCounts are what a block can have (armcompute v8.4, CapacityReservation.SKU).
var blockCounts = []int{1, 2, 4, 8, 16, 32, 64}

func checkBlockCount(n int, p *problems) {
	if !slices.Contains(blockCounts, n) {
		p.add(cloud.AttrCount, "%d instances: Azure takes 1, 2, 4, 8, 16, 32 or 64 in a block", n)
	}
}

func checkMatch(s *cloud.Spec, f form, p *problems) {
	if s.Match == "" {
		s.Match = cloud.Targeted
	}
	switch {
	case s.Match != cloud.Targeted && s.Match != cloud.Open:
		p.add(cloud.AttrMatch, "%q is neither targeted nor open", s.Match)
	case s.Match == cloud.Open && !f.open:
		p.add(cloud.AttrMatch, "a reservation of kind %s is targeted on Azure: machines name its group", s.Kind)
	}
}

// checkShares holds the list to what can be told without asking.
func (c *Cloud) checkShares(s cloud.Spec, f form, p *problems) {
	const at = cloud.AttrShare
	switch {
	case len(s.ShareWith) == 0:
		return
	case !f.shared:
		p.add(at, "Azure shares no reservations of kind %s; leave it out", s.Kind)
		return
	case s.Native[optGroup] != "":
		p.add(at, "who may use the group of azure.%s is set on that group, which is not changed here; leave it out", optGroup)
		return
	case len(s.ShareWith) > maxShares:
		p.add(at, "%d subscriptions: Azure shares with at most %d", len(s.ShareWith), maxShares)
	}
	self, err := c.subscription(s.Account)
	seen := map[string]bool{}
	for _, name := range s.ShareWith {
		id, ok := subscriptionID(name)
		switch {
		case !ok:
			p.add(at, "%q is not the id of a subscription, a GUID", name)
		case err == nil && id == self:
			p.add(at, "%q is the subscription of the reservation itself; leave it out", name)
		case seen[id]:
			p.add(at, "%q is named twice", name)
		}
		seen[id] = true
	}
}

// checkAbsent refuses what Azure has nowhere.
func checkAbsent(s *cloud.Spec, p *problems) {
	if s.OfferID != "" {
		p.add(attrOfferID, "Azure sells no reservations by offer; leave it out")
	}
	if s.Term != nil {
		p.add(cloud.AttrTerm, "Azure has no reservations for a term here; leave it out")
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
