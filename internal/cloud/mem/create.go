package mem

import (
	"context"
	"fmt"
	"maps"

	"github.com/gpulock/terraform-provider-gpu/internal/cloud"
)

// Create implements cloud.Cloud.
func (c *Cloud) Create(ctx context.Context, req cloud.CreateRequest) (cloud.Reservation, error) {
	s := req.Spec
	call := cloud.Call{
		Method: "Create", Account: s.Account, Region: s.Region, Zone: s.Zone, InstanceType: s.InstanceType,
		Writes: true, Repeatable: c.Capabilities().Kinds[s.Kind].Idempotent && req.Token != "",
	}
	return do(ctx, c, call, func() (cloud.Reservation, error) {
		spec, found := c.Check(s)
		if len(found) > 0 {
			return cloud.Reservation{}, invalid("Create", found)
		}
		id, err := c.accountID(spec.Account)
		if err != nil {
			return cloud.Reservation{}, err
		}
		if spec.ShareWith, err = c.shares("Create", id, spec.ShareWith); err != nil {
			return cloud.Reservation{}, err
		}
		req.Spec, req.Mark.Claim = spec, ""
		o, err := c.once(id, req)
		if err != nil {
			return cloud.Reservation{}, err
		}
		return c.show(o, s.Account), nil
	})
}

// once makes what is wished, once for each token where the kind takes one and
// once for each name where names are native.
func (c *Cloud) once(accountID string, req cloud.CreateRequest) (*object, error) {
	inputs, err := cloud.Token(req.Mark, req.Spec, 0)
	if err != nil {
		return nil, &cloud.Error{Code: cloud.Internal, Op: "Create", Cause: err}
	}
	if c.named() {
		if o, err := c.namesake(accountID, req, inputs); o != nil || err != nil {
			return o, err
		}
	}
	o, err := c.onceByToken(accountID, req, inputs)
	if err != nil {
		return nil, err
	}
	o.inputs = inputs
	return o, nil
}

func (c *Cloud) onceByToken(accountID string, req cloud.CreateRequest, inputs string) (*object, error) {
	kind := c.kinds()[req.Spec.Kind]
	if c.grouped {
		if err := c.enter(accountID, req); err != nil {
			return nil, err
		}
		req.Token = "" // a name that is free again remembers nothing
	}
	if !kind.Idempotent || req.Token == "" {
		return kind.make(c, accountID, req)
	}
	key := token{accountID, req.Token}
	if known, ok := c.tokens[key]; ok {
		if known.inputs != inputs {
			return nil, tokenMismatch("Create")
		}
		return known.object, nil
	}
	o, err := kind.make(c, accountID, req)
	if err == nil {
		c.tokens[key] = made{inputs: inputs, object: o}
	}
	return o, err
}

func tokenMismatch(op string) error {
	return &cloud.Error{
		Code: cloud.Conflict, Op: op, Native: "TokenMismatch", TokenMismatch: true,
		Message: "the token was used before with other inputs",
	}
}

// add puts a held reservation into the world.
func (c *Cloud) add(accountID string, req cloud.CreateRequest) *object {
	s := req.Spec
	c.serial++
	o := &object{
		r: cloud.Reservation{
			Ref:       cloud.Ref{NativeID: fmt.Sprintf("%s/%s/r-%06d", accountID, s.Region, c.serial)},
			AccountID: accountID, Region: s.Region, Zone: s.Zone, Kind: s.Kind,
			InstanceType: s.InstanceType, Count: s.Count, Match: s.Match,
			State: cloud.Held, CreatedAt: c.clock.Now(), Native: maps.Clone(s.Native),
			StartsAt: c.clock.Now(), ShareWith: s.ShareWith,
		},
		tags: map[string]string{},
	}
	if c.named() {
		o.r.Ref.NativeID, o.r.NativeName = c.nativeID(accountID, req), req.Mark.Name
	}
	maps.Copy(o.tags, s.Tags)
	maps.Copy(o.tags, req.Mark.Tags())
	c.objects = append(c.objects, o)
	return o
}

// draw takes n more instances out of quota and capacity, or neither.
func (c *Cloud) draw(op, accountID string, s cloud.Spec, n int) error {
	if err := c.allowed(op, accountID, s, n); err != nil {
		return err
	}
	return c.take(op, s, n)
}

// allowed tells whether the quota lets n more instances through.
func (c *Cloud) allowed(op, accountID string, s cloud.Spec, n int) error {
	shape, err := shapeOf(op, s.InstanceType)
	if err != nil {
		return err
	}
	scope := QuotaOf(accountID, s.Region, s.InstanceType)
	limit, need := c.limit(scope), float64(n*shape.VCPUs)
	if used := c.used(scope); used+need > limit {
		return &cloud.Error{
			Code: cloud.QuotaExceeded, Op: op, Native: "QuotaExceeded", Quota: &scope,
			Message: fmt.Sprintf("%g vCPUs of %g are in use, %g more were asked for", used, limit, need),
		}
	}
	return nil
}

// take takes n instances out of what is free.
func (c *Cloud) take(op string, s cloud.Spec, n int) error {
	place := PlaceOf(s)
	free, counted := c.capacity[place]
	if counted && free < n {
		return &cloud.Error{
			Code: cloud.NoCapacity, Op: op, Native: "OutOfCapacity", ZoneHints: c.zonesWith(s, n),
			Message: fmt.Sprintf("%s has %d %s free, %d were asked for", place.Zone, free, s.InstanceType, n),
		}
	}
	c.give(place, -n)
	return nil
}

// zonesWith names the other zones of the region that are known to have n free.
func (c *Cloud) zonesWith(s cloud.Spec, n int) []string {
	var zones []string
	for _, zone := range zonesOf(s.Region) {
		free, counted := c.capacity[Place{Zone: zone, InstanceType: s.InstanceType}]
		if zone != s.Zone && counted && free >= n {
			zones = append(zones, zone)
		}
	}
	return zones
}

func (c *Cloud) limit(scope cloud.QuotaScope) float64 {
	if limit, set := c.quota[scope]; set {
		return limit
	}
	return DefaultQuota
}

// used is what counts against a quota: every live reservation that was not bought
// by offer.
func (c *Cloud) used(scope cloud.QuotaScope) float64 {
	var vcpus float64
	for _, o := range c.objects {
		if c.kinds()[o.r.Kind].ByOffer || !o.r.State.Live() || QuotaOf(o.r.AccountID, o.r.Region, o.r.InstanceType) != scope {
			continue
		}
		for _, shape := range shapes() {
			if shape.Name == o.r.InstanceType {
				vcpus += float64(shape.VCPUs * o.r.Count)
			}
		}
	}
	return vcpus
}
