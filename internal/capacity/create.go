package capacity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// maxLives bounds how many earlier lives of one wish are stepped over.
const maxLives = 64

// creation is one create under way.
type creation struct {
	operation
	// life is the token's generation.
	life int
	// known holds the ids of every listing so far: an object in it is not of
	// this run.
	known map[string]bool
	// over holds, by id, what turned out not to be live any more since it was listed.
	over map[string]cloud.Reservation
	// cleared tells that two listings a minute apart had no object of the mark.
	cleared bool
	// committed tells that money may be spent.
	committed bool
	// end is what was asked for in this run, the same in each try.
	end time.Time
}

// Create makes the wish come true exactly once: it adopts what an earlier run
// left, or asks the cloud, waits as long as it may, and says how it ended.
func (m *Manager) Create(ctx context.Context, w Wish) (Result, error) {
	c, err := m.Cloud(w.Cloud)
	if err != nil {
		return Result{}, err
	}
	run := &creation{operation: m.operation(c, w), known: map[string]bool{}, over: map[string]cloud.Reservation{}}
	if err := run.admit(); err != nil {
		return Result{}, err
	}
	ctx, cancel := m.within(ctx, w.Timeout)
	defer cancel()
	if err := run.share(ctx); err != nil {
		return Result{}, err
	}
	return run.run(ctx)
}

// admit applies the rules that need no cloud.
func (run *creation) admit() error {
	w := run.wish
	if !run.m.names.take(nameKey(w.Mark)) {
		return usedTwice(w.Mark, "created")
	}
	if run.buys() {
		return nil // the offer that is bought decides, not one seen before
	}
	return CheckCeiling("max_usd_per_hour", w.MaxPerHour, w.Price.PerHour)
}

func (run *creation) run(ctx context.Context) (Result, error) {
	if found, err := run.find(ctx, fresh); err != nil || found != nil {
		return run.take(ctx, found, err)
	}
	if err := run.clear(ctx); err != nil {
		return Result{}, err
	}
	if err := run.letSettle(ctx); err != nil {
		return Result{}, err
	}
	var err error
	if run.end, err = run.firstEnd(ctx); err != nil {
		return Result{}, err
	}
	giveBack, err := run.price(ctx)
	if err != nil {
		return Result{}, err
	}
	if !run.kind.Idempotent {
		// The last look comes right before the purchase.
		if found, err := run.find(ctx, 0); err != nil || found != nil {
			giveBack()
			return run.take(ctx, found, err)
		}
	}
	result, err := run.ask(ctx)
	if !run.committed {
		giveBack()
	}
	return result, err
}

// take adopts what a look found.
func (run *creation) take(ctx context.Context, found *cloud.Reservation, err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	return run.adopt(ctx, *found)
}

// letSettle waits between the first and the last look for a create that takes no
// token, a little longer or shorter each time: two runs of one name that began
// together then do not buy together.
func (run *creation) letSettle(ctx context.Context) error {
	if run.kind.Idempotent {
		return nil
	}
	return run.between(ctx, settle+run.m.cfg.Jitter(maxJitter))
}

// ask sends the create until the cloud accepts it or refuses for good.
func (run *creation) ask(ctx context.Context) (Result, error) {
	for {
		r, err := run.send(ctx)
		switch {
		case err != nil:
			run.record(err)
			if again, result, err := run.refused(ctx, err); !again {
				return result, err
			}
		case !r.State.Live():
			if again, result, err := run.nextLife(ctx, r); !again {
				return result, err
			}
		case r.Mark.Claim != "":
			// A new object has no claim yet: this is one that the listing missed.
			return run.adopt(ctx, r)
		default:
			return run.accepted(ctx, r)
		}
	}
}

func (run *creation) send(ctx context.Context) (cloud.Reservation, error) {
	w := run.wish
	spec := w.Spec
	token, err := cloud.Token(w.Mark, spec, run.life)
	if err != nil {
		return cloud.Reservation{}, err
	}
	spec.EndAt = run.end
	mark := w.Mark
	mark.Claim = ""
	req := cloud.CreateRequest{Spec: spec, Mark: mark, Token: token}
	if run.kind.ByOffer {
		req.Spec.OfferID, req.Offer = run.offer.ID, run.offer
	}
	return run.c.Create(ctx, req)
}

