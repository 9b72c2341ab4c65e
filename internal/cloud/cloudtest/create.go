package cloudtest

import (
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func createChecks() []check {
	return []check{
		{name: "as-wished", run: createdAsWished},
		{name: "marked", run: func(b *bench) {
			r := b.create("marked")
			b.same("mark in the answer of Create", r.Mark, b.mark("marked"))
			b.same("mark in Get", b.get(r.Ref).Mark, b.mark("marked"))
			b.same("id found by the mark", b.exactlyOne("marked").Ref, r.Ref)
		}},
		{name: "not-claimed", run: func(b *bench) {
			req := b.request("claimed", b.wish())
			req.Mark.Claim = "c0ffee"
			r, err := b.try(req)
			if err != nil {
				b.Fatalf("Create: %v", err)
			}
			if got := b.get(r.Ref).Mark.Claim; got != "" {
				b.Errorf("Create wrote the claim %q: a second try could not have the same inputs", got)
			}
		}},
		{name: "with-lock", run: func(b *bench) {
			req := b.request("locked", b.wish())
			req.Mark.Lock = "train"
			r, err := b.try(req)
			if err != nil {
				b.Fatalf("Create: %v", err)
			}
			b.same("mark with a lock", b.get(r.Ref).Mark, req.Mark)
		}},
		{name: "bounded", of: traits{bounded}, run: func(b *bench) {
			r := b.held("bounded")
			if want := endOf(b.wish()); r.EndsAt.IsZero() || !want.IsZero() && !r.EndsAt.Equal(want) {
				b.Errorf("ends at %s, wished was %s", r.EndsAt, want)
			}
		}},
		{name: "two-names", run: func(b *bench) {
			one, two := b.create("one"), b.create("two")
			if one.Ref == two.Ref {
				b.Errorf("two names gave one reservation, %s", one.Ref.NativeID)
			}
		}},
	}
}

// createdAsWished: the object is what was asked for, in a live state.
func createdAsWished(b *bench) {
	s := b.wish()
	r := b.create("wished")
	if r.Ref.NativeID == "" || r.CreatedAt.IsZero() || r.NativeState == "" {
		b.Errorf("the answer lacks id, creation time or native state: %+v", r)
	}
	if r.State != cloud.Pending && r.State != cloud.Held {
		b.Errorf("state is %s (%s)", r.State, r.NativeState)
	}
	got := cloud.Spec{
		Kind: r.Kind, Account: r.Ref.Account, Region: r.Region, Zone: r.Zone,
		InstanceType: r.InstanceType, Count: r.Count, Match: r.Match,
	}
	want := cloud.Spec{
		Kind: b.root(), Account: s.Account, Region: s.Region, Zone: s.Zone,
		InstanceType: s.InstanceType, Count: s.Count, Match: s.Match,
	}
	if want.Zone == "" && b.can.ByOffer {
		want.Zone = got.Zone // the offer decided
	}
	b.same("what was made", got, want)
	b.same("tags of a wish without tags", r.Tags, map[string]string{})
	for key, value := range s.Native {
		if r.Native[key] != value {
			b.Errorf("native option %s is %q, want %q", key, r.Native[key], value)
		}
	}
}
