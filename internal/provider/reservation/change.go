package reservation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// update plans a change of an object that exists.
func (pl *planning) update(ctx context.Context) {
	m, was := &pl.plan, pl.prior
	m.results = was.results
	pl.checkShares(ctx)
	if pl.replacement(ctx) {
		return
	}
	if pl.kind().ByOffer {
		pl.checkLength(ctx)
	} else {
		pl.planStart(ctx, was.window(ctx))
		pl.planEnd(ctx, was.window(ctx))
	}
	pl.planPurchase(ctx)
	pl.planTags()
	if !m.InstanceCount.Equal(was.InstanceCount) || !m.Kind.Equal(was.Kind) || !m.Term.Equal(was.Term) {
		pl.planFacts(ctx)
	}
	m.Binding = pl.planBinding(ctx)
	if !pl.acts(ctx) {
		return
	}
	m.Status = types.StringUnknown()
	if was.ClaimID.IsNull() && pl.capabilities().Claims {
		m.ClaimID, m.Owner = types.StringUnknown(), pl.ownerFor(was)
	}
}

// ownerFor is the owner that a first claim will write: the one the object has,
// else the provider's.
func (pl *planning) ownerFor(was *model) types.String {
	if was.Owner.ValueString() != "" || pl.p.Owner == "" {
		return was.Owner
	}
	return types.StringValue(pl.p.Owner)
}

// acts tells whether the plan leads to a call: something to change at the cloud,
// or something that an earlier run left unfinished.
func (pl *planning) acts(ctx context.Context) bool {
	switch capacity.Status(pl.prior.Status.ValueString()) {
	case capacity.Pending:
		if !pl.kind().Decided { // else there is nothing that an apply could do
			return true
		}
	case capacity.Degraded:
		return true
	}
	return atCloud(pl.plan, *pl.prior) || pl.optionsDiffer(ctx)
}

// atCloud tells whether two models differ in something that the cloud keeps.
func atCloud(a, b model) bool {
	return !a.Name.Equal(b.Name) || !a.InstanceCount.Equal(b.InstanceCount) || !a.MatchCriteria.Equal(b.MatchCriteria) ||
		!a.StartsAt.Equal(b.StartsAt) || !a.EndsAt.Equal(b.EndsAt) || !a.TagsAll.Equal(b.TagsAll) || !a.Kind.Equal(b.Kind) ||
		!a.Term.Equal(b.Term) || !a.ShareWith.Equal(b.ShareWith)
}

// before is the state's wish, completed.
func (pl *planning) before(ctx context.Context) cloud.Spec {
	was := pl.prior.wishAt(pl.prior.NativeID, pl.prior.spec(ctx, nil))
	before, _, err := pl.rules.Check(pl.prior.Cloud.ValueString(), was)
	if err != nil {
		return was
	}
	return before
}

// optionsDiffer tells whether one of the cloud's own options changes in place.
func (pl *planning) optionsDiffer(ctx context.Context) bool {
	before, caps := pl.before(ctx), pl.capabilities()
	for key, value := range pl.spec.Native {
		if before.Native[key] != value && caps.Kinds[pl.spec.Kind].CanChange(cloud.Attribute(caps.Cloud+"."+key)) {
			return true
		}
	}
	return false
}

// instant is a time as text, "" for none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// fixed are the attributes in which the plan differs from the state and that
// the cloud cannot change in place, with the values; open are those of which only
// apply will tell whether they differ.
func (pl *planning) fixed(ctx context.Context) (fixed, open map[cloud.Attribute][2]string) {
	was, caps, before := pl.prior, pl.capabilities(), pl.before(ctx)
	all := map[cloud.Attribute][2]string{
		"cloud":                {was.Cloud.ValueString(), pl.plan.Cloud.ValueString()},
		"name":                 {was.Name.ValueString(), pl.plan.Name.ValueString()},
		cloud.AttrRegion:       {before.Region, pl.spec.Region},
		cloud.AttrZone:         pl.zones(ctx, before.Zone),
		cloud.AttrInstanceType: {before.InstanceType, pl.spec.InstanceType},
		cloud.AttrKind:         {string(before.Kind), string(pl.spec.Kind)},
		cloud.AttrMatch:        {string(before.Match), string(pl.spec.Match)},
		cloud.AttrCount:        {fmt.Sprint(before.Count), fmt.Sprint(pl.spec.Count)},
		cloud.AttrShare:        pl.shares(),
		pl.accountAttribute():  pl.accounts(ctx),
	}
	if pl.kind().Base == before.Kind { // it becomes one of this kind by its term
		delete(all, cloud.AttrKind)
	}
	maps.Copy(all, pl.instants(ctx, before))
	if before.Term != nil && pl.spec.Term != nil {
		all[cloud.AttrTerm] = [2]string{before.Term.String(), pl.spec.Term.String()}
	}
	for key, values := range optionsBeside(before, pl.spec, caps.Cloud) {
		all[cloud.Attribute(caps.Cloud+"."+key)] = values
	}
	if before.Region == "" { // a state that was moved here and not read yet may not tell it
		delete(all, cloud.AttrRegion)
	}
	kind := caps.Kinds[cloud.Kind(was.Kind.ValueString())]
	maps.DeleteFunc(all, func(a cloud.Attribute, _ [2]string) bool {
		if a == cloud.AttrShare {
			return kind.Reshares(before.ShareWith, pl.spec.ShareWith)
		}
		return kind.CanChange(a) || pl.plan.provides(a)
	})
	fixed, open = map[cloud.Attribute][2]string{}, map[cloud.Attribute][2]string{}
	for a, v := range all {
		switch {
		case pl.plan.unknown(ctx, a):
			open[a] = v
		case v[0] != v[1]:
			fixed[a] = v
		}
	}
	return fixed, open
}

