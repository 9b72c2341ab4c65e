package capacity_test

import (
	"context"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/capacity"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// update demands an update without an error.
func (w *world) update(h capacity.Holder, wish capacity.Wish) capacity.Result {
	w.Helper()
	result, err := w.process().Update(w.Context(), h, wish, map[string]string{"team": "ml"})
	if err != nil {
		w.Fatalf("Update: %v", err)
	}
	return result
}

// TestC15_inPlace: what the cloud can change is one write.
func TestC15_inPlace(t *testing.T) {
	t.Parallel()
	end := start.Add(time.Hour)
	tests := map[string]struct {
		edit func(*capacity.Wish)
		ok   func(cloud.Reservation) bool
	}{
		"count":       {count(4), func(r cloud.Reservation) bool { return r.Count == 4 }},
		"match":       {func(w *capacity.Wish) { w.Spec.Match = cloud.Open }, func(r cloud.Reservation) bool { return r.Match == cloud.Open }},
		"end":         {func(w *capacity.Wish) { w.Spec.EndAt = end }, func(r cloud.Reservation) bool { return r.EndsAt.Equal(end) }},
		"length":      {lasting(time.Hour), func(r cloud.Reservation) bool { return r.EndsAt.Equal(end) }},
		"tag":         {func(w *capacity.Wish) { w.Spec.Tags = map[string]string{"team": "x"} }, func(r cloud.Reservation) bool { return r.Tags["team"] == "x" }},
		"tag removed": {func(w *capacity.Wish) { w.Spec.Tags = nil }, func(r cloud.Reservation) bool { return len(r.Tags) == 0 }},
		"name":        {func(w *capacity.Wish) { w.Mark.Name = "b" }, func(r cloud.Reservation) bool { return r.Mark.Name == "b" && r.Mark.Claim == "claim-1" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			writes := w.calls("Update")
			result := w.update(h, w.wish("a", test.edit))
			want(t, "writes", w.calls("Update")-writes, 1)
			want(t, "status", result.Status, capacity.Held)
			if r := w.all()[0]; !test.ok(r) || r.Ref != h.Ref {
				t.Errorf("not changed: %+v", r)
			}
			// Again, nothing differs, and nothing is written.
			w.update(holder(result), w.wish("a", test.edit))
			want(t, "writes of the second update", w.calls("Update")-writes, 1)
			want(t, "creates", w.calls("Create"), 1)
		})
	}
}

// TestC08a_oneSecondLater: the same instant in another offset is no change; one
// second more is one write.
func TestC08a_oneSecondLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	end := start.Add(time.Hour)
	ends := func(at time.Time) func(*capacity.Wish) { return func(w *capacity.Wish) { w.Spec.EndAt = at } }
	h := holder(w.create(w.wish("a", ends(end))))
	writes := w.calls("Update")
	w.update(h, w.wish("a", ends(end.In(time.FixedZone("", 2*60*60)))))
	want(t, "writes", w.calls("Update")-writes, 0)
	w.update(h, w.wish("a", ends(end.Add(time.Second))))
	want(t, "writes", w.calls("Update")-writes, 1)
	want(t, "end", w.one("a").EndsAt, end.Add(time.Second))
	w.update(h, w.wish("a"))
	want(t, "end removed", w.one("a").EndsAt.IsZero(), true)
}

func TestC15_notInPlace(t *testing.T) {
	t.Parallel()
	tests := map[cloud.Attribute]func(*capacity.Wish){
		cloud.AttrZone:         func(w *capacity.Wish) { w.Spec.Zone = "mem-east-1b" },
		cloud.AttrInstanceType: func(w *capacity.Wish) { w.Spec.InstanceType = "p1.half" },
		"mem.tenancy":          func(w *capacity.Wish) { w.Spec.Native = map[string]string{"tenancy": "dedicated"} },
	}
	for attribute, edit := range tests {
		t.Run(string(attribute), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			writes := w.calls("Update")
			_, err := w.process().Update(t.Context(), h, w.wish("a", edit), nil)
			want(t, "attribute", failure(t, err, "in place", h.Ref.NativeID, "Nothing was changed").Attribute, attribute)
			want(t, "writes", w.calls("Update")-writes, 0)
			w.one("a")
		})
	}
}

