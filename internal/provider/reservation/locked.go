package reservation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
)

// lockable are the attributes that change in place and no longer do once the object
// is locked, or they are fixed on it, with the values, as far as they are known to
// differ at the cloud. That only comes over what the cloud decides on, and is not
// bought as it was offered.
func (pl *planning) lockable(ctx context.Context) map[cloud.Attribute][2]string {
	kind := pl.kind()
	if !kind.Decided || kind.ByOffer || !pl.plan.Kind.Equal(pl.prior.Kind) {
		return nil
	}
	before := pl.before(ctx)
	all := map[cloud.Attribute][2]string{
		cloud.AttrCount: {fmt.Sprint(before.Count), fmt.Sprint(pl.spec.Count)},
		cloud.AttrMatch: {string(before.Match), string(pl.spec.Match)},
		cloud.AttrStart: {instant(before.StartAt), instant(pl.spec.StartAt)},
		cloud.AttrShare: pl.shares(),
	}
	if at, ends, known := pl.ends(ctx, before); known {
		all[at] = ends
	}
	for key, values := range optionsBeside(before, pl.spec, pl.capabilities().Cloud) {
		if a := cloud.Attribute(pl.capabilities().Cloud + "." + key); kind.CanChange(a) {
			all[a] = values
		}
	}
	maps.DeleteFunc(all, func(a cloud.Attribute, v [2]string) bool { return v[0] == v[1] || pl.plan.unknown(ctx, a) })
	return all
}

// ends are when the promise ends before and after, and which attribute says so. A
// length leads to nothing that is known from a start that is not.
func (pl *planning) ends(ctx context.Context, before cloud.Spec) (at cloud.Attribute, ends [2]string, known bool) {
	is, was := pl.plan.window(ctx), pl.prior.window(ctx)
	at = cloud.AttrEnd
	if is.EndAt.IsNull() && (!is.Duration.IsNull() || !was.Duration.IsNull()) {
		at = cloud.AttrDuration
	}
	return at, [2]string{instant(endOf(before)), instant(endOf(pl.spec))}, !is.StartAt.IsUnknown()
}

// endOf is when the promise of a wish ends, zero where it does not tell.
func endOf(s cloud.Spec) time.Time {
	if s.EndAt.IsZero() && !s.StartAt.IsZero() && s.Duration > 0 {
		return s.StartAt.Add(s.Duration)
	}
	return s.EndAt
}

// lockedBy are those of some changes that the object does not take any more.
func lockedBy(lockable map[cloud.Attribute][2]string, r cloud.Reservation) map[cloud.Attribute][2]string {
	locked := maps.Clone(lockable)
	maps.DeleteFunc(locked, func(a cloud.Attribute, _ [2]string) bool { return !r.Locked && !slices.Contains(r.Fixed, a) })
	return locked
}

// replaceLocked plans to give up what is locked for another one, where that is
// allowed, and refuses to change it else.
func (pl *planning) replaceLocked(ctx context.Context, fixed, lockable map[cloud.Attribute][2]string, r cloud.Reservation) bool {
	if pl.plan.AllowReplacement.ValueBool() {
		maps.Copy(fixed, lockable)
	}
	if len(fixed) > 0 {
		return pl.replaceLive(ctx, fixed)
	}
	pl.refuseLocked(lockable, r)
	return true
}

// refuseLocked refuses to change what is locked, at the first attribute that would;
// a start comes before the end that it takes along.
func (pl *planning) refuseLocked(changes map[cloud.Attribute][2]string, r cloud.Reservation) {
	order := []cloud.Attribute{cloud.AttrCount, cloud.AttrStart, cloud.AttrEnd, cloud.AttrDuration}
	rank := func(a cloud.Attribute) int { return (slices.Index(order, a) + len(order) + 1) % (len(order) + 1) }
	a := slices.SortedFunc(maps.Keys(changes), func(a, b cloud.Attribute) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})[0]
	if !r.Locked {
		pl.diags.AddAttributeError(attribute.Path(string(a)), "Reservation is fixed", fmt.Sprintf(
			"%s cannot change from %s to %s: %q (%s) is %s, and this of it cannot be changed any more. "+
				"Leave it as it is, or reserve beside it under a new name.",
			a, changes[a][0], changes[a][1], pl.prior.Name.ValueString(), pl.prior.NativeID.ValueString(), r.NativeState))
		return
	}
	since := ""
	if !r.FreeUntil.IsZero() {
		since = " since " + instant(r.FreeUntil)
	}
	pl.diags.AddAttributeError(attribute.Path(string(a)), "Reservation is locked", fmt.Sprintf(
		"%s cannot change from %s to %s: %q (%s) is locked%s, and nothing of it can be changed until %s, when it ends. "+
			"Leave it as it is, or reserve beside it under a new name.",
		a, changes[a][0], changes[a][1], pl.prior.Name.ValueString(), pl.prior.NativeID.ValueString(), since, instant(r.EndsAt)))
}
