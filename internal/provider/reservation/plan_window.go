package reservation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/attribute"
	"github.com/gpulock/terraform-provider-gpu/internal/provider/report"
)

// planWindow computes the instants of a new promise. What an offer decides is
// unknown until it is bought.
func (pl *planning) planWindow(ctx context.Context) {
	m, w := &pl.plan, pl.plan.window(ctx)
	pl.checkStart(ctx, w)
	if pl.kind().ByOffer {
		pl.checkEnd(ctx, w.EndAt)
		return
	}
	if start := attribute.TimeOf(w.StartAt); !start.IsZero() {
		m.StartsAt = attribute.TimeValue(start)
	}
	pl.planEnd(ctx, window{})
}

// checkStart holds a start that is newly set to how far ahead the kind may start,
// by the cloud's clock.
func (pl *planning) checkStart(ctx context.Context, w window) {
	start, kind := attribute.TimeOf(w.StartAt), pl.kind()
	// The start of what is bought by offer bounds a search, and may be past.
	if start.IsZero() || kind.ByOffer && kind.MaxLead == 0 {
		return
	}
	now, ok := pl.now(ctx)
	if !ok {
		return
	}
	var bounds []string
	early := !kind.ByOffer && start.Before(now.Add(kind.MinLead))
	late := kind.MaxLead > 0 && start.After(now.Add(kind.MaxLead))
	if !kind.ByOffer {
		bounds = append(bounds, fmt.Sprintf("not before %s (%s ahead)", text(now.Add(kind.MinLead)), days(kind.MinLead)))
	}
	if kind.MaxLead > 0 {
		bounds = append(bounds, fmt.Sprintf("not after %s (%s ahead)", text(now.Add(kind.MaxLead)), days(kind.MaxLead)))
	}
	if early || late {
		pl.diags.AddAttributeError(path.Root("window").AtName("start_at"), "Start is not possible", fmt.Sprintf(
			"window.start_at is %s; by the cloud's clock a reservation of kind %q starts %s.",
			w.StartAt.ValueString(), pl.plan.Kind.ValueString(), strings.Join(bounds, " and ")))
	}
}

// planStart plans a start that moves, where it does in place.
func (pl *planning) planStart(ctx context.Context, was window) {
	w := pl.plan.window(ctx)
	switch {
	case !pl.kind().CanChange(cloud.AttrStart) || w.StartAt.Equal(was.StartAt):
	case w.StartAt.IsUnknown():
		pl.plan.StartsAt = types.StringUnknown()
	case !w.StartAt.IsNull():
		pl.checkStart(ctx, w)
		pl.plan.StartsAt = attribute.TimeValue(attribute.TimeOf(w.StartAt))
	}
}

func text(t time.Time) string { return attribute.TimeValue(t.Truncate(time.Second)).ValueString() }

// days is a duration in days and hours where it is a whole number of them.
func days(d time.Duration) string {
	switch rest := d % day; {
	case rest == 0:
		return fmt.Sprintf("%d days", d/day)
	case d%time.Hour != 0:
		return d.String()
	case d > day:
		return fmt.Sprintf("%d days and %dh", d/day, rest/time.Hour)
	}
	return fmt.Sprintf("%dh", d/time.Hour)
}

// now is the cloud's time.
func (pl *planning) now(ctx context.Context) (time.Time, bool) {
	m, region := pl.plan, cmp.Or(pl.spec.Region, pl.plan.Region.ValueString())
	if region == "" && pl.prior != nil {
		region = pl.prior.Region.ValueString()
	}
	now, err := pl.p.Manager.Now(ctx, m.Cloud.ValueString(), m.account().ValueString(), region)
	report.Failure(pl.diags, err)
	return now, err == nil
}

// planEnd computes when the promise ends, and refuses an end that is past by the
// cloud's clock when it is newly set. A length counts from the start where one is
// given, else from the creation.
func (pl *planning) planEnd(ctx context.Context, was window) {
	m, w := &pl.plan, pl.plan.window(ctx)
	end := attribute.TimeOf(w.EndAt)
	switch {
	case m.Window.IsUnknown() || w.EndAt.IsUnknown() || w.Duration.IsUnknown():
		m.EndsAt, m.UsableUntil = types.StringUnknown(), types.StringUnknown()
		return
	case !w.Duration.IsNull() && !w.StartAt.IsNull():
		if w.StartAt.IsUnknown() {
			m.EndsAt, m.UsableUntil = types.StringUnknown(), types.StringUnknown()
			return
		}
		end = endOf(pl.spec)
	case !w.Duration.IsNull():
		if was.Duration != w.Duration {
			m.EndsAt, m.UsableUntil = types.StringUnknown(), types.StringUnknown()
		}
		return
	}
	m.EndsAt, m.UsableUntil = attribute.TimeValue(end), attribute.TimeValue(end)
	if was.EndAt != w.EndAt {
		pl.checkEnd(ctx, w.EndAt)
	}
}

// checkLength refuses a first duration that is not the length of what was bought:
// the state would not tell the truth, and the next one would be prolonged from it.
func (pl *planning) checkLength(ctx context.Context) {
	added, lasts := pl.plan.window(ctx).Duration, wholeDays(attribute.TimeOf(pl.prior.StartsAt), attribute.TimeOf(pl.prior.EndsAt))
	length, err := attribute.ParseDuration(added.ValueString())
	if err != nil || !pl.prior.window(ctx).Duration.IsNull() || lasts == 0 || length == lasts {
		return
	}
	is := attribute.DurationValue(lasts).ValueString()
	pl.diags.AddAttributeError(path.Root("window").AtName("duration"), "Not the length of what was bought", fmt.Sprintf(
		"window.duration is added as %s, but %s lasts %s, until %s. Add it as %q; once that is applied, a longer one prolongs it.",
		added.ValueString(), pl.prior.NativeID.ValueString(), is, pl.prior.EndsAt.ValueString(), is))
}

// checkEnd refuses an end that is past by the cloud's clock.
func (pl *planning) checkEnd(ctx context.Context, endAt types.String) {
	end := attribute.TimeOf(endAt)
	if end.IsZero() {
		return
	}
	if now, ok := pl.now(ctx); ok && !end.After(now) {
		pl.diags.AddAttributeError(path.Root("window").AtName("end_at"), "End is past", fmt.Sprintf(
			"window.end_at %s is not after %s, the present time by the cloud's clock.", endAt.ValueString(), text(now)))
	}
}
