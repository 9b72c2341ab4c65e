package capacity_test

import (
	"context"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// grouped is a world whose reservations are in groups, with the given groups
// "east" in a zone and "anywhere" in its region.
func grouped(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, mem.Options{Grouped: true, Accounts: map[string]string{"research": research, "serving": serving}})
	w.mem.AddGroup(mem.DefaultAccountID, "east", region, zone)
	w.mem.AddGroup(mem.DefaultAccountID, "anywhere", region)
	return w
}

// of names a wish.
func of(name string) func(*capacity.Wish) { return func(wish *capacity.Wish) { wish.Mark.Name = name } }

// inGroup asks for a place in a given group, of a type.
func inGroup(group, instanceType string) func(*capacity.Wish) {
	return func(wish *capacity.Wish) {
		wish.Spec.Native, wish.Spec.InstanceType = map[string]string{mem.InGroup: group}, instanceType
		if group == "anywhere" {
			regional(wish)
		}
	}
}

// regional asks for the whole region.
func regional(wish *capacity.Wish) { wish.Spec.Zone, wish.Spec.Region = "", region }

// TestGroupsAreListedOnce: n reservations in g groups are refreshed with g lists
// and nothing else, whatever their kinds.
func TestGroupsAreListedOnce(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	var holders []capacity.Holder
	for name, edits := range map[string][]func(*capacity.Wish){
		"a": {inGroup("east", whole)}, "b": {inGroup("east", "p1.half")}, "c": {inGroup("east", "g1.small"), later},
		"d": {inGroup("anywhere", whole)}, "e": {inGroup("anywhere", "p1.half")}, "f": {}, "g": {regional},
	} {
		holders = append(holders, holder(w.create(w.wish(name, edits...))))
	}
	lists, gets := w.calls("List"), w.calls("Get")
	m := w.process()
	for _, h := range holders {
		reading, err := m.Read(t.Context(), h)
		want(t, "error", err, nil)
		want(t, "finding of "+h.Mark.Name, reading.Finding, capacity.Present)
		want(t, "id of "+h.Mark.Name, reading.Reservation.Ref, h.Ref)
	}
	want(t, "lists of 7 reservations in 4 groups", w.calls("List")-lists, 4)
	want(t, "gets", w.calls("Get")-gets, 0)
}

// later asks for a start without an end.
func later(wish *capacity.Wish) {
	wish.Spec.Kind, wish.Spec.StartAt = cloud.Scheduled, start.Add(60*day)
}

// TestGroupedAge: a listing that serves a plan may rest on what is as old as it may
// be itself, one that decides on nothing old.
func TestGroupedAge(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	asked := &scopes{Cloud: w.mem}
	w.cloud = asked
	h := holder(w.create(w.wish("a")))
	_, err := w.process().Read(t.Context(), h)
	want(t, "error", err, nil)
	_, err = w.process().List(t.Context(), mem.Name, "", region)
	want(t, "error", err, nil)
	for i, scope := range []cloud.Scope{
		{Group: "a", MaxAge: time.Minute}, {Name: "a", MaxAge: time.Minute}, {Group: "a", MaxAge: time.Minute}, {},
	} {
		want(t, "scope", asked.seen[i], scope)
	}
	want(t, "lists", len(asked.seen), 4)
}

// scopes notes what is listed.
type scopes struct {
	*mem.Cloud
	seen []cloud.Scope
}

func (c *scopes) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	c.seen = append(c.seen, s)
	return c.Cloud.List(ctx, s)
}

// TestGroupedListOfRegion: the data source looks at the whole account.
func TestGroupedListOfRegion(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.create(w.wish("a"))
	w.create(w.wish("b", inGroup("east", whole)))
	w.create(w.wish("c", func(wish *capacity.Wish) { wish.Spec.Zone = "mem-west-1a" }))
	for place, n := range map[string]int{region: 2, "mem-west-1": 1, "": 3} {
		list, err := w.process().List(t.Context(), mem.Name, "", place)
		want(t, "error", err, nil)
		want(t, "listed in "+place, len(list), n)
	}
}

// TestGroupedNames: a name is its owner's once, and its group's once. What another
// owner has of that name elsewhere is not in the way.
func TestGroupedNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		owner string
		edits []func(*capacity.Wish)
		// attribute is what is at fault, adopted that there is one object.
		attribute cloud.Attribute
		adopted   bool
	}{
		"again":                {owner, nil, "", true},
		"in another zone":      {owner, []func(*capacity.Wish){func(wish *capacity.Wish) { wish.Spec.Zone = "mem-east-1b" }}, cloud.AttrZone, false},
		"in no zone":           {owner, []func(*capacity.Wish){regional}, cloud.AttrZone, false},
		"in another region":    {owner, []func(*capacity.Wish){func(wish *capacity.Wish) { wish.Spec.Zone = "mem-west-1a" }}, cloud.AttrRegion, false},
		"of another owner":     {"team/other", nil, "name", false},
		"there, no zone":       {"team/other", []func(*capacity.Wish){regional}, "name", false},
		"in a given group":     {owner, []func(*capacity.Wish){inGroup("east", whole)}, "name", false},
		"another's group":      {"team/other", []func(*capacity.Wish){inGroup("east", whole)}, "", false},
		"under another name":   {owner, []func(*capacity.Wish){of("b")}, "", false},
		"in its given group":   {owner, []func(*capacity.Wish){of("g"), inGroup("anywhere", whole)}, "", true},
		"another type of name": {owner, []func(*capacity.Wish){of("g"), inGroup("anywhere", "p1.half")}, cloud.AttrInstanceType, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			w.create(w.wish("a"))
			w.create(w.wish("g", inGroup("anywhere", whole)))
			wish := w.wish("a", test.edits...)
			wish.Mark.Owner = test.owner
			result, err := w.process().Create(t.Context(), wish)
			made := 3
			if test.attribute != "" {
				want(t, "attribute", failure(t, err, "is taken").Attribute, test.attribute)
				made = 2
			} else {
				want(t, "error", err, nil)
			}
			if test.adopted {
				noticed(t, result.Notices, "adopted")
				made = 2
			}
			want(t, "objects", len(w.all()), made)
		})
	}
}

