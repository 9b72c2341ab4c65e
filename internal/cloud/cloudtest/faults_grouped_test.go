package cloudtest_test

import (
	"context"
	"slices"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/cloud/mem"
)

// listed changes what List returns of a scope.
func listed(change func(*broken, cloud.Scope, []cloud.Reservation) []cloud.Reservation) func(*broken) {
	return func(b *broken) {
		b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
			all, err := b.Cloud.List(ctx, scope)
			if err != nil {
				return nil, err
			}
			return change(b, scope, all), nil
		}
	}
}

// faultyGroups break, of a grouped cloud, what a group has.
func faultyGroups() map[string]fault {
	return map[string]fault{
		"no Grouper": {"grouped/pure", func(b *broken) { b.group = func(cloud.Spec, string) string { return "" } }},
		"another group each time": {"grouped/pure", func(b *broken) {
			b.group = func(s cloud.Spec, name string) string {
				if b.first(name) {
					return "first"
				}
				return b.Cloud.Group(s, name)
			}
		}},
		"group of the id is another": {"grouped/pure", func(b *broken) { b.groupOf = func(ref cloud.Ref) string { return ref.NativeID } }},
		"group not looked at": {"grouped/listed", func(b *broken) {
			b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
				scope.Group = ""
				return b.Cloud.List(ctx, scope)
			}
		}},
		"account has no groups": {"grouped/listed", listed(func(_ *broken, scope cloud.Scope, all []cloud.Reservation) []cloud.Reservation {
			if scope.Group == "" {
				return nil
			}
			return all
		})},
		"users not listed of a group": {"grouped/listed", listed(func(_ *broken, scope cloud.Scope, all []cloud.Reservation) []cloud.Reservation {
			for i := range all {
				if scope.Group != "" {
					all[i].NativeState = ""
				}
			}
			return all
		})},
		"group that is not there refused": {"grouped/not-there", func(b *broken) {
			b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
				all, err := b.Cloud.List(ctx, scope)
				if err == nil && scope.Group != "" && len(all) == 0 {
					err = &cloud.Error{Code: cloud.NotFound, Op: "List", Message: "there is no such group"}
				}
				return all, err
			}
		}},
		"list too old": {"grouped/fresh", func(b *broken) {
			known := map[string][]cloud.Reservation{}
			b.list = func(ctx context.Context, scope cloud.Scope) ([]cloud.Reservation, error) {
				b.mu.Lock()
				defer b.mu.Unlock()
				if all, ok := known[scope.Group]; ok && scope.Group != "" {
					return all, nil
				}
				all, err := b.Cloud.List(ctx, scope)
				known[scope.Group] = all
				return all, err
			}
		}},
	}
}

// faultyGiven break, of a grouped cloud, what is in a given group, and what comes
// with the kinds of such a cloud.
func faultyGiven() map[string]fault {
	return map[string]fault{
		"given group ignored": {"grouped/given", asked(func(r *cloud.CreateRequest) { r.Spec.Native = nil })},
		"one of a group listed": {"grouped/given", listed(func(_ *broken, scope cloud.Scope, all []cloud.Reservation) []cloud.Reservation {
			return all[:min(1, len(all))]
		})},
		"group emptied": {"grouped/given-stays", func(b *broken) {
			b.release = func(ctx context.Context, ref cloud.Ref) error {
				all, err := b.Cloud.List(ctx, cloud.Scope{Group: b.Cloud.GroupOf(ref)})
				for _, r := range all {
					b.Forget(r.Ref.NativeID)
				}
				return err
			}
		}},
		"group gone with its last one": {"grouped/given-stays", func(b *broken) {
			b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
				if !b.first(req.Mark.Name) && req.Spec.Native[mem.InGroup] != "" {
					return cloud.Reservation{}, &cloud.Error{Code: cloud.Invalid, Op: "Create", Message: "there is no such group"}
				}
				return b.Cloud.Create(ctx, req)
			}
		}},
		"made anew twice": {"token/replay-of-ended", numberedIDs},
		"never bound":     {"commitment/told", shown(func(r *cloud.Reservation) { r.CommittedUntil = time.Time{} })},
		"start moved, bound as before": {"update/start", func(b *broken) {
			bound := map[string]time.Time{}
			shown(func(r *cloud.Reservation) {
				b.mu.Lock()
				defer b.mu.Unlock()
				if at, ok := bound[r.Ref.NativeID]; ok && !r.CommittedUntil.IsZero() {
					r.CommittedUntil = at
				} else if !r.CommittedUntil.IsZero() {
					bound[r.Ref.NativeID] = r.CommittedUntil
				}
			})(b)
		}},
	}
}

