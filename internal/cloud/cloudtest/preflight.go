package cloudtest

import (
	"fmt"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func preflightChecks() []check {
	return []check{
		{name: "met", run: func(b *bench) {
			s := b.wish()
			b.unopposed("a wish that can be met", s, "met")
			if all := b.list(); len(all) != 0 {
				b.Errorf("Preflight made %d reservations", len(all))
			}
			if _, err := b.try(b.request("met", s)); err != nil {
				b.Errorf("Create after Preflight: %v", err)
			}
		}},
		{name: "not-in-its-own-way", run: func(b *bench) {
			s := b.wish()
			b.held("own")
			b.unopposed("a wish that is met already", s, "own")
		}},
		{name: "scarce", run: func(b *bench) {
			s := b.wish()
			b.preflighter()
			b.needs(b.SetCapacity != nil, "SetCapacity")
			b.SetCapacity(s, 0)
			b.unopposed("a wish for which there is no room now", s, "scarce")
		}},
		{name: "unmet", once: true, run: func(b *bench) {
			b.preflighter()
			b.needs(len(b.Unmet) > 0, "Unmet")
			for i, u := range b.Unmet {
				b.unmet(u, fmt.Sprintf("unmet-%d", i))
			}
			if all := b.list(); len(all) != 0 {
				b.Errorf("%d reservations were made", len(all))
			}
		}},
		{name: "type-taken", once: true, run: typeTaken},
	}
}

func (b *bench) preflighter() cloud.Preflighter {
	b.Helper()
	return optional[cloud.Preflighter](b, "Preflighter")
}

// unopposed demands that nothing stands in the way of a wish.
func (b *bench) unopposed(what string, s cloud.Spec, name string) {
	b.Helper()
	found, err := b.preflighter().Preflight(b.ctx, s, name)
	if err != nil || len(found) > 0 {
		b.Errorf("Preflight of %s = %v, %v; want none", what, found, err)
	}
}

// unmet demands that the one thing at fault is named, and that a create is refused
// indeed.
func (b *bench) unmet(u Unmet, name string) {
	b.Helper()
	s, found := b.Cloud.Check(u.Wish)
	if len(found) > 0 {
		b.Fatalf("Check finds fault with a wish for Preflight: %v", found)
	}
	found, err := b.preflighter().Preflight(b.ctx, s, name)
	if err != nil || !names(found, u.Attribute) {
		b.Errorf("Preflight(%+v) = %v, %v; want it to name %s", s, found, err, u.Attribute)
	}
	if r, err := b.try(b.request(name, s)); err == nil {
		b.Errorf("Create of what Preflight has to refuse made %s", r.Ref.NativeID)
	}
}

// typeTaken: where a group has one reservation of a type, a second one is refused
// before and at its creation, and the first is not.
func typeTaken(b *bench) {
	b.preflighter()
	b.inOneGroup()
	s, _ := b.Cloud.Check(b.OneGroup[0])
	b.unopposed("a wish that is met in its group", s, "given-a")
	b.unmet(Unmet{cloud.AttrInstanceType, b.OneGroup[0]}, "second")
}