// TestC07_growWithoutLettingGo: a refused growth leaves the holding as it was
// and says what was asked; a later one succeeds; nothing is ever released.
func TestC07_growWithoutLettingGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{Capacity: map[mem.Place]int{{Zone: zone, InstanceType: whole}: 10}})
	h := holder(w.create(w.wish("a", count(10))))
	grown := w.wish("a", count(12), func(w *capacity.Wish) { w.Spec.Tags = map[string]string{"team": "new"} })
	_, err := w.process().Update(t.Context(), h, grown, map[string]string{"team": "ml"})
	f := failure(t, err, h.Ref.NativeID, "OutOfCapacity", "still holds 10", "Asked for were 12", zone)
	want(t, "attribute", f.Attribute, cloud.AttrCount)
	r := w.one("a")
	want(t, "count", r.Count, 10)
	want(t, "tag", r.Tags["team"], "ml")
	w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 2)
	w.update(h, grown)
	want(t, "count", w.one("a").Count, 12)

	w.mem.SetUsers(h.Ref.NativeID, "i-1", "i-2", "i-3", "i-4", "i-5", "i-6", "i-7", "i-8")
	writes := w.calls("Update")
	_, err = w.process().Update(t.Context(), h, w.wish("a", count(6)), nil)
	want(t, "attribute", failure(t, err, "8 of 12", "i-8", "Nothing was changed").Attribute, cloud.AttrCount)
	want(t, "writes", w.calls("Update")-writes, 0)
	want(t, "count", w.one("a").Count, 12)
	// Allowed, it is the cloud that decides.
	_, err = w.process().Update(t.Context(), h, w.wish("a", count(6), func(w *capacity.Wish) { w.ReleaseInUse = true }), nil)
	failure(t, err, "InUse", "still holds 12")
	want(t, "releases", w.calls("Release"), 0)
}

func TestUpdateWaitsForCapacity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 0)
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(2), waits(time.Minute, time.Hour)), nil)
	failure(t, err, "13 times", "to 2031-03-01T00:01:00Z")
	want(t, "took", w.jump.Now().Sub(start), time.Minute)
	want(t, "WARN lines", w.log.count("level=WARN"), 13)
	w.jump.OnJump(func(time.Time) { w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 5) })
	result, err := w.process().Update(t.Context(), h, w.wish("a", count(2), waits(time.Minute, time.Hour)), nil)
	want(t, "error", err, nil)
	want(t, "attempts", len(result.Attempts), 1)
	want(t, "count", w.one("a").Count, 2)
}

// TestUpdateLostAnswer: a change whose answer was lost is looked at.
func TestUpdateLostAnswer(t *testing.T) {
	t.Parallel()
	edits := map[string]func(*capacity.Wish){
		"count": count(3),
		"match": func(w *capacity.Wish) { w.Spec.Match = cloud.Open },
		"end":   func(w *capacity.Wish) { w.Spec.EndAt = start.Add(time.Hour) },
		"tags":  func(w *capacity.Wish) { w.Spec.Tags = map[string]string{"team": "x"} },
		"gone":  func(w *capacity.Wish) { w.Spec.Tags = nil },
		"name":  func(w *capacity.Wish) { w.Mark.Name = "b" },
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			w.fail("Update", lost("Update"), nil)
			_, err := w.process().Update(t.Context(), h, w.wish("a", edit), map[string]string{"team": "ml"})
			failure(t, err, h.Ref.NativeID, "may have been done", "plan again")
			w.fail("Update", nil, lost("Update"))
			want(t, "status", w.update(h, w.wish("a", edit)).Status, capacity.Held)
		})
	}
}

// TestRule15_updateInterrupted: canceled at any call and run again, everything
// is as wished, and the object was never let go of.
func TestRule15_updateInterrupted(t *testing.T) {
	t.Parallel()
	for _, imported := range []bool{false, true} {
		for _, when := range []moment{beforeCommit, afterCommit} {
			t.Run(map[bool]string{true: "imported "}[imported]+string(when), func(t *testing.T) {
				t.Parallel()
				everyCall(t, 5, func(k int) bool {
					w := newWorld(t, mem.Options{})
					h := holder(w.create(w.wish("a")))
					if imported {
						h = w.unmarked(h)
					}
					wish := w.wish("b", count(3), func(w *capacity.Wish) { w.Spec.Tags = map[string]string{"team": "x"} })
					result, err := capacity.Result{}, error(nil)
					reached := w.interrupt(k, when, func(ctx context.Context) {
						result, err = w.process().Update(ctx, h, wish, map[string]string{"team": "ml"})
					})
					if err == nil {
						h = holder(result)
					}
					want(t, "finding between", w.read(h).Finding, capacity.Present)
					w.update(h, wish)
					r := w.one("b")
					if r.Count != 3 || r.Tags["team"] != "x" || r.Mark.Claim == "" || r.Ref != h.Ref {
						t.Errorf("call %d: in the end it is %+v", k, r)
					}
					want(t, "releases", w.calls("Release"), 0)
					want(t, "creates", w.calls("Create"), 1)
					return reached
				})
			})
		}
	}
}

