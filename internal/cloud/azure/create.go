package azure

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// wish is a request that Check found nothing wrong with, and where it goes.
type wish struct {
	target
	req cloud.CreateRequest
}

// Create implements cloud.Cloud. Everything is looked up before it is made: what is
// ours already is taken up where an interrupted run left it.
func (c *Cloud) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	spec, wrong := c.Check(req.Spec)
	if len(wrong) > 0 {
		return cloud.Reservation{}, refuse(opPut, wrong)
	}
	req.Spec = spec
	id, err := c.idOf(spec, req.Mark.Name)
	if err != nil {
		return cloud.Reservation{}, err
	}
	if _, err := parseID(id.String()); err != nil {
		return cloud.Reservation{}, err
	}
	t, err := c.reach(ctx, spec.Account, id)
	if err != nil {
		return cloud.Reservation{}, err
	}
	done, err := c.hold(ctx, id.String())
	if err != nil {
		return cloud.Reservation{}, err
	}
	defer done()
	defer c.forget(id.groupID)
	return wish{target: t, req: req}.make(ctx)
}

// given tells whether the reservation goes into a group of somebody else's.
func (w wish) given() bool { return w.req.Spec.Native[optGroup] != "" }

// maxRounds bounds how often a create begins anew.
const maxRounds = 3

// make brings the wish about and returns what there is of it. A group of our own
// that went meanwhile, as the one of an interrupted run does, is made again.
func (w wish) make(ctx context.Context) (cloud.Reservation, error) {
	for round := 1; ; round++ {
		r, err := w.makeOnce(ctx)
		if !codeIs(err, codeNoParent) || w.given() || round >= maxRounds {
			return r, err
		}
	}
}

func (w wish) makeOnce(ctx context.Context) (cloud.Reservation, error) {
	g, err := w.ensureGroup(ctx)
	if err != nil {
		return cloud.Reservation{}, err
	}
	found, err := w.reservation(ctx, w.id)
	if err == nil {
		if mark := readMark(tagsOf(found.Tags)); !mark.Identifies(w.req.Mark) {
			return cloud.Reservation{}, w.taken(w.id.String(), mark)
		}
		found, err = w.calm(ctx, opPut, w.id)
	}
	switch {
	case notFound(err):
		return w.place(ctx, g)
	case err != nil:
		return cloud.Reservation{}, cloud.AfterWrite(err)
	}
	return w.same(ctx, g, found)
}

// ensureGroup is the group that the reservation goes into. One of our own is made
// where there is none.
func (w wish) ensureGroup(ctx context.Context) (*armcompute.CapacityReservationGroup, error) {
	g, err := w.group(ctx, w.id.groupID)
	switch {
	case err == nil:
		return g, w.fits(g)
	case !notFound(err):
		return nil, err
	case w.given():
		var p problems
		p.add(attrOption(optGroup), "there is no capacity reservation group %s", w.id.groupID)
		return nil, refuse(opPut, p)
	case codeIs(err, codeNoResourceGroup):
		var p problems
		p.add(attrOption(optResourceGroup), "there is no resource group %s in subscription %s; it is never made here", w.id.resourceGroup, w.id.subscription)
		return nil, refuse(opGroupPut, p)
	}
	if g, err = w.makeGroup(ctx, w.id.groupID, w.groupBody()); err != nil {
		return nil, err
	}
	return g, w.fits(g)
}

// fits refuses a group that is not ours, or not as the wish needs it. Type, location
// and zones are fixed when a group is made.
func (w wish) fits(g *armcompute.CapacityReservationGroup) error {
	spec := w.req.Spec
	if w.given() {
		var p problems
		if checkInGroup(g, w.id.groupID, spec, &p); len(p) > 0 {
			return refuse(opPut, p)
		}
		return nil
	}
	if mark := readMark(tagsOf(g.Tags)); !isOwn(w.id, g) || !mark.Identifies(w.req.Mark) {
		return w.taken(w.id.groupID.String(), mark)
	}
	for _, part := range []struct {
		same bool
		of   cloud.Attribute
	}{
		{locationOf(deref(g.Location)) == spec.Region, cloud.AttrRegion},
		{hasZone(g, spec.Zone), cloud.AttrZone},
		{strings.EqualFold(string(deref(groupProperties(g).ReservationType)), string(groupType(spec))), w.typedBy()},
	} {
		if !part.same {
			return &cloud.Error{
				Code: cloud.Conflict, Op: opPut, TokenMismatch: true,
				Message: cloud.Clean(w.id.groupID.String() + " carries the same mark and has another " + string(part.of)),
			}
		}
	}
	return nil
}

