package chaostest

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpulock/terraform-provider-gpu/internal/acctest"
)

// quiet is how long a provider that outlived its command line must have asked
// nothing before its work counts as done. It never ends by itself, and is killed
// then. Killing one that only seemed to be done is one more interruption, which
// must be harmless as well.
const quiet = 300 * time.Millisecond

// patience is how long an interrupted request goes unanswered before its answer
// is lost as well. While it plans the first half of an apply, neither command
// line passes an interrupt on to the provider: it waits for the plan, and stops
// then.
const patience = 2 * time.Second

// Command is a hand that runs the real command line with the built provider, on
// wall time, each in a process of its own.
type Command struct {
	bench *acctest.Bench
	audit *Audit
	gate  *Gate
}

// NewCommand makes a workspace for one cloud beside a simulated world of its own.
func NewCommand(tb testing.TB, cloud string) *Command {
	tb.Helper()
	t, err := targetOf(cloud)
	if err != nil {
		tb.Fatal(err)
	}
	c := &Command{}
	// The bench makes its world itself, and only then is there one to watch.
	c.audit = newAudit(t, nil)
	c.gate = NewGate(c.audit)
	c.gate.patience = patience
	c.bench = acctest.NewBench(tb, cloud, acctest.BenchOptions{
		Binary: true, Simulated: "requests are counted and withheld", Around: func(h http.Handler) http.Handler { return c.gate.Around(h) },
	})
	c.audit.world = c.bench.World
	return c
}

// Audit watches the workspace's world.
func (c *Command) Audit() *Audit { return c.audit }

// Play plays one round of a kind.
func (c *Command) Play(kind string, seed uint64, round int) error {
	return (&Round{Kind: kind, Hand: c, Audit: c.audit, Rand: Dice(seed, round)}).Run()
}

// oneByOne keeps the requests of a command in one order.
const oneByOne = "-parallelism=1"

// Apply implements Hand.
func (c *Command) Apply(w Wish, fault *Fault) Outcome {
	c.bench.Config(c.bench.Provider() + w.HCL())
	return c.run(fault, acctest.ApplyArgs(oneByOne))
}

// Destroy implements Hand.
func (c *Command) Destroy(w Wish, fault *Fault) Outcome {
	c.bench.Config(c.bench.Provider() + w.HCL())
	return c.run(fault, acctest.DestroyArgs(oneByOne))
}

// Plan implements Hand.
func (c *Command) Plan(w Wish) string {
	c.bench.Config(c.bench.Provider() + w.HCL())
	out, result := c.start(nil, []string{"plan", "-json", "-input=false", "-detailed-exitcode", oneByOne})
	switch {
	case result.ExitCode != 0:
		return fmt.Sprintf("exit code %d: %s", result.ExitCode, out.Text)
	case strings.Contains(result.Stdout, `"type":"resource_drift"`):
		return "something changed outside of Terraform: " + result.Stdout
	}
	return ""
}

func (c *Command) run(fault *Fault, args []string) Outcome {
	out, _ := c.start(fault, args)
	return out
}

// start runs one command to its end, and to the end of a provider that outlived
// it: whatever that still did is done then.
func (c *Command) start(fault *Fault, args []string) (Outcome, acctest.Result) {
	started := make(chan *acctest.Process, 1)
	strike := func() {}
	if fault != nil {
		strike = func() { hit(<-started, fault.Act) }
	}
	c.gate.Arm(fault, strike)
	process := c.bench.Start(args...)
	started <- process
	result := process.Wait()
	if fault != nil && fault.Act == KillCLI {
		c.gate.Quiet(quiet)
	}
	process.KillGroup()
	out := c.gate.Disarm()
	out.OK, out.Text = result.ExitCode == 0, diagnostics(result)
	return out, result
}

func hit(process *acctest.Process, act Act) {
	switch act {
	case Interrupt:
		process.SignalCLI(os.Interrupt)
	case KillCLI:
		process.SignalCLI(syscall.SIGKILL)
	default:
		process.KillGroup()
	}
}

// diagnostics are a command's, for a person.
func diagnostics(r acctest.Result) string {
	var b strings.Builder
	for _, d := range r.Diagnostics {
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Severity, d.Summary, d.Detail)
	}
	return b.String()
}
