package cloudtest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// faultyCreates break Create.
func faultyCreates() map[string]fault {
	// wrap changes the error of Create.
	wrap := func(change func(*cloud.Error)) func(*broken) {
		return func(b *broken) {
			b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
				r, err := b.Cloud.Create(ctx, req)
				return r, reclass(err, change)
			}
		}
	}
	// forge changes the request before it goes out.
	forge := func(change func(*broken, *cloud.CreateRequest)) func(*broken) {
		return func(b *broken) {
			b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
				change(b, &req)
				return b.Cloud.Create(ctx, req)
			}
		}
	}
	return map[string]fault{
		"token ignored": {"token/replay", forge(func(_ *broken, r *cloud.CreateRequest) { r.Token = "" })},
		"token ignored, seen in parallel": {
			"concurrent/one-token", forge(func(_ *broken, r *cloud.CreateRequest) { r.Token = "" }),
		},
		"token ignored, seen after a lost answer": {
			"lost/create-with-token", forge(func(_ *broken, r *cloud.CreateRequest) { r.Token = "" }),
		},
		"mark lost": {"create/marked", forge(func(_ *broken, r *cloud.CreateRequest) { r.Mark = cloud.Mark{} })},
		"lock lost": {"create/with-lock", forge(func(_ *broken, r *cloud.CreateRequest) { r.Mark.Lock = "" })},
		"tags lost": {"tags/users-own", forge(func(_ *broken, r *cloud.CreateRequest) { r.Spec.Tags = nil })},
		"match ignored": {"create/as-wished", forge(func(_ *broken, r *cloud.CreateRequest) {
			if r.Spec.Kind == cloud.OnDemand {
				r.Spec.Match = cloud.Open
			}
		})},
		"end lost": {"update/end", forge(func(_ *broken, r *cloud.CreateRequest) { r.Spec.EndAt = r.Spec.StartAt })},
		"claim made part of the token": {"token/claim-is-no-input", forge(func(_ *broken, r *cloud.CreateRequest) {
			r.Token += r.Mark.Claim
		})},
		"quota told as capacity": {"refused/quota", wrap(func(e *cloud.Error) {
			if e.Code == cloud.QuotaExceeded {
				e.Code = cloud.NoCapacity
			}
		})},
		"quota without its scope": {"refused/quota", wrap(func(e *cloud.Error) { e.Quota = nil })},
		"throttling told as capacity": {"refused/throttled", wrap(func(e *cloud.Error) {
			if e.Code == cloud.Throttled {
				e.Code = cloud.NoCapacity
			}
		})},
		"lost answer told as not accepted": {"lost/create-after-commit", wrap(func(e *cloud.Error) { e.Accepted = false })},
		"refusal told as accepted":         {"refused/capacity", wrap(func(e *cloud.Error) { e.Accepted = true })},
		"mismatch without its flag":        {"token/mismatch", wrap(func(e *cloud.Error) { e.TokenMismatch = false })},
		"mark written in a second step":    {"lost/create-after-commit", markedLate},
		"claim written at once":            {"create/not-claimed", claimedAtOnce},
		"ended object made anew":           {"token/replay-of-ended", madeAnew},
		"other inputs not noticed":         {"token/mismatch", mismatchIgnored},
		"one object for every name":        {"create/two-names", oneForAll},
	}
}

// markedLate: an interruption between the two steps leaves an object that
// nobody finds.
func markedLate(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		mark := req.Mark
		req.Mark = cloud.Mark{}
		r, err := b.Cloud.Create(ctx, req)
		if err != nil || r.Mark.Identifies(mark) || !r.State.Live() {
			return r, err
		}
		return b.Cloud.Update(ctx, r.Ref, cloud.Change{Mark: &mark})
	}
}

func claimedAtOnce(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if err == nil && req.Mark.Claim != "" {
			b.SetTag(r.Ref.NativeID, cloud.TagClaim, req.Mark.Claim)
		}
		return r, err
	}
}

func madeAnew(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if err == nil && !r.State.Live() {
			req.Token += " again"
			return b.Cloud.Create(ctx, req)
		}
		return r, err
	}
}

func mismatchIgnored(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		r, err := b.Cloud.Create(ctx, req)
		if cloud.CodeOf(err) == cloud.Conflict {
			all, err := b.Cloud.List(ctx, cloud.Scope{Account: req.Spec.Account, Region: req.Spec.Region})
			if err != nil {
				return r, err
			}
			return all[0], nil
		}
		return r, err
	}
}