// unmarked is the state of an import of an object that nobody marked.
func (w *world) unmarked(h capacity.Holder) capacity.Holder {
	w.Helper()
	for key := range h.Mark.Tags() {
		w.mem.RemoveTag(h.Ref.NativeID, key)
	}
	h.Mark = cloud.Mark{Name: h.Mark.Name, Type: h.Mark.Type}
	return h
}

// TestRule11_updateAfterImport: the first real update writes mark and claim.
func TestRule11_updateAfterImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := w.unmarked(holder(w.create(w.wish("a"))))
	result := w.update(h, w.wish("a"))
	want(t, "mark", w.one("a").Mark, cloud.Mark{Owner: owner, Name: "a", Type: kindOf, Claim: "claim-2"})
	want(t, "claim", result.Mark.Claim, "claim-2")
}

// TestRule11_importedAndRefused: a mark that was written before a later step was
// refused does not fence off the state that does not know it yet.
func TestRule11_importedAndRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := w.unmarked(holder(w.create(w.wish("a"))))
	w.mem.SetCapacity(mem.Place{Zone: zone, InstanceType: whole}, 0)
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(2)), nil)
	failure(t, err, "OutOfCapacity")
	want(t, "finding", w.read(h).Finding, capacity.Present)
	result := w.update(h, w.wish("a"))
	want(t, "claim", w.one("a").Mark.Claim, result.Mark.Claim)
	if _, err := w.process().Delete(t.Context(), holder(result), release()); err != nil {
		t.Fatal(err)
	}
	want(t, "live objects", len(w.live("a")), 0)
}

func TestRule11_updateOfAnothers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetTag(h.Ref.NativeID, cloud.TagClaim, "another")
	writes := w.calls("Update")
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(2)), nil)
	want(t, "attribute", failure(t, err, "taken over", "another", h.Mark.Claim, "Nothing was changed").Attribute, "claim_id")
	want(t, "writes", w.calls("Update")-writes, 0)
}

// TestLockStays: the lock that an object belongs to is not ours to take off, and
// is no difference.
func TestLockStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetTag(h.Ref.NativeID, cloud.TagLock, "train")
	writes := w.calls("Update")
	w.update(h, w.wish("a"))
	want(t, "writes", w.calls("Update")-writes, 0)
	w.update(h, w.wish("b"))
	want(t, "lock", w.one("b").Mark.Lock, "train")
}

// TestRename: a name that another object carries is refused, in the cloud and in
// the same run; where names are native it cannot change at all.
func TestRename(t *testing.T) {
	t.Parallel()
	t.Run("taken", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mem.Options{})
		h, other := holder(w.create(w.wish("a"))), w.create(w.wish("b"))
		_, err := w.process().Update(t.Context(), h, w.wish("b"), nil)
		want(t, "attribute", failure(t, err, "taken", other.Reservation.Ref.NativeID, "Nothing was changed").Attribute, cloud.AttrName)
		w.one("a")
		w.one("b")
		w.mem.SetState(other.Reservation.Ref.NativeID, cloud.Gone)
		w.update(h, w.wish("b"))
		w.one("b")
	})
	t.Run("used in this run", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mem.Options{})
		h, m := holder(w.create(w.wish("a"))), w.process()
		if _, err := m.Create(t.Context(), w.wish("b")); err != nil {
			t.Fatal(err)
		}
		_, err := m.Update(t.Context(), h, w.wish("b"), nil)
		failure(t, err, "Name used twice")
		w.one("a")
	})
	t.Run("cannot be looked up", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mem.Options{})
		h := holder(w.create(w.wish("a")))
		w.refuseAll("List", &cloud.Error{Code: cloud.Throttled, Op: "List", Message: "slow down"})
		_, err := w.process().Update(t.Context(), h, w.wish("b"), nil)
		failure(t, err, "slow down", `"b" is free`)
		w.one("a")
	})
	t.Run("native", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mem.Options{})
		w.cloud = newNamed(w.mem)
		h := holder(w.create(w.wish("a")))
		_, err := w.process().Update(t.Context(), h, w.wish("b"), nil)
		want(t, "attribute", failure(t, err, "in place").Attribute, cloud.AttrName)
		w.update(h, w.wish("a", count(2)))
		want(t, "count", w.one("a").Count, 2)
		want(t, "claim", w.one("a").Mark.Claim, "")
	})
}