// instants are the start before and after, and the end of a kind whose end does not
// move in place. Those that an offer decided are not compared.
func (pl *planning) instants(ctx context.Context, before cloud.Spec) map[cloud.Attribute][2]string {
	kind := pl.kind()
	if kind.ByOffer {
		return nil
	}
	all := map[cloud.Attribute][2]string{cloud.AttrStart: {instant(before.StartAt), instant(pl.spec.StartAt)}}
	at, ends, known := pl.ends(ctx, before)
	if known && pl.plan.Kind.Equal(pl.prior.Kind) && !kind.CanChange(cloud.AttrEnd) {
		all[at] = ends
	}
	return all
}

// optionsBeside are the cloud's own options before and after. What the cloud chooses
// where nothing is said stays as it is, and an option that only one of two kinds has
// is no difference.
func optionsBeside(before, after cloud.Spec, cloudName string) map[string][2]string {
	p, _ := partOf(cloudName)
	all := map[string][2]string{}
	for key, value := range after.Native {
		if is, had := before.Native[key]; had || before.Kind == after.Kind {
			all[key] = [2]string{is, value}
		}
	}
	for key, value := range before.Native {
		if _, has := after.Native[key]; !has && before.Kind == after.Kind && !slices.Contains(p.chosen, key) {
			all[key] = [2]string{value, ""}
		}
	}
	return all
}

// zones are the zone before and after. Where none was named the offer chose it, and
// only the object tells which; a plan that names none keeps it.
func (pl *planning) zones(ctx context.Context, before string) [2]string {
	same := [2]string{before, before}
	switch {
	case !pl.kind().ByOffer || !pl.prior.Zone.IsNull() && !pl.plan.Zone.IsNull():
		return [2]string{before, pl.spec.Zone}
	case pl.plan.Zone.IsNull() || pl.p.Manager == nil:
		return same
	}
	r, _, err := pl.p.Manager.Live(ctx, pl.prior.holder())
	if report.Failure(pl.diags, err); err != nil || r.Zone == "" {
		return same
	}
	return [2]string{r.Zone, pl.spec.Zone}
}

func (pl *planning) capabilities() cloud.Capabilities {
	return capabilitiesOf(pl.rules, pl.prior.Cloud.ValueString())
}

// accounts are the cloud's own ids of the account before and after: another name
// for the same account is no change.
func (pl *planning) accounts(ctx context.Context) [2]string {
	was := pl.prior.AccountID.ValueString()
	account := pl.plan.account()
	if account.Equal(pl.prior.account()) || account.IsUnknown() || !pl.plan.Cloud.Equal(pl.prior.Cloud) || pl.p.Manager == nil {
		return [2]string{was, was}
	}
	id, err := pl.p.Manager.AccountID(ctx, pl.plan.Cloud.ValueString(), account.ValueString())
	if err != nil {
		report.Failure(pl.diags, err)
		return [2]string{was, was}
	}
	return [2]string{was, id}
}

// replacement plans a new object where the cloud cannot change this one. It
// reports whether it did, or refused to.
func (pl *planning) replacement(ctx context.Context) bool {
	if pl.prior.Status.ValueString() == string(capacity.Refused) {
		pl.replaceBy(path.Root("status"))
		return true
	}
	fixed, open := pl.fixed(ctx)
	lockable := pl.lockable(ctx)
	if pl.plan.AllowReplacement.ValueBool() {
		// An update that apply turns into a replacement is not what was planned,
		// and Terraform stops there; so what may need a new object gets one.
		maps.Copy(fixed, open)
	}
	mayHaveEnded := !pl.prior.EndsAt.IsNull() && len(pl.changed(ctx))+len(open) > 0
	if pl.diags.HasError() || len(fixed)+len(lockable) == 0 && !mayHaveEnded {
		return pl.diags.HasError()
	}
	r, live, err := pl.p.Manager.Live(ctx, pl.prior.holder())
	switch {
	case err != nil:
		report.Failure(pl.diags, err)
		return true
	case live:
		pl.unfix(fixed, r)
		pl.unfixChosen(fixed, r)
		if locked := lockedBy(lockable, r); len(locked) > 0 {
			return pl.replaceLocked(ctx, fixed, locked, r)
		}
		return pl.replaceLive(ctx, fixed)
	}
	maps.Copy(fixed, open)
	pl.replaceBy(append(pl.changed(ctx), paths(fixed)...)...) // an ended object is replaced freely, whatever changes
	return true
}