func oneForAll(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		all, err := b.Cloud.List(ctx, cloud.Scope{Account: req.Spec.Account, Region: req.Spec.Region})
		if err == nil && len(all) > 0 && req.Spec.Kind == cloud.OnDemand {
			return all[0], nil
		}
		return b.Cloud.Create(ctx, req)
	}
}

// faultyReads break Get, List, Offers and what is pure.
func faultyReads() map[string]fault {
	// show changes what Get returns.
	show := func(change func(*broken, *cloud.Reservation)) func(*broken) {
		return func(b *broken) {
			b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
				r, err := b.Cloud.Get(ctx, ref)
				if err == nil {
					change(b, &r)
				}
				return r, err
			}
		}
	}
	// cut changes what List returns.
	cut := func(change func([]cloud.Reservation) []cloud.Reservation) func(*broken) {
		return func(b *broken) {
			b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
				all, err := b.Cloud.List(ctx, scope)
				return change(all), err
			}
		}
	}
	return map[string]fault{
		"not found on the first read":  {"get/right-after-create", notFoundFirst},
		"read from memory":             {"get/not-from-memory", readFromMemory},
		"unknown id is an empty one":   {"get/unknown", emptyForUnknown},
		"mark among the user's tags":   {"tags/mark-is-no-tag", show(func(_ *broken, r *cloud.Reservation) { r.Tags[cloud.TagOwner] = r.Mark.Owner })},
		"system tags shown":            {"tags/system-untouched", show(func(b *broken, r *cloud.Reservation) { r.Tags = b.RawTags(r.Ref.NativeID) })},
		"in-use count missing":         {"users/listed", show(func(_ *broken, r *cloud.Reservation) { r.InUse = 0 })},
		"claim not read":               {"claim/written", show(func(_ *broken, r *cloud.Reservation) { r.Mark.Claim = "" })},
		"list cut after a page":        {"list/complete", cut(func(all []cloud.Reservation) []cloud.Reservation { return all[:min(2, len(all))] })},
		"page listed twice":            {"list/complete-over-pages", cut(func(all []cloud.Reservation) []cloud.Reservation { return append(all, all[:min(1, len(all))]...) })},
		"ended ones not listed":        {"list/with-ended", cut(func(all []cloud.Reservation) []cloud.Reservation { return slices.DeleteFunc(all, isEnded) })},
		"list of everywhere":           {"list/only-its-scope", listedEverywhere},
		"end of the context reclassed": {"context/passed-through", contextReclassed},
		"offers not sorted": {"offers/cheapest-first", func(b *broken) {
			b.offers = func(ctx context.Context, s cloud.Spec) ([]cloud.Offer, error) {
				all, err := b.Cloud.Offers(ctx, s)
				slices.Reverse(all)
				return all, err
			}
		}},
		"check changes its caller's map": {"wish/untouched", func(b *broken) {
			b.check = func(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
				s, found := b.Cloud.Check(s)
				delete(s.Tags, "team")
				return s, found
			}
		}},
		"check finds nothing": {"wish/wrong", func(b *broken) {
			b.check = func(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
				s, _ = b.Cloud.Check(s)
				return s, nil
			}
		}},
		"a kind nobody wishes for": {"capabilities/wished", func(b *broken) {
			b.capabilities = func(c cloud.Capabilities) cloud.Capabilities {
				c.Kinds["no_such_kind"] = cloud.KindCapabilities{}
				return c
			}
		}},
	}
}

func isEnded(r cloud.Reservation) bool { return !r.State.Live() }

func notFoundFirst(b *broken) {
	b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
		if b.first(ref.NativeID) {
			return cloud.Reservation{}, &cloud.Error{Code: cloud.NotFound, Op: "Get", Message: "not yet"}
		}
		return b.Cloud.Get(ctx, ref)
	}
}

func readFromMemory(b *broken) {
	known := map[cloud.Ref]cloud.Reservation{}
	b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if r, ok := known[ref]; ok {
			return r, nil
		}
		r, err := b.Cloud.Get(ctx, ref)
		if err == nil {
			known[ref] = r
		}
		return r, err
	}
}

func emptyForUnknown(b *broken) {
	b.get = func(ctx context.Context, ref cloud.Ref) (cloud.Reservation, error) {
		r, err := b.Cloud.Get(ctx, ref)
		if cloud.CodeOf(err) == cloud.NotFound {
			return cloud.Reservation{Ref: ref, State: cloud.Gone}, nil
		}
		return r, err
	}
}

