package capacity

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// result starts the result of a create whose object exists, with a new claim.
func (run *creation) result(r cloud.Reservation) Result {
	result := Result{Reservation: r, Mark: run.wish.Mark, Status: Held, Attempts: run.attempts}
	result.Mark.Claim = ""
	if run.caps.Claims {
		result.Mark.Claim = run.m.cfg.NewClaim()
	}
	return result
}

// accepted finishes a create whose object this run made: claim, then wait until
// held. Whatever is late becomes a notice: an error would taint a good object.
func (run *creation) accepted(ctx context.Context, r cloud.Reservation) (Result, error) {
	run.committed = true
	if run.kind.ByOffer && r.PaidUpfront == nil {
		r.PaidUpfront = &run.offer.Upfront
	}
	result := run.result(r)
	if run.caps.Claims {
		if err := run.late(ctx, &result, cloud.Change{Mark: &result.Mark}); err != nil {
			result.degrade(err)
		}
	}
	if result.Reservation.Unsettled {
		if err := run.late(ctx, &result, cloud.Change{Count: &run.wish.Spec.Count}); err != nil {
			result.degrade(err)
		}
	}
	return run.settled(ctx, result)
}

// adopt takes over what an earlier run, or another resource of this state,
// created under the wish's mark, and brings it to the wish.
func (run *creation) adopt(ctx context.Context, r cloud.Reservation) (Result, error) {
	run.m.adopted.take(r.Ref.NativeID)
	result := run.result(r)
	result.Notices = []Notice{{"name", "Existing reservation adopted", fmt.Sprintf(
		"%s, made at %s, carries the mark owner %q, name %q: it was taken over instead of creating a second one.",
		r.Ref.NativeID, stamp(r.CreatedAt), run.wish.Mark.Owner, run.wish.Mark.Name)}}
	if !run.caps.Claims {
		result.Notices[0].Detail += "\n\n" + run.caps.Title + " takes no claim that could tell it from an earlier object of this state. If this run " +
			"replaces one and ends before that is forgotten, the next apply would release the reservation with it: replace under a new name, or " +
			"let this run end."
	}
	for _, step := range run.steps(r, result.Mark, nil) {
		err := run.late(ctx, &result, step)
		if err == nil {
			continue
		}
		if step.Mark != nil && r.Mark.Claim != "" {
			// Another claim is on it, so that it is not ours yet.
			return Result{}, run.failure(err, "%s carries this name and was not taken over: %s Apply again",
				r.Ref.NativeID, detailOf(err))
		}
		result.degrade(err)
		break
	}
	before := result.Reservation.EndsAt
	if err := run.prolong(ctx, &result); err != nil {
		result.degrade(err)
	} else if end := result.Reservation.EndsAt; end.After(before) {
		result.Notices = append(result.Notices, Notice{cloud.AttrDuration, "Adopted reservation prolonged", fmt.Sprintf(
			"%s ended at %s, before the length that is asked for, and was prolonged until %s.", r.Ref.NativeID, stamp(before), stamp(end))})
	}
	return run.settled(ctx, result)
}

// late makes a change after the object is there, also when the run was
// interrupted.
func (run *creation) late(ctx context.Context, result *Result, change cloud.Change) error {
	ctx, cancel := outlive(ctx)
	defer cancel()
	err := run.change(ctx, result, change)
	result.Attempts = run.attempts
	return err
}

// degrade ends a create whose object is good and not complete.
func (result *Result) degrade(err error) {
	result.Status = Degraded
	result.Notices = append(result.Notices, Notice{
		"status", "Reservation is not complete", detailOf(err) + "\n\nThe object is kept; the next apply finishes it in place.",
	})
}

// detailOf is a failure's text without its summary.
func detailOf(err error) string {
	var f *Failure
	if errors.As(err, &f) {
		return f.Detail
	}
	return cloud.Clean(err.Error())
}

// settled waits until the object is held and says how the create ended.
func (run *creation) settled(ctx context.Context, result Result) (Result, error) {
	run.await(ctx, &result)
	r := result.Reservation
	if !r.State.Live() {
		return run.ended(ctx, r)
	}
	if err := run.commit(ctx, &result); err != nil {
		result.degrade(err)
	}
	if r.Missing > 0 {
		result.Notices = append(result.Notices, partly(r))
	}
	return result, nil
}

// partly says that the cloud promised less than was asked for.
func partly(r cloud.Reservation) Notice {
	return Notice{cloud.AttrCount, "Reservation is partly fulfilled", fmt.Sprintf(
		"%s holds %d of the %d instances asked for; the cloud will not give the others.", r.Ref.NativeID, r.Count-r.Missing, r.Count)}
}

// ended is the end of a create that the cloud accepted and then ended. Where the
// name is the object's own, what is left would keep it taken: it is removed, and
// if that fails the caller gets it with the error, for the next run to remove.
func (run *creation) ended(ctx context.Context, r cloud.Reservation) (Result, error) {
	run.committed = false
	refusal := &cloud.Error{
		Code: cloud.Internal, Op: "Create", Native: r.NativeState,
		Message: "the cloud accepted the request and then ended it: " + r.Ref.NativeID + " is " + r.NativeState,
	}
	run.record(refusal)
	run.warn(ctx, "none")
	if !run.caps.NativeName {
		return Result{}, run.failure(refusal, "%s", refusal.Message)
	}
	ctx, cancel := outlive(ctx)
	defer cancel()
	if err := run.c.Release(ctx, r.Ref); err != nil {
		result := run.result(r)
		result.Status = Refused
		return result, run.failure(err, "%s. What is left of it keeps the name taken and could not be removed: %s. "+
			"The next apply or destroy removes it first", refusal.Message, describe(run.c, err))
	}
	return Result{}, run.failure(refusal, "%s. What was left of it was removed", refusal.Message)
}
