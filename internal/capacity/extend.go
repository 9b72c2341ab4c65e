package capacity

import (
	"context"
	"fmt"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// prolonging is one extension of a prepaid window under way.
type prolonging struct {
	*operation
	extender cloud.Extender
	r        cloud.Reservation
}

// prolong extends a prepaid window to the wish's length. An extension takes no
// token: it is bought once at most, after two looks a minute apart at the
// extensions that exist, and one whose answer was lost is recognized among them.
func (op *operation) prolong(ctx context.Context, result *Result) error {
	extender, ok := cloud.As[cloud.Extender](op.c)
	if !ok || op.wish.Spec.Duration == 0 || !op.kind.CanChange(cloud.AttrDuration) {
		return nil
	}
	run := prolonging{operation: op, extender: extender, r: result.Reservation}
	last, missing, err := run.look(ctx)
	if err != nil {
		return err
	}
	if missing > 0 {
		if err := run.pause(ctx, settle); err != nil {
			return run.failure(err, "it could not be made sure that it was not prolonged before: that takes two looks %s apart: %s",
				settle, err)
		}
		if last, missing, err = run.look(ctx); err != nil {
			return err
		}
	}
	if missing > 0 {
		if last, err = run.buy(ctx, missing); err != nil {
			return err
		}
	}
	return run.paid(ctx, result, last)
}

// look reads the extensions and returns the last that counts, and how much is
// still missing of the wish's length.
func (run *prolonging) look(ctx context.Context) (last *cloud.Extension, missing time.Duration, err error) {
	extensions, err := run.extender.Extensions(ctx, run.r.Ref)
	if err != nil {
		return nil, 0, run.failure(err, "its extensions could not be read: %s", describe(run.c, err))
	}
	var extended, paid time.Duration
	for i, e := range extensions {
		if !e.State.Live() {
			continue
		}
		last, extended = &extensions[i], extended+e.By
		if e.State == cloud.Held {
			paid += e.By
		}
	}
	length := run.r.Length
	if length == 0 {
		// Nobody noted what was bought: days are what the instants come to.
		length = run.r.EndsAt.Sub(run.r.StartsAt).Round(day) - paid
	}
	return last, run.wish.Spec.Duration - length - extended, nil
}

const day = 24 * time.Hour

// buy prolongs by the cheapest offer of exactly that length.
func (run *prolonging) buy(ctx context.Context, by time.Duration) (*cloud.Extension, error) {
	offers, err := run.extender.ExtensionOffers(ctx, run.r.Ref, by)
	if err != nil {
		return nil, run.failure(err, "%s", describe(run.c, err))
	}
	if len(offers) == 0 {
		none := &cloud.Error{Code: cloud.NoCapacity, Op: "ExtensionOffers", Message: "nothing is offered to prolong it by " + by.String()}
		return nil, run.failure(none, "%s", none.Message)
	}
	giveBack, err := run.afford(&offers[0])
	if err != nil {
		return nil, err
	}
	bought, err := run.extender.Extend(ctx, run.r.Ref, offers[0])
	switch {
	case err == nil:
		return &bought, nil
	case !cloud.MaybeAccepted(err):
		giveBack()
		run.record(err)
		run.warn(ctx, "none")
		return nil, run.failure(err, "%s", describe(run.c, err))
	}
	return run.recover(ctx, err)
}

// recover looks for an extension whose answer was lost. It still looks when the
// run was interrupted.
func (run *prolonging) recover(ctx context.Context, cause error) (*cloud.Extension, error) {
	look, cancel := outlive(ctx)
	defer cancel()
	if last, missing, err := run.look(look); err == nil && missing <= 0 {
		return last, nil
	}
	return nil, run.failure(cause, "%s. It may have been bought all the same; the next apply looks for it before it buys another",
		describe(run.c, cause))
}

// paid waits until the last extension is paid, and reads what it led to. One that
// is still to be paid when time is up is good, with a notice.
func (run *prolonging) paid(ctx context.Context, result *Result, last *cloud.Extension) error {
	if last == nil {
		return nil
	}
	for last.State == cloud.Pending {
		if !run.mayWait(ctx) {
			result.Status = Degraded
			result.Notices = append(result.Notices, Notice{cloud.AttrDuration, "Extension is not paid yet", fmt.Sprintf(
				"%s was prolonged until %s; the end moves when the cloud has been paid. The next apply looks again.",
				run.r.Ref.NativeID, stamp(last.EndsAt))})
			return nil
		}
		now, _, err := run.look(ctx)
		if err != nil {
			return err
		}
		if now == nil || !now.PurchasedAt.Equal(last.PurchasedAt) {
			refused := &cloud.Error{Code: cloud.Conflict, Op: "Extend", Message: "the extension by " + last.By.String() + " was not paid"}
			return run.failure(refused, "%s", refused.Message)
		}
		last = now
	}
	r, err := run.c.Get(ctx, run.r.Ref)
	if err != nil {
		return run.failure(err, "it was prolonged and could not be read: %s", describe(run.c, err))
	}
	result.Reservation = r
	return nil
}

func (run *prolonging) failure(cause error, format string, args ...any) error {
	return &Failure{Notice{cloud.AttrDuration, "Reservation not prolonged", fmt.Sprintf("%s: %s.%s",
		run.r.Ref.NativeID, fmt.Sprintf(format, args...), run.report())}, cause}
}