func listedEverywhere(b *broken) {
	b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
		all, err := b.Cloud.List(ctx, scope)
		for _, region := range []string{"mem-east-1", "mem-west-1"} {
			if err == nil && region != scope.Region {
				scope.Region = region
				var more []cloud.Reservation
				more, err = b.Cloud.List(ctx, scope)
				all = append(all, more...)
			}
		}
		return all, err
	}
}

func contextReclassed(b *broken) {
	b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
		all, err := b.Cloud.List(ctx, scope)
		if ctx.Err() != nil {
			return nil, &cloud.Error{Code: cloud.Internal, Op: "List", Cause: err}
		}
		return all, err
	}
}

// faultyWrites break Update and Release.
func faultyWrites() map[string]fault {
	// drop leaves a part of the change out.
	drop := func(change func(*cloud.Change)) func(*broken) {
		return func(b *broken) {
			b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
				change(&c)
				return b.Cloud.Update(ctx, ref, c)
			}
		}
	}
	return map[string]fault{
		"claim ignored":                {"claim/written", drop(func(c *cloud.Change) { c.Mark = nil })},
		"count ignored":                {"update/count", drop(func(c *cloud.Change) { c.Count = nil })},
		"match never changed":          {"update/match", drop(func(c *cloud.Change) { c.Match = nil })},
		"end not removed":              {"update/end", drop(func(c *cloud.Change) { c.EndAt = notZero(c.EndAt) })},
		"tags never removed":           {"tags/changed", drop(func(c *cloud.Change) { c.RemoveTags = nil })},
		"refused growth changes count": {"update/refused-growth", grownAnyway},
		"foreign tags dropped":         {"tags/foreign-untouched", foreignDropped},
		"system tags dropped":          {"tags/system-untouched", systemDropped},
		"claim dropped with tags":      {"claim/kept", claimDropped},
		"release not idempotent":       {"release/idempotent", releasedOnce},
		"release of the unknown fails": {"release/unknown", releasedOnce},
		"release does nothing":         {"release/no-longer-held", func(b *broken) { b.release = func(context.Context, cloud.Ref) error { return nil } }},
		"block released for nothing":   {"release/not-free", func(b *broken) { b.release = forgetting(b) }},
		"in use, released all the same": {"release/in-use", func(b *broken) {
			b.release = func(ctx context.Context, ref cloud.Ref) error {
				b.SetUsers(ref.NativeID)
				return b.Cloud.Release(ctx, ref)
			}
		}},
		"another one released": {"release/only-its-own", func(b *broken) {
			b.release = func(ctx context.Context, ref cloud.Ref) error {
				all, err := b.Cloud.List(ctx, cloud.Scope{Account: ref.Account, Region: "mem-east-1"})
				for _, r := range all {
					err = errors.Join(err, b.Cloud.Release(ctx, r.Ref))
				}
				return err
			}
		}},
	}
}

func forgetting(b *broken) func(context.Context, cloud.Ref) error {
	return func(ctx context.Context, ref cloud.Ref) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Forget(ref.NativeID)
		return nil
	}
}

func grownAnyway(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		r, err := b.Cloud.Update(ctx, ref, c)
		if cloud.CodeOf(err) == cloud.NoCapacity {
			b.SetCount(ref.NativeID, *c.Count)
		}
		return r, err
	}
}

func foreignDropped(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		before, err := b.Cloud.Get(ctx, ref)
		if err != nil {
			return before, err
		}
		for key := range before.Tags {
			if _, ours := c.SetTags[key]; !ours && len(c.SetTags) > 0 {
				b.RemoveTag(ref.NativeID, key)
			}
		}
		return b.Cloud.Update(ctx, ref, c)
	}
}

func systemDropped(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		b.RemoveTag(ref.NativeID, mem.SystemTagPrefix+"managed")
		return b.Cloud.Update(ctx, ref, c)
	}
}

func claimDropped(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		if len(c.SetTags) > 0 {
			b.RemoveTag(ref.NativeID, cloud.TagClaim)
		}
		return b.Cloud.Update(ctx, ref, c)
	}
}

func releasedOnce(b *broken) {
	b.release = func(ctx context.Context, ref cloud.Ref) error {
		r, err := b.Cloud.Get(ctx, ref)
		if err == nil && !r.State.Live() {
			err = &cloud.Error{Code: cloud.NotFound, Op: "Release", Message: fmt.Sprintf("%s is gone", ref.NativeID)}
		}
		if err != nil {
			return err
		}
		return b.Cloud.Release(ctx, ref)
	}
}
