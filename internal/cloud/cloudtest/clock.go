package cloudtest

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func clockChecks() []check {
	return []check{
		{name: "told", once: true, run: func(b *bench) {
			optional[cloud.Timekeeper](b, "Timekeeper")
			b.needs(b.Advance != nil, "Advance")
			before := b.now()
			b.Advance(time.Hour)
			// An answer tells the time to the second.
			if passed := b.now().Sub(before); passed < time.Hour-time.Second || passed > time.Hour+5*time.Minute {
				b.Errorf("the cloud's clock moved by %v in an hour", passed)
			}
		}},
		{name: "ends", of: traits{ends}, run: func(b *bench) {
			b.needs(b.Advance != nil, "Advance")
			r := b.ended("ends")
			b.notHeld(r.Ref)
			for _, l := range b.list() {
				if l.Ref == r.Ref && l.State != cloud.Ended {
					b.Errorf("listed as %s (%s) after its end", l.State, l.NativeState)
				}
			}
		}},
		{name: "capacity-returns", of: traits{free, ends}, run: func(b *bench) {
			b.needs(b.Advance != nil && b.SetCapacity != nil, "Advance or SetCapacity")
			s := b.wish()
			b.SetCapacity(s, s.Count)
			b.ended("first")
			if _, err := b.try(b.request("second", s)); err != nil {
				b.Errorf("Create after the first one's end: %v", err)
			}
		}},
	}
}

// ended makes a reservation and moves the clock past its end, with an hour to
// spare: a cloud may take that long to act.
func (b *bench) ended(name string) cloud.Reservation {
	b.Helper()
	r := b.held(name, func(s *cloud.Spec) {
		if b.can.CanChange(cloud.AttrEnd) {
			until(b.later(2 * time.Hour))(s)
		}
	})
	if r.EndsAt.IsZero() {
		b.Fatalf("%s has no end", r.Ref.NativeID)
	}
	b.Advance(r.EndsAt.Sub(b.now()) + time.Hour)
	return r
}
