package capacity_test

import (
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// TestRule10_foundWithEqualSpec: it is adopted with a new claim, brought to the
// wish in the same create, and told.
func TestRule10_foundWithEqualSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	first := w.create(w.wish("a"))
	second := w.create(w.wish("a", func(wish *capacity.Wish) {
		wish.Spec.Count, wish.Spec.Match = 3, cloud.Open
		wish.Spec.EndAt = start.Add(time.Hour)
		wish.Spec.Tags = map[string]string{"team": "other"}
	}))
	r := w.one("a")
	want(t, "object", second.Reservation.Ref, first.Reservation.Ref)
	want(t, "status", second.Status, capacity.Held)
	want(t, "count", r.Count, 3)
	want(t, "match", r.Match, cloud.Open)
	want(t, "end", r.EndsAt, start.Add(time.Hour))
	want(t, "tag", r.Tags["team"], "other")
	want(t, "claim", r.Mark.Claim, second.Mark.Claim)
	if second.Mark.Claim == first.Mark.Claim {
		t.Error("the claim was not renewed")
	}
	noticed(t, second.Notices, "adopted", r.Ref.NativeID, "2031-03-01T00:00:00Z")
	want(t, "creates", w.calls("Create"), 1)
}

// TestRule10_foundWithAnotherSpec: the error names both and nothing is touched.
func TestRule10_foundWithAnotherSpec(t *testing.T) {
	t.Parallel()
	tests := map[cloud.Attribute]struct {
		edit     func(*capacity.Wish)
		is, want string
	}{
		cloud.AttrZone:         {func(w *capacity.Wish) { w.Spec.Zone = "mem-east-1b" }, `"mem-east-1a"`, `"mem-east-1b"`},
		cloud.AttrInstanceType: {func(w *capacity.Wish) { w.Spec.InstanceType = "p1.half" }, `"p1.whole"`, `"p1.half"`},
		"mem.tenancy": {
			func(w *capacity.Wish) { w.Spec.Native = map[string]string{"tenancy": "dedicated"} }, `"shared"`, `"dedicated"`,
		},
	}
	for attribute, test := range tests {
		t.Run(string(attribute), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			first := w.create(w.wish("a"))
			_, err := w.process().Create(t.Context(), w.wish("a", test.edit))
			f := failure(t, err, first.Reservation.Ref.NativeID, owner, test.is, test.want, "Nothing was created")
			want(t, "attribute", f.Attribute, attribute)
			want(t, "claim", w.one("a").Mark.Claim, first.Mark.Claim)
			want(t, "creates", w.calls("Create"), 1)
		})
	}
}

// TestRule10_otherMarksAreNotOurs: owner, name and type all count.
func TestRule10_otherMarksAreNotOurs(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*capacity.Wish){
		"owner": func(w *capacity.Wish) { w.Mark.Owner = "someone/else" },
		"type":  func(w *capacity.Wish) { w.Mark.Type = "gpu_lock" },
		"name":  func(w *capacity.Wish) { w.Mark.Name = "b" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			theirs := w.create(w.wish("a", edit))
			ours := w.create(w.wish("a"))
			if ours.Reservation.Ref == theirs.Reservation.Ref {
				t.Error("another's object was adopted")
			}
			want(t, "notices", len(ours.Notices), 0)
		})
	}
}

func TestRule10_severalFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	a, b := w.create(w.wish("a")), w.create(w.wish("b"))
	w.mem.SetTag(b.Reservation.Ref.NativeID, cloud.TagName, "a")
	_, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "Several", a.Reservation.Ref.NativeID, b.Reservation.Ref.NativeID, "Nothing was created")
	want(t, "creates", w.calls("Create"), 2)
	// One of them ended since: the listing alone does not decide.
	w.mem.SetState(b.Reservation.Ref.NativeID, cloud.Gone)
	want(t, "adopted", w.create(w.wish("a")).Reservation.Ref, a.Reservation.Ref)
}

// TestRule10_listingIsALittleOld: what a shared listing still shows is read
// again, so that a replacement in one run finds its predecessor gone.
func TestRule10_listingIsALittleOld(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	m := w.process()
	if _, err := m.Read(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Delete(t.Context(), h, release()); err != nil {
		t.Fatal(err)
	}
	result, err := m.Create(t.Context(), w.wish("a"))
	want(t, "error", err, nil)
	want(t, "notices", len(result.Notices), 0)
	w.one("a")
}

func TestRule10_foundAndUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.create(w.wish("a"))
	w.refuseAll("Get", &cloud.Error{Code: cloud.Throttled, Op: "Get", Message: "slow down"})
	_, err := w.process().Create(t.Context(), w.wish("a"))
	failure(t, err, "could not be read", "nothing was created", "slow down")
	want(t, "creates", w.calls("Create"), 1)
}

