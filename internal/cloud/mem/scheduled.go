package mem

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// FreeBefore is how long before its start a scheduled reservation stops being
// free to give up.
const FreeBefore = 8 * 7 * 24 * time.Hour

// How far ahead a scheduled reservation can start.
const (
	MinLead = 24 * time.Hour
	MaxLead = 365 * 24 * time.Hour
)

// scheduledWindow: the start is the point of it, and the end is not inside the
// commitment.
func scheduledWindow(p *problems, s cloud.Spec) {
	if s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a scheduled reservation needs a start")
		return
	}
	end := endOf(s)
	if length, err := time.ParseDuration(completed([]option{commitment()}, s.Native)[Commitment]); err == nil &&
		!end.IsZero() && end.After(s.StartAt) && end.Before(s.StartAt.Add(length)) {
		p.add(cloud.AttrEnd, "is inside the commitment of %s", length)
	}
}

// endOf is the end of a wish that has a start, zero without one.
func endOf(s cloud.Spec) time.Time {
	if s.EndAt.IsZero() && s.Duration > 0 {
		return s.StartAt.Add(s.Duration).UTC()
	}
	return s.EndAt.UTC()
}

// schedule accepts a scheduled reservation, to be decided later.
func (c *Cloud) schedule(accountID string, req cloud.CreateRequest) (*object, error) {
	now := c.clock.Now()
	var p problems
	if p.lead(req.Spec.StartAt.Sub(now), c.kinds()[req.Spec.Kind]); len(p) > 0 {
		return nil, invalid("Create", p)
	}
	if err := c.allowed("Create", accountID, req.Spec, req.Spec.Count); err != nil {
		return nil, err
	}
	o := c.add(accountID, req)
	o.r.State, o.heldAfter = cloud.Pending, now.Add(c.assessment)
	o.r.StartsAt, o.r.EndsAt = req.Spec.StartAt.UTC(), endOf(req.Spec)
	o.r.UsableUntil = o.r.EndsAt
	return o, nil
}

// lead checks how far ahead a start is.
func (p *problems) lead(lead time.Duration, kind rules) {
	if lead < kind.MinLead || lead > kind.MaxLead {
		p.add(cloud.AttrStart, "must be between %s and %s ahead", kind.MinLead, kind.MaxLead)
	}
}

// commitmentEnd is when the commitment of a scheduled reservation ends.
func commitmentEnd(o *object) time.Time {
	length, err := time.ParseDuration(o.r.Native[Commitment])
	if err != nil {
		return o.r.StartsAt
	}
	return o.r.StartsAt.Add(length)
}

// scheduledUntil: committed from the promise to the end of the commitment, and
// free all the same until well before the start.
func scheduledUntil(o *object, now time.Time) (until, free time.Time) {
	until = commitmentEnd(o)
	if o.r.State != cloud.Held || !now.Before(until) {
		return time.Time{}, time.Time{}
	}
	if now.Before(o.r.StartsAt) {
		free = o.r.StartsAt.Add(-FreeBefore)
	}
	return until, free
}
