package capacity

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// search looks for the wish's mark twice, a minute apart, until it is found.
func (run *creation) search(ctx context.Context) (*cloud.Reservation, error) {
	if found, err := run.find(ctx, 0); err != nil || found != nil {
		return found, err
	}
	if err := run.between(ctx, settle); err != nil {
		return nil, err
	}
	return run.find(ctx, 0)
}

// between waits between two looks.
func (run *creation) between(ctx context.Context, d time.Duration) error {
	if err := run.pause(ctx, d); err != nil {
		return run.failure(err, "it could not be made sure that no earlier create of this name is there: "+
			"that takes two looks %s apart: %s. Nothing was created", settle, err)
	}
	return nil
}

// find looks for a live object with the wish's mark in the place where it would
// be, and reads it afresh. Without a complete look nothing may be created.
func (run *creation) find(ctx context.Context, maxAge time.Duration) (*cloud.Reservation, error) {
	w := run.wish
	items, err := run.look(ctx, maxAge)
	if err != nil {
		return nil, run.failure(err, "The cloud could not be searched for an earlier create of this name, "+
			"so nothing was created: %s", describe(run.c, err))
	}
	var found []cloud.Reservation
	for _, id := range slices.Sorted(maps.Keys(items)) {
		run.known[id] = true
		if r := items[id]; !r.State.Live() || !r.Mark.Identifies(w.Mark) && !run.holdsName(r) {
			continue
		}
		r, live, err := run.reread(ctx, items[id].Ref)
		if err != nil {
			return nil, err
		}
		if live {
			found = append(found, r)
		} else if r.Ref.NativeID != "" {
			run.over[id] = r
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return &found[0], run.adoptable(found[0])
	}
	return nil, refuse("name", "Several reservations carry this name",
		"these all carry the mark owner %q, name %q: %s. Release all but one, or choose another name. Nothing was created.",
		w.Mark.Owner, w.Mark.Name, ids(found))
}

// look lists where the wish's object would be. Where that is one group, an earlier
// run may have made it in another: all groups are looked through for its name, as far
// as that is allowed.
func (run *creation) look(ctx context.Context, maxAge time.Duration) (listing, error) {
	scope := run.wish.scope(run.c, run.wish.Spec.Region)
	here, err := run.m.list(ctx, run.c, scope, maxAge)
	if err != nil || run.caps.ListedBy != cloud.ByGroup || !run.caps.NativeName {
		return here, err
	}
	all, err := run.m.list(ctx, run.c, cloud.Scope{Account: scope.Account, Name: run.wish.Mark.Name}, maxAge)
	if cloud.CodeOf(err) == cloud.PermissionDenied {
		return here, nil
	}
	if err != nil {
		return nil, err
	}
	all = maps.Clone(all)
	maps.Copy(all, here)
	return all, nil
}

// holdsName tells whether a listed object has the wish's name where names are
// native and so unique in their place: a group, or else a zone.
func (run *creation) holdsName(r cloud.Reservation) bool {
	return run.caps.NativeName && run.there(r) && r.NativeName == run.wish.Mark.Name
}

// there tells whether an object is in the place where the wish's would be.
func (run *creation) there(r cloud.Reservation) bool {
	g, ok := cloud.As[cloud.Grouper](run.c)
	if !ok || run.caps.ListedBy != cloud.ByGroup {
		return r.Zone == run.wish.Spec.Zone
	}
	return g.GroupOf(r.Ref) == g.Group(run.wish.Spec, run.wish.Mark.Name)
}

// reread reads a listed object again: a listing may be a little old.
func (run *creation) reread(ctx context.Context, ref cloud.Ref) (r cloud.Reservation, live bool, err error) {
	r, err = run.c.Get(ctx, ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return r, false, nil
	}
	if err != nil {
		return r, false, run.failure(err, "%s carries this name and could not be read, so nothing was created: %s",
			ref.NativeID, describe(run.c, err))
	}
	return r, r.State.Live(), nil
}

// clear removes what is over and carries the wish's mark, where it would keep the
// wish's name taken.
func (run *creation) clear(ctx context.Context) error {
	if !run.caps.NativeName {
		return nil
	}
	items, err := run.m.list(ctx, run.c, run.wish.scope(run.c, run.wish.Spec.Region), fresh)
	if err != nil {
		return run.failure(err, "What is left of an earlier life of this name could not be looked for, so nothing was created: %s",
			describe(run.c, err))
	}
	items = maps.Clone(items)
	maps.Copy(items, run.over)
	for _, id := range slices.Sorted(maps.Keys(items)) {
		r := items[id]
		if r.State.Live() || !run.holdsName(r) || !r.Mark.Identifies(run.wish.Mark) {
			continue
		}
		if err := run.c.Release(ctx, r.Ref); err != nil {
			return run.failure(err, "%s is %s, is of an earlier life of this name and keeps it taken. It could not be removed, so "+
				"nothing was created: %s", id, r.NativeState, describe(run.c, err))
		}
	}
	return nil
}

// adoptable refuses an object that is another owner's or of another spec.
func (run *creation) adoptable(r cloud.Reservation) error {
	w := run.wish
	if !r.Mark.Identifies(w.Mark) {
		whose := "carries no mark"
		if !r.Mark.Empty() {
			whose = "belongs to owner \"" + r.Mark.Owner + "\" as " + r.Mark.Type
		}
		return refuse("name", "Name is taken", "%s has the name %q and %s; this is owner %q. Nothing was created. "+
			"Choose another name, or import it.", r.Ref.NativeID, w.Mark.Name, whose, w.Mark.Owner)
	}
	if run.caps.ListedBy == cloud.ByGroup && !run.there(r) {
		return refuse("name", "Name is taken by another reservation",
			"%s, made at %s, carries the mark owner %q, name %q, and is in another group than the one that is asked for. "+
				"Nothing was created. Import it, release it, or choose another name.",
			r.Ref.NativeID, stamp(r.CreatedAt), w.Mark.Owner, w.Mark.Name)
	}
	if ds := append(fixedDifferences(run.caps, w.Spec, r), w.outside(run.kind, r)...); len(ds) > 0 {
		return refuse(ds[0].attribute, "Name is taken by another reservation",
			"%s, made at %s, carries the mark owner %q, name %q, but it is not what is asked for: %s. "+
				"Nothing was created. Import it, release it, or choose another name.",
			r.Ref.NativeID, stamp(r.CreatedAt), w.Mark.Owner, w.Mark.Name, join(ds))
	}
	return nil
}

func ids(rs []cloud.Reservation) string {
	texts := make([]string, len(rs))
	for i, r := range rs {
		texts[i] = r.Ref.NativeID
	}
	return strings.Join(texts, ", ")
}