// TestRule10_nativeNames: an object that has the name and another owner's mark,
// or none, is named with both owners.
func TestRule10_nativeNames(t *testing.T) {
	t.Parallel()
	for text, edit := range map[string]func(*mem.Cloud, string){
		`belongs to owner "someone"`: func(c *mem.Cloud, id string) { c.SetTag(id, cloud.TagOwner, "someone") },
		"carries no mark": func(c *mem.Cloud, id string) {
			for _, tag := range []string{cloud.TagOwner, cloud.TagName, cloud.TagManagedBy} {
				c.RemoveTag(id, tag)
			}
		},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			c := newNamed(w.mem)
			w.cloud = c
			id := w.create(w.wish("a")).Reservation.Ref.NativeID
			c.names[id] = "a"
			edit(w.mem, id)
			_, err := w.process().Create(t.Context(), w.wish("a"))
			failure(t, err, "Name is taken", id, text, owner)
			want(t, "creates", w.calls("Create"), 1)
		})
	}
}

// TestReplayOfALiveObject: a token's answer that carries a claim is not new; it
// is adopted, which fences its holder off.
func TestReplayOfALiveObject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	first := w.create(w.wish("a"))
	w.mem.SetCount(first.Reservation.Ref.NativeID, 5)
	w.jump.Advance(time.Hour)
	hidden := &blind{Cloud: w.mem}
	hidden.looks.Store(1)
	w.cloud = hidden
	second := w.create(w.wish("a"))
	noticed(t, second.Notices, "adopted")
	want(t, "count", w.one("a").Count, 1)
	want(t, "claim", w.one("a").Mark.Claim, second.Mark.Claim)
	_, err := w.process().Update(t.Context(), holder(first), w.wish("a"), nil)
	failure(t, err, "taken over", first.Mark.Claim, second.Mark.Claim)
}

// TestAdoptionNeedsItsClaim: an object with another claim is ours only once ours
// is written; until then nothing is returned that a delete could release.
func TestAdoptionNeedsItsClaim(t *testing.T) {
	t.Parallel()
	denied := &cloud.Error{Code: cloud.PermissionDenied, Op: "Update", Message: "no"}
	tests := map[string]struct {
		before, after error
		adopted       bool
	}{
		"refused":              {before: denied},
		"lost, not written":    {before: lost("Update")},
		"lost, but it is ours": {after: lost("Update"), adopted: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			first := w.create(w.wish("a"))
			w.fail("Update", test.before, test.after)
			result, err := w.process().Create(t.Context(), w.wish("a"))
			if test.adopted {
				want(t, "error", err, nil)
				want(t, "claim", w.one("a").Mark.Claim, result.Mark.Claim)
				want(t, "status", result.Status, capacity.Held)
				return
			}
			failure(t, err, first.Reservation.Ref.NativeID, "not taken over", "Apply again")
			want(t, "id", result.Reservation.Ref.NativeID, "")
			want(t, "claim", w.one("a").Mark.Claim, first.Mark.Claim)
			w.mem.SetFault(nil)
			again := w.create(w.wish("a"))
			want(t, "claim in the end", w.one("a").Mark.Claim, again.Mark.Claim)
		})
	}
}

// TestAdoptionDegraded: a later step that fails leaves the adopted object in
// hand, and the next update finishes it.
func TestAdoptionDegraded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		prepare func(*world, string)
		text    string
	}{
		"no room to grow": {func(w *world, _ string) { w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 0) }, "OutOfCapacity"},
		"in use": {func(w *world, id string) {
			w.mem.SetCount(id, 9)
			w.mem.SetUsers(id, "i-1", "i-2", "i-3", "i-4")
		}, "i-4"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			id := w.create(w.wish("a")).Reservation.Ref.NativeID
			test.prepare(w, id)
			wish := w.wish("a", count(3))
			result := w.create(wish)
			want(t, "status", result.Status, capacity.Degraded)
			noticed(t, result.Notices, test.text, "next apply")
			want(t, "claim", w.one("a").Mark.Claim, result.Mark.Claim)
			w.mem.SetUsers(id)
			w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 9)
			done, err := w.process().Update(t.Context(), holder(result), wish, nil)
			want(t, "error", err, nil)
			want(t, "status", done.Status, capacity.Held)
			want(t, "count", w.one("a").Count, 3)
		})
	}
}

// TestAdoptionLasting: a length counts from when the adopted object was made, so
// that adopting it again changes nothing.
func TestAdoptionLasting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	w.create(w.wish("a", lasting(time.Hour)))
	w.jump.Advance(20 * time.Minute)
	want(t, "end", w.create(w.wish("a", lasting(time.Hour))).Reservation.EndsAt, start.Add(time.Hour))
	want(t, "writes", w.calls("Update"), 2) // the two claims
	want(t, "longer end", w.create(w.wish("a", lasting(70*time.Minute))).Reservation.EndsAt, start.Add(70*time.Minute))
}