// faultyRegions break, of a grouped cloud, what is of a whole region.
func faultyRegions() map[string]fault {
	return map[string]fault{
		"zone chosen": {"regional/made", asked(func(r *cloud.CreateRequest) {
			if r.Spec.Zone == "" {
				r.Spec.Zone = "mem-east-1a"
			}
		})},
		"zone needed": {"regional/made", func(b *broken) {
			b.check = func(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
				done, found := b.Cloud.Check(s)
				if s.Zone == "" {
					found = append(found, cloud.Problem{Attribute: cloud.AttrZone, Detail: "a zone is needed"})
				}
				return done, found
			}
		}},
		"zone completed": {"regional/made", func(b *broken) {
			b.check = func(s cloud.Spec) (cloud.Spec, []cloud.Problem) {
				if s.Zone == "" && s.Region != "" {
					s.Zone = s.Region + "a"
				}
				return b.Cloud.Check(s)
			}
		}},
		"any zone will do": {"regional/another-place", func(b *broken) {
			b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
				r, err := b.Cloud.Create(ctx, req)
				if cloud.CodeOf(err) == cloud.Conflict && req.Spec.Zone == "" {
					return b.Cloud.Get(ctx, cloud.Ref{NativeID: mem.DefaultAccountID + "/" + req.Mark.Name + "/" + req.Mark.Name})
				}
				return r, err
			}
		}},
	}
}

// faultyLeftovers break, of a grouped cloud, what comes between two steps.
func faultyLeftovers() map[string]fault {
	return map[string]fault{
		"unsettled not told":         {"unsettled/told", shown(func(r *cloud.Reservation) { r.Unsettled = false })},
		"always unsettled":           {"unsettled/told", shown(func(r *cloud.Reservation) { r.Unsettled = r.State.Live() })},
		"unsettled is not live":      {"unsettled/told", shownUnsettled(func(r *cloud.Reservation) { r.State = cloud.Refused })},
		"unsettled has what it lost": {"unsettled/told", shownUnsettled(func(r *cloud.Reservation) { r.Count++ })},
		"equal count dropped": {"unsettled/written", altered(func(_ *broken, before cloud.Reservation, c *cloud.Change) {
			if c.Count != nil && *c.Count == before.Count {
				c.Count = nil
			}
		})},
		"unsettled never grows": {"unsettled/grown", altered(func(_ *broken, before cloud.Reservation, c *cloud.Change) {
			if before.Unsettled {
				c.Count = &before.Count
			}
		})},
		"unsettled grown though refused": {"unsettled/refused-again", grownAnyway},
		"unsettled never released": {"unsettled/released", func(b *broken) {
			b.release = func(ctx context.Context, ref cloud.Ref) error {
				if r, err := b.Cloud.Get(ctx, ref); err == nil && r.Unsettled {
					return &cloud.Error{Code: cloud.Conflict, Op: "Release", Message: "it is unsettled"}
				}
				return b.Cloud.Release(ctx, ref)
			}
		}},
		"remains not told":     {"remains/told", shown(func(r *cloud.Reservation) { r.Remains = false })},
		"everything remains":   {"remains/told", shown(func(r *cloud.Reservation) { r.Remains = true })},
		"remains of nobody":    {"remains/told", shownRemains(func(r *cloud.Reservation) { r.Mark = cloud.Mark{} })},
		"remains of no name":   {"remains/told", shownRemains(func(r *cloud.Reservation) { r.NativeName = "" })},
		"remains, nobody says": {"remains/told", shownRemains(func(r *cloud.Reservation) { r.NativeState = "" })},
		"remains not listed": {"remains/told", listed(func(_ *broken, _ cloud.Scope, all []cloud.Reservation) []cloud.Reservation {
			return slices.DeleteFunc(all, func(r cloud.Reservation) bool { return r.Remains })
		})},
		"remains not listed of the group": {"remains/told", listed(func(_ *broken, scope cloud.Scope, all []cloud.Reservation) []cloud.Reservation {
			return slices.DeleteFunc(all, func(r cloud.Reservation) bool { return r.Remains && scope.Group != "" })
		})},
		"remains left":        {"remains/released", leftWhenOver},
		"remains given away":  {"remains/taken", replacingGrouped},
		"remains are changed": {"remains/not-changed", emptyForOver},
	}
}

// shownUnsettled changes what Get shows of what is unsettled.
func shownUnsettled(change func(*cloud.Reservation)) func(*broken) {
	return shown(func(r *cloud.Reservation) {
		if r.Unsettled {
			change(r)
		}
	})
}

// shownRemains changes what Get shows of what a release left.
func shownRemains(change func(*cloud.Reservation)) func(*broken) {
	return shown(func(r *cloud.Reservation) {
		if r.Remains {
			change(r)
		}
	})
}