// typedBy is the attribute that the type of a group follows.
func (w wish) typedBy() cloud.Attribute {
	if w.req.Spec.Kind == cloud.OnDemand {
		return cloud.AttrMatch
	}
	return cloud.AttrKind
}

// hasZone tells whether a group takes reservations of a zone, or of the region.
func hasZone(g *armcompute.CapacityReservationGroup, zone string) bool {
	if zone == "" {
		return len(g.Zones) == 0
	}
	return slices.ContainsFunc(g.Zones, func(z *string) bool { return deref(z) == zone })
}

func (w wish) groupBody() armcompute.CapacityReservationGroup {
	spec := w.req.Spec
	body := armcompute.CapacityReservationGroup{
		Location:   to.Ptr(spec.Region),
		Zones:      zonesOf(spec),
		Tags:       sendable(createTags(nil, w.req.Mark)),
		Properties: &armcompute.CapacityReservationGroupProperties{ReservationType: to.Ptr(groupType(spec))},
	}
	if len(spec.ShareWith) > 0 {
		body.Properties.SharingProfile = sharing(spec.ShareWith)
	}
	return body
}

func zonesOf(spec cloud.Spec) []*string {
	if spec.Zone == "" {
		return nil
	}
	return []*string{to.Ptr(spec.Zone)}
}

func (w wish) body() armcompute.CapacityReservation {
	spec := w.req.Spec
	body := armcompute.CapacityReservation{
		Location: to.Ptr(spec.Region),
		Zones:    zonesOf(spec),
		SKU:      &armcompute.SKU{Name: to.Ptr(spec.InstanceType), Capacity: to.Ptr(int64(spec.Count))},
		Tags:     sendable(createTags(spec.Tags, w.req.Mark)),
	}
	switch spec.Kind {
	case cloud.Block:
		body.Properties = planned(armcompute.ScheduleProfile{Start: to.Ptr(dateOf(spec.StartAt)), End: to.Ptr(dateOf(spec.EndAt))})
	case cloud.Scheduled:
		profile := armcompute.ScheduleProfile{Start: to.Ptr(instant(spec.StartAt))}
		if days, err := strconv.ParseInt(spec.Native[optCommitmentDays], 10, 32); err == nil {
			profile.MinimumCommitmentDays = to.Ptr(int32(days))
		}
		body.Properties = planned(profile)
	}
	return body
}

func planned(profile armcompute.ScheduleProfile) *armcompute.CapacityReservationProperties {
	return &armcompute.CapacityReservationProperties{ScheduleProfile: &profile}
}

// place makes the reservation in its group.
func (w wish) place(ctx context.Context, g *armcompute.CapacityReservationGroup) (cloud.Reservation, error) {
	if err := w.mend(ctx, g); err != nil {
		return cloud.Reservation{}, err
	}
	made, ours, err := w.put(ctx, w.id, w.body())
	if err != nil {
		return w.refused(ctx, g, w.explain(err))
	}
	if mark := readMark(tagsOf(made.Tags)); !mark.Identifies(w.req.Mark) {
		return cloud.Reservation{}, w.taken(w.id.String(), mark)
	}
	if ours {
		w.remember(made)
	}
	if err := w.agrees(made, g); err != nil {
		return cloud.Reservation{}, err
	}
	return w.outcome(ctx, g, made)
}

// remember keeps what a reservation was made of: it may have changed by the time that
// the same wish comes again.
func (w wish) remember(made *armcompute.CapacityReservation) {
	life := deref(propertiesOf(made).ReservationID)
	if life == "" {
		return
	}
	w.cloud.mu.Lock()
	defer w.cloud.mu.Unlock()
	w.cloud.made[life] = w.inputs()
}

// inputs are what the wish sends, as text.
func (w wish) inputs() string {
	// Neither body holds what cannot be marshaled.
	one, _ := json.Marshal(w.body())
	group, _ := json.Marshal(w.groupBody())
	return string(one) + string(group)
}

