package cloudtest

import (
	"strconv"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// lockedAsTold: what refuses every change says so and nothing else does, as soon
// as it changes at all, once it is bound, once it has begun and once it is over.
func lockedAsTold(b *bench) {
	r := b.amendable("locked")
	b.lockedAsTold(r, 2)
	for i, at := range []time.Time{r.FreeUntil, r.StartsAt, r.EndsAt} {
		wait := at.Sub(b.now())
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
		b.lockedAsTold(got, 3+i)
	}
}

// lockedAsTold demands that a change is refused as Conflict where the reservation
// says that it is locked, and made where it does not. Each n is another change.
func (b *bench) lockedAsTold(r cloud.Reservation, n int) {
	b.Helper()
	if !r.State.Live() {
		if r.Locked {
			b.Errorf("%s (%s) is over, and locked", r.State, r.NativeState)
		}
		return
	}
	change := cloud.Change{Count: &n}
	if b.can.CarriesTags() {
		change = cloud.Change{SetTags: map[string]string{"team": strconv.Itoa(n)}}
	}
	changed, err := b.updater().Update(b.ctx, r.Ref, change)
	if r.Locked {
		b.wantCode("Update of what is locked", err, cloud.Conflict)
		changed = b.get(r.Ref)
	} else if err != nil {
		b.Fatalf("Update of what is not locked, %s (%s) at %s: %v", r.State, r.NativeState, b.now(), err)
	}
	if changed.Locked != r.Locked && changed.State == r.State {
		b.Errorf("locked is %t, and %t after Update", r.Locked, changed.Locked)
	}
}
