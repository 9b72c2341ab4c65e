package mem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// InGroup is the native option of a grouped cloud that names a group which is
// there already, see AddGroup; "" makes one with the reservation.
const InGroup = "group"

func inGroup() option {
	return option{InGroup, "", func(value string) string {
		if value != "" && !nativeNameForm.MatchString(value) {
			return fmt.Sprintf("must be the name of a group, is %q", value)
		}
		return ""
	}}
}

// group is one that was given. One that is made with its reservation is there as
// long as that, or what is left of it.
type group struct {
	accountID, name, region string
	// zones are those of its reservations; without any it is of the whole region.
	zones []string
}

// groupedKinds is all that the kinds of a grouped cloud differ in.
func (c *Cloud) groupedKinds() map[cloud.Kind]rules {
	return map[cloud.Kind]rules{
		cloud.OnDemand: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, ReleasedFree: true, InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrTags, cloud.AttrShare},
			},
			most: maxCount, options: []option{inGroup()}, window: noWindow, make: (*Cloud).reserve,
		},
		cloud.Scheduled: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, Decided: true, MinLead: MinLead, MaxLead: MaxLead,
				InPlace: []cloud.Attribute{cloud.AttrCount, cloud.AttrStart, cloud.AttrTags, cloud.AttrShare},
			},
			most: maxCount, targeted: true, options: []option{inGroup(), commitment()}, window: endlessWindow,
			make: (*Cloud).schedule, committed: scheduledUntil,
		},
		cloud.Block: {
			KindCapabilities: cloud.KindCapabilities{
				Idempotent: true, Decided: true, Bounded: true, MaxLead: NativeBlockMaxLead, InPlace: []cloud.Attribute{cloud.AttrTags},
			},
			most: maxCount, targeted: true, options: []option{inGroup()}, window: boundedWindow,
			make: (*Cloud).schedule, committed: blockUntil,
		},
	}
}

// endlessWindow: it has a start and no end.
func endlessWindow(p *problems, s cloud.Spec) {
	if s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a %s reservation needs a start", s.Kind)
	}
	p.endless(s)
}

// fixed is what does not change any more of a scheduled reservation of a grouped
// cloud that has begun: its start, and its count until the end of the commitment.
func (c *Cloud) fixed(o *object) []cloud.Attribute {
	now := c.clock.Now()
	switch {
	case !c.grouped || o.r.Kind != cloud.Scheduled || o.r.State != cloud.Held || now.Before(o.r.StartsAt):
		return nil
	case now.Before(commitmentEnd(o)):
		return []cloud.Attribute{cloud.AttrCount, cloud.AttrStart}
	}
	return []cloud.Attribute{cloud.AttrStart}
}

// unfixed refuses to change what is fixed.
func (c *Cloud) unfixed(o *object, change cloud.Change) error {
	fixed := c.fixed(o)
	count := change.Count != nil && *change.Count != o.r.Count && slices.Contains(fixed, cloud.AttrCount)
	start := change.StartAt != nil && !change.StartAt.Equal(o.r.StartsAt) && slices.Contains(fixed, cloud.AttrStart)
	if !count && !start {
		return nil
	}
	return &cloud.Error{Code: cloud.Conflict, Op: "Update", Native: "Fixed", Message: fmt.Sprintf("of %s fixed: %v", o.r.Ref.NativeID, fixed)}
}

// named tells that objects are known by their names.
func (c *Cloud) named() bool { return c.native || c.grouped }

// Group implements cloud.Grouper.
func (c *Cloud) Group(s cloud.Spec, name string) string { return cmp.Or(s.Native[InGroup], name) }

// GroupOf implements cloud.Grouper.
func (c *Cloud) GroupOf(ref cloud.Ref) string {
	parts := strings.Split(ref.NativeID, "/")
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}

// given is a given group, nil where there is none of that name.
func (c *Cloud) given(accountID, name string) *group {
	i := slices.IndexFunc(c.groups, func(g group) bool { return g.accountID == accountID && g.name == name })
	if i < 0 {
		return nil
	}
	return &c.groups[i]
}

// enter refuses a create for which its group is not there, is not its own, or is
// of another make.
func (c *Cloud) enter(accountID string, req cloud.CreateRequest) error {
	name := req.Spec.Native[InGroup]
	switch g := c.given(accountID, c.Group(req.Spec, req.Mark.Name)); {
	case name == "" && g != nil:
		return nameTaken(req.Mark.Name)
	case name != "" && g == nil:
		return invalid("Create", []cloud.Problem{{Attribute: inGroup().attribute(), Detail: fmt.Sprintf("there is no group %q", name)}})
	}
	if found := c.unfit(accountID, req.Spec, req.Mark.Name); len(found) > 0 {
		return invalid("Create", found)
	}
	return nil
}

// unfit names why a given group does not take a reservation.
func (c *Cloud) unfit(accountID string, s cloud.Spec, name string) []cloud.Problem {
	g := c.given(accountID, s.Native[InGroup])
	if g == nil {
		return nil
	}
	var p problems
	if g.region != s.Region {
		p.add(cloud.AttrRegion, "group %s is in %s", g.name, g.region)
	}
	if !slices.Contains(g.zones, s.Zone) && (s.Zone != "" || len(g.zones) > 0) {
		p.add(cloud.AttrZone, "group %s has the zones %q, not %q", g.name, g.zones, s.Zone)
	}
	if i := slices.IndexFunc(c.objects, func(o *object) bool { return c.beside(o, g, s) && o.r.NativeName != name }); i >= 0 {
		p.add(cloud.AttrInstanceType, "group %s has one of %s already: %s", g.name, s.InstanceType, c.objects[i].r.NativeName)
	}
	return p
}

// beside tells whether an object has the place in a group that a wish would have.
func (c *Cloud) beside(o *object, g *group, s cloud.Spec) bool {
	in := o.r.AccountID == g.accountID && c.GroupOf(o.r.Ref) == g.name
	return in && o.r.InstanceType == s.InstanceType && o.r.Zone == s.Zone
}

// Preflight implements cloud.Preflighter.
func (c *Cloud) Preflight(ctx context.Context, s cloud.Spec, name string) ([]cloud.Problem, error) {
	call := cloud.Call{
		Method: "Preflight", Account: s.Account, Region: s.Region, Zone: s.Zone, InstanceType: s.InstanceType, Repeatable: true,
	}
	return do(ctx, c, call, func() ([]cloud.Problem, error) {
		id, err := c.accountID(s.Account)
		if err != nil {
			return nil, err
		}
		var p problems
		if _, err := shapeOf("Preflight", s.InstanceType); err != nil {
			p.add(cloud.AttrInstanceType, "%s is not offered in %s", s.InstanceType, s.Region)
		}
		return append(p, c.unfit(id, s, name)...), nil
	})
}

// partly is the second step of a release, which removes the group that was made
// with the object: how it fails, if it is to.
func (c *Cloud) partly(o *object) error {
	if !c.grouped || o.r.Native[InGroup] != "" {
		return nil
	}
	err := c.cutShort("Release")
	o.r.Remains = err != nil
	return err
}

// setBack is the second step of a refused growth, which gives the object its count
// back: how it fails, if it is to, else the refusal.
func (c *Cloud) setBack(o *object, refusal error) error {
	if !c.grouped {
		return refusal
	}
	if err := c.cutShort("Update"); err != nil {
		o.r.Unsettled = true
		return err
	}
	return refusal
}

// cutShort is the error that CutShort has for a method, once.
func (c *Cloud) cutShort(method string) error {
	err := c.cut[method]
	delete(c.cut, method)
	return err
}
