package cloudtest

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// fixedAsTold: what does not change any more is told and refused, and the rest
// changes, as soon as it is held, once it has begun and once it is free again.
func fixedAsTold(b *bench) {
	r := b.held("fixed")
	b.fixedAsTold(r)
	for _, at := range []func(cloud.Reservation) time.Time{
		func(r cloud.Reservation) time.Time { return r.StartsAt },
		func(r cloud.Reservation) time.Time { return r.CommittedUntil },
	} {
		wait := at(b.get(r.Ref)).Sub(b.now())
		if wait <= 0 {
			continue
		}
		b.needs(b.Advance != nil, "Advance")
		b.Advance(wait + time.Hour)
		got, err := b.Cloud.Get(b.ctx, r.Ref)
		if cloud.CodeOf(err) == cloud.NotFound {
			return
		}
		if err != nil {
			b.Fatalf("Get(%s): %v", r.Ref.NativeID, err)
		}
		b.fixedAsTold(got)
	}
}

// fixedAsTold demands that a change of each attribute is refused as Conflict, and
// changes nothing, where the reservation says that it is fixed, and is made where it
// does not.
func (b *bench) fixedAsTold(r cloud.Reservation) {
	b.Helper()
	for _, a := range r.Fixed {
		if !b.can.CanChange(a) {
			b.Errorf("%s never changes in place, and is told as fixed by now", a)
		}
	}
	switch {
	case !slices.IsSorted(r.Fixed):
		b.Errorf("fixed are %v, want them sorted", r.Fixed)
	case !r.State.Live() && len(r.Fixed) > 0:
		b.Errorf("%s (%s) is over, and %v fixed", r.State, r.NativeState, r.Fixed)
	}
	if !r.State.Live() || r.Locked {
		return
	}
	// Last the start: the cloud may look at the request anew.
	for _, a := range []cloud.Attribute{cloud.AttrTags, cloud.AttrCount, cloud.AttrStart} {
		if b.can.CanChange(a) {
			b.fixedOrChanged(r, a)
		}
	}
}

// fixedOrChanged holds one attribute to what is told of it.
func (b *bench) fixedOrChanged(r cloud.Reservation, a cloud.Attribute) {
	b.Helper()
	start := r.StartsAt.Add(time.Hour)
	if nearest := b.now().Add(b.can.MinLead + time.Hour); start.Before(nearest) {
		start = nearest
	}
	change := map[cloud.Attribute]cloud.Change{
		cloud.AttrTags:  {SetTags: map[string]string{"team": r.StartsAt.String()}},
		cloud.AttrCount: {Count: ptr(r.Count + 1)},
		cloud.AttrStart: {StartAt: &start},
	}[a]
	before := b.get(r.Ref)
	_, err := b.updater().Update(b.ctx, r.Ref, change)
	if slices.Contains(r.Fixed, a) {
		b.wantCode("Update of "+string(a)+", which is fixed", err, cloud.Conflict)
		b.same("the reservation after a refused update of "+string(a), b.get(r.Ref), before)
	} else if err != nil {
		b.Fatalf("Update of %s, which is not fixed, %s (%s) at %s: %v", a, r.State, r.NativeState, b.now(), err)
	}
}
