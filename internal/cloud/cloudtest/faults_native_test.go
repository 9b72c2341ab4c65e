package cloudtest_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// asked changes what Create is asked for.
func asked(change func(*cloud.CreateRequest)) func(*broken) {
	return func(b *broken) {
		b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
			change(&req)
			return b.Cloud.Create(ctx, req)
		}
	}
}

// refused changes how Create refuses.
func refused(change func(*cloud.Error)) func(*broken) {
	return func(b *broken) {
		b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
			r, err := b.Cloud.Create(ctx, req)
			return r, reclass(err, change)
		}
	}
}

// altered changes what Update is asked for.
func altered(change func(b *broken, before cloud.Reservation, c *cloud.Change)) func(*broken) {
	return func(b *broken) {
		b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
			before, err := b.Cloud.Get(ctx, ref)
			if err == nil {
				change(b, before, &c)
			}
			return b.Cloud.Update(ctx, ref, c)
		}
	}
}

// unseen has Check say nothing of an attribute.
func unseen(a cloud.Attribute) func(*broken) {
	return func(b *broken) {
		b.check = func(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
			s, found := b.Cloud.Check(s)
			return s, slices.DeleteFunc(found, func(p cloud.Problem) bool { return p.Attribute == a })
		}
	}
}

// faultyKinds break, of any cloud, what native ones led to.
func faultyKinds() map[string]fault {
	return map[string]fault{
		"next generation is the first": {"token/next-generation", firstGeneration()},
		"start dropped":                {"update/not-in-place", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) { c.StartAt = nil })},
		"share_with dropped":           {"update/not-in-place", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) { c.ShareWith = nil })},
		"share_with taken for granted": {"wish/wrong", unseen(cloud.AttrShare)},
		"missing not told":             {"get/missing", shown(func(r *cloud.Reservation) { r.Missing = 0 })},
		"missing off the count":        {"get/missing", shown(func(r *cloud.Reservation) { r.Count -= r.Missing })},
	}
}

// firstGeneration creates always with the first token of a name.
func firstGeneration() func(*broken) {
	return func(b *broken) {
		tokens := map[string]string{}
		asked(func(req *cloud.CreateRequest) {
			b.mu.Lock()
			defer b.mu.Unlock()
			key := string(req.Spec.Kind) + req.Mark.Name
			if tokens[key] == "" {
				tokens[key] = req.Token
			}
			req.Token = tokens[key]
		})(b)
	}
}

// faultyNames break, of a native cloud, what a name means.
func faultyNames() map[string]fault {
	return map[string]fault{
		"name not shown": {"name/shown", shown(func(r *cloud.Reservation) { r.NativeName = "" })},
		"taken, told as a mismatch": {"name/taken", refused(func(e *cloud.Error) {
			e.TokenMismatch = e.Code == cloud.Conflict
		})},
		"taken, told as accepted":    {"name/taken", refused(func(e *cloud.Error) { e.Accepted = true })},
		"another's given":            {"name/taken", anothersGiven},
		"name never free":            {"name/free-again", keptWhenReleased},
		"another id for a name":      {"name/free-again", numberedIDs},
		"ended one replaced":         {"name/ended", replacing},
		"ended one left":             {"name/ended", leftWhenOver},
		"refused one replaced":       {"name/refused", replacing},
		"refused one left":           {"name/refused", leftWhenOver},
		"other name dropped":         {"name/fixed", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) { c.Mark = nil })},
		"old one for the generation": {"token/next-generation", firstGeneration()},
		"first answer remembered":    {"token/replay-in-present-state", answeredFromMemory},
	}
}

// anothersGiven takes the name for the mark.
func anothersGiven(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if cloud.CodeOf(err) == cloud.Conflict {
			return b.Cloud.Get(ctx, cloud.Ref{NativeID: "000000000001/" + req.Spec.Zone + "/" + req.Mark.Name})
		}
		return r, err
	}
}

func keptWhenReleased(b *broken) {
	b.release = func(ctx context.Context, ref cloud.Ref) error {
		b.SetState(ref.NativeID, cloud.Gone)
		return ctx.Err()
	}
}

// leftWhenOver releases nothing that is not live.
func leftWhenOver(b *broken) {
	b.release = func(ctx context.Context, ref cloud.Ref) error {
		if r, err := b.Cloud.Get(ctx, ref); err == nil && !r.State.Live() {
			return nil
		}
		return b.Cloud.Release(ctx, ref)
	}
}

// replacing removes what is over to have its name.
func replacing(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if cloud.CodeOf(err) != cloud.Conflict {
			return r, err
		}
		ref := cloud.Ref{NativeID: "000000000001/" + req.Spec.Zone + "/" + req.Mark.Name}
		if old, err := b.Cloud.Get(ctx, ref); err != nil || old.State.Live() {
			return r, err
		}
		if err := b.Cloud.Release(ctx, ref); err != nil {
			return r, err
		}
		return b.Cloud.Create(ctx, req)
	}
}

