package cloudtest

import (
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

func groupChecks() []check {
	return []check{
		{name: "pure", run: func(b *bench) {
			g, s := b.grouper(), b.wish()
			name := g.Group(s, "pure")
			b.same("group of a wish, asked twice", g.Group(s, "pure"), name)
			if name == "" {
				b.Errorf("the group of a wish is the whole account")
			}
			b.same("group of what the wish made", g.GroupOf(b.create("pure").Ref), name)
		}},
		{name: "listed", run: groupListed},
		{name: "not-there", run: func(b *bench) {
			group := b.grouper().Group(b.wish(), "nobody")
			if all := b.listGroup(group, 0); len(all) != 0 {
				b.Errorf("%d reservations are listed in a group that is not there", len(all))
			}
		}},
		{name: "fresh", run: func(b *bench) {
			g := b.grouper()
			group := g.Group(b.wish(), "fresh")
			b.listGroup(group, time.Hour)
			r := b.held("fresh")
			if !slices.ContainsFunc(b.listGroup(group, 0), isAt(r.Ref)) {
				b.Errorf("%s is not in a list of now", r.Ref.NativeID)
			}
		}},
		{name: "given", once: true, run: groupGiven},
		{name: "given-stays", once: true, run: groupStays},
	}
}

// grouper is a cloud that lists by group; another one is not checked.
func (b *bench) grouper() cloud.Grouper {
	b.Helper()
	if b.Cloud.Capabilities().ListedBy != cloud.ByGroup {
		b.Skipf("not applicable: the cloud does not list by group")
	}
	g, ok := cloud.As[cloud.Grouper](b.Cloud)
	if !ok {
		b.Fatalf("the cloud lists by group, but is no Grouper")
	}
	return g
}

// listGroup is what a group has, by a list that may be so old.
func (b *bench) listGroup(group string, maxAge time.Duration) []cloud.Reservation {
	b.Helper()
	scope := b.scope()
	scope.Group, scope.MaxAge = group, maxAge
	all, err := b.Cloud.List(b.ctx, scope)
	if err != nil {
		b.Fatalf("List of group %s: %v", group, err)
	}
	return all
}

func isAt(ref cloud.Ref) func(cloud.Reservation) bool {
	return func(r cloud.Reservation) bool { return r.Ref == ref }
}

// groupListed: a group has what its wish made, as Get shows it, and no other's.
func groupListed(b *bench) {
	g := b.grouper()
	one, two := b.held("one"), b.held("two")
	for name, r := range map[string]cloud.Reservation{"one": one, "two": two} {
		b.same("what is listed of group "+name, b.listGroup(g.Group(b.wish(), name), 0), []cloud.Reservation{b.get(r.Ref)})
	}
	whole := b.listGroup("", 0)
	for _, r := range []cloud.Reservation{one, two} {
		if i := slices.IndexFunc(whole, isAt(r.Ref)); i < 0 {
			b.Errorf("%s is not in the list of the account", r.Ref.NativeID)
		} else {
			b.same("what is listed of the account", whole[i], b.get(r.Ref))
		}
	}
	b.same("how many are listed of the account", len(whole), 2)
	scope := b.scope()
	scope.Name = "two"
	named, err := b.Cloud.List(b.ctx, scope)
	if err != nil {
		b.Fatalf("List by name: %v", err)
	}
	if i := slices.IndexFunc(named, isAt(two.Ref)); i < 0 {
		b.Errorf("%s is not in the list of its name", two.Ref.NativeID)
	} else {
		b.same("what is listed of a name", named[i], b.get(two.Ref))
	}
}

// inOneGroup makes the harness's wishes of one group.
func (b *bench) inOneGroup() (group string, made []cloud.Reservation) {
	b.Helper()
	g := b.grouper()
	b.needs(len(b.OneGroup) >= 2, "two wishes of OneGroup")
	for i, s := range b.OneGroup {
		s, found := b.Cloud.Check(s)
		if len(found) > 0 {
			b.Fatalf("Check finds fault with the harness's wish in a group: %v", found)
		}
		name := "given-" + string(rune('a'+i))
		r, err := b.try(b.request(name, s))
		if err != nil {
			b.Fatalf("Create in a given group: %v", err)
		}
		if group = g.Group(s, name); g.GroupOf(r.Ref) != group {
			b.Errorf("%s is of group %q, wished for in %q", r.Ref.NativeID, g.GroupOf(r.Ref), group)
		}
		made = append(made, b.decided(r))
	}
	return group, made
}

// groupGiven: the reservations of one group are listed together, without those of
// others.
func groupGiven(b *bench) {
	group, made := b.inOneGroup()
	b.create("other")
	want := make([]cloud.Reservation, len(made))
	for i, r := range made {
		want[i] = b.get(r.Ref)
	}
	got := b.listGroup(group, 0)
	slices.SortFunc(got, byID)
	slices.SortFunc(want, byID)
	b.same("what is listed of the group", got, want)
}

func byID(a, z cloud.Reservation) int {
	if a.Ref.NativeID < z.Ref.NativeID {
		return -1
	}
	return 1
}

// groupStays: a release takes only its own reservation out of a given group, and
// never the group.
func groupStays(b *bench) {
	group, made := b.inOneGroup()
	for i, r := range made {
		b.release(r.Ref)
		b.notHeld(r.Ref)
		left := slices.DeleteFunc(b.listGroup(group, 0), func(r cloud.Reservation) bool { return !r.State.Live() })
		b.same("how many are left in the group", len(left), len(made)-1-i)
	}
	b.inOneGroup()
}

func regionalChecks() []check {
	return []check{
		{name: "made", run: func(b *bench) {
			s := b.regional()
			r, err := b.try(b.request("regional", s))
			if err != nil {
				b.Fatalf("Create without a zone: %v", err)
			}
			b.same("region and zone", []string{r.Region, r.Zone}, []string{s.Region, ""})
			b.same("zone in Get", b.get(r.Ref).Zone, "")
			b.same("listed zone", b.exactlyOne("regional").Zone, "")
		}},
		{name: "another-place", run: func(b *bench) {
			s := b.regional()
			b.needs(b.Wishes[b.kind].Zone != "", "wish in a zone")
			r := b.create("placed")
			if _, err := b.try(b.request("placed", s)); err == nil {
				b.Errorf("a wish without a zone gave %s in zone %s", r.Ref.NativeID, r.Zone)
			} else {
				b.wantCode("Create without a zone of what is in one", err, cloud.Conflict)
			}
			b.same("zone", b.exactlyOne("placed").Zone, r.Zone)
		}},
	}
}

// regional is the world's wish for the whole region.
func (b *bench) regional() cloud.Spec {
	b.Helper()
	if !b.Cloud.Capabilities().Regional {
		b.Skipf("not applicable: no reservation is of a whole region")
	}
	s, _ := b.Cloud.Check(b.Wishes[b.kind])
	s.Zone = ""
	s, found := b.Cloud.Check(s)
	if len(found) > 0 {
		b.Fatalf("Check of a wish without a zone: %v", found)
	}
	b.same("zone of a completed wish without one", s.Zone, "")
	return s
}
