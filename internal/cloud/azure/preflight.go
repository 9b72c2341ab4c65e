package azure

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

var _ cloud.Preflighter = (*Cloud)(nil)

// Preflight implements cloud.Preflighter. A resource group or a group that is not
// there may be made in the same run, before the reservation: it says nothing. What
// may not be read says nothing either, unless there is nothing to sign in with.
func (c *Cloud) Preflight(ctx context.Context, spec cloud.Spec, name string) ([]cloud.Problem, error) {
	cl, err := c.inAccount(ctx, spec.Account)
	if err != nil {
		return nil, err
	}
	var p problems
	for _, err := range []error{cl.lookAtSize(ctx, spec, &p), cl.lookAtGroup(ctx, spec, name, &p)} {
		if err != nil && !silent(err) {
			return nil, err
		}
	}
	return p, nil
}

// silent tells a look that was answered with nothing to go by. That nobody signed in,
// or that there is no such subscription, does say something.
func silent(err error) bool {
	var e *cloud.Error
	if !errors.As(err, &e) {
		return false
	}
	denied := e.Code == cloud.PermissionDenied && e.Authenticated && !strings.EqualFold(e.Native, "SubscriptionNotFound")
	return denied || e.Code == cloud.NotFound
}

// lookAtSize looks the size up in the location's list.
func (cl *clients) lookAtSize(ctx context.Context, spec cloud.Spec, p *problems) error {
	if !locationForm.MatchString(spec.Region) || spec.InstanceType == "" {
		return nil
	}
	sizes, err := cl.sizes(ctx, spec.Region)
	if err != nil {
		return err
	}
	if len(sizes) == 0 {
		p.add(cloud.AttrRegion, "Azure has no sizes in a location %q", spec.Region)
		return nil
	}
	of, ok := sized(sizes, spec.InstanceType)
	if !ok {
		p.add(cloud.AttrInstanceType, "Azure does not offer %s in %s", spec.InstanceType, spec.Region)
		return nil
	}
	if of.name() != spec.InstanceType {
		p.add(cloud.AttrInstanceType, "%q must be spelled as Azure does: %s", spec.InstanceType, of.name())
	}
	checkReservable(of, spec, p)
	checkOffered(of, spec, p)
	return nil
}

// checkReservable holds the wish to the capabilities of the size.
func checkReservable(of size, spec cloud.Spec, p *problems) {
	if strings.EqualFold(of.capability(capReservable), "false") {
		p.add(cloud.AttrInstanceType, "Azure does not reserve %s in %s for this subscription: its SKU says %s False",
			of.name(), spec.Region, capReservable)
		return
	}
	var types []string
	for _, t := range strings.Split(of.capability(capTypes), ",") {
		if t = strings.TrimSpace(t); t != "" {
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		return
	}
	has := func(types []string, want string) bool {
		return slices.ContainsFunc(types, func(t string) bool { return strings.EqualFold(t, want) })
	}
	switch want := string(groupType(spec)); {
	case has(types, want):
	case spec.Kind == cloud.Scheduled && has(types, "Future"):
		// That a reservation for a date has a word of its own there is UNVERIFIED.
	case spec.Match == cloud.Open && has(types, string(armcompute.ReservationTypeTargeted)):
		p.add(cloud.AttrMatch, "Azure has no open reservations of %s in %s; it has: %s", of.name(), spec.Region, strings.Join(types, ", "))
	default:
		p.add(cloud.AttrInstanceType, "Azure has no %s reservations of %s in %s, as kind %s needs; it has: %s",
			want, of.name(), spec.Region, spec.Kind, strings.Join(types, ", "))
	}
}

// checkOffered holds the wish to the restrictions of the size and to its zones.
func checkOffered(of size, spec cloud.Spec, p *problems) {
	if why, ok := of.restricted(spec.Region); ok {
		p.add(cloud.AttrInstanceType, "%s is restricted in %s for this subscription: %s", of.name(), spec.Region, why)
		return
	}
	if spec.Zone == "" {
		return
	}
	if zones := of.zones(spec.Region); !slices.Contains(zones, spec.Zone) {
		p.add(cloud.AttrZone, "Azure does not offer %s in zone %s of %s; it is %s", of.name(), spec.Zone, spec.Region, listedZones("in", zones))
		return
	}
	if why, ok := of.restrictedIn(spec.Region, spec.Zone); ok {
		p.add(cloud.AttrZone, "%s is restricted in zone %s of %s for this subscription: %s", of.name(), spec.Zone, spec.Region, why)
	}
}

func listedZones(verb string, zones []string) string {
	if len(zones) == 0 {
		return "in no zone of its own; leave the zone out"
	}
	return verb + " " + strings.Join(zones, ", ")
}

// groupType is the type of the group that a wish needs.
func groupType(spec cloud.Spec) armcompute.ReservationType {
	switch {
	case spec.Kind == cloud.Block:
		return armcompute.ReservationTypeBlock
	case spec.Match == cloud.Open:
		return armcompute.ReservationTypeOpen
	}
	return armcompute.ReservationTypeTargeted
}

// restricted tells why a whole location is closed to the subscription.
func (s size) restricted(location string) (string, bool) {
	for _, r := range s.sku.Restrictions {
		if r == nil || deref(r.Type) != armcompute.ResourceSKURestrictionsTypeLocation {
			continue
		}
		if among(location, values(r.Values)) || among(location, values(deref(r.RestrictionInfo).Locations)) {
			return reason(r), true
		}
	}
	return "", false
}

// restrictedIn tells why a zone is.
func (s size) restrictedIn(location, zone string) (string, bool) {
	for _, r := range s.sku.Restrictions {
		if r == nil || deref(r.Type) != armcompute.ResourceSKURestrictionsTypeZone {
			continue
		}
		info := deref(r.RestrictionInfo)
		here := len(info.Locations) == 0 || among(location, values(info.Locations))
		if here && slices.Contains(values(info.Zones), zone) {
			return reason(r), true
		}
	}
	return "", false
}

func among(location string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return locationOf(name) == location })
}

