package capacity

import (
	"context"
	"fmt"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// updating is one update under way.
type updating struct {
	operation
	holder Holder
}

// Update brings a live reservation to the wish, in place. The tags before tell
// which tags were ours; a tag that is not is left alone. An error keeps the state
// as it was.
func (m *Manager) Update(ctx context.Context, h Holder, w Wish, tagsBefore map[string]string) (Result, error) {
	c, err := m.Cloud(h.Cloud)
	if err != nil {
		return Result{}, err
	}
	if err := m.realm(ctx, c, h); err != nil {
		return Result{}, err
	}
	run := &updating{operation: m.operation(c, w), holder: h}
	ctx, cancel := m.within(ctx, w.Timeout)
	defer cancel()
	r, err := run.mine(ctx)
	if err != nil {
		return Result{}, err
	}
	if r.State == cloud.Ended {
		return run.afterEnd(r)
	}
	mark := run.mark(r)
	if err := run.rename(ctx, r, mark); err != nil {
		return Result{}, err
	}
	result := Result{Reservation: r, Mark: mark, Status: Held}
	for _, step := range run.steps(r, mark, tagsBefore) {
		if err := run.change(ctx, &result, step); err != nil {
			return Result{}, err
		}
	}
	if err := run.buy(ctx, &result); err != nil {
		return Result{}, err
	}
	result.Attempts = run.attempts
	switch result.Reservation.State {
	case cloud.Refused:
		result.Status = Refused
	case cloud.Gone, cloud.Leaving, cloud.Ended:
		return Result{}, run.over(result.Reservation)
	}
	return result, nil
}

// buy waits until the object is held, and buys what it lacks where that is asked
// for.
func (run *updating) buy(ctx context.Context, result *Result) error {
	if !run.wish.Buy {
		run.await(ctx, result)
		return nil
	}
	if err := run.prolong(ctx, result); err != nil {
		return err
	}
	run.await(ctx, result)
	return run.commit(ctx, result)
}

// mine reads the object and refuses to touch one that is not the holder's, no
// longer counts, or would have to be another one.
func (run *updating) mine(ctx context.Context) (cloud.Reservation, error) {
	if err := run.share(ctx); err != nil {
		return cloud.Reservation{}, err
	}
	h, w := run.holder, run.wish
	r, err := run.c.Get(ctx, h.Ref)
	if cloud.CodeOf(err) == cloud.NotFound {
		return run.missing(ctx, err)
	}
	if err != nil {
		return r, failed(err, "Cannot read reservation", "%s: %s", h, describe(run.c, err))
	}
	if !run.m.ours(h, r) {
		n := foreign(h, r)
		return r, refuse(n.Attribute, n.Summary, "%s Nothing was changed.", n.Detail)
	}
	if r.State == cloud.Ended {
		return r, nil
	}
	if !r.State.Live() {
		return r, run.over(r)
	}
	ds := fixedDifferences(run.caps, w.Spec, r)
	if h.Mark.Name != w.Mark.Name && !run.kind.CanChange(cloud.AttrName) {
		ds = append(ds, difference{cloud.AttrName, h.Mark.Name, w.Mark.Name})
	}
	if len(ds) > 0 {
		return r, refuse(ds[0].attribute, "Cannot change in place", "%s: %s. Nothing was changed.", h, join(ds))
	}
	return r, nil
}

// missing is what it means that the cloud does not know the id: after the end,
// that it shows the ended object no longer.
func (run *updating) missing(ctx context.Context, cause error) (cloud.Reservation, error) {
	h, spec := run.holder, run.wish.Spec
	if past, err := run.m.pastEnd(ctx, h); err != nil || !past {
		return cloud.Reservation{}, failed(cause, "Reservation is gone", "%s is not there any more. Plan again.", h)
	}
	return cloud.Reservation{
		Ref: h.Ref, State: cloud.Ended, NativeState: "past its end", Count: spec.Count, Match: spec.Match, EndsAt: h.EndsAt,
	}, nil
}

// afterEnd leaves an ended object alone. A name or tags that changed since are
// not worth an error, which would come back with every plan.
func (run *updating) afterEnd(r cloud.Reservation) (Result, error) {
	if alters(run.wish.changes(run.caps, r)) {
		return Result{}, run.over(r)
	}
	return Result{Reservation: r, Mark: run.holder.Mark, Status: run.holder.Status, Notices: []Notice{{
		"", "Reservation has ended", fmt.Sprintf("%s is %s: its name and tags were not written.", run.holder, r.NativeState),
	}}}, nil
}

func (run *updating) over(r cloud.Reservation) error {
	return refuse("", "Reservation has ended", "%s is %s and cannot be changed. Plan again.", run.holder, r.NativeState)
}

// mark is what the object shall carry: the claim stays, or is made for an object
// that has none yet; the lock it belongs to stays too. Where no claim can be
// written, nor can the rest.
func (run *updating) mark(r cloud.Reservation) cloud.Mark {
	if !run.caps.Claims {
		return r.Mark
	}
	mark := run.wish.Mark
	if mark.Lock == "" {
		mark.Lock = r.Mark.Lock
	}
	if mark.Claim = run.holder.Mark.Claim; mark.Claim == "" {
		mark.Claim = run.m.cfg.NewClaim()
	}
	return mark
}

// rename refuses to write a mark that names another reservation already: two
// objects of one mark could never be told apart again.
func (run *updating) rename(ctx context.Context, r cloud.Reservation, mark cloud.Mark) error {
	if !run.caps.Claims || r.Mark.Identifies(mark) {
		return nil
	}
	if !run.m.names.take(nameKey(mark)) {
		return usedTwice(mark, "changed")
	}
	items, err := run.m.list(ctx, run.c, run.wish.scope(run.c, r.Region), fresh)
	if err != nil {
		return failed(err, "Reservation not changed", "%s: it could not be made sure that the name %q is free: %s",
			run.holder, mark.Name, describe(run.c, err))
	}
	for id, other := range items {
		if id != r.Ref.NativeID && other.State.Live() && other.Mark.Identifies(mark) {
			return refuse("name", "Name is taken", "%s carries the mark owner %q, name %q already, so %s keeps its name. "+
				"Nothing was changed. Choose another name.", id, mark.Owner, mark.Name, run.holder)
		}
	}
	return nil
}
