package cloudtest

import (
	"cmp"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func tagChecks() []check {
	return []check{
		{name: "users-own", of: traits{changes(cloud.AttrTags)}, run: func(b *bench) {
			tags := map[string]string{"team": "ml", "empty": "", cmp.Or(b.TagKey, "path/with:marks"): "a b=c"}
			r := b.create("tagged", func(s *cloud.Spec) { s.Tags = tags })
			b.same("tags in the answer of Create", r.Tags, tags)
			b.same("tags", b.get(r.Ref).Tags, tags)
			b.same("listed tags", b.exactlyOne("tagged").Tags, tags)
		}},
		{name: "changed", of: traits{changes(cloud.AttrTags)}, run: func(b *bench) {
			tags := map[string]string{"team": "ml", "stage": "test", "kept": "yes"}
			r := b.held("tagged", func(s *cloud.Spec) { s.Tags = tags })
			change := cloud.Change{SetTags: map[string]string{"team": "sre", "new": "1"}, RemoveTags: []string{"stage", "never-there"}}
			want := map[string]string{"team": "sre", "new": "1", "kept": "yes"}
			b.changes(r, change, func(r *cloud.Reservation) { r.Tags = want })
		}},
		{name: "mark-is-no-tag", of: traits{changes(cloud.AttrTags)}, run: func(b *bench) {
			r := b.held("marked")
			b.same("tags of a reservation without any", b.get(r.Ref).Tags, map[string]string{})
			b.update(r.Ref, cloud.Change{SetTags: map[string]string{"team": "ml"}})
			got := b.get(r.Ref)
			b.same("mark after an update of tags", got.Mark, b.mark("marked"))
			b.same("tags after an update of tags", got.Tags, map[string]string{"team": "ml"})
		}},
		{name: "foreign-untouched", of: traits{changes(cloud.AttrTags)}, run: func(b *bench) {
			b.needs(b.SetTag != nil, "SetTag")
			r := b.held("foreign", func(s *cloud.Spec) { s.Tags = map[string]string{"team": "ml"} })
			b.SetTag(r.Ref, "other-tool", "its own")
			want := map[string]string{"team": "sre", "other-tool": "its own"}
			b.update(r.Ref, cloud.Change{SetTags: map[string]string{"team": "sre"}})
			b.same("tags after an update", b.get(r.Ref).Tags, want)
			b.update(r.Ref, cloud.Change{RemoveTags: []string{"team"}})
			b.same("tags after a removal", b.get(r.Ref).Tags, map[string]string{"other-tool": "its own"})
		}},
		{name: "not-carried", of: traits{untagged}, run: func(b *bench) {
			s := b.Wishes[b.kind]
			s.Tags = map[string]string{"team": "ml"}
			if _, found := b.Cloud.Check(s); !names(found, cloud.AttrTags) {
				b.Errorf("Check of a wish with tags that cannot be carried: %+v does not name them", found)
			}
		}},
		{name: "system-untouched", of: traits{changes(cloud.AttrTags)}, run: systemTags},
	}
}

// systemTags: the cloud's own tags are neither shown nor removed.
func systemTags(b *bench) {
	b.needs(b.SetTag != nil && b.SystemTag != "", "SetTag or SystemTag")
	r := b.held("system")
	b.SetTag(r.Ref, b.SystemTag, "the cloud's")
	b.same("tags with a system tag", b.get(r.Ref).Tags, map[string]string{})
	b.update(r.Ref, cloud.Change{SetTags: map[string]string{"team": "ml"}, Mark: ptr(b.mark("system"))})
	b.same("tags with a system tag after an update", b.get(r.Ref).Tags, map[string]string{"team": "ml"})
	b.needs(b.RawTags != nil, "RawTags")
	if got := b.RawTags(r.Ref)[b.SystemTag]; got != "the cloud's" {
		b.Errorf("system tag %s is %q after an update", b.SystemTag, got)
	}
}

func claimChecks() []check {
	return []check{
		{name: "written", run: func(b *bench) {
			b.claims()
			var tags map[string]string
			if b.can.CarriesTags() {
				tags = map[string]string{"team": "ml"}
			}
			r := b.held("claimed", func(s *cloud.Spec) { s.Tags = tags })
			for _, claim := range []string{"one", "two"} {
				want := b.mark("claimed")
				want.Claim = claim
				b.same("mark in the answer of Update", b.update(r.Ref, cloud.Change{Mark: &want}).Mark, want)
				got := b.get(r.Ref)
				b.same("mark after Update", got.Mark, want)
				b.same("tags after a claim", got.Tags, tags)
				b.same("listed mark", b.exactlyOne("claimed").Mark, want)
			}
		}},
		{name: "foreign", run: func(b *bench) {
			b.claims()
			b.needs(b.SetTag != nil, "SetTag")
			r := b.held("claimed")
			b.SetTag(r.Ref, cloud.TagClaim, "another's")
			want := b.mark("claimed")
			want.Claim = "another's"
			b.same("mark with another's claim", b.get(r.Ref).Mark, want)
		}},
		{name: "kept", of: traits{changes(cloud.AttrTags)}, run: func(b *bench) {
			b.claims()
			mark := b.mark("claimed")
			mark.Claim = "ours"
			r := b.held("claimed")
			b.update(r.Ref, cloud.Change{Mark: &mark})
			b.update(r.Ref, cloud.Change{SetTags: map[string]string{"team": "ml"}})
			b.same("mark after an update of tags", b.get(r.Ref).Mark, mark)
		}},
	}
}

func (b *bench) claims() {
	b.Helper()
	if !b.Cloud.Capabilities().Claims {
		b.Skipf("not applicable: the cloud writes no claims")
	}
}