// nextLife steps over an object that answers an earlier life's token. One that
// the cloud refused just now is the end.
func (run *creation) nextLife(ctx context.Context, r cloud.Reservation) (again bool, result Result, err error) {
	if !run.kind.Idempotent || r.State == cloud.Refused && !run.earlier(ctx, r) || run.life+1 >= maxLives {
		result, err = run.ended(ctx, r)
		return false, result, err
	}
	run.life++
	return true, Result{}, nil
}

// earlier tells whether the object was there before this run: a listing showed
// it, or it is older than the run by the cloud's clock.
func (run *creation) earlier(ctx context.Context, r cloud.Reservation) bool {
	if run.known[r.Ref.NativeID] {
		return true
	}
	now, err := run.m.Now(ctx, run.wish.Cloud, run.wish.Spec.Account, run.wish.Spec.Region)
	if err != nil || r.CreatedAt.IsZero() {
		return false
	}
	began := run.deadline.Add(-run.wish.Timeout)
	return now.Sub(r.CreatedAt) > run.m.cfg.Clock.Now().Sub(began)+settle
}

// refused decides what a failed create leads to: another try, or the end.
func (run *creation) refused(ctx context.Context, cause error) (again bool, result Result, err error) {
	var e *cloud.Error
	switch {
	case errors.As(cause, &e) && e.TokenMismatch:
		return run.mismatch(ctx, cause)
	case cloud.MaybeAccepted(cause):
		result, err = run.recover(ctx, cause)
		return false, result, err
	case cloud.CodeOf(cause) != cloud.NoCapacity || !run.kind.Idempotent:
		// Without a token a create is sent once, even if it was refused.
		run.warn(ctx, "none")
	case run.wait(ctx, cause):
		return true, Result{}, nil
	}
	return false, Result{}, run.failure(cause, "%s", describe(run.c, cause))
}

// mismatch: the token was used with other inputs. If its object is there, it
// decides; if two complete listings a minute apart are empty, it is of an
// earlier life, and so is every further one.
func (run *creation) mismatch(ctx context.Context, cause error) (bool, Result, error) {
	if !run.cleared {
		found, err := run.search(ctx)
		if err != nil {
			return false, Result{}, err
		}
		if found != nil {
			result, err := run.adopt(ctx, *found)
			return false, result, err
		}
		run.cleared = true
	}
	run.life++
	if run.life >= maxLives {
		return false, Result{}, run.failure(cause, "%s", describe(run.c, cause))
	}
	return true, Result{}, nil
}

// recover looks for what a create left whose answer was lost. It still looks
// when the run was interrupted. Nothing found proves nothing: the money stays
// set aside.
func (run *creation) recover(ctx context.Context, cause error) (Result, error) {
	run.committed = true
	look, cancel := outlive(ctx)
	defer cancel()
	found, err := run.find(look, 0)
	if err == nil && found != nil {
		return run.accepted(ctx, *found)
	}
	run.warn(ctx, "none")
	return Result{}, run.failure(cause,
		"%s. The cloud may or may not have accepted the request for %s. It carries the mark owner %q, name %q: "+
			"apply again, and it is found by that mark and taken over, or created if it is not there",
		describe(run.c, cause), run.wish.where(), run.wish.Mark.Owner, run.wish.Mark.Name)
}

// failure is end (a) or (c), with every attempt in it.
func (run *creation) failure(cause error, format string, args ...any) error {
	return failed(cause, fmt.Sprintf("No reservation of %s", run.wish.where()), "%s.%s", fmt.Sprintf(format, args...), run.report())
}

// firstEnd is the end to send with a create: a length without a start counts
// from now, by the cloud's clock. An offer has an end of its own.
func (run *creation) firstEnd(ctx context.Context) (time.Time, error) {
	w := run.wish
	switch {
	case run.kind.ByOffer:
		return w.Spec.EndAt, nil
	case !w.Spec.EndAt.IsZero(), !w.Spec.StartAt.IsZero(), w.Spec.Duration == 0:
		return w.end(time.Time{}), nil
	}
	now, err := run.m.Now(ctx, w.Cloud, w.Spec.Account, w.Spec.Region)
	if err != nil {
		return time.Time{}, err
	}
	return w.end(now), nil
}
