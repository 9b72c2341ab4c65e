package mem

import "github.com/gpulock/terraform-provider-gpu/internal/cloud"

// noWindow: a host is there from its allocation until it is given back.
func noWindow(p *problems, s cloud.Spec) {
	if !s.StartAt.IsZero() {
		p.add(cloud.AttrStart, "a host is there at once")
	}
	if !s.EndAt.IsZero() {
		p.add(cloud.AttrEnd, "a host has no end")
	}
	if s.Duration > 0 {
		p.add(cloud.AttrDuration, "a host has no end")
	}
}

// allocate makes a dedicated host, which counts as one instance of its type.
func (c *Cloud) allocate(accountID string, req cloud.CreateRequest) (*object, error) {
	req.Spec.Kind = cloud.DedicatedHost
	return c.addDrawn(accountID, req)
}
