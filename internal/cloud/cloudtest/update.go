package cloudtest

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func ptr[V any](v V) *V { return &v }

func updateChecks() []check {
	return []check{
		{name: "count", of: traits{changes(cloud.AttrCount)}, run: func(b *bench) {
			r := b.changeable("count")
			b.changes(r, cloud.Change{Count: ptr(3)}, func(r *cloud.Reservation) { r.Count = 3 })
			b.changes(b.get(r.Ref), cloud.Change{Count: ptr(2)}, func(r *cloud.Reservation) { r.Count = 2 })
		}},
		{name: "match", of: traits{changes(cloud.AttrMatch)}, run: func(b *bench) {
			r := b.held("match", func(s *cloud.Spec) { s.Match = cloud.Targeted })
			b.changes(r, cloud.Change{Match: ptr(cloud.Open)}, func(r *cloud.Reservation) { r.Match = cloud.Open })
		}},
		{name: "start", of: traits{changes(cloud.AttrStart)}, run: movedStart},
		{name: "end", of: traits{changes(cloud.AttrEnd)}, run: movedEnd},
		{name: "name", of: traits{changes(cloud.AttrName)}, run: func(b *bench) {
			r := b.held("old")
			b.changes(r, cloud.Change{Mark: ptr(b.mark("new"))}, func(r *cloud.Reservation) { r.Mark = b.mark("new") })
		}},
		{name: "several", of: traits{changes(cloud.AttrCount), changes(cloud.AttrTags)}, run: func(b *bench) {
			r := b.changeable("several")
			change := cloud.Change{Count: ptr(2), SetTags: map[string]string{"team": "ml"}}
			b.changes(r, change, func(r *cloud.Reservation) { r.Count, r.Tags = 2, change.SetTags })
		}},
		{name: "locked", of: traits{amended}, run: lockedAsTold},
		{name: "fixed", of: traits{changes(cloud.AttrStart)}, run: fixedAsTold},
		{name: "native", run: nativeChanged},
		{name: "native-not-in-place", run: nativeFixed},
		{name: "not-in-place", run: notInPlace},
		{name: "refused-growth", of: traits{changes(cloud.AttrCount)}, run: func(b *bench) {
			b.needs(b.SetCapacity != nil, "SetCapacity")
			b.refusedGrowth(cloud.NoCapacity, func(s cloud.Spec) { b.SetCapacity(s, 0) })
		}},
		{name: "refused-growth-by-quota", of: traits{changes(cloud.AttrCount)}, run: func(b *bench) {
			b.needs(b.SetQuota != nil, "SetQuota")
			b.refusedGrowth(cloud.QuotaExceeded, func(s cloud.Spec) { b.SetQuota(s, 0) })
		}},
		{name: "below-use", of: traits{changes(cloud.AttrCount)}, run: shrunkBelowUse},
		{name: "unknown", of: traits{amended}, run: func(b *bench) {
			updater := optional[cloud.Updater](b, "Updater")
			b.needs(b.Forget != nil, "Forget")
			r := b.held("forgotten")
			b.Forget(r.Ref)
			change, _ := b.amendment()
			_, err := updater.Update(b.ctx, r.Ref, change)
			b.wantCode("Update of a forgotten reservation", err, cloud.NotFound)
		}},
		{name: "ended", of: traits{free, changes(cloud.AttrCount)}, run: func(b *bench) {
			updater := optional[cloud.Updater](b, "Updater")
			r := b.held("ended")
			b.release(r.Ref)
			_, err := updater.Update(b.ctx, r.Ref, cloud.Change{Count: ptr(2)})
			b.wantCode("Update of a released reservation", err, cloud.NotFound, cloud.Conflict)
		}},
	}
}

func (b *bench) update(ref cloud.Ref, change cloud.Change) cloud.Reservation {
	b.Helper()
	r, err := b.updater().Update(b.ctx, ref, change)
	if err != nil {
		b.Fatalf("Update(%s): %v", ref.NativeID, err)
	}
	return r
}

// changes demands that an update does what it says, nothing else, and the same
// when repeated.
func (b *bench) changes(before cloud.Reservation, change cloud.Change, expect func(*cloud.Reservation)) {
	b.Helper()
	before = b.get(before.Ref)
	want := before
	expect(&want)
	b.same("the answer of Update", b.update(before.Ref, change), want)
	b.same("Get after Update", b.get(before.Ref), want)
	b.same("the answer of the same Update again", b.update(before.Ref, change), want)
}

// movedEnd: an end is set, moved and removed, but for kinds that need one.
func movedEnd(b *bench) {
	end := b.later(48 * time.Hour)
	r := b.held("end", until(end))
	b.same("end", b.get(r.Ref).EndsAt, end)
	instants := []time.Time{end.Add(time.Second), {}, end}
	if b.can.Bounded {
		instants = []time.Time{end.Add(time.Second), end.Add(-time.Hour), end}
		_, err := b.updater().Update(b.ctx, r.Ref, cloud.Change{EndAt: &time.Time{}})
		b.wantCode("Update that removes the end", err, cloud.Invalid, cloud.Unsupported)
		b.same("end after a removal that was refused", b.get(r.Ref).EndsAt, end)
	}
	for _, at := range instants {
		got := b.update(r.Ref, cloud.Change{EndAt: &at})
		b.same("end in the answer of Update", got.EndsAt, at)
		got = b.get(r.Ref)
		b.same("end after Update", got.EndsAt, at)
		b.same("count after a moved end", got.Count, r.Count)
	}
}

