package cloudtest

import (
	"maps"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func wishChecks() []check {
	return []check{
		{name: "good", run: func(b *bench) {
			once := b.wish()
			twice, found := b.Cloud.Check(once)
			b.same("problems of a completed wish", found, []cloud.Problem(nil))
			b.same("a completed wish, completed again", twice, once)
			if once.Region == "" {
				b.Errorf("Check leaves the region empty")
			}
		}},
		{name: "untouched", run: untouchedWish},
		{name: "wrong", run: wrongWishes},
		{name: "partial", run: partialWishes},
		{name: "bounded", of: traits{bounded}, run: func(b *bench) {
			s := b.Wishes[b.kind]
			s.EndAt, s.Duration = time.Time{}, 0
			_, found := b.Cloud.Check(s)
			if !names(found, cloud.AttrEnd) && !names(found, cloud.AttrDuration) {
				b.Errorf("Check of a wish without end: %+v does not name it", found)
			}
		}},
	}
}

// untouchedWish: Check is pure, so the caller's maps stay as they are.
func untouchedWish(b *bench) {
	s := b.Wishes[b.kind]
	s.Tags = map[string]string{"team": "ml"}
	s.Native = maps.Clone(s.Native)
	tags, native := maps.Clone(s.Tags), maps.Clone(s.Native)
	b.Cloud.Check(s)
	b.same("tags after Check", s.Tags, tags)
	b.same("native options after Check", s.Native, native)
}

// wrongWishes: what is wrong is named by its attribute.
func wrongWishes(b *bench) {
	at := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	wrong := map[cloud.Attribute]func(*cloud.Spec){
		cloud.AttrKind:  func(s *cloud.Spec) { s.Kind = "no_such_kind" },
		cloud.AttrCount: func(s *cloud.Spec) { s.Count = -1 },
		cloud.AttrMatch: func(s *cloud.Spec) { s.Match = "no_such_criteria" },
		cloud.AttrEnd:   func(s *cloud.Spec) { s.StartAt, s.EndAt = at, at.Add(-time.Hour) },
		cloud.AttrZone:  func(s *cloud.Spec) { s.Zone = "no such zone!" },
	}
	if b.can.CarriesTags() {
		wrong[`tags["gpulock:owner"]`] = func(s *cloud.Spec) { s.Tags = map[string]string{cloud.TagOwner: "x"} }
		wrong[`tags["gpulock:made-up"]`] = func(s *cloud.Spec) { s.Tags = map[string]string{cloud.TagPrefix + "made-up": "x"} }
	}
	if !b.can.CanChange(cloud.AttrShare) {
		wrong[cloud.AttrShare] = func(s *cloud.Spec) { s.ShareWith = []string{"another-account"} }
	}
	for attribute, spoil := range wrong {
		s := b.Wishes[b.kind]
		spoil(&s)
		_, found := b.Cloud.Check(s)
		if !names(found, attribute) {
			b.Errorf("Check of a wish with a wrong %s: %+v does not name it", attribute, found)
		}
	}
}

// names tells whether an attribute has a problem, with a reason.
func names(found []cloud.Problem, attribute cloud.Attribute) bool {
	return slices.ContainsFunc(found, func(p cloud.Problem) bool { return p.Attribute == attribute && p.Detail != "" })
}

// partialWishes: a field that is not given is a problem of its own attribute at
// most, so that a caller who does not know it yet can leave it out. A zone that
// is not given may leave the region open too, and an end and a duration are two
// ways to say one thing.
func partialWishes(b *bench) {
	parts := map[cloud.Attribute]func(*cloud.Spec){
		cloud.AttrInstanceType: func(s *cloud.Spec) { s.InstanceType = "" },
		cloud.AttrCount:        func(s *cloud.Spec) { s.Count = 0 },
		cloud.AttrMatch:        func(s *cloud.Spec) { s.Match = "" },
		cloud.AttrZone:         func(s *cloud.Spec) { s.Zone = "" },
		cloud.AttrStart:        func(s *cloud.Spec) { s.StartAt = time.Time{} },
		cloud.AttrDuration:     func(s *cloud.Spec) { s.Duration = 0 },
		cloud.AttrEnd:          func(s *cloud.Spec) { s.EndAt = time.Time{} },
		cloud.AttrTerm:         func(s *cloud.Spec) { s.Term = nil },
		cloud.AttrRegion:       func(s *cloud.Spec) { s.Region = "" },
	}
	for attribute, leaveOut := range parts {
		s := b.Wishes[b.kind]
		leaveOut(&s)
		_, found := b.Cloud.Check(s)
		for _, p := range found {
			if p.Attribute != attribute && !standsFor(p.Attribute, attribute) {
				b.Errorf("Check of a wish without %s complains of %s: %s", attribute, p.Attribute, p.Detail)
			}
		}
	}
}

// standsFor tells whether what is missing can be seen in another attribute.
func standsFor(seen, missing cloud.Attribute) bool {
	return slices.Contains([][2]cloud.Attribute{
		{cloud.AttrRegion, cloud.AttrZone}, {cloud.AttrEnd, cloud.AttrDuration}, {cloud.AttrDuration, cloud.AttrEnd},
	}, [2]cloud.Attribute{seen, missing})
}
