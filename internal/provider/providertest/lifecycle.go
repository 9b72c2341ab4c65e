package providertest

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Object is a resource as a state holds it.
type Object struct {
	// State are its attributes.
	State map[string]any

	value    tftypes.Value
	identity *tfprotov6.ResourceIdentityData
	private  []byte
}

// Plan is what a command line would show.
type Plan struct {
	// State are the attributes after an apply, Unknown where that tells.
	State map[string]any
	// Replace are the attributes that need a new object.
	Replace []string

	value   tftypes.Value
	private []byte
}

// Changes are the attributes in which a plan differs from the object, sorted.
func (p Plan) Changes(o *Object) []string { return differing(o.value, p.value) }

// Plan plans a configuration of a resource, of which nil is none yet. Like a
// command line it does not take every plan: what a configuration sets must be
// planned as it is set, or stay as it was.
func (s *Server) Plan(name string, config map[string]any, o *Object) (Plan, Diagnostics) {
	s.tb.Helper()
	schema := s.schemas.ResourceSchemas[name]
	form := schema.ValueType()
	before := o.in(form)
	wanted := encode(s.tb, form, config)
	req := &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, Config: s.pack(form, wanted), PriorState: s.pack(form, before),
		ProposedNewState: s.pack(form, s.proposed(schema, wanted, before)),
	}
	if o != nil {
		req.PriorPrivate, req.PriorIdentity = o.private, o.identity
	}
	resp, err := s.inner.PlanResourceChange(s.tb.Context(), req)
	s.must(err, nil)
	d := Diagnostics(resp.Diagnostics)
	if len(d.Errors()) > 0 {
		return Plan{}, d
	}
	plan := Plan{value: s.unpack(form, resp.PlannedState), private: resp.PlannedPrivate}
	plan.State = s.decode(resp.PlannedState, form)
	for _, at := range resp.RequiresReplace {
		plan.Replace = append(plan.Replace, at.String())
	}
	slices.Sort(plan.Replace)
	s.checkPlan(schema, wanted, before, plan.value)
	return plan, d
}

// Apply plans a configuration and applies the plan. The object is what the state
// holds then, also after an error.
func (s *Server) Apply(name string, config map[string]any, o *Object) (*Object, Diagnostics) {
	s.tb.Helper()
	plan, planned := s.Plan(name, config, o)
	if len(planned.Errors()) > 0 {
		return o, planned
	}
	form := s.schemas.ResourceSchemas[name].ValueType()
	req := &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, Config: s.pack(form, encode(s.tb, form, config)), PriorState: s.pack(form, o.in(form)),
		PlannedState: s.pack(form, plan.value), PlannedPrivate: plan.private,
	}
	if o != nil {
		req.PlannedIdentity = o.identity
	}
	resp, err := s.inner.ApplyResourceChange(s.tb.Context(), req)
	s.must(err, nil)
	d := Diagnostics(resp.Diagnostics)
	after := s.object(form, resp.NewState, resp.NewIdentity, resp.Private)
	if after != nil && len(d.Errors()) == 0 {
		s.checkApply(plan.value, after.value)
	}
	return after, append(planned, d...)
}

// Read refreshes an object; nil is one that is gone.
func (s *Server) Read(name string, o *Object) (*Object, Diagnostics) {
	s.tb.Helper()
	form := s.schemas.ResourceSchemas[name].ValueType()
	resp, err := s.inner.ReadResource(s.tb.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: s.pack(form, o.value), CurrentIdentity: o.identity, Private: o.private,
	})
	s.must(err, nil)
	if d := Diagnostics(resp.Diagnostics); len(d.Errors()) > 0 {
		return o, d
	}
	return s.object(form, resp.NewState, resp.NewIdentity, resp.Private), Diagnostics(resp.Diagnostics)
}

// Import imports an object by an id and reads it.
func (s *Server) Import(name, id string) (*Object, Diagnostics) {
	s.tb.Helper()
	resp, err := s.inner.ImportResourceState(s.tb.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
	s.must(err, nil)
	if d := Diagnostics(resp.Diagnostics); len(d.Errors()) > 0 {
		return nil, d
	}
	i := resp.ImportedResources[0]
	return s.Read(name, s.object(s.schemas.ResourceSchemas[name].ValueType(), i.State, i.Identity, i.Private))
}

func (s *Server) object(
	form tftypes.Type, state *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData, private []byte,
) *Object {
	s.tb.Helper()
	value := s.unpack(form, state)
	if value.IsNull() {
		return nil
	}
	return &Object{State: s.decode(state, form), value: value, identity: identity, private: private}
}

// in is the object's value, null for none.
func (o *Object) in(form tftypes.Type) tftypes.Value {
	if o == nil {
		return tftypes.NewValue(form, nil)
	}
	return o.value
}

// proposed is the configuration with what only the provider sets as it was.
func (s *Server) proposed(schema *tfprotov6.Schema, config, before tftypes.Value) tftypes.Value {
	s.tb.Helper()
	if before.IsNull() {
		return config
	}
	attributes, was := s.attributes(config), s.attributes(before)
	for _, a := range schema.Block.Attributes {
		if a.Computed && attributes[a.Name].IsNull() {
			attributes[a.Name] = was[a.Name]
		}
	}
	return tftypes.NewValue(config.Type(), attributes)
}

// checkPlan is a command line's rule for plans.
func (s *Server) checkPlan(schema *tfprotov6.Schema, config, before, planned tftypes.Value) {
	s.tb.Helper()
	wanted, is := s.attributes(config), s.attributes(planned)
	was := map[string]tftypes.Value{}
	if !before.IsNull() {
		was = s.attributes(before)
	}
	for _, a := range schema.Block.Attributes {
		set, value, kept := wanted[a.Name], is[a.Name], was[a.Name]
		if a.Computed && set.IsNull() || value.Equal(set) || !set.IsNull() && kept.Type() != nil && value.Equal(kept) {
			continue
		}
		s.tb.Errorf("invalid plan: %s is set to %s and planned as %s", a.Name, set, value)
	}
}

// checkApply is a command line's rule for applies: what was planned is so.
func (s *Server) checkApply(planned, after tftypes.Value) {
	s.tb.Helper()
	is := s.attributes(after)
	for name, value := range s.attributes(planned) {
		if value.IsFullyKnown() && !value.Equal(is[name]) {
			s.tb.Errorf("inconsistent result: %s was planned as %s and is %s", name, value, is[name])
		}
	}
}

func (s *Server) attributes(value tftypes.Value) map[string]tftypes.Value {
	s.tb.Helper()
	return maps.Clone(as[map[string]tftypes.Value](s.tb, value))
}

func differing(a, b tftypes.Value) []string {
	var x, y map[string]tftypes.Value
	if a.As(&x) != nil || b.As(&y) != nil {
		return nil
	}
	var names []string
	for name, value := range x {
		if !value.Equal(y[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s *Server) pack(form tftypes.Type, value tftypes.Value) *tfprotov6.DynamicValue {
	s.tb.Helper()
	packed, err := tfprotov6.NewDynamicValue(form, value)
	s.must(err, nil)
	return &packed
}

func (s *Server) unpack(form tftypes.Type, value *tfprotov6.DynamicValue) tftypes.Value {
	s.tb.Helper()
	unpacked, err := value.Unmarshal(form)
	s.must(err, nil)
	return unpacked
}