// movedStart: a start moves both ways and moves nothing else, but what is bound
// and free with it.
func movedStart(b *bench) {
	start := b.wish().StartAt
	r := b.held("start", func(s *cloud.Spec) {
		if ends(b.can) {
			until(b.later(48 * time.Hour))(s)
		}
	})
	before := b.get(r.Ref)
	for _, at := range []time.Time{start.Add(25 * time.Hour), start.Add(time.Hour), start} {
		got := b.update(r.Ref, cloud.Change{StartAt: &at})
		want := before
		want.StartsAt, want.FreeUntil = at, got.FreeUntil
		if !ends(b.can) && !before.CommittedUntil.IsZero() {
			want.CommittedUntil = before.CommittedUntil.Add(at.Sub(before.StartsAt))
		}
		b.same("the answer of Update", got, want)
		b.same("Get after Update", b.get(r.Ref), want)
		b.same("the answer of the same Update again", b.update(r.Ref, cloud.Change{StartAt: &at}), want)
	}
	if !ends(b.can) {
		return
	}
	_, err := b.updater().Update(b.ctx, r.Ref, cloud.Change{StartAt: ptr(before.EndsAt.Add(time.Hour))})
	b.wantCode("a start after the end", err, cloud.Invalid)
	b.same("the reservation after a refused start", b.get(r.Ref), before)
}

// notInPlace: what the kind cannot change is refused and stays.
func notInPlace(b *bench) {
	updater := optional[cloud.Updater](b, "Updater")
	parts := map[cloud.Attribute]cloud.Change{
		cloud.AttrCount: {Count: ptr(2)},
		cloud.AttrMatch: {Match: ptr(cloud.Open)},
		cloud.AttrStart: {StartAt: ptr(b.later(-24 * time.Hour))},
		cloud.AttrEnd:   {EndAt: ptr(b.later(48 * time.Hour))},
		cloud.AttrShare: {ShareWith: &[]string{"another-account"}},
		cloud.AttrTags:  {SetTags: map[string]string{"team": "ml"}},
	}
	r := b.create("fixed")
	before := b.get(r.Ref)
	for a, change := range parts {
		if b.can.CanChange(a) {
			continue
		}
		_, err := updater.Update(b.ctx, r.Ref, change)
		b.wantCode("Update of "+string(a), err, cloud.Unsupported)
	}
	b.same("the reservation after refused updates", b.get(r.Ref), before)
}

// refusedGrowth: the holding stays as it was.
func (b *bench) refusedGrowth(code cloud.Code, exhaust func(cloud.Spec)) {
	b.Helper()
	updater := optional[cloud.Updater](b, "Updater")
	s := b.wish()
	r := b.changeable("grown")
	before := b.get(r.Ref)
	exhaust(s)
	_, err := updater.Update(b.ctx, r.Ref, cloud.Change{Count: ptr(3)})
	e := b.classed("growth", err, code)
	if code == cloud.QuotaExceeded && (e.Quota == nil || e.Quota.Quota == "") {
		b.Errorf("%v does not tell which quota", e)
	}
	b.same("the reservation after a refused growth", b.get(r.Ref), before)
}

// shrunkBelowUse: refused as in use, or done; never anything between.
func shrunkBelowUse(b *bench) {
	updater := optional[cloud.Updater](b, "Updater")
	b.needs(b.SetUsers != nil, "SetUsers")
	r := b.changeable("shrunk")
	b.update(r.Ref, cloud.Change{Count: ptr(3)})
	refusals := []cloud.Code{cloud.InUse}
	if wait := r.StartsAt.Sub(b.now()); wait > 0 {
		// What has begun may no longer change at all.
		refusals = append(refusals, cloud.Conflict)
		b.needs(b.Advance != nil, "Advance")
		b.Advance(wait + time.Hour)
	}
	b.SetUsers(r.Ref, 2)
	want := 1
	if _, err := updater.Update(b.ctx, r.Ref, cloud.Change{Count: ptr(1)}); err != nil {
		b.wantCode("shrinking below use", err, refusals...)
		want = 3
	}
	b.same("count", b.get(r.Ref).Count, want)
	b.SetUsers(r.Ref, 0)
}

// nativeChanged: the options that change in place do, and nothing else.
func nativeChanged(b *bench) {
	for i, a := range b.can.InPlace {
		key, native := strings.CutPrefix(string(a), b.Cloud.Capabilities().Cloud+".")
		if !native {
			continue
		}
		value, given := b.Options[key]
		b.needs(given, "value for "+string(a))
		r := b.held(fmt.Sprintf("native-%d", i))
		b.changes(r, cloud.Change{Native: map[string]string{key: value}}, func(r *cloud.Reservation) {
			r.Native = maps.Clone(r.Native)
			r.Native[key] = value
		})
	}
}

// nativeFixed: an option that does not change in place is refused, never dropped.
func nativeFixed(b *bench) {
	b.needs(b.Options != nil, "Options")
	updater := b.updater()
	s := b.wish()
	r := b.create("fixed")
	for key, value := range s.Native {
		if b.can.CanChange(cloud.Attribute(b.Cloud.Capabilities().Cloud + "." + key)) {
			continue
		}
		_, err := updater.Update(b.ctx, r.Ref, cloud.Change{Native: map[string]string{key: value}})
		b.wantCode("Update of option "+key, err, cloud.Unsupported)
	}
}