// unfix takes out what is not fixed on an object that lacks the term of its state,
// because that is over or was never bought: it is one of the kind's base.
func (pl *planning) unfix(fixed map[cloud.Attribute][2]string, r cloud.Reservation) {
	if r.Kind == "" || r.Kind != pl.capabilities().Kinds[cloud.Kind(pl.prior.Kind.ValueString())].Base {
		return
	}
	delete(fixed, cloud.AttrTerm)
	if pl.spec.Kind == r.Kind {
		delete(fixed, cloud.AttrKind)
	}
}

// unfixChosen takes out the options that were not said before and are said now as
// the cloud chose them; of the others it knows now what they are.
func (pl *planning) unfixChosen(fixed map[cloud.Attribute][2]string, r cloud.Reservation) {
	name := pl.plan.Cloud.ValueString()
	p, _ := partOf(name)
	for _, key := range p.chosen {
		a, is := cloud.Attribute(name+"."+key), r.Native[key]
		values, planned := fixed[a]
		switch {
		case !planned || values[0] != "" || is == "":
		case values[1] == is:
			delete(fixed, a)
		default:
			fixed[a] = [2]string{is, values[1]}
		}
	}
}

// replaceLive plans to give a live object up for another one, or refuses to.
func (pl *planning) replaceLive(ctx context.Context, fixed map[cloud.Attribute][2]string) bool {
	if len(fixed) == 0 {
		return false
	}
	pl.replaceBy(paths(fixed)...)
	if pl.plan.AllowReplacement.ValueBool() {
		pl.warnReplacement(ctx)
		return true
	}
	for _, a := range slices.Sorted(maps.Keys(fixed)) {
		pl.refuseReplacement(a, fixed[a])
	}
	return true
}

func (pl *planning) replaceBy(because ...path.Path) {
	pl.replace, pl.plan.results = because, unknownResults()
}

// paths are where the attributes stand, sorted.
func paths(attributes map[cloud.Attribute][2]string) path.Paths {
	var found path.Paths
	for _, a := range slices.Sorted(maps.Keys(attributes)) {
		found = append(found, attribute.Path(string(a)))
	}
	return found
}

// changed are the attributes in which the promise that the configuration asks for
// differs from the state's, and that could change in place. Name and tags are not
// among them, and of a window that an offer was searched in only a longer duration
// is: to change the rest on an ended object must not buy a new one.
func (pl *planning) changed(ctx context.Context) path.Paths {
	sameWindow := pl.plan.Window.Equal(pl.prior.Window)
	if pl.kind().ByOffer {
		sameWindow = !lengthens(ctx, *pl.prior, pl.plan)
	}
	var changed path.Paths
	for _, a := range []struct {
		name string
		same bool
	}{
		{"instance_count", pl.plan.InstanceCount.Equal(pl.prior.InstanceCount)},
		{"match_criteria", pl.plan.MatchCriteria.Equal(pl.prior.MatchCriteria)},
		{"window", sameWindow},
		{"share_with", pl.plan.ShareWith.Equal(pl.prior.ShareWith)},
	} {
		if !a.same {
			changed = append(changed, path.Root(a.name))
		}
	}
	return changed
}

func (pl *planning) refuseReplacement(a cloud.Attribute, v [2]string) {
	pl.diags.AddAttributeError(attribute.Path(string(a)), "Change would release a live reservation", fmt.Sprintf(
		"%s cannot be changed from %q to %q in place. A replacement would release %s (%d × %s in %s) before anything else is held. "+
			"Set allow_replacement = true to accept that, or reserve under a new name first.",
		a, v[0], v[1], pl.prior.NativeID.ValueString(), pl.prior.InstanceCount.ValueInt64(),
		pl.prior.InstanceType.ValueString(), capacity.Place(pl.prior.Region.ValueString(), pl.prior.Zone.ValueString())))
}

func (pl *planning) warnReplacement(ctx context.Context) {
	notices, err := pl.p.Manager.MayRelease(ctx, pl.prior.holder(), pl.prior.release())
	report.Notices(pl.diags, notices)
	report.Failure(pl.diags, err)
	pl.diags.AddAttributeWarning(path.Root("allow_replacement"), "Live reservation will be replaced", fmt.Sprintf(
		"%s cannot be changed in place (%s). By default Terraform deletes %s first and then asks for the new one, which may be "+
			"refused. With lifecycle { create_before_destroy = true } the new one is held first, which needs a new name.",
		pl.prior.Name.ValueString(), names(pl.replace), pl.prior.NativeID.ValueString()))
}