// unlike names what a reservation was made otherwise than the wish, "" where it was
// made alike. One that this process did not make tells by what it has now.
func (w wish) unlike(found *armcompute.CapacityReservation, r cloud.Reservation) cloud.Attribute {
	w.cloud.mu.Lock()
	made, known := w.cloud.made[deref(propertiesOf(found).ReservationID)]
	w.cloud.mu.Unlock()
	attribute := w.differs(r)
	switch {
	case !known:
		return attribute
	case made == w.inputs():
		return ""
	case attribute == "":
		return "wish that it was made by"
	}
	return attribute
}

// mend brings a group of our own that an earlier run left to what the wish needs.
func (w wish) mend(ctx context.Context, g *armcompute.CapacityReservationGroup) error {
	if w.given() {
		return nil
	}
	if unchanged(w.mended(g)) {
		return nil
	}
	return cloud.Misnamed(w.editGroup(ctx, w.id.groupID, w.mended))
}

// mended is what a group of our own lacks.
func (w wish) mended(g *armcompute.CapacityReservationGroup) (body armcompute.CapacityReservationGroupUpdate) {
	if !w.owns(g, w.req.Mark) {
		return body
	}
	if tags := tagsOf(g.Tags); isReleasing(tags) {
		body.Tags = sendable(unreleasing(tags))
	}
	body.Properties = reshared(g, w.req.Spec.ShareWith)
	return body
}

// same takes what carries our mark as the answer, in whatever way an earlier try made
// it, where it is as the wish.
func (w wish) same(ctx context.Context, g *armcompute.CapacityReservationGroup, found *armcompute.CapacityReservation) (cloud.Reservation, error) {
	if err := w.agrees(found, g); err != nil {
		return cloud.Reservation{}, err
	}
	if err := w.mend(ctx, g); err != nil {
		return cloud.Reservation{}, cloud.AfterWrite(err)
	}
	return w.outcome(ctx, g, found)
}

// agrees refuses what carries our mark and is not as the wish.
func (w wish) agrees(found *armcompute.CapacityReservation, g *armcompute.CapacityReservationGroup) error {
	r, err := w.decode(found, g)
	if err != nil {
		return cloud.AfterWrite(err)
	}
	if attribute := w.unlike(found, r); attribute != "" {
		return &cloud.Error{
			Code: cloud.Conflict, Op: opPut, TokenMismatch: true,
			Message: cloud.Clean(r.Ref.NativeID + " carries the same mark and has another " + string(attribute)),
		}
	}
	return nil
}

// outcome is what became of a create. One that failed is removed, and is an error
// by what it says itself.
func (w wish) outcome(ctx context.Context, g *armcompute.CapacityReservationGroup, made *armcompute.CapacityReservation) (cloud.Reservation, error) {
	r, err := w.decode(made, g)
	if err != nil {
		return cloud.Reservation{}, cloud.AfterWrite(err)
	}
	if !aborted(made, r) {
		return r, nil
	}
	why := failureOf(opPut, deref(propertiesOf(made).InstanceView).Statuses)
	if why == nil {
		why = &cloud.Error{Code: cloud.Internal, Op: opPut, Message: "the creation failed, and the reservation does not say why"}
	}
	return w.refused(ctx, g, w.explain(why))
}

// aborted tells what a create left that failed or was canceled. What has a claim is
// in somebody's state.
func aborted(found *armcompute.CapacityReservation, r cloud.Reservation) bool {
	if r.Mark.Claim != "" {
		return false
	}
	switch provisioning(found) {
	case "failed":
		return r.State == cloud.Refused
	case "canceled", "cancelled":
		return propertiesOf(found).ProvisioningTime == nil && currentCapacity(found) == 0
	}
	return false
}

// refused removes what a refused create made, and returns the refusal. What cannot
// be removed is the answer instead: it keeps the name. So is what somebody made
// meanwhile, if it is as the wish. Where only the moment was a bad one, the next try
// finds what is there.
func (w wish) refused(ctx context.Context, g *armcompute.CapacityReservationGroup, refusal error) (cloud.Reservation, error) {
	if cloud.MaybeAccepted(refusal) || cloud.CodeOf(refusal) == cloud.Throttled {
		return cloud.Reservation{}, refusal
	}
	found, err := w.calm(ctx, opPut, w.id)
	if err == nil && !w.remnant(g, found) {
		return w.judged(ctx, g, found)
	}
	if err == nil || notFound(err) {
		err = w.unmake(ctx, err == nil)
	}
	switch {
	case err == nil:
		return cloud.Reservation{}, refusal
	case ctx.Err() != nil, passing(err):
		return cloud.Reservation{}, cloud.AfterWrite(err)
	}
	left := w.left()
	var why, stuck *cloud.Error
	if errors.As(refusal, &why) && errors.As(err, &stuck) {
		left.NativeState = cloud.Clean("refused (" + why.Error() + "), and what was made could not be removed (" + stuck.Error() + ")")
	}
	return left, nil
}