// numberedIDs give each object of a name an id of its own.
func numberedIDs(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if err == nil && !b.first(req.Mark.Name) {
			r.Ref.NativeID += "-2"
		}
		return r, err
	}
}

func answeredFromMemory(b *broken) {
	known := map[string]cloud.Reservation{}
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if r, ok := known[req.Token]; ok {
			return r, nil
		}
		r, err := b.Cloud.Create(ctx, req)
		if err == nil {
			known[req.Token] = r
		}
		return r, err
	}
}

// faultyShares break, of a native cloud, who a reservation is shared with.
func faultyShares() map[string]fault {
	// with changes the accounts that Update is asked for.
	with := func(change func(before, asked []string) []string) func(*broken) {
		return altered(func(_ *broken, before cloud.Reservation, c *cloud.Change) {
			if c.ShareWith != nil {
				accounts := change(before.ShareWith, *c.ShareWith)
				c.ShareWith = &accounts
			}
		})
	}
	return map[string]fault{
		"shared with nobody": {"shared/created", asked(func(r *cloud.CreateRequest) { r.Spec.ShareWith = nil })},
		"accounts not listed": {"shared/created", func(b *broken) {
			b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
				all, err := b.Cloud.List(ctx, scope)
				for i := range all {
					all[i].ShareWith = nil
				}
				return all, err
			}
		}},
		"accounts not sorted": {"shared/created", shown(func(r *cloud.Reservation) { slices.Reverse(r.ShareWith) })},
		"accounts not known": {"shared/created", shown(func(r *cloud.Reservation) {
			r.ShareWith, r.Unresolved = nil, r.ShareWith
		})},
		"shared with everyone":   {"shared/alone", shown(func(r *cloud.Reservation) { r.ShareWith = append(r.ShareWith, "everyone") })},
		"accounts never changed": {"shared/changed", with(func(before, _ []string) []string { return before })},
		"accounts only added":    {"shared/changed", with(func(before, asked []string) []string { return slices.Concat(before, asked) })},
		"accounts only removed": {"shared/changed", with(func(before, asked []string) []string {
			return slices.DeleteFunc(before, func(id string) bool { return !slices.Contains(asked, id) })
		})},
		"none is no change": {"shared/at-all", with(func(before, asked []string) []string {
			if len(asked) == 0 {
				return before
			}
			return asked
		})},
		"accounts as they were given": {"shared/changed", func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				r, err := b.Cloud.Update(ctx, ref, c)
				if err == nil && c.ShareWith != nil {
					r.ShareWith = slices.Sorted(slices.Values(*c.ShareWith))
				}
				return r, err
			}
		}},
		"sharing not repeatable": {"shared/changed", func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				before, _ := b.Cloud.Get(ctx, ref)
				r, err := b.Cloud.Update(ctx, ref, c)
				if err == nil && c.ShareWith != nil && slices.Equal(before.ShareWith, r.ShareWith) {
					return r, &cloud.Error{Code: cloud.Conflict, Op: "Update", Message: "it is shared with them"}
				}
				return r, err
			}
		}},
		"unknown account left out later": {"shared/unknown", with(func(_, asked []string) []string { return somebody(asked) })},
	}
}

// faultyMixes break what comes with other accounts or a count.
func faultyMixes() map[string]fault {
	return map[string]fault{
		"resizing ends the sharing": {"shared/resized", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) {
			if c.Count != nil && c.ShareWith == nil {
				c.ShareWith = &[]string{}
			}
		})},
		"only one of two parts": {"shared/resized", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) {
			if c.ShareWith != nil {
				c.Count = nil
			}
		})},
		"unknown account left out at first": {"shared/unknown", asked(func(r *cloud.CreateRequest) { r.Spec.ShareWith = somebody(r.Spec.ShareWith) })},
	}
}

// somebody are those of the accounts that can be names.
func somebody(accounts []string) []string {
	return slices.DeleteFunc(slices.Clone(accounts), func(name string) bool { return strings.Contains(name, "!") })
}

