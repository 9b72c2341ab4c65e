package capacity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Delete gives the reservation up, or says why not. What is gone or ended
// already, and what another claim holds, is only forgotten.
func (m *Manager) Delete(ctx context.Context, h Holder, how Release) ([]Notice, error) {
	if how.OnDestroy == OnDestroyAbandon && h.Status != Refused {
		return abandoned(h), nil
	}
	c, err := m.Cloud(h.Cloud)
	if err != nil {
		return nil, err
	}
	if m.replaced(c, h) {
		return []Notice{takenHere(h)}, nil
	}
	if err := m.realm(ctx, c, h); err != nil {
		return nil, err
	}
	ctx, cancel := m.within(ctx, how.Timeout)
	defer cancel()
	run := &deletion{m: m, c: c, holder: h, how: how, deadline: m.cfg.Clock.Now().Add(how.Timeout)}
	return run.run(ctx)
}

func abandoned(h Holder) []Notice {
	return []Notice{{"on_destroy", "Reservation abandoned", fmt.Sprintf(
		"%s was left as it is, because on_destroy is \"abandon\". It may go on costing money.", h)}}
}

// deletion is one delete under way.
type deletion struct {
	m        *Manager
	c        cloud.Cloud
	holder   Holder
	how      Release
	deadline time.Time
	// refusal is the last one for users, users are the ids that refusals named.
	refusal error
	users   []string
}

func (run *deletion) run(ctx context.Context) ([]Notice, error) {
	r, done, notices, err := run.look(ctx)
	if done || err != nil {
		return notices, err
	}
	if r.State.Live() && run.how.OnDestroy == OnDestroyAbandon {
		return abandoned(run.holder), nil
	}
	return run.release(ctx, r)
}

// release gives the object up as soon as nobody uses it, or may be let down. The
// terms may change while it waits.
func (run *deletion) release(ctx context.Context, r cloud.Reservation) ([]Notice, error) {
	if r.State == cloud.Ended || r.State == cloud.Gone {
		return run.cleared(ctx, r)
	}
	for {
		quote, err := run.m.terms(ctx, run.c, run.holder, r, run.how)
		if err != nil {
			return nil, err
		}
		if run.unused(r) {
			err := run.giveUp(ctx, r, quote)
			if cloud.CodeOf(err) != cloud.InUse {
				return run.released(ctx, quote, err)
			}
			run.note(err)
		}
		if run.m.cfg.Clock.Now().Add(pollEvery).After(run.deadline) || run.m.cfg.Clock.Sleep(ctx, pollEvery) != nil {
			return nil, run.stillUsed(ctx, r)
		}
		now, done, notices, err := run.look(ctx)
		if done || err != nil {
			return notices, err
		}
		r = now
	}
}

// cleared removes what is left of an object that came to its end. Nothing is held,
// so that what cannot be removed is no error, unless a release left it: an earlier
// one, or this one.
func (run *deletion) cleared(ctx context.Context, r cloud.Reservation) ([]Notice, error) {
	err := run.c.Release(ctx, r.Ref)
	if err == nil || r.Remains || run.begun(ctx, err) {
		return run.released(ctx, nil, err)
	}
	return []Notice{{"name", "Name stays taken", fmt.Sprintf("%s is over and is forgotten. What is left of it keeps its name taken "+
		"and could not be removed: %s.", run.holder, describe(run.c, err))}}, nil
}

// begun tells that a release which failed is under way or left something: only a
// look can tell, and one that fails tells what the release did. It still does when
// the run was interrupted.
func (run *deletion) begun(ctx context.Context, cause error) bool {
	look, cancel := outlive(ctx)
	defer cancel()
	r, err := run.c.Get(look, run.holder.Ref)
	if err != nil {
		return cloud.MaybeAccepted(cause) && cloud.CodeOf(err) != cloud.NotFound
	}
	return r.Remains || r.State == cloud.Leaving
}

func (run *deletion) giveUp(ctx context.Context, r cloud.Reservation, quote *cloud.Quote) error {
	canceller, ok := cloud.As[cloud.Canceller](run.c)
	if quote == nil || !ok {
		return run.c.Release(ctx, r.Ref)
	}
	return canceller.Cancel(ctx, r.Ref, *quote)
}

// note keeps a refusal, and the users that it named.
func (run *deletion) note(err error) {
	run.refusal = err
	var e *cloud.Error
	if errors.As(err, &e) && len(e.Users) > 0 {
		run.users = e.Users
	}
}

