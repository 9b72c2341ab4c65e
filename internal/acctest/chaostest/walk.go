package chaostest

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// planned is a planned change of the object in state.
type planned struct {
	config, after tftypes.Value
	private       []byte
	replace       bool
}

// plan refreshes and plans in a provider of its own.
func (c *command) plan(w Wish) (planned, error) {
	if err := c.start(); err != nil {
		return planned{}, err
	}
	if err := c.step(c.refresh()); err != nil {
		return planned{}, err
	}
	config := w.config(c.resource().ValueType())
	if err := c.validate(config); err != nil {
		return planned{}, err
	}
	p, err := c.change(config, c.now.current)
	if err == nil && c.now.current != nil && (p.replace || c.now.current.tainted) {
		// A replacement is planned once more, as the create it will be.
		p, err = c.change(config, nil)
		p.replace = true
	}
	return p, c.step(err)
}

func (c *command) validate(config tftypes.Value) error {
	raw, err := encode(c.resource().ValueType(), config)
	if err != nil {
		return err
	}
	resp, err := c.process.server.ValidateResourceConfig(c.process.ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: typeName, Config: raw})
	if err != nil {
		return err
	}
	return refusal(resp.Diagnostics)
}

// refresh reads what is in state, the deposed object too.
func (c *command) refresh() error {
	var err error
	if c.now.current, err = c.read(c.now.current); err != nil {
		return err
	}
	c.now.deposed, err = c.read(c.now.deposed)
	return err
}

func (c *command) read(o *object) (*object, error) {
	if o == nil {
		return nil, nil
	}
	form := c.resource().ValueType()
	raw, err := encode(form, o.value)
	if err != nil {
		return o, err
	}
	resp, err := c.process.server.ReadResource(c.process.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: typeName, CurrentState: raw, Private: o.private,
	})
	if err != nil {
		return o, fmt.Errorf("read: %w", err)
	}
	if err := refusal(resp.Diagnostics); err != nil {
		return o, err
	}
	value, err := resp.NewState.Unmarshal(form)
	if err != nil || value.IsNull() {
		return nil, err
	}
	return &object{value: value, private: resp.Private, tainted: o.tainted}, nil
}

// change plans the way from an object, nil for none, to a configuration.
func (c *command) change(config tftypes.Value, from *object) (planned, error) {
	form, prior, p := c.resource().ValueType(), c.null(), planned{config: config}
	var private []byte
	if from != nil {
		prior, private = from.value, from.private
	}
	want, err := proposed(c.resource(), config, prior)
	if err != nil {
		return p, err
	}
	var raws [3]*tfprotov6.DynamicValue
	for i, v := range []tftypes.Value{prior, want, config} {
		if raws[i], err = encode(form, v); err != nil {
			return p, err
		}
	}
	resp, err := c.process.server.PlanResourceChange(c.process.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: raws[0], ProposedNewState: raws[1], Config: raws[2], PriorPrivate: private,
	})
	if err != nil {
		return p, fmt.Errorf("plan: %w", err)
	}
	if err := refusal(resp.Diagnostics); err != nil {
		return p, err
	}
	p.private, p.replace = resp.PlannedPrivate, len(resp.RequiresReplace) > 0
	p.after, err = resp.PlannedState.Unmarshal(form)
	return p, err
}

// apply plans and applies; a provider of its own does the second.
func (c *command) apply(w Wish) error {
	p, err := c.plan(w)
	if err != nil {
		return err
	}
	if err := c.start(); err != nil {
		return err
	}
	switch {
	case p.replace && w.CreateFirst:
		c.now.deposed, c.now.current = c.now.current, nil
	case p.replace:
		if err := c.remove(&c.now.current); err != nil {
			return err
		}
	case c.now.current != nil && p.after.Equal(c.now.current.value):
		return c.remove(&c.now.deposed)
	}
	if err := c.put(p.config); err != nil {
		return err
	}
	return c.remove(&c.now.deposed)
}

// put plans once more, as a command line does at its turn, and applies.
func (c *command) put(config tftypes.Value) error {
	from := c.now.current
	p, err := c.change(config, from)
	if err := c.step(err); err != nil {
		return c.unchanged(err)
	}
	after, err := c.execute(p, from)
	if after != nil {
		// What comes with the error of a create is tainted.
		after.tainted = from == nil && err != nil
	}
	c.now.current = after
	if err := c.step(err); err != nil {
		return c.unchanged(err)
	}
	return nil
}

// unchanged puts a deposed object back where its replacement was not created.
func (c *command) unchanged(err error) error {
	if c.now.current == nil && c.now.deposed != nil {
		c.now.current, c.now.deposed = c.now.deposed, nil
		if c.StepWise && (!c.stopped.Load() || !c.act.kills()) {
			c.kept = c.now
		}
	}
	return err
}

// destroy refreshes, plans and destroys everything in state.
func (c *command) destroy() error {
	if err := c.start(); err != nil {
		return err
	}
	if err := c.step(c.refresh()); err != nil {
		return err
	}
	if c.now.current != nil {
		_, err := c.change(c.null(), c.now.current)
		if err := c.step(err); err != nil {
			return err
		}
	}
	if err := c.start(); err != nil {
		return err
	}
	return errors.Join(c.remove(&c.now.current), c.remove(&c.now.deposed))
}

// remove deletes an object and forgets it if that went well.
func (c *command) remove(o **object) error {
	if *o == nil {
		return nil
	}
	if c.stopped.Load() {
		return errStopped
	}
	p, err := c.change(c.null(), *o)
	if err := c.step(err); err != nil {
		return err
	}
	left, err := c.execute(p, *o)
	*o = left
	return c.step(err)
}

// execute applies a planned change; what it returns goes into the state, with an
// error too.
func (c *command) execute(p planned, from *object) (*object, error) {
	form, prior := c.resource().ValueType(), c.null()
	if from != nil {
		prior = from.value
	}
	var raws [3]*tfprotov6.DynamicValue
	var err error
	for i, v := range []tftypes.Value{prior, p.after, p.config} {
		if raws[i], err = encode(form, v); err != nil {
			return from, err
		}
	}
	resp, err := c.process.server.ApplyResourceChange(c.process.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typeName, PriorState: raws[0], PlannedState: raws[1], Config: raws[2], PlannedPrivate: p.private,
	})
	if err != nil {
		return from, fmt.Errorf("apply: %w", err)
	}
	failed := refusal(resp.Diagnostics)
	value, err := resp.NewState.Unmarshal(form)
	if err != nil || value.IsNull() {
		return nil, errors.Join(failed, err)
	}
	if failed == nil {
		failed = honest(p.after, value)
	}
	return &object{value: value, private: resp.Private}, failed
}

// honest is an error where a result is not what the plan knew, as a command line
// raises it where there was no other.
func honest(planned, result tftypes.Value) error {
	var want, is map[string]tftypes.Value
	if err := errors.Join(planned.As(&want), result.As(&is)); err != nil {
		return err
	}
	for name, value := range want {
		if value.IsFullyKnown() && !value.Equal(is[name]) {
			return fmt.Errorf("inconsistent result: %s was planned as %s and is %s", name, value, is[name])
		}
	}
	return nil
}
