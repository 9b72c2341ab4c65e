package acctest

import (
	"encoding/json"
	"path/filepath"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

// planFile is where the last plan is saved, beside the workspace so that no
// configuration sees it.
func (c *CLI) planFile() string { return filepath.Join(c.root, "plan.out") }

// Run runs a command to its end, whatever its exit code.
func (c *CLI) Run(args ...string) Result {
	c.tb.Helper()
	return c.Start(args...).Wait()
}

// ApplyArgs are the arguments of [CLI.Apply], for use with [CLI.Start].
func ApplyArgs(args ...string) []string {
	return append([]string{"apply", "-json", "-auto-approve", "-input=false"}, args...)
}

// DestroyArgs are the arguments of [CLI.Destroy], for use with [CLI.Start].
func DestroyArgs(args ...string) []string {
	return append([]string{"destroy", "-json", "-auto-approve", "-input=false"}, args...)
}

// Init installs modules and checks the backend. Only configurations with
// modules need it; the provider itself is never installed.
func (c *CLI) Init(args ...string) Result {
	c.tb.Helper()
	return c.Run(append([]string{"init", "-no-color", "-input=false"}, args...)...)
}

// Validate checks the configuration.
func (c *CLI) Validate() Result {
	c.tb.Helper()
	return c.Run("validate", "-json")
}

// Apply plans and applies.
func (c *CLI) Apply(args ...string) Result {
	c.tb.Helper()
	return c.Run(ApplyArgs(args...)...)
}

// Destroy destroys everything in state.
func (c *CLI) Destroy(args ...string) Result {
	c.tb.Helper()
	return c.Run(DestroyArgs(args...)...)
}

// Refresh brings the state up to what the provider reads.
func (c *CLI) Refresh(args ...string) Result {
	c.tb.Helper()
	return c.Apply(append([]string{"-refresh-only"}, args...)...)
}

// Import imports one resource with the import command. Its diagnostics come
// from text output, so they have no address or snippet.
func (c *CLI) Import(address, id string, args ...string) Result {
	c.tb.Helper()
	all := append([]string{"import", "-no-color", "-input=false"}, args...)
	return c.Run(append(all, address, id)...)
}

// Plan is a plan and how making it ended.
type Plan struct {
	// Result has exit code 0 for an empty plan, 2 for one with changes.
	Result
	// Saved is the plan itself; nil when planning failed.
	Saved *tfjson.Plan
}

// Plan plans and reads the saved plan back.
func (c *CLI) Plan(args ...string) Plan {
	c.tb.Helper()
	all := append([]string{"plan", "-json", "-input=false", "-detailed-exitcode", "-out=" + c.planFile()}, args...)
	plan := Plan{Result: c.Run(all...)}
	if plan.ExitCode == 0 || plan.ExitCode == 2 {
		plan.Saved = new(tfjson.Plan)
		c.show(plan.Saved, c.planFile())
	}
	return plan
}

// Changes are the planned changes that do something.
func (p Plan) Changes() []*tfjson.ResourceChange {
	if p.Saved == nil {
		return nil
	}
	return effective(p.Saved.ResourceChanges)
}

// Drift is what the plan found changed outside of Terraform.
func (p Plan) Drift() []*tfjson.ResourceChange {
	if p.Saved == nil {
		return nil
	}
	return effective(p.Saved.ResourceDrift)
}

// Change is the planned change of one address, nil when it has none.
func (p Plan) Change(address string) *tfjson.Change {
	if p.Saved == nil {
		return nil
	}
	for _, change := range p.Saved.ResourceChanges {
		if change.Address == address {
			return change.Change
		}
	}
	return nil
}

// Actions are the planned actions of one address, nil when it is not planned.
func (p Plan) Actions(address string) tfjson.Actions {
	change := p.Change(address)
	if change == nil {
		return nil
	}
	return change.Actions
}

func effective(changes []*tfjson.ResourceChange) []*tfjson.ResourceChange {
	var out []*tfjson.ResourceChange
	for _, change := range changes {
		if !change.Change.Actions.NoOp() {
			out = append(out, change)
		}
	}
	return out
}

// NotEmpty says in words why a plan is not empty, or returns "": exit code 0,
// no change, and nothing that changed outside of Terraform.
func (p Plan) NotEmpty() string {
	var why []string
	if p.ExitCode != 0 {
		why = append(why, "the exit code tells of changes or a failure")
	}
	for _, change := range p.Changes() {
		why = append(why, change.Address+" is planned: "+actionText(change))
	}
	for _, change := range p.Drift() {
		why = append(why, change.Address+" changed outside of Terraform: "+actionText(change))
	}
	return strings.Join(why, "\n")
}

// actionText shows a change as its actions and both values.
func actionText(change *tfjson.ResourceChange) string {
	value := map[string]any{"actions": change.Change.Actions, "before": change.Change.Before, "after": change.Change.After}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// PlanEmpty plans and fails the test unless the plan is empty.
func (c *CLI) PlanEmpty(args ...string) Plan {
	c.tb.Helper()
	plan := c.Plan(args...)
	if why := plan.NotEmpty(); why != "" {
		c.tb.Fatalf("the plan is not empty:\n%s\n%s", why, plan.Text())
	}
	return plan
}

// State is the state as show -json prints it.
func (c *CLI) State() *tfjson.State {
	c.tb.Helper()
	state := new(tfjson.State)
	c.show(state)
	return state
}

// Resource is one resource of the root module in state, nil when absent.
func (c *CLI) Resource(address string) *tfjson.StateResource {
	c.tb.Helper()
	state := c.State()
	if state.Values == nil || state.Values.RootModule == nil {
		return nil
	}
	for _, resource := range state.Values.RootModule.Resources {
		if resource.Address == address {
			return resource
		}
	}
	return nil
}

// Output is every output value in state, by name.
func (c *CLI) Output() map[string]any {
	c.tb.Helper()
	var outputs map[string]*tfjson.StateOutput
	c.decode(c.Run("output", "-json"), &outputs)
	values := make(map[string]any, len(outputs))
	for name, output := range outputs {
		values[name] = output.Value
	}
	return values
}

func (c *CLI) show(into any, args ...string) {
	c.tb.Helper()
	c.decode(c.Run(append([]string{"show", "-json"}, args...)...), into)
}

func (c *CLI) decode(result Result, into any) {
	c.tb.Helper()
	result.Success(c.tb)
	if err := json.Unmarshal([]byte(result.Stdout), into); err != nil {
		c.tb.Fatalf("acctest: %s: %v", strings.Join(result.Args, " "), err)
	}
}
