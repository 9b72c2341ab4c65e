package chaostest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/gpulock/terraform-provider-gpu/internal/clock"
)

const typeName = "gpu_reservation"

// Inline is a hand that calls the provider in process.
type Inline struct {
	// Cloud is the simulated cloud behind the gate, and Gate that gate.
	Cloud http.Handler
	Gate  *Gate
	// Clock is the provider's, which jumps instead of waiting.
	Clock clock.Clock
	Owner string
	// StepWise tells that the state is kept after each step, as in a local
	// file. Otherwise a killed command loses all of them, as it may with a
	// remote state.
	StepWise bool

	kept memory
}

// memory is what a state holds: the object, and one that waits to be deleted
// because its replacement was created first.
type memory struct{ current, deposed *object }

// object is one object in state.
type object struct {
	value   tftypes.Value
	private []byte
	tainted bool
}

// errStopped ends a walk after an interrupt or a death.
var errStopped = errors.New("stopped by the fault")

// command is one command under way.
type command struct {
	*Inline
	ctx     context.Context
	process *process
	act     Act
	stopped atomic.Bool
	// now is the state in memory.
	now memory
}

// Apply implements Hand.
func (h *Inline) Apply(w Wish, fault *Fault) Outcome {
	return h.run(fault, func(c *command) error { return c.apply(w) })
}

// Destroy implements Hand.
func (h *Inline) Destroy(_ Wish, fault *Fault) Outcome {
	return h.run(fault, (*command).destroy)
}

// Plan implements Hand.
func (h *Inline) Plan(w Wish) string {
	why := ""
	out := h.run(nil, func(c *command) error {
		before := c.now
		p, err := c.plan(w)
		switch {
		case err != nil:
			return err
		case c.now.current == nil || before.current == nil || c.now.deposed != nil || p.replace:
			why = "a create, a replacement or a deposed object is planned"
		case !c.now.current.value.Equal(before.current.value):
			why = fmt.Sprintf("changed outside of Terraform: %s", difference(before.current.value, c.now.current.value))
		case !p.after.Equal(c.now.current.value):
			why = fmt.Sprintf("an update is planned: %s", difference(c.now.current.value, p.after))
		}
		return nil
	})
	if !out.OK {
		return "the plan failed: " + out.Text
	}
	return why
}

func difference(a, b tftypes.Value) string {
	diffs, err := a.Diff(b)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(diffs)
}

// run runs one command: memory is read from the state, and written back unless
// the command line died.
func (h *Inline) run(fault *Fault, work func(*command) error) Outcome {
	c := &command{Inline: h, ctx: context.Background(), now: h.kept}
	if fault != nil {
		c.act = fault.Act
	}
	h.Gate.Arm(fault, c.strike)
	err := work(c)
	if c.process != nil {
		err = errors.Join(err, c.process.close())
	}
	out := h.Gate.Disarm()
	if !c.stopped.Load() || !c.act.kills() {
		h.kept = c.now
	}
	if out.OK = err == nil; err != nil {
		out.Text = err.Error()
	}
	return out
}

// strike is called from the request that is struck: the provider waits for its
// answer, and so nothing else moves.
func (c *command) strike() {
	c.stopped.Store(true)
	switch c.act {
	case Interrupt:
		c.process.interrupt()
	case KillCLI:
		c.process.orphan()
	default:
		c.process.kill()
	}
}

// start begins a walk: a provider of its own, as a command line has one for the
// plan and one for the apply.
func (c *command) start() error {
	if c.process != nil {
		if err := c.process.close(); err != nil {
			return err
		}
	}
	var err error
	c.process, err = startProcess(c.ctx, c.Clock, c.Gate.audit.target, c.Gate.Around(c.Cloud), c.Owner)
	return err
}

// step is the end of one step: the memory is kept where it is kept step by step,
// and nothing follows a fault.
func (c *command) step(err error) error {
	if c.stopped.Load() && c.act.kills() {
		return errors.Join(errStopped, err)
	}
	if c.StepWise {
		c.kept = c.now
	}
	if err == nil && c.stopped.Load() {
		return errStopped
	}
	return err
}

func (c *command) resource() *tfprotov6.Schema { return c.process.schema.ResourceSchemas[typeName] }

func (c *command) null() tftypes.Value { return tftypes.NewValue(c.resource().ValueType(), nil) }