// TestGroupedDenied: where the account may not be looked through, the group is.
func TestGroupedDenied(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	w.cloud = narrow{w.mem}
	made := w.create(w.wish("a"))
	again, err := w.process().Create(t.Context(), w.wish("a"))
	want(t, "error", err, nil)
	want(t, "id", again.Reservation.Ref, made.Reservation.Ref)
	_, err = w.process().Create(t.Context(), w.wish("a", inGroup("east", whole)))
	want(t, "error", err, nil)
}

// narrow lets nobody look through the account.
type narrow struct{ *mem.Cloud }

func (c narrow) List(ctx context.Context, s cloud.Scope) ([]cloud.Reservation, error) {
	if s.Group == "" {
		return nil, &cloud.Error{Code: cloud.PermissionDenied, Op: "List", Authenticated: true}
	}
	return c.Cloud.List(ctx, s)
}

// TestGroupedZone: that a wish has no zone is a place of its own.
func TestGroupedZone(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	zonal, wide := w.create(w.wish("a")), w.create(w.wish("b", regional))
	want(t, "zone", wide.Reservation.Zone, "")
	w.update(holder(wide), w.wish("b", regional, count(2)))
	_, err := w.process().Update(t.Context(), holder(zonal), w.wish("a", regional), nil)
	want(t, "attribute", failure(t, err, "Cannot change in place", `zone is "mem-east-1a", not ""`).Attribute, cloud.AttrZone)
	_, err = w.process().Update(t.Context(), holder(wide), w.wish("b"), nil)
	want(t, "attribute", failure(t, err, `zone is "", not "mem-east-1a"`).Attribute, cloud.AttrZone)
	_, err = w.process().Update(t.Context(), holder(zonal), w.wish("a", inGroup("east", whole)), nil)
	want(t, "attribute", failure(t, err, "Cannot change in place").Attribute, "mem.group")
}

// TestGroupedMark: an object that was not marked gets the mark, where its own group
// has no other of that mark, and never another name.
func TestGroupedMark(t *testing.T) {
	t.Parallel()
	w := grouped(t)
	made := w.create(w.wish("a"))
	for _, key := range []string{cloud.TagOwner, cloud.TagName, cloud.TagClaim, cloud.TagManagedBy} {
		w.mem.RemoveTag(made.Reservation.Ref.NativeID, key)
	}
	imported := holder(made)
	imported.Mark = cloud.Mark{Name: "a", Type: kindOf}
	lists := w.calls("List")
	result := w.update(imported, w.wish("a", count(2)))
	want(t, "lists", w.calls("List")-lists, 1)
	want(t, "mark", w.one("a").Mark, result.Mark)
	_, err := w.process().Update(t.Context(), holder(result), w.wish("b"), nil)
	want(t, "attribute", failure(t, err, "Cannot change in place").Attribute, cloud.AttrName)
}

// exactly asks for a block with its start and its length.
func exactly(lead, length time.Duration) func(*capacity.Wish) {
	return func(wish *capacity.Wish) {
		wish.Spec.Kind, wish.Spec.StartAt, wish.Spec.Duration = cloud.Block, start.Add(lead), length
	}
}

// TestFixedWindow: what neither begins nor ends at another time in place is no
// other's, however its end is told.
func TestFixedWindow(t *testing.T) {
	t.Parallel()
	end := func(at time.Time) func(*capacity.Wish) {
		return func(wish *capacity.Wish) { wish.Spec.Duration, wish.Spec.EndAt = 0, at }
	}
	tests := map[string]struct {
		edits     []func(*capacity.Wish)
		attribute cloud.Attribute
	}{
		"same length":  {[]func(*capacity.Wish){exactly(20*day, 14*day)}, ""},
		"same end":     {[]func(*capacity.Wish){exactly(20*day, 0), end(start.Add(34 * day))}, ""},
		"other offset": {[]func(*capacity.Wish){exactly(20*day, 0), end(start.Add(34 * day).In(time.FixedZone("", 3600)))}, ""},
		"longer":       {[]func(*capacity.Wish){exactly(20*day, 15*day)}, cloud.AttrEnd},
		"ends earlier": {[]func(*capacity.Wish){exactly(20*day, 0), end(start.Add(33 * day))}, cloud.AttrEnd},
		"later":        {[]func(*capacity.Wish){exactly(21*day, 13*day)}, cloud.AttrStart},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grouped(t)
			h := holder(w.create(w.wish("a", exactly(20*day, 14*day))))
			_, updated := w.process().Update(t.Context(), h, w.wish("a", test.edits...), map[string]string{"team": "ml"})
			_, adopted := w.process().Create(t.Context(), w.wish("a", test.edits...))
			if test.attribute == "" {
				want(t, "error of Update", updated, nil)
				want(t, "error of Create", adopted, nil)
				return
			}
			want(t, "attribute", failure(t, updated, "Cannot change in place").Attribute, test.attribute)
			want(t, "attribute", failure(t, adopted, "Name is taken").Attribute, test.attribute)
		})
	}
}