// replacingGrouped removes what is left of another's to have its name.
func replacingGrouped(b *broken) {
	b.create = func(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
		ref := cloud.Ref{NativeID: mem.DefaultAccountID + "/" + b.Cloud.Group(req.Spec, req.Mark.Name) + "/" + req.Mark.Name}
		if old, err := b.Cloud.Get(ctx, ref); err == nil && old.Remains {
			b.Forget(ref.NativeID)
		}
		return b.Cloud.Create(ctx, req)
	}
}

// emptyForOver updates what is over with success.
func emptyForOver(b *broken) {
	b.update = func(ctx context.Context, ref cloud.Ref, c cloud.Change) (cloud.Reservation, error) {
		if r, err := b.Cloud.Get(ctx, ref); err == nil && !r.State.Live() {
			return r, nil
		}
		return b.Cloud.Update(ctx, ref, c)
	}
}

// faultyPreflights break, of a grouped cloud, what is said before a create.
func faultyPreflights() map[string]fault {
	// said changes what Preflight finds.
	said := func(change func(*broken, cloud.Spec, string, []cloud.Problem) []cloud.Problem) func(*broken) {
		return func(b *broken) {
			b.preflight = func(ctx context.Context, s cloud.Spec, name string) ([]cloud.Problem, error) {
				found, err := b.Cloud.Preflight(ctx, s, name)
				return change(b, s, name, found), err
			}
		}
	}
	wrong := cloud.Problem{Attribute: cloud.AttrInstanceType, Detail: "cannot be had"}
	return map[string]fault{
		"anything is wrong": {"preflight/met", said(func(_ *broken, _ cloud.Spec, _ string, found []cloud.Problem) []cloud.Problem {
			return append(found, wrong)
		})},
		"preflight makes it": {"preflight/met", func(b *broken) {
			b.preflight = func(ctx context.Context, s cloud.Spec, name string) ([]cloud.Problem, error) {
				_, err := b.Cloud.Create(ctx, cloud.CreateRequest{Spec: s, Mark: cloud.Mark{Owner: "x", Name: name + "-tried"}})
				return nil, err
			}
		}},
		"in its own way": {"preflight/not-in-its-own-way", said(func(b *broken, s cloud.Spec, _ string, found []cloud.Problem) []cloud.Problem {
			if all, err := b.Cloud.List(context.Background(), cloud.Scope{Account: s.Account}); err != nil || len(all) > 0 {
				return append(found, wrong)
			}
			return found
		})},
		"full is a problem": {"preflight/scarce", func(b *broken) {
			b.preflight = func(ctx context.Context, s cloud.Spec, name string) ([]cloud.Problem, error) {
				r, err := b.Cloud.Create(ctx, cloud.CreateRequest{Spec: s, Mark: cloud.Mark{Name: name}})
				if cloud.CodeOf(err) == cloud.NoCapacity {
					return []cloud.Problem{wrong}, nil
				}
				if err == nil && r.Kind == cloud.OnDemand {
					err = b.Cloud.Release(ctx, r.Ref)
				}
				return nil, err
			}
		}},
		"end of the context left out": {"context/passed-through", func(b *broken) {
			b.preflight = func(ctx context.Context, s cloud.Spec, name string) ([]cloud.Problem, error) {
				return b.Cloud.Preflight(context.WithoutCancel(ctx), s, name)
			}
		}},
		"nothing is wrong": {"preflight/unmet", said(func(*broken, cloud.Spec, string, []cloud.Problem) []cloud.Problem { return nil })},
		"zones not looked at": {"preflight/unmet", said(func(_ *broken, _ cloud.Spec, _ string, found []cloud.Problem) []cloud.Problem {
			return slices.DeleteFunc(found, func(p cloud.Problem) bool { return p.Attribute == cloud.AttrZone })
		})},
		"no reason given": {"preflight/unmet", said(func(_ *broken, _ cloud.Spec, _ string, found []cloud.Problem) []cloud.Problem {
			for i := range found {
				found[i].Detail = ""
			}
			return found
		})},
		"refused in vain": {"preflight/unmet", asked(func(r *cloud.CreateRequest) {
			if r.Spec.InstanceType == "x9.nosuchtype" {
				r.Spec.InstanceType = "p1.whole"
			}
		})},
		"second of a type not seen": {"preflight/type-taken", said(func(_ *broken, _ cloud.Spec, name string, found []cloud.Problem) []cloud.Problem {
			return slices.DeleteFunc(found, func(cloud.Problem) bool { return name == "second" })
		})},
		"first of a type in its own way": {"preflight/type-taken", said(func(b *broken, s cloud.Spec, _ string, found []cloud.Problem) []cloud.Problem {
			all, _ := b.Cloud.List(context.Background(), cloud.Scope{Account: s.Account, Group: s.Native[mem.InGroup]})
			if len(all) > 0 {
				return append(found, wrong)
			}
			return found
		})},
	}
}