// faultyWindows break, of a native cloud, what is asked for with start and end.
func faultyWindows() map[string]fault {
	return map[string]fault{
		"start never moved": {"update/start", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) { c.StartAt = nil })},
		"end moved with the start": {"update/start", altered(func(_ *broken, before cloud.Reservation, c *cloud.Change) {
			if c.StartAt != nil {
				end := c.StartAt.Add(before.EndsAt.Sub(before.StartsAt))
				c.EndAt = &end
			}
		})},
		"end never moved": {"update/end", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) { c.EndAt = nil })},
		"removal of an end dropped": {"update/end", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) {
			c.EndAt = notZero(c.EndAt)
		})},
		"an hour longer": {"create/bounded", shown(func(r *cloud.Reservation) {
			if r.Kind == cloud.Block {
				r.EndsAt = r.EndsAt.Add(time.Hour)
			}
		})},
		"no end":                       {"create/bounded", shown(func(r *cloud.Reservation) { r.EndsAt = time.Time{} })},
		"wished without an end":        {"wish/bounded", unseen(cloud.AttrEnd)},
		"end named where a type lacks": {"wish/partial", endNamed},
		"any start taken":              {"refused/lead", anyStart},
		"lock not told":                {"update/locked", shown(func(r *cloud.Reservation) { r.Locked = false })},
		"locked from the start":        {"update/locked", shown(func(r *cloud.Reservation) { r.Locked = r.State.Live() })},
		"locked when over":             {"update/locked", shown(func(r *cloud.Reservation) { r.Locked = r.Locked || !r.State.Live() })},
		"lock told as unsupported":     {"update/locked", lockUnsupported},
		"no change before the start": {"update/count", func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				now, _ := b.Now(ctx, "", "")
				if r, err := b.Cloud.Get(ctx, ref); err == nil && now.Before(r.StartsAt) {
					return r, &cloud.Error{Code: cloud.Conflict, Op: "Update", Message: "it has not begun"}
				}
				return b.Cloud.Update(ctx, ref, c)
			}
		}},
	}
}

// lockUnsupported refuses to change what is locked as if nothing like it changed.
func lockUnsupported(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		r, err := b.Cloud.Update(ctx, ref, c)
		return r, reclass(err, func(e *cloud.Error) {
			if e.Native == "Locked" {
				e.Code = cloud.Unsupported
			}
		})
	}
}

func endNamed(b *broken) {
	b.check = func(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
		done, found := b.Cloud.Check(s)
		if s.InstanceType == "" {
			found = append(found, cloud.Problem{Attribute: cloud.AttrEnd, Detail: "is not known without a type"})
		}
		return done, found
	}
}

// faultyUntagged break, of a native cloud, what is checked without tags.
func faultyUntagged() map[string]fault {
	return map[string]fault{
		"tags taken":             {"tags/not-carried", unseen(cloud.AttrTags)},
		"tags dropped":           {"update/not-in-place", altered(func(_ *broken, _ cloud.Reservation, c *cloud.Change) { c.SetTags = nil })},
		"read from memory":       {"get/not-from-memory", readFromMemory},
		"count by difference":    {"lost/update", altered(byDifference)},
		"unknown one updated":    {"update/unknown", emptyForUnknownUpdate},
		"shrunk halfway":         {"update/below-use", shrunkHalfway},
		"grown though refused":   {"update/refused-growth", grownAnyway},
		"context of Update":      {"context/passed-through", updateReclassed},
		"targeted and in use":    {"release/in-use", releasedWithUsers(cloud.Targeted)},
		"open, kept for its use": {"release/in-use", keptForUsers(cloud.Open)},
	}
}

func byDifference(_ *broken, before cloud.Reservation, c *cloud.Change) {
	if c.Count != nil {
		n := before.Count + *c.Count - 1
		c.Count = &n
	}
}

func emptyForUnknownUpdate(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		r, err := b.Cloud.Update(ctx, ref, c)
		if cloud.CodeOf(err) == cloud.NotFound {
			return cloud.Reservation{Ref: ref}, nil
		}
		return r, err
	}
}

// shrunkHalfway gives back what is not in use and then refuses.
func shrunkHalfway(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		r, err := b.Cloud.Update(ctx, ref, c)
		if code := cloud.CodeOf(err); code == cloud.InUse || code == cloud.Conflict {
			b.SetCount(ref.NativeID, 2)
		}
		return r, err
	}
}

func updateReclassed(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		r, err := b.Cloud.Update(ctx, ref, c)
		if ctx.Err() != nil {
			return r, &cloud.Error{Code: cloud.Internal, Op: "Update", Cause: err}
		}
		return r, err
	}
}

// releasedWithUsers releases one of the match criteria whoever uses it.
func releasedWithUsers(match cloud.MatchCriteria) func(*broken) {
	return func(b *broken) {
		b.release = func(ctx context.Context, ref cloud.Ref) error {
			if r, err := b.Cloud.Get(ctx, ref); err == nil && r.Match == match {
				b.SetUsers(ref.NativeID)
			}
			return b.Cloud.Release(ctx, ref)
		}
	}
}

// keptForUsers refuses to release one of the match criteria that is in use.
func keptForUsers(match cloud.MatchCriteria) func(*broken) {
	return func(b *broken) {
		b.release = func(ctx context.Context, ref cloud.Ref) error {
			if r, err := b.Cloud.Get(ctx, ref); err == nil && r.Match == match && r.InUse > 0 {
				return &cloud.Error{Code: cloud.InUse, Op: "Release", Message: "it is in use"}
			}
			return b.Cloud.Release(ctx, ref)
		}
	}
}