// reason is the code of a restriction with what it means (armcompute v8.4,
// ResourceSKURestrictionsReasonCode).
func reason(r *armcompute.ResourceSKURestrictions) string {
	switch code := deref(r.ReasonCode); code {
	case armcompute.ResourceSKURestrictionsReasonCodeQuotaID:
		return string(code) + ", the subscription's offer does not include it"
	case armcompute.ResourceSKURestrictionsReasonCodeNotAvailableForSubscription:
		return string(code) + ", ask Azure's support for access"
	default:
		return string(code)
	}
}

// lookAtGroup holds the wish to a group that was given.
func (cl *clients) lookAtGroup(ctx context.Context, spec cloud.Spec, name string, p *problems) error {
	id, err := parseGroupID(spec.Native[optGroup])
	if err != nil {
		return nil //nolint:nilerr // None is given, or Check tells of its form.
	}
	g, err := cl.group(ctx, id)
	if err != nil {
		return err
	}
	checkInGroup(g, id, spec, p)
	return cl.lookAtMembers(ctx, id, spec, name, p)
}

// checkInGroup compares what a group fixes for all its reservations.
func checkInGroup(g *armcompute.CapacityReservationGroup, id groupID, spec cloud.Spec, p *problems) {
	if location := locationOf(deref(g.Location)); spec.Region != "" && location != spec.Region {
		p.add(attrOption(optGroup), "the group %s is in %s, the reservation in %s", id.group, location, spec.Region)
	}
	has := deref(groupProperties(g).ReservationType)
	if has == "" {
		has = armcompute.ReservationTypeTargeted
	}
	if want := groupType(spec); !strings.EqualFold(string(has), string(want)) {
		p.add(attrOption(optGroup), "the group %s is of type %s, the reservation needs one of type %s", id.group, has, want)
	}
	zones := values(g.Zones)
	switch {
	case spec.Zone == "" && len(zones) > 0:
		p.add(cloud.AttrZone, "the group %s is of the zones %s; name one of them", id.group, strings.Join(zones, ", "))
	case spec.Zone != "" && len(zones) == 0:
		p.add(cloud.AttrZone, "the group %s is of the whole region; leave the zone out", id.group)
	case spec.Zone != "" && !slices.Contains(zones, spec.Zone):
		p.add(cloud.AttrZone, "zone %s is not in the group %s, which is %s", spec.Zone, id.group, listedZones("of", zones))
	}
}

// lookAtMembers looks for a reservation that leaves no room for this one: a group
// takes one of each size, and in each of its zones (Azure docs,
// capacity-reservation-create).
func (cl *clients) lookAtMembers(ctx context.Context, id groupID, spec cloud.Spec, name string, p *problems) error {
	found, err := target{clients: cl, id: id.member(name)}.listed(ctx)
	if err != nil {
		return err
	}
	for _, r := range found {
		same := r != nil && strings.EqualFold(deref(skuOf(r).Name), spec.InstanceType) && zoneOf(r.Zones) == spec.Zone
		if !same || strings.EqualFold(deref(r.Name), name) {
			continue
		}
		p.add(cloud.AttrInstanceType, "the group %s has a reservation of %s%s already, %s, and Azure takes one of each size",
			id.group, spec.InstanceType, inZone(spec.Zone), deref(r.Name))
	}
	return nil
}

func inZone(zone string) string {
	if zone == "" {
		return ""
	}
	return " in zone " + zone
}