// look reads the object and tells whether there is nothing to release.
func (run *deletion) look(ctx context.Context) (r cloud.Reservation, done bool, notices []Notice, err error) {
	h := run.holder
	r, err = run.c.Get(ctx, h.Ref)
	switch {
	case cloud.CodeOf(err) == cloud.NotFound:
		return r, true, nil, nil
	case err != nil:
		return r, false, nil, failed(err, "Cannot read reservation", "%s: %s. Nothing was released.", h, describe(run.c, err))
	case !run.m.ours(h, r), run.m.takenOver(h, r):
		n := foreign(h, r)
		n.Detail += " This state only forgets it."
		return r, true, []Notice{n}, nil
	case !r.State.Live() && !r.BilledUntil.IsZero():
		notices = []Notice{{"", "Reservation is paid for after its end", fmt.Sprintf(
			"%s is %s and is paid for until %s.", h, r.NativeState, stamp(r.BilledUntil))}}
	}
	return r, !r.State.Live() && !run.leftover(r), notices, nil
}

// takenOver tells that this process adopted the object, unless the claim on it
// is the holder's own: where no claim can tell, its own replacement holds it.
func (m *Manager) takenOver(h Holder, r cloud.Reservation) bool {
	own := r.Mark.Claim != "" && r.Mark.Claim == h.Mark.Claim
	return !own && m.adopted.has(r.Ref.NativeID)
}

// replaced tells the same of a holder where no claim can be written. It needs no
// look at the object, so that it also holds in a run that was interrupted.
func (m *Manager) replaced(c cloud.Cloud, h Holder) bool {
	return !c.Capabilities().Claims && m.adopted.has(h.Ref.NativeID)
}

// takenHere says that the holder's own replacement has the object now.
func takenHere(h Holder) Notice {
	return Notice{"name", "Reservation was taken over", fmt.Sprintf(
		"%s was adopted by its replacement in this run. This state only forgets it.", h)}
}

// leftover tells that the object is over and not all gone: it keeps its name taken,
// or a release did not end.
func (run *deletion) leftover(r cloud.Reservation) bool {
	return !r.State.Live() && (r.Remains || run.c.Capabilities().NativeName)
}

// unused tells whether users stand in the way of giving the object up now.
func (run *deletion) unused(r cloud.Reservation) bool {
	return r.InUse == 0 || run.how.InUse && run.c.Capabilities().Kinds[r.Kind].GoesInUse(r.Match)
}

// released is what a release call led to; one whose answer was lost is looked
// at, also when the run was interrupted.
func (run *deletion) released(ctx context.Context, quote *cloud.Quote, err error) ([]Notice, error) {
	switch {
	case err == nil && quote != nil:
		return []Notice{charged(run.holder, run.how, *quote)}, nil
	case err == nil:
		return nil, nil
	}
	if cloud.MaybeAccepted(err) {
		look, cancel := outlive(ctx)
		defer cancel()
		if _, done, notices, lookErr := run.look(look); done && lookErr == nil {
			return notices, nil
		}
	}
	return nil, failed(err, "Reservation not released", "%s: %s. It is kept in the state.", run.holder, describe(run.c, err))
}

func (run *deletion) stillUsed(ctx context.Context, r cloud.Reservation) error {
	cause := ctx.Err()
	ctx, cancel := outlive(ctx)
	defer cancel()
	way := "Stop them."
	if run.c.Capabilities().Kinds[r.Kind].GoesInUse(r.Match) && !run.how.InUse {
		way = "Stop them, or set on_release_in_use = \"release\" and apply first."
	}
	return &Failure{Notice{"on_release_in_use", "Reservation is in use", fmt.Sprintf(
		"%s is in use %s %s", run.holder, run.inUse(ctx, r), way)}, cause}
}

// inUse says by what, as far as that is known: by the ids that the object or a
// refusal named, else in the cloud's own words.
func (run *deletion) inUse(ctx context.Context, r cloud.Reservation) string {
	ids := run.users
	if r.InUse > 0 || len(ids) == 0 {
		if now := run.m.userIDs(ctx, run.c, r); len(now) > 0 {
			ids = now
		}
	}
	switch {
	case len(ids) > 0:
		return fmt.Sprintf("by %d instances and was not released. In use by: %s.", len(ids), strings.Join(ids, ", "))
	case run.refusal != nil:
		return fmt.Sprintf("and was not released: %s.", describe(run.c, run.refusal))
	}
	return fmt.Sprintf("by %d instances whose ids the cloud did not tell, and was not released.", r.InUse)
}
