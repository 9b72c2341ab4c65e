package mem

import (
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// onDemandWindow: it starts at once.
func onDemandWindow(p *problems, s cloud.Spec) {
	if !s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "an on-demand reservation starts at once")
	}
}

// reserve makes an on-demand reservation.
func (c *Cloud) reserve(accountID string, req cloud.CreateRequest) (*object, error) {
	if found := wrongEnd(req.Spec, c.clock.Now()); len(found) > 0 {
		return nil, invalid("Create", found)
	}
	o, err := c.addDrawn(accountID, req)
	if err != nil {
		return nil, err
	}
	o.r.EndsAt, o.r.UsableUntil = req.Spec.EndAt.UTC(), req.Spec.EndAt.UTC()
	return o, nil
}

// addDrawn adds a reservation that is drawn out of quota and capacity, and held
// after a while.
func (c *Cloud) addDrawn(accountID string, req cloud.CreateRequest) (*object, error) {
	if err := c.draw("Create", accountID, req.Spec, req.Spec.Count); err != nil {
		return nil, err
	}
	o := c.add(accountID, req)
	o.drawn = true
	if c.lag > 0 {
		o.r.State, o.heldAfter = cloud.Pending, c.clock.Now().Add(c.lag)
	}
	return o, nil
}

// wrongEnd names what is wrong with the end of a reservation that starts now.
func wrongEnd(s cloud.Spec, now time.Time) []cloud.Problem {
	var p problems
	if !s.EndAt.IsZero() && !s.EndAt.After(now) {
		p.add(cloud.AttrEnd, "is past")
	}
	if s.EndAt.IsZero() && s.Duration > 0 {
		p.add(cloud.AttrDuration, "must come with the instant it leads to")
	}
	return p
}