// remnant tells what a refused create of ours left.
func (w wish) remnant(g *armcompute.CapacityReservationGroup, found *armcompute.CapacityReservation) bool {
	r, err := w.decode(found, g)
	return err == nil && r.Mark.Identifies(w.req.Mark) && aborted(found, r)
}

// judged is the answer where somebody made the reservation meanwhile: another's has
// taken the name, and another run's is as good as this one's.
func (w wish) judged(ctx context.Context, g *armcompute.CapacityReservationGroup, found *armcompute.CapacityReservation) (cloud.Reservation, error) {
	if mark := readMark(tagsOf(found.Tags)); !mark.Identifies(w.req.Mark) {
		return cloud.Reservation{}, w.taken(w.id.String(), mark)
	}
	return w.same(ctx, g, found)
}

// unmake removes what is there of the reservation, and a group of our own.
func (w wish) unmake(ctx context.Context, there bool) error {
	if there {
		if err := w.remove(ctx, w.id); err != nil {
			return err
		}
	}
	if w.given() {
		return nil
	}
	return w.dissolve(ctx, w.req.Mark)
}

// left is what stays of a refused create.
func (w wish) left() cloud.Reservation {
	spec := w.req.Spec
	left := cloud.Reservation{
		Ref: cloud.Ref{Account: w.account, NativeID: w.id.String()}, AccountID: w.id.subscription,
		Region: spec.Region, Zone: spec.Zone, Kind: spec.Kind, InstanceType: spec.InstanceType, Match: spec.Match,
		State: cloud.Refused, Mark: w.req.Mark, NativeName: w.id.name, Tags: spec.Tags, Native: spec.Native,
	}
	left.Mark.Claim = ""
	return left
}

// explain adds to a refusal what only the wish tells: whose limit it was.
func (w wish) explain(err error) error {
	return cloud.Misnamed(w.target.explain(err, w.req.Spec.Region))
}

// taken is the error of a name that another's object has.
func (w wish) taken(id string, mark cloud.Mark) *cloud.Error {
	whose := "no mark of ours"
	if !mark.Empty() {
		whose = "the mark of owner " + mark.Owner + ", name " + mark.Name + ", type " + mark.Type
	}
	return &cloud.Error{
		Code: cloud.Conflict, Op: opPut, HTTPStatus: 200, Message: cloud.Clean("the name is taken: " + id + " carries " + whose),
	}
}

// differs names what an object has otherwise than the wish, "" where nothing.
func (w wish) differs(r cloud.Reservation) cloud.Attribute {
	spec := w.req.Spec
	for _, part := range []struct {
		same bool
		of   cloud.Attribute
	}{
		{r.Kind == spec.Kind, cloud.AttrKind},
		{r.Region == spec.Region, cloud.AttrRegion},
		{r.Zone == spec.Zone, cloud.AttrZone},
		{strings.EqualFold(r.InstanceType, spec.InstanceType), cloud.AttrInstanceType},
		{r.Count == spec.Count || r.State == cloud.Refused, cloud.AttrCount},
		{r.Match == spec.Match, cloud.AttrMatch},
		{spec.StartAt.IsZero() || r.StartsAt.Equal(sendableTime(spec.StartAt)), cloud.AttrStart},
		{r.EndsAt.Equal(sendableTime(spec.EndAt)), cloud.AttrEnd},
		{w.given() || slices.Equal(shareList(spec.ShareWith), r.ShareWith), cloud.AttrShare},
	} {
		if !part.same {
			return part.of
		}
	}
	if days := spec.Native[optCommitmentDays]; days != "" && days != r.Native[optCommitmentDays] {
		return attrOption(optCommitmentDays)
	}
	return ""
}