// TestUpdateOfWhatEnded: gone, ended or refused is not changed.
func TestUpdateOfWhatEnded(t *testing.T) {
	t.Parallel()
	for text, happen := range map[string]func(*mem.Cloud, string){
		"gone":    (*mem.Cloud).Forget,
		"ENDED":   func(c *mem.Cloud, id string) { c.SetState(id, cloud.Ended) },
		"REFUSED": func(c *mem.Cloud, id string) { c.SetState(id, cloud.Refused) },
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{})
			h := holder(w.create(w.wish("a")))
			happen(w.mem, h.Ref.NativeID)
			_, err := w.process().Update(t.Context(), h, w.wish("a", count(2)), nil)
			failure(t, err, h.Ref.NativeID, text, "Plan again")
		})
	}
}

// TestUpdateEndsWhileWaiting: a refusal is the status, an end is an error.
func TestUpdateEndsWhileWaiting(t *testing.T) {
	t.Parallel()
	for _, state := range []cloud.State{cloud.Refused, cloud.Gone} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mem.Options{Lag: time.Hour})
			h := holder(w.create(w.wish("a", waits(0, time.Minute))))
			w.jump.OnJump(func(time.Time) { w.mem.SetState(h.Ref.NativeID, state) })
			result, err := w.process().Update(t.Context(), h, w.wish("a"), nil)
			if state == cloud.Gone {
				failure(t, err, "ended", "GONE")
				return
			}
			want(t, "error", err, nil)
			want(t, "status", result.Status, capacity.Refused)
		})
	}
}

// TestUpdateInterruptedAfterItsLastCall: what was done is told as done.
func TestUpdateInterruptedAfterItsLastCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	ctx, cancel := context.WithCancel(t.Context())
	w.mem.SetFault(func(call cloud.Call) (before, after error) {
		if call.Method != "Update" {
			return nil, nil
		}
		cancel()
		return nil, context.Canceled
	})
	result, err := w.process().Update(ctx, h, w.wish("a", count(2)), map[string]string{"team": "ml"})
	want(t, "error", err, nil)
	want(t, "count", result.Reservation.Count, 2)
}

func TestUpdateCannotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.refuseAll("Get", &cloud.Error{Code: cloud.Throttled, Op: "Get", Message: "slow down"})
	_, err := w.process().Update(t.Context(), h, w.wish("a"), nil)
	failure(t, err, "slow down", h.Ref.NativeID)
}

// TestUpdateOfAFixedCloud: a cloud that changes nothing says so.
func TestUpdateOfAFixedCloud(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.cloud = basic{w.mem}
	_, err := w.process().Update(t.Context(), h, w.wish("a", count(2)), nil)
	failure(t, err, "changes nothing in place")
	// Users that it does not name are counted.
	w.mem.SetUsers(h.Ref.NativeID, "i-1", "i-2")
	_, err = w.process().Update(t.Context(), h, w.wish("a", count(1), func(w *capacity.Wish) { w.Spec.Count = 1 }), nil)
	want(t, "error without a change", err, nil)
	_, err = w.process().Delete(t.Context(), h, capacity.Release{Timeout: time.Second})
	failure(t, err, "2 instances whose ids the cloud did not tell")
}

// TestRule19_foreignTags: tags that are not ours are neither drift nor removed.
func TestRule19_foreignTags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mem.Options{})
	h := holder(w.create(w.wish("a")))
	w.mem.SetTag(h.Ref.NativeID, "cost-center", "42")
	w.mem.SetTag(h.Ref.NativeID, mem.SystemTagPrefix+"managed", "yes")
	w.update(h, w.wish("a", func(w *capacity.Wish) { w.Spec.Tags = map[string]string{"new": ""} }))
	tags := w.mem.RawTags(h.Ref.NativeID)
	want(t, "foreign tag", tags["cost-center"], "42")
	want(t, "system tag", tags[mem.SystemTagPrefix+"managed"], "yes")
	_, ours := tags["team"]
	want(t, "our old tag is there", ours, false)
	value, ok := tags["new"]
	want(t, "an empty tag is there", ok && value == "", true)
}
