package mem

import "github.com/gpulock/terraform-provider-gpu/internal/cloud"

// noWindow: it is there from its creation until it is given back.
func noWindow(p *problems, s cloud.Spec) {
	if !s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a %s reservation is there at once", s.Kind)
	}
	p.endless(s)
}

// endless names the ends of a wish that has none.
func (p *problems) endless(s cloud.Spec) {
	if !s.EndAt.IsZero() {
		p.add(cloud.AttrEnd, "a %s reservation has no end", s.Kind)
	}
	if s.Duration > 0 {
		p.add(cloud.AttrDuration, "a %s reservation has no end", s.Kind)
	}
}

// allocate makes a dedicated host, which counts as one instance of its type.
func (c *Cloud) allocate(accountID string, req cloud.CreateRequest) (*object, error) {
	req.Spec.Kind = cloud.DedicatedHost
	return c.addDrawn(accountID, req)
}
